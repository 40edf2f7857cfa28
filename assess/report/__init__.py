"""Renderings of results. Nothing is computed here."""
