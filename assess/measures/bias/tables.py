"""Counts that every statistic of an audit starts from, and intervals of rates: of labels, and over images.

The labels of one image are not independent, so images are resampled too. A tally of an image holds, for each
group, the labels with the category and all labels. Images with equal tallies are interchangeable, so one
multinomial draw over the *distinct* tallies is the same as drawing images one by one, and does not depend on
the order of the images.

Spread over several groups is never shown as the largest rate less the smallest: that number cannot be
negative, so its interval never covers 0. Contrasts between two groups are used instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, PlainSerializer

from assess.errors import UsageError
from assess.report.text import number


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of some things have a property."""

    yes: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.yes <= self.total:
            raise UsageError(
                f"{self.yes} of {self.total} is not a valid count",
                hint="give the labels with the category and all labels of the group",
            )

    @property
    def no(self) -> int:
        """How many do not have the property."""
        return self.total - self.yes

    @property
    def rate(self) -> float:
        """The share that has the property; undefined (nan) when there is nothing to share."""
        return ratio(self.yes, self.total)


@dataclass(frozen=True, slots=True)
class CountTable:
    """A 2x2 table: the labels of a group and of another, with and without a category."""

    yes: int
    labels: int
    other_yes: int
    other_labels: int

    def __post_init__(self) -> None:
        # Building the two rows checks them.
        Tally(self.yes, self.labels)
        Tally(self.other_yes, self.other_labels)

    @classmethod
    def of(cls, group: Tally, other: Tally) -> CountTable:
        """Return the table with these two rows."""
        return cls(group.yes, group.total, other.yes, other.total)

    @classmethod
    def from_cells(cls, yes: int, no: int, other_yes: int, other_no: int) -> CountTable:
        """Return the table with these four cells: [[yes, no], [other_yes, other_no]]."""
        return cls(yes, yes + no, other_yes, other_yes + other_no)

    @property
    def counts(self) -> dict[str, int]:
        """The four counts by the names that results have for them."""
        return {name: getattr(self, name) for name in ("yes", "labels", "other_yes", "other_labels")}

    @property
    def group(self) -> Tally:
        """The first row."""
        return Tally(self.yes, self.labels)

    @property
    def other(self) -> Tally:
        """The second row."""
        return Tally(self.other_yes, self.other_labels)

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """The four cells, row by row: a, b, c, d of the textbooks."""
        return self.yes, self.labels - self.yes, self.other_yes, self.other_labels - self.other_yes

    @property
    def carrying(self) -> int:
        """The labels of both groups that carry the category."""
        return self.yes + self.other_yes

    @property
    def difference(self) -> float:
        """The rate of the group less that of the other."""
        return self.group.rate - self.other.rate

    @property
    def total(self) -> int:
        """All labels of both groups."""
        return self.labels + self.other_labels

    @property
    def swapped(self) -> CountTable:
        """The same table seen from the other group."""
        return CountTable(self.other_yes, self.other_labels, self.yes, self.labels)

    @property
    def comparable(self) -> bool:
        """Whether both groups have labels; otherwise there is no contrast to speak of."""
        return self.labels > 0 and self.other_labels > 0


def collapse(tables: Iterable[CountTable]) -> CountTable:
    """Return the sum of tables, cell by cell."""
    yes = labels = other_yes = other_labels = 0
    for table in tables:
        yes, labels = yes + table.yes, labels + table.labels
        other_yes, other_labels = other_yes + table.other_yes, other_labels + table.other_labels
    return CountTable(yes, labels, other_yes, other_labels)


def ratio(numerator: float, denominator: float) -> float:
    """Divide; 0/0 is undefined (nan), and x/0 is infinite."""
    if denominator:
        return numerator / denominator
    return math.inf if numerator > 0 else math.nan


class Estimate(NamedTuple):
    """A value with the ends of its interval. Undefined parts are nan."""

    value: float
    low: float
    high: float

    def excludes(self, null: float) -> bool:
        """Whether the whole interval lies on one side of a value. An undefined interval excludes nothing."""
        return self.low > null or self.high < null

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval lies between two values. An undefined interval lies nowhere."""
        return low <= self.low and self.high <= high


UNDEFINED = Estimate(math.nan, math.nan, math.nan)


def _estimate(value: Any) -> Any:
    return Estimate(*map(number, value)) if isinstance(value, Sequence) else value


EstimateField = Annotated[Estimate, BeforeValidator(_estimate), PlainSerializer(list)]
"""A value and the ends of its interval; in JSON a list of three numbers."""


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal variable lies within ±z with this probability."""
    check_level(level)
    return NormalDist().inv_cdf((1 + level) / 2)


def check_level(level: float) -> None:
    """Refuse a confidence level that is not a probability strictly between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"a confidence level of {level} is not between 0 and 1", hint="use 0.95 for 95%")


def wilson(yes: int, total: int, *, level: float = 0.95, design_effect: float = 1.0) -> Estimate:
    """Return a rate with its score interval (Wilson 1927).

    With a design effect, so many labels tell as little as one: the interval is that of fewer labels.
    """
    Tally(yes, total)  # which checks the two
    return score_interval(yes / design_effect, total / design_effect, level=level)


def score_interval(yes: float, total: float, *, level: float = 0.95) -> Estimate:
    """Return a rate with its score interval; what is not independent counts for less than one each."""
    z = normal_quantile(level)
    if not total:
        return UNDEFINED
    no = total - yes
    centre = (yes + z * z / 2) / (total + z * z)
    half = z / (total + z * z) * math.sqrt(yes * no / total + z * z / 4)
    # At the ends the bound is known exactly; rounding must not push it past 0 or 1.
    return Estimate(yes / total, centre - half if yes else 0.0, centre + half if no else 1.0)


def label_floor(*tallies: Tally) -> float:
    """Return the variance of rates of independent labels, one more of each kind (Agresti & Caffo 2000)."""
    return math.fsum((t.yes + 1) * (t.no + 1) / (t.total + 2) ** 3 for t in tallies)


def widened_ratio(estimate: Estimate, design_effect: float, *, centre: float | None = None) -> Estimate:
    """Return a ratio whose interval is wider by the root of a design effect, on the scale of logarithms.

    A ratio of 0 or infinity has no place on that scale: its finite bound moves away from `centre`.
    """
    middle = centre if centre is not None and not 0 < estimate.value < math.inf else estimate.value
    if design_effect <= 1 or not 0 < middle < math.inf:
        return estimate
    low, high = (
        middle * (bound / middle) ** math.sqrt(design_effect) if 0 < bound < math.inf else bound
        for bound in (estimate.low, estimate.high)
    )
    return Estimate(estimate.value, low, high)


def risk_difference(
    table: CountTable, *, level: float = 0.95, design_effects: tuple[float, float] = (1.0, 1.0)
) -> Estimate:
    """Return the difference of two rates with Newcombe's hybrid score interval (1998, method 10)."""
    group = wilson(table.yes, table.labels, level=level, design_effect=design_effects[0])
    other = wilson(table.other_yes, table.other_labels, level=level, design_effect=design_effects[1])
    return rate_difference(group, other)


def rate_difference(group: Estimate, other: Estimate) -> Estimate:
    """Return the difference of two independent rates, from their score intervals (Newcombe 1998)."""
    difference = group.value - other.value
    return Estimate(
        difference,
        difference - math.hypot(group.value - group.low, other.high - other.value),
        difference + math.hypot(group.high - group.value, other.value - other.low),
    )


def upper_bound_of_none(total: int, *, level: float = 0.95, design_effect: float = 1.0) -> float:
    """Return the highest rate that still allows 0 of `total` (one-sided Clopper-Pearson bound).

    Nothing seen is not a rate of zero: 1 - (1 - level)^(1/total).
    """
    check_level(level)
    Tally(0, total)
    return -math.expm1(math.log1p(-level) * design_effect / total) if total else math.nan


# Resampling images.

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
BLOCK = 4_000_000
"""So many weights are in memory at once."""


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A contrast of rates with its percentile interval.

    `defined` says in how many of the samples the contrast existed: a rare group can miss in a sample.
    """

    estimate: Estimate
    samples: int
    defined: int


def bootstrap_contrast(
    tallies: ArrayLike,
    contrast: Sequence[float] = (1.0, -1.0),
    *,
    samples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> BootstrapInterval:
    """Return a contrast of rates from per-image tallies (images x groups x yes, labels).

    It has a weight for each group: (1, -1) is a risk difference, (1, -1, -1, 1) the difference of two. The
    groups may also be systems on the same images; then the interval is a paired one.
    """
    check_level(level)
    counts = _checked(tallies, contrast, samples)
    observed = _contrast(_rates(counts.sum(axis=0)[np.newaxis]), contrast)
    replicates = _contrast(np.concatenate(list(_replicates(counts, samples, seed))), contrast)
    defined = int(np.count_nonzero(~np.isnan(replicates)))
    return BootstrapInterval(percentiles(float(observed[0]), replicates, level=level), samples, defined)


def _checked(tallies: ArrayLike, contrast: Sequence[float], samples: int) -> Floats:
    counts = np.asarray(tallies, dtype=np.float64)
    if counts.ndim != 3 or counts.shape[2] != 2 or not counts.size:
        raise UsageError(f"tallies of shape {counts.shape} are not images x groups x (yes, labels)")
    if (counts[..., 0] > counts[..., 1]).any() or (counts < 0).any():
        raise UsageError("a tally has more labels with the category than labels, or fewer than none")
    if len(contrast) != counts.shape[1]:
        raise UsageError(f"a contrast of {counts.shape[1]} groups needs as many weights")
    if samples < 1:
        raise UsageError("a bootstrap needs at least one sample")
    return counts


def _replicates(counts: Floats, samples: int, seed: int) -> Iterator[Floats]:
    """Draw images with replacement, block by block, and yield the rates of the groups (samples x groups)."""
    images, groups, _ = counts.shape
    distinct, frequencies = distinct_rows(counts.reshape(images, groups * 2))
    generator = np.random.Generator(np.random.PCG64(seed))
    block = max(1, BLOCK // len(distinct))
    for start in range(0, samples, block):
        size = min(block, samples - start)
        drawn = generator.multinomial(images, frequencies / images, size=size)
        yield _rates((drawn.astype(np.float64) @ distinct).reshape(size, groups, 2))


def distinct_rows(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the distinct rows in order, and how often each occurs.

    Rows of small whole numbers are compared as one number each, which is many times faster.
    """
    base = float(rows.max()) + 1
    if base ** rows.shape[1] > 2**52:
        distinct, frequencies = np.unique(rows, axis=0, return_counts=True)
        return distinct, frequencies
    codes = rows @ base ** np.arange(rows.shape[1] - 1, -1, -1, dtype=np.float64)
    _, first, frequencies = np.unique(codes, return_index=True, return_counts=True)
    return rows[first], frequencies


def _rates(totals: Floats) -> Floats:
    """Return yes / labels of (samples x groups x 2); nan where a group has no labels."""
    rates = np.full(totals.shape[:2], math.nan)
    np.divide(totals[..., 0], totals[..., 1], out=rates, where=totals[..., 1] > 0)
    return rates


def _contrast(rates: Floats, contrast: Sequence[float]) -> Floats:
    """Return the weighted sum of the rates; a group with weight 0 may be undefined."""
    used = [place for place, weight in enumerate(contrast) if weight]
    total: Floats = rates[:, used] @ np.array([contrast[place] for place in used], dtype=np.float64)
    return total


def percentiles(observed: float, replicates: Floats, *, level: float) -> Estimate:
    """Return an estimate with its percentile interval over the resamples that have a finite value."""
    check_level(level)
    defined = replicates[np.isfinite(replicates)]
    if math.isnan(observed) or not defined.size:
        return Estimate(float(observed), math.nan, math.nan)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(observed), float(low), float(high))


def resampled_sums(
    sources: Sequence[tuple[Integers, Integers]],
    columns: Sequence[int],
    images: int,
    *,
    samples: int,
    seed: int,
) -> list[Floats]:
    """Return the column sums of each source: as observed in the first row, then in every resample of images.

    A source is given by the column and the image of everything that counts in it; it has so many columns.
    All sources are resampled together. Most columns are about few images, so the product is a sparse one.
    """
    from scipy.sparse import csr_array  # heavy, and most intervals need none

    starts = np.cumsum([0, *columns])
    places = np.concatenate([column + start for (column, _), start in zip(sources, starts, strict=False)])
    used, counted = np.unique(np.concatenate([image for _, image in sources]), return_inverse=True)
    # Whole numbers below 2^24 are exact in half the width, and a resample of everything stays below it.
    kind = np.float32 if 4 * len(places) < 2**24 else np.float64
    sparse = csr_array((np.ones(len(places), kind), (places, counted)), shape=(int(starts[-1]), len(used)))
    rows = [np.asarray(sparse.sum(axis=1), dtype=np.float64)[np.newaxis]]
    for weights in _weights(images, len(used), samples, seed):
        rows.append((sparse @ weights.astype(kind)).T.astype(np.float64))
    return np.split(np.concatenate(rows), starts[1:-1], axis=1)


def _weights(images: int, used: int, samples: int, seed: int) -> Iterator[Integers]:
    """Yield how often each of the images that are used at all is drawn: images x samples, in blocks.

    Of as many draws as there are images, those that fall on the others need not be told apart.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    block = max(1, BLOCK // max(1, used))
    for start in range(0, samples, block):
        size = min(block, samples - start)
        weights = np.empty((used, size), dtype=np.int64)
        for sample, draws in enumerate(generator.binomial(images, used / images if images else 0, size=size)):
            weights[:, sample] = np.bincount(generator.integers(used, size=draws), minlength=used)
        yield weights
