"""Pre-gen metrics: how good captions will be, from the probabilities of the reference captions' words.

Tanti et al. (2018) define 504 of them in four tiers; `assess.measures.pregen.tiers` explains the
names. Here the tiers are shared: each caption score, image score and total is computed once for all
metrics that need it. Images are taken a batch at a time, so memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from assess.errors import InputError
from assess.measures.pregen.arrays import ImageProbabilities
from assess.measures.pregen.medians import MEMORY_LIMIT, RowMedians
from assess.measures.pregen.tiers import (
    PUBLISHED,
    CaptionScore,
    CaptionScores,
    Floats,
    ImageScores,
    PregenName,
    batch_of,
)

# Tier 4 of pre-gen metrics: from the scores of images to one number a score, as images come in.


class DatasetTotals:
    """Running aggregates of rows of scores. Only what the wanted aggregates need is computed."""

    def __init__(self, rows: int, aggregates: Collection[str], *, memory_limit: int = MEMORY_LIMIT) -> None:
        self.aggregates = frozenset(aggregates)
        self._length = 0
        self._sum = np.zeros(rows)
        self._logarithms = np.zeros(rows)
        self._max = np.full(rows, -np.inf)
        self._min = np.full(rows, np.inf)
        self._medians = RowMedians(rows, memory_limit=memory_limit)

    def add(self, scores: Floats, logarithms: Callable[[], Floats]) -> None:
        """Add the scores of further images; their logarithms are asked for where they are needed."""
        self._length += scores.shape[1]
        if self.aggregates & {"sum", "mean"}:
            self._sum += np.add.reduce(scores, axis=1)
        if "max" in self.aggregates:
            np.maximum(self._max, np.maximum.reduce(scores, axis=1), out=self._max)
        if self.aggregates & {"min", "geomean"}:
            np.minimum(self._min, np.minimum.reduce(scores, axis=1), out=self._min)
        if "geomean" in self.aggregates:
            with np.errstate(invalid="ignore"):
                self._logarithms += np.add.reduce(logarithms(), axis=1)
        if "median" in self.aggregates:
            self._medians.add(scores)

    def result(self, aggregate: str) -> Floats:
        """Return one of the wanted aggregates of every row."""
        if aggregate == "mean":
            return self._sum / self._length
        if aggregate == "median":
            return self._medians.result()
        if aggregate == "geomean":
            return self._geometric_means()
        return {"sum": self._sum, "max": self._max, "min": self._min}[aggregate]

    def close(self) -> None:
        """Give back what the medians hold."""
        self._medians.close()

    def _geometric_means(self) -> Floats:
        """Return geometric means; one with a zero is 0, also beside an infinity."""
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.exp2(self._logarithms / self._length)
        return np.where(self._min == 0, 0.0, means)


BATCH_WORDS = 1 << 15  # few enough for the scores of a batch to stay in the cache of a processor


@dataclass(frozen=True, slots=True)
class PregenScores:
    """The scores by name, in the order they were asked for, and how much they rest on."""

    scores: dict[str, float]
    images: int
    captions: int
    words: int


class PregenTotals:
    """Running pre-gen scores: add images, then ask for the scores."""

    def __init__(
        self, metrics: Sequence[PregenName] = PUBLISHED, *, memory_limit: int = MEMORY_LIMIT
    ) -> None:
        self._metrics = tuple(metrics)
        rows: dict[CaptionScore, int] = {}
        aggregates: dict[str, set[str]] = {}
        for metric in self._metrics:
            rows.setdefault(metric.caption_score, len(rows))
            aggregates.setdefault(metric.image, set()).add(metric.dataset)
        self._rows = rows
        self._totals = {
            tier: DatasetTotals(len(rows), wanted, memory_limit=memory_limit)
            for tier, wanted in aggregates.items()
        }
        self._images = self._captions = self._words = 0

    def add(self, images: Sequence[ImageProbabilities]) -> None:
        """Add a batch of images."""
        batch = batch_of(images)
        scores = ImageScores(CaptionScores(batch, tuple(self._rows)), batch.captions)
        for tier, totals in self._totals.items():
            values = scores.scores(tier)
            totals.add(values, partial(scores.logarithms, tier, values))
        self._images += batch.captions.size
        self._captions += batch.lengths.size
        self._words += batch.argmax.size

    def scores(self) -> PregenScores:
        """Return the scores of all images so far, of which there must be one."""
        if not self._images:
            raise InputError("there are no images to score")
        results = {
            (tier, aggregate): totals.result(aggregate).tolist()
            for tier, totals in self._totals.items()
            for aggregate in totals.aggregates
        }
        return PregenScores(
            {
                str(metric): results[metric.image, metric.dataset][self._rows[metric.caption_score]]
                for metric in self._metrics
            },
            self._images,
            self._captions,
            self._words,
        )

    def close(self) -> None:
        """Give back what the totals hold."""
        for totals in self._totals.values():
            totals.close()


def pregen_scores(
    images: Iterable[ImageProbabilities],
    metrics: Sequence[PregenName] = PUBLISHED,
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> PregenScores:
    """Compute pre-gen metrics of a stream of images: all 504 unless asked for others.

    Medians over images need all values. Each of the seven tier-3 aggregates keeps up to
    `memory_limit` bytes of them in memory and the rest in a temporary file; they stay exact.
    """
    totals = PregenTotals(metrics, memory_limit=memory_limit)
    try:
        for batch in _batches(images):
            totals.add(batch)
        return totals.scores()
    finally:
        totals.close()


def _batches(images: Iterable[ImageProbabilities]) -> Iterator[list[ImageProbabilities]]:
    batch: list[ImageProbabilities] = []
    words = 0
    for image in images:
        batch.append(image)
        words += image.probabilities.size
        if words >= BATCH_WORDS:
            yield batch
            batch, words = [], 0
    if batch:
        yield batch
