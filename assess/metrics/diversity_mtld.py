"""MTLD: how many words a text goes on for before it starts to repeat itself."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from assess.errors import UsageError
from assess.metrics.diversity_corpus import Codes, TokenCorpus
from assess.metrics.diversity_windows import shuffles
from assess.metrics.metric import ratio

THRESHOLD = 0.72  # the type-token ratio at which a stretch ends, as its authors set it


def mtld(codes: Codes, *, threshold: float = THRESHOLD) -> float:
    """Return the mean stretch of words above a type-token ratio (McCarthy & Jarvis 2010), both directions.

    `nan` where no word is ever repeated: there is then no stretch to measure.
    """
    if not 0 < threshold < 1:
        raise UsageError(f"the threshold of MTLD is between 0 and 1, not {threshold}")
    tokens = codes.tolist()
    if not tokens:
        return float("nan")
    stretches = [_factors(direction, threshold) for direction in (tokens, reversed(tokens))]
    return float(np.mean([ratio(len(tokens), factors) for factors in stretches]))


def _factors(tokens: Iterable[int], threshold: float) -> float:
    """Return the number of stretches, the last and unfinished one as the part of its way that it went."""
    factors, count, current = 0.0, 0, 1.0
    seen: set[int] = set()
    for token in tokens:
        count += 1
        seen.add(token)
        current = len(seen) / count
        if current <= threshold:
            factors, count, current = factors + 1, 0, 1.0
            seen.clear()
    return factors + (1 - current) / (1 - threshold)


def order_free_mtld(
    corpus: TokenCorpus, *, count: int = 3, seed: int = 1, threshold: float = THRESHOLD
) -> float:
    """Return the mean MTLD of the captions in seeded random orders."""
    values = [mtld(order.codes, threshold=threshold) for order in shuffles(corpus, count=count, seed=seed)]
    return float(np.mean(values))
