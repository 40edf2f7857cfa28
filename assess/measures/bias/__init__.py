"""Bias: what captions say about one group more often than about another, with intervals and verdicts."""
