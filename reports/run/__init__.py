"""From paths to a report: documents read, studied, cross-checked, cached, compared with what is known."""
