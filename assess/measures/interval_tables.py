"""Tables that several measures share: intervals, paired differences and lists; and notes below tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from assess.measures.intervals import Intervals, PairedDifference, Triple
from assess.report.section import (
    CSV,
    EVERYWHERE,
    PAPER,
    SYSTEM,
    TERMINAL,
    Cell,
    Column,
    Note,
    Table,
    cell,
    words,
)
from assess.report.terminal import grouped_notes
from assess.report.text import Form, decimals, p_value, signed

_THREE = decimals(3)
INTERVAL_TABLES = ("intervals", "differences")  # names of the tables
MOST_DIFFERENCES = 24  # rows in the terminal; JSON and CSV have all


def interval_table(found: Intervals, labels: Mapping[str, str]) -> Table:
    """Return the interval of each measure (key -> heading) for each system."""
    columns = [SYSTEM]
    for key, label in labels.items():
        columns += [Column(f"{key}_{part}", part, group=label) for part in ("low", "high")]
    rows = tuple(
        (words(system), *(cell for key in labels for cell in _bounds(intervals.get(key), _THREE)))
        for system, intervals in found.systems.items()
    )
    level = f"{found.level:.0%}"
    note = (
        f"Percentile bootstrap over {found.images:,} images, {found.resamples:,} resamples, seed {found.seed}"
    )
    return Table("intervals", f"{level} intervals", tuple(columns), rows, (note, *found.notes))


def _bounds(interval: Triple | None, form: Form) -> tuple[Cell, Cell]:
    _, low, high = interval or (math.nan, math.nan, math.nan)
    return cell(low, form), cell(high, form)


def difference_table(found: Intervals, labels: Mapping[str, str], *, most: int | None = None) -> Table | None:
    """Return the paired differences between systems; None for a single system.

    If limited to `most` rows, the least certain ones are kept: among many systems, nearly all differ, and
    readers cannot see from the values which ones do not.
    """
    shown = [one for one in found.differences if one.measure in labels]
    if not shown:
        return None
    ordered = sorted(shown, key=_by_doubt) if most and len(shown) > most else shown
    columns = (
        Column("measure", "measure", words=True),
        Column("first", "system", words=True),
        Column("second", "minus", words=True),
        Column("difference", "difference"),
        Column("difference_low", "from"),
        Column("difference_high", "to"),
        Column("p", "p"),
        Column("q", "q"),
    )
    rows = tuple(_difference_row(one, labels) for one in ordered[:most])
    clear = sum(_leaves_out_zero(one) for one in shown)
    notes = [
        f"{clear} of {len(shown)} intervals exclude{'s' if clear == 1 else ''} 0. Differences are paired by"
        " resample; q: Benjamini–Hochberg over all"
    ]
    if len(rows) < len(shown):
        notes.append(f"The {len(rows)} least certain ones are shown; --json and --csv list all")
    return Table("differences", "Differences between systems", columns, rows, tuple(notes))


def _leaves_out_zero(one: PairedDifference) -> bool:
    _, low, high = one.difference
    return low > 0 or high < 0


def _by_doubt(one: PairedDifference) -> tuple[float, float, str, str, str]:
    estimate, low, high = one.difference
    width = high - low
    distance = abs(estimate) / width if width > 0 else 0.0
    return -one.p, distance, one.measure, one.first, one.second


def _difference_row(one: PairedDifference, labels: Mapping[str, str]) -> tuple[Cell, ...]:
    return (
        Cell(labels[one.measure], one.measure),
        words(one.first),
        words(one.second),
        *(cell(value, signed(3)) for value in one.difference),
        *(cell(value, p_value) for value in (one.p, one.q)),
    )


def interval_tables(found: Intervals | None, labels: Mapping[str, str]) -> list[Table]:
    """Return both tables; none if intervals were not requested or there are too few images.

    The page shows intervals next to their numbers. A terminal only has room for the least certain
    differences, and CSV includes measures without a label.
    """
    if found is None or not found.enough:
        return []
    measured = dict.fromkeys(measure for intervals in found.systems.values() for measure in intervals)
    some = {key: label for key, label in labels.items() if key in measured}
    everything = some | {key: key for key in measured if key not in some}
    tables = [
        replace(interval_table(found, some), shown=TERMINAL | PAPER),
        replace(interval_table(found, everything), shown=CSV),
    ]
    for chosen, most, shown in (
        (some, MOST_DIFFERENCES, TERMINAL),
        (some, None, PAPER),
        (everything, None, CSV),
    ):
        if differences := difference_table(found, chosen, most=most):
            tables.append(replace(differences, shown=shown))
    return tables


def with_written_intervals(table: Table, *, names: int = 1) -> Iterator[Table]:
    """Yield a table for each output: intervals are below numbers on the page, columns in CSV, or in the text.

    The first `names` columns identify a row; in a terminal, which repeats only one, they are joined.
    """
    yield replace(table, shown=table.shown & {"page"})
    written = tuple(
        tuple(replace(each, text=each.text + each.bounds, bounds="") for each in row) for row in table.rows
    )
    yield replace(table, rows=written, shown=table.shown & {"paper"})
    joined = tuple((words(", ".join(each.text for each in row[:names])), *row[names:]) for row in written)
    columns = (table.columns[0], *table.columns[names:])
    yield replace(table, columns=columns, rows=joined, shown=table.shown & {"terminal"})
    yield with_bounds(table)


def with_bounds(table: Table) -> Table:
    """Return a table whose intervals are in columns of their own, for CSV."""
    bounded = {place for row in table.rows for place, each in enumerate(row) if math.isfinite(each.low)}
    columns = (
        part for place, one in enumerate(table.columns) for part in _bound_columns(one, place in bounded)
    )
    values = (
        tuple(part for place, each in enumerate(row) for part in _bound_cells(each, place in bounded))
        for row in table.rows
    )
    return replace(table, columns=tuple(columns), rows=tuple(values), shown=table.shown & {"csv"})


def _bound_columns(column: Column, bounded: bool) -> tuple[Column, ...]:
    ends = tuple(Column(f"{column.key}_{end}", end) for end in ("low", "high")) if bounded else ()
    return (column, *ends)


def _bound_cells(each: Cell, bounded: bool) -> tuple[Cell, ...]:
    ends = (Cell("", each.low), Cell("", each.high)) if bounded else ()
    return (each, *ends)


# Lists of the items behind a number, with one row per item.


class ListColumn(NamedTuple):
    """A column of a list, and how it shows an item."""

    column: Column
    cell: Callable[[Any], Cell]


def text_column(key: str, heading: str | None = None) -> ListColumn:
    """Return a text column with the items' attribute of this name."""
    return ListColumn(
        Column(key, key if heading is None else heading, words=True), lambda item: words(getattr(item, key))
    )


def number_column(key: str, heading: str, form: Form) -> ListColumn:
    """Return a column with the items' attribute of this name: a number, or an estimate with its interval."""

    def shown(item: Any) -> Cell:
        value = getattr(item, key)
        return cell(value[0], form, value) if isinstance(value, tuple) else cell(value, form)

    return ListColumn(Column(key, heading), shown)


def list_table(
    name: str,
    title: str,
    columns: Sequence[ListColumn],
    items: Mapping[str, Iterable[Any]],
    *notes: str,
    **layout: Any,
) -> Table:
    """Return a table with the items of all systems."""
    rows = tuple(
        (words(system), *(column.cell(item) for column in columns))
        for system, listed in items.items()
        for item in listed
    )
    return Table(name, title, (SYSTEM, *(one.column for one in columns)), rows, notes, **layout)


def missing_intervals(found: Intervals | None) -> tuple[str, ...]:
    """Return why there are no intervals although some were requested."""
    return () if found is None or found.enough else found.notes


class _Noted(Protocol):
    @property
    def notes(self) -> tuple[str, ...]: ...


def closing_notes(
    notes: Sequence[str],
    warnings: Sequence[str],
    systems: Mapping[str, _Noted],
    intervals: Intervals | None = None,
) -> Iterator[Note]:
    """Yield the notes of a result, those with priority first, followed by the notes of its systems."""
    yield from (Note(note, warning=True) for note in warnings)
    yield from (Note(note) for note in notes if note not in warnings)
    grouped = grouped_notes({name: system.notes for name, system in systems.items()})
    yield from (Note(note, shown=EVERYWHERE - {"page"}) for note in grouped)
    yield from (Note(note) for note in missing_intervals(intervals))
