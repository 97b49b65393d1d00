"""Rewritings of the surface tree that need no meaning: short forms written out, spelled words joined."""
