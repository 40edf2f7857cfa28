"""Published beside computed values, as sections of tables and plots."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from assess.report.section import Cell, Column, Note, Part, ScatterChart, Section, Table, words
from assess.report.text import UNDEFINED
from assess.reproduce.parts import ComparedCell, Outcome, Value

_SAME = "="


def reproduce_sections(outcomes: Mapping[str, Outcome], sample: int | None) -> list[Section]:
    """Return one section per part: its table and plot, or what is missing for it."""
    sections = [
        Section(name, outcome.part.title, tuple(_parts(outcome, sample)))
        for name, outcome in outcomes.items()
    ]
    if sample is None:
        return sections
    note = f"a sample of {sample:,} images: counts are smaller, and all other values are rougher"
    return [Section("sample", "Sample", (Note(note, warning=True),)), *sections]


def _parts(outcome: Outcome, sample: int | None) -> Iterator[Part]:
    if outcome.result is None:
        missing = ", ".join(outcome.missing)
        yield Note(f"{outcome.part.title}: not computed, as the data have no {missing}")
        return
    cells = outcome.result.cells
    yield _table(outcome, cells, outcome.result.why, sample)
    points: dict[str, tuple[list[float], list[float]]] = {}
    for cell in cells:
        if not isinstance(cell.published, str) and not isinstance(cell.computed, str):
            xs, ys = points.setdefault(cell.column, ([], []))
            xs.append(cell.published)
            ys.append(cell.computed)
    if points:
        yield ScatterChart(outcome.part.name, outcome.part.title, "published", "computed", points)


def _table(outcome: Outcome, cells: Sequence[ComparedCell], why: Sequence[str], sample: int | None) -> Table:
    names = list(dict.fromkeys(cell.column for cell in cells))
    rows = list(dict.fromkeys(cell.row for cell in cells))
    found = {(cell.row, cell.column): cell for cell in cells}
    in_sample = sample is not None and outcome.part.sampled
    columns = [Column("row", "", words=True)]
    for name in names:
        textual = any(isinstance(cell.published, str) for cell in cells if cell.column == name)
        columns += _columns(name, textual)
    title = outcome.part.title
    if in_sample:
        title = f"SAMPLE of {sample:,} images. {title}"
    return Table(
        outcome.part.name,
        title,
        tuple(columns),
        tuple((words(row), *_row([found.get((row, name)) for name in names], in_sample)) for row in rows),
        (_summary(cells), *why),
    )


def _columns(name: str, textual: bool) -> list[Column]:
    return [
        Column(f"{name} published", "paper", name, words=textual),
        Column(f"{name} computed", "ours", name, words=textual),
        Column(f"{name} difference", "diff", name),
    ]


def _row(cells: Sequence[ComparedCell | None], in_sample: bool) -> Iterator[Cell]:
    for cell in cells:
        if cell is None:
            yield from (words(""), words(""), words(""))
        else:
            yield _shown(cell.published, cell.digits)
            yield _shown(cell.computed, cell.digits + (1 if cell.digits else 0))
            yield _difference(cell, in_sample)


def _shown(value: Value, digits: int) -> Cell:
    if isinstance(value, str):
        return words(value)
    return Cell(UNDEFINED if math.isnan(value) else f"{value:,.{digits}f}", value)


def _difference(cell: ComparedCell, in_sample: bool) -> Cell:
    if isinstance(cell.published, str):
        return words(_SAME if cell.equal else "≠")
    if in_sample and not cell.digits:
        return words("")  # the count of a sample is not that of all
    if cell.equal:
        return Cell(_SAME, cell.difference)
    digits = cell.digits + (1 if cell.digits else 0)
    text = UNDEFINED if math.isnan(cell.difference) else f"{cell.difference:+,.{digits}f}"
    return Cell(text, cell.difference)


def _summary(cells: Sequence[ComparedCell]) -> str:
    equal = sum(cell.equal for cell in cells)
    return f"paper: as published; {equal} of {len(cells)} cells are equal after rounding ({_SAME})"
