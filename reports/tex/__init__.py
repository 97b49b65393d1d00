"""Reports as a LaTeX article."""
