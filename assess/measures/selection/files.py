"""Files of content selection: detecting their formats, and reading sentences with markup.

Brackets are the notation of Wang and Gaizauskas (2015): `A [woman]2 in a white [dress]0`. A phrase for
several boxes lists them: `[women]2,3`. A file has `image<TAB>sentence` lines; a line `image#boxes<TAB>[tree]7
[car]3` lists existing boxes, mentioned or not. Flickr30k Entities uses `[/EN#2/clothing a white dress]`;
entity 0 is not visual and never counts.
"""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as Tree
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from assess.corpus.fields import Document, field_of, image_of
from assess.corpus.files import decoded, open_stored, take_head
from assess.corpus.json_input import object_items, text_lines
from assess.corpus.readers import ENTITY_MARK, read_entities
from assess.corpus.source import STANDARD_INPUT, Source
from assess.errors import InputError, Place, UsageError, some, visible
from assess.measures.selection.input import (
    Box,
    Geometry,
    GoldImage,
    Selection,
    first_mentions,
    geometry_of,
    read_gold,
    read_selections,
    unique_images,
)
from assess.signature import InputIdentity

ConceptFrom = Literal["head", "category"]

NOT_VISUAL = "0"  # the entity id of phrases for things that are not visible
_BRACKETED = re.compile(r"\[(?P<words>[^\[\]]*)\](?P<ids>\w+(?:,\w+)*)?")
_INVENTORY = "boxes"  # in `image#boxes`
_SIDES = ("xmin", "ymin", "xmax", "ymax")


@dataclass(frozen=True, slots=True)
class MarkedPhrase:
    """A phrase in a sentence, and the boxes that it refers to."""

    words: str
    boxes: tuple[str, ...]
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence about one image, with its marked phrases."""

    image: str
    phrases: tuple[MarkedPhrase, ...]
    place: Place
    inventory: bool = False  # it only lists the image's boxes

    @property
    def words(self) -> dict[str, str]:
        """The phrase for each box when the sentence first mentions it."""
        return {box: phrase.words for phrase in reversed(self.phrases) for box in phrase.boxes}

    @property
    def mentions(self) -> tuple[str, ...]:
        """The boxes that the sentence mentions, in order of first mention."""
        return first_mentions(box for phrase in self.phrases for box in phrase.boxes)


@dataclass(frozen=True, slots=True)
class Annotated:
    """The boxes of one image by entity, and the image's size if known."""

    boxes: Mapping[str, Geometry] = field(default_factory=dict)
    width: float | None = None
    height: float | None = None


def read_bracketed(path: Path) -> tuple[GoldImage, ...]:
    """Read gold descriptions in the paper's notation, in which boxes have no geometry."""
    return _gold_images(_bracketed_sentences(path), None, "head")


def read_bracketed_selections(path: Path) -> tuple[Selection, ...]:
    """Read a system's sentences in the paper's notation as its selections, one for each image."""
    return unique_images(_bracketed_selection(found) for found in _bracketed_sentences(path))


def _bracketed_selection(found: MarkedSentence) -> Selection:
    if found.inventory:
        hint = "a system's file has one sentence per image; list the boxes of an image in the gold file"
        raise InputError("this line lists boxes but selects none", place=found.place, hint=hint)
    return Selection(found.image, found.mentions, found.place, found.words)


def read_flickr30k(
    sentences: Path, *, boxes: Path | None = None, concept: ConceptFrom = "head"
) -> tuple[GoldImage, ...]:
    """Read Flickr30k Entities as content selection.

    `sentences` is a file of `image#n<TAB>sentence` lines or the data set's folder of `image.txt` files;
    `boxes` is a JSON list of phrase boxes or the folder of `image.xml` annotations. With boxes, only their
    images are kept, and mentions of entities without a box are dropped, because nobody could select them. A
    box's concept is the last word of the phrase that most often names its entity, or the entity's category.
    """
    annotated = None if boxes is None else read_boxes(boxes)
    return _gold_images(_entity_sentences(sentences), annotated, concept)


def _bracketed_sentences(path: Path) -> Iterator[MarkedSentence]:
    for number, line in text_lines(str(path)):
        name, tab, text = line.partition("\t")
        place = Place(str(path), line=number, source=line)
        if not tab or not name.strip():
            raise InputError("the line is not `image<TAB>sentence`", place=place)
        image, _, kind = name.strip().partition("#")
        yield MarkedSentence(image, bracketed_phrases(text, place), place, inventory=kind == _INVENTORY)


def bracketed_phrases(text: str, place: Place) -> tuple[MarkedPhrase, ...]:
    """Return the phrases of a sentence in the paper's notation."""
    phrases = []
    for match in _BRACKETED.finditer(text):
        if match["ids"] is None or not match["words"].strip():
            raise _markup_error("a bracketed phrase needs words and a box id", text, match.start(), place)
        phrases.append(MarkedPhrase(match["words"].strip(), tuple(match["ids"].split(","))))
    stray = re.search(r"[\[\]]", _BRACKETED.sub(lambda match: "." * len(match[0]), text))
    if stray:
        raise _markup_error("a bracket is not closed or not opened", text, stray.start(), place)
    return tuple(phrases)


def _markup_error(message: str, text: str, offset: int, place: Place) -> InputError:
    # The text is at the end of its line, after the image id.
    source = place.source or text
    pointed = Place(place.file, place.line, len(source) - len(text) + offset + 1, source=source)
    return InputError(message, place=pointed, hint="write [woman]2: a phrase in brackets, then its box id")


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
        which = f"{len(missing):,} of {some(len(annotated), 'image')} with boxes"
        message = f"no sentences for {which}: {missing[0]}, …"
        raise InputError(message, hint="give the sentences of the same images")


def _gold_image(
    sentences: list[MarkedSentence], annotated: Annotated, concept: ConceptFrom, *, every: bool
) -> GoldImage:
    """Build an image from its sentences; with `every`, entities without a box are kept."""
    phrases: dict[str, list[MarkedPhrase]] = {}
    for sentence in sentences:
        for phrase in sentence.phrases:
            for box in phrase.boxes:
                phrases.setdefault(box, []).append(phrase)
    kept = {box for box in phrases if every or box in annotated.boxes}
    boxes = tuple(_box(box, phrases[box], annotated, concept) for box in phrases if box in kept)
    said = [sentence for sentence in sentences if not sentence.inventory]
    first = sentences[0]
    if not said:
        hint = "give at least one `image<TAB>sentence` line in addition to `image#boxes`"
        raise InputError(f"image {first.image} has no description", place=first.place, hint=hint)
    return GoldImage(
        first.image,
        boxes,
        tuple(tuple(box for box in sentence.mentions if box in kept) for sentence in said),
        annotated.width,
        annotated.height,
        first.place,
        tuple({box: words for box, words in sentence.words.items() if box in kept} for sentence in said),
    )


def _box(box: str, phrases: list[MarkedPhrase], annotated: Annotated, concept: ConceptFrom) -> Box:
    categories = tuple(sorted({name for phrase in phrases for name in phrase.categories}))
    heads = [phrase.words.split()[-1].lower() for phrase in phrases if phrase.words.split()]
    names = [phrase.categories[0] for phrase in phrases if phrase.categories]
    chosen = _most_common(heads if concept == "head" or not names else names)
    return Box(box, chosen, annotated.boxes.get(box), categories)


def _most_common(words: list[str]) -> str:
    """Return the most frequent word, the alphabetically first one in a tie; "" if there are none."""
    counts = Counter(words)
    return min(counts, key=lambda word: (-counts[word], word), default="")


def read_boxes(path: Path) -> dict[str, Annotated]:
    """Read the boxes by image from a folder of XML files or from a JSON list of phrase boxes."""
    return _from_folder(path) if path.is_dir() else _from_json(path)


def _from_json(path: Path) -> dict[str, Annotated]:
    """Read `{"image": "1#0", "entity": "7", "box": [x, y, width, height]}` records."""
    found: dict[str, dict[str, list[Geometry]]] = {}
    for item in object_items(str(path)):
        image = image_of(item, "image").partition("#")[0]
        boxes = found.setdefault(image, {}).setdefault(image_of(item, "entity"), [])
        boxes.append(geometry_of(field_of(item, "box"), item.record_place))
    return {image: Annotated(_hulls(boxes)) for image, boxes in found.items()}


def _from_folder(folder: Path) -> dict[str, Annotated]:
    files = sorted(folder.glob("*.xml"))
    if not files:
        raise InputError("the folder has no .xml annotations", place=Place(str(folder)))
    return {file.stem: _from_xml(file) for file in files}


def _from_xml(file: Path) -> Annotated:
    root = _root(file)
    found: dict[str, list[Geometry]] = {}
    for entity, corners in _objects(root):
        x, y, right, bottom = (_number(corners, side, file) for side in _SIDES)
        found.setdefault(entity, []).append((x, y, right - x, bottom - y))
    return Annotated(_hulls(found), _size(root, "width"), _size(root, "height"))


def _root(file: Path) -> Tree.Element:
    try:
        text = file.read_text(encoding="utf-8")
        if "<!" in text.replace("<!--", ""):
            # A document type could define entities that expand without limit; annotations need none.
            raise InputError("the annotation has a document type declaration", place=Place(str(file)))
        return Tree.fromstring(text)  # noqa: S314 - document types were refused above
    except (OSError, UnicodeDecodeError, Tree.ParseError) as error:
        raise InputError(f"cannot read the annotation: {error}", place=Place(str(file))) from error


def _objects(root: Tree.Element) -> Iterator[tuple[str, Tree.Element]]:
    for item in root.iter("object"):
        for corners in item.iter("bndbox"):
            for name in item.iter("name"):
                yield (name.text or "").strip(), corners


def _number(parent: Tree.Element, tag: str, file: Path) -> float:
    text = parent.findtext(tag, "")
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"<{tag}> is {text!r}, not a number", place=Place(str(file))) from error


def _size(root: Tree.Element, tag: str) -> float | None:
    text = root.findtext(f"size/{tag}", "").strip()
    return float(text) or None if text.isascii() and text.isdigit() else None


def _hulls(found: Mapping[str, list[Geometry]]) -> dict[str, Geometry]:
    """Return one box for each entity: the smallest that contains all of its boxes."""
    return {entity: _hull(boxes) for entity, boxes in found.items()}


def _hull(boxes: list[Geometry]) -> Geometry:
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right = max(box[0] + box[2] for box in boxes)
    bottom = max(box[1] + box[3] for box in boxes)
    return (left, top, right - left, bottom - top)


# Detecting the format of a file, reading it, and identifying its contents in a signature.


SelectionFormat = Literal["json", "flickr30k", "bracketed"]
FORMATS: tuple[SelectionFormat, ...] = get_args(SelectionFormat)
_HEAD = 1 << 12  # characters; entities are marked in the first sentences


@dataclass(frozen=True, slots=True)
class GoldSource:
    """Where to read gold descriptions: a file or folder, and how."""

    source: Source
    boxes: Path | None = None  # for Flickr30k Entities
    concept: ConceptFrom = "head"

    @property
    def path(self) -> Path:
        """The file or folder."""
        return Path(self.source.path)


def read_gold_source(gold: GoldSource) -> tuple[GoldImage, ...]:
    """Read gold images in any of the formats."""
    format_ = _format(gold.source)
    if gold.boxes is not None and format_ != "flickr30k":
        message = f"--boxes only goes with Flickr30k Entities, but {gold.source.file} is {format_}"
        raise UsageError(message, hint="omit --boxes, or give --format flickr30k")
    if format_ == "flickr30k":
        return read_flickr30k(gold.path, boxes=gold.boxes, concept=gold.concept)
    return read_bracketed(gold.path) if format_ == "bracketed" else read_gold(gold.path)


def read_selection_source(source: Source) -> tuple[Selection, ...]:
    """Read a system's selections: records of box ids, or bracketed sentences."""
    format_ = _format(source)
    if format_ == "flickr30k":
        raise UsageError(
            f"{source.file} contains sentences of Flickr30k Entities, which are gold descriptions",
            hint='a system\'s selections are {"image_id": 1, "boxes": [2, 3]} records or bracketed sentences',
        )
    path = Path(source.path)
    return read_bracketed_selections(path) if format_ == "bracketed" else read_selections(path)


def _format(source: Source) -> SelectionFormat:
    if source.format is None:
        return sniff_selection(source.path)
    for name in FORMATS:
        if source.format == name:
            return name
    message = f"there is no format '{visible(source.format)}' for content selection"
    raise UsageError(message, hint=f"--format is one of {', '.join(FORMATS)}")


def sniff_selection(path: str) -> SelectionFormat:
    """Return a file's format from its beginning. Folders are Flickr30k Entities, standard input is JSON."""
    if path == STANDARD_INPUT:
        return "json"
    if Path(path).is_dir():
        return "flickr30k"
    with open_stored(path) as stored:
        head = take_head(decoded(stored.chunks(), file=stored.file), _HEAD, "").lstrip()
    if head[:1] in ("{", "[", ""):  # a line of marked text begins with its image
        return "json"
    return "flickr30k" if ENTITY_MARK in head else "bracketed"


def gold_identity(name: str, gold: Sequence[GoldImage]) -> InputIdentity:
    """Return the identity of gold images: the number of descriptions, and a hash of their contents."""
    parts = (
        (image.image, image.boxes, image.descriptions, image.width, image.height)
        for image in sorted(gold, key=lambda image: image.image)
    )
    return InputIdentity(name, sum(len(image.descriptions) for image in gold), _hash(parts))


def selection_identity(name: str, selections: Mapping[str, tuple[str, ...]]) -> InputIdentity:
    """Return the identity of a system's selections."""
    return InputIdentity(name, len(selections), _hash(sorted(selections.items())))


def _hash(parts: Iterable[object]) -> str:
    """Hash the parsed records, so that standard input, folders and compressed files give the same hash."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(repr(part).encode("utf-8", errors="surrogatepass"))
    return digest.hexdigest()
