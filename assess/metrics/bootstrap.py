"""Intervals by resampling images, the same images for every system.

The captions and labels of one image are not independent of each other, so images are drawn, not
captions. A resample is a weight for each image: how often it was drawn. Every measure whose tallies
add is then its value of weights x tallies, and a difference between systems is taken within a
resample, which is what makes the comparison paired.

Sums of distinct things (types, coverage, distinct captions) are left out on purpose: a resample
repeats images and so always has fewer types than the whole; its interval would miss its own estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError
from assess.metrics.metric import Counts, ratio

RESAMPLES = 1000
FEWEST_IMAGES = 10  # with fewer, resamples repeat so much that an interval would feign certainty
_BLOCK_CELLS = 2_000_000  # weights held at once: 16 MB, whatever the number of images and resamples

# Weights of images, one resample a row -> one value a row.
Statistic = Callable[[Counts], Counts]


def tally_statistic(tallies: Counts, value: Callable[[Counts], Counts]) -> Statistic:
    """Return the statistic of a measure with these tallies, one row an image, and this value of their sum."""
    return lambda weights: value(weights @ tallies)


def resample_weights(images: int, *, resamples: int = RESAMPLES, seed: int = 1) -> Iterator[Counts]:
    """Yield blocks of resamples: how often each image was drawn, one resample a row."""
    generator = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // max(1, images))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        weights = np.empty((rows, images))
        for row in range(rows):
            weights[row] = np.bincount(generator.integers(images, size=images), minlength=images)
        yield weights


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its percentile interval."""

    estimate: float
    low: float
    high: float
    level: float
    resamples: int
    undefined: int  # resamples without a value, which the interval leaves out


@dataclass(frozen=True, slots=True)
class Difference:
    """A paired difference between two systems: its interval, and how surely it has its sign."""

    interval: Interval
    p: float  # two-sided, from the share of resamples on the other side of 0


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """The values of several statistics on the same resamples of the same images."""

    estimates: Mapping[str, float]
    values: Mapping[str, NDArray[np.float64]]  # one value a resample
    seed: int

    def interval(self, name: str, *, level: float = 0.95) -> Interval:
        """Return the percentile interval of one statistic (Efron & Tibshirani 1993)."""
        return _percentiles(self.estimates[name], self.values[name], level)

    def difference(self, first: str, second: str, *, level: float = 0.95) -> Difference:
        """Return first minus second, taken within each resample."""
        differences = self.values[first] - self.values[second]
        estimate = self.estimates[first] - self.estimates[second]
        return Difference(_percentiles(estimate, differences, level), _p_value(differences))


def _percentiles(estimate: float, values: NDArray[np.float64], level: float) -> Interval:
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval is between 0 and 1, not {level}")
    defined = values[np.isfinite(values)]
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail]).tolist() if defined.size else (np.nan, np.nan)
    return Interval(estimate, low, high, level, values.size, values.size - defined.size)


def _p_value(differences: NDArray[np.float64]) -> float:
    defined = differences[np.isfinite(differences)]
    smaller = min(np.count_nonzero(defined <= 0), np.count_nonzero(defined >= 0))
    # One is added to both counts: a finite number of resamples cannot show that p is 0.
    return float(min(1.0, 2 * ratio(smaller + 1, defined.size + 1))) if defined.size else float("nan")


def resample(
    images: int, statistics: Mapping[str, Statistic], *, resamples: int = RESAMPLES, seed: int = 1
) -> Resampled:
    """Return the values of all statistics on the same resamples of images; without images all are `nan`."""
    if resamples < 1:
        raise UsageError(f"a bootstrap needs at least one resample, not {resamples}")
    if not images:
        undefined = dict.fromkeys(statistics, np.full(resamples, np.nan))
        return Resampled(dict.fromkeys(statistics, float("nan")), undefined, seed)
    whole = np.ones((1, images))
    estimates = {name: float(statistic(whole)[0]) for name, statistic in statistics.items()}
    blocks: dict[str, list[Counts]] = {name: [] for name in statistics}
    for weights in resample_weights(images, resamples=resamples, seed=seed):
        for name, statistic in statistics.items():
            blocks[name].append(statistic(weights))
    return Resampled(estimates, {name: np.concatenate(values) for name, values in blocks.items()}, seed)


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """The tallies of systems on the images that all of them have, one row an image, in one order."""

    images: tuple[str, ...]
    tallies: Mapping[str, Counts]
    left_out: Mapping[str, int]  # images of each system that another one lacks


def pair(tallies: Mapping[str, Mapping[str, Counts]]) -> Paired:
    """Return the tallies (system -> image -> counts) paired by image id; images are sorted by it."""
    shared = sorted(set.intersection(*(set(images) for images in tallies.values()))) if tallies else []
    matrices = {system: _matrix(images, shared) for system, images in tallies.items()}
    left_out = {system: len(images) - len(shared) for system, images in tallies.items()}
    return Paired(tuple(shared), matrices, left_out)


def _matrix(tallies: Mapping[str, Counts], images: Sequence[str]) -> Counts:
    """Return the tallies of these images as rows; without images it is as wide as a tally all the same."""
    width = next((tally.size for tally in tallies.values()), 0)
    return np.array([tallies[image] for image in images], dtype=float).reshape(len(images), width)
