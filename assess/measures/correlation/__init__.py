"""Correlation: which scores agree across systems."""
