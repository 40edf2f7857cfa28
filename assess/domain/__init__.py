"""The author's loop: see what a taxonomy misses, get suggestions, assign words, measure agreement."""
