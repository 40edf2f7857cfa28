"""Columns of coloured text for a terminal; where there is no room for all, they give way one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Group
from rich.text import Text

from assess.errors import visible
from assess.report.text import shortened

_GAP = 2
_MARGIN = " "
_SHORTEST_NAME, _LONGEST_NAME = 8, 24


@dataclass(frozen=True, slots=True)
class Aligned:
    """A column: its heading and cells; those with the highest rank give way first, those with 0 never."""

    heading: str
    cells: Sequence[Text]
    rank: int = 0
    right: bool = True  # numbers stand to the right, words to the left

    @property
    def width(self) -> int:
        """The cells of a terminal that it takes."""
        return max(cell_len(text) for text in (self.heading, *(cell.plain for cell in self.cells)))

    @property
    def empty(self) -> bool:
        """Whether no cell has a text."""
        return not any(cell.plain for cell in self.cells)


def short_name(text: str, width: int) -> str:
    """Return a name that leaves most of a line to what is said of it."""
    return shortened(text, max(_SHORTEST_NAME, min(_LONGEST_NAME, width // 4)))


def fitting(columns: Sequence[Aligned], width: int) -> list[Aligned]:
    """Return the columns that have values and fit into a width beside each other."""
    kept = [column for column in columns if not column.empty]
    while _total(kept) + len(_MARGIN) > width and any(column.rank for column in kept):
        last = max(column.rank for column in kept)
        kept = [column for column in kept if column.rank != last]
    return kept


def aligned_table(title: str, columns: Sequence[Aligned], *, apart: int = 0) -> Group:
    """Return columns below a title and their headings; a line sets the last `apart` rows apart."""
    rule = Text(_MARGIN + "─" * _total(columns), style="dim")
    rows = [_row(columns, place) for place in range(len(columns[0].cells))]
    before, after = rows[: len(rows) - apart], rows[len(rows) - apart :]
    headings = [Text(column.heading, style="bold") for column in columns]
    lines = [_line(columns, headings), rule, *before, *([rule, *after] if before and after else after)]
    return Group(Text(visible(title, 200), style="bold"), *lines)


def aligned_rows(columns: Sequence[Aligned], *, indent: int) -> Group:
    """Return columns without headings, to stand below a sentence."""
    rows = [_row(columns, place) for place in range(len(columns[0].cells))]
    return Group(*(Text(" " * indent, no_wrap=True).append_text(row) for row in rows))


def _total(columns: Sequence[Aligned]) -> int:
    return sum(column.width for column in columns) + _GAP * (len(columns) - 1)


def _row(columns: Sequence[Aligned], place: int) -> Text:
    return _line(columns, [column.cells[place] for column in columns])


def _line(columns: Sequence[Aligned], cells: Sequence[Text]) -> Text:
    line = Text(_MARGIN, no_wrap=True)
    for place, (column, cell) in enumerate(zip(columns, cells, strict=True)):
        space = " " * (column.width - cell_len(cell.plain))
        line.append(" " * _GAP if place else "")
        line.append_text(Text.assemble(space, cell) if column.right else Text.assemble(cell, space))
    line.rstrip()
    return line
