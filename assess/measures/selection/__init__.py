"""Content selection: which boxes of an image are mentioned (Wang and Gaizauskas 2015)."""
