"""Counts that every statistic of an audit starts from, and intervals of rates. The unit is one label."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

from assess.errors import UsageError, some


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of some things have a property."""

    yes: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.yes <= self.total:
            raise UsageError(
                f"{self.yes} of {self.total} is not a count of some among all",
                hint="give the labels with the category and all labels of the group",
            )

    @property
    def no(self) -> int:
        """How many do not have the property."""
        return self.total - self.yes

    @property
    def rate(self) -> float:
        """The share that has the property; undefined (nan) when there is nothing to share."""
        return ratio(self.yes, self.total)


@dataclass(frozen=True, slots=True)
class CountTable:
    """A 2x2 table: the labels of a group and of another, with and without a category."""

    yes: int
    labels: int
    other_yes: int
    other_labels: int

    def __post_init__(self) -> None:
        # Building the two rows checks them.
        Tally(self.yes, self.labels)
        Tally(self.other_yes, self.other_labels)

    @classmethod
    def of(cls, group: Tally, other: Tally) -> CountTable:
        """Return the table with these two rows."""
        return cls(group.yes, group.total, other.yes, other.total)

    @classmethod
    def from_cells(cls, yes: int, no: int, other_yes: int, other_no: int) -> CountTable:
        """Return the table with these four cells: [[yes, no], [other_yes, other_no]]."""
        return cls(yes, yes + no, other_yes, other_yes + other_no)

    @property
    def group(self) -> Tally:
        """The first row."""
        return Tally(self.yes, self.labels)

    @property
    def other(self) -> Tally:
        """The second row."""
        return Tally(self.other_yes, self.other_labels)

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """The four cells, row by row: a, b, c, d of the textbooks."""
        return self.yes, self.labels - self.yes, self.other_yes, self.other_labels - self.other_yes

    @property
    def carrying(self) -> int:
        """The labels of both groups that carry the category."""
        return self.yes + self.other_yes

    @property
    def difference(self) -> float:
        """The rate of the group less that of the other."""
        return self.group.rate - self.other.rate

    @property
    def total(self) -> int:
        """All labels of both groups."""
        return self.labels + self.other_labels

    @property
    def swapped(self) -> CountTable:
        """The same table seen from the other group."""
        return CountTable(self.other_yes, self.other_labels, self.yes, self.labels)

    @property
    def comparable(self) -> bool:
        """Whether both groups have labels; otherwise there is no contrast to speak of."""
        return self.labels > 0 and self.other_labels > 0


def in_labels(number: int) -> str:
    """Return a number of labels in words: 1 label, 3 labels."""
    return some(number, "label")


def collapse(tables: Iterable[CountTable]) -> CountTable:
    """Return the sum of tables, cell by cell."""
    yes = labels = other_yes = other_labels = 0
    for table in tables:
        yes, labels = yes + table.yes, labels + table.labels
        other_yes, other_labels = other_yes + table.other_yes, other_labels + table.other_labels
    return CountTable(yes, labels, other_yes, other_labels)


def ratio(numerator: float, denominator: float) -> float:
    """Divide; 0/0 is undefined (nan), and x/0 is infinite."""
    if denominator:
        return numerator / denominator
    return math.inf if numerator > 0 else math.nan


class Estimate(NamedTuple):
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


def wilson(yes: int, total: int, *, level: float = 0.95, design_effect: float = 1.0) -> Estimate:
    """Return a rate with its score interval (Wilson 1927).

    With a design effect, so many labels tell as little as one: the interval is that of fewer labels.
    """
    Tally(yes, total)  # which checks the two
    return score_interval(yes / design_effect, total / design_effect, level=level)


def score_interval(yes: float, total: float, *, level: float = 0.95) -> Estimate:
    """Return a rate with its score interval; what is not independent counts for less than one each."""
    z = normal_quantile(level)
    if not total:
        return UNDEFINED
    no = total - yes
    centre = (yes + z * z / 2) / (total + z * z)
    half = z / (total + z * z) * math.sqrt(yes * no / total + z * z / 4)
    # At the ends the bound is known exactly; rounding must not push it past 0 or 1.
    return Estimate(yes / total, centre - half if yes else 0.0, centre + half if no else 1.0)


def widened_ratio(estimate: Estimate, design_effect: float, *, centre: float | None = None) -> Estimate:
    """Return a ratio whose interval is wider by the root of a design effect, on the scale of logarithms.

    A ratio of 0 or infinity has no place on that scale: its finite bound moves away from `centre`.
    """
    middle = centre if centre is not None and not 0 < estimate.value < math.inf else estimate.value
    if design_effect <= 1 or not 0 < middle < math.inf:
        return estimate
    low, high = (
        middle * (bound / middle) ** math.sqrt(design_effect) if 0 < bound < math.inf else bound
        for bound in (estimate.low, estimate.high)
    )
    return Estimate(estimate.value, low, high)


def risk_difference(
    table: CountTable, *, level: float = 0.95, design_effects: tuple[float, float] = (1.0, 1.0)
) -> Estimate:
    """Return the difference of two rates with Newcombe's hybrid score interval (1998, method 10)."""
    group = wilson(table.yes, table.labels, level=level, design_effect=design_effects[0])
    other = wilson(table.other_yes, table.other_labels, level=level, design_effect=design_effects[1])
    return rate_difference(group, other)


def rate_difference(group: Estimate, other: Estimate) -> Estimate:
    """Return the difference of two independent rates, from their score intervals (Newcombe 1998)."""
    difference = group.value - other.value
    return Estimate(
        difference,
        difference - math.hypot(group.value - group.low, other.high - other.value),
        difference + math.hypot(group.high - group.value, other.value - other.low),
    )


def upper_bound_of_none(total: int, *, level: float = 0.95, design_effect: float = 1.0) -> float:
    """Return the highest rate that still allows 0 of `total` (one-sided Clopper-Pearson bound).

    Nothing seen is not a rate of zero: 1 - (1 - level)^(1/total).
    """
    check_level(level)
    Tally(0, total)
    return -math.expm1(math.log1p(-level) * design_effect / total) if total else math.nan
