"""What turns a replayed proof into lines for people."""
