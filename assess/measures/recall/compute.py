"""Recall: of words for each image and over all of them, words that are left out, and those used too much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from math import ceil, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError
from assess.measures.metric import Counts, ratio
from assess.measures.settings import Mode, Tagset
from assess.measures.words import Tagged, content_flags, is_word

# Local recall and precision: does a caption say what people said about the same image?

# The parts of a tally: one row a kind of count, one column an importance class; then precision's four.
_KINDS = 4  # words of the class, those recalled, the image's share recalled, the image (if it has any)
_PRECISION = 4  # the same, for words of the captions that some reference has


Codes = NDArray[np.int64]


class Spoken(NamedTuple):
    """Captions as columns: the image of each caption, and of each word its caption, number and kind."""

    images: Sequence[str]  # each once
    image: Codes  # of each caption
    caption: Codes  # of each word
    word: Codes
    content: NDArray[np.bool_]

    def pairs(self, chosen: NDArray[np.bool_] | slice = slice(None), *, places: Codes | None = None) -> Codes:
        """Return each image with each of its words, once and sorted; images may get other numbers."""
        images = self.image if places is None else places[self.image]
        return np.unique(_pairs(images[self.caption[chosen]], self.word[chosen]))

    def word_counts(self, numbers: WordNumbers) -> Counter[str]:
        """Return how often each word is said."""
        counts = np.bincount(self.word, minlength=len(numbers.words))
        return Counter({numbers.words[word]: int(counts[word]) for word in np.flatnonzero(counts).tolist()})


def _pairs(first: Codes, second: Codes) -> Codes:
    return first << _SHIFT | second


_SHIFT = 32


class WordNumbers(dict[str, int]):
    """Lowercased words as numbers, in order of first use, whoever says them."""

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
    """Return the captions of images as columns; images without captions go."""
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
    """What the references of images say: their words, and how many of them have each content word."""

    places: Mapping[str, int]  # of each image
    numbers: WordNumbers
    said: Codes  # pairs of image and word
    pairs: Codes  # of image and content word
    importance: Codes  # of each such pair: the number of references that have it

    def __len__(self) -> int:
        return len(self.places)

    def of(self, image: str) -> dict[str, int]:
        """Return the content words of an image, and how many of its references have each."""
        mine = self.pairs >> _SHIFT == self.places[image]
        words = (self.numbers.words[pair & ((1 << _SHIFT) - 1)] for pair in self.pairs[mine].tolist())
        return dict(zip(words, self.importance[mine].tolist(), strict=True))


def reference_words(references: Mapping[str, Sequence[Tagged]], *, tagset: Tagset = "fine") -> ReferenceWords:
    """Return the words of each image's references, each counted once a reference; images without any go."""
    numbers = WordNumbers()
    return words_of_references(spoken(references, numbers, tagset=tagset), numbers)


def words_of_references(references: Spoken, numbers: WordNumbers) -> ReferenceWords:
    """Return the same from columns."""
    once = np.unique(_pairs(references.caption, references.word)[references.content])
    captions, words = once >> _SHIFT, once & ((1 << _SHIFT) - 1)
    pairs, importance = np.unique(_pairs(references.image[captions], words), return_counts=True)
    places = {image: place for place, image in enumerate(references.images)}
    return ReferenceWords(places, numbers, references.pairs(), pairs, importance)


class ImageWords(NamedTuple):
    """One image: what a system says of it, and its references."""

    captions: Sequence[Tagged]  # several captions count as one that has all their words
    references: Sequence[Tagged]


def local_tally(image: ImageWords, *, classes: int, tagset: Tagset = "fine") -> Counts:
    """Return an image's counts for local recall in classes 1 to `classes` and for local precision."""
    known = reference_words({"": image.references}, tagset=tagset)
    tallies, _ = local_counts({"": image.captions}, known, classes=classes, tagset=tagset)
    total: Counts = tallies.rows.sum(axis=0)
    return total


class LocalTallies(NamedTuple):
    """The counts of images that have both captions and references, one row per image."""

    images: Sequence[str]
    rows: Counts


def compare(
    said: Spoken, references: ReferenceWords, *, classes: int, least: int = 1
) -> tuple[LocalTallies, WordMisses]:
    """Return the counts of each image that has both a caption and references, and which words are missed.

    Missed words are those of importance `least` and above.
    """
    # Of the images that have both, those of the references get the numbers of the system's rows.
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
    """Return which pairs are among others; these are sorted."""
    if not others.size:
        return np.zeros(pairs.size, dtype=np.bool_)
    found = np.minimum(np.searchsorted(others, pairs), others.size - 1)
    return np.asarray(others[found] == pairs)


def _by_class(
    row: Codes, importance: Codes, recalled: NDArray[np.bool_], images: int, classes: int
) -> Iterator[Counts]:
    """Yield words of each class, those recalled, the image's share, and whether it has any."""
    known = importance <= classes
    cells = row * classes + importance - 1
    totals = (
        np.bincount(cells[chosen], minlength=images * classes).reshape(images, classes).astype(float)
        for chosen in (known, known & recalled)
    )
    words, hits = totals
    yield from (words, hits, np.nan_to_num(ratio(hits, words)), (words > 0).astype(float))


def _shares(row: Codes, supported: NDArray[np.bool_], images: int) -> Iterator[Counts]:
    """Yield content words, those that some reference has, their share, and whether there are any."""
    content = np.bincount(row, minlength=images).astype(float)
    hits = np.bincount(row[supported], minlength=images).astype(float)
    columns = content, hits, np.nan_to_num(ratio(hits, content)), (content > 0).astype(float)
    yield np.stack(columns, axis=1)


def _counted(words: Codes, numbers: WordNumbers) -> Counter[tuple[int, str]]:
    """Return how often each word of each importance comes."""
    found, counts = np.unique(words, return_counts=True)
    names = ((pair >> _SHIFT, numbers.words[pair & ((1 << _SHIFT) - 1)]) for pair in found.tolist())
    return Counter(dict(zip(names, counts.tolist(), strict=True)))


def _recall_parts(counts: Counts) -> Counts:
    return counts[..., :-_PRECISION].reshape(*counts.shape[:-1], _KINDS, -1)


def micro_recall(counts: Counts) -> Counts:
    """Return recalled words / words of each class, over all images: what the paper's numbers are."""
    parts = _recall_parts(counts)
    return np.asarray(ratio(parts[..., 1, :], parts[..., 0, :]))


def macro_recall(counts: Counts) -> Counts:
    """Return the mean of the images' recalls in each class (van Miltenburg et al. 2018, Eq. 8).

    An image that has no word of a class has no recall there, and does not count in that class.
    """
    parts = _recall_parts(counts)
    return np.asarray(ratio(parts[..., 2, :], parts[..., 3, :]))


def majority_recall(counts: Counts, *, first: int) -> Counts:
    """Return recalled words / words of this class and those above it, over all images."""
    parts = _recall_parts(counts)[..., first - 1 :]
    return np.asarray(ratio(parts[..., 1, :].sum(axis=-1), parts[..., 0, :].sum(axis=-1)))


def micro_precision(counts: Counts) -> Counts:
    """Return the share of said content words that some reference has, over all images."""
    return np.asarray(ratio(counts[..., -3], counts[..., -4]))


def macro_precision(counts: Counts) -> Counts:
    """Return the mean of the images' precisions; an image without content words has none."""
    return np.asarray(ratio(counts[..., -2], counts[..., -1]))


@dataclass(frozen=True, slots=True)
class LocalRecall:
    """Local recall of one system by importance class, and local precision."""

    images: int  # that have both a caption and references
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
    """Return the counts of each image that has both a caption and references, and which words are missed."""
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
    """Return local recall over the images that have captions and references, paired by image id.

    Classes go up to the largest importance in the references unless given; a word of a class above
    the last one asked for counts nowhere, as in the paper, whose images with six references are few.
    """
    count = classes if classes is not None else most_important(references)
    if count < 0:
        raise UsageError(f"the number of importance classes cannot be {count}")
    tallies, _ = local_counts(captions, references, classes=count, tagset=tagset)
    return recall_of_tallies(tallies, references, described=sum(map(bool, captions.values())))


def recall_of_tallies(tallies: LocalTallies, references: ReferenceWords, *, described: int) -> LocalRecall:
    """Return local recall from the counts of images, of those that are `described`."""
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
        notes.append(f"{empty} undefined: no content word is in exactly so many references of an image")
    if without_references:
        notes.append(f"{without_references} images with captions but no references were left out")
    if without_captions:
        notes.append(f"{without_captions} images with references but no caption were left out")
    return tuple(notes)


# Global recall: how much of the vocabulary that a system could have learned does it ever use?


@dataclass(frozen=True, slots=True)
class GlobalRecall:
    """Recall of the learnable words: those of the evaluation captions that training captions have too."""

    mode: Mode
    evaluation: int  # types of the evaluation captions
    learnable: int | None  # None where training captions are not known
    recalled: int | None  # None where nothing was described
    coverage: float  # recalled / learnable
    limit: float  # learnable / evaluation: the share that any system could recall
    deciles: tuple[float, ...]  # coverage by frequency in the evaluation captions, most frequent first
    notes: tuple[str, ...]


def global_recall(
    generated: Iterable[str] | None,
    evaluation: Mapping[str, int],
    *,
    training: Mapping[str, int] | None = None,
    mode: Mode = "assess",
    parts: int = 10,
) -> GlobalRecall:
    """Return global recall of generated words (van Miltenburg et al. 2018, section 4).

    Words are lowercased tokens, with their counts. Paper: punctuation counts as a word, and deciles
    are of all evaluation types, those that no system can learn included. Ours: words only, and
    deciles of the learnable ones. A function of word counts alone, and those add. Without captions of
    the evaluated images, which is not the same as empty ones, `generated` is None and recall undefined.
    """
    if parts < 1:
        raise UsageError(f"frequencies are split into at least one part, not {parts}")
    counted = {word: count for word, count in evaluation.items() if mode == "paper" or is_word(word)}
    learnable = counted.keys() if training is None else counted.keys() & training.keys()
    recalled = None if generated is None else learnable & set(generated)
    target = counted if mode == "paper" else learnable
    ordered = by_frequency({word: counted[word] for word in target})
    known = training is not None
    return GlobalRecall(
        mode=mode,
        evaluation=len(counted),
        learnable=len(learnable) if known else None,
        recalled=None if recalled is None else len(recalled),
        coverage=_share(learnable, recalled) if known else nan,
        limit=float(ratio(len(learnable), len(counted))) if known else nan,
        deciles=tuple(_share(part, recalled) for part in _split(ordered, parts, mode)),
        notes=_global_notes(counted, learnable, known=known, parts=parts),
    )


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """Return words from the most to the least frequent; equals are in alphabetical order."""
    return sorted(counts, key=lambda word: (-counts[word], word))


def _split(words: Sequence[str], parts: int, mode: Mode) -> list[Sequence[str]]:
    """Return consecutive parts: of the same size and a shorter last one (paper), or as equal as can be."""
    if mode == "paper":
        size = max(1, ceil(len(words) / parts))
        edges = [min(len(words), size * part) for part in range(parts + 1)]
    else:
        edges = [len(words) * part // parts for part in range(parts + 1)]
    return [words[start:end] for start, end in pairwise(edges)]


def _share(words: Collection[str], recalled: Collection[str] | None) -> float:
    if recalled is None:
        return nan
    return float(ratio(sum(word in recalled for word in words), len(words)))


def _global_notes(
    evaluation: Mapping[str, int], learnable: Iterable[str], *, known: bool, parts: int
) -> tuple[str, ...]:
    notes = []
    if not known:
        notes.append("no training captions: coverage and its limit are undefined, parts are of all words")
    elif not list(learnable):
        notes.append("training and evaluation captions share no word: coverage is undefined")
    if len(evaluation) < parts:
        notes.append(f"fewer than {parts} words: some parts by frequency are empty and undefined")
    return tuple(notes)


# Which words systems leave out: rankings over the whole vocabulary, and image by image.


def omitted_words(
    generated: Iterable[str], ranking: Mapping[str, int], *, learnable: Iterable[str]
) -> tuple[tuple[str, int], ...]:
    """Return learnable words that are never generated, by frequency in `ranking` (training or evaluation).

    For several systems at once, `generated` is all their words. Punctuation is no omission.
    """
    omitted = {word for word in learnable if is_word(word)} - set(generated)
    counts = {word: ranking.get(word, 0) for word in omitted}
    return tuple((word, counts[word]) for word in by_frequency(counts))


@dataclass(frozen=True, slots=True)
class WordMisses:
    """How often each word of each importance class was said and missed. The sum of two is that of both."""

    said: Mapping[tuple[int, str], int] = field(default_factory=dict)
    missed: Mapping[tuple[int, str], int] = field(default_factory=dict)

    def __add__(self, other: WordMisses) -> WordMisses:
        return WordMisses(
            Counter(self.said) + Counter(other.said), Counter(self.missed) + Counter(other.missed)
        )


def word_misses(captions: Mapping[str, Sequence[Tagged]], references: ReferenceWords) -> WordMisses:
    """Return what a system says and misses of its references, over images that have both."""
    return local_counts(captions, references, classes=0)[1]


@dataclass(frozen=True, slots=True)
class Omission:
    """A word of one importance class, and how often it was missed."""

    word: str
    missed: int
    occurrences: int

    @property
    def miss_ratio(self) -> float:
        """The share of the word's occurrences that were missed (the paper's MissRatio)."""
        return float(ratio(self.missed, self.occurrences))


def by_count(misses: WordMisses, importance: int) -> tuple[Omission, ...]:
    """Return missed words of a class, the most often missed first: the paper's absolute ranking.

    Of words missed as often, the one missed in a larger share comes first; then the alphabet decides.
    """
    return _ranked(misses, importance, lambda omission: (-omission.missed, omission.occurrences))


def by_miss_ratio(misses: WordMisses, importance: int, *, least: int = 1) -> tuple[Omission, ...]:
    """Return missed words of a class by MissRatio, ties to the more frequent word, then the alphabet.

    `least` is the number of occurrences a word must have: the paper's relative ranking with threshold
    asks for ten a system, so ninety for its nine systems added. (Its code asks for *more than* ninety.)
    """
    ranked = _ranked(misses, importance, lambda omission: (-omission.miss_ratio, -omission.occurrences))
    return tuple(omission for omission in ranked if omission.occurrences >= least)


def _ranked(
    misses: WordMisses, importance: int, key: Callable[[Omission], tuple[float, float]]
) -> tuple[Omission, ...]:
    omissions = [
        Omission(word, missed, missed + misses.said.get((importance, word), 0))
        for (of_class, word), missed in misses.missed.items()
        if of_class == importance
    ]
    return tuple(sorted(omissions, key=lambda omission: (*key(omission), omission.word)))
