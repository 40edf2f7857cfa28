"""The Python functions, which offer the same as the command line."""
