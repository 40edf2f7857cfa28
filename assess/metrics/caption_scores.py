"""Captions against references, the post-gen side: pairing by image, and BLEU (Papineni et al. 2002).

All scores here take tokens, lowercased or not: the caller decides. `caption_scores_cider` has
CIDEr-D, `caption_scores_coco` METEOR and SPICE.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assess.errors import InputError
from assess.metrics.metric import Counts, ratio

Tokens = Sequence[str]
ORDER = 4


@dataclass(frozen=True, slots=True)
class ScoredImage:
    """A caption and the references of its image, as tokens."""

    image: str
    caption: Tokens
    references: Sequence[Tokens]


def pair_captions(
    captions: Mapping[str, Tokens], references: Mapping[str, Sequence[Tokens]]
) -> tuple[ScoredImage, ...]:
    """Pair captions with references by image id, in order of the ids; each caption needs a reference."""
    missing = sorted(image for image in captions if not references.get(image))
    if missing:
        message = f"{len(missing)} of {len(captions)} images have no references: {', '.join(missing[:5])}"
        raise InputError(message, hint="scores that compare with references need one for every image")
    return tuple(ScoredImage(image, captions[image], references[image]) for image in sorted(captions))


def bleu_tally(paired: ScoredImage) -> Counts:
    """Return matches and totals of each n-gram length, the caption's length and the closest reference's.

    Tallies add up over images. NLTK counts the matches; the totals are ours, because NLTK counts one
    n-gram for a caption that is too short to have any.
    """
    from nltk.translate.bleu_score import closest_ref_length, modified_precision  # heavy: only where used

    counts = np.zeros(2 * ORDER + 2)
    length = len(paired.caption)
    for order in range(1, ORDER + 1):
        counts[order - 1] = modified_precision(paired.references, paired.caption, order).numerator
        counts[ORDER + order - 1] = max(0, length - order + 1)
    counts[-2:] = length, closest_ref_length(paired.references, length)
    return counts


def bleu(counts: Counts, *, order: int = ORDER) -> Counts:
    """Return BLEU of summed tallies, unsmoothed: 0 without a match of some length, `nan` without n-grams."""
    precisions = ratio(counts[..., :order], counts[..., ORDER : ORDER + order])
    with np.errstate(divide="ignore"):
        mean_log = np.log(precisions).mean(axis=-1)
    brevity = np.minimum(0.0, 1.0 - ratio(counts[..., -1], counts[..., -2]))
    return np.asarray(np.exp(mean_log + brevity))


def corpus_bleu(paired: Sequence[ScoredImage]) -> dict[int, float]:
    """Return BLEU-1 to BLEU-4 of a corpus; all `nan` where it is empty."""
    total = np.sum([bleu_tally(image) for image in paired] or [np.zeros(2 * ORDER + 2)], axis=0)
    return {order: float(bleu(total, order=order)) for order in range(1, ORDER + 1)}
