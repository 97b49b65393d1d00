"""Attacks on the kernel: hand-made proofs of statements that are false; see `attempt.py`."""
