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
_GAP = "  "


def terminal_table(table: ReportTable, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of a table that fit into a width; each repeats the first column."""
    table = _shortened(table, max(8, min(_LONGEST_NAME, width // 2 - 2)))
    blocks = _blocks(table, width)
    for number, block in enumerate(blocks):
        title = table.title if number == 0 else f"{table.title} (continued)"
        notes = table.notes if number == len(blocks) - 1 else ()
        yield _rendered(chosen(table, block), title, notes)


def _rendered(table: ReportTable, title: str, notes: Sequence[str]) -> RenderableType:
    widths = _spread(table, [_width(table, place) for place in range(len(table.columns))])
    heading = Text(visible(title, 200), style="bold")
    lines = list(_headings(table, widths))
    for number, row in enumerate(table.rows):
        if table.apart and number == len(table.rows) - table.apart:
            lines.append(_rule(widths))
        texts = [visible(cell.text, 400) for cell in row]
        lines.append(_line(texts, table, widths))
    notices = [Text(visible(note, 1_000), style="dim") for note in notes]
    return Group(heading, *(_whole(line) for line in lines), *notices)


def _whole(line: Text) -> Text:
    line.no_wrap = True
    return line


def _shortened(table: ReportTable, most: int) -> ReportTable:
    """Return a table whose first column, which every part repeats, has texts of bounded length."""
    rows = tuple((Cell(_cut(visible(row[0].text, 400), most), row[0].value), *row[1:]) for row in table.rows)
    return replace(table, rows=rows)


def _cut(text: str, most: int) -> str:
    return set_cell_size(text, most - 1).rstrip() + "…" if cell_len(text) > most else text


def _headings(table: ReportTable, widths: Sequence[int]) -> Iterator[Text]:
    if any(column.group for column in table.columns):
        yield Text(_GAP.join(_group_headings(table, widths)).rstrip(), style="bold")
    yield _line([column.name for column in table.columns], table, widths, style="bold")
    yield _rule(widths)


def _group_headings(table: ReportTable, widths: Sequence[int]) -> Iterator[str]:
    for group, members in groupby(range(len(widths)), key=lambda place: table.columns[place].group):
        yield f"{group:^{_room(widths, list(members))}}"


def _room(widths: Sequence[int], places: Sequence[int]) -> int:
    """Return the width of columns beside each other."""
    return sum(widths[place] for place in places) + len(_GAP) * (len(places) - 1)


def _spread(table: ReportTable, widths: list[int]) -> list[int]:
    """Return widths that have room for the headings of groups: what is missing goes to the first column."""
    for group, members in groupby(range(len(widths)), key=lambda place: table.columns[place].group):
        places = list(members)
        widths[places[0]] += max(0, cell_len(group) - _room(widths, places))
    return widths


def _rule(widths: Sequence[int]) -> Text:
    return Text("─" * _room(widths, range(len(widths))), style="dim")


def _line(texts: Sequence[str], table: ReportTable, widths: Sequence[int], *, style: str = "") -> Text:
    padded = []
    for text, column, width in zip(texts, table.columns, widths, strict=True):
        space = " " * max(0, width - cell_len(text))
        padded.append(text + space if column.words else space + text)
    return Text(_GAP.join(padded).rstrip(), style=style)


def _width(table: ReportTable, place: int) -> int:
    texts = [visible(row[place].text, 400) for row in table.rows]
    return max(map(cell_len, [*texts, table.columns[place].name]))


def _blocks(table: ReportTable, width: int) -> list[list[int]]:
    """Return the columns of each part. Columns of one group stay together where they fit at all."""
    blocks: list[list[int]] = []
    for unit in _units(table, width):
        if not blocks or _total(table, blocks[-1] + unit) > width:
            blocks.append([0])
        blocks[-1] += unit
    return blocks or [[0]]


def _total(table: ReportTable, places: Sequence[int]) -> int:
    part = chosen(table, places)
    widths = _spread(part, [_width(part, place) for place in range(len(places))])
    return _room(widths, range(len(widths)))


def _units(table: ReportTable, width: int) -> Iterator[list[int]]:
    places = range(1, len(table.columns))
    for group, members in groupby(places, key=lambda place: table.columns[place].group):
        unit = list(members)
        if group and _total(table, [0, *unit]) <= width:
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


def signature_line(line: str) -> Text:
    """Return the signature as the last line of a report."""
    return Text("signature  ", style="dim").append_text(plain(line, 4_000, style="dim"))
