"""Intervals by resampling images, the same images for every system.

The captions and labels of one image are not independent of each other, so images are drawn, not
captions. A resample is a weight for each image: how often it was drawn. Every measure whose tallies
add is then its value of weights x tallies, and a difference between systems is taken within a
resample, which is what makes the comparison paired.

Sums of distinct things (types, coverage, distinct captions) are left out on purpose: a resample
repeats images and so always has fewer types than the whole; its interval would miss its own estimate.
"""

from __future__ import annotations

import math
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
FEWEST_IMAGES = 10  # with fewer, resamples repeat so much that an interval would feign certainty
MOST_UNDEFINED = 0.05  # of resamples, where a column of numbers has an interval
_BLOCK_CELLS = 2_000_000  # weights held at once: 16 MB, whatever the number of images and resamples

Found = TypeVar("Found")
Tallies = NDArray[np.number[Any]]  # whole numbers where these take less memory
# Weights of images, one resample a row -> one value a row.
Statistic = Callable[[Counts], Counts]


def tally_statistic(tallies: Tallies, value: Callable[[Counts], Counts]) -> Statistic:
    """Return the statistic of a measure with these tallies, one row an image, and this value of their sum."""
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
    """Return the sums of tallies, weighted by each row of weights; whole numbers are converted in parts."""
    if tallies.dtype == weights.dtype:
        return np.asarray(weights @ tallies)
    found = np.zeros((len(weights), tallies.shape[1]))
    for part in stretches(len(tallies)):
        found += weights[:, part] @ tallies[part].astype(weights.dtype)
    return found


def latest(function: Callable[[Counts], Found]) -> Callable[[Counts], Found]:
    """Return a function that remembers its latest result: all statistics are asked with the same weights."""
    known: list[tuple[Counts, Found]] = []

    def remembered(weights: Counts) -> Found:
        if not known or known[0][0] is not weights:
            known[:] = [(weights, function(weights))]
        return known[0][1]

    return remembered


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


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """The values of several statistics on the same resamples of the same images."""

    estimates: Mapping[str, float]
    values: Mapping[str, NDArray[np.float64]]  # one value a resample
    seed: int

    def interval(self, name: str, *, level: float = 0.95) -> Estimate:
        """Return one statistic with its percentile interval (Efron & Tibshirani 1993)."""
        return percentiles(self.estimates[name], self.values[name], level=level)

    def centred(self, names: Collection[str]) -> Resampled:
        """Return the resamples of some statistics without the bias that repeating images brings in.

        A resample has some images twice and so always has less variety. With 40,000 images and windows of
        a hundred captions nobody sees it; with 400 the interval would miss its own estimate.
        """
        values = dict(self.values)
        for name in names:
            defined = values[name][np.isfinite(values[name])]
            if defined.size:
                values[name] = values[name] - defined.mean() + self.estimates[name]
        return replace(self, values=values)

    def difference(self, first: str, second: str, *, level: float = 0.95) -> tuple[Estimate, float]:
        """Return first minus second, taken within each resample, and how surely it has its sign.

        That is a two-sided p, from the share of resamples on the other side of 0.
        """
        differences = self.values[first] - self.values[second]
        estimate = self.estimates[first] - self.estimates[second]
        return percentiles(estimate, differences, level=level), _p_value(differences)


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
    """Return the values of statistics, one row per resample; all are asked with the same weights in turn."""
    blocks: dict[str, list[Counts]] = {name: [] for name in statistics}
    for weights in resample_weights(images, resamples=resamples, seed=seed):
        for name, statistic in statistics.items():
            blocks[name].append(statistic(weights))
    return {name: np.concatenate(values) for name, values in blocks.items()}


def column_bounds(values: Counts, *, moved_to: Counts | None = None) -> list[tuple[float, float]]:
    """Return the middle 95% of each column; undefined where too many resamples have no value.

    Columns are moved so that their means are those of `moved_to`, which takes out the bias of resamples.
    """
    known = np.isnan(values).mean(axis=0) <= MOST_UNDEFINED
    defined = np.where(known, values, 0.0)
    moved = 0.0 if moved_to is None else moved_to - np.nanmean(defined, axis=0)
    low, high = np.nanquantile(defined, [0.025, 0.975], axis=0) + np.where(known, moved, np.nan)
    return list(zip(low.tolist(), high.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """The tallies of systems on the images that all of them have, one row an image, in one order."""

    images: int
    tallies: Mapping[str, Tallies]
    places: Mapping[str, Column]  # the image of each row that was given, or -1 where another system lacks it
    left_out: Mapping[str, int]  # images of each system that another one lacks


def pair(tallies: Mapping[str, Mapping[str, Counts]]) -> Paired:
    """Return the tallies (system -> image -> counts) paired by image id; images are sorted by it."""
    return pair_rows({system: (list(images), _matrix(images)) for system, images in tallies.items()})


def _matrix(tallies: Mapping[str, Counts]) -> Counts:
    width = next((tally.size for tally in tallies.values()), 0)
    return np.array(list(tallies.values()), dtype=float).reshape(len(tallies), width)


def pair_rows(rows: Mapping[str, tuple[Iterable[str], Tallies]]) -> Paired:
    """Return the same from rows of images in any order (system -> images, rows); those of one image add."""
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


# Many tests at once: how often a family of findings may be wrong.


def benjamini_hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return the q of each p in a family (Benjamini & Hochberg 1995), in the order given.

    An undefined p (nan) is no test: its q is undefined too, and it does not count in the family.
    """
    ranked = sorted((p, place) for place, p in enumerate(p_values) if not math.isnan(p))
    q_values = [math.nan] * len(p_values)
    smallest = 1.0
    for rank in range(len(ranked), 0, -1):
        p, place = ranked[rank - 1]
        smallest = min(smallest, p * len(ranked) / rank)
        q_values[place] = smallest
    return tuple(q_values)


# Intervals of measures and paired differences between systems, by resampling images.

Statistics = Mapping[str, Mapping[str, Statistic]]  # system -> measure -> statistic


@dataclass(frozen=True, slots=True)
class Resampling:
    """How images are resampled."""

    resamples: int = RESAMPLES
    level: float = 0.95
    seed: int = 1


Triple = tuple[Number, Number, Number]
"""An estimate, and the ends of its interval."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first system's value of a measure minus the second's, on the same images.

    No model: a thousand systems have two million of these, and a model takes six times the memory.
    """

    measure: str
    first: str
    second: str
    difference: Triple
    p: Number
    q: Number  # Benjamini–Hochberg over all differences of the run


class Intervals(Model):
    """Intervals of every measure of every system, and of all differences between two systems."""

    images: int  # that all systems describe; all values here are of these
    left_out: dict[str, int]  # images of each system that another one lacks
    level: float
    resamples: int
    seed: int
    systems: dict[str, dict[str, Triple]]  # system -> measure
    differences: tuple[PairedDifference, ...]
    notes: tuple[str, ...]

    @property
    def enough(self) -> bool:
        """Whether there are enough images for intervals; without them all bounds are undefined."""
        return self.images >= FEWEST_IMAGES

    def of(self, measure: str) -> list[tuple[str, Number, Number, Number]]:
        """Return a measure of the systems that have it, as a chart draws it."""
        return [(name, *found[measure]) for name, found in self.systems.items() if measure in found]


def _notes(images: int, left_out: Mapping[str, int]) -> tuple[str, ...]:
    """Return what a reader must know of the images behind the intervals."""
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
    """Return the intervals of statistics of these images, resampled together for all systems.

    The resamples of `centred` measures are moved so that their mean is the estimate. A few images
    give estimates without bounds.
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
    """Return the intervals of measures whose tallies (system -> image) add, on the images of all systems."""
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
    measures = dict.fromkeys(measure for of_system in statistics.values() for measure in of_system)
    pairs = [
        (measure, first, second)
        for measure in measures
        for first, second in combinations(statistics, 2)
        if measure in statistics[first] and measure in statistics[second]
    ]
    numbers = np.empty((len(pairs), 4))
    for place, (measure, first, second) in enumerate(pairs):
        estimate, p = found.difference(names[first, measure], names[second, measure], level=level)
        numbers[place] = *estimate, p
    q_values = benjamini_hochberg(numbers[:, 3].tolist())
    return tuple(
        PairedDifference(*pair, (value, low, high), p, q)
        for pair, (value, low, high, p), q in zip(
            pairs, map(np.ndarray.tolist, numbers), q_values, strict=True
        )
    )
