"""Local recall and precision: does a caption say what people said about the same image?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assess.errors import UsageError
from assess.metrics.metric import Counts, ratio
from assess.metrics.recall_words import Tagged, Tagset, content_words

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
    importance: Counter[str] = Counter()
    for caption in captions:
        importance.update(content_words(caption, tagset=tagset))
    words = frozenset(word.lower() for caption in captions for word in caption.words)
    return ReferenceWords(importance, words)


def said_words(captions: Sequence[Tagged]) -> set[str]:
    """Return all words that a system says of an image, of any part of speech, lowercased."""
    return {word.lower() for caption in captions for word in caption.words}


@dataclass(frozen=True, slots=True)
class ImageWords:
    """One image: what a system says of it, and what its references say."""

    captions: Sequence[Tagged]  # several captions count as one that has all their words
    references: ReferenceWords


def local_tally(image: ImageWords, *, classes: int, tagset: Tagset = "fine") -> Counts:
    """Return an image's counts for local recall in classes 1 to `classes` and for local precision."""
    said = said_words(image.captions)
    found = np.zeros((_KINDS, classes))
    for word, importance in image.references.importance.items():
        if importance <= classes:
            found[0, importance - 1] += 1
            found[1, importance - 1] += word in said
    present = found[0] > 0
    found[2, present] = found[1, present] / found[0, present]
    found[3] = present
    return np.concatenate([found.ravel(), _precision_counts(image, tagset)])


def _precision_counts(image: ImageWords, tagset: Tagset) -> Counts:
    content = set().union(*(content_words(caption, tagset=tagset) for caption in image.captions))
    supported = len(content & image.references.words)
    share = supported / len(content) if content else 0.0
    return np.array([len(content), supported, share, bool(content)], dtype=float)


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
    without_references: int
    without_captions: int
    words: tuple[int, ...]  # in class 1, 2, ...
    recalled: tuple[int, ...]
    micro: tuple[float, ...]
    macro: tuple[float, ...]
    micro_precision: float
    macro_precision: float
    notes: tuple[str, ...]


def local_tallies(
    captions: Mapping[str, Sequence[Tagged]],
    references: Mapping[str, ReferenceWords],
    *,
    classes: int,
    tagset: Tagset = "fine",
) -> dict[str, Counts]:
    """Return the counts of each image that has both a caption and references."""
    return {
        image: local_tally(ImageWords(texts, references[image]), classes=classes, tagset=tagset)
        for image, texts in captions.items()
        if texts and image in references
    }


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
    `tallies` are those of `local_tallies`, where they are known already.
    """
    count = classes if classes is not None else most_important(references)
    if count < 0:
        raise UsageError(f"the number of importance classes cannot be {count}")
    if tallies is None:
        tallies = local_tallies(captions, references, classes=count, tagset=tagset)
    total = sum(tallies.values(), np.zeros(_KINDS * count + _PRECISION))
    parts = _recall_parts(total)
    described = sum(1 for texts in captions.values() if texts)
    missing = described - len(tallies), len(references) - len(tallies)
    return LocalRecall(
        len(tallies),
        *missing,
        words=tuple(parts[0].astype(int).tolist()),
        recalled=tuple(parts[1].astype(int).tolist()),
        micro=tuple(micro_recall(total).tolist()),
        macro=tuple(macro_recall(total).tolist()),
        micro_precision=float(micro_precision(total)),
        macro_precision=float(macro_precision(total)),
        notes=_notes(len(tallies), *missing, content=float(total[-_PRECISION]), words=parts[0]),
    )


def most_important(references: Mapping[str, ReferenceWords]) -> int:
    """Return the largest number of references of one image that share a content word."""
    return max((max(image.importance.values(), default=0) for image in references.values()), default=0)


def _notes(
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
