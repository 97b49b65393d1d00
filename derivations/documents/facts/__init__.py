"""What sentences and comments of a document say about its names and equations."""
