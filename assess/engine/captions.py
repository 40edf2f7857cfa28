"""Captions in memory for the measures: only words (which is fast), with tags, or also with trees.

Each distinct text is tokenised or annotated once across all sources of a run.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from assess.annotate.model import ModelIdentity
from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, Source
from assess.disk_cache import Codec, code_digest
from assess.engine.annotating import AnnotationService, Step, same_depth
from assess.engine.columns import AnnotatedCaption, DistinctTexts, PackedStrings, WordColumns, Words
from assess.engine.jobs import Job, Reading, SourceCounts, annotated_blocks
from assess.limits import chosen_limits
from assess.records import Annotation, Caption, Depth
from assess.signature import InputIdentity, Signature

Item = TypeVar("Item")


@dataclass(eq=False)
class SourceCaptions(SourceCounts):
    """The captions of a source or of a part of it, in file order. Parts can be added."""

    store: DistinctTexts  # may be shared with other sources
    images: PackedStrings = field(default_factory=PackedStrings)  # image id of each caption
    # number of each caption's text in the store
    numbers: array[int] = field(default_factory=lambda: array("i"))

    @cached_property
    def texts(self) -> Sequence[str]:
        """The text of each caption."""
        return [self.store.texts[number] for number in self.numbers]

    def columns(self) -> WordColumns:
        """Return the words of all captions as columns."""
        return self.store.columns(np.asarray(self.numbers))

    @cached_property
    def words(self) -> Sequence[Words]:
        """The words of each caption."""
        words = {number: self.store.words(number) for number in set(self.numbers)}
        return [words[number] for number in self.numbers]

    @cached_property
    def captions(self) -> Sequence[AnnotatedCaption]:
        """Each caption with its tags and its tree; equal captions are the same object."""
        captions = {number: AnnotatedCaption(self.store, number) for number in set(self.numbers)}
        return [captions[number] for number in self.numbers]

    def words_by_image(self) -> dict[str, list[Words]]:
        """Return the words of each image's captions, in file order."""
        return _grouped(self.images, self.words)

    def by_image(self) -> dict[str, list[AnnotatedCaption]]:
        """Return the captions of each image, in file order."""
        return _grouped(self.images, self.captions)

    def empty(self) -> SourceCaptions:
        """Return an object of the same system without captions."""
        return SourceCaptions(CorpusTally(self.corpus.system), DistinctTexts(self.store.depth))

    def add(self, other: SourceCaptions) -> None:
        """Add the captions of the next part."""
        super().add(other)
        self._append(other)

    def moved_to(self, store: DistinctTexts) -> SourceCaptions:
        """Return the same captions with their texts in another store."""
        moved = SourceCaptions(self.corpus, store)
        moved._append(self)
        return moved

    def _append(self, other: SourceCaptions) -> None:
        store = other.store
        ours = {
            number: self.store.add(store.texts[number], AnnotatedCaption(store, number))
            for number in dict.fromkeys(other.numbers)
        }
        self.images.extend(other.images)
        self.numbers.extend(map(ours.__getitem__, other.numbers))

    def __reduce__(self) -> tuple[Any, ...]:
        # Only its own texts are pickled: a worker's store also has those of other parts.
        alone = self.moved_to(DistinctTexts(self.store.depth))
        return SourceCaptions, (alone.corpus, alone.store, alone.images, alone.numbers)


def _grouped(images: Iterable[str], items: Iterable[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for image, item in zip(images, items, strict=True):
        found.setdefault(image, []).append(item)
    return found


def descriptions(sources: Iterable[SourceCaptions]) -> dict[str, list[AnnotatedCaption]]:
    """Return the captions of each image from all sources, since references may have several files."""
    found: dict[str, list[AnnotatedCaption]] = {}
    for source in sources:
        for image, captions in source.by_image().items():
            found.setdefault(image, []).extend(captions)
    return found


# The jobs that read captions, and the job that only reads image ids.


@dataclass(frozen=True)
class CaptionJob(Job[SourceCaptions]):
    """Reads captions and annotates them to a given depth."""

    depth: Depth
    images: frozenset[str] | None = None  # captions of other images are skipped

    def start(self, annotations: AnnotationService) -> Reading[SourceCaptions]:
        """Return a reading whose sources share their texts."""
        store = DistinctTexts(self.depth)
        annotate = partial(annotations.annotate, depth=same_depth(self.depth))

        def read(captions: CaptionReader, progress: Step | None) -> SourceCaptions:
            found = SourceCaptions(CorpusTally(captions.source.name), store)
            blocks = annotated_blocks(
                captions,
                annotate,
                size=annotations.block_size,
                known=store.numbers,
                images=self.images,
                progress=progress,
            )
            for block, new in blocks:
                for text, annotation in new:
                    store.add(text, annotation)
                found.images.extend(caption.image for caption in block)
                found.numbers.extend(store.numbers[caption.text] for caption in block)
            found.corpus = captions.tally
            return found

        return read


class CaptionKeeper:
    """Keeps the captions that another job reads and annotates, so that measures need no second pass.

    Texts are not kept: a million of them take more memory than their words as numbers.
    """

    def __init__(self, depth: Depth, *, most: int) -> None:
        self.depth = depth  # the depth that the measures need
        self._most = most  # with more captions, nothing is kept
        self._store = DistinctTexts(depth)
        self._found: dict[str, SourceCaptions] = {}

    def add_text(self, annotation: Annotation) -> int:
        """Add the annotation of a text, and return its number."""
        return self._store.append(annotation) if self._most else 0

    def add_captions(self, captions: CaptionReader, block: Iterable[Caption], numbers: Iterable[int]) -> None:
        """Add some captions of a source in order, given the numbers of their texts."""
        if not self._most:
            return
        name = captions.source.name
        found = self._found.setdefault(name, SourceCaptions(CorpusTally(name), self._store))
        found.images.extend(caption.image for caption in block)
        found.numbers.extend(numbers)
        if sum(len(each.images) for each in self._found.values()) > self._most:
            self.depth, self._most, self._found = Depth.NOTHING, 0, {}
            self._store = DistinctTexts(self.depth)

    def finish(self, captions: CaptionReader) -> None:
        """Record that a source was read completely."""
        if captions.source.name in self._found:
            self._found[captions.source.name].corpus = captions.tally

    def take(self, sources: Sequence[Source]) -> list[SourceCaptions] | None:
        """Return the captions of the sources if all of them were read completely."""
        names = [source.name for source in sources]
        return [self._found[name] for name in names] if self._found.keys() >= set(names) else None


@dataclass
class ImageIds(SourceCounts):
    """The images of a system, or of a part of it."""

    images: set[str] = field(default_factory=set)

    def add(self, other: ImageIds) -> None:
        """Add the images of the next part."""
        super().add(other)
        self.images |= other.images


_IMAGES: Codec[ImageIds, ImageIds] = Codec(ImageIds)


class ImageJob(Job[ImageIds]):
    """Reads image ids, which is a thousand times as fast as annotating captions."""

    @property
    def key(self) -> tuple[str, ...]:
        """Everything that ids depend on besides captions: how these are read."""
        return "images", code_digest("*.py", "corpus/*.py", "engine/*.py")

    @property
    def codec(self) -> Codec[ImageIds, ImageIds]:
        """How ids are stored."""
        return _IMAGES

    def start(self, annotations: AnnotationService) -> Reading[ImageIds]:
        """Return a reading that annotates nothing."""
        del annotations
        return _read_images


def _read_images(captions: CaptionReader, progress: Step | None) -> ImageIds:
    del progress  # progress counts finished captions
    images = {caption.image for caption in captions}
    return ImageIds(captions.tally, images)


def measure_signature(
    model: ModelIdentity,
    summaries: Iterable[CorpusSummary],
    settings: dict[str, str | int | float | bool | None],
) -> Signature:
    """Return the signature of measures: the model, the files and all settings that can change a number."""
    return Signature(
        model=f"{model.name} {model.version} (spaCy {model.spacy_version})",
        inputs=tuple(map(InputIdentity.of, summaries)),
        # Options that were not used are omitted.
        settings={key: value for key, value in (settings | chosen_limits()).items() if value is not None},
    )
