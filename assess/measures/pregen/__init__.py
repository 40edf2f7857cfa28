"""Pre-gen scores from the probabilities of reference words (Tanti et al. 2018)."""
