"""The results of the recall measure, and definitions of all its numbers. Add new ones to `QUANTITIES`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from pydantic import Field

from assess.measures.intervals import Intervals
from assess.measures.measure import Model, Number, Result, Row
from assess.measures.metric import Counts, ratio
from assess.measures.recall.categories import CategoryRecall, category_quantities, majority
from assess.measures.recall.local import (
    macro_precision,
    macro_recall,
    majority_recall,
    micro_precision,
    micro_recall,
)
from assess.measures.settings import MOST_CLASSES, RecallSettings
from assess.measures.words import WordUse
from assess.report.quantity import Quantity, by_key, defined
from assess.report.text import count, decimals

PAPER = "vanmiltenburg2018measuring"

_RECALLS = {
    "micro": "recalled / words of class {}, over all images",
    "macro": "mean over images of recalled / words of class {}",
}


def local_values(classes: int) -> dict[str, Callable[[Counts], Counts]]:
    """Return local recall in each class (`local_micro_5` is Loc5 in the paper) and precision, from counts."""
    by_class = {
        f"local_{kind}_{number}": partial(_of_class, value, number)
        for kind, value in (("micro", micro_recall), ("macro", macro_recall))
        for number in range(1, classes + 1)
    }
    return {
        **by_class,
        "local_majority": partial(majority_recall, first=majority(classes)),
        "local_precision": micro_precision,
        "local_precision_macro": macro_precision,
    }


def _of_class(value: Callable[[Counts], Counts], number: int, counts: Counts) -> Counts:
    return value(counts)[..., number - 1]


_TWO = decimals(2)
_NO_TRAINING = "no training captions"
_NO_WORDS = "the captions contain no content words"
_global = partial(by_key, table="global_recall")
QUANTITIES: list[Quantity[Any]] = [
    by_key("captions", "captions", count, "captions of the system"),
    by_key("images", "images", count, "images with both a caption and references"),
    _global(
        "coverage", "Cov", _TWO, "recalled / learnable", PAPER, "higher", f"{_NO_TRAINING}, or none shared"
    ),
    _global(
        "limit", "limit", _TWO, "learnable / evaluation", PAPER, undefined=f"{_NO_TRAINING}, or no references"
    ),
    _global(
        "recalled",
        "recalled",
        count,
        "learnable words that the system uses at least once",
        PAPER,
        "higher",
        "no caption of an image with references",
    ),
    _global(
        "learnable",
        "learnable",
        count,
        "words of the references that also occur in training captions",
        PAPER,
        undefined=_NO_TRAINING,
    ),
    _global("evaluation", "in references", count, "distinct words of the references", PAPER),
    by_key(
        "local_precision",
        "precision",
        _TWO,
        "content words in some reference / content words, over all images",
        PAPER,
        "higher",
        _NO_WORDS,
        table="local_recall_micro",
        chart="Local precision",
        meaning="Share of a caption's content words that some reference of the image contains.",
        highest=1,
    ),
    by_key(
        "local_precision_macro",
        "precision",
        _TWO,
        "mean over images of content words in some reference / content words",
        PAPER,
        "higher",
        _NO_WORDS,
        table="local_recall_macro",
    ),
]


def local_quantities(classes: int) -> list[Quantity[Any]]:
    """Return local recall in each importance class, and recall of words that most references share."""
    by_class = [
        Quantity(
            f"local_{kind}_{number}",
            f"Loc{number}",
            partial(_in_class, kind, number),
            _TWO,
            formula.format(number),
            PAPER,
            "higher",
            f"no image with a caption has words of class {number}",
            table=f"local_recall_{kind}",
        )
        for kind, formula in _RECALLS.items()
        for number in range(1, classes + 1)
    ]
    shared: Quantity[Any] = Quantity(
        "local_majority",
        f"Loc≥{majority(classes)}",
        partial(_of_most, majority(classes)),
        _TWO,
        "recalled / words that more than half of an image's references contain, over all images",
        PAPER,
        "higher",
        "no image with a caption has such words",
        table="local_recall_micro",
    )
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
