"""Diversity as tables: the paper's Table 1, and what has been added to it since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assess.errors import visible
from assess.measures.diversity.run import DiversityRun, SystemDiversity
from assess.measures.diversity.tokens import HDD_SAMPLE
from assess.measures.interval_tables import (
    MOST_DIFFERENCES,
    interval_tables,
    intervals_shape,
    missing_intervals,
)
from assess.report.html.measures import (
    Chart,
    Measure,
    MeasurePart,
    MeasureTable,
    Number,
    count_text,
    decimals3_text,
    known,
    measure_chart,
    measure_table,
    part_notes,
)
from assess.report.plots import LinePlot, Plot
from assess.report.svg_charts import Line, line_chart
from assess.report.table import Cell, Column, ReportTable, decimal, share, undefined, whole, words
from assess.report.terminal import grouped_notes, note_lines, signature_line, sparkline, terminal_table
from assess.report.text import count, number, percent

INTERVAL_LABELS = {"asl": "ASL", "sdsl": "SDSL", "ttr1": "TTR1", "ttr2": "TTR2", "novel": "novel"}
_SYSTEM = Column("system", "system", words=True)


def rows_of(run: DiversityRun) -> Mapping[str, SystemDiversity]:
    """Return the systems and then the references, by the name that their row has."""
    rows = dict(run.systems)
    if run.references is not None:
        rows[reference_name(run.references)] = run.references
    return rows


def reference_name(references: SystemDiversity) -> str:
    """Return the name of the references' row."""
    return " + ".join(summary.name for summary in references.summaries)


def diversity_tables(run: DiversityRun, *, most_differences: int | None = None) -> list[ReportTable]:
    """Return all tables of a run."""
    further = (within_table(run), order_table(run))
    return [
        basic_table(run),
        variety_table(run),
        *(table for table in further if table is not None),
        *interval_tables(run.intervals, INTERVAL_LABELS, most=most_differences),
    ]


def basic_table(run: DiversityRun) -> ReportTable:
    """Return the columns of the paper's Table 1 that need captions only, and %Novel."""
    digits = 2 if run.settings.mode == "paper" else 3
    columns = (
        _SYSTEM,
        Column("asl", "ASL"),
        Column("sdsl", "SDSL"),
        Column("types", "Types"),
        Column("ttr1", "TTR1"),
        Column("ttr2", "TTR2"),
        Column("novel", "%Novel"),
    )
    rows = tuple((words(name), *_basic_cells(found, digits)) for name, found in rows_of(run).items())
    apart = 1 if run.references else 0
    return ReportTable("diversity", "Diversity", columns, rows, _reading_notes(run), apart)


def _basic_cells(found: SystemDiversity, digits: int) -> Iterator[Cell]:
    basic = found.diversity.basic
    yield decimal(basic.asl, 1)
    yield decimal(basic.sdsl, 2)
    yield whole(basic.types)
    yield decimal(basic.ttr1, digits)
    yield decimal(basic.ttr2, digits)
    yield share(found.diversity.novel)


def _reading_notes(run: DiversityRun) -> tuple[str, ...]:
    settings = run.settings
    if settings.reading == "file":
        ratio = f"TTR: mean over windows of {settings.window:,} in the order of the file, as published"
    else:
        ratio = f"TTR: expected for {settings.window:,} tokens of captions drawn at random, so in any order"
    return (f"Mode {settings.mode}, order {settings.reading}. Lowercased tokens, punctuation too", ratio)


def variety_table(run: DiversityRun) -> ReportTable:
    """Return the sizes of the corpora, and the measures that have come since."""
    digits = 2 if run.settings.mode == "paper" else 3
    columns = (
        _SYSTEM,
        Column("captions", "captions"),
        Column("tokens", "tokens"),
        Column("ttr3", "TTR3"),
        Column("unique", "unique"),
        Column("unique_share", "%"),
        Column("hapaxes", "hapaxes"),
        Column("hdd", "HD-D"),
        Column("mtld", "MTLD"),
    )
    rows = tuple((words(name), *_variety_cells(found, digits)) for name, found in rows_of(run).items())
    note = (
        "unique: distinct captions; hapaxes: types that occur once; HD-D: expected types in"
        f" {HDD_SAMPLE} tokens / {HDD_SAMPLE}; MTLD: words until the type-token ratio falls to .72"
    )
    return ReportTable("variety", "Further variety", columns, rows, (note,), 1 if run.references else 0)


def _variety_cells(found: SystemDiversity, digits: int) -> Iterator[Cell]:
    diversity = found.diversity
    captions = diversity.basic.captions
    yield whole(captions)
    yield whole(diversity.basic.tokens)
    yield decimal(diversity.ttr3, digits)
    yield whole(diversity.unique)
    yield share(diversity.unique / captions) if captions else undefined()
    yield whole(diversity.hapaxes)
    yield decimal(diversity.hdd, 3)
    yield decimal(diversity.mtld, 1)


def within_table(run: DiversityRun) -> ReportTable | None:
    """Return how the captions of one image differ; None where every image has one."""
    columns = (
        _SYSTEM,
        Column("images", "images"),
        Column("captions_per_image", "captions each"),
        Column("mbleu4", "mBLEU-4"),
        Column("distinct1", "distinct-1"),
        Column("distinct2", "distinct-2"),
    )
    rows = tuple(
        (
            words(name),
            whole(within.images),
            whole(within.captions_per_image),
            decimal(within.mbleu4, 3),
            decimal(within.distinct1, 3),
            decimal(within.distinct2, 3),
        )
        for name, found in rows_of(run).items()
        if (within := found.within)
    )
    if not rows:
        return None
    note = "Images with several captions; mBLEU-4: how alike they are, lower is more diverse"
    return ReportTable("within_images", "Within an image", columns, rows, (note,))


def distorted(found: SystemDiversity) -> bool:
    """Return whether the order of a file moves a type-token ratio more than chance does."""
    return any(effect.distorts for effect in found.order)


def order_table(run: DiversityRun) -> ReportTable | None:
    """Return what the order of files does to type-token ratios; None where it does nothing."""
    rows = {name: found for name, found in rows_of(run).items() if distorted(found)}
    if not rows:
        return None
    columns = [_SYSTEM]
    for length in (1, 2):
        columns += [
            Column(f"ttr{length}_file", "file", f"TTR{length}"),
            Column(f"ttr{length}_shuffled", "shuffled", f"TTR{length}"),
        ]
    cells = tuple(
        (
            words(name),
            *(
                decimal(value, 3)
                for effect in found.order
                for value in (effect.in_file_order, effect.shuffled)
            ),
        )
        for name, found in rows.items()
    )
    note = (
        f"Windows of {run.settings.window:,} in file order, and the mean of shuffles; lower in file order:"
        " neighbouring captions are alike"
    )
    return ReportTable("order", "Files whose order moves their ratios", tuple(columns), cells, (note,))


# Diversity for a terminal: tables, curves, what the order of a file does, notes.


def diversity_report(run: DiversityRun, *, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    for table in diversity_tables(run, most_differences=MOST_DIFFERENCES):
        yield from terminal_table(table, width=width)
    yield from _curve_lines(run, width=width)
    in_order = run.settings.reading == "file"
    yield from note_lines([*(order_warnings(run) if in_order else ()), *run.warnings], kind="warning")
    notes = grouped_notes({name: found.notes for name, found in rows_of(run).items()})
    intervals = [*missing_intervals(run.intervals), *interval_notes(run)]
    yield from note_lines([*(() if in_order else order_warnings(run)), *run.notes, *notes, *intervals])
    yield signature_line(run.signature.as_line())


def _curve_lines(run: DiversityRun, *, width: int) -> Iterator[RenderableType]:
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


# Diversity as JSON and as plots.


def diversity_shape(run: DiversityRun) -> dict[str, Any]:
    """Return the shape of `assess diversity --json`."""
    shape: dict[str, Any] = {
        "signature": run.signature.as_dict(),
        "systems": {name: _system_shape(found) for name, found in rows_of(run).items()},
        "notes": [*run.warnings, *order_warnings(run), *run.notes, *interval_notes(run)],
    }
    if run.intervals is not None:
        shape["intervals"] = intervals_shape(run.intervals)
    return shape


def _system_shape(found: SystemDiversity) -> dict[str, Any]:
    diversity, basic = found.diversity, found.diversity.basic
    within, references = found.within, found.references
    shape = {
        "captions": basic.captions,
        "images": found.images,
        "empty_captions": basic.empty,
        "tokens": basic.tokens,
        "asl": basic.asl,
        "sdsl": basic.sdsl,
        "types": basic.types,
        "ttr1": basic.ttr1,
        "ttr2": basic.ttr2,
        "ttr3": diversity.ttr3,
        "unique": diversity.unique,
        "hapaxes": diversity.hapaxes,
        "hdd": diversity.hdd,
        "mtld": diversity.mtld,
        "novel": diversity.novel,
        "mbleu4": within.mbleu4 if within else None,
        "distinct1": within.distinct1 if within else None,
        "distinct2": within.distinct2 if within else None,
        "reference": references is not None,
        "curve": {"tokens": found.curve.tokens, "types": found.curve.types},
        "order": {
            f"ttr{effect.length}": {
                "file": effect.in_file_order,
                "shuffled": effect.shuffled,
                "deviation": effect.deviation,
                "distorts": effect.distorts,
            }
            for effect in found.order
        },
        "notes": found.notes,
    }
    if references is not None:
        shape |= {
            "sets": len(references.sets),
            "total_types": references.types,
            "total_tokens": references.tokens,
        }
    return shape


def diversity_plots(run: DiversityRun) -> list[Plot]:
    """Return the type-token curves."""
    lines = {name: (found.curve.tokens, found.curve.types) for name, found in rows_of(run).items()}
    return [LinePlot("type_token_curve", "Type-token curve", "tokens", "types", lines)]


# How varied the language is, as `assess diversity --json` tells.

_TTR1 = Measure("ttr1", "Type-token ratio", decimals3_text, "Different words in a thousand, on average.")
_TTR2 = Measure("ttr2", "Ratio of word pairs", decimals3_text, "Different pairs of words in a thousand.")
_TYPES = Measure("types", "Types", count_text, "Different words in all captions.")
_NOVEL = Measure("novel", "Novel captions", percent, "Captions that are not in the training data.")
_MEASURES = (
    Measure("captions", "captions", count_text),
    Measure("tokens", "tokens", count_text),
    Measure("asl", "mean length"),
    Measure("sdsl", "deviation of length"),
    Measure("types", "types", count_text),
    Measure("ttr1", "TTR1", decimals3_text),
    Measure("ttr2", "TTR2", decimals3_text),
    Measure("unique", "unique captions", count_text),
    Measure("mtld", "MTLD"),
    Measure("hdd", "HD-D", decimals3_text),
    Measure("novel", "novel", percent),
    Measure("mbleu4", "mBLEU-4", decimals3_text),
)


def diversity_part(part: dict[str, Any]) -> MeasurePart:
    """Return the part of the page about diversity."""
    humans = frozenset(name for name, system in part["systems"].items() if system.get("reference"))
    charts = [measure_chart(part, measure, humans=humans) for measure in (_TTR1, _TTR2, _TYPES)]
    return MeasurePart(
        id="diversity",
        title="Diversity",
        explained="How varied the language of the captions is, whatever it is about.",
        charts=known(*charts, measure_chart(part, _NOVEL, humans=humans, limit=1), *_curve_chart(part)),
        tables=(
            measure_table(part, _MEASURES, name="diversity", caption="Lengths, words and their variety."),
            *_curve_table(part),
        ),
        notes=part_notes(part),
    )


def _curve_chart(part: dict[str, Any]) -> Iterator[Chart]:
    lines = {
        name: Line([0, *curve["tokens"]], [0, *map(number, curve["types"])])
        for name, curve in curves_of(part).items()
    }
    if lines:
        drawing = line_chart(_CURVE, lines, across="tokens")
        yield Chart(_CURVE, "How many different words occur in so many words.", drawing)


_CURVE = "Type-token curve"


def curves_of(part: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the type-token curve of each system that has one."""
    found = {name: system.get("curve", {}) for name, system in part["systems"].items()}
    return {name: curve for name, curve in found.items() if curve.get("tokens")}


def _curve_table(part: dict[str, Any]) -> Iterator[MeasureTable]:
    """Yield the points of the curves, which all systems have at the same numbers of tokens."""
    curves = curves_of(part)
    tokens = next((curve["tokens"] for curve in curves.values()), ())
    if not tokens or any(curve["tokens"] != tokens for curve in curves.values()):
        return
    points = list(
        zip(*([number(types) for types in curve["types"]] for curve in curves.values()), strict=True)
    )
    rows = tuple(
        (f"{at:,}", tuple(Number(count_text(types), types) for types in found))
        for at, found in zip(tokens, points, strict=True)
    )
    yield MeasureTable("type_token_curve", f"{_CURVE}: expected types", "tokens", tuple(curves), rows, True)
