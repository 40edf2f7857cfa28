"""Recall of categories: which categories people use for an image, and whether systems use them too.

This is local recall with categories instead of words: the more references of an image use a category, the
more important it is. Combinations are sets of categories of one label that references or training captions
have; they are recalled if a system ever uses them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from pydantic import Field

from assess.corpus import Source
from assess.grammar import Grammar
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser
from assess.measures.bias.labels import MentionTable
from assess.measures.coverage.run import LabelJob
from assess.measures.measure import Inputs, Model, Number, Row
from assess.measures.metric import ratio
from assess.measures.settings import MOST_CLASSES
from assess.records import Analysis
from assess.report.quantity import Quantity, by_key, values_of
from assess.report.text import count, decimals, percent

Analyses = Mapping[str, Analysis]
Combination = tuple[str, ...]
Kind = Literal["training", "references"]
LISTED = 100  # combinations in the result

_PAPERS = "vanmiltenburg2018measuring"


class CategoryUse(Model):
    """A category that most references of some images use, with the number of images and of recalled ones."""

    images: int
    recalled: int
    recall: Number


class CategoryRow(Row):
    """The recall of categories of one system."""

    micro: dict[int, Number]  # by the number of an image's references that use the category
    uses: dict[int, int]  # pairs of an image and a category
    recalled: dict[int, int]
    categories: dict[str, CategoryUse]
    never: tuple[tuple[str, int], ...]  # unused combinations, with the number of labels that have them


class CategoryRecall(Model):
    """The recall of categories of all systems."""

    domain: str  # name, version and hash of the taxonomy
    classes: int = Field(ge=0, le=MOST_CLASSES)
    combinations_of: Kind
    systems: dict[str, CategoryRow]


def majority(references: int) -> int:
    """Return the smallest number of references that is more than half of them: three of five."""
    return references // 2 + 1


_of_categories = partial(by_key, table="category_recall")
_of_combinations = partial(by_key, table="combinations")
QUANTITIES: list[Quantity[Any]] = [
    by_key("images", "images", count, "images with captions and references"),
    _of_categories(
        "category_majority",
        "most",
        decimals(2),
        "categories that more than half of an image's references use and its caption uses too /"
        " such categories, over all images",
        _PAPERS,
        "higher",
        "no category that most references use",
    ),
    _of_categories(
        "category_precision",
        "precision",
        decimals(2),
        "categories of captions that some reference of the image uses / categories of captions",
        _PAPERS,
        "higher",
        "no caption uses a category",
    ),
    _of_combinations(
        "combinations",
        "known",
        count,
        "distinct sets of two or more modifier categories of one label, in training captions or references",
    ),
    _of_combinations(
        "combinations_used",
        "used",
        count,
        "of these, sets that at least one label of the system has",
        direction="higher",
    ),
    _of_combinations(
        "combination_coverage",
        "share",
        percent,
        "used / known",
        direction="higher",
        undefined="no combinations",
    ),
    _of_combinations(
        "combination_labels",
        "of labels",
        percent,
        "labels whose combination the system uses at least once / labels with a combination, in"
        " training captions or references",
        direction="higher",
        undefined="no combinations",
    ),
    _of_combinations(
        "combinations_new",
        "new",
        count,
        "combinations of the system that do not occur in training captions or references",
    ),
]


def category_quantities(classes: int) -> list[Quantity[Any]]:
    """Return the recall in each class, and the numbers in `QUANTITIES`, from a system's row."""
    by_class = (
        Quantity(
            f"category_micro_{number}",
            f"Cat{number}",
            partial(_in_class, number),
            decimals(2),
            f"categories that {number} references of an image use and its caption uses too / such"
            " categories, over all images",
            _PAPERS,
            "higher",
            "no category that this many references use",
            table="category_recall",
        )
        for number in range(1, classes + 1)
    )
    return [*by_class, *QUANTITIES]


def _in_class(number: int, row: CategoryRow) -> float | None:
    return row.micro.get(number)


def category_recall(
    systems: Mapping[str, MentionTable],
    references: Sequence[MentionTable],
    analyses: Analyses,
    grammar: Grammar,
    *,
    classes: int | None = None,
    training: Iterable[MentionTable] = (),
) -> CategoryRecall | None:
    """Return the recall of categories in the best reading of each label; None without shared images."""
    people = _joined(references)
    number = classes or _usual_number(people)
    if not number:
        return None
    names = list(grammar.modifiers)
    uses = _uses(people, analyses, names)
    trained = list(training)
    known = _combinations(trained or references, analyses)
    rows = {
        name: _row(table, uses, people, analyses, names, number, known) for name, table in systems.items()
    }
    if not any(row["images"] for row in rows.values()):
        return None
    kind: Kind = "training" if trained else "references"
    return CategoryRecall(domain=grammar.identity, classes=number, combinations_of=kind, systems=rows)


def _joined(tables: Iterable[MentionTable]) -> MentionTable:
    joined = MentionTable()
    for table in tables:
        joined.add_table(table)
    return joined


def _usual_number(people: MentionTable) -> int:
    """Return the number of references that most images have; the smaller one in a tie."""
    counts = Counter(people.captions.tolist())
    return min(counts, key=lambda number: (-counts[number], number)) if counts else 0


Uses = Mapping[str, Mapping[int, int]]
"""Number of captions that use a category, by image and category."""


def _uses(table: MentionTable, analyses: Analyses, names: Sequence[str]) -> dict[str, dict[int, int]]:
    place = {name: number for number, name in enumerate(names)}
    of_text = [[place[name] for name in analyses[text].best.modifiers] for text in table.texts]
    images = table.images
    once = {
        (image, caption, category)
        for image, caption, text in zip(*(column.tolist() for column in table.columns), strict=True)
        for category in of_text[text]
    }
    found: dict[str, dict[int, int]] = {}
    for image, _, category in sorted(once):
        of_image = found.setdefault(images[image], {})
        of_image[category] = of_image.get(category, 0) + 1
    return found


def _row(
    table: MentionTable,
    uses: Uses,
    people: MentionTable,
    analyses: Analyses,
    names: Sequence[str],
    classes: int,
    known: Counter[Combination],
) -> CategoryRow:
    described = set(table.images) & set(people.images)
    said = _uses(table, analyses, names)
    counts = np.zeros((2, classes), dtype=np.int64)
    shared = np.zeros((2, len(names)), dtype=np.int64)
    claimed = supported = 0
    for image in described:
        own, theirs = said.get(image, {}), uses.get(image, {})
        claimed += len(own)
        supported += len(own.keys() & theirs.keys())
        for category, importance in theirs.items():
            if importance <= classes:
                counts[0, importance - 1] += 1
                counts[1, importance - 1] += category in own
                if importance >= majority(classes):
                    shared[0, category] += 1
                    shared[1, category] += category in own
    used = frozenset(_combinations([table], analyses))
    most = counts[:, majority(classes) - 1 :].sum(
        axis=1
    )  # uses that most references share, and recalled ones
    both = used & known.keys()
    numbers = {
        "images": len(described),
        "category_majority": float(ratio(most[1], most[0])),
        "category_precision": float(ratio(supported, claimed)),
        "combinations": len(known),
        "combinations_used": len(both),
        "combination_coverage": float(ratio(len(both), len(known))),
        "combination_labels": float(ratio(sum(known[one] for one in both), known.total())),
        "combinations_new": len(used - known.keys()),
    }
    never = sorted(
        ((one, labels) for one, labels in known.items() if one not in used), key=lambda it: (-it[1], it[0])
    )
    return CategoryRow(
        micro=_by_class(ratio(counts[1], counts[0]).tolist()),
        uses=_by_class(counts[0].tolist()),
        recalled=_by_class(counts[1].tolist()),
        categories={
            name: CategoryUse(images=images, recalled=recalled, recall=float(ratio(recalled, images)))
            for name, images, recalled in zip(names, *shared.tolist(), strict=True)
            if images
        },
        never=tuple((" + ".join(one), labels) for one, labels in never[:LISTED]),
        **values_of(QUANTITIES, numbers),
    )


def _by_class(values: Sequence[float]) -> dict[int, float]:
    return dict(enumerate(values, start=1))


def _combinations(tables: Iterable[MentionTable], analyses: Analyses) -> Counter[Combination]:
    """Return sets of two or more modifier categories of one label, with their numbers of labels."""
    found: Counter[Combination] = Counter()
    for table in tables:
        texts = table.texts
        for place, labels in Counter(table.columns[2].tolist()).items():
            categories = tuple(sorted(set(analyses[texts[place]].best.modifiers)))
            if len(categories) > 1:
                found[categories] += labels
    return found


def run_category_recall(inputs: Inputs, grammar: Grammar, *, classes: int | None) -> CategoryRecall | None:
    """Read the captions' labels of a domain, and measure the recall of its categories."""
    finder = LabelFinder(Parser(grammar))
    job = LabelJob(grammar, by_image=True, finder=finder)
    read = inputs.read(job, inputs.all_sources)

    def tables(sources: Sequence[Source]) -> list[MentionTable]:
        return [read[source.name].table for source in sources]

    analyses = {text: finder.analyse(text) for found in read.values() for text in found.table.texts}
    return category_recall(
        {source.name: read[source.name].table for source in inputs.systems},
        tables(inputs.references),
        analyses,
        grammar,
        classes=classes,
        training=tables(inputs.training),
    )
