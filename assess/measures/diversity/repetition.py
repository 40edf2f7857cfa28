"""How much a system repeats itself: over neighbouring words, whole files, sets of captions, and one image.

Every number is for captions in random order, drawn from their sorted list by a seed, so that none depends on
the order of a file. What grows with the number of captions is taken of sets of equal size.
"""

from __future__ import annotations

import bz2
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise

import numpy as np

from assess.errors import UsageError
from assess.measures.diversity.compute import shuffles
from assess.measures.diversity.tokens import Codes, TokenCorpus, incidence
from assess.measures.metric import Counts, Metric, ratio

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


# Within an image, for systems that give several captions of it.

Words = Sequence[str]
ORDER = 4  # of BLEU
_WIDTH = 2 * ORDER + 2  # matches and totals of each length, and the lengths of captions and references


@dataclass(frozen=True, slots=True)
class WithinImages:
    """How varied the captions of one image are, where there are several."""

    images: int  # with several captions
    captions_per_image: int  # that are scored
    mbleu4: float
    distinct1: float
    distinct2: float


def within_images(
    captions: Mapping[str, Sequence[Words]], *, scored: int | None = None
) -> WithinImages | None:
    """Return mBLEU and distinct-n of images with several captions; None where no image has several.

    As many captions of each image are scored as all of these have, unless said otherwise: the few
    images that have more would make scores of their own.
    """
    several = {image: texts for image, texts in captions.items() if len(texts) > 1}
    if not several:
        return None
    count = scored or min(map(len, several.values()))
    values = {
        name: metric.of(several.values()) for name, metric in set_metrics(captions_per_image=count).items()
    }
    return WithinImages(len(several), count, **values)


def ngrams(words: Words, length: int) -> list[tuple[str, ...]]:
    """Return the n-grams of a caption, lowercased."""
    lowered = [word.lower() for word in words]
    return list(zip(*(lowered[start:] for start in range(length)), strict=False))


def mutual_bleu_tally(captions: Sequence[Words], *, captions_per_image: int) -> Counts:
    """Return the counts of each of an image's captions against its others, one row per caption, as a vector.

    An image with one caption has nothing to compare it with and counts nothing.
    """
    if captions_per_image < 1:
        raise UsageError(f"mBLEU needs room for at least one caption per image, not {captions_per_image}")
    counts = np.zeros((captions_per_image, _WIDTH))
    if len(captions) > 1:
        for number, caption in enumerate(captions[:captions_per_image]):
            others = [other for place, other in enumerate(captions) if place != number]
            counts[number] = _bleu_counts(caption, others)
    return counts.ravel()


def _bleu_counts(caption: Words, others: Sequence[Words]) -> Counts:
    counts = np.zeros(_WIDTH)
    for length in range(1, ORDER + 1):
        found = Counter(ngrams(caption, length))
        allowed: Counter[tuple[str, ...]] = Counter()
        for other in others:
            allowed |= Counter(ngrams(other, length))
        counts[length - 1] = (found & allowed).total()
        counts[ORDER + length - 1] = found.total()
    sizes = [len(other) for other in others]
    counts[-2:] = len(caption), min(sizes, key=lambda size: (abs(size - len(caption)), size))
    return counts


def mutual_bleu(counts: Counts) -> Counts:
    """Return mBLEU-4: the mean over an image's captions of BLEU against its others (Shetty et al. 2017).

    The n-th captions of all images make one BLEU score, as n-grams are pooled over a corpus; the mean
    is over n. No smoothing: without any common n-gram of some length a score is 0, and where captions
    are too short to have one it is undefined. Lower means more diverse.
    """
    return np.asarray(bleu_of_counts(counts.reshape(*counts.shape[:-1], -1, _WIDTH)).mean(axis=-1))


def bleu_of_counts(rows: Counts) -> Counts:
    """Return BLEU-4 of matches and totals of each length, and the lengths of captions and references."""
    precisions = ratio(rows[..., :ORDER], rows[..., ORDER : 2 * ORDER])
    with np.errstate(divide="ignore"):
        mean_log = np.log(precisions).mean(axis=-1)
    brevity = np.minimum(0.0, 1.0 - ratio(rows[..., -1], rows[..., -2]))
    return np.asarray(np.exp(mean_log + brevity))


def distinct_tally(captions: Sequence[Words], *, length: int) -> Counts:
    """Return an image's distinct n-grams as a share of its words, and 1 for the image; 0, 0 without words."""
    tokens = sum(map(len, captions))
    if not tokens:
        return np.zeros(2)
    found = set(chain.from_iterable(ngrams(caption, length) for caption in captions))
    return np.array([len(found) / tokens, 1.0])


def distinct(counts: Counts) -> Counts:
    """Return distinct-n (Li et al. 2016) within an image, averaged over images, from summed tallies."""
    return np.asarray(ratio(counts[..., 0], counts[..., 1]))


def set_metrics(*, captions_per_image: int) -> dict[str, Metric[Sequence[Words], Counts]]:
    """Return mBLEU-4 and distinct-1 and -2 as metrics of images, for systems with several captions each."""
    bleu: Metric[Sequence[Words], Counts] = Metric(
        "mbleu4",
        "mean over n of BLEU-4 of the n-th captions against the others of their image",
        "shetty2017speaking",
        "lower",
        partial(mutual_bleu_tally, captions_per_image=captions_per_image),
        mutual_bleu,
        undefined="no image with several captions",
    )
    return {"mbleu4": bleu, "distinct1": _distinct_metric(1), "distinct2": _distinct_metric(2)}


def _distinct_metric(length: int) -> Metric[Sequence[Words], Counts]:
    formula = f"mean over images of distinct {length}-grams / words"
    tally = partial(distinct_tally, length=length)
    return Metric(
        f"distinct{length}",
        formula,
        "li2016diversity",
        "higher",
        tally,
        distinct,
        undefined="no image with several captions",
    )
