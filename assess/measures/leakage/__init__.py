"""Leakage: how well a group can be guessed from captions whose words for it are masked."""
