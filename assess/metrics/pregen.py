"""Pre-gen metrics: how good captions will be, from the probabilities of the reference captions' words.

Tanti et al. (2018) define 504 of them in four tiers; `assess.metrics.pregen_names` explains the
names. Here the tiers are shared: each caption score, image score and total is computed once for all
metrics that need it. Images are taken a batch at a time, so memory does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from assess.corpus.pregen_images import ImageProbabilities
from assess.errors import InputError
from assess.metrics.pregen_captions import CaptionScores, batch_of
from assess.metrics.pregen_images import ImageScores
from assess.metrics.pregen_medians import MEMORY_LIMIT
from assess.metrics.pregen_names import PUBLISHED, CaptionScore, PregenName
from assess.metrics.pregen_totals import DatasetTotals

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
