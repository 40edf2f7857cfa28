"""Syntax: compounds, prepositional phrases and the shape of sentences."""
