"""Audits: all analyses that the inputs allow, in one run, and the tools that work on a saved audit."""
