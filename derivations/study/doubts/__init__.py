"""Reasons not to believe a verdict."""
