"""Leakage: how well a group can be told from captions whose words for it are masked."""
