"""Bias: what captions say of one group more often than of another, with intervals and verdicts."""
