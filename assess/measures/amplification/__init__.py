"""Object amplification: which objects captions mention with which group more often than people do."""
