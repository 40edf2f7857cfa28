"""Type counts that do not depend on order: exact expectations over random samples.

The published type-token ratio reads 1000 tokens at a time, that is about a hundred captions, in file
order. Ours asks what it would be for captions drawn at random, and answers exactly: a type that is
in d of N captions is missed by a sample of m captions with the probability C(N-d, m) / C(N, m).
Ecologists call this sample-based rarefaction (Hurlbert 1971; Colwell et al. 2004). It was chosen
over the two alternatives because
- drawing single tokens (as HD-D does) forgets that the words of one caption come together, and so
  comes out too high by up to .008 on the paper's nine systems, where captions agree with the mean
  of twenty shuffles within .0001;
- shuffling needs a seed and many repetitions, and its result cannot be merged, while the numbers
  of captions that have a type add up over any partition of the captions.
N-grams stay within a caption here: a pair of words across two shuffled captions is not language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assess.metrics.diversity_corpus import Codes, TokenCorpus, check_window, ngram_codes
from assess.metrics.metric import Counts, ratio

HDD_SAMPLE = 42  # tokens; the customary sample of HD-D


@dataclass(frozen=True, slots=True)
class Spread:
    """How n-grams spread over captions: all that an expected type count depends on."""

    captions: int
    ngrams: int
    # Number of captions with a type -> number of such types. Two parts do not add by this (a type can
    # be in both), which is why DiversityTally keeps the types themselves.
    histogram: tuple[tuple[int, int], ...]

    @property
    def types(self) -> int:
        """The number of distinct n-grams."""
        return sum(types for _, types in self.histogram)


def spread_of_frequencies(frequencies: Codes, *, captions: int, ngrams: int) -> Spread:
    """Return the spread of types that are in so many captions each; types in none do not count."""
    found, types = np.unique(frequencies[frequencies > 0], return_counts=True)
    return Spread(captions, ngrams, tuple(zip(found.tolist(), types.tolist(), strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Which types of n-gram are in which captions: each pair once."""

    ngrams: int
    captions: Codes  # of each pair, as indices
    types: Codes  # of each pair, as dense codes
    places: Codes  # of each type: where it first occurs in the corpus

    @property
    def frequencies(self) -> Codes:
        """The number of captions that have each type."""
        return np.bincount(self.types, minlength=self.places.size).astype(np.int64)


def incidence(corpus: TokenCorpus, *, length: int = 1) -> Incidence:
    """Return which n-grams are in which captions of a corpus."""
    codes, places = ngram_codes(corpus, length, across_captions=False)
    _, first, dense = np.unique(codes, return_index=True, return_inverse=True)
    base = max(1, first.size)
    pairs = np.unique(corpus.caption_of_token[places] * base + dense)
    return Incidence(int(codes.size), pairs // base, pairs % base, places[first])


def spread(corpus: TokenCorpus, *, length: int = 1) -> Spread:
    """Return how the n-grams of a corpus spread over its captions."""
    found = incidence(corpus, length=length)
    return spread_of_frequencies(found.frequencies, captions=len(corpus), ngrams=found.ngrams)


def log_factorials(most: int) -> Counts:
    """Return log(0!), log(1!), ..., log(most!)."""
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, most + 1, dtype=float)))))


def expected_found(frequencies: Codes, population: int, sample: int, logs: Counts) -> Counts:
    """Return the probability that a sample without replacement finds a type of each frequency."""
    spare = population - frequencies - sample
    possible = spare >= 0  # otherwise the sample is too large to miss the type
    missed = np.zeros(len(frequencies))
    held = frequencies[possible]
    choices = logs[population - held] - logs[spare[possible]]
    missed[possible] = np.exp(choices - logs[population] + logs[population - sample])
    return np.asarray(1.0 - missed)


def expected_types(spread: Spread, captions: float) -> float:
    """Return the expected number of types in that many random captions.

    Between two whole numbers of captions: the mixture of both that has the asked mean.
    """
    if not 0 <= captions <= spread.captions:
        return float("nan")
    if not spread.histogram:
        return 0.0
    frequencies, types = np.array(spread.histogram, dtype=np.int64).T
    logs = log_factorials(spread.captions)
    low = int(captions)
    high = min(low + 1, spread.captions)
    found = [
        float(types @ expected_found(frequencies, spread.captions, sample, logs)) for sample in (low, high)
    ]
    return found[0] + (captions - low) * (found[1] - found[0])


def expected_ttr(spread: Spread, window: int) -> float:
    """Return the expected type-token ratio in a random sample of captions with `window` n-grams on average.

    `nan` where there are fewer n-grams than a window holds.
    """
    check_window(window)
    if spread.ngrams < window:
        return float("nan")
    return expected_types(spread, window * spread.captions / spread.ngrams) / window


def type_token_curve(spread: Spread, tokens: Sequence[int]) -> tuple[float, ...]:
    """Return the expected number of types at each number of tokens (Youmans 1990, without an order)."""
    samples = ratio([count * spread.captions for count in tokens], spread.ngrams)
    return tuple(expected_types(spread, sample) for sample in samples.tolist())


def hdd(counts: Mapping[str, int], *, sample: int = HDD_SAMPLE) -> float:
    """Return HD-D: the expected type-token ratio of a random sample of tokens (McCarthy & Jarvis 2010)."""
    frequencies = np.array(sorted(counts.values()), dtype=np.int64)
    total = int(frequencies.sum())
    if total < sample:
        return float("nan")
    found = expected_found(frequencies, total, sample, log_factorials(total))
    return float(found.sum()) / sample
