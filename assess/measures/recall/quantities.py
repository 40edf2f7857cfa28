"""Every number that recall reports per system: to add one, add a value to `QUANTITIES`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from assess.measures.metric import metric_quantity
from assess.measures.recall.compute import PAPER, GlobalRecall, LocalRecall, local_metrics
from assess.report.quantity import Quantity, defined
from assess.report.text import count, decimals

_TWO = decimals(2)
_NO_TRAINING = "no training captions"
_PRECISION = local_metrics(classes=0)


@dataclass(frozen=True, slots=True)
class Found:
    """What quantities are taken from: the words of all captions of a system, and those of each image."""

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
        "learnable words that the system says at least once",
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
        "words of the references that training captions have too",
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
        meaning="Content words of a caption that some reference of its image has.",
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
    """Return local recall in each importance class, of the row of a system."""
    metrics = local_metrics(classes=classes)
    return [
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


def _in_class(kind: str, number: int, row: Any) -> float | None:
    found: float | None = getattr(row.local, kind).get(number)
    return found


def documented() -> Sequence[Quantity[Any]]:
    """Return all that recall reports, for the reference page; classes differ in their number only."""
    any_class = [
        replace(
            quantity,
            key=quantity.key.replace("_1", "_k"),
            formula=quantity.formula.replace("class 1", "class k"),
            undefined=quantity.undefined.replace("class 1", "class k"),
        )
        for quantity in local_quantities(classes=1)
    ]
    return [*QUANTITIES, *any_class, *_LISTS]


_LISTS: list[Quantity[Any]] = [
    defined(
        "deciles",
        "coverage of each tenth of the words, from the most to the least frequent in the references",
        PAPER,
        "higher",
        "a tenth without words",
    ),
    defined(
        "log_likelihood",
        "G² of a word's counts in the system and in the references",
        "dunning1993accurate",
        undefined="one side has no words: nothing is listed",
    ),
    defined(
        "log_ratio",
        "log2 of the ratio of relative frequencies; infinite where one side lacks the word",
        "rayson2000comparing",
        undefined="as log_likelihood",
    ),
]
