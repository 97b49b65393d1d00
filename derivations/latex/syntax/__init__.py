"""LaTeX to a tree of what an author wrote, and back; nothing is interpreted."""
