"""Output: results go to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment

from assess.corpus import CaptionReader, Source
from assess.errors import harmless, visible
from assess.report.section import Table
from assess.report.terminal import terminal_table
from assess.report.text import dump


class _Printer(Console):
    """The only way to the terminal: strings are printed literally, and only our own objects have styles."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(harmless(segment.text), segment.style)


def output() -> Console:
    """Return the console for results. Pipes get plain text of a fixed width."""
    return _Printer(
        file=sys.stdout, width=_width(sys.stdout.isatty()), highlight=False, markup=False, emoji=False
    )


def print_parts(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print the parts of a report, each followed by an empty line. Long lines wrap and are not truncated."""
    for part in parts:
        console.print(part, crop=False)
        console.print()


def print_table(table: Table) -> None:
    """Print one table."""
    console = output()
    print_parts(console, terminal_table(table, width=console.width))


def print_json(shape: object) -> None:
    """Print a single JSON object and nothing else."""
    print_json_text(dump(shape) + "\n")


def print_file(text: str, *, escape: Callable[[str], str] = harmless) -> None:
    """Print what a file would contain; on a terminal, without characters that do something there."""
    output().file.write(escape(text) if sys.stdout.isatty() else text)


def print_json_text(text: str) -> None:
    """Print JSON text."""
    print_file(text, escape=_json_escape)


def _json_escape(text: str) -> str:
    return "".join([one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in text])


def notes() -> Console:
    """Return the console for notes, warnings and errors."""
    return _Printer(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _width(terminal: bool) -> int | None:
    # COLUMNS is the usual way to set a width if there is no terminal.
    return None if terminal or "COLUMNS" in os.environ else 100


@contextmanager
def progress_bars(
    sources: Sequence[Source], *, totals: bool = True
) -> Iterator[Callable[[str, int], None] | None]:
    """Show a progress bar for each system; nothing unless standard error is a terminal.

    With `totals`, a file is read once before the work starts, to determine the length of its bar.
    """
    console = notes()
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        tasks = {source.name: progress.add_task(visible(source.name, 30), total=None) for source in sources}
        uncounted = {source.name: source for source in sources} if totals else {}

        def advance(name: str, number: int) -> None:
            # A source whose result is stored arrives as a single number and needs no total.
            source = uncounted.pop(name, None)
            if source is not None and not number:
                progress.update(tasks[name], total=_captions(source))
            progress.advance(tasks[name], number)

        yield advance


def _captions(source: Source) -> int | None:
    """Count a file's captions for its bar. Reading is a thousand times as fast as annotating."""
    return None if source.path == "-" else sum(1 for _ in CaptionReader(source))
