"""Content selection as tables: systems and people, differences, baselines by k, categories."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.measures.intervals import Difference, Interval
from assess.measures.selection.compute import CategoryRecall, OrderingScore, SelectionScore, SelectionSummary
from assess.measures.selection.result import (
    UPPER_BOUND,
    BoxCategories,
    Curve,
    GeneratedSentences,
    SelectionRun,
    SystemSelection,
)
from assess.report.csv import csv_table
from assess.report.files import dump, make_folder, whole_file, write_whole
from assess.report.html.measures import (
    Chart,
    MeasurePart,
    MeasureTable,
    Number,
    part_notes,
    with_bounds,
)
from assess.report.section import Cell, Column, LineChart, ReportTable, decimal, undefined, whole, words
from assess.report.svg import Bar, bar_chart
from assess.report.svg_charts import Line, line_chart
from assess.report.terminal import new_table, note_lines, signature_line, sparkline, terminal_table
from assess.report.text import UNDEFINED, count, number, percent, plain, rate

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


# Content selection for a terminal: tables, what is never mentioned, sentences, notes.

_EXAMPLES = 5


def selection_report(
    run: SelectionRun, *, measures: Sequence[str] = ("f",), width: int
) -> Iterator[RenderableType]:
    """Yield the parts of the report."""
    for table in selection_tables(run, measures, curves=True):
        yield from terminal_table(table, width=width)
    if run.categories is not None:
        yield never_mentioned(run, run.categories)
    for made in run.sentences:
        yield sentences_table(made, width=width)
    if run.notes:
        yield Group(*note_lines(run.notes))
    yield signature_line(run.signature.as_line())


def never_mentioned(run: SelectionRun, categories: BoxCategories) -> RenderableType:
    """Return the categories that people never mention, that systems never select, and that have no box."""
    lines = [_listed("Never mentioned by people", categories.never_mentioned)]
    for name, system in run.systems.items():
        missed = tuple(found.category for found in system.categories if found.never_selected)
        if missed:
            lines.append(_listed(f"Never selected by {name}", missed))
    if categories.without_boxes:
        lines.append(_listed("Without a box here", categories.without_boxes))
    return Group(*lines)


def _listed(title: str, names: tuple[str, ...]) -> Text:
    text = plain(f"{title}: ", 80, style="bold")
    return text.append(plain(", ".join(names) or "nothing", 2_000, style="not bold"))


def sentences_table(made: GeneratedSentences, *, width: int) -> Table:
    """Return a few of the sentences made from a baseline."""
    title = f"Sentences of {made.baseline} from {made.most} boxes ({count(len(made.sentences))} images)"
    table = new_table(title)
    table.add_column("image", overflow="fold", max_width=max(12, width // 4))
    table.add_column("sentence", overflow="fold")
    for image, sentence in list(made.sentences.items())[:_EXAMPLES]:
        table.add_row(plain(image, 40), plain(sentence, 300))
    return table


# The JSON of `assess select`: the contract that scripts rely on.


def selection_shape(run: SelectionRun) -> dict[str, Any]:
    """Return the shape of `assess select --json`; P, R, F and sd at the top are the first system's."""
    first = next(iter(run.systems.values()), None)
    return {
        "signature": run.signature.as_dict(),
        "images": run.gold.images,
        "descriptions": run.gold.descriptions,
        "boxes": run.gold.boxes,
        "development_images": run.gold.development,
        **(_summary(first.summary, images=False) if first else _nothing()),
        "systems": {name: _system(run, name, system) for name, system in run.systems.items()},
        "comparisons": _comparisons(run),
        "baselines": {name: _curve(curve) for name, curve in run.baselines.items()},
        "upper_bound": {
            **_summary(run.upper_bound),
            "ordering": {"tau": run.human_ordering.tau, "images": run.human_ordering.images},
        },
        "categories": _categories(run.categories) if run.categories else None,
        "sentences": {
            made.baseline: {"k": made.most, "captions": dict(made.sentences)} for made in run.sentences
        },
        "notes": list(run.notes),
    }


def _nothing() -> dict[str, Any]:
    return {**dict.fromkeys(("P", "R", "F")), "sd": None}


def _score(score: SelectionScore) -> dict[str, float]:
    return {name: getattr(score, measure) for measure, name in NAMES.items()}


def _summary(summary: SelectionSummary, *, images: bool = True) -> dict[str, Any]:
    counted = {"images": summary.images} if images else {}
    return {**counted, **_score(summary.mean), "sd": _score(summary.sd)}


def _curve(curve: Curve) -> dict[str, Any]:
    return {str(k): _summary(summary, images=False) for k, summary in curve.items()}


def _system(run: SelectionRun, name: str, system: SystemSelection) -> dict[str, Any]:
    return {
        **_summary(system.summary),
        "intervals": {
            NAMES[measure]: _interval(found.interval(name))
            for measure, found in (run.intervals or {}).items()
        },
        "ordering": {"tau": system.ordering.tau, "images": system.ordering.images},
        "categories": {found.category: _category(found) for found in system.categories},
        "never_selected": [found.category for found in system.categories if found.never_selected],
    }


def _interval(interval: Interval) -> list[float]:
    return [interval.estimate, interval.low, interval.high]


def _comparisons(run: SelectionRun) -> list[dict[str, Any]]:
    if run.intervals is None:
        return []
    return [_comparison(run, measure, pair) for pair in compared(run) for measure in NAMES]


def _comparison(run: SelectionRun, measure: str, pair: tuple[str, str]) -> dict[str, Any]:
    found = difference(run, measure, *pair)
    return {
        "first": pair[0],
        "second": pair[1],
        "measure": NAMES[measure],
        "difference": _interval(found.interval),
        "p": found.p,
    }


def _category(found: CategoryRecall) -> dict[str, Any]:
    return {"selected_boxes": found.selected_boxes, "recalled": found.recalled, "recall": found.recall}


def _categories(categories: BoxCategories) -> dict[str, Any]:
    return {
        "source": categories.source,
        "boxes": {
            found.category: {
                "boxes": found.boxes,
                "mentioned_boxes": found.mentioned_boxes,
                "mentions": found.mentions,
            }
            for found in categories.people
        },
        "without_category": categories.uncategorised,
        "never_mentioned": list(categories.never_mentioned),
        "without_boxes": list(categories.without_boxes),
    }


# Plots of content selection: F, P and R by number of boxes (Wang and Gaizauskas 2015).

_TITLES = {"f": "F", "precision": "Precision", "recall": "Recall"}


def selection_plots(run: SelectionRun) -> Iterator[LineChart]:
    """Yield one plot a measure: the curves of all baselines, with systems and people as level lines."""
    if not run.baselines:
        return
    for measure, title in _TITLES.items():
        ks = tuple(range(1, run.settings.most + 1))
        lines = {
            name: (ks, tuple(getattr(curve[k].mean, measure) for k in ks))
            for name, curve in run.baselines.items()
        }
        summaries = {name: system.summary for name, system in run.systems.items()} | {PEOPLE: run.upper_bound}
        level = {name: getattr(summary.mean, measure) for name, summary in summaries.items()}
        lines |= {name: ((ks[0], ks[-1]), (value, value)) for name, value in level.items()}
        name = f"selection-{NAMES[measure]}"
        yield LineChart(name, f"{title} of the first k boxes", "boxes (k)", NAMES[measure], lines)


# Content selection as files: the result, each image's scores, and made sentences.


def write_selection(run: SelectionRun, folder: Path) -> None:
    """Write `selection.json`, each image's scores as CSV, and sentences as caption files."""
    make_folder(folder)
    write_whole(folder / "selection.json", dump(selection_shape(run)) + "\n")
    images = images_table(run)
    write_whole(folder / f"{images.name}.csv", csv_table(images))
    for made in run.sentences:
        _write_sentences(folder / f"sentences-{_file_name(made)}.jsonl", made)


def images_table(run: SelectionRun) -> ReportTable:
    """Return the scores of each image: the way back from a mean."""
    rows = [
        row
        for name, system in run.systems.items()
        for row in _image_rows(name, system.summary, system.ordering)
    ]
    rows += _image_rows(UPPER_BOUND, run.upper_bound, run.human_ordering)
    keys = ("system", "image_id", *NAMES.values(), "tau")
    columns = tuple(Column(key, key, words=key in keys[:2]) for key in keys)
    return ReportTable("selection-images", "Scores of images", columns, tuple(rows))


def _image_rows(name: str, summary: SelectionSummary, ordering: OrderingScore) -> list[tuple[Cell, ...]]:
    return [
        (
            words(name),
            words(image),
            *(decimal(getattr(score, measure)) for measure in NAMES),
            decimal(ordering.taus[image]),
        )
        for image, score in summary.scores.items()
    ]


def _file_name(made: GeneratedSentences) -> str:
    return f"{re.sub(r'[^a-z]', '-', made.baseline)}-{made.most}"


def _write_sentences(path: Path, made: GeneratedSentences) -> None:
    """Write sentences as captions, which every command that reads captions can read."""
    with whole_file(path) as file:
        for image, sentence in made.sentences.items():
            row = {"image_id": image, "caption": sentence}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


# Content selection and pre-generation scores, as `assess select` and `assess pregen` tell.

_NAMES = {"P": "Precision", "R": "Recall", "F": "F score"}


def selection_part(part: dict[str, Any]) -> MeasurePart:
    """Return the part of the page about content selection."""
    return MeasurePart(
        id="selection",
        title="Content selection",
        explained="Whether a system mentions the things in an image that people mention.",
        charts=tuple(_selection_charts(part)),
        tables=(_selection_table(part), *_baseline_table(part)),
        notes=part_notes(part),
    )


def _rows(part: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what has one score: the systems, and people against people."""
    rows: dict[str, dict[str, Any]] = dict(part.get("systems", {}))
    if part.get("upper_bound"):
        rows["people"] = part["upper_bound"]
    return rows


def _selection_charts(part: dict[str, Any]) -> Iterator[Chart]:
    rows = _rows(part)
    if rows:
        bars = [
            Bar(name, value, percent(value), name == "people", *_ends(row, "F"))
            for name, row in rows.items()
            for value in (number(row.get("F")),)
        ]
        title = "F score"
        yield Chart(title, "Of the selected things, against each description.", bar_chart(title, bars))
    curves = {
        name: Line([int(k) for k in curve], [number(score.get("F")) for score in curve.values()])
        for name, curve in part.get("baselines", {}).items()
        if curve
    }
    if curves:
        title = "Baselines"
        drawing = line_chart(title, curves, across="how many things are selected")
        yield Chart(title, "The F score of simple rules.", drawing)


def _ends(row: dict[str, Any], key: str) -> tuple[float, float]:
    found = row.get("intervals", {}).get(key)
    return (number(found[1]), number(found[2])) if found else (number(None), number(None))


def _selection_table(part: dict[str, Any]) -> MeasureTable:
    rows = tuple(
        (
            name,
            tuple(with_bounds(number(row.get(key)), _ends(row, key), percent) for key in _NAMES),
        )
        for name, row in _rows(part).items()
    )
    caption = f"Means over {part.get('images', 0):,} images."
    return MeasureTable("selection", caption, "selected by", tuple(_NAMES.values()), rows)


def _baseline_table(part: dict[str, Any]) -> Iterator[MeasureTable]:
    """Yield the F scores of simple rules, by how many things they select."""
    curves = {name: curve for name, curve in part.get("baselines", {}).items() if curve}
    if not curves:
        return
    sizes = sorted({int(size) for curve in curves.values() for size in curve})
    rows = tuple(
        (
            name,
            tuple(
                Number(percent(value), value)
                for size in sizes
                for value in (number(curve.get(str(size), {}).get("F")),)
            ),
        )
        for name, curve in curves.items()
    )
    caption = "Baselines: F score, by how many things are selected"
    yield MeasureTable("selection_baselines", caption, "baseline", tuple(map(str, sizes)), rows, True)
