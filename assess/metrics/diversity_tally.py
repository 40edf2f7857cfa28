"""The counts behind the diversity of a corpus, kept so that those of its parts add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from assess.errors import UsageError
from assess.metrics.diversity_corpus import TokenCorpus
from assess.metrics.diversity_expected import Spread, incidence, spread_of_frequencies

Words = tuple[str, ...]
LENGTHS = (1, 2, 3)  # of the n-grams that are counted unless asked otherwise


@dataclass(frozen=True, slots=True)
class NgramTally:
    """How many n-grams there are, and in how many captions each of them is."""

    total: int
    captions: Mapping[Words, int]

    def __add__(self, other: NgramTally) -> NgramTally:
        return NgramTally(self.total + other.total, Counter(self.captions) + Counter(other.captions))


@dataclass(frozen=True, slots=True)
class DiversityTally:
    """Counts of captions, lengths, words, whole captions and n-grams. The sum of two is that of both."""

    captions: int = 0
    empty: int = 0
    tokens: int = 0
    squares: int = 0  # of the captions' lengths
    words: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[Words, int] = field(default_factory=dict)
    ngrams: Mapping[int, NgramTally] = field(default_factory=dict)

    def __add__(self, other: DiversityTally) -> DiversityTally:
        return DiversityTally(
            self.captions + other.captions,
            self.empty + other.empty,
            self.tokens + other.tokens,
            self.squares + other.squares,
            Counter(self.words) + Counter(other.words),
            Counter(self.texts) + Counter(other.texts),
            _add_ngrams(self.ngrams, other.ngrams),
        )

    def spread(self, length: int) -> Spread:
        """Return how the n-grams spread over captions, for expected type counts."""
        if length not in self.ngrams and self.captions:
            raise UsageError(f"n-grams of length {length} were not counted in this tally")
        tally = self.ngrams.get(length, NgramTally(0, {}))
        frequencies = np.fromiter(tally.captions.values(), dtype=np.int64, count=len(tally.captions))
        return spread_of_frequencies(frequencies, captions=self.captions, ngrams=tally.total)


def _add_ngrams(first: Mapping[int, NgramTally], second: Mapping[int, NgramTally]) -> dict[int, NgramTally]:
    none = NgramTally(0, {})
    return {
        length: first.get(length, none) + second.get(length, none) for length in sorted({*first, *second})
    }


def tally(corpus: TokenCorpus, *, lengths: tuple[int, ...] = LENGTHS) -> DiversityTally:
    """Return the counts of a corpus. The tallies of its parts, in any partition, add up to this one."""
    sizes = corpus.lengths
    counts = np.bincount(corpus.codes, minlength=len(corpus.vocabulary)).tolist()
    return DiversityTally(
        captions=len(corpus),
        empty=int(np.count_nonzero(sizes == 0)),
        tokens=int(sizes.sum()),
        squares=int((sizes * sizes).sum()),
        words=dict(zip(corpus.vocabulary, counts, strict=True)),
        texts=Counter(corpus.words(caption) for caption in range(len(corpus))),
        ngrams={length: _ngram_tally(corpus, length) for length in lengths},
    )


def _ngram_tally(corpus: TokenCorpus, length: int) -> NgramTally:
    found = incidence(corpus, length=length)
    words = (_words(corpus, place, length) for place in found.places.tolist())
    return NgramTally(found.ngrams, dict(zip(words, found.frequencies.tolist(), strict=True)))


def _words(corpus: TokenCorpus, place: int, length: int) -> Words:
    return tuple(corpus.vocabulary[code] for code in corpus.codes[place : place + length].tolist())
