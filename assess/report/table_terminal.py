"""Tables for a terminal: as many columns beside each other as fit, the rest below.

The layout is our own: a heading that several columns share stands over all of them, which a Rich
table cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.errors import visible
from assess.report.cells import plain
from assess.report.table import Cell, ReportTable, chosen

_LONGEST_NAME = 30  # of a first column
_MARGIN = " "  # as Rich's tables have it
_GAPS = (2, 1)  # spaces between columns: two, unless only one lets all columns stand beside each other


def terminal_table(table: ReportTable, *, width: int) -> Iterator[RenderableType]:
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

    def __init__(self, table: ReportTable, places: Sequence[int], gap: int) -> None:
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


def _shortened(table: ReportTable, most: int) -> ReportTable:
    """Return a table whose first column, which every part repeats, has texts of bounded length."""
    rows = tuple((Cell(_cut(visible(row[0].text, 400), most), row[0].value), *row[1:]) for row in table.rows)
    return replace(table, rows=rows)


def _cut(text: str, most: int) -> str:
    return set_cell_size(text, most - 1).rstrip() + "…" if cell_len(text) > most else text


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


def _width(table: ReportTable, place: int) -> int:
    texts = [visible(row[place].text, 400) for row in table.rows]
    return max(map(cell_len, [*texts, table.columns[place].name]))


def _layouts(table: ReportTable, gap: int, width: int) -> list[_Layout]:
    """Return the parts of a table. Columns of one group stay together where they fit at all."""
    parts: list[list[int]] = []
    for unit in _units(table, gap, width):
        if not parts or _Layout(table, parts[-1] + unit, gap).total > width:
            parts.append([0])
        parts[-1] += unit
    return [_Layout(table, places, gap) for places in parts or [[0]]]


def _units(table: ReportTable, gap: int, width: int) -> Iterator[list[int]]:
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
    grid = Table.grid(padding=(0, 1))
    for note in notes:
        grid.add_row(Text(kind, style=style), plain(note, 1_000))
    if notes:
        yield grid


def bullets(title: str, lines: Sequence[str]) -> RenderableType:
    """Return the few lines to read first, below a heading."""
    grid = Table.grid(padding=(0, 1))
    for line in lines:
        grid.add_row(" •", plain(line, 400))
    return Group(Text(title, style="bold"), grid)


def signature_line(line: str) -> Text:
    """Return the signature as the last line of a report."""
    return Text("signature  ", style="dim").append_text(plain(line, 4_000, style="dim"))
