"""Scales of charts: where a number lies, and which numbers stand on the axis."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight scale from numbers to places."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Return where a number lies; one beyond the scale lies at its edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def beyond(self, value: float) -> bool:
        """Whether a number lies outside the scale."""
        return not self.low <= value <= self.high


def round_up(value: float) -> float:
    """Return the next of 1, 1.5, 2, 3, 4, 5, 6, 8 or 10 times a power of ten; 1 for nothing at all."""
    if not value > 0 or math.isinf(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * power >= value * 0.999_999)


def ticks(high: float, most: int = 5) -> list[float]:
    """Return a few round numbers from 0 to `high`."""
    step = next(
        size
        for power in (10.0 ** math.floor(math.log10(high) - 1), 10.0 ** math.floor(math.log10(high)))
        for size in (power, 2 * power, 2.5 * power, 5 * power)
        if high / size <= most
    )
    return [step * place for place in range(int(high / step * 1.000_001) + 1)]
