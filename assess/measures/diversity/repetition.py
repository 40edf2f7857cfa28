"""How much a system repeats itself: over neighbouring words, whole files, and sets of random captions.

Every number is for captions in random order, drawn from their sorted list by a seed, so that none depends on
the order of a file. What grows with the number of captions is taken of sets of equal size.
"""

from __future__ import annotations

import bz2
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assess.measures.diversity.ordered import shuffles
from assess.measures.diversity.tokens import Codes, TokenCorpus, incidence
from assess.measures.diversity.within_images import ORDER, bleu_of_counts
from assess.measures.metric import Counts, ratio

MOVING_WINDOW = 50
REPEATED = 4
SET_SIZE = 100
MOST_SETS = 20
"""So many sets of captions are drawn: two thousand captions tell the mean of sets to about a hundredth."""

_DIGITS = 9

Caption = list[int]


@dataclass(frozen=True, slots=True)
class Repetition:
    """The measures of repetition of one system."""

    mattr: float
    compression: float
    self_repetition: float
    self_bleu4: float
    vendi: float


def repetition(corpus: TokenCorpus, *, seed: int = 1) -> Repetition:
    """Return how much a corpus repeats itself."""
    [shuffled] = shuffles(corpus, count=1, seed=seed)
    sets = list(_sets(shuffled))
    return Repetition(
        mattr=moving_average_ttr(shuffled.codes),
        compression=compression_ratio(shuffled),
        self_repetition=self_repetition(corpus),
        self_bleu4=self_bleu(sets),
        vendi=float(np.mean([vendi_score(captions) for captions in sets])) if sets else float("nan"),
    )


def moving_average_ttr(codes: Codes, *, window: int = MOVING_WINDOW) -> float:
    """Return the mean type-token ratio of all windows of neighbouring words; `nan` without a full one."""
    windows = codes.size - window + 1
    if windows < 1:
        return float("nan")
    # A word counts in the windows that begin after its last occurrence, and hold it.
    places = np.arange(codes.size)
    first = np.maximum(places - window, _before(codes)) + 1
    last = np.minimum(places, windows - 1)
    return float(np.maximum(0, last - np.maximum(first, 0) + 1).sum() / (windows * window))


def _before(codes: Codes) -> Codes:
    """Return where each word last stood before; -1 where it did not."""
    order = np.argsort(codes, kind="stable")
    before = np.full(codes.size, -1, dtype=np.int64)
    same = codes[order][1:] == codes[order][:-1]
    before[order[1:][same]] = order[:-1][same]
    return before


def compression_ratio(corpus: TokenCorpus) -> float:
    """Return the bytes of all captions, by those that are left when they are compressed (bzip2).

    Unlike gzip's, the output of bzip2 is the same on every machine, and hardly depends on the order of lines.
    """
    text = "\n".join(" ".join(corpus.words(caption)) for caption in range(len(corpus))).encode()
    return len(text) / len(bz2.compress(text)) if text.strip() else float("nan")


def self_repetition(corpus: TokenCorpus, *, length: int = REPEATED) -> float:
    """Return the share of n-grams, each counted once per caption, that another caption has as well."""
    frequencies = incidence(corpus, length=length).frequencies
    return float(ratio(frequencies[frequencies > 1].sum(), frequencies.sum()))


def _sets(corpus: TokenCorpus) -> Iterator[list[Caption]]:
    """Yield sets of captions that are as good as random; none where there are too few for one."""
    starts = corpus.starts.tolist()
    captions = [
        corpus.codes[start:end].tolist() for start, end in pairwise(starts[: MOST_SETS * SET_SIZE + 1])
    ]
    for place in range(0, len(captions) - SET_SIZE + 1, SET_SIZE):
        yield captions[place : place + SET_SIZE]


def self_bleu(sets: Sequence[Sequence[Caption]]) -> float:
    """Return BLEU-4 of each caption against all others of its set, pooled; `nan` without a set."""
    if not sets:
        return float("nan")
    return float(bleu_of_counts(np.sum([_self_bleu_counts(captions) for captions in sets], axis=0)))


def _self_bleu_counts(captions: Sequence[Caption]) -> Counts:
    counts = np.zeros(2 * ORDER + 2)
    for length in range(1, ORDER + 1):
        found = [Counter(zip(*(words[n:] for n in range(length)), strict=False)) for words in captions]
        counts[length - 1] = _matches(found)
        counts[ORDER + length - 1] = sum(one.total() for one in found)
    sizes = sorted(map(len, captions))
    counts[-2:] = sum(sizes), sum(_closest(sizes, len(words)) for words in captions)
    return counts


def _matches(found: Sequence[Counter[tuple[int, ...]]]) -> int:
    """Return how many n-grams some other caption has as often.

    The two largest counts of an n-gram are enough: against the others, its own does not count.
    """
    largest: dict[tuple[int, ...], tuple[int, int]] = {}
    for counts in found:
        for ngram, number in counts.items():
            most, second = largest.get(ngram, (0, 0))
            largest[ngram] = (number, most) if number > most else (most, max(second, number))
    return sum(
        min(number, most if number < most else second)
        for counts in found
        for ngram, number in counts.items()
        for most, second in [largest[ngram]]
    )


def _closest(sizes: Sequence[int], size: int) -> int:
    """Return the length among sorted ones that is closest to that of a caption, its own left out."""
    place = bisect_left(sizes, size)
    others = [*sizes[max(0, place - 1) : place], *sizes[place + 1 : place + 2]]
    return min(others, key=lambda other: (abs(other - size), other))


def vendi_score(captions: Sequence[Caption]) -> float:
    """Return the effective number of different captions: exp of the entropy of the eigenvalues of K/n.

    K holds the cosines of the captions' counts of words and pairs of words. Captions without words are alike.
    """
    features: dict[tuple[int, ...], int] = {}
    rows = [Counter([*((word,) for word in words), *pairwise(words)]) or Counter([()]) for words in captions]
    matrix = np.zeros((len(rows), len({feature for row in rows for feature in row})))
    for place, row in enumerate(rows):
        for feature, number in row.items():
            matrix[place, features.setdefault(feature, len(features))] = number
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    values = np.linalg.eigvalsh(matrix @ matrix.T / len(rows))
    positive = values[values > 1e-12]
    # The last digits of matrix products depend on the processor and on how many threads there are.
    return round(float(np.exp(-(positive * np.log(positive)).sum())), _DIGITS)
