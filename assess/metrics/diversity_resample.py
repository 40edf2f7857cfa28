"""Bootstrap statistics of the order-free type-token ratio, whose tally is as wide as the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assess.errors import InputError
from assess.metrics.bootstrap import Statistic
from assess.metrics.diversity_corpus import Codes, TokenCorpus
from assess.metrics.diversity_expected import Incidence, expected_ttr, incidence, spread_of_frequencies
from assess.metrics.metric import Counts


def ttr_statistic(corpus: TokenCorpus, images: Sequence[str], *, length: int, window: int) -> Statistic:
    """Return the expected type-token ratio as a function of the weights of images.

    A system's images by types would be a matrix of millions of cells; the pairs of caption and type
    that occur are counted with weights instead. Captions of images that are not listed do not count.
    """
    found = incidence(corpus, length=length)
    image_of_caption = _image_indices(corpus, images)
    lengths = np.maximum(0, corpus.lengths - length + 1)

    def statistic(weights: Counts) -> Counts:
        # One more column, always 0, for captions whose image is not listed.
        padded = np.pad(weights, ((0, 0), (0, 1))).astype(np.int64)
        return np.array([_weighted_ttr(found, row[image_of_caption], lengths, window) for row in padded])

    return statistic


def _image_indices(corpus: TokenCorpus, images: Sequence[str]) -> Codes:
    index = {image: place for place, image in enumerate(images)}
    if len(index) != len(images):
        raise InputError("an image is listed twice among the images to resample")
    return np.array([index.get(image, len(images)) for image in corpus.images], dtype=np.int64)


def _weighted_ttr(found: Incidence, weights: Codes, lengths: Codes, window: int) -> float:
    """Return the ratio where each caption counts as often as its weight says."""
    counted = np.bincount(found.types, weights=weights[found.captions], minlength=found.places.size)
    frequencies = np.rint(counted).astype(np.int64)
    captions, ngrams = int(weights.sum()), int(weights @ lengths)
    return expected_ttr(spread_of_frequencies(frequencies, captions=captions, ngrams=ngrams), window)
