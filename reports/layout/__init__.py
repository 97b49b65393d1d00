"""A formula as it is laid out: read from any LaTeX, compared, and marked where it changed."""
