"""The words behind a category. Exploratory: it suggests where to look, and is never a finding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assess.errors import UsageError, visible


@dataclass(frozen=True, slots=True)
class WordScore:
    """How much more one group's text uses a word than another's; z is in standard deviations."""

    word: str
    count: int
    other_count: int
    log_odds: float
    z: float


def log_odds(
    counts: Mapping[str, int], other_counts: Mapping[str, int], *, prior: Mapping[str, float] | float = 0.1
) -> tuple[WordScore, ...]:
    """Return log-odds ratios with an informative Dirichlet prior (Monroe, Colaresi & Quinn 2008).

    `prior` is a pseudo-count for each word, for instance from a background corpus, or one for all. The
    variance is the paper's approximation with two terms. The first group's words come first; ties are in
    word order.
    """
    words = sorted(counts.keys() | other_counts.keys())
    pseudo = _pseudo_counts(words, prior)
    # Words of the prior that neither group uses are part of the vocabulary all the same.
    prior_total = math.fsum(pseudo.values())
    total, other_total = sum(counts.values()) + prior_total, sum(other_counts.values()) + prior_total
    scores = [
        _score(word, counts.get(word, 0), other_counts.get(word, 0), pseudo[word], total, other_total)
        for word in words
    ]
    return tuple(sorted(scores, key=lambda score: (-score.z, score.word)))


def _pseudo_counts(words: Sequence[str], prior: Mapping[str, float] | float) -> Mapping[str, float]:
    pseudo = prior if isinstance(prior, Mapping) else dict.fromkeys(words, prior)
    missing = [word for word in words if word not in pseudo]
    if missing:
        raise UsageError(f"the prior has no value for {visible(', '.join(missing[:5]))}")
    if any(not 0 < value < math.inf for value in pseudo.values()):
        raise UsageError("a prior must be positive: without one, a word never seen has no log-odds")
    return pseudo


def _score(
    word: str, count: int, other_count: int, pseudo: float, total: float, other_total: float
) -> WordScore:
    seen, other_seen = count + pseudo, other_count + pseudo
    rest, other_rest = total - seen, other_total - other_seen
    if rest <= 0 or other_rest <= 0:
        # The only word of the vocabulary has nothing to be compared with.
        return WordScore(word, count, other_count, math.nan, math.nan)
    delta = math.log(seen / rest) - math.log(other_seen / other_rest)
    return WordScore(word, count, other_count, delta, delta / math.sqrt(1 / seen + 1 / other_seen))
