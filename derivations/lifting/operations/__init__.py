"""The operations of torch, NumPy and einops that are taken over: a row for each, by kind."""
