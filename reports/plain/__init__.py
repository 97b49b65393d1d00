"""Reports as text for terminals, editors and build servers."""
