"""Pre-gen metrics: how good captions will be, from the probabilities of the reference captions' words.

Tanti et al. (2018) define 504 of them in four tiers; `assess.metrics.pregen_names` explains the
names. Here the tiers are shared: each caption score, image score and total is computed once for all
metrics that need it. Images are taken a batch at a time, so memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assess.corpus.pregen_images import ImageProbabilities
from assess.errors import InputError
from assess.metrics.pregen_captions import CaptionScores, batch_of
from assess.metrics.pregen_images import ImageScores
from assess.metrics.pregen_medians import MEMORY_LIMIT
from assess.metrics.pregen_names import PUBLISHED, CaptionScore, PregenName
from assess.metrics.pregen_totals import DatasetTotals

BATCH_WORDS = 1 << 16


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
        self._wanted = tuple(dict.fromkeys(metric.caption_score for metric in self._metrics))
        tiers = dict.fromkeys(metric.image for metric in self._metrics)
        self._parts = {tier: _Part(tier, self._metrics, self._wanted, memory_limit) for tier in tiers}
        self._images = self._captions = self._words = 0

    def add(self, images: Sequence[ImageProbabilities]) -> None:
        """Add a batch of images."""
        batch = batch_of(images)
        scores = ImageScores(CaptionScores(batch, self._wanted), batch.captions)
        for part in self._parts.values():
            part.add(scores)
        self._images += batch.captions.size
        self._captions += batch.lengths.size
        self._words += batch.argmax.size

    def scores(self) -> PregenScores:
        """Return the scores of all images so far, of which there must be one."""
        if not self._images:
            raise InputError("there are no images to score")
        found: dict[str, float] = {}
        for part in self._parts.values():
            found |= part.scores()
        return PregenScores(
            {str(metric): found[str(metric)] for metric in self._metrics},
            self._images,
            self._captions,
            self._words,
        )

    def close(self) -> None:
        """Give back what the totals hold."""
        for part in self._parts.values():
            part.totals.close()


class _Part:
    """What the metrics of one tier-3 aggregate share."""

    def __init__(
        self, tier: str, metrics: Iterable[PregenName], wanted: Sequence[CaptionScore], memory_limit: int
    ) -> None:
        self._tier = tier
        self._metrics = [metric for metric in metrics if metric.image == tier]
        self._row = {score: row for row, score in enumerate(wanted)}
        aggregates = {metric.dataset for metric in self._metrics}
        self.totals = DatasetTotals(len(wanted), aggregates, memory_limit=memory_limit)

    def add(self, scores: ImageScores) -> None:
        values = scores.scores(self._tier)
        self.totals.add(values, lambda: scores.logarithms(self._tier, values))

    def scores(self) -> dict[str, float]:
        aggregates = dict.fromkeys(metric.dataset for metric in self._metrics)
        results = {aggregate: self.totals.result(aggregate).tolist() for aggregate in aggregates}
        return {
            str(metric): results[metric.dataset][self._row[metric.caption_score]] for metric in self._metrics
        }


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
