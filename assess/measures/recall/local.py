"""Local recall and precision: whether a caption says what people said about the same image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assess.engine.columns import sorted_once
from assess.errors import UsageError
from assess.measures.metric import Counts, ratio
from assess.measures.settings import Tagset
from assess.measures.words import Tagged, content_flags

# A tally has one row for each kind of count, with one column for each importance class; then precision's
# four.
_KINDS = 4  # words of the class, recalled words, the image's share of recalled words, 1 if it has any words
_PRECISION = 4  # the same, for words of the captions that some reference contains


Codes = NDArray[np.int64]


class Spoken(NamedTuple):
    """Captions as columns: the image of each caption and, for each word, its caption, number and kind."""

    images: Sequence[str]  # distinct ids
    image: Codes  # of each caption
    caption: Codes  # of each word
    word: Codes
    content: NDArray[np.bool_]

    def pairs(self, chosen: NDArray[np.bool_] | slice = slice(None), *, places: Codes | None = None) -> Codes:
        """Return the distinct pairs of image and word, sorted; `places` can renumber the images."""
        images = self.image if places is None else places[self.image]
        return sorted_once(_pairs(images[self.caption[chosen]], self.word[chosen]))

    def word_counts(self, numbers: WordNumbers) -> Counter[str]:
        """Return the frequency of each word."""
        counts = np.bincount(self.word, minlength=len(numbers.words))
        return Counter({numbers.words[word]: int(counts[word]) for word in np.flatnonzero(counts).tolist()})


def _pairs(first: Codes, second: Codes) -> Codes:
    return first << _SHIFT | second


_SHIFT = 32


class WordNumbers(dict[str, int]):
    """Numbers for lowercased words, in order of first use across all sources."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self.words)
        self.words.append(word)
        return number


def spoken(
    captions: Mapping[str, Sequence[Tagged]], numbers: WordNumbers, *, tagset: Tagset = "fine"
) -> Spoken:
    """Return the captions of images as columns, without images that have no captions."""
    described = {image: texts for image, texts in captions.items() if texts}
    texts = list(chain.from_iterable(described.values()))
    sizes = [len(caption.words) for caption in texts]
    words = (numbers[word.lower()] for caption in texts for word in caption.words)
    content = chain.from_iterable(content_flags(caption, tagset=tagset) for caption in texts)
    return Spoken(
        list(described),
        np.repeat(np.arange(len(described)), list(map(len, described.values()))),
        np.repeat(np.arange(len(texts)), sizes),
        np.fromiter(words, dtype=np.int64, count=sum(sizes)),
        np.fromiter(content, dtype=np.bool_, count=sum(sizes)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceWords:
    """What the references of images say: their words, and in how many of them each content word occurs."""

    places: Mapping[str, int]  # of each image
    numbers: WordNumbers
    said: Codes  # pairs of image and word
    pairs: Codes  # pairs of image and content word
    importance: Codes  # for each of these pairs, the number of references that contain it

    def __len__(self) -> int:
        return len(self.places)

    def of(self, image: str) -> dict[str, int]:
        """Return the content words of an image, and the number of its references with each."""
        mine = self.pairs >> _SHIFT == self.places[image]
        words = (self.numbers.words[pair & ((1 << _SHIFT) - 1)] for pair in self.pairs[mine].tolist())
        return dict(zip(words, self.importance[mine].tolist(), strict=True))


def reference_words(references: Mapping[str, Sequence[Tagged]], *, tagset: Tagset = "fine") -> ReferenceWords:
    """Return the words of images' references, counted once per reference, without images that have none."""
    numbers = WordNumbers()
    return words_of_references(spoken(references, numbers, tagset=tagset), numbers)


def words_of_references(references: Spoken, numbers: WordNumbers) -> ReferenceWords:
    """Return the same from columns."""
    once = sorted_once(_pairs(references.caption, references.word)[references.content])
    captions, words = once >> _SHIFT, once & ((1 << _SHIFT) - 1)
    pairs, importance = np.unique(_pairs(references.image[captions], words), return_counts=True)
    places = {image: place for place, image in enumerate(references.images)}
    return ReferenceWords(places, numbers, references.pairs(), pairs, importance)


class LocalTallies(NamedTuple):
    """The counts of images that have both captions and references, with one row per image."""

    images: Sequence[str]
    rows: Counts


def compare(
    said: Spoken, references: ReferenceWords, *, classes: int, least: int = 1
) -> tuple[LocalTallies, WordMisses]:
    """Return the counts of each image with both captions and references, and the missed words.

    Only missed words of importance `least` or more are returned.
    """
    # Images with both are renumbered: the references use the numbers of the system's rows.
    places = np.array([references.places.get(image, -1) for image in said.images], dtype=np.int64)
    both = places >= 0
    rows = np.full(len(references), -1)
    rows[places[both]] = np.arange(np.count_nonzero(both))
    told = said.pairs(both[said.image[said.caption]], places=places)
    content = said.pairs(both[said.image[said.caption]] & said.content, places=places)
    compared = rows[references.pairs >> _SHIFT] >= 0
    pairs, importance = references.pairs[compared], references.importance[compared]
    recalled = _among(pairs, told)
    row = rows[pairs >> _SHIFT]
    counts = [
        *_by_class(row, importance, recalled, int(both.sum()), classes),
        *_shares(rows[content >> _SHIFT], _among(content, references.said), int(both.sum())),
    ]
    images = [image for image, kept in zip(said.images, both.tolist(), strict=True) if kept]
    kept = importance >= least
    words = _pairs(importance, pairs & ((1 << _SHIFT) - 1))
    misses = WordMisses(*(_counted(words[kept & hits], references.numbers) for hits in (recalled, ~recalled)))
    return LocalTallies(images, np.concatenate(counts, axis=1)), misses


def _among(pairs: Codes, others: Codes) -> NDArray[np.bool_]:
    """Return which pairs occur among others, which must be sorted."""
    if not others.size:
        return np.zeros(pairs.size, dtype=np.bool_)
    found = np.minimum(np.searchsorted(others, pairs), others.size - 1)
    return np.asarray(others[found] == pairs)


def _by_class(
    row: Codes, importance: Codes, recalled: NDArray[np.bool_], images: int, classes: int
) -> Iterator[Counts]:
    """Yield words of each class, recalled words, the image's share, and whether it has any words."""
    known = importance <= classes
    cells = row * classes + importance - 1
    totals = (
        np.bincount(cells[chosen], minlength=images * classes).reshape(images, classes).astype(float)
        for chosen in (known, known & recalled)
    )
    words, hits = totals
    yield from (words, hits, np.nan_to_num(ratio(hits, words)), (words > 0).astype(float))


def _shares(row: Codes, supported: NDArray[np.bool_], images: int) -> Iterator[Counts]:
    """Yield content words, those that some reference contains, their share, and whether there are any."""
    content = np.bincount(row, minlength=images).astype(float)
    hits = np.bincount(row[supported], minlength=images).astype(float)
    columns = content, hits, np.nan_to_num(ratio(hits, content)), (content > 0).astype(float)
    yield np.stack(columns, axis=1)


def _counted(words: Codes, numbers: WordNumbers) -> Counter[tuple[int, str]]:
    """Return how often each word of each importance occurs."""
    found, counts = np.unique(words, return_counts=True)
    names = ((pair >> _SHIFT, numbers.words[pair & ((1 << _SHIFT) - 1)]) for pair in found.tolist())
    return Counter(dict(zip(names, counts.tolist(), strict=True)))


def _recall_parts(counts: Counts) -> Counts:
    return counts[..., :-_PRECISION].reshape(*counts.shape[:-1], _KINDS, -1)


def micro_recall(counts: Counts) -> Counts:
    """Return recalled words / words of each class, over all images, as in the paper's tables."""
    parts = _recall_parts(counts)
    return np.asarray(ratio(parts[..., 1, :], parts[..., 0, :]))


def macro_recall(counts: Counts) -> Counts:
    """Return the mean over images of the recall in each class (van Miltenburg et al. 2018, Eq. 8).

    Images without words of a class do not count in that class.
    """
    parts = _recall_parts(counts)
    return np.asarray(ratio(parts[..., 2, :], parts[..., 3, :]))


def majority_recall(counts: Counts, *, first: int) -> Counts:
    """Return recalled words / words over this class and all higher ones, over all images."""
    parts = _recall_parts(counts)[..., first - 1 :]
    return np.asarray(ratio(parts[..., 1, :].sum(axis=-1), parts[..., 0, :].sum(axis=-1)))


def micro_precision(counts: Counts) -> Counts:
    """Return the share of used content words that some reference contains, over all images."""
    return np.asarray(ratio(counts[..., -3], counts[..., -4]))


def macro_precision(counts: Counts) -> Counts:
    """Return the mean over images of precision; images without content words do not count."""
    return np.asarray(ratio(counts[..., -2], counts[..., -1]))


@dataclass(frozen=True, slots=True)
class LocalRecall:
    """Local recall of one system by importance class, and local precision."""

    images: int  # images with both captions and references
    words: tuple[int, ...]  # in class 1, 2, ...
    recalled: tuple[int, ...]
    micro: tuple[float, ...]
    macro: tuple[float, ...]
    micro_precision: float
    macro_precision: float
    notes: tuple[str, ...]


def local_counts(
    captions: Mapping[str, Sequence[Tagged]],
    references: ReferenceWords,
    *,
    classes: int,
    tagset: Tagset = "fine",
    least: int = 1,
) -> tuple[LocalTallies, WordMisses]:
    """Return the counts of each image with both captions and references, and the missed words."""
    return compare(
        spoken(captions, references.numbers, tagset=tagset), references, classes=classes, least=least
    )


def local_recall(
    captions: Mapping[str, Sequence[Tagged]],
    references: ReferenceWords,
    *,
    classes: int | None = None,
    tagset: Tagset = "fine",
) -> LocalRecall:
    """Return local recall over the images with both captions and references, paired by image id.

    By default, classes go up to the largest importance in the references. Words above the last class count
    nowhere, as in the paper, where few images have six references.
    """
    count = classes if classes is not None else most_important(references)
    if count < 0:
        raise UsageError(f"the number of importance classes cannot be {count}")
    tallies, _ = local_counts(captions, references, classes=count, tagset=tagset)
    return recall_of_tallies(tallies, references, described=sum(map(bool, captions.values())))


def recall_of_tallies(tallies: LocalTallies, references: ReferenceWords, *, described: int) -> LocalRecall:
    """Return local recall from the counts of images; `described` is the number of described images."""
    images, rows = tallies
    total = rows.sum(axis=0)
    parts = _recall_parts(total)
    return LocalRecall(
        len(images),
        words=tuple(parts[0].astype(int).tolist()),
        recalled=tuple(parts[1].astype(int).tolist()),
        micro=tuple(micro_recall(total).tolist()),
        macro=tuple(macro_recall(total).tolist()),
        micro_precision=float(micro_precision(total)),
        macro_precision=float(macro_precision(total)),
        notes=_local_notes(
            len(images),
            described - len(images),
            len(references) - len(images),
            content=float(total[-_PRECISION]),
            words=parts[0],
        ),
    )


def most_important(references: ReferenceWords) -> int:
    """Return the largest number of references of one image that share a content word."""
    return int(references.importance.max(initial=0))


def _local_notes(
    images: int, without_references: int, without_captions: int, *, content: float, words: Counts
) -> tuple[str, ...]:
    notes = []
    empty = ", ".join(f"Loc{number}" for number, of_class in enumerate(words, start=1) if not of_class)
    if not images:
        notes.append("no image has both a caption and references: recall is undefined")
    elif not content:
        notes.append("the captions have no content word: local precision is undefined")
    if images and empty:
        notes.append(f"{empty} undefined: no content word occurs in exactly this many references of an image")
    if without_references:
        notes.append(f"{without_references} images with captions but no references were excluded")
    if without_captions:
        notes.append(f"{without_captions} images with references but no caption were excluded")
    return tuple(notes)


@dataclass(frozen=True, slots=True)
class WordMisses:
    """How often each word of each importance class was used and missed. Objects can be added."""

    said: Mapping[tuple[int, str], int] = field(default_factory=dict)
    missed: Mapping[tuple[int, str], int] = field(default_factory=dict)

    def __add__(self, other: WordMisses) -> WordMisses:
        return WordMisses(
            Counter(self.said) + Counter(other.said), Counter(self.missed) + Counter(other.missed)
        )


def word_misses(captions: Mapping[str, Sequence[Tagged]], references: ReferenceWords) -> WordMisses:
    """Return what a system uses and misses of its references' words, over images with both."""
    return local_counts(captions, references, classes=0)[1]
