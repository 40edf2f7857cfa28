"""The results of the diversity measure, and definitions of all its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import Any, ClassVar

from pydantic import model_validator

from assess.measures.diversity.compute import WINDOW, Diversity, set_metrics
from assess.measures.diversity.repetition import (
    MOST_SETS,
    MOST_TEMPLATES,
    MOVING_WINDOW,
    REPEATED,
    SET_SIZE,
    TEMPLATE,
    Extended,
    Repetition,
    WithinImages,
)
from assess.measures.diversity.tokens import TokenCorpus
from assess.measures.intervals import Intervals
from assess.measures.measure import Model, Number, Result, Row
from assess.measures.metric import metric_quantity
from assess.report.quantity import Direction, Quantity
from assess.report.text import Form, count, decimals, percent

PAPER = "vanmiltenburg2018measuring"
RATIO = decimals(3)


@dataclass(frozen=True, slots=True)
class Measured:
    """The input of quantities: the captions of one system, and everything computed from them."""

    corpus: TokenCorpus
    images: int
    diversity: Diversity
    repetition: Repetition
    within: WithinImages | None  # for images with several captions, if there are any
    extended: Extended | None = None  # on request


def _within(key: str, heading: str) -> Quantity[Measured]:
    metric = set_metrics(captions_per_image=5)[key]
    return metric_quantity(
        metric, heading, lambda found: getattr(found.within, key, None), RATIO, table="within_images"
    )


def _type_token_ratio(length: int, get: Callable[[Measured], float], **shown: Any) -> Quantity[Measured]:
    return Quantity(
        f"ttr{length}",
        f"TTR{length}",
        get,
        RATIO,
        f"E[distinct {length}-grams in random captions with {WINDOW} of them on average] / {WINDOW}",
        "colwell2004interpolating",
        "higher",
        f"fewer than {WINDOW} n-grams (one window)",
        **shown,
    )


def _extended(
    key: str, heading: str, form: Form, formula: str, reference: str, direction: Direction, undefined: str
) -> Quantity[Measured]:
    return Quantity(
        key,
        heading,
        lambda found: getattr(found.extended, key) if found.extended else None,
        form,
        formula,
        reference,
        direction,
        f"{undefined}, or {_ON_REQUEST}",
        table="extended",
    )


_FEW = "fewer than two captions for every image"
_ON_REQUEST = "not requested (--extended)"
_TOO_FEW = f"fewer than {SET_SIZE} captions"
_SETS = f"mean over sets of {SET_SIZE} random captions, at most {MOST_SETS}"
QUANTITIES: list[Quantity[Measured]] = [
    Quantity(
        "captions",
        "captions",
        lambda found: found.diversity.basic.captions,
        count,
        "captions; of references, the mean over parallel sets",
        PAPER,
        table="variety",
    ),
    Quantity("images", "images", lambda found: found.images, count, "images that the captions describe"),
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
        PAPER,
        table="variety",
    ),
    Quantity(
        "asl",
        "ASL",
        lambda found: found.diversity.basic.asl,
        decimals(1),
        "tokens / captions",
        PAPER,
        undefined="no captions",
        table="diversity",
    ),
    Quantity(
        "sdsl",
        "SDSL",
        lambda found: found.diversity.basic.sdsl,
        decimals(2),
        "sqrt(mean(length²) - mean(length)²)",
        PAPER,
        "higher",
        "no captions",
        table="diversity",
    ),
    Quantity(
        "types",
        "Types",
        lambda found: found.diversity.basic.types,
        count,
        "distinct words",
        PAPER,
        "higher",
        table="diversity",
        chart="Types",
        meaning="Number of different words in all captions.",
    ),
    _type_token_ratio(
        1,
        lambda found: found.diversity.basic.ttr1,
        table="diversity",
        chart="Type-token ratio",
        meaning="Share of different words among a thousand: 1 means that no word occurs twice.",
        highest=1,
    ),
    _type_token_ratio(
        2,
        lambda found: found.diversity.basic.ttr2,
        table="diversity",
        chart="Ratio of word pairs",
        meaning="Share of different pairs of neighbouring words among a thousand.",
        highest=1,
    ),
    _type_token_ratio(3, lambda found: found.diversity.ttr3, table="variety"),
    Quantity(
        "unique",
        "unique",
        lambda found: found.diversity.unique,
        count,
        "distinct captions",
        PAPER,
        "higher",
        table="variety",
    ),
    Quantity(
        "unique_share",
        "unique %",
        lambda found: (
            found.diversity.unique / found.diversity.basic.captions if found.diversity.basic.captions else nan
        ),
        percent,
        "unique / captions",
        PAPER,
        "higher",
        "no captions",
        table="variety",
    ),
    Quantity(
        "hapaxes",
        "hapaxes",
        lambda found: found.diversity.hapaxes,
        count,
        "words that occur once",
        "youmans1990measuring",
        "higher",
        table="variety",
    ),
    Quantity(
        "hdd",
        "HD-D",
        lambda found: found.diversity.hdd,
        RATIO,
        "E[distinct words in 42 random tokens] / 42",
        "mccarthy2010mtld",
        "higher",
        "fewer than 42 tokens",
        table="variety",
    ),
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
        "captions that do not occur in the training captions / captions",
        PAPER,
        "higher",
        "no training captions",
        table="diversity",
        chart="Novel captions",
        meaning="Captions that do not occur in the training data.",
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
        f"{REPEATED}-grams that also occur in another caption / {REPEATED}-grams, each counted"
        " once per caption",
        "salkar2022self",
        "lower",
        f"no caption with {REPEATED} tokens",
        table="repetition",
    ),
    Quantity(
        "self_repetition_score",
        "self-rep.",
        lambda found: found.repetition.self_repetition_score,
        decimals(2),
        f"mean over captions of log(sum over their {REPEATED}-grams of the number of captions that"
        " contain it)",
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
        "number of captions per image that are compared",
        undefined=_FEW,
        table="within_images",
    ),
    _within("mbleu4", "mBLEU-4"),
    _within("distinct1", "distinct-1"),
    _within("distinct2", "distinct-2"),
]
EXTENDED: list[Quantity[Measured]] = [
    _extended(
        "pos_compression",
        "compression",
        decimals(2),
        "bytes of the captions' part-of-speech tags / bytes after compression with bzip2, captions in random"
        " order",
        "shaib2024standardizing",
        "lower",
        "no words",
    ),
    _extended(
        "template_rate",
        "with template",
        percent,
        f"captions with one of the {MOST_TEMPLATES} most frequent sequences of {TEMPLATE} tags"
        " that several captions share / captions",
        "shaib2024templates",
        "lower",
        "no captions",
    ),
    _extended(
        "templates_per_token",
        "per token",
        decimals(3),
        "occurrences of such sequences / tokens",
        "shaib2024templates",
        "lower",
        "no words",
    ),
    _extended(
        "vendi_all",
        "Vendi, all",
        decimals(1),
        "exp(entropy of the eigenvalues of K / n) of all n captions, K: cosines of their counts of words",
        "friedman2023vendi",
        "higher",
        "no captions",
    ),
    Quantity(
        "self_cider",
        "self-CIDEr",
        lambda found: found.within.self_cider if found.within else None,
        RATIO,
        "mean over images of -log_m(sqrt(largest eigenvalue) / sum of the square roots of all) of the CIDEr"
        " similarities of its m captions",
        "wang2019describing",
        "higher",
        f"{_FEW}, or {_ON_REQUEST}",
        table="within_images",
    ),
]


def quantities(*, extended: bool) -> list[Quantity[Measured]]:
    """Return the reported numbers, including any that were added to `QUANTITIES` later."""
    return [*QUANTITIES, *EXTENDED] if extended else QUANTITIES


# The results for each system.


class Curve(Model):
    """Expected number of types after so many tokens; undefined beyond the last token."""

    tokens: tuple[int, ...]
    types: tuple[Number, ...]


class OrderShift(Model):
    """The effect of a file's order on a type-token ratio."""

    file: Number
    shuffled: Number
    deviation: Number
    distorts: bool


class SystemDiversity(Row):
    """The diversity of one system, or of references as the mean over their parallel sets."""

    if_known: ClassVar[tuple[str, ...]] = ("sets", "total_types", "total_tokens")

    reference: bool
    curve: Curve
    order: dict[str, OrderShift]  # for one word and two words; for references, in their first set
    notes: tuple[str, ...]
    sets: int | None = None  # for references: the number of sets, and sums over them
    total_types: int | None = None
    total_tokens: int | None = None

    @property
    def distorted(self) -> bool:
        """Whether the order of the file changes a type-token ratio by more than chance."""
        return any(shift.distorts for shift in self.order.values())


class DiversityResult(Result):
    """The diversity of all systems, and of references if there are any."""

    measure: ClassVar[str] = "diversity"

    systems: dict[str, SystemDiversity]
    notes: tuple[str, ...]
    intervals: Intervals | None = None

    @model_validator(mode="after")
    def _check_curves(self) -> DiversityResult:
        curves = [row.curve for row in self.systems.values()]
        if any(each.tokens != curves[0].tokens or len(each.tokens) != len(each.types) for each in curves):
            raise ValueError("all curves need the same numbers of tokens, and as many types")
        return self

    def urgent_notes(self) -> list[str]:
        """Return the warnings, and notes on numbers that depend on the order of a file."""
        return [*self.warnings, *(note for note in self.notes if note.startswith("the order of the file"))]
