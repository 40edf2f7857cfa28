"""Tiers 1 and 2 of pre-gen metrics: which words of a caption count, and what they come to.

All captions of a batch are done at once. Scores stand one row a score, one column a caption. They
are kept as binary logarithms too: geometric means need these, and they come almost for free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assess.corpus.pregen_images import ImageProbabilities
from assess.metrics.pregen_names import CaptionScore

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_OVERFLOW = 1024.0  # the binary logarithm from which on a number is infinite


@dataclass(frozen=True, eq=False)
class Batch:
    """The words of several images end to end.

    After the last word stands a probability of 1, which adds nothing to a sum of logarithms. It lets
    a stretch of words begin behind the last one.
    """

    probabilities: Floats
    argmax: NDArray[np.bool_]
    lengths: Places  # words of each caption
    captions: Places  # captions of each image

    @cached_property
    def starts(self) -> Places:
        """Where each caption begins among the words."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths)

    @cached_property
    def logarithms(self) -> Floats:
        """The logarithms of the probabilities."""
        return logarithms(self.probabilities)

    @cached_property
    def logarithms_of_counts(self) -> Floats:
        """The logarithms of the whole numbers from 0 to the length of the longest caption."""
        return logarithms(np.arange(self.lengths.max() + 1, dtype=np.float64))

    @cached_property
    def misses(self) -> Stretches:
        """The words that were not the most probable ones; two rules need them."""
        return _chosen(self, ~self.argmax)


def logarithms(values: Floats) -> Floats:
    """Return binary logarithms; that of 0 is minus infinity."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log2(values))


def batch_of(images: Sequence[ImageProbabilities]) -> Batch:
    """Lay the words of images end to end."""
    return Batch(
        np.concatenate([*(image.probabilities for image in images), [1.0]]),
        np.concatenate([image.argmax for image in images]),
        np.concatenate([image.lengths for image in images]),
        np.array([image.lengths.size for image in images], dtype=np.int64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """The words that a tier-1 rule keeps: for each caption one stretch of `places`, or of all words."""

    bounds: Places  # of the stretches, as `reduceat` takes them
    step: int  # 2 where every second bound is an end, whose stretch is not wanted
    counts: Places  # words kept of each caption
    places: Places | None = None


def _all_words(batch: Batch) -> Stretches:
    return Stretches(batch.starts, 1, batch.lengths)


def _chosen(batch: Batch, chosen: NDArray[np.bool_]) -> Stretches:
    # The padding is kept as well, so that an empty last caption has a place to begin at.
    places = np.append(np.flatnonzero(chosen), chosen.size)
    bounds = np.searchsorted(places, batch.starts)
    counts = np.diff(bounds, append=places.size - 1)
    return Stretches(bounds, 1, counts, places)


def _prefixes(batch: Batch) -> Stretches:
    assert batch.misses.places is not None  # they are chosen words
    missed = batch.misses.places[batch.misses.bounds]
    ends = np.minimum(missed, batch.starts + batch.lengths)
    return Stretches(np.column_stack([batch.starts, ends]).ravel(), 2, ends - batch.starts)


RULES: Mapping[str, Callable[[Batch], Stretches]] = {
    "none": _all_words,
    "filter0": lambda batch: batch.misses,
    "prefix0": _prefixes,
    "only0": lambda batch: _chosen(batch, batch.argmax),
}


@dataclass(frozen=True, eq=False)
class KeptWords:
    """The words of a batch that one rule keeps, and what they come to in each caption."""

    batch: Batch
    stretches: Stretches

    @cached_property
    def sums(self) -> Floats:
        """The sum of the words' logarithms; arbitrary where no word was kept."""
        found = self.batch.logarithms
        kept = found if self.stretches.places is None else found[self.stretches.places]
        return np.asarray(np.add.reduceat(kept, self.stretches.bounds)[:: self.stretches.step])

    @cached_property
    def prob(self) -> Floats:
        """The logarithm of the product of probabilities, which is 0 where no word was kept."""
        return np.where(self.stretches.counts > 0, self.sums, -np.inf)

    @cached_property
    def pplx(self) -> Floats:
        """The logarithm of perplexity, which is inf where a probability is 0 or no word was kept."""
        with np.errstate(divide="ignore", invalid="ignore"):
            means = -self.sums / self.stretches.counts
        return np.where((self.stretches.counts > 0) & (means < _OVERFLOW), means, np.inf)

    @cached_property
    def count(self) -> Floats:
        """The logarithm of the number of words."""
        return self.batch.logarithms_of_counts[self.stretches.counts]

    @property
    def normcount(self) -> Floats:
        """The logarithm of the kept share of the caption's words."""
        return self.count - self.batch.logarithms_of_counts[self.batch.lengths]


SCORES: Mapping[str, Callable[[KeptWords], Floats]] = {
    "prob": lambda words: np.exp2(words.prob),
    "pplx": lambda words: np.exp2(words.pplx),
    "count": lambda words: words.stretches.counts.astype(np.float64),
    "normcount": lambda words: words.stretches.counts / words.batch.lengths,
}


class CaptionScores:
    """The wanted scores of a batch's captions; the words of each rule are chosen once."""

    def __init__(self, batch: Batch, wanted: Sequence[CaptionScore]) -> None:
        rules = dict.fromkeys(rule for _, rule in wanted)
        words = {rule: KeptWords(batch, RULES[rule](batch)) for rule in rules}
        self._wanted = [(name, words[rule]) for name, rule in wanted]

    @cached_property
    def scores(self) -> Floats:
        """The scores, one row each."""
        return np.stack([SCORES[name](words) for name, words in self._wanted])

    @cached_property
    def logarithms(self) -> Floats:
        """The logarithms of the scores, also of products that are too small for a number and so are 0."""
        return np.stack([getattr(words, name) for name, words in self._wanted])
