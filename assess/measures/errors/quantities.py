"""Every number that errors report: to add one, add a value to a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from assess.measures.bias.tables import Estimate
from assess.report.quantity import Quantity, defined, values_of
from assess.report.text import Form, count, decimals, percent, signed

_PAPER = "burns2018women"
_NO_CAPTIONS = "no captions of such images"
_TWO = "a group with more than two values (`pairs` has each two)"


def _quantity(key: str, heading: str, form: Form, formula: str, **further: Any) -> Quantity[Any]:
    return Quantity(key, heading, partial(_number, key), form, formula, **further)


def _number(key: str, found: object) -> float:
    value: Any = getattr(found, key)
    return float(value.value) if isinstance(value, Estimate) else value


def with_intervals(quantities: Iterable[Quantity[Any]], found: object) -> dict[str, Any]:
    """Return all numbers by their keys, and under KEY_interval the ends of the intervals that they have."""
    numbers: dict[str, Any] = {}
    for key, value in values_of(quantities, found).items():
        numbers[key] = value
        estimate = getattr(found, key)
        if isinstance(estimate, Estimate):
            numbers[f"{key}_interval"] = (estimate.low, estimate.high)
    return numbers


_IMAGES = _quantity("images", "images", count, "annotated images with a caption", table="errors")
_CAPTIONS = _quantity("captions", "captions", count, "captions of these images")
_OUTCOMES = (
    _quantity(
        "correct",
        "correct",
        percent,
        "captions that name the annotated value and no other / captions",
        direction="higher",
        undefined=_NO_CAPTIONS,
        table="outcomes",
    ),
    _quantity(
        "incorrect",
        "incorrect",
        percent,
        "captions that name one value, and not the annotated one / captions",
        direction="lower",
        undefined=_NO_CAPTIONS,
        table="outcomes",
    ),
    _quantity(
        "neither",
        "neither",
        percent,
        "captions that name no value, or several / captions",
        undefined=_NO_CAPTIONS,
        table="outcomes",
    ),
)
SHARE_QUANTITIES: Sequence[Quantity[Any]] = (_IMAGES, _CAPTIONS, *_OUTCOMES)
"""Of the images with one annotated value."""

PAIR_QUANTITIES: Sequence[Quantity[Any]] = (
    _quantity(
        "ratio",
        "ratio",
        decimals(2),
        "captions that name the first value alone / captions that name the second alone",
        reference=_PAPER,
        undefined=f"{_TWO}, or no caption names the second value alone",
        table="errors",
    ),
    _quantity(
        "annotated_ratio",
        "annotated",
        decimals(2),
        "captions of images annotated with the first value / with the second",
        reference=_PAPER,
        undefined=f"{_TWO}, or no image has the second value",
        table="errors",
    ),
    _quantity(
        "ratio_gap",
        "gap",
        signed(2),
        "annotated_ratio - ratio: above 0, the first value is named less often than it is shown",
        reference=_PAPER,
        undefined="one of the two ratios is",
        table="errors",
    ),
    _quantity(
        "outcome_divergence",
        "divergence",
        decimals(3),
        "Jensen-Shannon divergence, base 2, between the shares (correct, incorrect, neither) of two values",
        reference="lin1991divergence",
        direction="lower",
        undefined=f"{_TWO}, or one of them has no captions",
        table="errors",
        chart="Outcome divergence",
        meaning="How differently the two groups are treated: 0 is alike, 1 is as unlike as can be.",
        highest=1,
    ),
)
"""Of two values."""

QUANTITIES: list[Quantity[Any]] = [
    _IMAGES,
    _CAPTIONS,
    _quantity(
        "error",
        "error",
        percent,
        "captions that name one value, and not the annotated one / captions",
        reference=_PAPER,
        direction="lower",
        undefined=_NO_CAPTIONS,
        table="errors",
        chart="Error",
        meaning="Captions that name another group than the annotated one.",
        highest=1,
    ),
    *_OUTCOMES[::2],
    *PAIR_QUANTITIES,
]
"""Of one system. The ratios and the divergence are those of a group with two values."""

DIFFERENCES: Quantity[Any] = defined(
    "differences",
    "share of correct, incorrect or neither in one annotated group less that in another",
    undefined="one of them has no captions",
)
WRONG_WORDS: Quantity[Any] = defined(
    "wrong_words.captions", "incorrect captions with the word that names the value"
)


def documented() -> list[Quantity[Any]]:
    """Return all that errors report, for the reference page."""
    return [*QUANTITIES, _OUTCOMES[1], DIFFERENCES, WRONG_WORDS]
