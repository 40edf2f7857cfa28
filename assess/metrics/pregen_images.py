"""Tier 3 of pre-gen metrics: from the scores of captions to those of images.

Rows are scores; columns are captions before, and images after. Scores are never negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assess.metrics.pregen_captions import CaptionScores, Floats, Places, logarithms

_FEW = 9  # captions of an image up to which comparing neighbours beats a general sort


@dataclass(frozen=True, eq=False)
class CaptionGroup:
    """Images with equally many captions: scores x captions x images, so that work goes along images."""

    captions: CaptionScores
    places: Places  # of the first, second, … captions of the images, one row each

    @cached_property
    def scores(self) -> Floats:
        """The captions' scores."""
        return np.take(self.captions.scores, self.places, axis=1)

    @cached_property
    def sums(self) -> Floats:
        """The sum over each image's captions."""
        return _along(np.add, self.scores)

    @property
    def means(self) -> Floats:
        """The mean over each image's captions."""
        return self.sums / len(self.places)

    @cached_property
    def ordered(self) -> Floats:
        """The captions of each image from the lowest score to the highest."""
        count = len(self.places)
        if count > _FEW:
            return np.asarray(np.sort(self.scores, axis=1))
        rows = self.scores.copy()
        for turn in range(count):
            for at in range(turn % 2, count - 1, 2):
                low = np.minimum(rows[:, at], rows[:, at + 1])
                np.maximum(rows[:, at], rows[:, at + 1], out=rows[:, at + 1])
                rows[:, at] = low
        return rows

    @property
    def medians(self) -> Floats:
        """The middle score, or the mean of the middle two."""
        count = len(self.places)
        return (self.ordered[:, (count - 1) // 2] + self.ordered[:, count // 2]) / 2

    @property
    def maxima(self) -> Floats:
        """The highest score."""
        return _along(np.maximum, self.scores)

    @property
    def minima(self) -> Floats:
        """The lowest score."""
        return _along(np.minimum, self.scores)

    @cached_property
    def logarithms(self) -> Floats:
        """The logarithms of the captions' scores."""
        return np.take(self.captions.logarithms, self.places, axis=1)

    @cached_property
    def mean_logarithms(self) -> Floats:
        """The mean of the logarithms; undefined where zero and infinity meet."""
        with np.errstate(invalid="ignore"):
            return _along(np.add, self.logarithms) / len(self.places)

    @property
    def geometric_means(self) -> Floats:
        """The geometric mean; one with a zero is 0, also beside an infinity."""
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.exp2(self.mean_logarithms)
        return np.where(self.minima == 0, 0.0, means)


AGGREGATES: Mapping[str, Callable[[CaptionGroup], Floats]] = {
    "sum": lambda group: group.sums,
    "mean": lambda group: group.means,
    "median": lambda group: group.medians,
    "geomean": lambda group: group.geometric_means,
    "max": lambda group: group.maxima,
    "min": lambda group: group.minima,
}

# Where the logarithm of an aggregate follows from the captions' logarithms, none is computed anew.
LOGARITHMS: Mapping[str, Callable[[CaptionGroup], Floats]] = {
    "geomean": lambda group: group.mean_logarithms,
    "max": lambda group: _along(np.maximum, group.logarithms),
    "min": lambda group: _along(np.minimum, group.logarithms),
}


class ImageScores:
    """The captions' scores of a batch, grouped once for all aggregates.

    Images come grouped by their number of captions: no aggregate of tier 4 depends on their order.
    """

    def __init__(self, captions: CaptionScores, per_image: Places) -> None:
        self._captions = captions
        self._per_image = per_image

    @cached_property
    def _groups(self) -> list[CaptionGroup]:
        starts = np.cumsum(self._per_image) - self._per_image
        counts = np.unique(self._per_image).tolist()
        return [CaptionGroup(self._captions, _places(starts[self._per_image == n], n)) for n in counts]

    def scores(self, aggregate: str) -> Floats:
        """Return the scores of images; `join` passes those of the captions on."""
        if aggregate == "join":
            return self._captions.scores
        return np.concatenate([AGGREGATES[aggregate](group) for group in self._groups], axis=1)

    def logarithms(self, aggregate: str, scores: Floats) -> Floats:
        """Return the logarithms of the scores, from those of the captions where they tell."""
        if aggregate == "join":
            return self._captions.logarithms
        if aggregate in LOGARITHMS:
            return np.concatenate([LOGARITHMS[aggregate](group) for group in self._groups], axis=1)
        return logarithms(scores)


def _along(ufunc: np.ufunc, captions: Floats) -> Floats:
    """Reduce scores x captions x images along the captions."""
    return np.asarray(ufunc.reduce(captions, axis=1))


def _places(starts: Places, count: int) -> Places:
    return np.asarray(starts[None, :] + np.arange(count)[:, None])
