"""Intervals of measures and paired differences between systems, by resampling images."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from assess.audit.multiplicity import benjamini_hochberg
from assess.metrics.bootstrap import (
    FEWEST_IMAGES,
    RESAMPLES,
    Difference,
    Interval,
    Resampled,
    Statistic,
    resample,
)

Statistics = Mapping[str, Mapping[str, Statistic]]  # system -> measure -> statistic


@dataclass(frozen=True, slots=True)
class Resampling:
    """How images are resampled."""

    resamples: int = RESAMPLES
    level: float = 0.95
    seed: int = 1


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The first system's value of a measure minus the second's, on the same images."""

    measure: str
    first: str
    second: str
    difference: Difference
    q: float  # Benjamini–Hochberg over all differences of the run


@dataclass(frozen=True, slots=True)
class PairedIntervals:
    """Intervals of every measure of every system, and of all differences between two systems."""

    images: int  # that all systems describe; all values here are of these
    left_out: Mapping[str, int]  # images of each system that another one lacks
    resampling: Resampling
    intervals: Mapping[str, Mapping[str, Interval]]  # system -> measure
    differences: tuple[PairedDifference, ...]

    @property
    def enough(self) -> bool:
        """Whether there are enough images for intervals; without them all bounds are undefined."""
        return self.images >= FEWEST_IMAGES

    def notes(self) -> tuple[str, ...]:
        """Return what a reader must know of the images behind the intervals."""
        if not self.images:
            return ("no image is described by all systems: there are no intervals",)
        if not self.enough:
            return (f"fewer than {FEWEST_IMAGES} images to resample: there are no intervals",)
        if any(self.left_out.values()):
            return (f"intervals are on the {self.images:,} images that all systems describe",)
        return ()


def paired_intervals(
    images: Sequence[str],
    statistics: Statistics,
    *,
    left_out: Mapping[str, int],
    resampling: Resampling,
    centred: Collection[str] = (),
) -> PairedIntervals:
    """Return the intervals of statistics of these images, resampled together for all systems.

    The resamples of `centred` measures are moved so that their mean is the estimate. A few images
    give estimates without bounds.
    """
    flat = {
        (system, measure): one for system, measures in statistics.items() for measure, one in measures.items()
    }
    names = {key: f"{number}" for number, key in enumerate(flat)}
    found = resample(
        len(images),
        {names[key]: statistic for key, statistic in flat.items()},
        resamples=resampling.resamples,
        seed=resampling.seed,
    )
    if len(images) < FEWEST_IMAGES:
        found = _without_bounds(found)
    found = _centred(found, [name for (_, measure), name in names.items() if measure in centred])
    level = resampling.level
    return PairedIntervals(
        images=len(images),
        left_out=dict(left_out),
        resampling=resampling,
        intervals={
            system: {measure: found.interval(names[system, measure], level=level) for measure in measures}
            for system, measures in statistics.items()
        },
        differences=_differences(statistics, names, found, level),
    )


def _without_bounds(found: Resampled) -> Resampled:
    return replace(found, values={name: np.full_like(each, np.nan) for name, each in found.values.items()})


def _centred(found: Resampled, names: Sequence[str]) -> Resampled:
    """Return the resamples without the bias that repeating images brings into counts of distinct things.

    A resample has some images twice and so always has less variety. With 40,000 images and windows of
    a hundred captions nobody sees it; with 400 the interval would miss its own estimate.
    """
    values = dict(found.values)
    for name in names:
        defined = values[name][np.isfinite(values[name])]
        if defined.size:
            values[name] = values[name] - defined.mean() + found.estimates[name]
    return replace(found, values=values)


def _differences(
    statistics: Statistics, names: Mapping[tuple[str, str], str], found: Resampled, level: float
) -> tuple[PairedDifference, ...]:
    measures = dict.fromkeys(measure for of_system in statistics.values() for measure in of_system)
    pairs = [
        (measure, first, second, found.difference(names[first, measure], names[second, measure], level=level))
        for measure in measures
        for first, second in combinations(statistics, 2)
        if measure in statistics[first] and measure in statistics[second]
    ]
    q_values = benjamini_hochberg([difference.p for *_, difference in pairs])
    return tuple(PairedDifference(*pair, q) for pair, q in zip(pairs, q_values, strict=True))
