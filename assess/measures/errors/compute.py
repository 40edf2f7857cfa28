"""How often captions name the annotated group, another one or none: shares, ratios and divergence.

Images are the unit of analysis. A share has a score interval for the number of captions divided by their
design effect, which accounts for several captions per image. Ratios and divergence are bootstrapped over
images. To report another number, add it to a list of quantities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assess.measures.bias.tables import UNDEFINED, Estimate, rate_difference, score_interval
from assess.measures.intervals import (
    FEWEST_IMAGES,
    Resampling,
    Triple,
    resample,
    tally_statistics,
)
from assess.measures.measure import Model, Row
from assess.measures.metric import Counts, ratio
from assess.report.quantity import Quantity, by_key, defined
from assess.report.text import count, decimals, percent, signed

Outcome = Literal["correct", "incorrect", "neither"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""Whether a caption names only the annotated value, only another value, or neither (none or several)."""
_INCORRECT, _NAMED = OUTCOMES.index("incorrect"), len(OUTCOMES)


def outcome_of(annotated: str, named: Sequence[str]) -> Outcome:
    """Return whether a caption names the annotated value; several named values count as `neither`."""
    if len(named) != 1:
        return "neither"
    return "correct" if named[0] == annotated else "incorrect"


class ListedCaption(Model):
    """A caption behind a number."""

    image_id: str
    record: int  # its number in the file
    annotated: str
    outcome: Outcome
    named: tuple[str, ...]
    words: tuple[str, ...]  # the words that name a value
    caption: str


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """The captions of each image by annotated value and outcome, and by the only value that they name."""

    values: tuple[str, ...]
    images: tuple[str, ...]
    counts: Counts  # a row for each image: for each value, its captions by outcome, and those that name it

    @classmethod
    def of(cls, captions: Iterable[ListedCaption], values: Sequence[str]) -> Tallies:
        """Count captions. Images are sorted by id, so that random draws do not depend on the file's order."""
        places = {value: place for place, value in enumerate(values)}
        rows: dict[str, Counts] = {}
        for caption in captions:
            row = rows.setdefault(caption.image_id, np.zeros((len(places), _NAMED + 1)))
            row[places[caption.annotated], OUTCOMES.index(caption.outcome)] += 1
            if len(caption.named) == 1 and caption.named[0] in places:
                row[places[caption.named[0]], _NAMED] += 1
        images = tuple(sorted(rows))
        counts = np.array([rows[image] for image in images])
        return cls(tuple(values), images, counts.reshape(len(images), len(places) * (_NAMED + 1)))

    def outcomes(self, value: str) -> Counts:
        """Return the captions by outcome of each image with this annotated value; others have no row."""
        found = _outcomes(self.counts)[:, self.values.index(value)]
        return np.asarray(found[found.sum(axis=1) > 0])

    @property
    def of_all(self) -> Counts:
        """The captions of every image by outcome, for all values."""
        return np.asarray(_outcomes(self.counts).sum(axis=1))


def _by_value(counts: Counts) -> Counts:
    width = _NAMED + 1
    return counts.reshape(*counts.shape[:-1], counts.shape[-1] // width, width)


def _outcomes(counts: Counts) -> Counts:
    """Return captions by annotated value and outcome (... x values x OUTCOMES)."""
    return np.asarray(_by_value(counts)[..., :_NAMED])


Numbers = dict[str, Any]
"""Numbers, and estimates with intervals, by the keys of quantities."""


def outcome_shares(outcomes: Counts) -> Numbers:
    """Return the share of each outcome, given the captions of each image by outcome."""
    captions = outcomes.sum(axis=1)
    shares: Numbers = {outcome: share(outcomes[:, place], captions) for place, outcome in enumerate(OUTCOMES)}
    return {"images": len(outcomes), "captions": int(captions.sum()), **shares}


def share(hits: NDArray[np.float64], captions: NDArray[np.float64], *, level: float = 0.95) -> Estimate:
    """Return the share of captions that are hits, with an interval for several captions per image.

    The design effect is the variance over images divided by that of the same number of independent captions
    (Kish 1965). The result is a score interval for captions divided by it; with one caption per image,
    Wilson's interval.
    """
    total = float(captions.sum())
    if not total:
        return UNDEFINED
    yes = float(hits.sum())
    size = total / _design_effect(hits, captions)
    found = score_interval(yes / total * size, size, level=level)
    return found._replace(value=yes / total)


def _design_effect(hits: NDArray[np.float64], captions: NDArray[np.float64]) -> float:
    total = captions.sum()
    rate = hits.sum() / total
    if rate in (0, 1):
        return float(total / len(captions))  # nothing varies, so each image may be worth just one caption
    by_image = np.square(hits - rate * captions).sum()
    return float(max(1.0, by_image / (total * rate * (1 - rate))))


def divergence(first: Counts, second: Counts) -> Counts:
    """Return the Jensen-Shannon divergence (base 2) of two distributions of counts, 0 to 1 (Lin 1991)."""
    shares = [ratio(counts, counts.sum(axis=-1, keepdims=True)) for counts in (first, second)]
    mean = (shares[0] + shares[1]) / 2
    found = _entropy(mean) - (_entropy(shares[0]) + _entropy(shares[1])) / 2
    return np.asarray(np.clip(found, 0.0, 1.0))  # rounding may make it slightly negative


def _entropy(shares: Counts) -> Counts:
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logarithms).sum(axis=-1))


# Comparisons of two values of a group, as functions of summed tallies.


def _divergence(pair: tuple[int, int], counts: Counts) -> Counts:
    return divergence(*(_outcomes(counts)[..., place, :] for place in pair))


def _ratio(pair: tuple[int, int], counts: Counts) -> Counts:
    return np.asarray(ratio(*(_by_value(counts)[..., place, _NAMED] for place in pair)))


def _annotated(pair: tuple[int, int], counts: Counts) -> Counts:
    return np.asarray(ratio(*(_outcomes(counts)[..., place, :].sum(axis=-1) for place in pair)))


def _ratio_gap(pair: tuple[int, int], counts: Counts) -> Counts:
    return np.asarray(_annotated(pair, counts) - _ratio(pair, counts))


def _error_rate(counts: Counts) -> Counts:
    outcomes = _outcomes(counts).sum(axis=-2)
    return np.asarray(ratio(outcomes[..., _INCORRECT], outcomes.sum(axis=-1)))


def comparable(values: int) -> dict[str, Callable[[Counts], Counts]]:
    """Return the numbers by which systems are compared, for a group with this many values."""
    two = {"outcome_divergence": partial(_divergence, (0, 1))} if values == 2 else {}
    return {"error": _error_rate, **two}


CENTRED = frozenset({"outcome_divergence"})
"""Never negative, so resamples are above the estimate, and the interval would always exclude 0."""


def pair_numbers(tallies: Tallies, pair: tuple[str, str], resampling: Resampling) -> Numbers:
    """Return how often two values of a group are named and shown, as ratios."""
    places = (tallies.values.index(pair[0]), tallies.values.index(pair[1]))
    values = {
        "ratio": partial(_ratio, places),
        "ratio_gap": partial(_ratio_gap, places),
        "outcome_divergence": partial(_divergence, places),
    }
    drawn = resample(
        len(tallies.images),
        tally_statistics(tallies.counts, values),
        resamples=resampling.resamples,
        seed=resampling.seed,
    ).centred(CENTRED)
    enough = len(tallies.images) >= FEWEST_IMAGES
    found = {name: _with_bounds(drawn.interval(name, level=resampling.level), enough) for name in values}
    # the shifted bounds must stay in this range
    low, high = np.clip(found["outcome_divergence"][1:], 0.0, 1.0).tolist()
    return {
        **found,
        "annotated_ratio": float(_annotated(places, tallies.counts.sum(axis=0))),
        "outcome_divergence": Estimate(found["outcome_divergence"].value, low, high),
    }


def _with_bounds(found: Estimate, enough: bool) -> Estimate:
    # A value that is the same in all resamples is not certain: errors may just not have occurred yet.
    return found if enough and found.low < found.high else Estimate(found.value, np.nan, np.nan)


class NamedPair(Row):
    """How often two values of a group are named."""

    group: str
    against: str
    differences: dict[str, Triple]  # for the share of each outcome: the group's minus the other's


def error_numbers(tallies: Tallies, resampling: Resampling) -> dict[str, Any]:
    """Return all numbers of a system's tallies: its own, and those of `groups` and `pairs` of values."""
    groups = {value: outcome_shares(tallies.outcomes(value)) for value in tallies.values}
    pairs = {pair: pair_numbers(tallies, pair, resampling) for pair in combinations(tallies.values, 2)}
    found = outcome_shares(tallies.of_all)
    # Numbers of two values are undefined for groups with more values.
    found |= {"error": found["incorrect"]} | (next(iter(pairs.values())) if len(pairs) == 1 else _NO_PAIR)
    return {
        "groups": {value: Row(**with_intervals(SHARE_QUANTITIES, one)) for value, one in groups.items()},
        "pairs": tuple(
            NamedPair(
                group=first,
                against=second,
                differences={
                    outcome: rate_difference(groups[first][outcome], groups[second][outcome])
                    for outcome in OUTCOMES
                },
                **with_intervals(PAIR_QUANTITIES, numbers),
            )
            for (first, second), numbers in pairs.items()
        ),
        **with_intervals(QUANTITIES, found),
    }


_NO_PAIR: Numbers = {
    "ratio": UNDEFINED,
    "annotated_ratio": UNDEFINED.value,
    "ratio_gap": UNDEFINED,
    "outcome_divergence": UNDEFINED,
}


# Reported numbers.

_PAPER = "burns2018women"
_NO_CAPTIONS = "no captions of such images"
_TWO = "a group with more than two values (`pairs` has each pair)"


def with_intervals(quantities: Iterable[Quantity[Any]], found: Numbers) -> dict[str, Any]:
    """Return all numbers by key, with the ends of their intervals under KEY_interval."""
    plain = {key: each.value if isinstance(each, Estimate) else each for key, each in found.items()}
    numbers: dict[str, Any] = {}
    for quantity in quantities:
        numbers[quantity.key] = quantity.get(plain)
        if isinstance(estimate := found.get(quantity.key), Estimate):
            numbers[f"{quantity.key}_interval"] = (estimate.low, estimate.high)
    return numbers


_IMAGES = by_key("images", "images", count, "annotated images with a caption", table="errors")
_CAPTIONS = by_key("captions", "captions", count, "captions of these images")
_OUTCOMES = (
    by_key(
        "correct",
        "correct",
        percent,
        "captions that name the annotated value and no other / captions",
        direction="higher",
        undefined=_NO_CAPTIONS,
        table="outcomes",
    ),
    by_key(
        "incorrect",
        "incorrect",
        percent,
        "captions that name one value, and not the annotated one / captions",
        direction="lower",
        undefined=_NO_CAPTIONS,
        table="outcomes",
    ),
    by_key(
        "neither",
        "neither",
        percent,
        "captions that name no value, or several / captions",
        undefined=_NO_CAPTIONS,
        table="outcomes",
    ),
)
SHARE_QUANTITIES: Sequence[Quantity[Any]] = (_IMAGES, _CAPTIONS, *_OUTCOMES)
"""For images with one annotated value."""

PAIR_QUANTITIES: Sequence[Quantity[Any]] = (
    by_key(
        "ratio",
        "ratio",
        decimals(2),
        "captions that name the first value alone / captions that name the second alone",
        reference=_PAPER,
        undefined=f"{_TWO}, or no caption names the second value alone",
        table="errors",
    ),
    by_key(
        "annotated_ratio",
        "annotated",
        decimals(2),
        "captions of images annotated with the first value / with the second",
        reference=_PAPER,
        undefined=f"{_TWO}, or no image has the second value",
        table="errors",
    ),
    by_key(
        "ratio_gap",
        "gap",
        signed(2),
        "annotated_ratio - ratio: above 0, captions name the first value less often than images show it",
        reference=_PAPER,
        undefined="one of the two ratios is undefined",
        table="errors",
    ),
    by_key(
        "outcome_divergence",
        "divergence",
        decimals(3),
        "Jensen-Shannon divergence, base 2, between the shares (correct, incorrect, neither) of two values",
        reference="lin1991divergence",
        direction="lower",
        undefined=f"{_TWO}, or one of them has no captions",
        table="errors",
        chart="Outcome divergence",
        meaning="How differently captions treat the two groups, from 0 (identical) to 1.",
        highest=1,
    ),
)
"""For two values."""

QUANTITIES: list[Quantity[Any]] = [
    _IMAGES,
    _CAPTIONS,
    by_key(
        "error",
        "error",
        percent,
        "captions that name one value, and not the annotated one / captions",
        reference=_PAPER,
        direction="lower",
        undefined=_NO_CAPTIONS,
        table="errors",
        chart="Error",
        meaning="Captions that name a group other than the annotated one.",
        highest=1,
    ),
    *_OUTCOMES[::2],
    *PAIR_QUANTITIES,
]
"""For one system. The ratios and the divergence apply to a group with two values."""

DIFFERENCES: Quantity[Any] = defined(
    "differences",
    "share of correct, incorrect or neither in one annotated group - that share in another",
    undefined="one of the groups has no captions",
)
WRONG_WORDS: Quantity[Any] = defined(
    "wrong_words.captions", "incorrect captions with the word that names the value"
)


def documented() -> list[Quantity[Any]]:
    """Return all numbers of the measure for the reference page."""
    return [*QUANTITIES, _OUTCOMES[1], DIFFERENCES, WRONG_WORDS]
