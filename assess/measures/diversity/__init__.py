"""Diversity: how varied the language of captions is (van Miltenburg et al. 2018)."""
