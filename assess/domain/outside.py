"""How much of a domain its taxonomy does not know yet: an estimate from how nouns are used.

Known heads are a sample of all heads of the domain, so this is learning from positive and unlabelled examples
(Elkan and Noto 2008). Each known head is compared as if it were unknown. Where nouns are used most like heads
nearly all of them are heads, so the share that is known there estimates how many heads are known at all; how
probable it is that another noun is a head follows from how often known heads are used as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

FEWEST_HEADS = 8
"""Known heads below which nothing is estimated: they would not tell how heads are used."""

LEAST_USES = 30
"""Uses of a noun that counts: fewer do not tell how it is used, and rare nouns make up little of a domain.

This, the bins and the rule for what is known were chosen on vehicles and animals, two shipped domains, with
some heads hidden: the best of fifteen variants, not tried on other domains or other captions. The interval
is that of resampling alone, and how often it holds has not been measured.
"""

_BINS = 6
_RESAMPLES = 200
_LEAST_IN_BIN = 5  # nouns; fewer say nothing of their kind
_LEVEL = 0.9


@dataclass(frozen=True, slots=True)
class Outside:
    """Chunks that are probably of the domain although no head of the taxonomy says so."""

    chunks: float
    low: float
    high: float  # with `low` a 90% interval
    nouns: float  # how many of the candidates are probably heads

    def share(self, chunks: float, labels: int) -> float:
        """Return chunks outside as a share of the domain's; undefined where there are none."""
        return chunks / (chunks + labels) if chunks + labels else float("nan")


def estimate_outside(heads: Sequence[float], nouns: Sequence[float], counts: Sequence[int]) -> Outside | None:
    """Estimate how many chunks are outside.

    `heads` says of each known head, and `nouns` of each candidate, how alike it is used to the other known
    heads; `counts` has the candidates' chunks. None where too little is known.
    """
    if len(heads) < FEWEST_HEADS or not len(nouns):
        return None
    own, others, weights = (np.asarray(values, dtype=float) for values in (heads, nouns, counts))
    chance = _chances(own, others)
    # How many heads and which nouns there are is luck too: both are drawn again.
    generator = np.random.default_rng(0)
    sums = []
    for _ in range(_RESAMPLES):
        again = generator.integers(len(own), size=len(own)), generator.integers(len(others), size=len(others))
        sums.append(float(_chances(own[again[0]], others[again[1]]) @ weights[again[1]]))
    low, high = np.quantile(sums, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]).tolist()
    return Outside(float(chance @ weights), low, high, float(chance.sum()))


def _chances(heads: np.ndarray, nouns: np.ndarray) -> np.ndarray:
    """Return how probable it is that each noun is a head."""
    edges = np.linspace(0, 1, _BINS + 1)[1:-1]
    bins = [np.digitize(values, edges) for values in (heads, nouns)]
    known, unknown = (np.bincount(values, minlength=_BINS).astype(float) for values in bins)
    # Half a noun more in each: a kind that was not met is not impossible.
    share = (known + 0.5) / (known + unknown + 1)
    enough = known + unknown >= _LEAST_IN_BIN
    listed = float(share[enough].max()) if enough.any() else float(share.max())
    odds = share / (1 - share) * (1 - listed) / listed
    return np.asarray(np.minimum(odds, 1.0)[bins[1]])
