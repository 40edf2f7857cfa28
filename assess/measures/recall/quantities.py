"""The results of the recall measure, and definitions of all its numbers. Add new ones to `QUANTITIES`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from assess.measures.intervals import Intervals
from assess.measures.measure import Model, Number, Result, Row
from assess.measures.metric import Counts, Metric, metric_quantity, ratio
from assess.measures.recall.categories import CategoryRecall, category_quantities, majority
from assess.measures.recall.compute import GlobalRecall
from assess.measures.recall.local import (
    ImageWords,
    LocalRecall,
    local_tally,
    macro_precision,
    macro_recall,
    majority_recall,
    micro_precision,
    micro_recall,
)
from assess.measures.settings import RecallSettings, Tagset
from assess.measures.words import WordUse
from assess.report.quantity import Quantity, defined
from assess.report.text import count, decimals

PAPER = "vanmiltenburg2018measuring"

_RECALLS: dict[str, tuple[str, Callable[[Counts], Counts]]] = {
    "micro": ("recalled / words of class {}, over all images", micro_recall),
    "macro": ("mean over images of recalled / words of class {}", macro_recall),
}
_MAJORITY = "recalled / words that more than half of an image's references contain, over all images"
_PRECISIONS: dict[str, tuple[str, Callable[[Counts], Counts]]] = {
    "local_precision": ("content words in some reference / content words, over all images", micro_precision),
    "local_precision_macro": (
        "mean over images of content words in some reference / content words",
        macro_precision,
    ),
}


def local_metrics(*, classes: int, tagset: Tagset = "fine") -> dict[str, Metric[ImageWords, Counts]]:
    """Return local recall in each class (`local_micro_5` is Loc5 in the paper) and local precision."""
    tally = partial(local_tally, classes=classes, tagset=tagset)
    metrics = {}
    for kind, (formula, value) in _RECALLS.items():
        for number in range(1, classes + 1):
            name = f"local_{kind}_{number}"
            of_class = partial(_of_class, value, number)
            metrics[name] = Metric(
                name,
                formula.format(number),
                PAPER,
                "higher",
                tally,
                of_class,
                undefined=f"no image with a caption has words of class {number}",
            )
    metrics["local_majority"] = Metric(
        "local_majority",
        _MAJORITY,
        PAPER,
        "higher",
        tally,
        partial(majority_recall, first=majority(classes)),
        undefined="no image with a caption has such words",
    )
    for name, (formula, value) in _PRECISIONS.items():
        metrics[name] = Metric(
            name, formula, PAPER, "higher", tally, value, undefined="the captions contain no content words"
        )
    return metrics


def _of_class(value: Callable[[Counts], Counts], number: int, counts: Counts) -> Counts:
    return value(counts)[..., number - 1]


_TWO = decimals(2)
_NO_TRAINING = "no training captions"
_PRECISION = local_metrics(classes=0)


@dataclass(frozen=True, slots=True)
class Found:
    """The input of quantities: the words of all captions of a system, and the words of each image."""

    captions: int
    vocabulary: GlobalRecall
    local: LocalRecall


QUANTITIES: list[Quantity[Found]] = [
    Quantity("captions", "captions", lambda found: found.captions, count, "captions of the system"),
    Quantity(
        "images",
        "images",
        lambda found: found.local.images,
        count,
        "images with both a caption and references",
    ),
    Quantity(
        "coverage",
        "Cov",
        lambda found: found.vocabulary.coverage,
        _TWO,
        "recalled / learnable",
        PAPER,
        "higher",
        f"{_NO_TRAINING}, or none shared",
        table="global_recall",
    ),
    Quantity(
        "limit",
        "limit",
        lambda found: found.vocabulary.limit,
        _TWO,
        "learnable / evaluation",
        PAPER,
        undefined=f"{_NO_TRAINING}, or no references",
        table="global_recall",
    ),
    Quantity(
        "recalled",
        "recalled",
        lambda found: found.vocabulary.recalled,
        count,
        "learnable words that the system uses at least once",
        PAPER,
        "higher",
        "no caption of an image with references",
        table="global_recall",
    ),
    Quantity(
        "learnable",
        "learnable",
        lambda found: found.vocabulary.learnable,
        count,
        "words of the references that also occur in training captions",
        PAPER,
        undefined=_NO_TRAINING,
        table="global_recall",
    ),
    Quantity(
        "evaluation",
        "in references",
        lambda found: found.vocabulary.evaluation,
        count,
        "distinct words of the references",
        PAPER,
        table="global_recall",
    ),
    metric_quantity(
        _PRECISION["local_precision"],
        "precision",
        lambda found: found.local.micro_precision,
        _TWO,
        table="local_recall_micro",
        chart="Local precision",
        meaning="Share of a caption's content words that some reference of the image contains.",
        highest=1,
    ),
    metric_quantity(
        _PRECISION["local_precision_macro"],
        "precision",
        lambda found: found.local.macro_precision,
        _TWO,
        table="local_recall_macro",
    ),
]


def local_quantities(classes: int) -> list[Quantity[Any]]:
    """Return local recall in each importance class, and recall of words that most references share."""
    metrics = local_metrics(classes=classes)
    shared = metric_quantity(
        metrics["local_majority"],
        f"Loc≥{majority(classes)}",
        partial(_of_most, majority(classes)),
        _TWO,
        table="local_recall_micro",
    )
    by_class = [
        metric_quantity(
            metrics[f"local_{kind}_{number}"],
            f"Loc{number}",
            partial(_in_class, kind, number),
            _TWO,
            table=f"local_recall_{kind}",
        )
        for kind in ("micro", "macro")
        for number in range(1, classes + 1)
    ]
    return [*by_class, shared]


def _of_most(first: int, row: Any) -> float:
    counts = [
        sum(number for importance, number in found.items() if importance >= first)
        for found in (row.local.recalled, row.local.words)
    ]
    return float(ratio(*counts))


def _in_class(kind: str, number: int, row: Any) -> float | None:
    found: float | None = getattr(row.local, kind).get(number)
    return found


def documented() -> Sequence[Quantity[Any]]:
    """Return all numbers of recall for the reference page; classes are described once."""
    any_class = [
        replace(
            quantity,
            key=quantity.key.replace("_1", "_k"),
            formula=quantity.formula.replace("class 1", "class k").replace("that 1 ref", "that k ref"),
            undefined=quantity.undefined.replace("class 1", "class k"),
        )
        for quantity in [*local_quantities(classes=1), *category_quantities(classes=1)]
    ]
    return [*QUANTITIES, *any_class, *_LISTS]


_LISTS: list[Quantity[Any]] = [
    defined(
        "deciles",
        "coverage of each decile of the words, from the most to the least frequent in the references",
        PAPER,
        "higher",
        "a decile without words",
    ),
    defined(
        "log_likelihood",
        "G² of a word's counts in the system and in the references",
        "dunning1993accurate",
        undefined="one side has no words, so nothing is listed",
    ),
    defined(
        "log_ratio",
        "log2 of the ratio of relative frequencies; infinite where one side lacks the word",
        "rayson2000comparing",
        undefined="as log_likelihood",
    ),
]


# The results for each system.

Ranked = tuple[tuple[str, int], ...]
"""Words in order, with their counts."""
Missed = tuple[tuple[str, Number, int, int], ...]
"""Words with their share of missed occurrences, number of missed occurrences, and all occurrences."""


class Omitted(Model):
    """The first entries of rankings of omitted words (van Miltenburg et al. 2018, Table 2)."""

    train: Ranked  # by training frequency; empty without training captions
    references: Ranked
    absolute: Ranked  # words that all references of an image share, by times missed
    relative: Missed
    relative_min: Missed
    min: int  # minimum number of occurrences for the last ranking


class Local(Model):
    """Local recall by importance class, over all words and as the mean over images, with its counts."""

    micro: dict[int, Number]
    macro: dict[int, Number]
    words: dict[int, int]
    recalled: dict[int, int]


MOST_CLASSES = 10_000
"""Importance cannot exceed the number of an image's descriptions."""


class SystemRecall(Row):
    """The recall of one system."""

    deciles: tuple[Number, ...]  # coverage by frequency in the references, most frequent first
    local: Local
    local_precision: Number
    local_precision_macro: Number
    omitted: Omitted
    over_used: tuple[WordUse, ...]
    under_used: tuple[WordUse, ...]
    notes: tuple[str, ...]


class RecallResult(Result):
    """The recall of all systems."""

    measure: ClassVar[str] = "recall"
    if_known: ClassVar[tuple[str, ...]] = ("intervals", "categories")

    images: int  # images with references that some system describes
    classes: int = Field(ge=0, le=MOST_CLASSES)
    systems: dict[str, SystemRecall]
    omitted: Omitted  # by all systems together
    notes: tuple[str, ...]
    intervals: Intervals | None = None
    categories: CategoryRecall | None = None  # if a domain was given
    top: int = Field(RecallSettings.top, exclude=True)  # number of words shown in each ranking
