"""Syntax as tables: compounds and prepositional phrases in the layout of the paper's Table 3, and more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType

from assess.measures.interval_tables import (
    interval_tables,
    missing_intervals,
)
from assess.measures.syntax.compute import Phrases
from assess.measures.syntax.run import SyntaxRun, SystemSyntax
from assess.report.section import (
    BarChart,
    Cell,
    Column,
    Plot,
    ReportTable,
    decimal,
    share,
    undefined,
    whole,
    words,
)
from assess.report.terminal import grouped_notes, note_lines, signature_line, terminal_table

LENGTHS, DEPTHS = range(2, 5), range(1, 6)  # of the paper's columns
_MOST_TAGS = 12
_SYSTEM = Column("system", "system", words=True)
INTERVAL_LABELS = {
    "compound_ratio": "Compounds",
    "phrase_ratio": "PPs",
    "yngve": "Yngve",
    "frazier": "Frazier",
    "abstract_ratio": "Abstract",
}


def rows_of(run: SyntaxRun) -> Mapping[str, SystemSyntax]:
    """Return the systems and then the references, by the name that their row has."""
    rows = dict(run.systems)
    if run.references is not None:
        name = " + ".join(summary.name for summary in run.references.summaries)
        rows[name] = run.references
    return rows


def syntax_tables(run: SyntaxRun) -> list[ReportTable]:
    """Return all tables of a run."""
    labels = {
        key: label
        for key, label in INTERVAL_LABELS.items()
        if run.settings.lexicon or key != "abstract_ratio"
    }
    return [
        phrase_table(run),
        complexity_table(run),
        tag_table(run),
        *interval_tables(run.intervals, labels),
    ]


def phrase_table(run: SyntaxRun) -> ReportTable:
    """Return compounds by length and prepositional phrases by depth (the paper's Table 3)."""
    longer, deeper = _beyond(run)
    lengths = [Column(f"compounds_{size}", str(size), "Compound length") for size in LENGTHS]
    depths = [Column(f"phrases_{size}", str(size), "Prepositional phrase depth") for size in DEPTHS]
    columns = (
        _SYSTEM,
        *lengths,
        *([Column("compounds_longer", f"≥{LENGTHS.stop}", "Compound length")] if longer else []),
        Column("compound_ratio", "Ratio", "Compounds"),
        Column("compound_types_2", "Types-2", "Compounds"),
        *depths,
        *([Column("phrases_deeper", f"≥{DEPTHS.stop}", "Prepositional phrase depth")] if deeper else []),
        Column("phrase_ratio", "Ratio", "PPs"),
        Column("phrase_types_1", "Types-1", "PPs"),
    )
    rows = tuple((words(name), *_phrase_cells(found, longer, deeper)) for name, found in rows_of(run).items())
    return ReportTable(
        "syntax",
        "Compounds and prepositional phrases",
        columns,
        rows,
        (f"Mode {run.settings.mode}. {_WHAT[run.settings.mode]}; ratio: a caption",),
        1 if run.references else 0,
    )


_WHAT = {
    "paper": "PP: all that depends on a word tagged IN; depth: such words in it",
    "assess": "PP: all that depends on a preposition; depth: nesting",
}


def _beyond(run: SyntaxRun) -> tuple[bool, bool]:
    """Return whether there are compounds and phrases beyond the paper's columns."""
    found = [row.syntax for row in rows_of(run).values()]
    return (
        any(size >= LENGTHS.stop for row in found for size in row.compounds.sizes),
        any(size >= DEPTHS.stop for row in found for size in row.phrases.sizes),
    )


def _phrase_cells(found: SystemSyntax, longer: bool, deeper: bool) -> Iterator[Cell]:
    yield from _size_cells(found.syntax.compounds, LENGTHS, longer)
    yield decimal(found.syntax.compounds.ratio, 2)
    yield whole(found.syntax.compounds.types.get(2, 0))
    yield from _size_cells(found.syntax.phrases, DEPTHS, deeper)
    yield decimal(found.syntax.phrases.ratio, 2)
    yield whole(found.syntax.phrases.types.get(1, 0))


def _size_cells(phrases: Phrases, sizes: range, beyond: bool) -> Iterator[Cell]:
    for size in sizes:
        yield whole(phrases.sizes.get(size, 0))
    if beyond:
        yield whole(sum(count for size, count in phrases.sizes.items() if size >= sizes.stop))


def complexity_table(run: SyntaxRun) -> ReportTable:
    """Return Yngve and Frazier complexity, and how abstract the words are where a lexicon is given."""
    with_lexicon = run.settings.lexicon is not None
    columns = (
        _SYSTEM,
        Column("yngve", "mean", "Yngve depth"),
        Column("yngve_deepest", "deepest", "Yngve depth"),
        Column("frazier", "mean", "Frazier score"),
        Column("frazier_hardest", "hardest", "Frazier score"),
        *(
            [
                Column("abstract_ratio", "/ concrete", "Abstract"),
                Column("lexicon_coverage", "in lexicon", "Abstract"),
            ]
            if with_lexicon
            else []
        ),
    )
    rows = tuple((words(name), *_complexity(found, with_lexicon)) for name, found in rows_of(run).items())
    note = "On dependency trees: compare systems with each other, not with values from treebanks"
    return ReportTable("complexity", "Complexity", columns, rows, (note,), 1 if run.references else 0)


def _complexity(found: SystemSyntax, with_lexicon: bool) -> Iterator[Cell]:
    syntax = found.syntax
    for value in (syntax.yngve, syntax.yngve_deepest, syntax.frazier, syntax.frazier_hardest):
        yield decimal(value, 2)
    if with_lexicon:
        yield decimal(syntax.abstract_ratio, 3)
        yield share(syntax.lexicon_coverage)


def tag_table(run: SyntaxRun) -> ReportTable:
    """Return the shares of the commonest parts of speech."""
    rows = rows_of(run)
    most: dict[str, float] = {}
    for found in rows.values():
        for tag, part in found.syntax.tags.items():
            most[tag] = max(most.get(tag, 0.0), part)
    tags = sorted(most, key=lambda tag: (-most[tag], tag))[:_MOST_TAGS]
    columns = (_SYSTEM, *(Column(f"tag_{tag}", tag) for tag in tags))
    cells = tuple((words(name), *_tag_cells(found.syntax.tags, tags)) for name, found in rows.items())
    note = f"Share of all tokens, {run.settings.tagset} tags; the {len(tags)} commonest"
    return ReportTable(
        "parts_of_speech", "Parts of speech", columns, cells, (note,), 1 if run.references else 0
    )


def _tag_cells(shares: Mapping[str, float], tags: Sequence[str]) -> Iterator[Cell]:
    """Yield the share of each tag: 0 where other words have others, undefined where there are no words."""
    for tag in tags:
        yield share(shares.get(tag, 0.0)) if shares else undefined()


# Syntax for a terminal, as JSON and as plots.


def syntax_report(run: SyntaxRun, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    for table in syntax_tables(run):
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
        shape["intervals"] = run.intervals.model_dump()
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
        BarChart(
            "compound_lengths",
            "Compounds by length",
            "nouns",
            "compounds",
            tuple(map(str, LENGTHS)),
            compounds,
            logarithmic=True,
        ),
        BarChart(
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
