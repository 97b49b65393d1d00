"""What the names of a document are: labels, sizes, indices, tensors, and their shapes."""
