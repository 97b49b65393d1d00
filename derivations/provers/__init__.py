"""Untrusted search: whatever is proposed here is replayed by the kernel before it counts."""
