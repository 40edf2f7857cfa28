"""Caption files read for the measures: as words alone, which is fast, or with tags and trees.

Each distinct text is tokenised or annotated once, over all sources of a run.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from assess.annotate.model import ModelIdentity, choose_model, load_pipeline, model_identity, tokenise
from assess.corpus import CaptionReader, CorpusSummary, Source
from assess.engine.annotating import AnnotationService
from assess.records import Annotation, Caption
from assess.signature import InputIdentity, Signature

# Annotated captions as numbers: whole corpora in memory, at eleven bytes a word.
#
# The measures of recall and syntax need the tags and the trees of all captions at once. A hundred thousand
# annotations as objects would take hundreds of megabytes, so words, tags and relations are kept as codes in
# flat arrays, and a caption is a view that decodes what it is asked for.

Strings = tuple[str, ...]


class _Codes(dict[str, int]):
    """String to code, in order of first use, and back."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []

    def __missing__(self, string: str) -> int:
        code = self[string] = len(self.strings)
        self.strings.append(string)
        return code

    def decode(self, codes: array[int]) -> Strings:
        return tuple(map(self.strings.__getitem__, codes))


class AnnotatedTexts:
    """The annotations of distinct texts. Offsets and noun chunks are not kept: no measure reads them."""

    def __init__(self) -> None:
        self._words, self._tags, self._deps = _Codes(), _Codes(), _Codes()
        self._word_codes, self._heads = array("i"), array("i")
        self._tag_codes, self._dep_codes = array("H"), array("H")
        self._starts = array("q", [0])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def add(self, annotation: Annotation) -> AnnotatedCaption:
        """Keep an annotation and return the caption that shows it."""
        self._word_codes.extend(map(self._words.__getitem__, annotation.words))
        self._tag_codes.extend(map(self._tags.__getitem__, annotation.tags))
        self._dep_codes.extend(map(self._deps.__getitem__, annotation.deps))
        self._heads.extend(annotation.heads)
        self._starts.append(len(self._word_codes))
        return AnnotatedCaption(self, len(self) - 1)

    def words(self, number: int) -> Strings:
        """Return the words of a text."""
        return self._words.decode(self._word_codes[self._part(number)])

    def tags(self, number: int) -> Strings:
        """Return the fine tags of a text's words."""
        return self._tags.decode(self._tag_codes[self._part(number)])

    def deps(self, number: int) -> Strings:
        """Return the relations of a text's words to their heads."""
        return self._deps.decode(self._dep_codes[self._part(number)])

    def heads(self, number: int) -> tuple[int, ...]:
        """Return the heads of a text's words, as indices."""
        return tuple(self._heads[self._part(number)])

    def _part(self, number: int) -> slice:
        return slice(self._starts[number], self._starts[number + 1])


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedCaption:
    """One distinct text with its tags and its tree: what `metrics` calls a parsed caption."""

    texts: AnnotatedTexts
    number: int

    @property
    def words(self) -> Strings:
        """The words, in order."""
        return self.texts.words(self.number)

    @property
    def tags(self) -> Strings:
        """The fine tag of each word."""
        return self.texts.tags(self.number)

    @property
    def heads(self) -> tuple[int, ...]:
        """The index of each word's head; a root is its own head."""
        return self.texts.heads(self.number)

    @property
    def deps(self) -> Strings:
        """The relation of each word to its head."""
        return self.texts.deps(self.number)


Words = tuple[str, ...]
Keep = Callable[[str], bool]  # of an image id
Progress = Callable[[str, int], None]  # a source's name, and how many captions were finished
Item = TypeVar("Item")

BLOCK = 16_384  # large enough to be worth several processes
REMEMBERED = 300_000  # distinct texts whose words are kept for the next source


@dataclass(frozen=True, slots=True, eq=False)
class WordCorpus:
    """The captions of one source as words, in file order."""

    summary: CorpusSummary
    images: tuple[str, ...]  # of each caption
    texts: tuple[str, ...]
    words: tuple[Words, ...]

    def by_image(self) -> dict[str, list[Words]]:
        """Return the captions of each image, in file order."""
        return _grouped(self.images, self.words)


@dataclass(frozen=True, slots=True, eq=False)
class TaggedCorpus:
    """The captions of one source with tags and trees, in file order; equal texts share one caption."""

    summary: CorpusSummary
    images: tuple[str, ...]  # of each caption
    texts: tuple[str, ...]
    captions: tuple[AnnotatedCaption, ...]

    def by_image(self) -> dict[str, list[AnnotatedCaption]]:
        """Return the captions of each image, in file order."""
        return _grouped(self.images, self.captions)

    def as_words(self) -> WordCorpus:
        """Return the captions as words alone: those that a `WordReader` would find."""
        words = {caption.number: caption.words for caption in self.captions}
        found = tuple(words[caption.number] for caption in self.captions)
        return WordCorpus(self.summary, self.images, self.texts, found)


def _grouped(images: Iterable[str], items: Iterable[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for image, item in zip(images, items, strict=True):
        found.setdefault(image, []).append(item)
    return found


class WordReader:
    """Reads captions as the words that the annotator would find, without annotating them."""

    def __init__(self, model: str | None = None) -> None:
        self.model = choose_model(model)
        self.identity = model_identity(self.model)
        self._known: dict[str, Words] = {}
        self._strings: dict[str, str] = {}

    def stream(
        self, reader: CaptionReader, *, keep: Keep | None = None, progress: Progress | None = None
    ) -> Iterator[tuple[Caption, Words]]:
        """Yield the captions of a source, or of those of its images that are kept, with their words."""
        for block in _blocks(reader):
            for caption in block:
                if keep is None or keep(caption.image):
                    yield caption, self._words(caption.text)
            if progress is not None:
                progress(reader.source.name, len(block))

    def read(
        self, source: Source, *, keep: Keep | None = None, progress: Progress | None = None
    ) -> WordCorpus:
        """Return the captions of a source, or of those of its images that are kept."""
        reader = CaptionReader(source)
        found = [
            (caption.image, caption.text, words)
            for caption, words in self.stream(reader, keep=keep, progress=progress)
        ]
        images, texts, words = zip(*found, strict=True) if found else ((), (), ())
        return WordCorpus(reader.summary, images, texts, words)

    @cached_property
    def _pipeline(self) -> Any:
        # Loaded when first needed: where others read, it never is.
        return load_pipeline(self.model)

    def _words(self, text: str) -> Words:
        words = self._known.get(text)
        if words is None:
            if len(self._known) > REMEMBERED:
                self._known.clear()
            # A token's text is a new string each time; one copy of each word is enough.
            one = self._strings.setdefault
            words = tuple(
                one(word, word) for word in (token.text for token in tokenise(self._pipeline, text))
            )
            self._known[text] = words
        return words


class TaggedReader:
    """Reads captions with tags and trees. What was read stays known for the next source."""

    def __init__(self, annotations: AnnotationService) -> None:
        self._annotations = annotations
        self._texts = AnnotatedTexts()
        self._captions: dict[str, tuple[str, AnnotatedCaption]] = {}  # with one copy of the text

    @property
    def identity(self) -> ModelIdentity:
        """The model and the versions that the annotations depend on."""
        return self._annotations.identity

    def read(
        self, source: Source, *, keep: Keep | None = None, progress: Progress | None = None
    ) -> TaggedCorpus:
        """Return the captions of a source, or of those of its images that are kept."""
        reader = CaptionReader(source)
        step = (lambda number: progress(source.name, number)) if progress else None
        images: list[str] = []
        texts: list[str] = []
        captions: list[AnnotatedCaption] = []
        for block in _blocks(reader):
            kept = [caption for caption in block if keep is None or keep(caption.image)]
            new = self._annotate([caption.text for caption in kept], step)
            images += (caption.image for caption in kept)
            # Equal texts share one string: references repeat, and systems more so.
            found = [self._captions[caption.text] for caption in kept]
            texts += (text for text, _ in found)
            captions += (caption for _, caption in found)
            if step is not None:
                step(len(block) - new)
        return TaggedCorpus(reader.summary, tuple(images), tuple(texts), tuple(captions))

    def _annotate(self, texts: Sequence[str], progress: Callable[[int], None] | None) -> int:
        """Annotate texts that are not known yet; return their number, which `progress` was told."""
        new = list(dict.fromkeys(text for text in texts if text not in self._captions))
        for text, annotation in zip(new, self._annotations.annotate(new, progress=progress), strict=True):
            self._captions[text] = text, self._texts.add(annotation)
        return len(new)


def descriptions(corpora: Iterable[TaggedCorpus]) -> dict[str, list[AnnotatedCaption]]:
    """Return the captions of each image, from all corpora: references may come in several files."""
    found: dict[str, list[AnnotatedCaption]] = {}
    for corpus in corpora:
        for image, caption in zip(corpus.images, corpus.captions, strict=True):
            found.setdefault(image, []).append(caption)
    return found


def _blocks(reader: CaptionReader) -> Iterator[list[Caption]]:
    waiting = iter(reader)
    while block := list(islice(waiting, BLOCK)):
        yield block


def measure_signature(
    model: ModelIdentity,
    summaries: Iterable[CorpusSummary],
    settings: dict[str, str | int | float | bool | None],
) -> Signature:
    """Return the signature of measures: the model, the files and all settings that change a number."""
    return Signature(
        model=f"{model.name} {model.version} (spaCy {model.spacy_version})",
        inputs=tuple(InputIdentity(summary.name, summary.captions, summary.sha256) for summary in summaries),
        # What was not chosen says nothing.
        settings={key: value for key, value in settings.items() if value is not None},
    )
