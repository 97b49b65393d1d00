"""Readers of documents: notebooks, Markdown and plain-text transcripts. Reading never executes anything."""
