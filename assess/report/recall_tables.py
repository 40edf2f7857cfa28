"""Recall as tables: coverage, local recall by importance class, omitted words (the paper's Table 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assess.engine.recall_result import Omitted, RecallRun, SystemRecall
from assess.metrics.omitted import Omission
from assess.metrics.recall_keyness import WordUse
from assess.report.interval_tables import interval_tables
from assess.report.table import Cell, Column, ReportTable, decimal, undefined, whole, words

_SYSTEM = Column("system", "system", words=True)


def recall_tables(
    run: RecallRun, *, ranked: int | None = None, most_differences: int | None = None
) -> list[ReportTable]:
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
        *interval_tables(run.intervals, interval_labels(run), most=most_differences),
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
    for number in range(classes):
        yield decimal(values[number] if number < len(values) else float("nan"), 2)
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
