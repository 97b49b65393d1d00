"""One reader for each format of documents: Markdown, notebooks, transcripts, LaTeX and Python files."""
