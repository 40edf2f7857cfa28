"""A number that is reported, described once for every output and for the reference page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import methodcaller
from typing import Any, Generic, Literal, Protocol, TypeVar

from assess.report.section import SYSTEM, Cell, Column, NumberChart, Table, cell, words
from assess.report.text import Form, number, rate

Direction = Literal["higher", "lower", "neither"]
"""Which way is more diverse, more complete, or more complex."""
Of = TypeVar("Of")


@dataclass(frozen=True, slots=True)
class Quantity(Generic[Of]):
    """A number: its key in every output, how it is found and written, and what it means."""

    key: str
    heading: str  # of its column
    get: Callable[[Of], float | None]  # from what a measure has worked out
    form: Form = rate
    formula: str = ""
    reference: str = ""  # a key in docs/references.bib; empty where it is ours, or needs none
    direction: Direction = "neither"
    undefined: str = ""  # when it has no value; empty where it always has one
    table: str = ""  # the table it is a column of; empty: in JSON and on the reference page only
    chart: str = ""  # the title of its chart on the page, where it has one
    meaning: str = ""  # one sentence, beside that chart
    group: str = ""  # a heading that it shares with the columns beside it
    highest: float | None = None  # the largest value it can have, where a chart should show that


def by_key(key: str, heading: str, form: Form, *described: Any, **shown: Any) -> Quantity[Any]:
    """Return a quantity that a measure has worked out under the same key; None where it has not."""
    return Quantity(key, heading, methodcaller("get", key), form, *described, **shown)


def in_a_list(_: object) -> None:
    """Return nothing: the number is not one of a system, but stands in a list or table of the result."""


def defined(
    key: str, formula: str, reference: str = "", direction: Direction = "neither", undefined: str = ""
) -> Quantity[Any]:
    """Return what a number means that stands in a list or table of the result, and is shown there."""
    return Quantity(key, key, in_a_list, rate, formula, reference, direction, undefined)


def values_of(quantities: Iterable[Quantity[Of]], found: Of) -> dict[str, float | None]:
    """Return all numbers of what a measure has worked out, by their keys."""
    return {quantity.key: quantity.get(found) for quantity in quantities}


class Row(Protocol):
    """Numbers by the keys of their quantities."""

    def get(self, key: str, default: Any = None, /) -> Any:
        """Return a number, or a default where there is none."""
        ...


Interval = Sequence[float] | None
"""An estimate, and the ends of its interval."""


def column(quantity: Quantity[Any]) -> Column:
    """Return the column of a quantity."""
    return Column(quantity.key, quantity.heading, quantity.group)


def quantity_cell(quantity: Quantity[Any], row: Row, interval: Interval = None) -> Cell:
    """Return a number of a row as it is written."""
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
    """Return a table of the quantities that belong to it: one row per system."""
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
    """Return bars of the quantities that have a chart, where some system has a value."""
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
