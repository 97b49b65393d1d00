"""One module for each kind of fact: rows of patterns, each with a sentence that it fires on and one that it must not."""
