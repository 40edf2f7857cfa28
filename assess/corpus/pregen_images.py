"""An image as pre-gen metrics see it: the probabilities of its reference captions' words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assess.errors import InputError, Place


@dataclass(frozen=True, slots=True, eq=False)
class ImageProbabilities:
    """One image: its captions' words end to end, and how many words each caption has."""

    image: str
    probabilities: NDArray[np.float64]
    argmax: NDArray[np.bool_]  # whether the word was the most probable one
    lengths: NDArray[np.int64]  # words of each caption


def image_probabilities(
    image: str,
    *,
    probabilities: NDArray[np.float64],
    argmax: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    place: Place | None = None,
) -> ImageProbabilities:
    """Return a checked image: it has captions, they have words, and probabilities are in [0, 1]."""
    if not lengths.size:
        raise InputError(f"image {image} has no captions", place=place, hint="leave the image out")
    if not lengths.all():
        caption = int(np.argmin(lengths)) + 1
        message = f"caption {caption} of image {image} has no words"
        raise InputError(message, place=place, hint="the end token counts as a word; leave the caption out")
    outside = ~((probabilities >= 0) & (probabilities <= 1))  # also true of nan
    if outside.any():
        _raise_outside(image, probabilities, outside, lengths, place)
    return ImageProbabilities(image, probabilities, argmax, lengths)


def _raise_outside(
    image: str,
    probabilities: NDArray[np.float64],
    outside: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    place: Place | None,
) -> None:
    at = int(np.argmax(outside))
    ends = np.cumsum(lengths)
    caption = int(np.searchsorted(ends, at, side="right"))
    word = at - (int(ends[caption - 1]) if caption else 0)
    message = f"{probabilities[at]} is no probability (image {image}, caption {caption + 1}, word {word + 1})"
    raise InputError(message, place=place, hint=f"probabilities are from 0 to 1{_likely(probabilities[at])}")


def _likely(value: float) -> str:
    """Return what a number outside of the range is likely to be, as the end of a hint."""
    if value < 0:
        return "; are these logarithms?"
    return "; rounding does this: compute the softmax in double precision" if 1 < value < 1.001 else ""
