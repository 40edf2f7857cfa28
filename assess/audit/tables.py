"""Counts that every statistic of an audit starts from. The unit is one label."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from assess.errors import UsageError


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
class Table:
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
    def from_cells(cls, yes: int, no: int, other_yes: int, other_no: int) -> Table:
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
    def total(self) -> int:
        """All labels of both groups."""
        return self.labels + self.other_labels

    @property
    def swapped(self) -> Table:
        """The same table seen from the other group."""
        return Table(self.other_yes, self.other_labels, self.yes, self.labels)

    @property
    def comparable(self) -> bool:
        """Whether both groups have labels; otherwise there is no contrast to speak of."""
        return self.labels > 0 and self.other_labels > 0


def collapse(tables: Iterable[Table]) -> Table:
    """Return the sum of tables, cell by cell."""
    yes = labels = other_yes = other_labels = 0
    for table in tables:
        yes, labels = yes + table.yes, labels + table.labels
        other_yes, other_labels = other_yes + table.other_yes, other_labels + table.other_labels
    return Table(yes, labels, other_yes, other_labels)


def ratio(numerator: float, denominator: float) -> float:
    """Divide; 0/0 is undefined (nan), and x/0 is infinite."""
    if denominator:
        return numerator / denominator
    return math.inf if numerator > 0 else math.nan
