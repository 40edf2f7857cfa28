"""The results of the diversity measure, and definitions of all its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from pydantic import model_validator

from assess.measures.diversity.compute import WINDOW, Numbers, OrderShift
from assess.measures.diversity.repetition import (
    MOST_SETS,
    MOST_TEMPLATES,
    MOVING_WINDOW,
    REPEATED,
    SET_SIZE,
    TEMPLATE,
)
from assess.measures.diversity.tokens import TokenCorpus
from assess.measures.intervals import Intervals
from assess.measures.measure import Model, Number, Result, Row
from assess.report.quantity import Quantity, by_key
from assess.report.text import count, decimals, percent

PAPER = "vanmiltenburg2018measuring"
RATIO = decimals(3)


@dataclass(frozen=True, slots=True)
class Measured:
    """The input of quantities: the captions of one system, and the numbers computed from them."""

    corpus: TokenCorpus
    numbers: Numbers  # without numbers that were not requested or cannot be computed

    def get(self, key: str) -> float | None:
        """Return a number, or None if it is missing."""
        return self.numbers.get(key)


_FEW = "fewer than two captions for every image"
_ON_REQUEST = "not requested (--extended)"
_TOO_FEW = f"fewer than {SET_SIZE} captions"
_NO_CAPTIONS, _NO_WORDS = "no captions", "no words"
_SETS = f"mean over sets of {SET_SIZE} random captions, at most {MOST_SETS}"
_variety = partial(by_key, table="variety")
_repetition = partial(by_key, table="repetition")
_within = partial(by_key, table="within_images")
_extended = partial(by_key, table="extended")


def _type_token_ratio(length: int, **shown: Any) -> Quantity[Any]:
    return by_key(
        f"ttr{length}",
        f"TTR{length}",
        RATIO,
        f"E[distinct {length}-grams in random captions with {WINDOW} of them on average] / {WINDOW}",
        "colwell2004interpolating",
        "higher",
        f"fewer than {WINDOW} n-grams (one window)",
        **shown,
    )


QUANTITIES: list[Quantity[Any]] = [
    _variety("captions", "captions", count, "captions; of references, the mean over parallel sets", PAPER),
    by_key("images", "images", count, "images that the captions describe"),
    by_key("empty_captions", "empty", count, "captions without a token; they count, with length 0"),
    _variety("tokens", "tokens", count, "tokens of all captions", PAPER),
    by_key("asl", "ASL", decimals(1), "tokens / captions", PAPER, undefined=_NO_CAPTIONS, table="diversity"),
    by_key(
        "sdsl",
        "SDSL",
        decimals(2),
        "sqrt(mean(length²) - mean(length)²)",
        PAPER,
        "higher",
        _NO_CAPTIONS,
        table="diversity",
    ),
    by_key(
        "types",
        "Types",
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
        table="diversity",
        chart="Type-token ratio",
        meaning="Share of different words among a thousand: 1 means that no word occurs twice.",
        highest=1,
    ),
    _type_token_ratio(
        2,
        table="diversity",
        chart="Ratio of word pairs",
        meaning="Share of different pairs of neighbouring words among a thousand.",
        highest=1,
    ),
    _type_token_ratio(3, table="variety"),
    _variety("unique", "unique", count, "distinct captions", PAPER, "higher"),
    _variety("unique_share", "unique %", percent, "unique / captions", PAPER, "higher", _NO_CAPTIONS),
    _variety("hapaxes", "hapaxes", count, "words that occur once", "youmans1990measuring", "higher"),
    _variety(
        "hdd",
        "HD-D",
        RATIO,
        "E[distinct words in 42 random tokens] / 42",
        "mccarthy2010mtld",
        "higher",
        "fewer than 42 tokens",
    ),
    _variety(
        "mtld",
        "MTLD",
        decimals(1),
        "tokens / stretches until the type-token ratio falls to .72; both directions, mean of random orders",
        "mccarthy2010mtld",
        "higher",
        "no token is ever repeated",
    ),
    by_key(
        "novel",
        "%Novel",
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
    _repetition(
        "mattr",
        "MATTR",
        RATIO,
        f"mean over all windows of {MOVING_WINDOW} neighbouring tokens of distinct tokens / {MOVING_WINDOW},"
        " captions in random order",
        "covington2010cutting",
        "higher",
        f"fewer than {MOVING_WINDOW} tokens",
    ),
    _repetition(
        "compression",
        "compression",
        decimals(2),
        "bytes of all captions / bytes after compression with bzip2, captions in random order",
        "shaib2024standardizing",
        "lower",
        _NO_WORDS,
    ),
    _repetition(
        "self_repetition",
        "repeated",
        percent,
        f"{REPEATED}-grams that also occur in another caption / {REPEATED}-grams, each counted"
        " once per caption",
        "salkar2022self",
        "lower",
        f"no caption with {REPEATED} tokens",
    ),
    _repetition(
        "self_repetition_score",
        "self-rep.",
        decimals(2),
        f"mean over captions of log(sum over their {REPEATED}-grams of the number of captions that"
        " contain it)",
        "salkar2022self",
        "lower",
        f"no caption with {REPEATED} tokens",
    ),
    _repetition(
        "self_bleu4",
        "self-BLEU-4",
        RATIO,
        f"BLEU-4 of each caption against all others of its set, pooled; {_SETS}",
        "zhu2018texygen",
        "lower",
        _TOO_FEW,
    ),
    _repetition(
        "vendi",
        "Vendi",
        decimals(1),
        "exp(entropy of the eigenvalues of K / n), K: cosines of counts of tokens and pairs of tokens;"
        f" {_SETS}",
        "friedman2023vendi",
        "higher",
        _TOO_FEW,
    ),
    _within("images_with_several", "images", count, "images with several captions", undefined=_FEW),
    _within(
        "captions_per_image",
        "captions each",
        count,
        "number of captions per image that are compared",
        undefined=_FEW,
    ),
    _within(
        "mbleu4",
        "mBLEU-4",
        RATIO,
        "mean over n of BLEU-4 of the n-th captions against the others of their image",
        "shetty2017speaking",
        "lower",
        "no image with several captions",
    ),
    *(
        _within(
            f"distinct{length}",
            f"distinct-{length}",
            RATIO,
            f"mean over images of distinct {length}-grams / words",
            "li2016diversity",
            "higher",
            "no image with several captions",
        )
        for length in (1, 2)
    ),
]
EXTENDED: list[Quantity[Any]] = [
    _extended(
        "pos_compression",
        "compression",
        decimals(2),
        "bytes of the captions' part-of-speech tags / bytes after compression with bzip2, captions in random"
        " order",
        "shaib2024standardizing",
        "lower",
        f"{_NO_WORDS}, or {_ON_REQUEST}",
    ),
    _extended(
        "template_rate",
        "with template",
        percent,
        f"captions with one of the {MOST_TEMPLATES} most frequent sequences of {TEMPLATE} tags"
        " that several captions share / captions",
        "shaib2024templates",
        "lower",
        f"{_NO_CAPTIONS}, or {_ON_REQUEST}",
    ),
    _extended(
        "templates_per_token",
        "per token",
        decimals(3),
        "occurrences of such sequences / tokens",
        "shaib2024templates",
        "lower",
        f"{_NO_WORDS}, or {_ON_REQUEST}",
    ),
    _extended(
        "vendi_all",
        "Vendi, all",
        decimals(1),
        "exp(entropy of the eigenvalues of K / n) of all n captions, K: cosines of their counts of words",
        "friedman2023vendi",
        "higher",
        f"{_NO_CAPTIONS}, or {_ON_REQUEST}",
    ),
    _within(
        "self_cider",
        "self-CIDEr",
        RATIO,
        "mean over images of -log_m(sqrt(largest eigenvalue) / sum of the square roots of all) of the CIDEr"
        " similarities of its m captions",
        "wang2019describing",
        "higher",
        f"{_FEW}, or {_ON_REQUEST}",
    ),
]


def quantities(*, extended: bool) -> list[Quantity[Any]]:
    """Return the reported numbers, including any that were added to `QUANTITIES` later."""
    return [*QUANTITIES, *EXTENDED] if extended else QUANTITIES


# The results for each system.


class Curve(Model):
    """Expected number of types after so many tokens; undefined beyond the last token."""

    tokens: tuple[int, ...]
    types: tuple[Number, ...]


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
