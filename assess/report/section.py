"""A report as a value: sections that consist of tables, charts, word lists and notes.

Measures create sections. Each renderer (terminal, HTML, Markdown, LaTeX, CSV, plots) supports all of these
types and knows no measure.
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
"""The outputs that show a part; "paper" is LaTeX and Markdown."""
EVERYWHERE: frozenset[Output] = frozenset({"terminal", "page", "paper", "csv"})
TERMINAL: frozenset[Output] = frozenset({"terminal"})
PAPER: frozenset[Output] = frozenset({"paper"})
CSV: frozenset[Output] = frozenset({"csv"})


@dataclass(frozen=True, slots=True)
class Cell:
    """A value as shown to readers, and the exact value for programs; `nan` is undefined."""

    text: str
    value: Value
    low: float = math.nan  # ends of its interval, if it has one
    high: float = math.nan
    bounds: str = ""  # the interval as text
    link: str = ""  # to its captions on the page
    style: str = ""  # in a terminal with colours
    strong: tuple[str, ...] = ()  # words that are highlighted in the terminal
    mark: str = ""  # a styled sign before the text, which then has no style; on the page, a tag after it


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in CSV, its heading, and the heading that it shares with its neighbours.

    If a terminal is too narrow, the columns with the highest rank are dropped first, and those with rank 0
    never. After that, texts are wrapped or truncated.
    """

    key: str
    name: str
    group: str = ""
    words: bool = False  # words are left-aligned, numbers right-aligned
    meaning: str = ""  # shown on the page when the reader points at the heading
    rank: int = 0
    narrowed: Literal["", "folded", "cut"] = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns."""

    name: str  # file name, and label in LaTeX
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    apart: int = 0  # number of rows at the end below a line
    breaks: tuple[int, ...] = ()  # indices of rows that are preceded by an empty line in the terminal
    shown: frozenset[Output] = EVERYWHERE
    brief: bool = False  # shown even if a report is short
    folded: bool = False  # collapsed on the page: the numbers of a chart

    @property
    def sentences(self) -> tuple[str, ...]:
        """The notes, each with its full stop."""
        return tuple(f"{note.removesuffix('.')}." for note in self.notes)

    def heading_groups(self) -> list[tuple[str, int]]:
        """Return the shared headings of columns, each with its number of columns."""
        groups = groupby(column.group for column in self.columns)
        return [(group, len(list(members))) for group, members in groups]


@dataclass(frozen=True, slots=True)
class LineChart:
    """A line for each system; a point that is `nan` is a gap."""

    name: str  # file name
    title: str
    x: str  # label of the axis
    y: str
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    from_zero: bool = True
    form: Form = rate  # how numbers next to a line are formatted
    meaning: str = ""  # one sentence for readers of the page
    highest: float | None = None  # end of the vertical axis, if the number has a maximum
    bounds: Mapping[str, Sequence[tuple[float, float]]] | None = None  # the interval of each point
    peak: str = ""  # in the terminal, heading of the column that states where a line is highest
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class BarChart:
    """Groups of bars with one bar per system."""

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
    """One number for each system as a bar, for the page."""

    title: str
    meaning: str
    cells: Mapping[str, Cell]
    humans: frozenset[str] = frozenset()  # references, which are drawn differently from systems
    highest: float | None = None


@dataclass(frozen=True, slots=True)
class PartsChart:
    """Counts for each system that add up to a whole, for the page."""

    title: str
    meaning: str
    parts: tuple[str, ...]
    counts: Mapping[str, Sequence[int]]  # system -> counts, in the order of the parts


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A matrix that shows its values: from -1 to 1, or shares from 0."""

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Sequence[Sequence[float]]
    shares: bool = False
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class ForestChart:
    """A row for each estimate with its interval, and a line that marks no difference."""

    name: str
    title: str
    x: str
    rows: Sequence[tuple[str, float, float, float]]  # label, estimate, low, high
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class ScatterChart:
    """Points in several groups."""

    name: str
    title: str
    x: str
    y: str
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class WordList:
    """A title, and words on one line."""

    title: str
    words: str
    shown: frozenset[Output] = EVERYWHERE


@dataclass(frozen=True, slots=True)
class Note:
    """Something that readers need to know about the numbers, such as a limit or a warning."""

    text: str
    warning: bool = False
    shown: frozenset[Output] = EVERYWHERE


Plot = LineChart | BarChart | HeatMap | ForestChart | ScatterChart
"""Charts that are also written as separate files."""
Part = Table | Plot | NumberChart | PartsChart | WordList | Note


@dataclass(frozen=True, slots=True)
class Section:
    """How one result is presented to a reader."""

    name: str  # its anchor on the page
    title: str
    parts: tuple[Part, ...]
    explained: str = ""  # one sentence for readers of the page

    def tables(self, output: Output) -> Iterator[Table]:
        """Yield the tables that an output shows."""
        return (part for part in self.parts if isinstance(part, Table) and output in part.shown)

    def lists(self, output: Output) -> list[WordList]:
        """Return the word lists that an output shows."""
        return [part for part in self.parts if isinstance(part, WordList) and output in part.shown]

    def notes(self, output: Output, *, warnings: bool) -> list[str]:
        """Return the warnings, or the other notes, that an output shows."""
        return [
            part.text
            for part in self.parts
            if isinstance(part, Note) and part.warning == warnings and output in part.shown
        ]


def tables_of(sections: Iterable[Section], output: Output) -> list[Table]:
    """Return all tables of a report that an output shows."""
    return _distinct([table for section in sections for table in section.tables(output)])


def plots_of(sections: Iterable[Section]) -> list[Plot]:
    """Return all charts of a report that are written as files."""
    return _distinct([part for section in sections for part in section.parts if isinstance(part, Plot)])


_Named = TypeVar("_Named", bound="Table | Plot")


def _distinct(parts: list[_Named]) -> list[_Named]:
    """Number parts whose files would have the same name, such as those of the groups `g<` and `g>`."""
    used: set[str] = set()
    named: list[_Named] = []
    for part in parts:
        names = (f"{part.name}{end}" for end in ("", *(f"_{number}" for number in range(2, len(parts) + 1))))
        # Some file systems ignore case.
        name = next(name for name in names if _file_name(name) not in used)
        used.add(_file_name(name))
        named.append(part if name == part.name else replace(part, name=name))
    return named


def _file_name(name: str) -> str:
    return safe_name(name).casefold()


def safe_name(name: str) -> str:
    """Return a safe file name, since the name may come from an untrusted table."""
    return re.sub(r"[^\w-]+", "_", name)


SYSTEM = Column("system", "system", words=True)
"""The first column of most tables."""


def words(text: str, *, style: str = "", mark: str = "", strong: Sequence[str] = ()) -> Cell:
    """Return a cell of text."""
    return Cell(text, text, style=style, mark=mark, strong=tuple(strong))


def text_columns(*names: str, narrowed: Literal["", "folded", "cut"] = "folded") -> tuple[Column, ...]:
    """Return text columns that a terminal may narrow; their names are also their headings."""
    return tuple(Column(name, name, words=True, narrowed=narrowed) for name in names)


def number_columns(*names: str) -> tuple[Column, ...]:
    """Return number columns; their names are also their headings."""
    return tuple(Column(name, name) for name in names)


def row_of(*cells: Cell | str) -> tuple[Cell, ...]:
    """Return a row; plain strings become text cells."""
    return tuple(words(cell) if isinstance(cell, str) else cell for cell in cells)


def cell(value: float | None, form: Form, interval: Sequence[float] | None = None, *, link: str = "") -> Cell:
    """Return a formatted number, with its interval (estimate, low, high) if there is one."""
    if value is None:
        return Cell(UNDEFINED, math.nan)
    found = Cell(form(value), value, link=link)
    if interval is None or not math.isfinite(interval[1]):
        return found
    _, low, high = interval
    return replace(found, low=low, high=high, bounds=f" ({form(low)} to {form(high)})")


def chosen(table: Table, places: Sequence[int]) -> Table:
    """Return a table with only some of its columns."""
    return replace(
        table,
        columns=tuple(table.columns[place] for place in places),
        rows=tuple(tuple(row[place] for place in places) for row in table.rows),
    )
