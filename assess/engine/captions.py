"""Captions held in memory for the measures: as words alone, which is fast, with tags, or with trees too.

Each distinct text is tokenised or annotated once, over all sources of a run.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from assess.annotate.model import ModelIdentity
from assess.corpus import CaptionReader, CorpusSummary, CorpusTally, Source
from assess.disk_cache import Codec, code_digest
from assess.engine.annotating import AnnotationService, Step, same_depth
from assess.engine.jobs import Engine, Job, Progress, Reading, annotated_blocks
from assess.limits import chosen_limits
from assess.records import Annotation, Caption, Depth
from assess.signature import InputIdentity, Signature

Words = tuple[str, ...]
Item = TypeVar("Item")
Number = TypeVar("Number", bound=np.generic)

# Annotated texts as numbers: whole corpora in memory, at eleven bytes a word.
#
# The measures of recall and syntax need the tags and the trees of all captions at once. A hundred thousand
# annotations as objects would take hundreds of megabytes, so words, tags and relations are kept as codes in
# flat arrays, and a caption is a view that decodes what it is asked for.


class _Codes(dict[str, int]):
    """String to code, in order of first use, and back."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        code = self[string] = len(self.strings)
        self.strings.append(string)
        return code

    def decode(self, codes: array[int]) -> Words:
        return tuple(map(self.strings.__getitem__, codes))


Codes = NDArray[np.int64]


class WordColumns(NamedTuple):
    """Captions as columns: all words that there are, the number of each word, and where captions start."""

    vocabulary: Sequence[str]
    words: NDArray[np.int32]
    starts: Codes  # and the end of the last one


def starts_of(lengths: NDArray[np.int64] | NDArray[np.bool_]) -> Codes:
    """Return where things of these lengths start that follow one another, and the end of the last one."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


_AT_ONCE = 1 << 16  # captions


def columns_in_order(
    words: NDArray[Number], starts: Codes, order: NDArray[np.integer[Any]]
) -> tuple[NDArray[Number], Codes]:
    """Return the words and starts of some captions in some order, or whatever else their words have."""
    lengths = (starts[1:] - starts[:-1])[order]
    found = starts_of(lengths)
    result = np.empty(int(found[-1]), dtype=words.dtype)
    for at in range(0, len(order), _AT_ONCE):
        part = slice(at, min(at + _AT_ONCE, len(order)))
        begin, end = found[part.start], found[part.stop]
        moved = np.repeat(starts[:-1][order[part]] - found[part], lengths[part])
        result[begin:end] = words[moved + np.arange(begin, end)]
    return result, found


class DistinctTexts:
    """Texts, each once, all to the same depth: their words, and their tags and trees where these are wanted.

    Offsets and noun chunks are not kept: no measure reads them.
    """

    def __init__(self, depth: Depth) -> None:
        self.depth = depth
        self.texts: list[str] = []
        self.numbers: dict[str, int] = {}  # of each text
        self._words, self._tags, self._deps = _Codes(), _Codes(), _Codes()
        self._word_codes, self._heads = array("i"), array("i")
        self._tag_codes, self._dep_codes = array("H"), array("H")
        self._starts = array("q", [0])

    def add(self, text: str, annotation: Annotation | AnnotatedCaption) -> int:
        """Keep a text, unless it is here, and return its number."""
        if text not in self.numbers:
            self.numbers[text] = self.append(annotation)
            self.texts.append(text)
        return self.numbers[text]

    def append(self, annotation: Annotation | AnnotatedCaption) -> int:
        """Keep what a text says without the text itself, and return its number."""
        self._word_codes.extend(map(self._words.__getitem__, annotation.words))
        if self.depth >= Depth.TAGS:
            self._tag_codes.extend(map(self._tags.__getitem__, annotation.tags))
        if self.depth is Depth.TREE:
            self._dep_codes.extend(map(self._deps.__getitem__, annotation.deps))
            self._heads.extend(annotation.heads)
        self._starts.append(len(self._word_codes))
        return len(self._starts) - 2

    def words(self, number: int) -> Words:
        """Return the words of a text."""
        return self._words.decode(self._word_codes[self._part(number)])

    def columns(self, numbers: NDArray[np.integer[Any]]) -> WordColumns:
        """Return the words of texts as columns."""
        words, starts = np.frombuffer(self._word_codes, np.int32), np.frombuffer(self._starts, np.int64)
        return WordColumns(self._words.strings, *columns_in_order(words, starts, numbers))

    def tag_columns(self, numbers: NDArray[np.integer[Any]]) -> WordColumns:
        """Return the tags of texts as columns."""
        tags = np.frombuffer(self._tag_codes, np.uint16).astype(np.int32)
        starts = np.frombuffer(self._starts, np.int64)
        return WordColumns(self._tags.strings, *columns_in_order(tags, starts, numbers))

    def tags(self, number: int) -> Words:
        """Return the fine tags of a text's words."""
        return self._tags.decode(self._tag_codes[self._part(number)])

    def deps(self, number: int) -> Words:
        """Return the relations of a text's words to their heads."""
        return self._deps.decode(self._dep_codes[self._part(number)])

    def heads(self, number: int) -> tuple[int, ...]:
        """Return the heads of a text's words, as indices."""
        return tuple(self._heads[self._part(number)])

    def _part(self, number: int) -> slice:
        return slice(self._starts[number], self._starts[number + 1])


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedCaption:
    """One distinct text with its tags and its tree: what the measures call a parsed caption."""

    store: DistinctTexts
    number: int

    @property
    def words(self) -> Words:
        """The words, in order."""
        return self.store.words(self.number)

    @property
    def tags(self) -> Words:
        """The fine tag of each word."""
        return self.store.tags(self.number)

    @property
    def heads(self) -> tuple[int, ...]:
        """The index of each word's head; a root is its own head."""
        return self.store.heads(self.number)

    @property
    def deps(self) -> Words:
        """The relation of each word to its head."""
        return self.store.deps(self.number)


@dataclass(eq=False)
class SourceCaptions:
    """The captions of one source, or of a part of it, in file order. Parts add up; equal texts are one."""

    corpus: CorpusTally
    store: DistinctTexts  # may be shared with other sources
    images: list[str] = field(default_factory=list)  # of each caption
    numbers: array[int] = field(default_factory=lambda: array("i"))  # of each caption's text in the store

    @property
    def summary(self) -> CorpusSummary:
        """What was read, once all of it was."""
        return self.corpus.summary()

    @cached_property
    def texts(self) -> Sequence[str]:
        """The text of each caption."""
        return [self.store.texts[number] for number in self.numbers]

    def columns(self) -> WordColumns:
        """Return the words of all captions as columns."""
        return self.store.columns(np.frombuffer(self.numbers, np.int32))

    @cached_property
    def words(self) -> Sequence[Words]:
        """The words of each caption."""
        words = {number: self.store.words(number) for number in set(self.numbers)}
        return [words[number] for number in self.numbers]

    @cached_property
    def captions(self) -> Sequence[AnnotatedCaption]:
        """Each caption with its tags and its tree; captions with the same text are one object."""
        captions = {number: AnnotatedCaption(self.store, number) for number in set(self.numbers)}
        return [captions[number] for number in self.numbers]

    def words_by_image(self) -> dict[str, list[Words]]:
        """Return the words of each image's captions, in file order."""
        return _grouped(self.images, self.words)

    def by_image(self) -> dict[str, list[AnnotatedCaption]]:
        """Return the captions of each image, in file order."""
        return _grouped(self.images, self.captions)

    def empty(self) -> SourceCaptions:
        """Return no captions, of the same system."""
        return SourceCaptions(CorpusTally(self.corpus.system), DistinctTexts(self.store.depth))

    def add(self, other: SourceCaptions) -> None:
        """Add the captions of the part that follows."""
        self.corpus.add(other.corpus)
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
        self.images += other.images
        self.numbers.extend(map(ours.__getitem__, other.numbers))

    def __reduce__(self) -> tuple[Any, ...]:
        # Only its own texts travel: a worker's store has those of other parts too.
        alone = self.moved_to(DistinctTexts(self.store.depth))
        return SourceCaptions, (alone.corpus, alone.store, alone.images, alone.numbers)


def _grouped(images: Iterable[str], items: Iterable[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for image, item in zip(images, items, strict=True):
        found.setdefault(image, []).append(item)
    return found


def descriptions(sources: Iterable[SourceCaptions]) -> dict[str, list[AnnotatedCaption]]:
    """Return the captions of each image, from all sources: references may come in several files."""
    found: dict[str, list[AnnotatedCaption]] = {}
    for source in sources:
        for image, captions in source.by_image().items():
            found.setdefault(image, []).extend(captions)
    return found


# The jobs that read captions, and image ids alone.


@dataclass(frozen=True)
class CaptionJob(Job[SourceCaptions]):
    """Read captions, annotated to some depth."""

    depth: Depth
    images: frozenset[str] | None = None  # captions of other images are left out

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
                found.images += (caption.image for caption in block)
                found.numbers.extend(store.numbers[caption.text] for caption in block)
            found.corpus = captions.tally
            return found

        return read


class CaptionKeeper:
    """Keeps captions that another job reads and annotates: one pass over the files feeds all measures.

    Texts are not kept: a million of them take more memory than their words as numbers.
    """

    def __init__(self, depth: Depth, *, most: int) -> None:
        self.depth = depth  # that the measures need
        self._most = most  # with more, nothing is kept
        self._store = DistinctTexts(depth)
        self._found: dict[str, SourceCaptions] = {}

    def add_text(self, annotation: Annotation) -> int:
        """Take the annotation of a text, and return the number to name it by."""
        return self._store.append(annotation) if self._most else 0

    def add_captions(self, captions: CaptionReader, block: Iterable[Caption], numbers: Iterable[int]) -> None:
        """Take some captions of a source, in order, with the numbers of their texts."""
        if not self._most:
            return
        name = captions.source.name
        found = self._found.setdefault(name, SourceCaptions(CorpusTally(name), self._store))
        found.images += (caption.image for caption in block)
        found.numbers.extend(numbers)
        if sum(len(each.images) for each in self._found.values()) > self._most:
            self.depth, self._most, self._found = Depth.NOTHING, 0, {}
            self._store = DistinctTexts(self.depth)

    def finish(self, captions: CaptionReader) -> None:
        """Note that all captions of a source were read."""
        if captions.source.name in self._found:
            self._found[captions.source.name].corpus = captions.tally

    def take(self, sources: Sequence[Source]) -> list[SourceCaptions] | None:
        """Return the captions of sources, if all of them were read."""
        names = [source.name for source in sources]
        return [self._found[name] for name in names] if self._found.keys() >= set(names) else None


def read_sources(
    engine: Engine,
    sources: Sequence[Source],
    *,
    depth: Depth,
    images: frozenset[str] | None = None,
    progress: Progress | None = None,
) -> list[SourceCaptions]:
    """Return the captions of sources, or of some of their images. Equal texts are one, over all sources."""
    results = engine.run(CaptionJob(depth, images), sources, progress=progress)
    found = [results[source.name] for source in sources]
    if len({id(captions.store) for captions in found}) > 1:  # they were read in different places
        store = DistinctTexts(depth)
        found = [captions.moved_to(store) for captions in found]
    return found


def read_systems(
    engine: Engine,
    systems: Sequence[Source],
    references: Sequence[Source],
    *,
    depth: Depth,
    progress: Progress | None = None,
    kept: CaptionKeeper | None = None,
) -> tuple[dict[str, SourceCaptions], list[SourceCaptions]]:
    """Return the captions of systems, by name, and those of references; those that were kept as they are."""
    everything = [*systems, *references]
    found = kept.take(everything) if kept else None
    found = found or read_sources(engine, everything, depth=depth, progress=progress)
    return {captions.corpus.system: captions for captions in found[: len(systems)]}, found[len(systems) :]


@dataclass(slots=True)
class ImageIds:
    """The images of a system, or of a part of it."""

    corpus: CorpusTally
    images: set[str] = field(default_factory=set)

    def empty(self) -> ImageIds:
        """Return no images, of the same system."""
        return ImageIds(CorpusTally(self.corpus.system))

    def add(self, other: ImageIds) -> None:
        """Add the images of the part that follows."""
        self.corpus.add(other.corpus)
        self.images |= other.images


_IMAGES: Codec[ImageIds, ImageIds] = Codec(ImageIds)


class ImageJob(Job[ImageIds]):
    """Read image ids. It is a thousand times cheaper than annotating captions."""

    @property
    def key(self) -> tuple[str, ...]:
        """All that ids depend on besides captions: how these are read."""
        return "images", code_digest("*.py", "corpus/*.py", "engine/*.py")

    @property
    def codec(self) -> Codec[ImageIds, ImageIds]:
        """How ids are kept."""
        return _IMAGES

    def start(self, annotations: AnnotationService) -> Reading[ImageIds]:
        """Return a reading that annotates nothing."""
        del annotations
        return _read_images


def _read_images(captions: CaptionReader, progress: Step | None) -> ImageIds:
    del progress  # it is about captions that are finished
    images = {caption.image for caption in captions}
    return ImageIds(captions.tally, images)


def measure_signature(
    model: ModelIdentity,
    summaries: Iterable[CorpusSummary],
    settings: dict[str, str | int | float | bool | None],
) -> Signature:
    """Return the signature of measures: the model, the files and all settings that change a number."""
    return Signature(
        model=f"{model.name} {model.version} (spaCy {model.spacy_version})",
        inputs=tuple(map(InputIdentity.of, summaries)),
        # What was not chosen says nothing.
        settings={key: value for key, value in (settings | chosen_limits()).items() if value is not None},
    )
