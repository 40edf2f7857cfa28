"""Curves in one line of text."""

from __future__ import annotations

import math
from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"
GAP = " "  # where there is no value


def sparkline(values: Sequence[float], *, low: float = 0.0, high: float | None = None) -> str:
    """Return one bar a value, from `low` to `high` (the largest value unless given)."""
    defined = [value for value in values if math.isfinite(value)]
    top = max(defined, default=low) if high is None else high
    return "".join(_bar(value, low, top) for value in values)


def _bar(value: float, low: float, high: float) -> str:
    if not math.isfinite(value):
        return GAP
    if high <= low:
        return BARS[0]
    place = (min(max(value, low), high) - low) / (high - low)
    return BARS[min(len(BARS) - 1, int(place * len(BARS)))]
