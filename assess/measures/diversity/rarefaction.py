"""Type counts that do not depend on order: exact expectations over random samples.

The published type-token ratio reads 1000 tokens at a time, i.e. about a hundred captions, in file order. Ours
is the exact expectation for captions drawn at random: a type that occurs in d of N captions is missing from a
sample of m captions with probability C(N-d, m) / C(N, m). Ecologists call this sample-based rarefaction
(Hurlbert 1971; Colwell et al. 2004). It has advantages over two alternatives:

- Drawing single tokens (as HD-D does) ignores that the words of a caption occur together. On the paper's nine
  systems, it is too high by up to .008, while drawing captions agrees with the mean of twenty shuffles within
  .0001.
- Shuffling needs a seed and many repetitions, and its results cannot be merged, while the numbers of captions
  with a type can be added over any partition of the captions.

Here, n-grams do not cross captions: a pair of words from two shuffled captions is not language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assess.engine.columns import Codes, Column, smallest, sorted_once, stretches
from assess.measures.diversity.tokens import Spread, TokenCorpus, caption_ngrams, check_window, ngram_parts
from assess.measures.intervals import Statistic, latest, weighted_sums
from assess.measures.metric import Counts, ratio

HDD_SAMPLE = 42  # tokens; the usual sample size of HD-D


def _histogram(frequencies: Codes) -> tuple[Codes, Codes]:
    """Return how many captions have types, and how many types these are; unused types do not count."""
    return _without_zeros(np.bincount(frequencies))


def _without_zeros(types: Codes) -> tuple[Codes, Codes]:
    found = (types[1:] > 0).nonzero()[0] + 1  # several times as fast as on whole numbers
    return found, types[found]


def _captions_of_types(corpus: TokenCorpus, times: Codes, length: int) -> Iterator[Codes]:
    """Yield the number of captions with each type of n-gram, in parts, with captions counted `times`."""
    captions = max(1, len(corpus))
    if length == 1:  # a word may be in most captions
        words = len(corpus.vocabulary)
        sums = np.zeros(words)
        for _, codes, of_ngrams in caption_ngrams(corpus, length):
            of_pairs, found = np.divmod(sorted_once(of_ngrams * words + codes), words)
            sums += np.bincount(found, weights=times[of_pairs], minlength=words)
        yield sums.astype(np.int64)
        return
    for codes, of_ngrams in ngram_parts(corpus, length):
        if codes.size and codes.max() >= np.iinfo(np.int64).max // captions - 1:
            codes = np.unique(codes, return_inverse=True)[1]
        # One sort of integers is enough: by n-gram, then by caption, each pair once.
        found, of_pairs = np.divmod(sorted_once(codes * captions + of_ngrams), captions)
        if found.size:
            yield np.add.reduceat(times[of_pairs], np.flatnonzero(np.diff(found, prepend=-1)))


def spread(corpus: TokenCorpus, *, length: int = 1) -> Spread:
    """Return how the n-grams of a corpus are spread over its captions."""
    if length not in corpus.spreads:
        once, numbers = corpus.distinct
        captions = np.bincount(numbers, minlength=len(once))  # numbers of identical captions
        types = np.zeros(len(corpus) + 1, dtype=np.int64)  # indexed by the number of captions with the type
        for sums in _captions_of_types(once, captions, length):
            types += np.bincount(sums, minlength=types.size)
        histogram = (column.tolist() for column in _without_zeros(types))
        ngrams = int(np.maximum(0, corpus.lengths - length + 1).sum())
        corpus.spreads[length] = Spread(len(corpus), ngrams, tuple(zip(*histogram, strict=True)))
    return corpus.spreads[length]


@lru_cache(maxsize=1)  # thousands of resamples request the same
def _log_factorials(most: int) -> Counts:
    """Return log(0!), log(1!), ..., log(most!)."""
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, most + 1, dtype=float)))))


def log_factorials(numbers: Codes) -> Counts:
    """Return log(n!) of numbers that may be large and are not requested again."""
    found, total = np.zeros(numbers.shape), 0.0
    for part in stretches(int(numbers.max(initial=0))):
        # Summed from one number to the next, as in the full sum: the last digit depends on the order.
        sums = np.cumsum(np.append(total, np.log(np.arange(part.start + 1, part.stop + 1, dtype=float))))
        inside = (numbers > part.start) & (numbers <= part.stop)
        found[inside] = sums[numbers[inside] - part.start]
        total = sums[-1]
    return found


def expected_found(frequencies: Codes, population: int, sample: int) -> Counts:
    """Return the probability that a sample without replacement contains a type of each frequency."""
    spare = population - frequencies - sample
    possible = spare >= 0  # otherwise the sample is too large to miss the type
    missed = np.zeros(len(frequencies))
    asked = [population - frequencies[possible], spare[possible], np.array([population, population - sample])]
    held, left, whole = np.split(
        log_factorials(np.concatenate(asked)), np.cumsum([each.size for each in asked[:2]])
    )
    missed[possible] = np.exp(held - left - whole[0] + whole[1])
    return np.asarray(1.0 - missed)


def expected_types(spread: Spread, captions: float) -> float:
    """Return the expected number of types in so many random captions.

    Between two whole numbers of captions, it is their mixture with the requested mean.
    """
    return _expected_types(*spread.columns, spread.captions, captions)


def _expected_types(frequencies: Codes, types: Codes, population: int, captions: float) -> float:
    if not 0 <= captions <= population:
        return float("nan")
    if not types.size:
        return 0.0
    # Like `expected_found`, but thousands of resamples need it, so common values are looked up only once.
    logs, others = _log_factorials(population), population - frequencies
    held, low = logs[others], int(captions)
    found = []
    for sample in (low, min(low + 1, population)):
        possible = frequencies.searchsorted(population - sample, side="right")  # they are sorted
        left = logs[others[:possible] - sample]
        seen = np.ones(len(frequencies))
        seen[:possible] -= np.exp(held[:possible] - left - logs[population] + logs[population - sample])
        found.append(float(types @ seen))
    return found[0] + (captions - low) * (found[1] - found[0])


def expected_ttr(spread: Spread, window: int) -> float:
    """Return the expected type-token ratio of a random sample of captions with `window` n-grams on average.

    `nan` if there are fewer n-grams than a window holds.
    """
    check_window(window)
    return _ttr(spread.columns, spread.captions, spread.ngrams, window=window)


def type_token_curve(spread: Spread, tokens: Sequence[int]) -> tuple[float, ...]:
    """Return the expected number of types at each number of tokens (Youmans 1990, independent of order)."""
    samples = ratio([count * spread.captions for count in tokens], spread.ngrams)
    return tuple(expected_types(spread, sample) for sample in samples.tolist())


def hdd(counts: Codes, *, sample: int = HDD_SAMPLE) -> float:
    """Return HD-D: the expected type-token ratio of a random sample of tokens (McCarthy & Jarvis 2010)."""
    frequencies = np.sort(counts)
    total = int(frequencies.sum())
    if total < sample:
        return float("nan")
    return float(expected_found(frequencies, total, sample).sum()) / sample


# Bootstrap statistics of the order-free type-token ratio, whose tally is as wide as the vocabulary.


def ttr_statistics(
    corpus: TokenCorpus, places: Column, *, images: int, lengths: Iterable[int], window: int
) -> dict[int, Statistic]:
    """Return the expected type-token ratios of n-grams of each length as functions of the weights of images.

    `places` has the image of each caption, or -1 if the image is not resampled and the caption does not
    count. A matrix of images by types would have millions of cells, so only non-zero ones are stored.
    Identical captions are merged, which saves most of the work for repetitive systems.
    """
    check_window(window)
    once, text_of_caption = corpus.distinct
    listed = places >= 0
    cells = text_of_caption[listed], places[listed]
    # Integers this small are exact in single precision, which is twice as fast.
    ones = np.ones(cells[0].size, dtype=np.float32)
    images_of_texts = sparse.csr_array((ones, cells), shape=(len(once), images))
    text_weights = latest(lambda weights: images_of_texts @ weights.T.astype(np.float32, order="C"))

    def statistic(length: int) -> Statistic:
        ngrams = CaptionNgrams.of(once, length)
        sizes = np.maximum(0, corpus.lengths - length + 1)[listed]
        totals = np.stack([np.bincount(cells[1], times, images) for times in (ones, sizes)], axis=1).astype(
            np.int32
        )

        def values(weights: Counts) -> Counts:
            frequencies = ngrams.frequencies(text_weights(weights)).T.astype(np.int64, order="C")
            drawn = weighted_sums(weights, totals).astype(np.int64).T.tolist()
            rows = zip(map(_histogram, frequencies), *drawn, strict=True)
            return np.array([_ttr(*row, window=window) for row in rows])

        return values

    return {length: statistic(length) for length in lengths}


@dataclass(frozen=True, slots=True, eq=False)
class CaptionNgrams:
    """The distinct n-grams of each caption as columns of numbers, in parts."""

    types: int
    # captions, their n-grams, and where each caption starts
    parts: Sequence[tuple[slice, Column, NDArray[np.int32]]]

    @classmethod
    def of(cls, corpus: TokenCorpus, length: int) -> CaptionNgrams:
        """Return the n-grams of a corpus."""
        known = np.zeros(0, dtype=np.int64)
        for _, codes, _ in caption_ngrams(corpus, length):
            known = sorted_once(np.append(known, sorted_once(codes)))
        parts = []
        for captions, codes, of_ngrams in caption_ngrams(corpus, length):
            base = max(1, known.size)
            once = sorted_once((of_ngrams - captions.start) * base + np.searchsorted(known, codes))
            starts = np.searchsorted(once, np.arange(captions.stop - captions.start + 1) * base)
            parts.append((captions, (once % base).astype(smallest(base)), starts.astype(np.int32)))
        return cls(known.size, parts)

    def frequencies(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the number of captions with each n-gram, for each column of caption weights."""
        found = np.zeros((self.types, weights.shape[1]), dtype=np.float32)
        ones = np.ones(max((ngrams.size for _, ngrams, _ in self.parts), default=0), dtype=np.float32)
        for captions, ngrams, starts in self.parts:
            shape = self.types, captions.stop - captions.start
            matrix = sparse.csc_array(shape, dtype=np.float32)
            # Attributes are assigned, because the constructor's checks take as long as the product.
            matrix.data, matrix.indices, matrix.indptr = ones[: ngrams.size], ngrams.astype(np.int32), starts
            found += matrix @ weights[captions]
        return found


def _ttr(histogram: tuple[Codes, Codes], captions: int, ngrams: int, *, window: int) -> float:
    if ngrams < window:
        return float("nan")
    return _expected_types(*histogram, captions, window * captions / ngrams) / window
