"""Tiers 1 and 2 of pre-gen metrics: which words of a caption count, and the scores of captions.

All captions of a batch are processed together. Scores have one row per score and one column per caption.
Their binary logarithms are kept as well, since geometric means need them and they cost almost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError, visible
from assess.measures.pregen.input import ImageProbabilities

# The names of pre-gen metrics consist of four tiers, from the last to the first (Tanti et al. 2018).
#
# `mean_max_normcount_prefix0`: keep the prefix of words that were most probable, count them as a share of the
# caption, take the best caption of an image, then the mean over images.
#
# Tier 1 has a trap. The paper says that `filter0` drops the words that are not the most probable ones. Its
# code *keeps* exactly these words, and the published correlations follow the code. Here `filter0` is the rule
# of the code, and `only0` is the rule that the paper describes.

DATASET_TIER = ("sum", "mean", "median", "geomean", "max", "min")  # tier 4: over images
IMAGE_TIER = (*DATASET_TIER, "join")  # tier 3: over an image's captions; join passes all of them on
CAPTION_TIER = ("prob", "pplx", "count", "normcount")  # tier 2: over a caption's words
WORD_TIER = ("none", "filter0", "prefix0")  # tier 1: which words count
PAPER_FILTER = "only0"  # what the paper says that filter0 does

CaptionScore = tuple[str, str]  # tier 2 and tier 1


@dataclass(frozen=True, slots=True)
class PregenName:
    """A metric by its tiers."""

    dataset: str
    image: str
    caption: str
    word: str

    def __str__(self) -> str:
        return f"{self.dataset}_{self.image}_{self.caption}_{self.word}"

    @property
    def caption_score(self) -> CaptionScore:
        """The score of captions that the metric aggregates."""
        return (self.caption, self.word)


def _names(words: Iterable[str]) -> tuple[PregenName, ...]:
    kept = tuple(words)
    return tuple(
        PregenName(dataset, image, caption, word)
        for dataset in DATASET_TIER
        for image in IMAGE_TIER
        for caption in CAPTION_TIER
        for word in kept
    )


PUBLISHED = _names(WORD_TIER)  # the 504 metrics of the paper, in the order of its tables
BY_PAPER_FILTER = _names([PAPER_FILTER])  # 168 more, with the rule that the paper describes
_BY_NAME = {str(name): name for name in (*PUBLISHED, *BY_PAPER_FILTER)}


def pregen_name(text: str) -> PregenName:
    """Return the metric with a name such as `mean_max_normcount_prefix0`."""
    if text not in _BY_NAME:
        close = ", ".join(get_close_matches(text, _BY_NAME, n=3))
        hint = f"similar names: {close}" if close else "a name is DATASET_IMAGE_CAPTION_WORDS"
        raise UsageError(f"there is no pre-gen metric '{visible(text)}'", hint=hint)
    return _BY_NAME[text]


Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_OVERFLOW = 1024.0  # the smallest binary logarithm of infinite numbers


@dataclass(frozen=True, eq=False)
class Batch:
    """The words of several images, concatenated.

    The last word is followed by a probability of 1, which adds nothing to a sum of logarithms, so that a
    range of words can begin after the last one.
    """

    probabilities: Floats
    argmax: NDArray[np.bool_]
    lengths: Places  # number of words in each caption
    captions: Places  # number of captions of each image

    @cached_property
    def starts(self) -> Places:
        """The index of the first word of each caption."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths)

    @cached_property
    def logarithms(self) -> Floats:
        """The logarithms of the probabilities."""
        return logarithms(self.probabilities)

    @cached_property
    def logarithms_of_counts(self) -> Floats:
        """The logarithms of the integers from 0 to the length of the longest caption."""
        return logarithms(np.arange(self.lengths.max() + 1, dtype=np.float64))

    @cached_property
    def misses(self) -> Stretches:
        """The words that were not the most probable ones, which two rules need."""
        return _chosen(self, ~self.argmax)


def logarithms(values: Floats) -> Floats:
    """Return binary logarithms; that of 0 is minus infinity."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log2(values))


def batch_of(images: Sequence[ImageProbabilities]) -> Batch:
    """Concatenate the words of images."""
    return Batch(
        np.concatenate([*(image.probabilities for image in images), [1.0]]),
        np.concatenate([image.argmax for image in images]),
        np.concatenate([image.lengths for image in images]),
        np.array([image.lengths.size for image in images], dtype=np.int64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """The words that a tier-1 rule keeps: for each caption, a range of `places` or of all words."""

    bounds: Places  # bounds of the ranges, as needed for `reduceat`
    step: int  # 2 if every second bound is an end, whose range is dropped
    counts: Places  # number of words kept in each caption
    places: Places | None = None


def _chosen(batch: Batch, chosen: NDArray[np.bool_]) -> Stretches:
    # The padding is kept as well, so that an empty last caption has a start index.
    places = np.append(np.flatnonzero(chosen), chosen.size)
    bounds = np.searchsorted(places, batch.starts)
    counts = np.diff(bounds, append=places.size - 1)
    return Stretches(bounds, 1, counts, places)


def _prefixes(batch: Batch) -> Stretches:
    assert batch.misses.places is not None  # misses are selected words
    missed = batch.misses.places[batch.misses.bounds]
    ends = np.minimum(missed, batch.starts + batch.lengths)
    return Stretches(np.column_stack([batch.starts, ends]).ravel(), 2, ends - batch.starts)


RULES: Mapping[str, Callable[[Batch], Stretches]] = {
    "none": lambda batch: Stretches(batch.starts, 1, batch.lengths),
    "filter0": lambda batch: batch.misses,
    "prefix0": _prefixes,
    "only0": lambda batch: _chosen(batch, batch.argmax),
}


@dataclass(frozen=True, eq=False)
class KeptWords:
    """The words of a batch that one rule keeps, and the resulting scores of captions."""

    batch: Batch
    stretches: Stretches

    @cached_property
    def sums(self) -> Floats:
        """The sum of the words' logarithms; arbitrary if no word was kept."""
        found = self.batch.logarithms
        kept = found if self.stretches.places is None else found[self.stretches.places]
        return np.asarray(np.add.reduceat(kept, self.stretches.bounds)[:: self.stretches.step])

    @cached_property
    def prob(self) -> Floats:
        """The logarithm of the product of probabilities, which is 0 if no word was kept."""
        return np.where(self.stretches.counts > 0, self.sums, -np.inf)

    @cached_property
    def pplx(self) -> Floats:
        """The logarithm of perplexity, which is inf if a probability is 0 or no word was kept."""
        with np.errstate(divide="ignore", invalid="ignore"):
            means = -self.sums / self.stretches.counts
        return np.where((self.stretches.counts > 0) & (means < _OVERFLOW), means, np.inf)

    @cached_property
    def count(self) -> Floats:
        """The logarithm of the number of words."""
        return self.batch.logarithms_of_counts[self.stretches.counts]

    @property
    def normcount(self) -> Floats:
        """The logarithm of the share of the caption's words that were kept."""
        return self.count - self.batch.logarithms_of_counts[self.batch.lengths]


SCORES: Mapping[str, Callable[[KeptWords], Floats]] = {
    "prob": lambda words: np.exp2(words.prob),
    "pplx": lambda words: np.exp2(words.pplx),
    "count": lambda words: words.stretches.counts.astype(np.float64),
    "normcount": lambda words: words.stretches.counts / words.batch.lengths,
}


class CaptionScores:
    """The requested scores of a batch's captions; the words of each rule are selected once."""

    def __init__(self, batch: Batch, wanted: Sequence[CaptionScore]) -> None:
        rules = dict.fromkeys(rule for _, rule in wanted)
        words = {rule: KeptWords(batch, RULES[rule](batch)) for rule in rules}
        self._wanted = [(name, words[rule]) for name, rule in wanted]

    @cached_property
    def scores(self) -> Floats:
        """The scores, one row for each."""
        return np.stack([SCORES[name](words) for name, words in self._wanted])

    @cached_property
    def logarithms(self) -> Floats:
        """The logarithms of the scores, which are also defined for products that underflow to 0."""
        return np.stack([getattr(words, name) for name, words in self._wanted])


# Tier 3 of pre-gen metrics: from the scores of captions to those of images.
#
# Rows are scores; columns are captions at first, and images afterwards. Scores are never negative.

_FEW = 9  # with up to this many captions per image, comparing neighbours is faster than a general sort


@dataclass(frozen=True, eq=False)
class CaptionGroup:
    """Images with equal numbers of captions: scores x captions x images, which is vectorised over images."""

    captions: CaptionScores
    places: Places  # the first, second, … captions of the images, one row each

    @cached_property
    def scores(self) -> Floats:
        """The captions' scores."""
        return np.take(self.captions.scores, self.places, axis=1)

    @cached_property
    def sums(self) -> Floats:
        """The sum over each image's captions."""
        return _along(np.add, self.scores)

    @cached_property
    def ordered(self) -> Floats:
        """The captions of each image, sorted by score."""
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

    @cached_property
    def logarithms(self) -> Floats:
        """The logarithms of the captions' scores."""
        return np.take(self.captions.logarithms, self.places, axis=1)

    @cached_property
    def mean_logarithms(self) -> Floats:
        """The mean of the logarithms; undefined if zero and infinity meet."""
        with np.errstate(invalid="ignore"):
            return _along(np.add, self.logarithms) / len(self.places)

    @property
    def geometric_means(self) -> Floats:
        """The geometric mean; one with a zero is 0, even next to infinity."""
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.exp2(self.mean_logarithms)
        return np.where(_along(np.minimum, self.scores) == 0, 0.0, means)


AGGREGATES: Mapping[str, Callable[[CaptionGroup], Floats]] = {
    "sum": lambda group: group.sums,
    "mean": lambda group: group.sums / len(group.places),
    "median": lambda group: group.medians,
    "geomean": lambda group: group.geometric_means,
    "max": lambda group: _along(np.maximum, group.scores),
    "min": lambda group: _along(np.minimum, group.scores),
}

# Aggregates whose logarithms follow from the captions' logarithms.
LOGARITHMS: Mapping[str, Callable[[CaptionGroup], Floats]] = {
    "geomean": lambda group: group.mean_logarithms,
    "max": lambda group: _along(np.maximum, group.logarithms),
    "min": lambda group: _along(np.minimum, group.logarithms),
}


class ImageScores:
    """The captions' scores of a batch, grouped once for all aggregates.

    Images are grouped by their number of captions: no aggregate of tier 4 depends on their order.
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
        """Return the scores of images; `join` returns those of the captions."""
        if aggregate == "join":
            return self._captions.scores
        return np.concatenate([AGGREGATES[aggregate](group) for group in self._groups], axis=1)

    def logarithms(self, aggregate: str, scores: Floats) -> Floats:
        """Return the logarithms of the scores, derived from those of the captions if possible."""
        if aggregate == "join":
            return self._captions.logarithms
        if aggregate in LOGARITHMS:
            return np.concatenate([LOGARITHMS[aggregate](group) for group in self._groups], axis=1)
        return logarithms(scores)


def _along(ufunc: np.ufunc, captions: Floats) -> Floats:
    """Reduce scores x captions x images over the captions."""
    return np.asarray(ufunc.reduce(captions, axis=1))


def _places(starts: Places, count: int) -> Places:
    return np.asarray(starts[None, :] + np.arange(count)[:, None])
