"""Loops over symbolic ranges: one generic round, and what one round hands to the next."""
