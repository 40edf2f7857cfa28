"""What diversity found, as it is saved and given to Python."""

from __future__ import annotations

from typing import ClassVar

from assess.measures.intervals import Intervals
from assess.measures.measure import Model, Number, Result, Row


class Curve(Model):
    """Expected number of types after so many tokens; undefined beyond the last token."""

    tokens: tuple[int, ...]
    types: tuple[Number, ...]


class OrderShift(Model):
    """What the order of a file does to a type-token ratio."""

    file: Number
    shuffled: Number
    deviation: Number
    distorts: bool


class SystemDiversity(Row):
    """The diversity of one system, or of references as the mean over their parallel sets."""

    if_known: ClassVar[tuple[str, ...]] = ("sets", "total_types", "total_tokens")

    reference: bool
    curve: Curve
    order: dict[str, OrderShift]  # of one and of two words; of references: in their first set
    notes: tuple[str, ...]
    sets: int | None = None  # of references, and their sums
    total_types: int | None = None
    total_tokens: int | None = None


class DiversityResult(Result):
    """The diversity of all systems, and of references where there are some."""

    measure: ClassVar[str] = "diversity"

    systems: dict[str, SystemDiversity]
    notes: tuple[str, ...]
    intervals: Intervals | None = None

    def urgent_notes(self) -> list[str]:
        """Return the warnings, and what numbers owe to the order of a file."""
        return [*self.warnings, *(note for note in self.notes if note.startswith("the order of the file"))]
