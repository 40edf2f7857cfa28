"""Published beside computed values, as tables, for a terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assess.report.section import Cell, Column, ReportTable, words
from assess.report.terminal import note_lines, signature_line, terminal_table
from assess.report.text import UNDEFINED
from assess.reproduce.parts import ComparedCell, Outcome, Value
from assess.reproduce.run import Reproduction

_SAME = "="


def reproduce_tables(run: Reproduction) -> list[ReportTable]:
    """Return one table a part that could be run."""
    return [_table(outcome, run.sample) for outcome in run.outcomes if outcome.result is not None]


def _table(outcome: Outcome, sample: int | None) -> ReportTable:
    cells = outcome.result.cells if outcome.result else ()
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
    return ReportTable(
        outcome.part.name,
        title,
        tuple(columns),
        tuple((words(row), *_row([found.get((row, name)) for name in names], in_sample)) for row in rows),
        (_summary(cells), *(outcome.result.why if outcome.result else ())),
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


def reproduce_report(run: Reproduction, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    if run.sample is not None:
        note = f"a sample of {run.sample:,} images: counts are smaller, and all other values are rougher"
        yield from note_lines([note], kind="warning")
    for outcome in run.outcomes:
        if outcome.result is None:
            yield Text(outcome.part.title, style="bold")
            yield from note_lines([f"not computed: the data have no {', '.join(outcome.missing)}"])
        else:
            yield from terminal_table(_table(outcome, run.sample), width=width)
    yield signature_line(run.signature.as_line())


def reproduce_shape(run: Reproduction) -> dict[str, Any]:
    """Return the shape of `assess reproduce --json`."""
    return {
        "signature": run.signature.as_dict(),
        "sample": run.sample,
        "parts": {outcome.part.name: _outcome_shape(outcome) for outcome in run.outcomes},
    }


def _outcome_shape(outcome: Outcome) -> dict[str, Any]:
    shape: dict[str, Any] = {"title": outcome.part.title, "source": outcome.part.source}
    if outcome.result is None:
        return {**shape, "missing": outcome.missing}
    cells = outcome.result.cells
    return {
        **shape,
        "equal": sum(cell.equal for cell in cells),
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "published": cell.published,
                "computed": cell.computed,
                "difference": cell.difference,
                "equal": cell.equal,
            }
            for cell in cells
        ],
        "why": outcome.result.why,
    }
