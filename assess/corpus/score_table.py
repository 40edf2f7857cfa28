"""A table of scores: one row a system or stratum, numbers in some columns, names in others."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assess.corpus.object_lines import text_lines
from assess.errors import InputError, Place, UsageError, visible


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Columns of equal length, in the file's order; those that are not all numbers are labels."""

    scores: Mapping[str, NDArray[np.float64]]
    labels: Mapping[str, tuple[str, ...]]
    rows: int

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a column of numbers by its name."""
        if name not in self.scores:
            message = f"the table has no column of numbers '{visible(name)}'"
            raise UsageError(message, hint=f"it has {', '.join([*self.scores][:8])}, …")
        return self.scores[name]

    def label(self, name: str) -> tuple[str, ...]:
        """Return a column as names: a label, or numbers as they would be written."""
        if name in self.labels:
            return self.labels[name]
        return tuple(f"{value:g}" for value in self.column(name))


def read_score_table(path: Path) -> ScoreTable:
    """Read a tab- or comma-separated table with a header row; `inf` and `nan` are numbers."""
    lines = text_lines(str(path))
    number, first = next(lines, (0, ""))
    delimiter = "\t" if "\t" in first else ","
    header = next(csv.reader([first], delimiter=delimiter), [])
    _check_header(header, Place(str(path), line=number or None))
    rows = list(_rows(lines, header, delimiter, str(path)))
    if not rows:
        raise InputError("the table has no rows", place=Place(str(path)))
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    numbers = {name: _numbers(cells) for name, cells in columns.items()}
    scores = {name: found for name, found in numbers.items() if found is not None}
    labels = {name: cells for name, cells in columns.items() if name not in scores}
    return ScoreTable(scores, labels, len(rows))


def _check_header(header: list[str], place: Place) -> None:
    twice = [name for name, times in Counter(header).items() if times > 1]
    if len(header) < 2 or twice:
        message = f"two columns are named '{visible(twice[0])}'" if twice else "the table has no header"
        raise InputError(message, place=place, hint="the first row names the columns, by tabs or commas")


def _rows(
    lines: Iterator[tuple[int, str]], header: list[str], delimiter: str, file: str
) -> Iterator[list[str]]:
    for record, (number, line) in enumerate(lines, start=1):
        cells = next(csv.reader([line], delimiter=delimiter))
        if len(cells) != len(header):
            place = Place(file, line=number, record=record)
            raise InputError(f"the row has {len(cells)} cells, but the header has {len(header)}", place=place)
        yield cells


def _numbers(cells: tuple[str, ...]) -> NDArray[np.float64] | None:
    """Return a column's numbers, or None where a cell is none."""
    try:
        return np.array([float(cell) for cell in cells], dtype=np.float64)
    except ValueError:
        return None
