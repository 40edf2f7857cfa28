"""Presentation of recall: coverage, local recall by importance class, omitted words (the paper's Table 2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from assess.measures.interval_tables import (
    closing_notes,
    interval_tables,
    list_table,
    number_column,
    text_column,
)
from assess.measures.recall.categories import CategoryRow, category_quantities, majority
from assess.measures.recall.quantities import (
    QUANTITIES,
    Omitted,
    RecallResult,
    SystemRecall,
    documented,
    local_quantities,
)
from assess.measures.recall.run import run_recall
from assess.measures.registry import Measure
from assess.measures.settings import RecallSettings
from assess.report.quantity import number_charts, quantity_table, values_of
from assess.report.section import (
    CSV,
    EVERYWHERE,
    PAPER,
    SYSTEM,
    TERMINAL,
    Cell,
    Column,
    LineChart,
    Note,
    Output,
    Part,
    PartsChart,
    Section,
    Table,
    WordList,
    cell,
    words,
)
from assess.report.text import count, decimals, number

_TWO = decimals(2)
_LISTED = 12  # words in one line
_BY_FREQUENCY = "Coverage by frequency"
_LOCAL = {
    "micro": "over all words, as in the numbers of the paper",
    "macro": "mean over images, as in Eq. 8",
}


def recall_sections(result: RecallResult) -> list[Section]:
    """Return the sections on recall."""
    explained = "Which words of the references the systems use too."
    parts = (
        *_charts(result),
        *_tables(result),
        *_categories(result),
        *_omitted_tables(result),
        *_use_tables(result),
        *interval_tables(result.intervals, _interval_labels(result.classes)),
        *_deciles(result),
        *_lists(result),
        *closing_notes(result.notes, result.warnings, result.systems, result.intervals),
    )
    return [Section("recall", "Recall", parts, explained)]


def _charts(result: RecallResult) -> Iterator[Part]:
    yield from _found_again(result)
    yield from number_charts(QUANTITIES, result.systems, intervals=_intervals(result))
    yield LineChart(
        "local_recall",
        "Local recall by importance",
        "number of references of an image that use the word",
        "local recall",
        {
            name: (list(row.local.micro), list(row.local.micro.values()))
            for name, row in result.systems.items()
        },
        form=_TWO,
        meaning="Share of the content words of an image’s references that its caption contains.",
        highest=1,
        bounds={name: _local_bounds(result, name) for name in result.systems},
        shown=EVERYWHERE - {"terminal"},
    )


def _found_again(result: RecallResult) -> Iterator[Part]:
    """Yield a chart of the references' words: all, learnable ones, and recalled ones."""
    numbers = {
        name: [number(row.get(key)) for key in ("recalled", "learnable", "evaluation")]
        for name, row in result.systems.items()
    }
    described = {name: found for name, found in numbers.items() if math.isfinite(found[0])}
    if not described:
        return
    known = all(math.isfinite(learnable) for _, learnable, _ in described.values())
    if known:
        names: tuple[str, ...] = ("used", "learnable, but not used", "not learnable")
        how = (
            "Words that occur in no training caption cannot be learned. Coverage is the share of"
            " learnable words that the system uses."
        )
    else:
        names = ("used", "not used")
        how = "Without training captions, it is unknown which words could be learned."
    counts = {
        name: _parts(*map(int, found)) if known else _parts(int(found[0]), int(found[2]))
        for name, found in described.items()
    }
    title = "Different words of the references"
    yield PartsChart(title, f"The parts add up to all words. {how}", names, counts)


def _parts(*growing: int) -> tuple[int, ...]:
    """Return the differences between consecutive nested numbers, starting with the first number itself."""
    return tuple(after - before for before, after in pairwise((0, *growing)))


def _intervals(result: RecallResult) -> Mapping[str, Mapping[str, Sequence[float]]]:
    return result.intervals.systems if result.intervals else {}


def _local_bounds(result: RecallResult, system: str) -> list[tuple[float, float]]:
    found = _intervals(result).get(system, {})
    bounds = (found.get(f"local_micro_{kind}") for kind in result.systems[system].local.micro)
    return [(one[1], one[2]) if one else (math.nan, math.nan) for one in bounds]


def _interval_labels(top: int) -> dict[str, str]:
    """Return the measures whose intervals are shown: the lowest and highest class, and precision."""
    return {
        f"local_micro_{top}": f"Loc{top} micro",
        f"local_macro_{top}": f"Loc{top} macro",
        "local_micro_1": "Loc1 micro",
        "local_precision": "Prec. micro",
    }


def _tables(result: RecallResult) -> Iterator[Table]:
    yield quantity_table(
        "global_recall",
        "Global recall",
        QUANTITIES,
        result.systems,
        notes=(
            f"Mode {result.signature.settings['mode']}. Cov: recalled / learnable types; learnable: in"
            " the references and the training captions",
            "limit: learnable / types of the references",
        ),
        brief=True,
    )
    by_class = local_quantities(result.classes)
    rows = {name: _local_row(row, result.classes) for name, row in result.systems.items()}
    for kind, how in _LOCAL.items():
        yield quantity_table(
            f"local_recall_{kind}",
            f"Local recall, {kind}",
            [*by_class, *QUANTITIES],
            rows,
            intervals=_intervals(result),
            notes=(
                f"Loc k: recall of content words that k of an image's references contain; {how}",
                "precision: share of content words that some reference contains",
            ),
            brief=kind == "micro",
            folded=kind == "macro",
        )


def _local_row(row: SystemRecall, classes: int) -> dict[str, float | None]:
    further = {quantity.key: row.get(quantity.key) for quantity in QUANTITIES}
    return values_of(local_quantities(classes), row) | further


def _categories(result: RecallResult) -> Iterator[Part]:
    """Yield recall of the domain's categories, and of their combinations."""
    found = result.categories
    if found is None:
        return
    quantities, rows = category_quantities(found.classes), found.systems
    numbers = {name: values_of(quantities, row) for name, row in rows.items()}
    domain = found.domain.partition("@")[0]
    most = majority(found.classes)
    yield quantity_table(
        "category_recall",
        f"Recall of categories: {domain}",
        quantities,
        numbers,
        notes=(
            f"Cat k: recall of categories that k of an image's references use; most: {most} or more of them",
            "precision: share of a caption's categories that some reference uses",
        ),
        brief=True,
    )
    yield LineChart(
        "category_recall",
        f"Recall of categories by importance: {domain}",
        "number of references of an image that use the category",
        "recall",
        {name: (list(row.micro), list(row.micro.values())) for name, row in rows.items()},
        form=_TWO,
        meaning="Share of the categories of an image’s references that its caption uses.",
        highest=1,
        shown=EVERYWHERE - {"terminal"},
    )
    yield _by_category(rows, most)
    whose = "training captions" if found.combinations_of == "training" else "references"
    yield quantity_table(
        "combinations",
        f"Combinations of categories: {domain}",
        quantities,
        numbers,
        notes=(
            f"known: distinct sets of two or more modifier categories of one label, in {whose}; used:"
            " how many of them the system uses at least once; of labels: share of labels with one of"
            f" these; new: sets that do not occur in {whose}",
        ),
    )
    for name, row in rows.items():
        if row.never:
            listed = "; ".join(
                f"{combination} ({count(labels)})" for combination, labels in row.never[:_LISTED]
            )
            yield WordList(f"{name} never combines", listed)


def _by_category(rows: Mapping[str, CategoryRow], most: int) -> Table:
    names = dict.fromkeys(name for row in rows.values() for name in row.categories)
    largest = {
        name: max(row.categories[name].images for row in rows.values() if name in row.categories)
        for name in names
    }
    cells = tuple(
        (
            words(name),
            cell(largest[name], count),
            *(
                cell(use.recall if (use := row.categories.get(name)) else math.nan, _TWO)
                for row in rows.values()
            ),
        )
        for name in sorted(names, key=lambda name: (-largest[name], name))
    )
    columns = (
        Column("category", "category", words=True),
        Column("images", "images"),
        *(Column(name, name) for name in rows),
    )
    note = (
        f"Images for which {most} or more references use the category, and the share of them whose"
        " caption uses it"
    )
    return Table("recall_by_category", "Recall by category", columns, cells, (note,))


def _omitted_tables(result: RecallResult) -> Iterator[Table]:
    several = len(result.systems)
    whose = "Words that the system omits" if several == 1 else f"Words that all {several} systems omit"
    yield _omitted_table("omitted", whose, result.omitted, result.top, TERMINAL | PAPER)
    yield _omitted_table("omitted", whose, result.omitted, None, CSV)
    if several > 1:
        tables = {}
        for place, (name, row) in enumerate(result.systems.items(), start=1):
            title = f"Omitted words, {name}"
            yield _omitted_table(f"omitted_{place}", title, row.omitted, result.top, PAPER)
            tables[name] = _omitted_table("omitted_by_system", "", row.omitted, None, CSV)
        first = next(iter(tables.values()))
        columns = (Column("system", "system", words=True), *first.columns)
        rows = tuple((words(name), *row) for name, table in tables.items() for row in table.rows)
        yield replace(first, title="Omitted words, by system", columns=columns, rows=rows)


def _omitted_table(
    name: str, title: str, omitted: Omitted, most: int | None, shown: frozenset[Output]
) -> Table:
    """Return the rankings of omitted words, in the layout of the paper's Table 2."""
    columns = (
        Column("rank", ""),
        Column("train", "Train", "Global ranking", words=True),
        Column("references", "References", "Global ranking", words=True),
        Column("absolute", "Absolute", "Local ranking", words=True),
        Column("relative", "Relative", "Local ranking", words=True),
        Column("relative_min", f"Relative ≥{omitted.min}", "Local ranking", words=True),
    )
    rankings = [[ranked[0] for ranked in getattr(omitted, column.key)] for column in columns[1:]]
    rows = tuple(
        (
            Cell(f"{place + 1}.", place + 1),
            *(words(ranking[place] if place < len(ranking) else "") for ranking in rankings),
        )
        for place in range(max(map(len, rankings)))
    )
    note = (
        "Global: words never used, by frequency. Local: words that all references of an image"
        " share, by how often they are missed, by the share missed, and by that share among words"
        " with enough occurrences"
    )
    return Table(name, title, columns, rows[:most], (note,), shown=shown)


def _use_tables(result: RecallResult) -> Iterator[Table]:
    yield _use_table(result, result.top, PAPER)
    yield _use_table(result, None, CSV)


def _use_table(result: RecallResult, most: int | None, shown: frozenset[Output]) -> Table:
    """Return the over- and underused words of all systems."""
    columns = (
        text_column("use"),
        text_column("word"),
        number_column("count", "count", count),
        number_column("reference_count", "in references", count),
        number_column("log_likelihood", "G²", decimals(1)),
        number_column("log_ratio", "log ratio", _TWO),
    )
    uses = {name: (*row.over_used[:most], *row.under_used[:most]) for name, row in result.systems.items()}
    note = "By log-likelihood against the references; exploratory, because there are thousands of words"
    return list_table("word_use", "Over- and under-used words", columns, uses, note, shown=shown)


def _deciles(result: RecallResult) -> Iterator[Part]:
    whose = "all types" if result.signature.settings["mode"] == "paper" else "learnable words"
    yield LineChart(
        "coverage_by_decile",
        _BY_FREQUENCY,
        "decile, most frequent first",
        "coverage",
        {name: (range(1, len(row.deciles) + 1), row.deciles) for name, row in result.systems.items()},
        form=_TWO,
        meaning=f"Coverage of each decile of {whose} by frequency in the references",
        highest=1,
    )
    tenths = range(1, max((len(row.deciles) for row in result.systems.values()), default=0) + 1)
    yield Table(
        "coverage_by_decile",
        _BY_FREQUENCY,
        (SYSTEM, *(Column(f"decile_{tenth}", str(tenth), "decile, most frequent first") for tenth in tenths)),
        tuple(
            (words(name), *(cell(value, _TWO) for value in row.deciles))
            for name, row in result.systems.items()
        ),
        shown=EVERYWHERE - {"terminal", "paper"},
        folded=True,
    )


def _lists(result: RecallResult) -> Iterator[Part]:
    """Yield what each system omits although all references have it, and its over- and underused words."""
    for name, row in result.systems.items():
        if row.omitted.absolute:
            missed = ", ".join(f"{word} {times}" for word, times in row.omitted.absolute[:_LISTED])
            yield WordList(f"{name} leaves out", missed, shown=EVERYWHERE - {"terminal"})
    used = [row for row in result.systems.values() if row.over_used or row.under_used]
    for name, row in result.systems.items():
        for title, uses in (("says more often", row.over_used), ("says less often", row.under_used)):
            if uses:
                yield WordList(f"{name} {title}", ", ".join(use.word for use in uses[: result.top]))
    if used:
        yield Note(
            "words that captions use more or less often than the references, ranked by"
            " log-likelihood; exploratory"
        )
    else:
        yield Note("too few words to find those used more or less often than in the references")


MEASURE = Measure(
    name="recall",
    title="Recall",
    result=RecallResult,
    sections=recall_sections,
    quantities=lambda: {"Recall": documented()},
    settings=RecallSettings,
    run=run_recall,
)
