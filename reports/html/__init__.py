"""Reports as pages that are readable offline and without scripts."""
