"""The labels of a system: a table that grows caption by caption, and arrays for counting.

In the table, a label takes 12 bytes, and an image takes its id and 4 bytes. Texts and ids are stored once
each, so memory depends on the number of images and labels, but not on the length or number of captions. The
arrays add the groups and categories of each label, which makes all counts of an audit fast.
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
"""Which readings count: only what no other reading contradicts, the best reading, or any reading."""


@dataclass(frozen=True, slots=True)
class TableData:
    """A table of mentions as stored on disk, with packed columns."""

    images: list[str]
    texts: list[str]
    captions: str
    image: str
    caption: str
    text: str


class MentionTable:
    """Labels by image, caption and text. The tables of a system's consecutive parts can be added."""

    def __init__(self) -> None:
        self._images: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._captions = array("i")  # image -> number of captions
        self._image = array("i")  # of each label: its image, its caption within that image, its text
        self._caption = array("i")
        self._text = array("i")

    def to_data(self) -> TableData:
        """Return the table as plain data."""
        columns = (self._captions, self._image, self._caption, self._text)
        return TableData(list(self._images), list(self._texts), *map(packed, columns))

    @staticmethod
    def from_data(data: TableData) -> MentionTable:
        """Return a table from plain data."""
        table = MentionTable()
        table._images = {image: place for place, image in enumerate(data.images)}
        table._texts = {text: place for place, text in enumerate(data.texts)}
        table._captions = unpacked("i", data.captions)
        table._image, table._caption = unpacked("i", data.image), unpacked("i", data.caption)
        table._text = unpacked("i", data.text)
        return table

    def add_caption(self, image: str, labels: Iterable[str]) -> None:
        """Add a caption of an image, with its labels, if any."""
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
        """Append the captions of another table."""
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
        """The image, the caption within the image, and the text of every label, as indices."""
        image, caption, text = (
            np.asarray(column, dtype=np.int64) for column in (self._image, self._caption, self._text)
        )
        return image, caption, text

    @property
    def captions(self) -> Integers:
        """The number of captions of each image."""
        return np.asarray(self._captions, dtype=np.int64)

    def draw(self, *, seed: int) -> Integers:
        """Draw one caption for each image: its index within the image.

        A draw only depends on the seed and the image's id, so it does not change if other images do.
        """
        drawn, names = np.zeros(len(self._images), dtype=np.int64), self.images
        for place in np.flatnonzero(self.captions != 1).tolist():
            drawn[place] = _draw(names[place], self._captions[place], seed)
        return drawn

    @property
    def images_digest(self) -> str:
        """A hash of the set of image ids, which is equal for systems that describe the same images."""
        joined = "\n".join(sorted(self._images))
        return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _draw(image: str, captions: int, seed: int) -> int:
    key = f"{seed} {image}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") % captions


@dataclass(frozen=True, slots=True, eq=False)
class LabelValues:
    """A value of a group for each label, as an index into the list of names."""

    names: tuple[str, ...]
    places: Integers

    def are(self, name: str) -> Booleans:
        """Return, for each label, whether it has this value."""
        place = self.names.index(name) if name in self.names else -1
        return np.equal(self.places, place)

    def chosen(self, rows: Booleans) -> LabelValues:
        """Return the values of the selected labels."""
        return LabelValues(self.names, self.places[rows])

    def counts(self) -> Counter[str]:
        """Return how many labels have each value that occurs."""
        counts = np.bincount(self.places, minlength=len(self.names)).tolist()
        return Counter({name: count for name, count in zip(self.names, counts, strict=True) if count})

    def tallies(self, has: Booleans) -> dict[str, Tally]:
        """Return, for every value, its number of labels, and how many of them are marked in `has`."""
        yes, total = (
            np.bincount(places, minlength=len(self.names)).tolist()
            for places in (self.places[has], self.places)
        )
        return {name: Tally(yes[place], total[place]) for place, name in enumerate(self.names)}


@dataclass(frozen=True, slots=True, eq=False)
class LabelArrays:
    """The labels of one system, with their groups and categories."""

    images: tuple[str, ...]
    image: Integers  # of each label, as an index into `images`
    text: Integers  # of each label, as an index into the distinct texts
    carrying: Mapping[ReadingRule, Mapping[CategoryKey, Booleans]]  # for each distinct text
    values: Mapping[str, LabelValues]  # name of the group -> values

    def has(self, key: CategoryKey, rule: ReadingRule = "best") -> Booleans:
        """Return, for each label, whether it has a category."""
        by_text = self.carrying[rule].get(key)
        return np.zeros(len(self.text), dtype=np.bool_) if by_text is None else by_text[self.text]

    def keys(self, role: Role) -> list[CategoryKey]:
        """Return the categories of a role that any reading of any label has."""
        return [key for key in self.carrying["union"] if key[0] == role]

    def tallies(self, by: str, key: CategoryKey, rule: ReadingRule = "best") -> dict[str, Tally]:
        """Return, for every value of a group, its number of labels and those with a category."""
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
        """Return, for each image and value, the labels marked in `has` and all labels."""
        about = map(self.values[by].are, values)
        columns = [[self._by_image(rows & has), self._by_image(rows)] for rows in about]
        return np.array(columns, dtype=np.float64).transpose(2, 0, 1)

    def image_shares(self, by: str, value: str) -> Floats:
        """Return, for each image, the labels about a value and all labels."""
        about = self.values[by].are(value)
        columns = [self._by_image(about), self._by_image(np.ones_like(about))]
        return np.array(columns, dtype=np.float64).transpose()

    def _by_image(self, rows: Booleans) -> Integers:
        """Return how many of the selected labels each image has."""
        return np.bincount(self.image[rows], minlength=len(self.images))

    def chosen(self, rows: Booleans) -> LabelArrays:
        """Return only the selected labels; all images are kept."""
        values = {name: value.chosen(rows) for name, value in self.values.items()}
        return LabelArrays(self.images, self.image[rows], self.text[rows], self.carrying, values)

    def on_images(self, images: Sequence[str]) -> LabelArrays:
        """Return the labels of these images, in this order; an image may have no labels."""
        order = {name: place for place, name in enumerate(images)}
        places = np.array([order.get(name, -1) for name in self.images], dtype=np.int64)
        kept = self.chosen(places[self.image] >= 0)
        return LabelArrays(tuple(images), places[kept.image], kept.text, kept.carrying, kept.values)


class LabelFacts:
    """The categories and group values of distinct labels, computed once for all systems that use them."""

    def __init__(self, analyses: Mapping[str, Analysis], groupings: Sequence[Grouping]) -> None:
        self._places = {text: place for place, text in enumerate(analyses)}
        self._carrying = category_masks(list(analyses.values()))
        self._values = {
            group.name: [group.value(analysis, "") for analysis in analyses.values()]
            for group in groupings
            if group.file is None
        }
        self._by_image = [group for group in groupings if group.file is not None]

    def arrays(self, mentions: MentionTable) -> LabelArrays:
        """Return the labels of a system as arrays."""
        image, _, text = mentions.columns
        places = np.array([self._places[label] for label in mentions.texts], dtype=np.int64)
        values = {
            name: label_values([names[place] for place in places.tolist()], text)
            for name, names in self._values.items()
        }
        # All labels of an image share its value, so the analysis is irrelevant.
        nothing = Analysis("")
        for group in self._by_image:
            values[group.name] = label_values([group.value(nothing, name) for name in mentions.images], image)
        carrying = {rule: _of_texts(masks, places) for rule, masks in self._carrying.items()}
        return LabelArrays(mentions.images, image, text, carrying, values)


def _of_texts(masks: Mapping[CategoryKey, Booleans], places: Integers) -> dict[CategoryKey, Booleans]:
    """Return the masks of some texts, without categories that none of these texts carries."""
    found = {key: mask[places] for key, mask in masks.items()}
    return {key: mask for key, mask in found.items() if mask.any()}


def category_masks(analyses: Sequence[Analysis]) -> dict[ReadingRule, dict[CategoryKey, Booleans]]:
    """Return, for each category in use, which texts have it."""
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
    """Return the categories of the best reading at words that all other readings interpret the same way."""
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


def label_values(names: Sequence[str], places: Integers) -> LabelValues:
    """Return the values of labels from the values of the texts or images that they refer to."""
    known = tuple(sorted(set(names)))
    order = {name: place for place, name in enumerate(known)}
    values = np.array([order[name] for name in names], dtype=np.int64)
    return LabelValues(known, values[places])
