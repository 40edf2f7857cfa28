"""Recall: of words for each image and over all of them, words that are left out, and those used too much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, pairwise
from math import ceil, nan
from typing import NamedTuple

import numpy as np

from assess.errors import UsageError
from assess.measures.metric import Counts, ratio
from assess.measures.settings import Mode, Tagset
from assess.measures.words import Tagged, content_words, is_word

# Local recall and precision: does a caption say what people said about the same image?

# The parts of a tally: one row a kind of count, one column an importance class; then precision's four.
_KINDS = 4  # words of the class, those recalled, the image's share recalled, the image (if it has any)
_PRECISION = 4  # the same, for words of the captions that some reference has


@dataclass(frozen=True, slots=True)
class ReferenceWords:
    """What the references of one image say."""

    importance: Mapping[str, int]  # content word -> number of references that have it
    words: frozenset[str]  # all words of any reference


def reference_words(
    references: Mapping[str, Sequence[Tagged]], *, tagset: Tagset = "fine"
) -> dict[str, ReferenceWords]:
    """Return the words of each image's references, each counted once a reference; images without any go."""
    return {image: _words_of(captions, tagset) for image, captions in references.items() if captions}


def _words_of(captions: Sequence[Tagged], tagset: Tagset) -> ReferenceWords:
    said = [_said(caption, tagset) for caption in captions]
    importance = Counter(chain.from_iterable(content for _, content in said))
    return ReferenceWords(importance, frozenset().union(*(words for words, _ in said)))


class SaidWords(NamedTuple):
    """What a system says of an image: its words, of any part of speech, and the content words among them."""

    words: Set[str]
    content: Set[str]


def _said(caption: Tagged, tagset: Tagset) -> SaidWords:
    return SaidWords(set(map(str.lower, caption.words)), content_words(caption, tagset=tagset))


REMEMBERED = 20_000  # captions; systems repeat themselves


def _compared(
    captions: Mapping[str, Sequence[Tagged]], references: Mapping[str, ReferenceWords], tagset: Tagset
) -> Iterator[tuple[str, SaidWords, ReferenceWords]]:
    """Yield the images that have both captions and references; several captions count as one."""
    known: dict[Tagged, SaidWords] = {}
    for image, texts in captions.items():
        if not texts or image not in references:
            continue
        if len(known) >= REMEMBERED:
            known.clear()
        for caption in texts:
            if caption not in known:
                known[caption] = _said(caption, tagset)
        said = known[texts[0]]
        if len(texts) > 1:
            words, content = zip(*(known[caption] for caption in texts), strict=True)
            said = SaidWords(set().union(*words), set().union(*content))
        yield image, said, references[image]


@dataclass(frozen=True, slots=True)
class ImageWords:
    """One image: what a system says of it, and what its references say."""

    captions: Sequence[Tagged]  # several captions count as one that has all their words
    references: ReferenceWords


def local_tally(image: ImageWords, *, classes: int, tagset: Tagset = "fine") -> Counts:
    """Return an image's counts for local recall in classes 1 to `classes` and for local precision."""
    [(_, said, references)] = _compared({"": image.captions}, {"": image.references}, tagset)
    return _tally(said, references, classes)


def _tally(said: SaidWords, references: ReferenceWords, classes: int) -> Counts:
    # Lists, because they are short: an array takes longer for each of its numbers.
    words, recalled = [0] * classes, [0] * classes
    for word, importance in references.importance.items():
        if importance <= classes:
            words[importance - 1] += 1
            recalled[importance - 1] += word in said.words
    content, supported = len(said.content), len(said.content & references.words)
    return np.array(
        [
            *words,
            *recalled,
            *(part / whole if whole else 0.0 for part, whole in zip(recalled, words, strict=True)),
            *(whole > 0 for whole in words),
            *(content, supported, supported / content if content else 0.0, content > 0),
        ],
        dtype=float,
    )


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
    references: Mapping[str, ReferenceWords],
    *,
    classes: int,
    tagset: Tagset = "fine",
    least: int = 1,
) -> tuple[dict[str, Counts], WordMisses]:
    """Return the counts of each image that has both a caption and references, and which words are missed.

    Missed words are those of importance `least` and above.
    """
    tallies: dict[str, Counts] = {}
    told: dict[bool, Counter[tuple[int, str]]] = {True: Counter(), False: Counter()}
    for image, found, known in _compared(captions, references, tagset):
        tallies[image] = _tally(found, known, classes)
        for word, importance in known.importance.items():
            if importance >= least:
                told[word in found.words][importance, word] += 1
    return tallies, WordMisses(told[True], told[False])


def local_recall(
    captions: Mapping[str, Sequence[Tagged]],
    references: Mapping[str, ReferenceWords],
    *,
    classes: int | None = None,
    tagset: Tagset = "fine",
    tallies: Mapping[str, Counts] | None = None,
) -> LocalRecall:
    """Return local recall over the images that have captions and references, paired by image id.

    Classes go up to the largest importance in the references unless given; a word of a class above
    the last one asked for counts nowhere, as in the paper, whose images with six references are few.
    `tallies` are those of `local_counts`, where they are known already.
    """
    count = classes if classes is not None else most_important(references)
    if count < 0:
        raise UsageError(f"the number of importance classes cannot be {count}")
    if tallies is None:
        tallies, _ = local_counts(captions, references, classes=count, tagset=tagset)
    total = sum(tallies.values(), np.zeros(_KINDS * count + _PRECISION))
    parts = _recall_parts(total)
    described = sum(1 for texts in captions.values() if texts)
    missing = described - len(tallies), len(references) - len(tallies)
    return LocalRecall(
        len(tallies),
        words=tuple(parts[0].astype(int).tolist()),
        recalled=tuple(parts[1].astype(int).tolist()),
        micro=tuple(micro_recall(total).tolist()),
        macro=tuple(macro_recall(total).tolist()),
        micro_precision=float(micro_precision(total)),
        macro_precision=float(macro_precision(total)),
        notes=_local_notes(len(tallies), *missing, content=float(total[-_PRECISION]), words=parts[0]),
    )


def most_important(references: Mapping[str, ReferenceWords]) -> int:
    """Return the largest number of references of one image that share a content word."""
    return max((max(image.importance.values(), default=0) for image in references.values()), default=0)


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


def word_misses(
    captions: Mapping[str, Sequence[Tagged]], references: Mapping[str, ReferenceWords]
) -> WordMisses:
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
