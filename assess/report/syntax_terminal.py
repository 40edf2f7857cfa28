"""Syntax for a terminal, as JSON and as plots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from assess.engine.syntax_run import SyntaxRun, SystemSyntax
from assess.metrics.syntax import Phrases
from assess.report.interval_tables import MOST_DIFFERENCES, intervals_shape, missing_intervals
from assess.report.plots import BarPlot, Plot
from assess.report.syntax_tables import DEPTHS, LENGTHS, rows_of, syntax_tables
from assess.report.table_terminal import grouped_notes, note_lines, signature_line, terminal_table


def syntax_report(run: SyntaxRun, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    for table in syntax_tables(run, most_differences=MOST_DIFFERENCES):
        yield from terminal_table(table, width=width)
    yield from note_lines(run.warnings, kind="warning")
    notes = grouped_notes({name: found.notes for name, found in rows_of(run).items()})
    yield from note_lines([*run.notes, *notes, *missing_intervals(run.intervals)])
    yield signature_line(run.signature.as_line())


def syntax_shape(run: SyntaxRun) -> dict[str, Any]:
    """Return the shape of `assess syntax --json`."""
    shape: dict[str, Any] = {
        "signature": run.signature.as_dict(),
        "systems": {
            name: _system_shape(found, reference=found is run.references)
            for name, found in rows_of(run).items()
        },
        "notes": [*run.warnings, *run.notes],
    }
    if run.intervals is not None:
        shape["intervals"] = intervals_shape(run.intervals)
    return shape


def _system_shape(found: SystemSyntax, *, reference: bool) -> dict[str, Any]:
    syntax = found.syntax
    return {
        "captions": syntax.captions,
        "reference": reference,
        "compounds": _phrases_shape(syntax.compounds),
        "prepositional_phrases": _phrases_shape(syntax.phrases),
        "tags": syntax.tags,
        "yngve": syntax.yngve,
        "yngve_deepest": syntax.yngve_deepest,
        "frazier": syntax.frazier,
        "frazier_hardest": syntax.frazier_hardest,
        "abstract_ratio": syntax.abstract_ratio,
        "lexicon_coverage": syntax.lexicon_coverage,
        "notes": found.notes,
    }


def _phrases_shape(phrases: Phrases) -> dict[str, Any]:
    return {
        "total": phrases.total,
        "ratio": phrases.ratio,
        "sizes": {str(size): count for size, count in phrases.sizes.items()},
        "types": {str(size): count for size, count in phrases.types.items()},
    }


def syntax_plots(run: SyntaxRun) -> list[Plot]:
    """Return compounds by length and prepositional phrases by depth."""
    rows = rows_of(run)
    compounds = {name: _heights(found.syntax.compounds, LENGTHS) for name, found in rows.items()}
    phrases = {name: _heights(found.syntax.phrases, DEPTHS) for name, found in rows.items()}
    return [
        BarPlot(
            "compound_lengths",
            "Compounds by length",
            "nouns",
            "compounds",
            tuple(map(str, LENGTHS)),
            compounds,
            logarithmic=True,
        ),
        BarPlot(
            "phrase_depths",
            "Prepositional phrases by depth",
            "depth",
            "phrases",
            tuple(map(str, DEPTHS)),
            phrases,
            logarithmic=True,
        ),
    ]


def _heights(phrases: Phrases, sizes: range) -> list[float]:
    return [float(phrases.sizes.get(size, 0)) for size in sizes]
