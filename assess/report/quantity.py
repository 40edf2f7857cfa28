"""Reported numbers, each described once for all outputs and for the reference page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import methodcaller
from typing import Any, Generic, Literal, Protocol, TypeVar

from assess.report.section import SYSTEM, Cell, Column, NumberChart, Table, cell, words
from assess.report.text import Form, number, rate

Direction = Literal["higher", "lower", "neither"]
"""The direction in which a number is more diverse, more complete, or more complex."""
Of = TypeVar("Of")


@dataclass(frozen=True, slots=True)
class Quantity(Generic[Of]):
    """A number: its key in every output, how it is computed and formatted, and what it means."""

    key: str
    heading: str  # heading of its column
    get: Callable[[Of], float | None]  # from the result of a measure
    form: Form = rate
    formula: str = ""
    reference: str = ""  # key in docs/references.bib; empty if we defined it or none is needed
    direction: Direction = "neither"
    undefined: str = ""  # when it has no value; empty if it always has one
    table: str = ""  # the table that has it as a column; empty: only in JSON and on the reference page
    chart: str = ""  # title of its chart on the page, if it has one
    meaning: str = ""  # one sentence next to that chart
    group: str = ""  # a heading that it shares with adjacent columns
    highest: float | None = None  # the largest possible value, if charts should show it


def by_key(key: str, heading: str, form: Form, *described: Any, **shown: Any) -> Quantity[Any]:
    """Return a quantity that a measure's result has under the same key, or None if that is missing."""
    return Quantity(key, heading, methodcaller("get", key), form, *described, **shown)


def in_a_list(_: object) -> None:
    """Return None: the number does not belong to a system, but to a list or table of the result."""


def defined(
    key: str, formula: str, reference: str = "", direction: Direction = "neither", undefined: str = ""
) -> Quantity[Any]:
    """Return the description of a number in a list or table of the result, which has its own view."""
    return Quantity(key, key, in_a_list, rate, formula, reference, direction, undefined)


def values_of(quantities: Iterable[Quantity[Of]], found: Of) -> dict[str, float | None]:
    """Return all numbers of a measure's result by key."""
    return {quantity.key: quantity.get(found) for quantity in quantities}


class Row(Protocol):
    """Numbers by the keys of their quantities."""

    def get(self, key: str, default: Any = None, /) -> Any:
        """Return a number, or the default if it is missing."""
        ...


Interval = Sequence[float] | None
"""An estimate and the ends of its interval."""


def column(quantity: Quantity[Any]) -> Column:
    """Return the column of a quantity."""
    return Column(quantity.key, quantity.heading, quantity.group)


def quantity_cell(quantity: Quantity[Any], row: Row, interval: Interval = None) -> Cell:
    """Return the formatted number of a row."""
    value = row.get(quantity.key)
    return cell(value if isinstance(value, int) else number(value), quantity.form, interval)


def quantity_table(
    name: str,
    title: str,
    quantities: Sequence[Quantity[Any]],
    rows: Mapping[str, Row],
    *,
    intervals: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    notes: Sequence[str] = (),
    **layout: Any,
) -> Table:
    """Return a table of the quantities that belong to it, with one row per system."""
    used = [quantity for quantity in quantities if quantity.table == name]
    known = intervals or {}
    cells = tuple(
        (
            words(system),
            *(quantity_cell(quantity, row, known.get(system, {}).get(quantity.key)) for quantity in used),
        )
        for system, row in rows.items()
    )
    return Table(name, title, (SYSTEM, *map(column, used)), cells, tuple(notes), **layout)


def number_charts(
    quantities: Iterable[Quantity[Any]],
    rows: Mapping[str, Row],
    *,
    intervals: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    humans: frozenset[str] = frozenset(),
) -> list[NumberChart]:
    """Return bar charts of the quantities that have one, if any system has a value."""
    known = intervals or {}
    charts = []
    for quantity in quantities:
        cells = {
            system: quantity_cell(quantity, row, known.get(system, {}).get(quantity.key))
            for system, row in rows.items()
        }
        if quantity.chart and any(math.isfinite(float(found.value)) for found in cells.values()):
            charts.append(NumberChart(quantity.chart, quantity.meaning, cells, humans, quantity.highest))
    return charts
