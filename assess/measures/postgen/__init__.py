"""Post-gen scores: BLEU, CIDEr and others, of captions against references."""
