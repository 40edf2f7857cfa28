"""Leakage: how well a group can be predicted from captions in which the words for it are masked."""
