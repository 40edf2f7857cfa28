"""A table whose title and notes take the whole line, and whose numbers are never cut."""

from __future__ import annotations

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

_NAME = 12  # the least that is left of a long name, of a system or a category


class NotedTable(Table):
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


def _least(column: Column, console: Console, options: ConsoleOptions) -> int:
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
