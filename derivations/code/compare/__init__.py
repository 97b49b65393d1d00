"""One piece of code against one equation, as a statement to decide."""
