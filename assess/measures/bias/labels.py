"""The labels of a system: a table of them that grows caption by caption, and arrays to count over.

In the table a label costs 12 bytes, and an image its id and 4 bytes more. Texts and ids are kept once each,
so memory grows with the number of images and labels, and never with the length or number of captions. The
arrays add whom each label is about and what it carries, so that every count of an audit is a quick one.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assess.disk_cache import packed, unpacked
from assess.measures.bias.groups import Grouping, Pair
from assess.measures.bias.tables import CountTable, Floats, Tally
from assess.records import Analysis, Reading, Role

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
CategoryKey = tuple[Role, str]
"""A category with its role."""
ReadingRule = Literal["certain", "best", "union"]
"""What counts: what no other reading takes for something else, the best reading, or all readings together."""


@dataclass(frozen=True, slots=True)
class TableData:
    """A table of mentions as it is kept on disk; its columns are packed."""

    images: list[str]
    texts: list[str]
    captions: str
    image: str
    caption: str
    text: str


class MentionTable:
    """Labels by image, caption and text. Tables of two parts of a system, in order, add up to the whole."""

    def __init__(self) -> None:
        self._images: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._captions = array("i")  # how many captions each image has
        self._image = array("i")  # of each label: its image, the caption of that image, its text
        self._caption = array("i")
        self._text = array("i")

    def to_data(self) -> TableData:
        """Return the table as plain data."""
        columns = (self._captions, self._image, self._caption, self._text)
        return TableData(list(self._images), list(self._texts), *map(packed, columns))

    @staticmethod
    def from_data(data: TableData) -> MentionTable:
        """Return the table of plain data."""
        table = MentionTable()
        table._images = {image: place for place, image in enumerate(data.images)}
        table._texts = {text: place for place, text in enumerate(data.texts)}
        table._captions = unpacked("i", data.captions)
        table._image, table._caption = unpacked("i", data.image), unpacked("i", data.caption)
        table._text = unpacked("i", data.text)
        return table

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

    @property
    def captions(self) -> Integers:
        """How many captions each image has."""
        return np.asarray(self._captions, dtype=np.int64)

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


@dataclass(frozen=True, slots=True, eq=False)
class LabelValues:
    """A value for each label: whom it is about, as a place in the list of names."""

    names: tuple[str, ...]
    places: Integers

    def are(self, name: str) -> Booleans:
        """Return, for each label, whether it has this value."""
        place = self.names.index(name) if name in self.names else -1
        return np.equal(self.places, place)

    def chosen(self, rows: Booleans) -> LabelValues:
        """Return the values of some labels only."""
        return LabelValues(self.names, self.places[rows])

    def counts(self) -> Counter[str]:
        """Return how many labels have each value that occurs."""
        counts = np.bincount(self.places, minlength=len(self.names)).tolist()
        return Counter({name: count for name, count in zip(self.names, counts, strict=True) if count})

    def tallies(self, has: Booleans) -> dict[str, Tally]:
        """Return, for every value, its labels and those of them that have something."""
        yes, total = (
            np.bincount(places, minlength=len(self.names)).tolist()
            for places in (self.places[has], self.places)
        )
        return {name: Tally(yes[place], total[place]) for place, name in enumerate(self.names)}


@dataclass(frozen=True, slots=True, eq=False)
class LabelArrays:
    """The labels of one system: whom each is about, and which categories it carries."""

    images: tuple[str, ...]
    image: Integers  # of each label, as a place in `images`
    text: Integers  # of each label, as a place among the distinct texts
    carrying: Mapping[ReadingRule, Mapping[CategoryKey, Booleans]]  # for each distinct text
    values: Mapping[str, LabelValues]  # by the group's name

    def has(self, key: CategoryKey, rule: ReadingRule = "best") -> Booleans:
        """Return, for each label, whether it carries a category."""
        by_text = self.carrying[rule].get(key)
        return np.zeros(len(self.text), dtype=np.bool_) if by_text is None else by_text[self.text]

    def keys(self, role: Role) -> list[CategoryKey]:
        """Return the categories of a role that some label carries in some reading."""
        return [key for key in self.carrying["union"] if key[0] == role]

    def tallies(self, by: str, key: CategoryKey, rule: ReadingRule = "best") -> dict[str, Tally]:
        """Return, for every value of a group, its labels and those with a category."""
        return self.values[by].tallies(self.has(key, rule))

    def table(self, by: str, key: CategoryKey, pair: Pair, rule: ReadingRule = "best") -> CountTable:
        """Return the counts of a category for two values of a group."""
        tallies = self.tallies(by, key, rule)
        return CountTable.of(*(tallies.get(value, Tally(0, 0)) for value in pair))

    def image_tallies(
        self, by: str, key: CategoryKey, values: Sequence[str], rule: ReadingRule = "best"
    ) -> Floats:
        """Return, for each image and value, the labels with a category and all labels."""
        return self.tallies_of(by, self.has(key, rule), values)

    def tallies_of(self, by: str, has: Booleans, values: Sequence[str]) -> Floats:
        """Return, for each image and value, the labels that have something and all labels."""
        about = map(self.values[by].are, values)
        columns = [[self._by_image(rows & has), self._by_image(rows)] for rows in about]
        return np.array(columns, dtype=np.float64).transpose(2, 0, 1)

    def image_shares(self, by: str, value: str) -> Floats:
        """Return, for each image, the labels about a value and all labels."""
        about = self.values[by].are(value)
        columns = [self._by_image(about), self._by_image(np.ones_like(about))]
        return np.array(columns, dtype=np.float64).transpose()

    def _by_image(self, rows: Booleans) -> Integers:
        """Return how many of these labels each image has."""
        return np.bincount(self.image[rows], minlength=len(self.images))

    def chosen(self, rows: Booleans) -> LabelArrays:
        """Return some of the labels; all images stay."""
        values = {name: value.chosen(rows) for name, value in self.values.items()}
        return LabelArrays(self.images, self.image[rows], self.text[rows], self.carrying, values)

    def on_images(self, images: Sequence[str]) -> LabelArrays:
        """Return the labels of these images, counted in this order; an image may have none."""
        order = {name: place for place, name in enumerate(images)}
        places = np.array([order.get(name, -1) for name in self.images], dtype=np.int64)
        kept = self.chosen(places[self.image] >= 0)
        return LabelArrays(tuple(images), places[kept.image], kept.text, kept.carrying, kept.values)


def label_arrays(
    mentions: MentionTable, analyses: Mapping[str, Analysis], groupings: Sequence[Grouping]
) -> LabelArrays:
    """Return a system's labels as arrays."""
    image, _, text = mentions.columns
    images, texts = mentions.images, mentions.texts
    analysed = [analyses[label] for label in texts]
    return LabelArrays(
        images=images,
        image=image,
        text=text,
        carrying=category_masks(analysed),
        values={group.name: _values(group, analysed, images, image, text) for group in groupings},
    )


def category_masks(analyses: Sequence[Analysis]) -> dict[ReadingRule, dict[CategoryKey, Booleans]]:
    """Return, for each category that is used, which of the texts carry it."""
    found: dict[ReadingRule, dict[CategoryKey, list[int]]] = {"certain": {}, "best": {}, "union": {}}
    for place, analysis in enumerate(analyses):
        keys: dict[ReadingRule, Iterable[CategoryKey]] = {
            "certain": _certain_keys(analysis),
            "best": _keys(analysis.best),
            "union": _keys(analysis),
        }
        for rule, listed in keys.items():
            for key in listed:
                found[rule].setdefault(key, []).append(place)
    return {rule: _masks(places, len(analyses)) for rule, places in found.items()}


def _keys(reading: Reading | Analysis) -> list[CategoryKey]:
    modifiers: list[CategoryKey] = [("modifier", category) for category in reading.modifiers]
    return modifiers + [("head", category) for category in reading.heads]


def _certain_keys(analysis: Analysis) -> set[CategoryKey]:
    """Return the categories that the best reading has at words which no other reading takes otherwise."""
    best = analysis.best.spans
    others = [span for span in analysis.spans if span not in best]
    return {
        (span.role, span.category)
        for span in best
        if not any(other.start < span.end and span.start < other.end for other in others)
    }


def _masks(found: dict[CategoryKey, list[int]], size: int) -> dict[CategoryKey, Booleans]:
    masks: dict[CategoryKey, Booleans] = {}
    for key in sorted(found):
        masks[key] = np.zeros(size, dtype=np.bool_)
        masks[key][found[key]] = True
    return masks


def _values(
    grouping: Grouping, analyses: Sequence[Analysis], images: Sequence[str], image: Integers, text: Integers
) -> LabelValues:
    if grouping.file is None:
        return label_values([grouping.value(analysis, "") for analysis in analyses], text)
    # An image's value holds for all of its labels, so any analysis will do.
    nothing = Analysis("")
    return label_values([grouping.value(nothing, name) for name in images], image)


def label_values(names: Sequence[str], places: Integers) -> LabelValues:
    """Return the values of labels from the values of the texts or images that they point at."""
    known = tuple(sorted(set(names)))
    order = {name: place for place, name in enumerate(known)}
    values = np.array([order[name] for name in names], dtype=np.int64)
    return LabelValues(known, values[places])
