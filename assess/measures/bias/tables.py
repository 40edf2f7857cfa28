"""The counts behind all statistics of an audit, and intervals of rates over labels and over images.

The labels of an image are not independent, so images are resampled. The tally of an image contains, for each
group, the labels with the category and all labels. Images with equal tallies are interchangeable, so a
multinomial draw of the *distinct* tallies is equivalent to drawing images, and does not depend on their
order.

The spread over several groups is never shown as the largest rate minus the smallest: that number cannot be
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
    """How many of several items have a property."""

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
        """The share that has the property; undefined (nan) if there are no items."""
        return ratio(self.yes, self.total)


@dataclass(frozen=True, slots=True)
class CountTable:
    """A 2x2 table: the labels of two groups, with and without a category."""

    yes: int
    labels: int
    other_yes: int
    other_labels: int

    def __post_init__(self) -> None:
        # Creating the two rows validates them.
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
        """The four counts under their names in results."""
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
        """The labels of both groups that have the category."""
        return self.yes + self.other_yes

    @property
    def difference(self) -> float:
        """The rate of the group minus that of the other."""
        return self.group.rate - self.other.rate

    @property
    def total(self) -> int:
        """All labels of both groups."""
        return self.labels + self.other_labels

    @property
    def swapped(self) -> CountTable:
        """The same table with the groups swapped."""
        return CountTable(self.other_yes, self.other_labels, self.yes, self.labels)

    @property
    def comparable(self) -> bool:
        """Whether both groups have labels; otherwise there is no contrast."""
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
        """Whether the whole interval is on one side of a value; False if it is undefined."""
        return self.low > null or self.high < null

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval is between two values; False if it is undefined."""
        return low <= self.low and self.high <= high


UNDEFINED = Estimate(math.nan, math.nan, math.nan)


def _estimate(value: Any) -> Any:
    return Estimate(*map(number, value)) if isinstance(value, Sequence) else value


EstimateField = Annotated[Estimate, BeforeValidator(_estimate), PlainSerializer(list)]
"""A value and the ends of its interval; in JSON, a list of three numbers."""


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal variable is within ±z with this probability."""
    check_level(level)
    return NormalDist().inv_cdf((1 + level) / 2)


def check_level(level: float) -> None:
    """Raise an error unless a confidence level is strictly between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"a confidence level of {level} is not between 0 and 1", hint="use 0.95 for 95%")


def wilson(yes: int, total: int, *, level: float = 0.95, design_effect: float = 1.0) -> Estimate:
    """Return a rate with its score interval (Wilson 1927).

    With a design effect of d, the interval is that of 1/d as many labels.
    """
    Tally(yes, total)  # validates the counts
    return score_interval(yes / design_effect, total / design_effect, level=level)


def score_interval(yes: float, total: float, *, level: float = 0.95) -> Estimate:
    """Return a rate with its score interval; counts may be fractions, for labels that are not independent."""
    z = normal_quantile(level)
    if not total:
        return UNDEFINED
    no = total - yes
    centre = (yes + z * z / 2) / (total + z * z)
    half = z / (total + z * z) * math.sqrt(yes * no / total + z * z / 4)
    # At the ends, the bound is known exactly; rounding must not push it past 0 or 1.
    return Estimate(yes / total, centre - half if yes else 0.0, centre + half if no else 1.0)


def label_floor(*tallies: Tally) -> float:
    """Return the variance of rates of independent labels, adding one of each (Agresti & Caffo 2000)."""
    return math.fsum((t.yes + 1) * (t.no + 1) / (t.total + 2) ** 3 for t in tallies)


def widened_ratio(estimate: Estimate, design_effect: float, *, centre: float | None = None) -> Estimate:
    """Return a ratio whose interval is widened by the root of a design effect, on the log scale.

    Ratios of 0 and infinity are not on that scale: their finite bound is moved away from `centre`.
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
    """Return the highest rate that is compatible with 0 of `total` (one-sided Clopper-Pearson bound).

    Observing none does not mean a rate of zero: 1 - (1 - level)^(1/total).
    """
    check_level(level)
    Tally(0, total)
    return -math.expm1(math.log1p(-level) * design_effect / total) if total else math.nan


# Resampling images.

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
BLOCK = 4_000_000
"""The number of weights in memory at once."""


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A contrast of rates with its percentile interval.

    `defined` is the number of samples with a defined contrast: a rare group may be missing from a sample.
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
    """Return a contrast of rates from tallies per image (images x groups x yes, labels).

    `contrast` has a weight for each group: (1, -1) is a risk difference, (1, -1, -1, 1) the difference of
    two. The groups can also be systems on the same images; the interval is then a paired one.
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
    """Draw images with replacement, in blocks, and yield the rates of the groups (samples x groups)."""
    images, groups, _ = counts.shape
    distinct, frequencies = distinct_rows(counts.reshape(images, groups * 2))
    generator = np.random.Generator(np.random.PCG64(seed))
    block = max(1, BLOCK // len(distinct))
    for start in range(0, samples, block):
        size = min(block, samples - start)
        drawn = generator.multinomial(images, frequencies / images, size=size)
        yield _rates((drawn.astype(np.float64) @ distinct).reshape(size, groups, 2))


def distinct_rows(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the distinct rows in order, and their frequencies.

    Rows of small integers are compared as one number each, which is many times faster.
    """
    base = float(rows.max()) + 1
    if base ** rows.shape[1] > 2**52:
        distinct, frequencies = np.unique(rows, axis=0, return_counts=True)
        return distinct, frequencies
    codes = rows @ base ** np.arange(rows.shape[1] - 1, -1, -1, dtype=np.float64)
    _, first, frequencies = np.unique(codes, return_index=True, return_counts=True)
    return rows[first], frequencies


def _rates(totals: Floats) -> Floats:
    """Return yes / labels of (samples x groups x 2); nan if a group has no labels."""
    rates = np.full(totals.shape[:2], math.nan)
    np.divide(totals[..., 0], totals[..., 1], out=rates, where=totals[..., 1] > 0)
    return rates


def _contrast(rates: Floats, contrast: Sequence[float]) -> Floats:
    """Return the weighted sum of the rates; groups with weight 0 may be undefined."""
    used = [place for place, weight in enumerate(contrast) if weight]
    total: Floats = rates[:, used] @ np.array([contrast[place] for place in used], dtype=np.float64)
    return total


def percentiles(observed: float, replicates: Floats, *, level: float) -> Estimate:
    """Return an estimate with its percentile interval over the resamples with a finite value."""
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
    """Return the column sums of each source: observed ones in the first row, then every resample of images.

    A source consists of the column and the image of everything that counts, and its number of columns. All
    sources are resampled together. Most columns involve few images, so a sparse product is used.
    """
    from scipy.sparse import csr_array  # slow to import, and most intervals do not need it

    starts = np.cumsum([0, *columns])
    places = np.concatenate([column + start for (column, _), start in zip(sources, starts, strict=False)])
    used, counted = np.unique(np.concatenate([image for _, image in sources]), return_inverse=True)
    # Integers below 2^24 are exact in single precision, and no resampled sum is larger.
    kind = np.float32 if 4 * len(places) < 2**24 else np.float64
    sparse = csr_array((np.ones(len(places), kind), (places, counted)), shape=(int(starts[-1]), len(used)))
    rows = [np.asarray(sparse.sum(axis=1), dtype=np.float64)[np.newaxis]]
    for weights in _weights(images, len(used), samples, seed, kind):
        rows.append((sparse @ weights.T).T.astype(np.float64))
    return np.split(np.concatenate(rows), starts[1:-1], axis=1)


def _weights(images: int, used: int, samples: int, seed: int, kind: type[np.floating[Any]]) -> Iterator[Any]:
    """Yield how often each of the used images is drawn: samples x images, in blocks.

    There are as many draws as images; draws of unused images need not be distinguished.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    block = max(1, BLOCK // max(1, used))
    for start in range(0, samples, block):
        size = min(block, samples - start)
        weights = np.empty((size, used), dtype=kind)
        for sample, draws in enumerate(generator.binomial(images, used / images if images else 0, size=size)):
            weights[sample] = np.bincount(generator.integers(used, size=draws), minlength=used)
        yield weights
