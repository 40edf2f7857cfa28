"""Bootstrap intervals of content selection: resampled images, the same ones for every system."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from assess.metrics.bootstrap import RESAMPLES, Paired, Resampled, pair, resample, tally_statistic
from assess.metrics.metric import Counts, ratio
from assess.metrics.selection import MEASURES, SelectionSummary


def selection_intervals(
    systems: Mapping[str, SelectionSummary], *, resamples: int = RESAMPLES, seed: int = 1
) -> dict[str, Resampled]:
    """Resample each measure of several systems: precision, recall and f.

    Of a result, `interval(system)` is a system's mean with its interval, and
    `difference(first, second)` the paired difference. Images where a system has no defined score
    are left out of its mean.
    """
    paired = pair({name: _tallies(summary) for name, summary in systems.items()})
    return {
        measure: resample(len(paired.images), _statistics(paired, at), resamples=resamples, seed=seed)
        for at, measure in enumerate(MEASURES, start=1)
    }


def _tallies(summary: SelectionSummary) -> dict[str, Counts]:
    """Return (1, precision, recall, f) of each image: a mean is a sum over the sum of the ones."""
    return {
        image: np.array([1.0, score.precision, score.recall, score.f]) if score.defined else np.zeros(4)
        for image, score in summary.scores.items()
    }


def _statistics(paired: Paired, at: int) -> dict[str, Callable[[Counts], Counts]]:
    return {name: tally_statistic(tallies, _mean_of(at)) for name, tallies in paired.tallies.items()}


def _mean_of(at: int) -> Callable[[Counts], Counts]:
    def mean(sums: Counts) -> Counts:
        means: Counts = ratio(sums[:, at], sums[:, 0])
        return means

    return mean
