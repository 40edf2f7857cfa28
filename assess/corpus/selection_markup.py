"""Content selection from marked-up sentences: bracketed text and Flickr30k Entities.

Bracketed text is the notation of Wang and Gaizauskas (2015): `A [woman]2 in a white [dress]0`. A
phrase for several boxes lists them: `[women]2,3`. A file has `image<TAB>sentence` lines.
Flickr30k Entities marks `[/EN#2/clothing a white dress]`; entity 0 is not visual and never counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assess.corpus.decoding import decoded
from assess.corpus.flickr import read_entities
from assess.corpus.object_lines import text_lines
from assess.corpus.rows import Document
from assess.corpus.selection_boxes import Annotated, read_boxes
from assess.corpus.selection_input import Box, GoldImage, Selection, first_mentions, unique_images
from assess.corpus.source import Source
from assess.corpus.stored import open_stored
from assess.errors import InputError, Place

ConceptFrom = Literal["head", "category"]

_BRACKETED = re.compile(r"\[(?P<words>[^\[\]]*)\](?P<ids>\w+(?:,\w+)*)?")
NOT_VISUAL = "0"  # the entity id of phrases that name nothing to be seen


@dataclass(frozen=True, slots=True)
class MarkedPhrase:
    """A phrase of a sentence and the boxes that it stands for."""

    words: str
    boxes: tuple[str, ...]
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence of one image, by its marked phrases."""

    image: str
    phrases: tuple[MarkedPhrase, ...]
    place: Place

    @property
    def mentions(self) -> tuple[str, ...]:
        """The boxes that the sentence mentions, in order of first mention."""
        return first_mentions(box for phrase in self.phrases for box in phrase.boxes)


def bracketed_phrases(text: str, place: Place) -> tuple[MarkedPhrase, ...]:
    """Return the phrases of a sentence in the paper's notation."""
    phrases = []
    for match in _BRACKETED.finditer(text):
        if match["ids"] is None or not match["words"].strip():
            raise _markup_error("a bracketed phrase needs words and a box id", text, match.start(), place)
        phrases.append(MarkedPhrase(match["words"].strip(), tuple(match["ids"].split(","))))
    stray = re.search(r"[\[\]]", _BRACKETED.sub(lambda match: "." * len(match[0]), text))
    if stray:
        raise _markup_error("a bracket without its partner", text, stray.start(), place)
    return tuple(phrases)


def read_bracketed(path: Path) -> tuple[GoldImage, ...]:
    """Read gold descriptions in the paper's notation. Boxes have no geometry there."""
    return _gold_images(_bracketed_sentences(path), None, "head")


def read_bracketed_selections(path: Path) -> tuple[Selection, ...]:
    """Read a system's sentences in the paper's notation as its selections, one an image."""
    chosen = (Selection(found.image, found.mentions, found.place) for found in _bracketed_sentences(path))
    return unique_images(chosen)


def read_flickr30k(
    sentences: Path, *, boxes: Path | None = None, concept: ConceptFrom = "head"
) -> tuple[GoldImage, ...]:
    """Read Flickr30k Entities as content selection.

    `sentences` is a file of `image#n<TAB>sentence` lines or the data set's folder of `image.txt`
    files; `boxes` is a JSON list of phrase boxes or the folder of `image.xml` annotations. With
    boxes, only their images are kept, and a mention of an entity without a box is left out: nobody
    could select it. A box's concept is the last word of the phrase that most often names its
    entity, or the entity's category.
    """
    annotated = None if boxes is None else read_boxes(boxes)
    return _gold_images(_entity_sentences(sentences), annotated, concept)


def _markup_error(message: str, text: str, offset: int, place: Place) -> InputError:
    # The text stands at the end of its line, after the image id.
    source = place.source or text
    pointed = Place(place.file, place.line, len(source) - len(text) + offset + 1, source=source)
    return InputError(message, place=pointed, hint="write [woman]2: a phrase in brackets, then its box id")


def _sentence_lines(path: Path) -> Iterator[tuple[str, str, Place]]:
    for number, line in text_lines(str(path)):
        name, tab, text = line.partition("\t")
        place = Place(str(path), line=number, source=line)
        if not tab or not name.strip():
            raise InputError("the line is not `image<TAB>sentence`", place=place)
        yield name.strip().partition("#")[0], text, place


def _bracketed_sentences(path: Path) -> Iterator[MarkedSentence]:
    for image, text, place in _sentence_lines(path):
        yield MarkedSentence(image, bracketed_phrases(text, place), place)


def _entity_sentences(path: Path) -> Iterator[MarkedSentence]:
    if path.is_dir():
        for file in sorted(path.glob("*.txt")):
            numbered = (f"{file.stem}#{number}\t{line}\n" for number, line in text_lines(str(file)))
            yield from _entities_of(Document(str(file), numbered))
        return
    with open_stored(str(path)) as stored:
        yield from _entities_of(Document(stored.file, decoded(stored.chunks(), file=stored.file)))


def _entities_of(document: Document) -> Iterator[MarkedSentence]:
    source = Source("gold", document.file, gold=True)
    for record, row in enumerate(read_entities(document, source), start=1):
        phrases = (
            MarkedPhrase(row.text[span.start : span.end], (span.entity,), span.types)
            for span in row.gold
            if span.entity != NOT_VISUAL
        )
        yield MarkedSentence(row.image, tuple(phrases), Place(document.file, record=record))


def _gold_images(
    sentences: Iterable[MarkedSentence], annotated: Mapping[str, Annotated] | None, concept: ConceptFrom
) -> tuple[GoldImage, ...]:
    by_image: dict[str, list[MarkedSentence]] = {}
    for sentence in sentences:
        by_image.setdefault(sentence.image, []).append(sentence)
    if not by_image:
        hint = "give `image<TAB>sentence` lines, or a folder of image.txt files"
        raise InputError("no sentences were found", hint=hint)
    if annotated is None:
        return tuple(_gold_image(found, Annotated(), concept, every=True) for found in by_image.values())
    _check_annotated(annotated, by_image)
    return tuple(
        _gold_image(found, annotated[image], concept, every=False)
        for image, found in by_image.items()
        if image in annotated
    )


def _check_annotated(annotated: Mapping[str, Annotated], by_image: Mapping[str, object]) -> None:
    missing = [image for image in annotated if image not in by_image]
    if missing:
        message = f"{len(missing)} of {len(annotated)} images with boxes have no sentences: {missing[0]}, …"
        raise InputError(message, hint="give the sentences of the same images")


def _gold_image(
    sentences: list[MarkedSentence], annotated: Annotated, concept: ConceptFrom, *, every: bool
) -> GoldImage:
    """Build an image from its sentences; `every` keeps the entities that have no box."""
    phrases: dict[str, list[MarkedPhrase]] = {}
    for sentence in sentences:
        for phrase in sentence.phrases:
            for box in phrase.boxes:
                phrases.setdefault(box, []).append(phrase)
    kept = {box for box in phrases if every or box in annotated.boxes}
    boxes = tuple(_box(box, phrases[box], annotated, concept) for box in phrases if box in kept)
    descriptions = tuple(tuple(box for box in sentence.mentions if box in kept) for sentence in sentences)
    first = sentences[0]
    return GoldImage(first.image, boxes, descriptions, annotated.width, annotated.height, first.place)


def _box(box: str, phrases: list[MarkedPhrase], annotated: Annotated, concept: ConceptFrom) -> Box:
    categories = tuple(sorted({name for phrase in phrases for name in phrase.categories}))
    heads = [phrase.words.split()[-1].lower() for phrase in phrases if phrase.words.split()]
    names = [phrase.categories[0] for phrase in phrases if phrase.categories]
    chosen = _most_common(heads if concept == "head" or not names else names)
    return Box(box, chosen, annotated.boxes.get(box), categories)


def _most_common(words: list[str]) -> str:
    """Return the most frequent word, the first in the alphabet among equals; "" where there is none."""
    counts = Counter(words)
    return min(counts, key=lambda word: (-counts[word], word), default="")
