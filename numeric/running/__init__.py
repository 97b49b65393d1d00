"""Running a document's code: only when asked for, in a confined process, and what it printed compared with the document."""
