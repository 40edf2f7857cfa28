"""Renderers of results. They compute nothing."""
