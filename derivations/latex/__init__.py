"""LaTeX: read, given meaning by the names of its document, and written."""
