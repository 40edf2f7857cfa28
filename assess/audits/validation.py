"""What people's ratings say about our counts: corrected rates, agreement, and how many to rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

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


def rogan_gladen(apparent: Tally, *, sensitivity: Tally, specificity: Tally, level: float = 0.95) -> Estimate:
    """Return the rate corrected for misses and false alarms: (p + Sp - 1) / (Se + Sp - 1).

    The estimate is that of Rogan & Gladen (1978), cut to [0, 1]; the interval, that of Lang & Reiczigel
    (2014), carries the uncertainty of sensitivity and specificity along. `sensitivity` counts the labels
    that have the category by the raters and were given it; `specificity` those that do not and were not.
    They must come from raters who saw labels of both kinds in the proportions of the corpus; a sheet
    sampled by what the tool said needs `corrected_by_strata`. Undefined where Se + Sp is at most 1: a tool
    no better than chance cannot be corrected.
    """
    z = normal_quantile(level)
    informative = sensitivity.rate + specificity.rate - 1
    if not apparent.total or not informative > 0:
        return UNDEFINED
    value = (apparent.rate + specificity.rate - 1) / informative
    centre, half = _lang_reiczigel(apparent, sensitivity, specificity, z)
    # Shrinking pulls the centre inwards; the interval must not lose its own estimate over that.
    value = _unit(value)
    return Estimate(value, min(value, _unit(centre - half)), max(value, _unit(centre + half)))


def _lang_reiczigel(apparent: Tally, sensitivity: Tally, specificity: Tally, z: float) -> tuple[float, float]:
    """Return the centre and half the width of the interval (Lang & Reiczigel 2014, eq. 16 and 17)."""
    rate, labels = (apparent.yes + z * z / 2) / (apparent.total + z * z), apparent.total + z * z
    hits, hit_size = (sensitivity.yes + 1) / (sensitivity.total + 2), sensitivity.total + 2
    rejections, rejection_size = (specificity.yes + 1) / (specificity.total + 2), specificity.total + 2
    informative = hits + rejections - 1
    if informative <= 0:
        return 0.5, math.inf
    true_rate = (rate + rejections - 1) / informative
    hit_noise = hits * (1 - hits) / hit_size
    rejection_noise = rejections * (1 - rejections) / rejection_size
    shift = 2 * z * z * (true_rate * hit_noise - (1 - true_rate) * rejection_noise)
    variance = rate * (1 - rate) / labels + true_rate**2 * hit_noise + (1 - true_rate) ** 2 * rejection_noise
    return true_rate + shift, z * math.sqrt(variance) / informative


def corrected_by_strata(apparent: Tally, *, confirmed: Tally, missed: Tally, level: float = 0.95) -> Estimate:
    """Return the rate corrected from ratings sampled by what the tool said: p·PPV + (1-p)·missed.

    `confirmed` counts, of the rated labels that were given the category, those that have it (precision);
    `missed`, of the rated labels that were not given it, those that have it. The interval combines the
    Wilson intervals of the three rates (MOVER; Zou & Donner 2008).
    """
    rate, hit, miss = (wilson(tally.yes, tally.total, level=level) for tally in (apparent, confirmed, missed))
    parts = ((hit.value - miss.value, rate), (rate.value, hit), (1 - rate.value, miss))
    value = rate.value * hit.value + (1 - rate.value) * miss.value
    downs, ups = zip(*(_distances(weight, estimate) for weight, estimate in parts), strict=True)
    return Estimate(value, _unit(value - math.hypot(*downs)), _unit(value + math.hypot(*ups)))


def _distances(weight: float, estimate: Estimate) -> tuple[float, float]:
    """Return how far a weighted rate may lie below and above its estimate; a negative weight swaps them."""
    down, up = estimate.value - estimate.low, estimate.high - estimate.value
    return (weight * down, weight * up) if weight >= 0 else (-weight * up, -weight * down)


def _unit(value: float) -> float:
    """Cut a value to [0, 1]; nan stays nan."""
    return value if math.isnan(value) else min(1.0, max(0.0, value))


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


def labels_per_group(rate: float, other_rate: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return how many labels each group needs so that a two-sided test sees these two rates apart.

    The usual formula for two proportions, without continuity correction (Fleiss, Levin & Paik 2003).
    """
    check_level(power)
    check_level(1 - alpha)
    if not (0 <= rate <= 1 and 0 <= other_rate <= 1) or rate == other_rate:
        raise UsageError(f"rates of {rate:g} and {other_rate:g} cannot be told apart by any sample")
    mean = (rate + other_rate) / 2
    under_null = normal_quantile(1 - alpha) * math.sqrt(2 * mean * (1 - mean))
    apart = NormalDist().inv_cdf(power) * math.sqrt(rate * (1 - rate) + other_rate * (1 - other_rate))
    return math.ceil(((under_null + apart) / (rate - other_rate)) ** 2)


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
