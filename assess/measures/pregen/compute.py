"""Pre-gen metrics, which predict the quality of captions from the probabilities of reference words.

Tanti et al. (2018) define 504 metrics in four tiers; `assess.measures.pregen.tiers` explains their names.
Tiers are shared: each caption score, image score and total is computed once for all metrics that need it.
Images are processed in batches, so memory does not grow with their number.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO

import numpy as np
from numpy.typing import NDArray

from assess.errors import InputError, UsageError
from assess.measures.pregen.input import ImageProbabilities
from assess.measures.pregen.tiers import (
    PUBLISHED,
    CaptionScore,
    CaptionScores,
    Floats,
    ImageScores,
    PregenName,
    batch_of,
)

# Exact medians of rows, with bounded memory.
#
# A median needs all values. Up to a limit, they stay in memory; beyond it, they go to an unnamed temporary
# file, where the middle values are found byte by byte: non-negative floats sort like their bit patterns, so
# eight passes of counting bytes find the exact value. Disk usage, not memory, grows with the input, by 8
# bytes per value.

MEMORY_LIMIT = 16 * 2**20  # bytes of values kept in memory


class RowMedians:
    """Collects blocks of rows with non-negative numbers, and finds the median of each row."""

    def __init__(self, rows: int, *, memory_limit: int = MEMORY_LIMIT) -> None:
        self._rows = rows
        self._limit = memory_limit
        self._length = 0
        self._held: list[Floats] = []
        self._bytes = 0  # size of the values in memory
        self._widths: list[int] = []  # widths of the blocks in the file
        self._file: IO[bytes] | None = None

    def add(self, stretch: Floats) -> None:
        """Append columns to the rows."""
        self._length += stretch.shape[1]
        self._held.append(stretch)
        self._bytes += stretch.nbytes
        if self._bytes > self._limit:
            self._spill()

    def result(self) -> Floats:
        """Return the median of each row, i.e. the mean of the middle two values if their number is even."""
        if not self._length:
            return np.full(self._rows, np.nan)
        low, high = (self._length - 1) // 2, self._length // 2
        if self._file is None:
            return self._middle_in_memory(low, high)
        self._spill()
        return (self._selected(low) + self._selected(high)) / 2

    def close(self) -> None:
        """Release the memory and the file."""
        self._held.clear()
        if self._file is not None:
            self._file.close()

    def _middle_in_memory(self, low: int, high: int) -> Floats:
        # A single row fits into the processor's cache; all of them do not.
        rows = (np.concatenate([stretch[row] for stretch in self._held]) for row in range(self._rows))
        return np.array([_middle(row, low, high) for row in rows])

    def _spill(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives until close()
        self._file.seek(0, 2)
        for stretch in self._held:
            # Adding 0.0 turns a negative zero, which has other bits, into a positive one.
            self._file.write((stretch + 0.0).tobytes())
            self._widths.append(stretch.shape[1])
        self._held.clear()
        self._bytes = 0

    def _selected(self, rank: int) -> Floats:
        """Return the value of a rank in each row, from the highest byte of its bits to the lowest."""
        prefix = np.zeros(self._rows, dtype=np.uint64)
        left = np.full(self._rows, rank, dtype=np.int64)
        every = np.arange(self._rows)
        for shift in range(56, -8, -8):
            counts = self._byte_counts(prefix, shift)
            below = np.cumsum(counts, axis=1)
            byte = np.argmax(below > left[:, None], axis=1)
            left -= below[every, byte] - counts[every, byte]
            prefix |= byte.astype(np.uint64) << np.uint64(shift)
        return prefix.view(np.float64)

    def _byte_counts(self, prefix: NDArray[np.uint64], shift: int) -> NDArray[np.int64]:
        """Count the next byte of the values whose bytes so far match the prefix of their row."""
        counts = np.zeros(self._rows * 256, dtype=np.int64)
        offsets = (np.arange(self._rows, dtype=np.int64) * 256)[:, None]
        for stretch in self._stored():
            bits = stretch.view(np.uint64)
            byte = ((bits >> np.uint64(shift)) & np.uint64(255)).astype(np.int64) + offsets
            if shift < 56:  # before the first byte, there is no prefix to match
                higher = np.uint64(shift + 8)
                byte = byte[(bits >> higher) == (prefix >> higher)[:, None]]
            counts += np.bincount(byte.ravel(), minlength=counts.size)
        return counts.reshape(self._rows, 256)

    def _stored(self) -> Iterator[Floats]:
        assert self._file is not None  # only called after values were spilled
        self._file.seek(0)
        for width in self._widths:
            data = self._file.read(self._rows * width * 8)
            yield np.frombuffer(data, dtype=np.float64).reshape(self._rows, width)


def _middle(row: Floats, low: int, high: int) -> float:
    """Return the mean of the values of two adjacent ranks; reorders the row.

    Zeros are counted separately: rules that keep no word produce so many of them that selecting among equal
    values would take ten times as long as everything else.
    """
    zeros = row.size - np.count_nonzero(row)
    if high < zeros:
        return 0.0
    above = row[row > 0] if zeros else row
    above.partition(high - zeros)
    upper = float(above[high - zeros])
    if low < zeros:
        return upper / 2
    # What precedes the upper middle is not larger, so its maximum is the lower middle.
    lower = upper if low == high else float(above[: high - zeros].max())
    return (lower + upper) / 2


# Tier 4 of pre-gen metrics: aggregating the scores of images as they arrive.


class DatasetTotals:
    """Running aggregates of rows of scores. Only what the requested aggregates need is computed."""

    def __init__(self, rows: int, aggregates: Collection[str], *, memory_limit: int = MEMORY_LIMIT) -> None:
        self.aggregates = frozenset(aggregates)
        self._length = 0
        self._sum = np.zeros(rows)
        self._logarithms = np.zeros(rows)
        self._max = np.full(rows, -np.inf)
        self._min = np.full(rows, np.inf)
        self._medians = RowMedians(rows, memory_limit=memory_limit)

    def add(self, scores: Floats, logarithms: Callable[[], Floats]) -> None:
        """Add the scores of further images; `logarithms` is only called if it is needed."""
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
        """Return one of the requested aggregates for every row."""
        if aggregate == "mean":
            return self._sum / self._length
        if aggregate == "median":
            return self._medians.result()
        if aggregate == "geomean":
            return self._geometric_means()
        return {"sum": self._sum, "max": self._max, "min": self._min}[aggregate]

    def close(self) -> None:
        """Release the memory of the medians."""
        self._medians.close()

    def _geometric_means(self) -> Floats:
        """Return geometric means; one with a zero is 0, even next to infinity."""
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.exp2(self._logarithms / self._length)
        return np.where(self._min == 0, 0.0, means)


BATCH_WORDS = 1 << 15  # few enough for the scores of a batch to fit into the processor's cache


@dataclass(frozen=True, slots=True)
class PregenScores:
    """The scores by name in the requested order, and the numbers of images, captions and words."""

    scores: dict[str, float]
    images: int
    captions: int
    words: int


class PregenTotals:
    """Running pre-gen scores: add images, then get the scores."""

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
        """Return the scores of all images so far; there must be at least one."""
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
        """Release the memory of the totals."""
        for totals in self._totals.values():
            totals.close()


def pregen_scores(
    images: Iterable[ImageProbabilities],
    metrics: Sequence[PregenName] = PUBLISHED,
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> PregenScores:
    """Compute pre-gen metrics of a stream of images: by default all 504.

    Medians over images need all values. Each of the seven tier-3 aggregates keeps up to `memory_limit` bytes
    of them in memory and the rest in a temporary file; medians are always exact.
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


# Strata of images by a post-gen score.


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the images: stratum `index` of `strata`, ordered from the lowest score to the highest."""

    strata: int
    index: int  # counted from 0, as in the paper
    images: tuple[str, ...]


def stratify(scores: Mapping[str, float], *, strata: int) -> tuple[Stratum, ...]:
    """Divide images, ordered by a post-gen score, into strata of equal size (section 3.1).

    A remainder is left out at the top, as in the paper's code; ties are ordered by image id.
    """
    if strata < 1 or strata > len(scores):
        raise UsageError(f"{len(scores)} images cannot be divided into {strata} strata")
    if any(math.isnan(score) for score in scores.values()):
        raise UsageError("an image has an undefined score, so it cannot be ordered")
    ordered = sorted(scores, key=lambda image: (scores[image], image))
    size = len(ordered) // strata
    return tuple(
        Stratum(strata, index, tuple(ordered[size * index : size * (index + 1)])) for index in range(strata)
    )


def stratifications(scores: Mapping[str, float], *, most: int = 5) -> Iterator[Stratum]:
    """Yield the strata when the same images are divided into 1, 2, … `most` parts."""
    for strata in range(1, most + 1):
        yield from stratify(scores, strata=strata)
