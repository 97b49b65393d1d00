"""Arrays whose sizes are symbols and whose entries are terms."""
