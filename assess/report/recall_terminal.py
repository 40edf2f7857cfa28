"""Recall for a terminal: tables, coverage by decile, over- and under-used words, notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from assess.engine.recall_result import RecallRun
from assess.metrics.recall_keyness import WordUse
from assess.report.cells import UNDEFINED, plain
from assess.report.interval_tables import MOST_DIFFERENCES, missing_intervals
from assess.report.noted_table import new_table
from assess.report.recall_tables import recall_tables
from assess.report.sparkline import sparkline
from assess.report.table import Column, ReportTable, decimal, words
from assess.report.table_terminal import grouped_notes, note_lines, signature_line, terminal_table

_USED_WORDS = 10
_USES_WIDTH = 60  # at least: a title above narrow columns would be broken into pieces


def recall_report(run: RecallRun, *, width: int, ranked: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    for table in recall_tables(run, ranked=ranked, most_differences=MOST_DIFFERENCES):
        yield from terminal_table(table, width=width)
    yield from _deciles(run, width=width)
    yield from _uses(run, width=width)
    yield from note_lines(run.warnings, kind="warning")
    notes = grouped_notes({name: found.notes for name, found in run.systems.items()})
    yield from note_lines([*run.notes, *notes, *missing_intervals(run.intervals)])
    yield signature_line(run.signature.as_line())


def _deciles(run: RecallRun, *, width: int) -> Iterator[RenderableType]:
    columns = (
        Column("system", "system", words=True),
        Column("deciles", "from most to least frequent", words=True),
        Column("first", "first"),
        Column("last", "last"),
    )
    rows = tuple(
        (
            words(name),
            words(sparkline(found.vocabulary.deciles, high=1.0)),
            decimal(found.vocabulary.deciles[0]),
            decimal(found.vocabulary.deciles[-1]),
        )
        for name, found in run.systems.items()
    )
    whose = "all types" if run.settings.mode == "paper" else "learnable words"
    note = f"Coverage of each tenth of {whose} by frequency in the references"
    table = ReportTable("deciles", "Coverage by frequency", columns, rows, (note,))
    yield from terminal_table(table, width=width)


def _uses(run: RecallRun, *, width: int) -> Iterator[RenderableType]:
    if not any(found.over_used or found.under_used for found in run.systems.values()):
        yield plain("Too few words to tell which are used more or less than in the references")
        return
    table = new_table(
        "Used more and less than in the references",
        caption="By log-likelihood, the most telling first; exploratory",
    )
    table.min_width = min(width, _USES_WIDTH)
    table.add_column("system", overflow="fold", max_width=24)
    table.add_column("more", overflow="fold", ratio=1)
    table.add_column("less", overflow="fold", ratio=1)
    for name, found in run.systems.items():
        table.add_row(plain(name, 40), plain(_listed(found.over_used)), plain(_listed(found.under_used)))
    yield table


def _listed(uses: Sequence[WordUse]) -> str:
    return ", ".join(use.word for use in uses[:_USED_WORDS]) or UNDEFINED
