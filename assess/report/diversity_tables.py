"""Diversity as tables: the paper's Table 1, and what has been added to it since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.engine.diversity_result import DiversityRun, SystemDiversity
from assess.metrics.diversity_expected import HDD_SAMPLE
from assess.report.interval_tables import interval_tables
from assess.report.table import Cell, Column, ReportTable, decimal, share, undefined, whole, words

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
