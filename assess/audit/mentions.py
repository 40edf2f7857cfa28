"""The labels of a system, image by image, in columns of small numbers.

A label costs 12 bytes here, and an image its id and 4 bytes more. Texts and ids are kept once each, so
memory grows with the number of images and labels, and never with the length or number of captions.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class MentionTable:
    """Labels by image, caption and text. Tables of two parts of a system, in order, add up to the whole."""

    def __init__(self) -> None:
        self._images: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._captions = array("i")  # how many captions each image has
        self._image = array("i")  # of each label: its image, the caption of that image, its text
        self._caption = array("i")
        self._text = array("i")

    def add_caption(self, image: str, labels: Iterable[str]) -> None:
        """Count one caption of an image, with its labels or without any."""
        place = self._place(image)
        number = self._captions[place]
        for label in labels:
            self._image.append(place)
            self._caption.append(number)
            self._text.append(self._texts.setdefault(label, len(self._texts)))
        self._captions[place] = number + 1

    def _place(self, image: str) -> int:
        place = self._images.setdefault(image, len(self._images))
        if place == len(self._captions):
            self._captions.append(0)
        return place

    def add_table(self, other: MentionTable) -> None:
        """Add the captions of another table after our own."""
        images, texts = list(other._images), list(other._texts)
        before = [self._captions[self._place(image)] for image in images]
        for image, caption, text in zip(other._image, other._caption, other._text, strict=True):
            self._image.append(self._images[images[image]])
            self._caption.append(before[image] + caption)
            self._text.append(self._texts.setdefault(texts[text], len(self._texts)))
        for name, captions in zip(images, other._captions, strict=True):
            self._captions[self._images[name]] += captions

    @property
    def images(self) -> tuple[str, ...]:
        """The ids of the images, in the order of their first captions."""
        return tuple(self._images)

    @property
    def texts(self) -> tuple[str, ...]:
        """The distinct texts of labels, in the order of their first use."""
        return tuple(self._texts)

    @property
    def columns(self) -> tuple[Integers, Integers, Integers]:
        """The image, the caption within the image and the text of every label, as places in lists."""
        image, caption, text = (
            np.asarray(column, dtype=np.int64) for column in (self._image, self._caption, self._text)
        )
        return image, caption, text

    def draw(self, *, seed: int) -> Integers:
        """Draw one caption for each image: its number within the image.

        A draw depends on the seed and the image's id only, so that other images never change it.
        """
        return np.array(
            [
                _draw(image, captions, seed)
                for image, captions in zip(self._images, self._captions, strict=True)
            ],
            dtype=np.int64,
        )

    @property
    def images_digest(self) -> str:
        """A hash of the set of image ids: equal for two systems that describe the same images."""
        joined = "\n".join(sorted(self._images))
        return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _draw(image: str, captions: int, seed: int) -> int:
    if captions == 1:
        return 0
    key = f"{seed} {image}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") % captions
