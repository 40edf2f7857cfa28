"""Intervals for rates and for differences between rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from assess.audit.tables import Table, Tally
from assess.errors import UsageError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with the ends of its interval. Undefined parts are nan."""

    value: float
    low: float
    high: float

    def excludes(self, null: float) -> bool:
        """Whether the whole interval lies on one side of a value. An undefined interval excludes nothing."""
        return self.low > null or self.high < null

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval lies between two values. An undefined interval lies nowhere."""
        return low <= self.low and self.high <= high


UNDEFINED = Estimate(math.nan, math.nan, math.nan)


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal variable lies within ±z with this probability."""
    check_level(level)
    return NormalDist().inv_cdf((1 + level) / 2)


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a probability strictly between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"a confidence level of {level} is not between 0 and 1", hint="use 0.95 for 95%")


def wilson(yes: int, total: int, *, level: float = 0.95) -> Estimate:
    """Return a rate with its score interval (Wilson 1927)."""
    z = normal_quantile(level)
    tally = Tally(yes, total)
    if not total:
        return UNDEFINED
    centre = (yes + z * z / 2) / (total + z * z)
    half = z / (total + z * z) * math.sqrt(yes * tally.no / total + z * z / 4)
    # At the ends the bound is known exactly; rounding must not push it past 0 or 1.
    return Estimate(tally.rate, centre - half if yes else 0.0, centre + half if tally.no else 1.0)


def risk_difference(table: Table, *, level: float = 0.95) -> Estimate:
    """Return the difference of two rates with Newcombe's hybrid score interval (1998, method 10)."""
    group = wilson(table.yes, table.labels, level=level)
    other = wilson(table.other_yes, table.other_labels, level=level)
    difference = group.value - other.value
    return Estimate(
        difference,
        difference - math.hypot(group.value - group.low, other.high - other.value),
        difference + math.hypot(group.high - group.value, other.value - other.low),
    )


def upper_bound_of_none(total: int, *, level: float = 0.95) -> float:
    """Return the highest rate that still allows 0 of `total` (one-sided Clopper-Pearson bound).

    Nothing seen is not a rate of zero: 1 - (1 - level)^(1/total).
    """
    check_level(level)
    Tally(0, total)
    return -math.expm1(math.log1p(-level) / total) if total else math.nan
