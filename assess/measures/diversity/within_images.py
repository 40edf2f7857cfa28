"""Diversity within an image, for systems that give several captions of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from assess.errors import UsageError
from assess.measures.metric import Counts, Metric, ratio

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
