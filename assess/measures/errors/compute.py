"""How often captions name the annotated group, another one or none: shares, ratios and divergence.

Images are the unit. A share has a score interval for as many captions as there are over their design effect,
so that five captions of one image count for as much as they tell; ratios and divergence are bootstrapped over
images. To report one more number, add a value to a list of quantities.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assess.measures.bias.tables import UNDEFINED, Estimate, rate_difference, score_interval
from assess.measures.intervals import FEWEST_IMAGES, Resampling, Statistic, resample, tally_statistics
from assess.measures.metric import Counts, ratio
from assess.report.quantity import Quantity, defined, values_of
from assess.report.text import Form, count, decimals, percent, signed

Outcome = Literal["correct", "incorrect", "neither"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""A caption names the annotated value alone, another value alone, or none or several."""


@dataclass(frozen=True, slots=True)
class NamedCaption:
    """What a caption of an image names."""

    image: str
    annotated: str
    named: tuple[str, ...]  # the values that its words tell, each once

    @property
    def outcome(self) -> Outcome:
        """Whether it names the annotated value; one that names several decides for none."""
        if len(self.named) != 1:
            return "neither"
        return "correct" if self.named[0] == self.annotated else "incorrect"


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """The captions of each image by annotated value and outcome, then by the value that they name alone."""

    values: tuple[str, ...]
    images: tuple[str, ...]
    counts: Counts  # a row per image

    @classmethod
    def of(cls, captions: Iterable[NamedCaption], values: Sequence[str]) -> Tallies:
        """Count captions; images are in the order of their ids, so that draws do not depend on the file's."""
        groups = {value: place for place, value in enumerate(values)}
        width = len(groups) * (len(OUTCOMES) + 1)
        rows: dict[str, Counts] = {}
        for caption in captions:
            row = rows.setdefault(caption.image, np.zeros(width))
            row[groups[caption.annotated] * len(OUTCOMES) + OUTCOMES.index(caption.outcome)] += 1
            if len(caption.named) == 1 and caption.named[0] in groups:
                row[len(groups) * len(OUTCOMES) + groups[caption.named[0]]] += 1
        images = tuple(sorted(rows))
        counts = np.array([rows[image] for image in images]).reshape(len(images), width)
        return cls(tuple(values), images, counts)

    def outcomes(self, value: str) -> Counts:
        """Return the captions by outcome of each image with this annotated value; others have no row."""
        found = _outcomes(self.counts, self.values.index(value))
        return np.asarray(found[found.sum(axis=1) > 0])

    @property
    def of_all(self) -> Counts:
        """The captions of every image by outcome, whatever its value."""
        return np.asarray(sum(_outcomes(self.counts, place) for place in range(len(self.values))))


def _outcomes(counts: Counts, place: int) -> Counts:
    return np.asarray(counts[..., place * len(OUTCOMES) : (place + 1) * len(OUTCOMES)])


def _named(counts: Counts, place: int, values: int) -> Counts:
    return np.asarray(counts[..., values * len(OUTCOMES) + place])


@dataclass(frozen=True, slots=True)
class OutcomeShares:
    """How often captions of some images have each outcome."""

    images: int
    captions: int
    correct: Estimate
    incorrect: Estimate
    neither: Estimate


def outcome_shares(outcomes: Counts) -> OutcomeShares:
    """Return the share of each outcome, from the captions of each image by outcome."""
    captions = outcomes.sum(axis=1)
    shares = {outcome: share(outcomes[:, place], captions) for place, outcome in enumerate(OUTCOMES)}
    return OutcomeShares(len(outcomes), int(captions.sum()), **shares)


def share(hits: NDArray[np.float64], captions: NDArray[np.float64], *, level: float = 0.95) -> Estimate:
    """Return the share of captions that are hits, with an interval for images of several captions each.

    The variance by images over that of as many independent captions is the design effect (Kish 1965): a
    score interval of the captions divided by it. With one caption per image it is Wilson's interval.
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
        return float(
            total / len(captions)
        )  # nothing varies, so that each image may be no more than one caption
    by_image = np.square(hits - rate * captions).sum()
    return float(max(1.0, by_image / (total * rate * (1 - rate))))


def divergence(first: Counts, second: Counts) -> Counts:
    """Return the Jensen-Shannon divergence (base 2) of two distributions of counts, 0 to 1 (Lin 1991)."""
    shares = [ratio(counts, counts.sum(axis=-1, keepdims=True)) for counts in (first, second)]
    mean = (shares[0] + shares[1]) / 2
    found = _entropy(mean) - (_entropy(shares[0]) + _entropy(shares[1])) / 2
    return np.asarray(np.clip(found, 0.0, 1.0))  # rounding may leave it a little below 0


def _entropy(shares: Counts) -> Counts:
    logarithms = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logarithms).sum(axis=-1))


# What one value of a group has against another, as functions of summed tallies.


def _divergence(pair: tuple[int, int], counts: Counts) -> Counts:
    return divergence(*(_outcomes(counts, place) for place in pair))


def _ratio(pair: tuple[int, int], values: int, counts: Counts) -> Counts:
    return np.asarray(ratio(*(_named(counts, place, values) for place in pair)))


def _annotated(pair: tuple[int, int], counts: Counts) -> Counts:
    return np.asarray(ratio(*(_outcomes(counts, place).sum(axis=-1) for place in pair)))


def _ratio_gap(pair: tuple[int, int], values: int, counts: Counts) -> Counts:
    return np.asarray(_annotated(pair, counts) - _ratio(pair, values, counts))


def error_rate(values: int, counts: Counts) -> Counts:
    """Return the share of incorrect captions of summed tallies."""
    outcomes = np.asarray(sum(_outcomes(counts, place) for place in range(values)))
    return np.asarray(ratio(outcomes[..., OUTCOMES.index("incorrect")], outcomes.sum(axis=-1)))


@dataclass(frozen=True, slots=True)
class PairNumbers:
    """What is named of one value of a group against another."""

    group: str
    against: str
    differences: dict[Outcome, Estimate]  # of the shares of each outcome: the group's less the other's
    ratio: Estimate  # captions that name the group, for each that names the other
    annotated_ratio: float
    ratio_gap: Estimate
    outcome_divergence: Estimate


def pair_numbers(tallies: Tallies, pair: tuple[str, str], resampling: Resampling) -> PairNumbers:
    """Return the numbers of a pair of values."""
    first, second = (outcome_shares(tallies.outcomes(value)) for value in pair)
    places = (tallies.values.index(pair[0]), tallies.values.index(pair[1]))
    values = len(tallies.values)
    statistics = {
        "ratio": partial(_ratio, places, values),
        "ratio_gap": partial(_ratio_gap, places, values),
        "outcome_divergence": partial(_divergence, places),
    }
    found = _bootstrapped(
        tallies,
        tally_statistics(tallies.counts, statistics),
        resampling,
    )
    return PairNumbers(
        *pair,
        differences={
            outcome: rate_difference(getattr(first, outcome), getattr(second, outcome))
            for outcome in OUTCOMES
        },
        annotated_ratio=float(_annotated(places, tallies.counts.sum(axis=0))),
        ratio=found["ratio"],
        ratio_gap=found["ratio_gap"],
        outcome_divergence=_bounded(found["outcome_divergence"]),
    )


CENTRED = frozenset({"outcome_divergence"})
"""Never negative, so that resamples lie above the estimate: the interval would always leave out 0."""


def _bootstrapped(
    tallies: Tallies, statistics: dict[str, Statistic], resampling: Resampling
) -> dict[str, Estimate]:
    drawn = resample(
        len(tallies.images), statistics, resamples=resampling.resamples, seed=resampling.seed
    ).centred(CENTRED & statistics.keys())
    found = {}
    for name in statistics:
        interval = drawn.interval(name, level=resampling.level)
        # What is the same in every resample is not certain: nobody was named wrongly yet.
        enough = len(tallies.images) >= FEWEST_IMAGES and interval.low < interval.high
        bounds = (interval.low, interval.high) if enough else (np.nan, np.nan)
        found[name] = Estimate(interval.estimate, *bounds)
    return found


def _bounded(estimate: Estimate) -> Estimate:
    """Return a divergence whose interval, once moved, stays between 0 and 1."""
    low, high = np.clip([estimate.low, estimate.high], 0.0, 1.0).tolist()
    return Estimate(estimate.value, low, high)


@dataclass(frozen=True, slots=True)
class ErrorNumbers:
    """All numbers of one system; those of two values are undefined where the group has more (see pairs)."""

    images: int
    captions: int
    error: Estimate
    correct: Estimate
    neither: Estimate
    ratio: Estimate
    annotated_ratio: float
    ratio_gap: Estimate
    outcome_divergence: Estimate
    groups: dict[str, OutcomeShares]
    pairs: tuple[PairNumbers, ...]


def error_numbers(tallies: Tallies, resampling: Resampling) -> ErrorNumbers:
    """Return all numbers of a system's tallies."""
    found = outcome_shares(tallies.of_all)
    pairs = tuple(pair_numbers(tallies, pair, resampling) for pair in combinations(tallies.values, 2))
    only = pairs[0] if len(pairs) == 1 else None
    return ErrorNumbers(
        found.images,
        found.captions,
        found.incorrect,
        found.correct,
        found.neither,
        only.ratio if only else UNDEFINED,
        only.annotated_ratio if only else UNDEFINED.value,
        only.ratio_gap if only else UNDEFINED,
        only.outcome_divergence if only else UNDEFINED,
        {value: outcome_shares(tallies.outcomes(value)) for value in tallies.values},
        pairs,
    )


def comparable(tallies: Tallies) -> dict[str, Statistic]:
    """Return what systems are compared by, as statistics of weights of images."""
    values = len(tallies.values)
    found = {"error": partial(error_rate, values)}
    if values == 2:
        found["outcome_divergence"] = partial(_divergence, (0, 1))
    return tally_statistics(tallies.counts, found)


# What is reported.

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
        meaning="Captions that name a group other than the annotated one.",
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
