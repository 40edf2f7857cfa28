"""Diversity for a terminal: tables, curves, what the order of a file does, notes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from assess.engine.diversity_result import DiversityRun
from assess.errors import visible
from assess.report.cells import count
from assess.report.diversity_tables import distorted, diversity_tables, rows_of
from assess.report.interval_tables import MOST_DIFFERENCES, missing_intervals
from assess.report.sparkline import sparkline
from assess.report.table import Column, ReportTable, whole, words
from assess.report.table_terminal import grouped_notes, note_lines, signature_line, terminal_table


def diversity_report(run: DiversityRun, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    for table in diversity_tables(run, most_differences=MOST_DIFFERENCES):
        yield from terminal_table(table, width=width)
    yield from _curves(run, width=width)
    in_order = run.settings.reading == "file"
    yield from note_lines([*(order_warnings(run) if in_order else ()), *run.warnings], kind="warning")
    notes = grouped_notes({name: found.notes for name, found in rows_of(run).items()})
    intervals = [*missing_intervals(run.intervals), *interval_notes(run)]
    yield from note_lines([*(() if in_order else order_warnings(run)), *run.notes, *notes, *intervals])
    yield signature_line(run.signature.as_line())


def _curves(run: DiversityRun, *, width: int) -> Iterator[RenderableType]:
    rows = rows_of(run)
    tokens = next((found.curve.tokens for found in rows.values()), ())
    if not tokens:
        yield Text("No tokens: there is no type-token curve.", style="dim")
        return
    columns = (
        Column("system", "system", words=True),
        Column("types", "types"),
        Column("curve", "curve", words=True),
    )
    cells = tuple(
        (words(name), whole(found.diversity.basic.types), words(sparkline(found.curve.types)))
        for name, found in rows.items()
    )
    note = f"Expected types from 0 to {count(tokens[-1])} tokens in any order; each to its own height"
    yield from terminal_table(ReportTable("curve", "Type-token curve", columns, cells, (note,)), width=width)


def order_warnings(run: DiversityRun) -> list[str]:
    """Return what to say where the order of a file moves its type-token ratios; nothing where none does."""
    names = [visible(name, 40) for name, found in rows_of(run).items() if distorted(found)]
    if not names:
        return []
    advice = (
        "these ratios do not compare with those of other files; --order free gives ratios that do"
        if run.settings.reading == "file"
        else "ratios that were published in file order do not compare with these"
    )
    return [f"the order of the file moves the ratios of {', '.join(names)}: {advice}"]


def interval_notes(run: DiversityRun) -> list[str]:
    """Return which measures have no interval, and why, where intervals were asked for."""
    if run.intervals is None or not run.intervals.enough:
        return []
    notes = ["types, unique captions and hapaxes have no interval: a resample always has fewer of them"]
    if run.settings.reading == "file":
        notes.append("TTR has no interval in file order: windows of a file cannot be resampled")
    else:
        notes.append(
            "intervals of TTR are centred on their estimates: resamples repeat images, which lowers them"
        )
    return notes
