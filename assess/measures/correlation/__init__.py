"""Correlation: which scores rise and fall together."""
