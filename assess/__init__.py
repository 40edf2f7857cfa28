"""Grammar-driven assessment of image captions: what they say, about whom, and what they never say."""

__version__ = "0.1.0"
