"""From a document that was read to findings: its names, definitions and claims, in document order."""
