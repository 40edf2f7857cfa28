"""Object amplification: which things captions name with which group, more than people do."""
