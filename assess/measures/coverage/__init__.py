"""Coverage: which categories of a domain captions use, and which they never use."""
