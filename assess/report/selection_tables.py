"""Content selection as tables: systems and people, differences, baselines by k, categories."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from assess.engine.selection_result import UPPER_BOUND, BoxCategories, Curve, SelectionRun
from assess.metrics.bootstrap import Difference
from assess.metrics.selection import SelectionSummary
from assess.report.cells import UNDEFINED, count, rate
from assess.report.sparkline import sparkline
from assess.report.table import Cell, Column, ReportTable, decimal, undefined, whole, words

NAMES = {"precision": "P", "recall": "R", "f": "F"}  # measures as the paper writes them
PEOPLE = "people"


def selection_tables(
    run: SelectionRun, measures: Sequence[str] = tuple(NAMES), *, curves: bool = False
) -> Iterator[ReportTable]:
    """Yield the tables that a run has; curves are for readers, not for programs."""
    yield scores_table(run)
    if run.intervals is not None:
        yield differences_table(run)
    if run.baselines:
        yield from (baseline_table(run, measure) for measure in measures)
    if run.baselines and curves:
        yield curves_table(run)
    if run.categories is not None:
        yield categories_table(run, run.categories)


def scores_table(run: SelectionRun) -> ReportTable:
    """Return precision, recall, F and order of every system and of people."""
    rows = [
        (words(name), *_score_cells(run, name, system.summary), decimal(system.ordering.tau))
        for name, system in run.systems.items()
    ]
    people = (words(PEOPLE), *_score_cells(run, UPPER_BOUND, run.upper_bound))
    rows.append((*people, decimal(run.human_ordering.tau)))
    measured = [
        column
        for measure in NAMES.values()
        for column in (Column(measure, "mean", measure), Column(f"{measure}_sd", "sd", measure))
    ]
    interval = (
        [Column("F_low", "from", "95% of F"), Column("F_high", "to", "95% of F")] if run.intervals else []
    )
    columns = (Column("system", "system", words=True), Column("images", "images"), *measured, *interval)
    return ReportTable(
        "selection-scores",
        "Content selection: which boxes are mentioned",
        (*columns, Column("tau", "order")),
        tuple(rows),
        notes=_facts(run),
        apart=1 if run.systems else 0,
    )


def _facts(run: SelectionRun) -> tuple[str, ...]:
    gold = run.gold
    facts = (
        _counted(gold.images, "image"),
        _counted(gold.descriptions, "description"),
        _counted(gold.boxes, "box"),
    )
    return (
        f"{', '.join(facts)}. sd: over images.",
        "people: each description against the image's others.",
        "order: Kendall's tau of mention order on shared boxes.",
    )


def _counted(number: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("x") else "s")
    return f"{count(number)} {noun if number == 1 else plural}"


def _score_cells(run: SelectionRun, name: str, summary: SelectionSummary) -> Iterator[Cell]:
    yield whole(summary.images)
    for measure in NAMES:
        yield decimal(getattr(summary.mean, measure), 3)
        yield decimal(getattr(summary.sd, measure))
    if run.intervals:
        found = run.intervals["f"].interval(name)
        yield decimal(found.low, 3)
        yield decimal(found.high, 3)


def compared(run: SelectionRun) -> Iterator[tuple[str, str]]:
    """Yield every two systems, and every system with people."""
    yield from combinations(run.systems, 2)
    for name in run.systems:
        yield name, UPPER_BOUND


def difference(run: SelectionRun, measure: str, first: str, second: str) -> Difference:
    """Return a paired difference, of a run that has intervals."""
    assert run.intervals is not None
    return run.intervals[measure].difference(first, second)


def differences_table(run: SelectionRun) -> ReportTable:
    """Return the paired differences in F between every two systems, and to people."""
    rows = []
    for first, second in compared(run):
        found = difference(run, "f", first, second)
        pair = (words(first), words(PEOPLE if second == UPPER_BOUND else second))
        ends = (found.interval.estimate, found.interval.low, found.interval.high)
        rows.append((*pair, *(_signed(value) for value in ends), decimal(found.p, 3)))
    resamples = count(run.settings.resamples)
    return ReportTable(
        "selection-differences",
        "Differences in F: first − second",
        (
            Column("first", "first", words=True),
            Column("second", "second", words=True),
            Column("difference", "difference"),
            Column("low", "from", "95% interval"),
            Column("high", "to", "95% interval"),
            Column("p", "p"),
        ),
        tuple(rows),
        notes=(f"From {resamples} resamples of images, the same ones for both sides.",),
    )


def _signed(value: float) -> Cell:
    return Cell(UNDEFINED if math.isnan(value) else f"{value:+.3f}", value)


def baseline_table(run: SelectionRun, measure: str) -> ReportTable:
    """Return one measure of all baselines by k, the best of each row marked."""
    rows = []
    for k in range(1, run.settings.most + 1):
        values = [getattr(curve[k].mean, measure) for curve in run.baselines.values()]
        rows.append((whole(k), *_marked(values)))
    people = rate(getattr(run.upper_bound.mean, measure), 3)
    chance = f" random: the mean of {run.settings.draws} draws." if "random" in run.baselines else ""
    return ReportTable(
        f"selection-baselines-{NAMES[measure]}",
        f"Baselines: {NAMES[measure]} of the first k boxes",
        (Column("k", "k"), *(_baseline_column(name) for name in run.baselines)),
        tuple(rows),
        notes=(f"* the best of its row; people reach {people}.{chance}",),
    )


def _baseline_column(name: str) -> Column:
    """Return a narrow column: all nine baselines fit into 80 characters."""
    text, plus, visual = name.partition("+")
    return Column(name, {"position": "+pos."}.get(visual, f"+{visual}"), text) if plus else Column(name, name)


def _marked(values: Sequence[float]) -> list[Cell]:
    """Mark the best value as it is shown; where several look alike, none is best."""
    shown = [UNDEFINED if math.isnan(value) else f"{value:.3f}".removeprefix("0") for value in values]
    best = max((text for text in shown if text != UNDEFINED), default="")
    marks = ["*" if text == best and shown.count(best) == 1 else " " for text in shown]
    return [Cell(text + mark, value) for text, mark, value in zip(shown, marks, values, strict=True)]


def curves_table(run: SelectionRun) -> ReportTable:
    """Return the curves of all baselines: F, P and R from the first k to the last, as sparklines."""
    scales = {measure: _scale(run.baselines, measure) for measure in ("f", "precision", "recall")}
    rows = []
    for name, curve in run.baselines.items():
        best = best_k(curve)
        lines = [_curve_cell(curve, measure, scale) for measure, scale in scales.items()]
        rows.append((words(name), lines[0], whole(best) if best else undefined(), *lines[1:]))
    shown = ", ".join(f"{NAMES[measure]} {low:.2f} to {high:.2f}" for measure, (low, high) in scales.items())
    return ReportTable(
        "selection-curves",
        f"Curves: k = 1 to {run.settings.most}",
        (
            Column("baseline", "baseline", words=True),
            Column("F", "F"),
            Column("best_k", "best k"),
            Column("P", "P"),
            Column("R", "R"),
        ),
        tuple(rows),
        notes=(f"Curves of a measure share one scale: {shown}.",),
    )


def best_k(curve: Curve) -> int | None:
    """Return the smallest k with the highest F; None where no F is defined."""
    defined = [k for k in curve if curve[k].mean.defined]
    return max(defined, key=lambda k: (curve[k].mean.f, -k)) if defined else None


def _curve_cell(curve: Curve, measure: str, scale: tuple[float, float]) -> Cell:
    return words(sparkline(_values(curve, measure), low=scale[0], high=scale[1]))


def _values(curve: Curve, measure: str) -> list[float]:
    return [getattr(summary.mean, measure) for summary in curve.values()]


def _scale(curves: Mapping[str, Curve], measure: str) -> tuple[float, float]:
    values = [value for curve in curves.values() for value in _values(curve, measure)]
    defined = [value for value in values if not math.isnan(value)]
    return (min(defined), max(defined)) if defined else (0.0, 1.0)


def categories_table(run: SelectionRun, categories: BoxCategories) -> ReportTable:
    """Return boxes, people's mentions and each system's recall by category."""
    rows = []
    for at, found in enumerate(categories.people):
        recalls = [decimal(system.categories[at].recall) for system in run.systems.values()]
        counts = (whole(found.boxes), whole(found.mentioned_boxes), decimal(found.mentions / found.boxes))
        rows.append((words(found.category), *counts, *recalls))
    if categories.uncategorised:
        blank = [Cell("", math.nan)] * (2 + len(run.systems))
        rows.append((words("(no category)"), whole(categories.uncategorised), *blank))
    recall = ("A system's column: the share of people's mentions that it makes.",) if run.systems else ()
    return ReportTable(
        "selection-categories",
        f"Boxes by category ({categories.source})",
        (
            Column("category", "category", words=True),
            Column("boxes", "boxes"),
            Column("mentioned_boxes", "mentioned"),
            Column("mentions_a_box", "a box"),
            *(Column(f"recall_{name}", name) for name in run.systems),
        ),
        tuple(rows),
        notes=(
            "mentioned: boxes in some description. a box: descriptions that mention it, on average.",
            *recall,
        ),
    )
