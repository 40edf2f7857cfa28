"""Intervals by resampling images, with the same resamples for every system.

The captions and labels of an image are not independent of each other, so images are drawn, not captions. A
resample is a weight for each image: how often it was drawn. The value of a measure with additive tallies then
depends on weights x tallies, and a difference between systems is computed within each resample, which makes
it paired.

Numbers of distinct items (types, coverage, distinct captions) have no intervals, on purpose: a resample
repeats images and therefore always has fewer types than the whole; the interval would miss its own estimate.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from assess.engine.columns import Column, numbered, stretches
from assess.errors import UsageError, some
from assess.measures.bias.tables import Estimate, percentiles
from assess.measures.measure import Model, Number
from assess.measures.metric import Counts, ratio

RESAMPLES = 1000
FEWEST_IMAGES = 10  # with fewer, resamples repeat so much that an interval would pretend certainty
MOST_UNDEFINED = 0.05  # share of resamples for which a column may be undefined and still have an interval
# weights in memory at once: 16 MB, regardless of the numbers of images and resamples
_BLOCK_CELLS = 2_000_000

Found = TypeVar("Found")
Tallies = NDArray[np.number[Any]]  # integers if these need less memory
# Weights of images with one resample per row -> one value for each row.
Statistic = Callable[[Counts], Counts]


def tally_statistic(tallies: Tallies, value: Callable[[Counts], Counts]) -> Statistic:
    """Return a statistic, given tallies with one row per image and a function of their sum."""
    return tally_statistics(tallies, {"": value})[""]


def tally_statistics(
    tallies: Tallies, values: Mapping[str, Callable[[Counts], Counts]]
) -> dict[str, Statistic]:
    """Return the statistics of several measures with the same tallies, which are summed once for all."""
    sums = latest(lambda weights: weighted_sums(weights, tallies))

    def statistic(value: Callable[[Counts], Counts]) -> Statistic:
        return lambda weights: value(sums(weights))

    return {name: statistic(value) for name, value in values.items()}


def weighted_sums(weights: Counts, tallies: Tallies) -> Counts:
    """Return the sums of tallies for each row of weights; integers are converted in parts."""
    if tallies.dtype == weights.dtype:
        return np.asarray(weights @ tallies)
    found = np.zeros((len(weights), tallies.shape[1]))
    for part in stretches(len(tallies)):
        found += weights[:, part] @ tallies[part].astype(weights.dtype)
    return found


def latest(function: Callable[[Counts], Found]) -> Callable[[Counts], Found]:
    """Return a function that caches its latest result, since all statistics get the same weights."""
    known: list[tuple[Counts, Found]] = []

    def remembered(weights: Counts) -> Found:
        if not known or known[0][0] is not weights:
            known[:] = [(weights, function(weights))]
        return known[0][1]

    return remembered


def resample_weights(images: int, *, resamples: int = RESAMPLES, seed: int = 1) -> Iterator[Counts]:
    """Yield blocks of resamples: how often each image was drawn, one resample per row."""
    generator = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // max(1, images))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        weights = np.empty((rows, images))
        for row in range(rows):
            weights[row] = np.bincount(generator.integers(images, size=images), minlength=images)
        yield weights


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """The values of several statistics on the same resamples of the same images."""

    estimates: Mapping[str, float]
    values: Mapping[str, NDArray[np.float64]]  # one value for each resample
    seed: int

    def interval(self, name: str, *, level: float = 0.95) -> Estimate:
        """Return a statistic with its percentile interval (Efron & Tibshirani 1993)."""
        return percentiles(self.estimates[name], self.values[name], level=level)

    def centred(self, names: Collection[str]) -> Resampled:
        """Return the resamples of some statistics, corrected for the bias that repeating images causes.

        A resample contains some images twice and therefore has less variety. With 40,000 images and windows
        of a hundred captions this is invisible; with 400 images, the interval would miss its own estimate.
        """
        values = dict(self.values)
        for name in names:
            defined = values[name][np.isfinite(values[name])]
            if defined.size:
                values[name] = values[name] - defined.mean() + self.estimates[name]
        return replace(self, values=values)

    def difference(self, first: str, second: str, *, level: float = 0.95) -> tuple[Estimate, float]:
        """Return first minus second, computed within each resample, and a p-value for its sign.

        The p-value is two-sided, from the share of resamples on the other side of 0.
        """
        differences = self.values[first] - self.values[second]
        estimate = self.estimates[first] - self.estimates[second]
        return percentiles(estimate, differences, level=level), _p_value(differences)


def _p_value(differences: NDArray[np.float64]) -> float:
    defined = differences[np.isfinite(differences)]
    smaller = min(np.count_nonzero(defined <= 0), np.count_nonzero(defined >= 0))
    # One is added to both counts, because a finite number of resamples cannot show that p is 0.
    return float(min(1.0, 2 * ratio(smaller + 1, defined.size + 1))) if defined.size else float("nan")


def resample(
    images: int, statistics: Mapping[str, Statistic], *, resamples: int = RESAMPLES, seed: int = 1
) -> Resampled:
    """Return all statistics on the same resamples of images; without images, all are `nan`."""
    if resamples < 1:
        raise UsageError(f"the number of resamples must be at least 1, not {resamples}")
    if not images:
        undefined = dict.fromkeys(statistics, np.full(resamples, np.nan))
        return Resampled(dict.fromkeys(statistics, float("nan")), undefined, seed)
    whole = np.ones((1, images))
    estimates = {name: float(statistic(whole)[0]) for name, statistic in statistics.items()}
    return Resampled(estimates, resampled_values(images, statistics, resamples=resamples, seed=seed), seed)


def resampled_values(
    images: int, statistics: Mapping[str, Statistic], *, resamples: int, seed: int
) -> dict[str, Counts]:
    """Return the values of statistics, one row per resample; all of them get the same weights in turn."""
    blocks: dict[str, list[Counts]] = {name: [] for name in statistics}
    for weights in resample_weights(images, resamples=resamples, seed=seed):
        for name, statistic in statistics.items():
            blocks[name].append(statistic(weights))
    return {name: np.concatenate(values) for name, values in blocks.items()}


def column_bounds(values: Counts, *, moved_to: Counts | None = None) -> list[tuple[float, float]]:
    """Return the middle 95% of each column; undefined if too many resamples have no value.

    With `moved_to`, columns are shifted to have its means, which removes the bias of resamples.
    """
    known = np.isnan(values).mean(axis=0) <= MOST_UNDEFINED
    defined = np.where(known, values, 0.0)
    moved = 0.0 if moved_to is None else moved_to - np.nanmean(defined, axis=0)
    low, high = np.nanquantile(defined, [0.025, 0.975], axis=0) + np.where(known, moved, np.nan)
    return list(zip(low.tolist(), high.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """The tallies of systems on the images that all of them share, one row per image, in the same order."""

    images: int
    tallies: Mapping[str, Tallies]
    places: Mapping[str, Column]  # the index of each given row's image, or -1 if another system lacks it
    left_out: Mapping[str, int]  # number of each system's images that another one lacks


def pair(tallies: Mapping[str, Mapping[str, Counts]]) -> Paired:
    """Return the tallies (system -> image -> counts) paired by image id, sorted by it."""
    return pair_rows({system: (list(images), _matrix(images)) for system, images in tallies.items()})


def _matrix(tallies: Mapping[str, Counts]) -> Counts:
    width = next((tally.size for tally in tallies.values()), 0)
    return np.array(list(tallies.values()), dtype=float).reshape(len(tallies), width)


def pair_rows(rows: Mapping[str, tuple[Iterable[str], Tallies]]) -> Paired:
    """Return the same from rows in any order (system -> images, rows); rows of the same image are added."""
    number, numbers = numbered({system: images for system, (images, _) in rows.items()})
    described = {system: np.bincount(of_rows, minlength=number) > 0 for system, of_rows in numbers.items()}
    shared = (
        np.flatnonzero(np.logical_and.reduce(list(described.values()))) if described else np.zeros(0, int)
    )
    place = np.full(number, -1, dtype=np.int32)
    place[shared] = np.arange(len(shared))
    places = {system: place[of_rows] for system, of_rows in numbers.items()}
    tallies: dict[str, Tallies] = {}
    for system, (_, counts) in rows.items():
        found = places[system] >= 0
        tallies[system] = np.zeros((len(shared), counts.shape[1]), dtype=counts.dtype)
        np.add.at(tallies[system], places[system][found], counts[found])
    left_out = {system: int(found.sum()) - len(shared) for system, found in described.items()}
    return Paired(len(shared), tallies, places, left_out)


# Multiple tests: limiting the rate of false findings in a family.


def benjamini_hochberg(p_values: Sequence[float] | Counts) -> tuple[float, ...]:
    """Return the q of each p in a family (Benjamini & Hochberg 1995), in the given order.

    An undefined p (nan) is not a test: its q is undefined, and it does not count in the family.
    """
    given = np.asarray(p_values, dtype=np.float64)
    tests = np.flatnonzero(~np.isnan(given))
    ranked = tests[np.argsort(given[tests], kind="stable")]
    scaled = np.minimum(1.0, given[ranked] * ranked.size / np.arange(1, ranked.size + 1))
    q_values = np.full(given.size, np.nan)
    q_values[ranked] = np.minimum.accumulate(scaled[::-1])[::-1]
    return tuple(q_values.tolist())


# Intervals of measures, and paired differences between systems, by resampling images.

Statistics = Mapping[str, Mapping[str, Statistic]]  # system -> measure -> statistic


@dataclass(frozen=True, slots=True)
class Resampling:
    """How images are resampled."""

    resamples: int = RESAMPLES
    level: float = 0.95
    seed: int = 1


Triple = tuple[Number, Number, Number]
"""An estimate and the ends of its interval."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first system's value of a measure minus the second's, on the same images.

    Not a model: a thousand systems have two million of these, and models take six times as much memory.
    """

    measure: str
    first: str
    second: str
    difference: Triple
    p: Number
    q: Number  # Benjamini–Hochberg over all differences in the run


class Intervals(Model):
    """Intervals of all measures for every system, and of all differences between two systems."""

    images: int  # images that all systems describe, on which all values here are based
    left_out: dict[str, int]  # number of each system's images that another one lacks
    level: float
    resamples: int
    seed: int
    systems: dict[str, dict[str, Triple]]  # system -> measure -> interval
    differences: tuple[PairedDifference, ...]
    notes: tuple[str, ...]

    @property
    def enough(self) -> bool:
        """Whether there are enough images for intervals; otherwise all bounds are undefined."""
        return self.images >= FEWEST_IMAGES

    def of(self, measure: str) -> list[tuple[str, Number, Number, Number]]:
        """Return a measure for the systems that have it, as charts need it."""
        return [(name, *found[measure]) for name, found in self.systems.items() if measure in found]


def _notes(images: int, left_out: Mapping[str, int]) -> tuple[str, ...]:
    """Return notes on the images behind the intervals."""
    if not images:
        return ("no intervals: no image is described by all systems",)
    if images < FEWEST_IMAGES:
        return (f"no intervals: fewer than {FEWEST_IMAGES} images to resample",)
    if any(left_out.values()):
        return (f"intervals are based on the {some(images, 'image')} that all systems describe",)
    return ()


def paired_intervals(
    images: int,
    statistics: Statistics,
    *,
    left_out: Mapping[str, int],
    resampling: Resampling,
    centred: Collection[str] = (),
) -> Intervals:
    """Return the intervals of statistics on these images, resampled together for all systems.

    The resamples of `centred` measures are shifted so that their mean is the estimate. With too few images,
    estimates have no bounds.
    """
    flat = {
        (system, measure): one for system, measures in statistics.items() for measure, one in measures.items()
    }
    names = {key: f"{number}" for number, key in enumerate(flat)}
    found = resample(
        images,
        {names[key]: statistic for key, statistic in flat.items()},
        resamples=resampling.resamples,
        seed=resampling.seed,
    )
    if images < FEWEST_IMAGES:
        found = _without_bounds(found)
    found = found.centred([name for (_, measure), name in names.items() if measure in centred])
    level = resampling.level
    return Intervals(
        images=images,
        left_out=dict(left_out),
        level=level,
        resamples=resampling.resamples,
        seed=resampling.seed,
        systems={
            system: {measure: found.interval(names[system, measure], level=level) for measure in measures}
            for system, measures in statistics.items()
        },
        differences=_differences(statistics, names, found, level),
        notes=_notes(images, left_out),
    )


def tally_intervals(
    tallies: Mapping[str, Mapping[str, Counts]],
    values: Mapping[str, Callable[[Counts], Counts]],
    *,
    resampling: Resampling,
    centred: Collection[str] = (),
) -> Intervals:
    """Return the intervals of measures with additive tallies (system -> image), on the shared images."""
    paired = pair(tallies)
    return paired_intervals(
        paired.images,
        {system: tally_statistics(counts, values) for system, counts in paired.tallies.items()},
        left_out=paired.left_out,
        resampling=resampling,
        centred=centred,
    )


def _without_bounds(found: Resampled) -> Resampled:
    return replace(found, values={name: np.full_like(each, np.nan) for name, each in found.values.items()})


def _differences(
    statistics: Statistics, names: Mapping[tuple[str, str], str], found: Resampled, level: float
) -> tuple[PairedDifference, ...]:
    numbers = array("d")
    for measure, first, second in _pairs(statistics):
        estimate, p = found.difference(names[first, measure], names[second, measure], level=level)
        numbers.extend((*estimate, p))
    rows = np.asarray(numbers).reshape(-1, 4)
    q_values = benjamini_hochberg(rows[:, 3])
    return tuple(
        PairedDifference(*pair, (value, low, high), p, q)
        for pair, (value, low, high, p), q in zip(
            _pairs(statistics), map(np.ndarray.tolist, rows), q_values, strict=True
        )
    )


def _pairs(statistics: Statistics) -> Iterator[tuple[str, str, str]]:
    """Yield each measure with each pair of systems that have it: a thousand systems have two million."""
    for measure in dict.fromkeys(measure for of_system in statistics.values() for measure in of_system):
        yield from (
            (measure, first, second)
            for first, second in combinations(statistics, 2)
            if measure in statistics[first] and measure in statistics[second]
        )
