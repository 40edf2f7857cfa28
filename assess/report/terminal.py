"""Sections for a terminal. Every table is laid out here; in a narrow terminal, all shrink by the same rules.

The layout is our own, because a Rich table cannot show a heading above several columns, or move columns that
do not fit to a second part below.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Group, RenderableType
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

_LONGEST_NAME, _LONGEST_HEADING = 30, 34  # maximum lengths in a first column, and in any column
_MARGIN = 1
_GAPS = (2, 1)  # spaces between columns; one is only used if it lets all columns fit side by side
# length of a long text, and the minimum that remains if it is truncated or wrapped
_LONG, _LEAST_CUT, _LEAST_LONG = 40, 20, 24


def terminal_report(sections: Iterable[Section], *, width: int, signature: str) -> Iterator[RenderableType]:
    """Yield a report from top to bottom: tables and curves, word lists, warnings and notes."""
    sections = list(sections)
    for section in sections:
        for part in section.parts:
            if isinstance(part, Table | LineChart) and "terminal" in part.shown:
                yield from terminal_table(_as_table(part), width=width)
        if lists := section.lists("terminal"):
            yield _word_lists(lists)
    for warnings in (True, False):
        notes = [note for section in sections for note in section.notes("terminal", warnings=warnings)]
        yield from note_lines(notes, kind="warning" if warnings else "note")
    yield signature_line(signature)


def _as_table(part: Table | LineChart) -> Table:
    """Return a table unchanged, and a line chart as rows of small bars with the numbers at both ends."""
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
    scaled = "" if part.highest else "Each curve is scaled to its own maximum"
    notes = tuple(note for note in (part.meaning, scaled) if note)
    return Table(part.name, part.title, tuple(columns), tuple(rows), notes)


def _peak(places: Sequence[float], values: Sequence[float]) -> float:
    """Return where a line first reaches its maximum; undefined for a horizontal line."""
    known = [(value, -place) for place, value in zip(places, values, strict=True) if not math.isnan(value)]
    return -max(known)[1] if len({value for value, _ in known}) > 1 else math.nan


def _word_lists(lists: Sequence[WordList]) -> RenderableType:
    grid = RichTable.grid(padding=(0, 2))
    for part in lists:
        grid.add_row(plain(part.title, 60, style="bold"), plain(part.words, 1_000))
    return grid


# Tables.


def terminal_table(
    table: Table, *, width: int, compact: bool = False, indent: int = _MARGIN
) -> Iterator[RenderableType]:
    """Yield the parts of a table that fit into a width; each part repeats the first column.

    A compact table has no empty lines around its rows.
    """
    room = width - indent
    table = _shortened(fitted(table, width=width, indent=indent), max(8, min(_LONGEST_NAME, room // 2 - 2)))
    everything = range(len(table.columns))
    tried = ((gap, limit) for limit in (math.inf, room) for gap in _GAPS)
    fits = (gap for gap, limit in tried if _Layout(table, everything, gap, limit).total <= room)
    layouts = _layouts(table, next(fits, _GAPS[0]), room)
    space = () if compact else (Text(),)
    for number, layout in enumerate(layouts):
        title = table.title if number == 0 else f"{table.title} (continued)"
        heading = [Text(visible(title, 200), style="bold"), *space] if title else []
        notes = table.sentences if number == len(layouts) - 1 else ()
        notices = [Text(visible(note, 2_000), style="dim") for note in notes]
        lines = (_with_margin(line, indent) for line in layout.lines())
        yield Group(*heading, *lines, *(space if notices else ()), *notices)


def fitted(table: Table, *, width: int, indent: int = _MARGIN) -> Table:
    """Return a table without empty columns, and without those that are dropped first if it is too wide."""
    places = [
        place
        for place in range(len(table.columns))
        if not table.rows or any(row[place].text for row in table.rows)
    ]
    kept = chosen(table, places)
    while (last := max(column.rank for column in kept.columns)) and _narrowest(kept) > width - indent:
        kept = chosen(kept, [place for place, column in enumerate(kept.columns) if column.rank != last])
    return kept


def _narrowest(table: Table) -> int:
    return _Layout(table, range(len(table.columns)), _GAPS[0], 0).total


def _with_margin(line: Text, indent: int) -> Text:
    """Return a line that is never truncated: if it does not fit, it wraps, and numbers stay complete."""
    line = Text(" " * indent, no_wrap=True, overflow="ignore").append_text(line)
    line.rstrip()
    return line


def _shortened(table: Table, most: int) -> Table:
    """Return a table with short headings and short texts in its first column, which each part repeats."""
    columns = (replace(column, name=shortened(column.name, _LONGEST_HEADING)) for column in table.columns)
    table = replace(table, columns=tuple(columns))
    if table.columns[0].narrowed == "folded":
        return table
    rows = tuple((replace(row[0], text=shortened(row[0].text, most)), *row[1:]) for row in table.rows)
    return replace(table, rows=rows)


class _Layout:
    """Lays out some columns of a table side by side, narrowed as far as possible if necessary."""

    def __init__(self, table: Table, places: Sequence[int], gap: int, room: float) -> None:
        self.table = chosen(table, places)
        self.gap = " " * gap
        self.marked = [any(row[place].mark for row in table.rows) for place in places]
        self.widths = [self._width(place) for place in range(len(places))]
        # If a group's heading is wider than its columns, the first column is widened.
        for group, members in self.groups():
            self.widths[members[0]] += max(0, cell_len(group) - self.room(members))
        self._narrow(room)

    def groups(self) -> Iterator[tuple[str, list[int]]]:
        """Yield the shared headings of columns, each with its columns."""
        columns = self.table.columns
        for group, members in groupby(range(len(columns)), key=lambda place: columns[place].group):
            yield group, list(members)

    def room(self, places: Sequence[int]) -> int:
        """Return the total width of columns side by side."""
        return sum(self.widths[place] for place in places) + len(self.gap) * (len(places) - 1)

    @property
    def total(self) -> int:
        """The total width of all columns."""
        return self.room(range(len(self.widths)))

    def lines(self) -> Iterator[Text]:
        """Yield the headings and the rows."""
        table, rule = self.table, Text("─" * self.total, style="dim")
        if any(column.group for column in table.columns):
            groups = (f"{group:^{self.room(members)}}" for group, members in self.groups())
            yield Text(self.gap.join(groups), style="bold")
        if any(column.name for column in table.columns):
            yield from self._row([words(column.name, style="bold") for column in table.columns])
            yield rule
        for number, row in enumerate(table.rows):
            if table.apart and number == len(table.rows) - table.apart and number:
                yield rule
            if number in table.breaks and number:
                yield Text()
            yield from self._row(row)

    def _texts(self, place: int) -> list[str]:
        return [visible(row[place].text, 400) for row in self.table.rows]

    def _width(self, place: int) -> int:
        longest = max(map(cell_len, [*self._texts(place), self.table.columns[place].name]))
        return longest + 2 * self.marked[place]

    def _narrow(self, room: float) -> None:
        """Narrow the widest column that can be narrowed, until the table fits or none is left."""
        least = {
            place: self._least(place, column)
            for place, column in enumerate(self.table.columns)
            if column.narrowed
        }
        while self.total > room:
            wide = [place for place, fewest in least.items() if self.widths[place] > fewest]
            if not wide:
                return
            self.widths[max(wide, key=self.widths.__getitem__)] -= 1

    def _least(self, place: int, column: Column) -> int:
        if column.narrowed == "cut":
            return max(cell_len(column.name), _LEAST_CUT)
        pieces = [cell_len(piece.rstrip()) for text in self._texts(place) for piece in _pieces(text)]
        longest = max([*pieces, 0]) + 2 * self.marked[place]
        readable = _LEAST_LONG if self.widths[place] > _LONG else 0
        return max(cell_len(column.name), min(longest, _LONGEST_NAME), readable)

    def _row(self, cells: Sequence[Cell]) -> Iterator[Text]:
        """Yield the lines of a row; there are several if a text is wrapped."""
        columns = list(enumerate(self.table.columns))
        folded = [self._cell(found, place) for (place, _), found in zip(columns, cells, strict=True)]
        for line in zip_longest(*folded, fillvalue=Text()):
            padded = []
            for (place, column), text in zip(columns, line, strict=True):
                space = " " * (self.widths[place] - cell_len(text.plain))
                padded.append(Text.assemble(text, space) if column.words else Text.assemble(space, text))
            yield Text(self.gap).join(padded)

    def _cell(self, found: Cell, place: int) -> list[Text]:
        room = self.widths[place] - 2 * self.marked[place]
        text, style = visible(found.text, 400), "" if found.mark else found.style
        lines = _folded(text, room) if self.table.columns[place].narrowed == "folded" else [_cut(text, room)]
        texts = [Text(line, style=style) for line in lines]
        for shown in texts:
            shown.highlight_words(found.strong, style="bold not dim", case_sensitive=False)
        if not self.marked[place]:
            return texts
        marks = [
            Text(f"{found.mark or ' '} ", style=found.style if found.mark else ""),
            *[Text("  ")] * len(texts),
        ]
        return [Text.assemble(mark, shown) for mark, shown in zip(marks, texts, strict=False)]


def _pieces(text: str) -> list[str]:
    """Return the pieces of a text at which a line may end: after a space, or after a hyphen in a word."""
    return re.split(r"(?<=\s)|(?<=\w-)(?=\w)", text)


def _folded(text: str, width: int) -> list[str]:
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and cell_len(f"{lines[-1]}{piece}".rstrip()) > width:
            lines.append("")
        *before, last = chop_cells(f"{lines[-1]}{piece}".rstrip(), width) or [""]
        lines[-1:] = [*before, last + " " * (piece != piece.rstrip())]
    return [line.rstrip() for line in lines]


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip(" …") + "…"


def _layouts(table: Table, gap: int, room: int) -> list[_Layout]:
    """Return the parts of a table. Columns of one group stay together if they fit."""
    parts: list[list[int]] = []
    names = _names(table)
    if _Layout(table, names, gap, math.inf).total > room * _MOST_OF_NAMES:
        names = [0]
    for unit in _units(table, names, gap, room):
        if not parts or _Layout(table, parts[-1] + unit, gap, room).total > room:
            parts.append([*names])
        parts[-1] += unit
    return [_Layout(table, places, gap, room) for places in parts or [names]]


_MOST_OF_NAMES = 0.75
"""More of a line is not given to what names a row, where a table continues below itself."""


def _names(table: Table) -> list[int]:
    """Return the first text columns that together identify a row; each part of a table repeats them."""
    names = [0]
    while len({tuple(row[place].text for place in names) for row in table.rows}) < len(table.rows):
        following = names[-1] + 1
        if following >= len(table.columns) or not table.columns[following].words:
            return [0]
        names.append(following)
    return names


def _units(table: Table, names: Sequence[int], gap: int, room: int) -> Iterator[list[int]]:
    places = range(names[-1] + 1, len(table.columns))
    for group, members in groupby(places, key=lambda place: table.columns[place].group):
        unit = list(members)
        if group and _Layout(table, [*names, *unit], gap, room).total <= room:
            yield unit
        else:
            yield from ([place] for place in unit)


# Text around tables.


def grouped_notes(notes: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the notes of systems without repetition, each with the systems that it is about."""
    owners: dict[str, list[str]] = {}
    for system, of_system in notes.items():
        for note in of_system:
            owners.setdefault(note, []).append(visible(system, 40))
    return [
        note if len(systems) == len(notes) and len(notes) > 1 else f"{', '.join(systems)}: {note}"
        for note, systems in owners.items()
    ]


def note_lines(notes: Sequence[str], *, kind: str = "note") -> Iterator[RenderableType]:
    """Yield notes one below the other, each with a mark; nothing if there are none."""
    style = {"note": "cyan", "warning": "yellow"}[kind]
    grid = RichTable.grid(padding=(0, 1))
    for note in notes:
        grid.add_row(Text(kind, style=style), plain(note, 1_000))
    if notes:
        yield grid


def bullet(line: str | Text) -> RenderableType:
    """Return a line with a bullet and a hanging indent."""
    grid = RichTable.grid(padding=(0, 1))
    grid.add_row(" •", line if isinstance(line, Text) else plain(line, 400))
    return grid


def signature_line(line: str) -> Text:
    """Return the signature as the last line of a report."""
    return Text("signature  ", style="dim").append_text(plain(line, 4_000, style="dim"))


_NAME_WIDTHS = 8, 24  # minimum and maximum width of a name before its description


def short_name(text: str, width: int) -> str:
    """Return a name shortened to leave most of the line for its description."""
    return shortened(text, min(max(_NAME_WIDTHS[0], width // 4), _NAME_WIDTHS[1]))


# Curves and bars in one line of text.

BARS = "▁▂▃▄▅▆▇█"
GAP = " "  # stands for a missing value


def sparkline(values: Sequence[float], *, high: float | None = None) -> str:
    """Return one bar for each value, from 0 to `high` (by default the largest value)."""
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
    """Return a bar that is `width` cells long at `high`; positive values always show at least something."""
    if not (math.isfinite(value) and value > 0 and high > 0):
        return ""
    eighths = max(1, round(min(value / high, 1.0) * width * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def interval_axis(scale: float, width: int) -> str:
    """Return the heading of an interval drawing: both ends of its scale in points, and 0 in the middle."""
    end = f"{scale * 100:.{0 if scale >= 0.1 else 1 if scale >= 0.01 else 2}f}"
    half = width // 2
    return f"−{end}".ljust(half) + "0" + f"+{end}".rjust(width - half - 1)


def interval_line(bounds: Sequence[float], scale: float, width: int) -> str:
    """Draw an interval on a line from -scale to +scale, with 0 in the middle."""
    line = [" "] * width
    middle = width // 2
    line[middle] = "│"
    if any(math.isnan(bound) for bound in bounds):
        return "".join(line)

    def place(bound: float) -> int:
        return min(width - 1, max(0, middle + round(bound / scale * middle)))

    value, low, high = map(place, bounds)
    for at in range(low, high + 1):
        line[at] = "┼" if at == middle else "─"
    line[low], line[high] = ("├", "┤") if low != high else ("│", "│")
    line[value] = "●"
    return "".join(line)
