"""Sections for a terminal. Tables have as many columns beside each other as fit, and the rest below.

The layout is our own: a heading that several columns share stands over all of them, which a Rich
table cannot do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Column as RichColumn
from rich.table import Table as RichTable
from rich.text import Text

from assess.errors import visible
from assess.report.section import (
    SYSTEM,
    Cell,
    Column,
    LineChart,
    Section,
    Table,
    WordList,
    cell,
    chosen,
    words,
)
from assess.report.text import count, plain, shortened

_LONGEST_NAME = 30  # of a first column
_MARGIN = " "  # as Rich's tables have it
_GAPS = (2, 1)  # spaces between columns: two, unless only one lets all columns stand beside each other


def terminal_report(sections: Iterable[Section], *, width: int, signature: str) -> Iterator[RenderableType]:
    """Yield a report from top to bottom: tables and curves, lists of words, warnings and notes."""
    sections = list(sections)
    for section in sections:
        for part in section.parts:
            if isinstance(part, Table | LineChart) and "terminal" in part.shown:
                yield from terminal_table(_as_table(part), width=width)
        lists = [part for part in section.parts if isinstance(part, WordList) and "terminal" in part.shown]
        if lists:
            yield _word_lists(lists)
    for warnings in (True, False):
        notes = [note for section in sections for note in section.notes("terminal", warnings=warnings)]
        yield from note_lines(notes, kind="warning" if warnings else "note")
    yield signature_line(signature)


def _as_table(part: Table | LineChart) -> Table:
    """Return a table as it is, and lines as rows of small bars with the numbers at both ends."""
    if isinstance(part, Table):
        return part
    columns = [SYSTEM, Column("curve", part.x, words=True), Column("first", "first"), Column("last", "last")]
    if part.peak:
        columns.append(Column("peak", part.peak))
    rows = []
    for name, (places, values) in part.lines.items():
        known = [value for value in values if not math.isnan(value)] or [math.nan]
        drawn = words(sparkline(values, high=part.highest))
        peak = [cell(_peak(places, values), count)] if part.peak else []
        rows.append((words(name), drawn, cell(known[0], part.form), cell(known[-1], part.form), *peak))
    scaled = "" if part.highest else "Each line is drawn to its own height"
    notes = tuple(note for note in (part.meaning, scaled) if note)
    return Table(part.name, part.title, tuple(columns), tuple(rows), notes)


def _peak(places: Sequence[float], values: Sequence[float]) -> float:
    """Return where a line is first at its highest; a level line has no such place."""
    known = [(value, -place) for place, value in zip(places, values, strict=True) if not math.isnan(value)]
    return -max(known)[1] if len({value for value, _ in known}) > 1 else math.nan


def _word_lists(lists: Sequence[WordList]) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2))
    for part in lists:
        grid.add_row(plain(part.title, 60, style="bold"), plain(part.words, 1_000))
    return grid


def terminal_table(table: Table, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of a table that fit into a width; each repeats the first column."""
    room = width - len(_MARGIN)
    table = _shortened(table, max(8, min(_LONGEST_NAME, room // 2 - 2)))
    everything = range(len(table.columns))
    gap = next((gap for gap in _GAPS if _Layout(table, everything, gap).total <= room), _GAPS[0])
    layouts = _layouts(table, gap, room)
    for number, layout in enumerate(layouts):
        title = table.title if number == 0 else f"{table.title} (continued)"
        notes = table.notes if number == len(layouts) - 1 else ()
        yield _rendered(layout, title, notes)


class _Layout:
    """Some columns of a table beside each other."""

    def __init__(self, table: Table, places: Sequence[int], gap: int) -> None:
        self.table = chosen(table, places)
        self.gap = " " * gap
        self.widths = [_width(self.table, place) for place in range(len(places))]
        # A group's heading needs room; what is missing goes to its first column.
        for group, members in self.groups():
            self.widths[members[0]] += max(0, cell_len(group) - self.room(members))

    def groups(self) -> Iterator[tuple[str, list[int]]]:
        """Yield the headings that columns share, each with its columns."""
        columns = self.table.columns
        for group, members in groupby(range(len(columns)), key=lambda place: columns[place].group):
            yield group, list(members)

    def room(self, places: Sequence[int]) -> int:
        """Return the width of columns beside each other."""
        return sum(self.widths[place] for place in places) + len(self.gap) * (len(places) - 1)

    @property
    def total(self) -> int:
        """The width of all columns."""
        return self.room(range(len(self.widths)))


def _rendered(layout: _Layout, title: str, notes: Sequence[str]) -> RenderableType:
    table = layout.table
    lines = list(_headings(layout))
    for number, row in enumerate(table.rows):
        if table.apart and number == len(table.rows) - table.apart:
            lines.append(_rule(layout))
        lines.append(_line([visible(cell.text, 400) for cell in row], layout))
    heading = Text(visible(title, 200), style="bold")
    notices = [Text(visible(note, 1_000), style="dim") for note in notes]
    apart = [Text()] if notices else []
    return Group(heading, Text(), *(_whole(line) for line in lines), *apart, *notices)


def _whole(line: Text) -> Text:
    line = Text(_MARGIN).append_text(line)
    line.no_wrap = True
    return line


def _shortened(table: Table, most: int) -> Table:
    """Return a table whose first column, which every part repeats, has texts of bounded length."""
    rows = tuple((Cell(shortened(row[0].text, most), row[0].value), *row[1:]) for row in table.rows)
    return replace(table, rows=rows)


def _headings(layout: _Layout) -> Iterator[Text]:
    columns = layout.table.columns
    if any(column.group for column in columns):
        groups = (f"{group:^{layout.room(members)}}" for group, members in layout.groups())
        yield Text(layout.gap.join(groups).rstrip(), style="bold")
    yield _line([column.name for column in columns], layout, style="bold")
    yield _rule(layout)


def _rule(layout: _Layout) -> Text:
    return Text("─" * layout.total, style="dim")


def _line(texts: Sequence[str], layout: _Layout, *, style: str = "") -> Text:
    padded = []
    for text, column, width in zip(texts, layout.table.columns, layout.widths, strict=True):
        space = " " * max(0, width - cell_len(text))
        padded.append(text + space if column.words else space + text)
    return Text(layout.gap.join(padded).rstrip(), style=style)


def _width(table: Table, place: int) -> int:
    texts = [visible(row[place].text, 400) for row in table.rows]
    return max(map(cell_len, [*texts, table.columns[place].name]))


def _layouts(table: Table, gap: int, width: int) -> list[_Layout]:
    """Return the parts of a table. Columns of one group stay together where they fit at all."""
    parts: list[list[int]] = []
    for unit in _units(table, gap, width):
        if not parts or _Layout(table, parts[-1] + unit, gap).total > width:
            parts.append([0])
        parts[-1] += unit
    return [_Layout(table, places, gap) for places in parts or [[0]]]


def _units(table: Table, gap: int, width: int) -> Iterator[list[int]]:
    places = range(1, len(table.columns))
    for group, members in groupby(places, key=lambda place: table.columns[place].group):
        unit = list(members)
        if group and _Layout(table, [0, *unit], gap).total <= width:
            yield unit
        else:
            yield from ([place] for place in unit)


def grouped_notes(notes: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the notes of systems, each once, with the systems that it is about."""
    owners: dict[str, list[str]] = {}
    for system, of_system in notes.items():
        for note in of_system:
            owners.setdefault(note, []).append(visible(system, 40))
    return [
        note if len(systems) == len(notes) and len(notes) > 1 else f"{', '.join(systems)}: {note}"
        for note, systems in owners.items()
    ]


def note_lines(notes: Sequence[str], *, kind: str = "note") -> Iterator[RenderableType]:
    """Yield notes below each other, with a mark before them; nothing where there are none."""
    style = {"note": "cyan", "warning": "yellow"}[kind]
    grid = RichTable.grid(padding=(0, 1))
    for note in notes:
        grid.add_row(Text(kind, style=style), plain(note, 1_000))
    if notes:
        yield grid


def bullets(title: str, lines: Sequence[str]) -> RenderableType:
    """Return the few lines to read first, below a heading."""
    return Group(Text(title, style="bold"), *map(bullet, lines))


def bullet(line: str | Text) -> RenderableType:
    """Return a line with a dot before it, indented where it goes on."""
    grid = RichTable.grid(padding=(0, 1))
    grid.add_row(" •", line if isinstance(line, Text) else plain(line, 400))
    return grid


def signature_line(line: str) -> Text:
    """Return the signature as the last line of a report."""
    return Text("signature  ", style="dim").append_text(plain(line, 4_000, style="dim"))


# A table whose title and notes take the whole line, and whose numbers are never cut.

_NAME = 12  # the least that is left of a long name, of a system or a category


class NotedTable(RichTable):
    """A Rich table, but its title and notes are not squeezed into the width of its columns.

    In a window that is too narrow its lines run over: a number without its last digits is worse.
    """

    def __init__(self, heading: str, note: str | None, *, tight: bool) -> None:
        super().__init__(
            box=box.SIMPLE_HEAD,
            padding=(0, 0 if tight else 1, 0, 0),
            pad_edge=False,
            header_style="bold",
            border_style="dim",
        )
        self.heading = heading
        self.note = note

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.heading, style="bold")
        needed = self._narrowest(console, options)
        room = options if needed <= options.max_width else options.update(width=needed)
        yield from super().__rich_console__(console, room)
        if self.note:
            yield Text(self.note, style="dim")

    def _narrowest(self, console: Console, options: ConsoleOptions) -> int:
        """Return the least width in which no column loses a digit or a word."""
        between = (self.padding[1] + 1) * (len(self.columns) - 1)
        edges = 2  # as the space between columns, they belong to this kind of box
        return sum(_least(column, console, options) for column in self.columns) + between + edges


def _least(column: RichColumn, console: Console, options: ConsoleOptions) -> int:
    if column.width is not None:
        return column.width
    wide = options.update(width=1_000)  # what is measured is the text, not the window
    sizes = [Measurement.get(console, wide, content) for content in (column.header, *column.cells)]
    if column.no_wrap and column.ratio is None:
        return max(column.min_width or 0, *(size.maximum for size in sizes))
    # Names may be folded anywhere; columns of examples, which have a ratio, may be cut.
    return column.min_width or min(_NAME, max(size.minimum for size in sizes))


def new_table(title: str, *, caption: str | None = None, tight: bool = False) -> NotedTable:
    """Return an empty table in our style; a tight one for narrow terminals."""
    return NotedTable(title, caption, tight=tight)


# Curves and bars in one line of text.

BARS = "▁▂▃▄▅▆▇█"
GAP = " "  # where there is no value


def sparkline(values: Sequence[float], *, high: float | None = None) -> str:
    """Return one bar a value, from 0 to `high` (the largest value unless given)."""
    defined = [value for value in values if math.isfinite(value)]
    top = max(defined, default=0.0) if high is None else high
    return "".join(_bar(value, top) for value in values)


def _bar(value: float, high: float) -> str:
    if not math.isfinite(value):
        return GAP
    if high <= 0:
        return BARS[0]
    place = min(max(value, 0.0), high) / high
    return BARS[min(len(BARS) - 1, int(place * len(BARS)))]


_EIGHTHS = " ▏▎▍▌▋▊▉"


def horizontal_bar(value: float, high: float, width: int) -> str:
    """Return a bar from 0 that is `width` cells long at `high`; what is above 0 is never drawn as nothing."""
    if not (math.isfinite(value) and value > 0 and high > 0):
        return ""
    eighths = max(1, round(min(value / high, 1.0) * width * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


# Columns of coloured text; where there is no room for all, they give way one by one.

_GAP = 2
_NAME_WIDTHS = 8, 24  # of a name before what is said of it


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
    return shortened(text, min(max(_NAME_WIDTHS[0], width // 4), _NAME_WIDTHS[1]))


def fitting(columns: Sequence[Aligned], width: int) -> list[Aligned]:
    """Return the columns that have values and fit into a width beside each other."""
    kept = [column for column in columns if not column.empty]
    while _aligned_width(kept) + len(_MARGIN) > width and any(column.rank for column in kept):
        last = max(column.rank for column in kept)
        kept = [column for column in kept if column.rank != last]
    return kept


def aligned_table(title: str, columns: Sequence[Aligned], *, apart: int = 0) -> Group:
    """Return columns below a title and their headings; a line sets the last `apart` rows apart."""
    rule = Text(_MARGIN + "─" * _aligned_width(columns), style="dim")
    rows = [_aligned_row(columns, place) for place in range(len(columns[0].cells))]
    before, after = rows[: len(rows) - apart], rows[len(rows) - apart :]
    headings = [Text(column.heading, style="bold") for column in columns]
    last = [rule, *after] if before and after else after
    lines = [_aligned_line(columns, headings), rule, *before, *last]
    return Group(Text(visible(title, 200), style="bold"), *lines)


def aligned_rows(columns: Sequence[Aligned], *, indent: int) -> Group:
    """Return columns without headings, to stand below a sentence."""
    rows = [_aligned_row(columns, place) for place in range(len(columns[0].cells))]
    return Group(*(Text(" " * indent, no_wrap=True).append_text(row) for row in rows))


def _aligned_width(columns: Sequence[Aligned]) -> int:
    return sum(column.width for column in columns) + _GAP * (len(columns) - 1)


def _aligned_row(columns: Sequence[Aligned], place: int) -> Text:
    return _aligned_line(columns, [column.cells[place] for column in columns])


def _aligned_line(columns: Sequence[Aligned], cells: Sequence[Text]) -> Text:
    line = Text(_MARGIN, no_wrap=True)
    for place, (column, text) in enumerate(zip(columns, cells, strict=True)):
        space = " " * (column.width - cell_len(text.plain))
        line.append(" " * _GAP if place else "")
        line.append_text(Text.assemble(space, text) if column.right else Text.assemble(text, space))
    line.rstrip()
    return line
