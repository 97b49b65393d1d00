"""What a document is, block by block, and what is found out about its equations."""
