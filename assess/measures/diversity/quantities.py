"""What diversity finds, and every number of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import ClassVar

from pydantic import model_validator

from assess.measures.diversity.compute import METRICS, Diversity
from assess.measures.diversity.repetition import (
    MOST_SETS,
    MOVING_WINDOW,
    REPEATED,
    SET_SIZE,
    Repetition,
)
from assess.measures.diversity.tokens import TokenCorpus
from assess.measures.diversity.within_images import WithinImages, set_metrics
from assess.measures.intervals import Intervals
from assess.measures.measure import Model, Number, Result, Row
from assess.measures.metric import metric_quantity
from assess.report.quantity import Quantity, defined
from assess.report.text import count, decimals, percent

_PAPER = "vanmiltenburg2018measuring"
RATIO = decimals(3)


@dataclass(frozen=True, slots=True)
class Measured:
    """What quantities are taken from: the captions of one system, and what was worked out of them."""

    corpus: TokenCorpus
    images: int
    diversity: Diversity
    repetition: Repetition
    within: WithinImages | None  # of images with several captions, where there are some


def _within(key: str, heading: str) -> Quantity[Measured]:
    metric = set_metrics(captions_per_image=5)[key]
    return metric_quantity(
        metric,
        heading,
        lambda found: getattr(found.within, key) if found.within else None,
        RATIO,
        table="within_images",
    )


_FEW = "fewer than two captions for every image"
_TOO_FEW = f"fewer than {SET_SIZE} captions"
_SETS = f"mean over sets of {SET_SIZE} random captions, at most {MOST_SETS}"
QUANTITIES: list[Quantity[Measured]] = [
    Quantity(
        "captions",
        "captions",
        lambda found: found.diversity.basic.captions,
        count,
        "captions; of references, the mean over parallel sets",
        _PAPER,
        table="variety",
    ),
    Quantity("images", "images", lambda found: found.images, count, "images that the captions are about"),
    Quantity(
        "empty_captions",
        "empty",
        lambda found: found.diversity.basic.empty,
        count,
        "captions without a token; they count, with length 0",
    ),
    Quantity(
        "tokens",
        "tokens",
        lambda found: found.diversity.basic.tokens,
        count,
        "tokens of all captions",
        _PAPER,
        table="variety",
    ),
    metric_quantity(
        METRICS["asl"], "ASL", lambda found: found.diversity.basic.asl, decimals(1), table="diversity"
    ),
    metric_quantity(
        METRICS["sdsl"], "SDSL", lambda found: found.diversity.basic.sdsl, decimals(2), table="diversity"
    ),
    metric_quantity(
        METRICS["types"],
        "Types",
        lambda found: found.diversity.basic.types,
        count,
        table="diversity",
        chart="Types",
        meaning="Different words in all captions.",
    ),
    metric_quantity(
        METRICS["ttr1"],
        "TTR1",
        lambda found: found.diversity.basic.ttr1,
        RATIO,
        table="diversity",
        chart="Type-token ratio",
        meaning="Different words out of a thousand, on average: 1 would be no word twice.",
        highest=1,
    ),
    metric_quantity(
        METRICS["ttr2"],
        "TTR2",
        lambda found: found.diversity.basic.ttr2,
        RATIO,
        table="diversity",
        chart="Ratio of word pairs",
        meaning="Different pairs of neighbouring words out of a thousand.",
        highest=1,
    ),
    metric_quantity(METRICS["ttr3"], "TTR3", lambda found: found.diversity.ttr3, RATIO, table="variety"),
    metric_quantity(
        METRICS["unique"], "unique", lambda found: found.diversity.unique, count, table="variety"
    ),
    Quantity(
        "unique_share",
        "%",
        lambda found: (
            found.diversity.unique / found.diversity.basic.captions if found.diversity.basic.captions else nan
        ),
        percent,
        "unique / captions",
        _PAPER,
        "higher",
        "no captions",
        table="variety",
    ),
    metric_quantity(
        METRICS["hapaxes"], "hapaxes", lambda found: found.diversity.hapaxes, count, table="variety"
    ),
    metric_quantity(METRICS["hdd"], "HD-D", lambda found: found.diversity.hdd, RATIO, table="variety"),
    Quantity(
        "mtld",
        "MTLD",
        lambda found: found.diversity.mtld,
        decimals(1),
        "tokens / stretches until the type-token ratio falls to .72; both directions, mean of random orders",
        "mccarthy2010mtld",
        "higher",
        "no token is ever repeated",
        table="variety",
    ),
    Quantity(
        "novel",
        "%Novel",
        lambda found: found.diversity.novel,
        percent,
        "captions that the training captions lack / captions",
        _PAPER,
        "higher",
        "no training captions",
        table="diversity",
        chart="Novel captions",
        meaning="Captions that are not in the training data.",
        highest=1,
    ),
    Quantity(
        "mattr",
        "MATTR",
        lambda found: found.repetition.mattr,
        RATIO,
        f"mean over all windows of {MOVING_WINDOW} neighbouring tokens of distinct tokens / {MOVING_WINDOW},"
        " captions in random order",
        "covington2010cutting",
        "higher",
        f"fewer than {MOVING_WINDOW} tokens",
        table="repetition",
    ),
    Quantity(
        "compression",
        "compression",
        lambda found: found.repetition.compression,
        decimals(2),
        "bytes of all captions / bytes after compression with bzip2, captions in random order",
        "shaib2024standardizing",
        "lower",
        "no words",
        table="repetition",
    ),
    Quantity(
        "self_repetition",
        "repeated",
        lambda found: found.repetition.self_repetition,
        percent,
        f"{REPEATED}-grams that another caption has as well / {REPEATED}-grams, each once per caption",
        "salkar2022self",
        "lower",
        f"no caption with {REPEATED} tokens",
        table="repetition",
    ),
    Quantity(
        "self_bleu4",
        "self-BLEU-4",
        lambda found: found.repetition.self_bleu4,
        RATIO,
        f"BLEU-4 of each caption against all others of its set, pooled; {_SETS}",
        "zhu2018texygen",
        "lower",
        _TOO_FEW,
        table="repetition",
    ),
    Quantity(
        "vendi",
        "Vendi",
        lambda found: found.repetition.vendi,
        decimals(1),
        "exp(entropy of the eigenvalues of K / n), K: cosines of counts of tokens and pairs of tokens;"
        f" {_SETS}",
        "friedman2023vendi",
        "higher",
        _TOO_FEW,
        table="repetition",
    ),
    Quantity(
        "images_with_several",
        "images",
        lambda found: found.within.images if found.within else None,
        count,
        "images with several captions",
        undefined=_FEW,
        table="within_images",
    ),
    Quantity(
        "captions_per_image",
        "captions each",
        lambda found: found.within.captions_per_image if found.within else None,
        count,
        "captions of each such image that are compared",
        undefined=_FEW,
        table="within_images",
    ),
    _within("mbleu4", "mBLEU-4"),
    _within("distinct1", "distinct-1"),
    _within("distinct2", "distinct-2"),
]


def documented() -> dict[str, Sequence[Quantity[Measured]]]:
    """Return all numbers for the reference page, with what type-token ratios were when published."""
    published: Quantity[Measured] = defined(
        "ttr1, ttr2, ttr3 (paper)",
        "mean over windows of 1000 n-grams, in the order of the file, of distinct n-grams / 1000",
        _PAPER,
        "higher",
        "fewer than 1000 n-grams, which is one window",
    )
    within = [quantity for quantity in QUANTITIES if quantity.table == "within_images"]
    others = [quantity for quantity in QUANTITIES if quantity.table != "within_images"]
    return {"Diversity": [*others, published], "Diversity within an image": within}


# What is kept of each system.


class Curve(Model):
    """Expected number of types after so many tokens; undefined beyond the last token."""

    tokens: tuple[int, ...]
    types: tuple[Number, ...]

    @model_validator(mode="after")
    def _one_number_for_each(self) -> Curve:
        if len(self.tokens) != len(self.types):
            raise ValueError("a curve needs as many types as tokens")
        return self


class OrderShift(Model):
    """What the order of a file does to a type-token ratio."""

    file: Number
    shuffled: Number
    deviation: Number
    distorts: bool


class SystemDiversity(Row):
    """The diversity of one system, or of references as the mean over their parallel sets."""

    if_known: ClassVar[tuple[str, ...]] = ("sets", "total_types", "total_tokens")

    reference: bool
    curve: Curve
    order: dict[str, OrderShift]  # of one and of two words; of references: in their first set
    notes: tuple[str, ...]
    sets: int | None = None  # of references, and their sums
    total_types: int | None = None
    total_tokens: int | None = None


class DiversityResult(Result):
    """The diversity of all systems, and of references where there are some."""

    measure: ClassVar[str] = "diversity"

    systems: dict[str, SystemDiversity]
    notes: tuple[str, ...]
    intervals: Intervals | None = None

    @model_validator(mode="after")
    def _curves_at_the_same_places(self) -> DiversityResult:
        if len({row.curve.tokens for row in self.systems.values()}) > 1:
            raise ValueError("the curves of all systems have the same numbers of tokens")
        return self

    def urgent_notes(self) -> list[str]:
        """Return the warnings, and what numbers owe to the order of a file."""
        return [*self.warnings, *(note for note in self.notes if note.startswith("the order of the file"))]
