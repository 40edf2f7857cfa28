"""Presentation of content selection: systems and people, differences, baselines by k, categories."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from assess.errors import some
from assess.measures.registry import Measure
from assess.measures.selection.baselines import Sentences
from assess.measures.selection.compute import DESCRIBED, MEASURES, QUANTITIES, SCORES
from assess.measures.selection.run import (
    UPPER_BOUND,
    BaselineScores,
    BoxCategories,
    Referring,
    SelectionResult,
    SelectionRow,
)
from assess.measures.settings import SelectionSettings
from assess.report.quantity import number_charts, quantity_cell
from assess.report.section import (
    CSV,
    EVERYWHERE,
    SYSTEM,
    Cell,
    Column,
    LineChart,
    Note,
    Part,
    Section,
    Table,
    WordList,
    cell,
    chosen,
    words,
)
from assess.report.tables import csv_table
from assess.report.text import UNDEFINED, count, decimals, p_value, signed
from assess.whole_files import whole_file, write_whole

_TITLES = {"P": "Precision", "R": "Recall", "F": "F"}
_EXAMPLES = 5  # number of sentences to show
_DEVIATION = decimals(2)


def selection_sections(result: SelectionResult) -> list[Section]:
    """Return the sections on content selection."""
    explained = "Whether a system mentions the same things in an image as people do."
    parts = (
        *_charts(result),
        *_score_tables(result),
        *_differences(result),
        *_baselines(result),
        *_categories(result),
        *_referring(result),
        *_sentences(result),
        *map(Note, result.notes),
    )
    return [Section("selection", "Content selection", parts, explained)]


def _charts(result: SelectionResult) -> Sequence[Part]:
    intervals = {name: row.intervals for name, row in result.rows.items()}
    humans = frozenset({result.people})
    return number_charts(QUANTITIES, result.rows, intervals=intervals, humans=humans)


def _score_tables(result: SelectionResult) -> Iterator[Table]:
    """Yield precision, recall, F and order for systems and people; on the page, intervals are in place."""
    measured = [column for key in SCORES for column in _score_columns(key)]
    ends = [Column("F_low", "from", "95% of F"), Column("F_high", "to", "95% of F")]
    bounded = bool(result.upper_bound.intervals)
    table = Table(
        "selection-scores",
        "Content selection: which boxes are mentioned",
        (SYSTEM, Column("images", "images"), *measured, *(ends if bounded else ()), Column("tau", "order")),
        tuple((words(name), *_score_cells(row, bounded)) for name, row in result.rows.items()),
        _facts(result),
        apart=1 if result.systems else 0,
        shown=EVERYWHERE - {"page"} if bounded else EVERYWHERE,
        brief=True,
    )
    yield table
    if bounded:
        places = [place for place, column in enumerate(table.columns) if column not in ends]
        yield replace(chosen(table, places), shown=frozenset({"page"}))


def _score_columns(key: str) -> tuple[Column, Column]:
    return Column(key, "mean", key), Column(f"{key}_sd", "sd", key)


def _score_cells(row: SelectionRow, bounded: bool) -> Iterator[Cell]:
    yield cell(row["images"], count)
    for key, quantity in SCORES.items():
        yield quantity_cell(quantity, row, row.intervals.get(key))
        yield cell(getattr(row.sd, key), _DEVIATION)
    if bounded:
        yield from (cell(end, SCORES["F"].form) for end in row.intervals["F"][1:])
    yield cell(row.ordering.tau, _DEVIATION)


def _facts(result: SelectionResult) -> tuple[str, ...]:
    sizes = {"image": result.images, "description": result.descriptions, "box": result.boxes}
    facts = (some(number, thing) for thing, number in sizes.items())
    return (
        f"{', '.join(facts)}. sd: over images",
        "people: each description against the others of the image",
        "order: Kendall's tau of mention order on shared boxes",
    )


def _differences(result: SelectionResult) -> Iterator[Table]:
    """Yield the paired differences in F between each pair of systems, and versus people."""
    rows = tuple(
        (
            words(found.first),
            words(result.people if found.second == UPPER_BOUND else found.second),
            *(cell(value, signed(3)) for value in found.difference),
            cell(found.p, p_value),
        )
        for found in result.comparisons
        if found.measure == "F"
    )
    if rows:
        resamples = count(float(result.signature.settings["resamples"] or 0))
        yield Table(
            "selection-differences",
            "Differences in F: first − second",
            (
                Column("first", "first", words=True),
                Column("second", "second", words=True),
                Column("difference", "difference"),
                Column("difference_low", "from", "95% interval"),
                Column("difference_high", "to", "95% interval"),
                Column("p", "p"),
            ),
            rows,
            (f"From {resamples} resamples of images, the same for both sides",),
        )


def _baselines(result: SelectionResult) -> Iterator[Part]:
    """Yield each measure of all baselines by k: requested ones in the terminal, all elsewhere."""
    if not result.baselines:
        return
    for key in MEASURES:
        shown = EVERYWHERE if key in result.shown else EVERYWHERE - {"terminal"}
        yield replace(_baseline_table(result, key), shown=CSV)
        # With deviations, baselines side by side are too wide to read.
        for kind, names in _KINDS.items():
            if found := [name for name in result.baselines if name in names]:
                yield replace(_baseline_table(result, key, kind, found), shown=shown - CSV)
        yield replace(_curves(result, key), shown=shown)


def _baseline_table(
    result: SelectionResult, key: str, kind: str = "", names: Sequence[str] | None = None
) -> Table:
    """Return one measure of baselines by k, with deviations; the best value in each row is marked."""
    curves = result.baselines
    names = list(curves) if names is None else names
    rows = []
    for k in _ks(curves):
        means = _marked({name: getattr(curve[k], key) for name, curve in curves.items()})
        deviations = (cell(getattr(curves[name][k].sd, key), _DEVIATION) for name in names)
        pairs = zip((means[name] for name in names), deviations, strict=True)
        rows.append((cell(k, count), *chain.from_iterable(pairs)))
    told = f"* the best baseline; sd: over images; people reach {SCORES[key].form(result.upper_bound[key])}"
    chance = (
        f". random: the mean of {result.signature.settings['draws']} draws, and the standard"
        " deviation of one draw"
    )
    return Table(
        "-".join(filter(None, ("selection-baselines", key, kind))),
        " ".join(filter(None, ("Baselines", kind and f"by {kind}"))) + f": {key} of the first k boxes",
        (Column("k", "k"), *(column for name in names for column in _score_columns(name))),
        tuple(rows),
        (told + chance if "random" in names else told,),
        folded=True,
    )


_KINDS = {
    "boxes": ("random", "position", "size", "spatial"),
    "words": ("unigram", "bigram", "cooccurrence"),
    "both": ("unigram+position", "unigram+size", "bigram+position", "bigram+size"),
}


def _ks(curves: Mapping[str, Mapping[int, BaselineScores]]) -> tuple[int, ...]:
    return tuple(next(iter(curves.values())))


def _marked(values: Mapping[str, float]) -> dict[str, Cell]:
    """Mark the best value as displayed; if several look the same, none is marked."""
    shown = {
        name: UNDEFINED if math.isnan(value) else f"{value:.3f}".removeprefix("0")
        for name, value in values.items()
    }
    best = max((text for text in shown.values() if text != UNDEFINED), default="")
    alone = list(shown.values()).count(best) == 1
    return {
        name: Cell(text + ("*" if alone and text == best else " "), values[name])
        for name, text in shown.items()
    }


def _curves(result: SelectionResult, key: str) -> LineChart:
    """Return one measure of all baselines by k, with systems and people as horizontal lines."""
    ks = _ks(result.baselines)
    lines: dict[str, tuple[Sequence[float], Sequence[float]]] = {
        name: (ks, tuple(getattr(scores, key) for scores in curve.values()))
        for name, curve in result.baselines.items()
    }
    lines |= {name: ((ks[0], ks[-1]), (row[key], row[key])) for name, row in result.rows.items()}
    return LineChart(
        f"selection-{key}",
        f"{_TITLES[key]} of the first k boxes",
        "boxes (k)",
        key,
        lines,
        form=SCORES[key].form,
        meaning="Simple baselines that select k boxes, compared with systems and people",
        highest=1,
        peak="best k",
    )


def _categories(result: SelectionResult) -> Iterator[Part]:
    """Yield boxes, people's mentions and systems' recall by category, and what is never mentioned."""
    found = result.categories
    if found is None:
        return
    yield _category_table(result, found)
    yield WordList("Never mentioned by people", _listed(found.never_mentioned))
    for name, row in result.systems.items():
        if row.never_selected:
            yield WordList(f"Never selected by {name}", _listed(row.never_selected))
    if found.without_boxes:
        yield WordList("Without a box in this data", _listed(found.without_boxes))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"


def _category_table(result: SelectionResult, categories: BoxCategories) -> Table:
    rows = []
    for name, found in categories.boxes.items():
        recalls = [row.categories[name].recall for row in result.systems.values()]
        counts = (cell(found.boxes, count), cell(found.mentioned_boxes, count))
        shares = [cell(value, decimals(2)) for value in (found.mentions / found.boxes, *recalls)]
        rows.append((words(name), *counts, *shares))
    if categories.without_category:
        blank = [Cell("", math.nan)] * (2 + len(result.systems))
        rows.append((words("(no category)"), cell(categories.without_category, count), *blank))
    notes = ["mentioned: boxes in some description. per box: descriptions that mention it, on average"]
    if result.systems:
        notes.append("Columns of systems: share of people's mentions that the system makes too")
    return Table(
        "selection-categories",
        f"Boxes by category ({categories.source})",
        (
            Column("category", "category", words=True),
            Column("boxes", "boxes"),
            Column("mentioned_boxes", "mentioned"),
            Column("mentions_per_box", "per box"),
            *(Column(f"recall_{name}", name) for name in result.systems),
        ),
        tuple(rows),
        tuple(notes),
    )


def _referring(result: SelectionResult) -> Iterator[Table]:
    """Yield how the categories of phrases agree with those of people's phrases for the same boxes."""
    if result.referring:
        measured = [column for key in SCORES for column in _score_columns(key)]
        yield Table(
            "selection-referring",
            "Referring expressions: the phrases for boxes",
            (SYSTEM, Column("boxes", "boxes"), *measured),
            tuple(
                (words(result.people if name == UPPER_BOUND else name), *_referring_cells(row))
                for name, row in result.referring.items()
            ),
            ("Categories of a phrase against those of people's phrases for the same box; sd: over boxes",),
            apart=1 if len(result.referring) > 1 else 0,
        )


def _referring_cells(row: Referring) -> Iterator[Cell]:
    yield cell(row.boxes, count)
    for key, quantity in SCORES.items():
        yield cell(getattr(row, key), quantity.form)
        yield cell(getattr(row.sd, key), _DEVIATION)


def _sentences(result: SelectionResult) -> Iterator[Table]:
    """Yield some of the sentences generated from each baseline."""
    for name, made in result.sentences.items():
        baseline = name.partition(":")[0]
        yield Table(
            f"selection-{_file_name(name, made)}",
            f"Sentences of {baseline} from {some(made.k, 'box')}",
            (Column("image_id", "image", words=True), Column("sentence", "sentence", words=True)),
            tuple((words(image), words(text)) for image, text in list(made.marked.items())[:_EXAMPLES]),
            (f"The first {_EXAMPLES} of {some(len(made.marked), 'image')}; --out writes all",)
            if len(made.marked) > _EXAMPLES
            else (),
        )


# The files that `--out` writes in addition: each image's scores, and generated sentences.


def write_details(result: SelectionResult, folder: Path) -> None:
    """Write each image's scores as CSV, and generated sentences as caption files."""
    keys = ("system", "image_id", *MEASURES, "tau")
    columns = tuple(Column(key, key) for key in keys)
    rows = tuple(
        (words(name), words(image), *(cell(getattr(scores, key), decimals(3)) for key in keys[2:]))
        for name, found in result.by_image.items()
        for image, scores in found.items()
    )
    images = Table("selection-images", "Scores of images", columns, rows)
    write_whole(folder / f"{images.name}.csv", csv_table(images))
    for name, made in result.sentences.items():
        with whole_file(folder / f"{_file_name(name, made)}.jsonl") as file:
            for image, sentence in made.captions.items():
                row = {"image_id": image, "caption": sentence, "marked": made.marked[image]}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _file_name(name: str, made: Sentences) -> str:
    return f"sentences-{re.sub(r'[^a-z]', '-', name.partition(':')[0])}-{made.k}"


MEASURE = Measure(
    name="selection",
    title="Content selection",
    result=SelectionResult,
    sections=selection_sections,
    quantities=lambda: {"Content selection": list(chain(QUANTITIES, DESCRIBED))},
    settings=SelectionSettings,
    verb="select",
    write_details=write_details,
)
