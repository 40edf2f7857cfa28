"""Recall as tables: coverage, local recall by importance class, omitted words (the paper's Table 2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import RenderableType

from assess.measures.interval_tables import (
    interval_tables,
    missing_intervals,
)
from assess.measures.recall.keyness import Omission, WordUse
from assess.measures.recall.run import Omitted, RecallRun, SystemRecall
from assess.report.html.measures import (
    Bounds,
    Chart,
    Measure,
    MeasurePart,
    MeasureTable,
    Number,
    brackets,
    count_text,
    interval,
    known,
    measure_chart,
    measure_table,
    part_notes,
    with_bounds,
)
from assess.report.section import Cell, Column, LineChart, Plot, ReportTable, decimal, undefined, whole, words
from assess.report.svg_charts import Line, line_chart
from assess.report.terminal import (
    grouped_notes,
    new_table,
    note_lines,
    signature_line,
    sparkline,
    terminal_table,
)
from assess.report.text import UNDEFINED, number, percent, plain

_SYSTEM = Column("system", "system", words=True)


def recall_tables(run: RecallRun, *, ranked: int | None = None) -> list[ReportTable]:
    """Return all tables of a run; rankings and differences cut to what a terminal can show, if asked."""
    return [
        vocabulary_table(run),
        local_table(run, "micro"),
        local_table(run, "macro"),
        omitted_table(run.omitted, ranked=ranked, systems=len(run.systems)),
        *(
            omitted_table(found.omitted, ranked=ranked, name=name, number=number)
            for number, (name, found) in enumerate(run.systems.items(), start=1)
            if ranked is None and len(run.systems) > 1
        ),
        *([use_table(run)] if ranked is None else []),
        *interval_tables(run.intervals, interval_labels(run)),
    ]


def interval_labels(run: RecallRun) -> dict[str, str]:
    """Return the measures whose intervals are shown: the extreme classes, and precision."""
    top = run.classes
    return {
        f"local_micro_{top}": f"Loc{top} micro",
        f"local_macro_{top}": f"Loc{top} macro",
        "local_micro_1": "Loc1 micro",
        "local_precision_micro": "Prec. micro",
    }


def vocabulary_table(run: RecallRun) -> ReportTable:
    """Return global recall: which of the words that could be learned are ever said."""
    columns = (
        _SYSTEM,
        Column("coverage", "Cov"),
        Column("limit", "limit"),
        Column("recalled", "recalled"),
        Column("learnable", "learnable"),
        Column("evaluation", "in references"),
    )
    rows = tuple((words(name), *_vocabulary_cells(found)) for name, found in run.systems.items())
    notes = (
        f"Mode {run.settings.mode}. Cov: recalled / learnable types; learnable: in references and training",
        "limit: learnable / types of the references",
    )
    return ReportTable("global_recall", "Global recall", columns, rows, notes)


def _vocabulary_cells(found: SystemRecall) -> Iterator[Cell]:
    vocabulary = found.vocabulary
    yield decimal(vocabulary.coverage, 2)
    yield decimal(vocabulary.limit, 2)
    yield _known(vocabulary.recalled)
    yield _known(vocabulary.learnable)
    yield whole(vocabulary.evaluation)


def _known(number: int | None) -> Cell:
    return undefined() if number is None else whole(number)


def local_table(run: RecallRun, kind: str) -> ReportTable:
    """Return local recall by importance class, over all words (micro) or as a mean of images (macro)."""
    columns = (
        _SYSTEM,
        *(Column(f"loc{number}", f"Loc{number}") for number in range(1, run.classes + 1)),
        Column("precision", "precision"),
    )
    rows = tuple(
        (words(name), *_local_cells(found, kind, run.classes)) for name, found in run.systems.items()
    )
    how = "over all words, as the paper's numbers are" if kind == "micro" else "mean over images, as in Eq. 8"
    notes = (
        f"Loc k: recall of content words that k of an image's references have; {how}",
        "precision: said content words that some reference has",
    )
    return ReportTable(f"local_recall_{kind}", f"Local recall, {kind}", columns, rows, notes)


def _local_cells(found: SystemRecall, kind: str, classes: int) -> Iterator[Cell]:
    local = found.local
    values = local.micro if kind == "micro" else local.macro
    precision = local.micro_precision if kind == "micro" else local.macro_precision
    for place in range(classes):
        yield decimal(values[place] if place < len(values) else float("nan"), 2)
    yield decimal(precision, 2)


def omitted_table(
    omitted: Omitted, *, ranked: int | None, systems: int = 1, name: str | None = None, number: int = 0
) -> ReportTable:
    """Return the rankings of omitted words, in the layout of the paper's Table 2."""
    columns = (
        Column("rank", ""),
        Column("train", "Train", "Global ranking", words=True),
        Column("evaluation", "References", "Global ranking", words=True),
        Column("absolute", "Absolute", "Local ranking", words=True),
        Column("relative", "Relative", "Local ranking", words=True),
        Column("relative_least", f"Relative ≥{omitted.least}", "Local ranking", words=True),
    )
    rankings: Sequence[Sequence[str]] = (
        [word for word, _ in omitted.by_training],
        [word for word, _ in omitted.by_evaluation],
        _words(omitted.absolute),
        _words(omitted.relative),
        _words(omitted.relative_least),
    )
    longest = max(map(len, rankings))
    size = longest if ranked is None else min(ranked, longest)
    rows = tuple(
        (Cell(f"{place + 1}.", place + 1), *(_ranked(ranking, place) for ranking in rankings))
        for place in range(size)
    )
    whose = f"Omitted words, {name}" if name else _whose(systems)
    return ReportTable(
        f"omitted_{number}" if name else "omitted",
        whose,
        columns,
        rows,
        (
            "Global: never said at all, by frequency. Local: words that all references of an image share,"
            " by times missed, by share missed, and by share of words with enough occurrences",
        ),
    )


def _whose(systems: int) -> str:
    return (
        "Words that the system leaves out" if systems == 1 else f"Words that all {systems} systems leave out"
    )


def _words(omissions: Iterable[Omission]) -> list[str]:
    return [omission.word for omission in omissions]


def _ranked(ranking: Sequence[str], place: int) -> Cell:
    return words(ranking[place]) if place < len(ranking) else words("")


def use_table(run: RecallRun) -> ReportTable:
    """Return the over- and under-used words of all systems."""
    columns = (
        _SYSTEM,
        Column("use", "use", words=True),
        Column("word", "word", words=True),
        Column("count", "count"),
        Column("reference_count", "in references"),
        Column("log_likelihood", "G²"),
        Column("log_ratio", "log ratio"),
    )
    rows = tuple(
        _use_row(name, use)
        for name, found in run.systems.items()
        for use in (*found.over_used, *found.under_used)
    )
    note = "By log-likelihood against the references; exploratory: there are thousands of words"
    return ReportTable("word_use", "Over- and under-used words", columns, rows, (note,))


def _use_row(name: str, use: WordUse) -> tuple[Cell, ...]:
    return (
        words(name),
        words(use.use),
        words(use.word),
        whole(use.count),
        whole(use.reference_count),
        decimal(use.log_likelihood, 1),
        decimal(use.log_ratio, 2),
    )


# Recall for a terminal: tables, coverage by decile, over- and under-used words, notes.

_USED_WORDS = 10
_USES_WIDTH = 60  # at least: a title above narrow columns would be broken into pieces


def recall_report(run: RecallRun, *, width: int, ranked: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    for table in recall_tables(run, ranked=ranked):
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


# Recall as JSON and as plots.


def recall_shape(run: RecallRun) -> dict[str, Any]:
    """Return the shape of `assess recall --json`."""
    shape: dict[str, Any] = {
        "signature": run.signature.as_dict(),
        "images": run.images,
        "classes": run.classes,
        "systems": {name: _system_shape(found) for name, found in run.systems.items()},
        "omitted": _omitted_shape(run.omitted),
        "notes": [*run.warnings, *run.notes],
    }
    if run.intervals is not None:
        shape["intervals"] = run.intervals.model_dump()
    return shape


def _system_shape(found: SystemRecall) -> dict[str, Any]:
    vocabulary, local = found.vocabulary, found.local
    return {
        "captions": found.summary.captions,
        "images": local.images,
        "coverage": vocabulary.coverage,
        "limit": vocabulary.limit,
        "recalled": vocabulary.recalled,
        "learnable": vocabulary.learnable,
        "evaluation": vocabulary.evaluation,
        "deciles": vocabulary.deciles,
        "local": {
            "micro": _classes(local.micro),
            "macro": _classes(local.macro),
            "words": _classes(local.words),
            "recalled": _classes(local.recalled),
        },
        "local_precision": local.micro_precision,
        "local_precision_macro": local.macro_precision,
        "omitted": _omitted_shape(found.omitted),
        "over_used": [_use_shape(use) for use in found.over_used],
        "under_used": [_use_shape(use) for use in found.under_used],
        "notes": found.notes,
    }


def _classes(values: Iterable[float]) -> dict[str, float]:
    return {str(number): value for number, value in enumerate(values, start=1)}


def _omitted_shape(omitted: Omitted) -> dict[str, Any]:
    return {
        "train": omitted.by_training,
        "references": omitted.by_evaluation,
        "absolute": [[omission.word, omission.missed] for omission in omitted.absolute],
        "relative": _ratios(omitted.relative),
        "relative_min": _ratios(omitted.relative_least),
        "min": omitted.least,
    }


def _ratios(omissions: Iterable[Omission]) -> list[list[str | int | float]]:
    return [[each.word, each.miss_ratio, each.missed, each.occurrences] for each in omissions]


def _use_shape(use: WordUse) -> dict[str, Any]:
    return {
        "word": use.word,
        "count": use.count,
        "reference_count": use.reference_count,
        "log_likelihood": use.log_likelihood,
        "log_ratio": use.log_ratio,
    }


def recall_plots(run: RecallRun) -> list[Plot]:
    """Return coverage by decile, and local recall by importance."""
    deciles = {
        name: (range(1, len(found.vocabulary.deciles) + 1), found.vocabulary.deciles)
        for name, found in run.systems.items()
    }
    local = {
        name: (range(1, len(found.local.micro) + 1), found.local.micro) for name, found in run.systems.items()
    }
    return [
        LineChart(
            "coverage_by_decile", "Coverage by frequency", "decile, most frequent first", "coverage", deciles
        ),
        LineChart("local_recall", "Local recall by importance", "importance class", "local recall", local),
    ]


# Which words of people a system finds again, as `assess recall --json` tells.

_COVERAGE = Measure("coverage", "Coverage", percent, "Words of the references that are found again.")
_FOUND = Measure(
    "recalled", "Words found again", count_text, "Different words of the references, of all images."
)
_PRECISION = Measure(
    "local_precision",
    "Local precision",
    percent,
    "Words of a caption that some reference of its image has.",
    "local_precision_micro",
)
_MEASURES = (
    Measure("captions", "captions", count_text),
    Measure("images", "images", count_text),
    Measure("recalled", "words recalled", count_text),
    Measure("evaluation", "words of references", count_text),
    Measure("coverage", "coverage", percent),
    Measure("limit", "limit", percent),
    Measure("local_precision", "local precision", percent, interval="local_precision_micro"),
)
_WORDS = 12


def recall_part(part: dict[str, Any]) -> MeasurePart:
    """Return the part of the page about recall."""
    nobody: frozenset[str] = frozenset()
    # Without training captions nobody knows which words could be learned; how many are found is known.
    coverage = measure_chart(part, _COVERAGE, humans=nobody, limit=1) or measure_chart(
        part, _FOUND, humans=nobody
    )
    return MeasurePart(
        id="recall",
        title="Recall",
        explained="Which words that people use for the same images the systems use too.",
        charts=known(coverage, measure_chart(part, _PRECISION, humans=nobody, limit=1), *_curves(part)),
        tables=(
            measure_table(
                part, _MEASURES, name="recall", caption="Words of the references, and how many are found."
            ),
            *_curve_tables(part),
        ),
        lists=tuple(_omitted(part)),
        notes=part_notes(part),
    )


def deciles_of(part: dict[str, Any]) -> dict[str, list[float]]:
    """Return the coverage of each tenth of the words, from the most frequent on, by system."""
    return {
        name: [number(value) for value in system["deciles"]]
        for name, system in part["systems"].items()
        if system.get("deciles")
    }


def local_of(part: dict[str, Any]) -> dict[str, dict[int, float]]:
    """Return local recall by system, and by how many references of an image have the word."""
    return {
        name: {int(key): number(value) for key, value in found.items()}
        for name, system in part["systems"].items()
        if (found := system.get("local", {}).get("micro"))
    }


def _local_bounds(part: dict[str, Any], system: str, kind: int) -> Bounds:
    return interval(part, system, f"local_micro_{kind}")


def _curves(part: dict[str, Any]) -> Iterator[Chart]:
    deciles = {name: Line(range(1, len(found) + 1), found) for name, found in deciles_of(part).items()}
    if deciles:
        drawing = line_chart(
            _BY_FREQUENCY, deciles, across="decile, the most frequent words first", highest=1
        )
        yield Chart(_BY_FREQUENCY, "The share of each tenth of the vocabulary.", drawing)
    local = {
        name: Line(list(found), list(found.values()), [_local_bounds(part, name, kind) for kind in found])
        for name, found in local_of(part).items()
    }
    if local:
        across = "how many references of an image use the word"
        drawing = line_chart(_LOCAL, local, across=across, highest=1)
        yield Chart(_LOCAL, "Words of an image’s references that its caption has.", drawing)


_BY_FREQUENCY, _LOCAL = "Words found, by how frequent they are", "Local recall"


def _curve_tables(part: dict[str, Any]) -> Iterator[MeasureTable]:
    deciles, local = deciles_of(part), local_of(part)
    if deciles:
        columns = tuple(f"tenth {tenth}" for tenth in range(1, max(map(len, deciles.values())) + 1))
        rows = tuple(
            (name, tuple(Number(percent(value), value) for value in found)) for name, found in deciles.items()
        )
        yield MeasureTable("recall_by_frequency", _BY_FREQUENCY, "system", columns, rows, True)
    if local:
        kinds = sorted({kind for found in local.values() for kind in found})
        rows = tuple(
            (
                name,
                tuple(
                    with_bounds(found.get(kind, math.nan), _local_bounds(part, name, kind), percent)
                    for kind in kinds
                ),
            )
            for name, found in local.items()
        )
        caption = f"{_LOCAL}, by how many references of an image use the word"
        yield MeasureTable(
            "local_recall", caption, "system", tuple(map(str, kinds)), rows, True, brackets(part)
        )


def _omitted(part: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the words that each system leaves out most often where all references have them."""
    for name, system in part["systems"].items():
        found = system.get("omitted", {}).get("absolute", ())
        if found:
            yield f"{name} leaves out", ", ".join(f"{item[0]} {item[1]}" for item in found[:_WORDS])
