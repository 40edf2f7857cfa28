"""Measures over captions and tallies: pure functions, one family a file."""
