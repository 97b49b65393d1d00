"""The code of a document: which of it speaks of which equation, and whether it computes it."""
