"""A table as data: once for the terminal, LaTeX, Markdown and CSV."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assess.report.text import UNDEFINED, count, percent, rate

Value = str | int | float


@dataclass(frozen=True, slots=True)
class Cell:
    """What a reader sees, and the exact value for programs; `nan` is undefined."""

    text: str
    value: Value


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in CSV, its heading, and the heading that it shares with its neighbours."""

    key: str
    name: str
    group: str = ""
    words: bool = False  # words stand to the left, numbers to the right


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of cells under columns; `apart` is the number of last rows that a line sets apart."""

    name: str  # of its file, and its label in LaTeX
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    apart: int = 0


def words(text: str) -> Cell:
    """Return a cell of text."""
    return Cell(text, text)


def whole(number: float) -> Cell:
    """Return a count; a mean of counts is shown rounded."""
    if isinstance(number, float) and math.isnan(number):
        return undefined()
    return Cell(count(round(number)), number)


def decimal(number: float, digits: int = 2) -> Cell:
    """Return a number with so many decimals."""
    return Cell(rate(number, digits), number)


def share(number: float, digits: int = 1) -> Cell:
    """Return a share as a percentage; its value stays between 0 and 1."""
    return Cell(percent(number, digits), number)


def undefined() -> Cell:
    """Return a cell without a value."""
    return Cell(UNDEFINED, math.nan)


def chosen(table: ReportTable, places: Sequence[int]) -> ReportTable:
    """Return a table with some of its columns."""
    return ReportTable(
        table.name,
        table.title,
        tuple(table.columns[place] for place in places),
        tuple(tuple(row[place] for place in places) for row in table.rows),
        table.notes,
        table.apart,
    )
