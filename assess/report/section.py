"""A report as a value: sections of tables, charts, lists of words and notes.

Measures make sections; each renderer (terminal, HTML, Markdown, LaTeX, CSV, plots) knows all of these and no
measure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, TypeVar

from assess.report.text import UNDEFINED, Form, rate

Value = str | int | float
Output = Literal["terminal", "page", "paper", "csv"]
"""Where a part is shown; "paper" is LaTeX and Markdown."""
EVERYWHERE: frozenset[Output] = frozenset({"terminal", "page", "paper", "csv"})
TERMINAL: frozenset[Output] = frozenset({"terminal"})
PAPER: frozenset[Output] = frozenset({"paper"})
CSV: frozenset[Output] = frozenset({"csv"})


@dataclass(frozen=True, slots=True)
class Cell:
    """What a reader sees, and the exact value for programs; `nan` is undefined."""

    text: str
    value: Value
    low: float = math.nan  # the ends of its interval, where it has one
    high: float = math.nan
    bounds: str = ""  # the interval as it is written
    link: str = ""  # to the captions behind it, on the page
    style: str = ""  # in a terminal with colours
    strong: tuple[str, ...] = ()  # words that stand out in it there
    mark: str = (
        ""  # a sign before the text, which takes the style instead of it; on the page, a tag behind it
    )


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in CSV, its heading, and the heading that it shares with its neighbours.

    Where a terminal has no room for all columns, those with the highest rank give way first, those with 0
    never; then texts are folded, or cut at their ends.
    """

    key: str
    name: str
    group: str = ""
    words: bool = False  # words stand to the left, numbers to the right
    meaning: str = ""  # on the page, where a reader points at the heading
    rank: int = 0
    narrowed: Literal["", "folded", "cut"] = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns."""

    name: str  # of its file, and its label in LaTeX
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    apart: int = 0  # the number of last rows that a line sets apart
    breaks: tuple[int, ...] = ()  # the places of rows that a terminal sets apart by an empty line
    shown: frozenset[Output] = EVERYWHERE
    brief: bool = False  # also where a report has room for little
    folded: bool = False  # on the page: the numbers behind a drawing, which tells most of them

    def heading_groups(self) -> list[tuple[str, int]]:
        """Return the headings that columns share, each with the number of its columns."""
        groups = groupby(column.group for column in self.columns)
        return [(group, len(list(members))) for group, members in groups]


@dataclass(frozen=True, slots=True)
class LineChart:
    """One line per system; a point that is `nan` is a gap."""

    name: str  # of its file
    title: str
    x: str  # what the axes show
    y: str
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    from_zero: bool = True
    form: Form = rate  # of the numbers that are written beside a line
    meaning: str = ""  # one sentence for readers of the page
    highest: float | None = None  # the end of the vertical axis, where the number has one
    bounds: Mapping[str, Sequence[tuple[float, float]]] | None = None  # the interval of each point
    peak: str = ""  # in a terminal: the heading of a column that tells where a line is highest
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class BarChart:
    """Groups of bars, one bar per system in each group."""

    name: str
    title: str
    x: str
    y: str
    groups: tuple[str, ...]
    bars: Mapping[str, Sequence[float]]
    logarithmic: bool = False
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class NumberChart:
    """One number of each system as a bar, for the page."""

    title: str
    meaning: str
    cells: Mapping[str, Cell]
    humans: frozenset[str] = frozenset()  # references look different: they are no system
    highest: float | None = None


@dataclass(frozen=True, slots=True)
class PartsChart:
    """Counts of each system that add up to a whole, for the page."""

    title: str
    meaning: str
    parts: tuple[str, ...]
    counts: Mapping[str, Sequence[int]]  # by system, in the order of the parts


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A matrix with its values written in: from -1 to 1, or shares from 0 on."""

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Sequence[Sequence[float]]
    shares: bool = False
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class ForestChart:
    """One estimate with its interval per row, beside the line of no difference."""

    name: str
    title: str
    x: str
    rows: Sequence[tuple[str, float, float, float]]  # what it is of, the estimate, and the interval's ends
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class ScatterChart:
    """Points of several groups."""

    name: str
    title: str
    x: str
    y: str
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class WordList:
    """A title, and words in one line."""

    title: str
    words: str
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader must know of the numbers, or had better know before quoting them."""

    text: str
    warning: bool = False
    shown: frozenset[Output] = EVERYWHERE


Plot = LineChart | BarChart | HeatMap | ForestChart | ScatterChart
"""Charts that become files of their own."""
Part = Table | Plot | NumberChart | PartsChart | WordList | Note


@dataclass(frozen=True, slots=True)
class Section:
    """What one result looks like to a reader."""

    name: str  # its place on the page
    title: str
    parts: tuple[Part, ...]
    explained: str = ""  # one sentence for readers of the page

    def tables(self, output: Output) -> Iterator[Table]:
        """Yield the tables that an output shows."""
        return (part for part in self.parts if isinstance(part, Table) and output in part.shown)

    def lists(self, output: Output) -> list[WordList]:
        """Return the lists of words that an output shows."""
        return [part for part in self.parts if isinstance(part, WordList) and output in part.shown]

    def notes(self, output: Output, *, warnings: bool) -> list[str]:
        """Return the texts of warnings, or of other notes, that an output shows."""
        return [
            part.text
            for part in self.parts
            if isinstance(part, Note) and part.warning == warnings and output in part.shown
        ]


def tables_of(sections: Iterable[Section], output: Output) -> list[Table]:
    """Return all tables of a report that an output shows."""
    return _distinct([table for section in sections for table in section.tables(output)])


def plots_of(sections: Iterable[Section]) -> list[Plot]:
    """Return all charts of a report that become files."""
    return _distinct([part for section in sections for part in section.parts if isinstance(part, Plot)])


_Named = TypeVar("_Named", bound="Table | Plot")


def _distinct(parts: list[_Named]) -> list[_Named]:
    """Number parts whose files would have the same name, as those of the groups `g<` and `g>`."""
    used: set[str] = set()
    named: list[_Named] = []
    for part in parts:
        names = (f"{part.name}{end}" for end in ("", *(f"_{number}" for number in range(2, len(parts) + 1))))
        # Some disks do not tell capitals from small letters.
        name = next(name for name in names if _file_name(name) not in used)
        used.add(_file_name(name))
        named.append(part if name == part.name else replace(part, name=name))
    return named


def _file_name(name: str) -> str:
    return safe_name(name).casefold()


def safe_name(name: str) -> str:
    """Return a name that stays in its folder: it may come from a stranger's table."""
    return re.sub(r"[^\w-]+", "_", name)


SYSTEM = Column("system", "system", words=True)
"""The first column of most tables."""


def words(text: str, *, style: str = "", mark: str = "", strong: Sequence[str] = ()) -> Cell:
    """Return a cell of text."""
    return Cell(text, text, style=style, mark=mark, strong=tuple(strong))


def text_columns(*names: str, narrowed: Literal["", "folded", "cut"] = "folded") -> tuple[Column, ...]:
    """Return columns of words that a terminal may narrow; their names are their headings too."""
    return tuple(Column(name, name, words=True, narrowed=narrowed) for name in names)


def number_columns(*names: str) -> tuple[Column, ...]:
    """Return columns of numbers; their names are their headings too."""
    return tuple(Column(name, name) for name in names)


def row_of(*cells: Cell | str) -> tuple[Cell, ...]:
    """Return a row; what is only a text is a cell of words."""
    return tuple(words(cell) if isinstance(cell, str) else cell for cell in cells)


def cell(value: float | None, form: Form, interval: Sequence[float] | None = None, *, link: str = "") -> Cell:
    """Return a number as it is written, with its interval (estimate, low, high) where there is one."""
    if value is None:
        return Cell(UNDEFINED, math.nan)
    found = Cell(form(value), value, link=link)
    if interval is None or not math.isfinite(interval[1]):
        return found
    _, low, high = interval
    return replace(found, low=low, high=high, bounds=f" ({form(low)} to {form(high)})")


def chosen(table: Table, places: Sequence[int]) -> Table:
    """Return a table with some of its columns."""
    return replace(
        table,
        columns=tuple(table.columns[place] for place in places),
        rows=tuple(tuple(row[place] for place in places) for row in table.rows),
    )
