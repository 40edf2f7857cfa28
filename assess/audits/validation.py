"""What people's ratings say about our counts: corrected rates, agreement, and how many to rate."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assess.errors import UsageError
from assess.measures.bias.tables import (
    UNDEFINED,
    Estimate,
    Tally,
    check_level,
    normal_quantile,
    ratio,
    wilson,
)


def corrected_by_strata(apparent: Tally, *, confirmed: Tally, missed: Tally, level: float = 0.95) -> Estimate:
    """Return the rate corrected from ratings sampled by what the tool said: p·PPV + (1-p)·missed.

    `confirmed` counts, of the rated labels that were given the category, those that have it (precision);
    `missed`, of the rated labels that were not given it, those that have it. The interval combines the
    Wilson intervals of the three rates (MOVER; Zou & Donner 2008).
    """
    rate, hit, miss = (wilson(tally.yes, tally.total, level=level) for tally in (apparent, confirmed, missed))
    value = rate.value * hit.value + (1 - rate.value) * miss.value
    return _combined(value, [(hit.value - miss.value, rate), (rate.value, hit), (1 - rate.value, miss)])


def weighted_rate(strata: Sequence[tuple[int, Tally]], *, level: float = 0.95) -> Estimate:
    """Return the rate over strata of known sizes, from a sample of each.

    The interval combines the Wilson intervals of the strata, as above. It is undefined where a stratum has
    labels and none of them was rated.
    """
    total = sum(population for population, _ in strata)
    if not total:
        return UNDEFINED
    parts = [
        (population / total, wilson(tally.yes, tally.total, level=level)) for population, tally in strata
    ]
    return _combined(math.fsum(weight * rate.value for weight, rate in parts), parts)


def _combined(value: float, parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """Return a value that weighs independent rates, with the interval that theirs make (MOVER).

    How far the value may lie below and above follows from each rate; a negative weight swaps the two.
    """
    if math.isnan(value):
        return UNDEFINED
    downs, ups = [], []
    for weight, rate in parts:
        down, up = rate.value - rate.low, rate.high - rate.value
        downs.append(weight * (down if weight >= 0 else up))
        ups.append(weight * (up if weight >= 0 else down))
    return Estimate(value, max(0.0, value - math.hypot(*downs)), min(1.0, value + math.hypot(*ups)))


def kappa(counts: Sequence[Sequence[int]], *, level: float = 0.95) -> Estimate:
    """Return the agreement of two raters beyond chance (Cohen 1960).

    `counts[i][j]` is how often one said i and the other j. The interval is the large-sample one of Fleiss,
    Cohen & Everitt (1969). Undefined where chance alone would agree always: both said one thing only. Where
    one of them did, the value is 0 whatever the other said, and has no interval.
    """
    check_level(level)
    if any(len(row) != len(counts) for row in counts) or any(min(row) < 0 for row in counts if row):
        raise UsageError("agreement needs a square table of counts, one row and one column an answer")
    total = sum(map(sum, counts))
    rows, columns = [sum(row) for row in counts], [sum(column) for column in zip(*counts, strict=True)]
    # Whole numbers decide what is degenerate; rounding cannot.
    by_chance = sum(row * column for row, column in zip(rows, columns, strict=True))
    if by_chance == total * total:
        return UNDEFINED
    agreed = sum(row[place] for place, row in enumerate(counts))
    value = (agreed * total - by_chance) / (total * total - by_chance)
    if total in (*rows, *columns):
        return Estimate(value, math.nan, math.nan)
    half = normal_quantile(level) * math.sqrt(_kappa_variance(counts, value, by_chance / total**2))
    return Estimate(value, max(-1.0, value - half), min(1.0, value + half))


def _kappa_variance(counts: Sequence[Sequence[int]], value: float, chance: float) -> float:
    """Return the large-sample variance of kappa (Fleiss, Cohen & Everitt 1969)."""
    shares = np.asarray(counts, dtype=np.float64) / sum(map(sum, counts))
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    margins = columns[:, np.newaxis] + rows[np.newaxis, :]
    agreed = np.diag(shares)
    on = float((agreed * (1 - (rows + columns) * (1 - value)) ** 2).sum())
    off = float((shares * margins**2).sum() - (agreed * np.diag(margins) ** 2).sum())
    spread = on + (1 - value) ** 2 * off - (value - chance * (1 - value)) ** 2
    return max(0.0, spread) / sum(map(sum, counts)) / (1 - chance) ** 2


def more_to_rate(rated: Tally, *, half_width: float = 0.05, level: float = 0.95) -> int:
    """Return how many more ratings bring the Wilson interval to ±`half_width`, should the rate stay.

    With nothing rated yet, the least favourable rate (one half) is assumed.
    """
    if not 0 < half_width < 1:
        raise UsageError(f"a half width of {half_width:g} is not between 0 and 1")
    rate = rated.rate if rated.total else 0.5
    z = normal_quantile(level)
    low, high = rated.total, max(1, rated.total)
    while _half_width(rate, high, z) > half_width:
        low, high = high, high * 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _half_width(rate, middle, z) <= half_width else (middle + 1, high)
    return high - rated.total


def _half_width(rate: float, total: int, z: float) -> float:
    """Return half the width of the Wilson interval at a rate that need not be a whole count."""
    spread = ratio(rate * (1 - rate), total) + ratio(z * z / 4, total * total)
    return z * math.sqrt(spread) / (1 + ratio(z * z, total))
