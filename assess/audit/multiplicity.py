"""Many tests at once: how often a family of findings may be wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return the q of each p in a family (Benjamini & Hochberg 1995), in the order given.

    An undefined p (nan) is no test: its q is undefined too, and it does not count in the family.
    """
    ranked = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    q_values = [math.nan] * len(p_values)
    smallest = 1.0
    for rank in range(len(ranked), 0, -1):
        p, place = ranked[rank - 1]
        smallest = min(smallest, p * len(ranked) / rank)
        q_values[place] = smallest
    return tuple(q_values)
