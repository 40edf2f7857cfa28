"""Readers of the caption formats that are JSON or plain lines; `tables` has the readers of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from assess.corpus.fields import (
    ID_FIELDS,
    QUESTION_FIELDS,
    Document,
    Row,
    SplitFilter,
    choose_id_field,
    field_of,
    image_of,
    members_of,
    require_field,
    rows_of_items,
    texts_in,
)
from assess.corpus.files import CHUNK, Position, decoded, filled_lines, open_stored, take_head
from assess.corpus.json_input import Item, JsonStream, line_items, unexpected
from assess.corpus.source import Source
from assess.errors import InputError, Place, visible
from assess.records import GoldSpan

# COCO's own id matches other COCO files; elsewhere, the file name matches Flickr files. `imgid` only numbers
# the images of this one file, so it is the last resort.
_DATASET_ID_FIELDS = ("cocoid", "filename", "imgid")
_SENTENCES = "sentences"
_QUESTION_IMAGE_FIELDS = tuple(field for field in ID_FIELDS if field not in QUESTION_FIELDS)
SAMPLE_FIELDS = ("filtered_resps", "resps")  # the answer as scored, and as given
LOGS = "logs"
_SAMPLES_BEGIN = re.compile(rf'(?<!\\)"({LOGS}|doc_id)"\s*:')
_SAMPLE_ID_FIELDS = ("image_id", "image", "question_id", "doc_id")
TOKEN_LINE = re.compile(r"([^\t]+)#\d+\t")
ENTITY_MARK = "[/EN#"
_ENTITY = re.compile(r"\[/EN#([^\s/\]]+)/([^\s\]]+) ([^\[\]]*)\]")


# JSON documents.


def read_results(document: Document, source: Source) -> Iterator[Row]:
    """Read `[{"image_id": 1, "caption": "…"}, …]`."""
    yield from rows_of_items(_elements(document.chunks, document.file), source)


def read_list(document: Document, source: Source) -> Iterator[Row]:
    """Read `["…", "…"]` or `[["…", "…"], …]`; the position in the list, from 1, is the image id."""
    for item in _elements(document.chunks, document.file):
        if not isinstance(item.value, str | list):
            raise unexpected("each element must be a caption, like the first", item.value, place=item.place())
        name = f"element {item.number}"
        for text in texts_in(item.value, name=name, place=item.place, wanted=source.wanted):
            yield Row(f"{document.prefix}{item.number}", text)


def read_annotations(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"images": […], "annotations": [{"image_id": 1, "caption": "…"}, …]}`."""
    yield from rows_of_items(_elements_of(document, "annotations"), source)


def read_dataset(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"images": [{"cocoid": 1, "split": "test", "sentences": [{"raw": "…"}, …]}, …]}`."""
    splits = SplitFilter(source)
    id_field = None
    for item in _elements_of(document, "images"):
        if id_field is None:
            names = members_of(item)
            id_field = choose_id_field(names, source=source, place=item.place, id_fields=_DATASET_ID_FIELDS)
        if splits.keeps(item):
            image = image_of(item, id_field)
            for text in _sentences(item, caption_field=source.caption_field or "raw"):
                yield Row(image, text)
    splits.finish()


def _sentences(item: Item, *, caption_field: str) -> Iterator[str]:
    sentences = field_of(item, _SENTENCES)
    place = partial(item.place, _SENTENCES)
    if not isinstance(sentences, list):
        raise unexpected("'sentences' must be a list", sentences, place=place())
    for number, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, dict):
            raise unexpected(f"sentence {number} must be an object", sentence, place=place())
        text = sentence[require_field(caption_field, sentence, place=place)]
        if not isinstance(text, str):
            raise unexpected(f"'{caption_field}' of sentence {number} must be text", text, place=place())
        yield text


def read_mapping(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"1": "…", "2": ["…", "…"]}`; a list may also contain objects with a caption."""
    hint = "the keys of this object are used as image ids; choose another format with --format"
    stream = JsonStream(document.chunks, file=document.file)
    for number, image in enumerate(stream.members(), start=1):
        item = stream.item(number)
        for text in texts_in(item.value, name=image, place=item.place, wanted=source.wanted, hint=hint):
            yield Row(image, text)
    stream.finish()


def _elements(chunks: Iterator[str], file: str) -> Iterator[Item]:
    """Yield the elements of a document that is an array."""
    stream = JsonStream(chunks, file=file)
    yield from stream.items()
    stream.finish()


def _elements_of(document: Document, wanted: str) -> Iterator[Item]:
    """Yield the elements of one array in a document's object; the rest is only checked."""
    stream = JsonStream(document.chunks, file=document.file)
    found = False
    for key in stream.members():
        if key == wanted:
            found = True
            yield from stream.items()
        else:
            stream.skip()
    stream.finish()
    if not found:
        raise InputError(f"the document has no list '{wanted}'", place=Place(document.file))


# JSON Lines: one record per line, and answers of LLaVA-style models, which name their question.


def read_lines(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"image_id": 1, "caption": "…"}` or `{"image": "1.jpg", "captions": ["…", …]}`, one per line."""
    yield from rows_of_items(_items(document), source, fields=document.opening.fields)


def read_answers(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"question_id": 1, "text": "…", "answer_id": …}`, one per line.

    A join file maps the question to its image. Without one, the question's id is used as the image id.
    """

    def image_of_question(item: Item, field: str) -> str:
        question = image_of(item, field)
        if document.images is None:
            return question
        if question not in document.images:
            message = f"the question '{visible(question)}' is not in the join file"
            hint = f"are these answers to the questions of {visible(source.join or '')}?"
            raise InputError(message, place=item.place(field), hint=hint)
        return document.images[question]

    yield from rows_of_items(_items(document), source, id_fields=QUESTION_FIELDS, image=image_of_question)


def _items(document: Document) -> Iterator[Item]:
    return line_items(document.filled_lines(), file=document.file, records=document.opening.records)


# Samples logged by lmms-eval: one per line, or in the list `logs` of an older document.


def read_samples(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"doc_id": 0, "filtered_resps": ["…"], "coco_CIDEr": {"image_id": 42, …}, …}`, one per line.

    The image id is taken from the sample, its document or its metrics; otherwise it is the document's number.
    """
    for item in _logged(document):
        sample = members_of(item)
        name = source.caption_field or next(
            (name for name in SAMPLE_FIELDS if name in sample), SAMPLE_FIELDS[0]
        )
        for text in _responses(item, name, wanted=source.wanted):
            yield Row(_sample_image(item, source), text)


def _logged(document: Document) -> Iterator[Item]:
    head = take_head(document.chunks, CHUNK, "")
    whole = replace(document, chunks=chain([head], document.chunks))
    first = _SAMPLES_BEGIN.search(head)
    return _elements_of(whole, LOGS) if first and first[1] == LOGS else _items(whole)


def _sample_image(item: Item, source: Source) -> str:
    sample = members_of(item)
    inner = [value for value in sample.values() if isinstance(value, dict)]
    wanted = [source.id_field] if source.id_field else _SAMPLE_ID_FIELDS
    for field in wanted:
        for members in (sample, *inner):
            if field in members:
                return image_of(item._replace(value=members), field)
    names = [*sample, *(name for members in inner for name in members)]
    return require_field(wanted[0], dict.fromkeys(names), place=item.place)


def _responses(item: Item, field: str, *, wanted: str) -> Iterator[str]:
    value = field_of(item, field)
    while isinstance(value, list) and value and isinstance(value[0], list):
        value = value[0]  # a caption takes one request; these are its answers
    return texts_in(value, name=field, place=partial(item.place, field), wanted=wanted)


@dataclass(frozen=True, slots=True)
class Join:
    """The image of each question, and the hash of the file that maps them."""

    images: dict[str, str]
    sha256: str


def read_join(path: str) -> Join:
    """Read `{"question_id": 1, "image": "1.jpg", …}`, one per line or as elements of an array."""
    with open_stored(path) as stored:
        images: dict[str, str] = {}
        for question, image, item in _questions(decoded(stored.chunks(), file=stored.file), path=path):
            if images.setdefault(question, image) != image:
                message = f"the question '{visible(question)}' has two images"
                raise InputError(message, place=item.place())
        if not images:
            raise InputError("the join file has no questions", place=Place(stored.file))
        return Join(images, stored.sha256)


def _questions(chunks: Iterator[str], *, path: str) -> Iterator[tuple[str, str, Item]]:
    source = Source(name="join", path=path)
    head = take_head(chunks, CHUNK, "")
    chunks = chain([head], chunks)
    if head.lstrip().startswith("["):
        items = _elements(chunks, source.file)
    else:
        items = line_items(filled_lines(chunks, file=source.file), file=source.file)
    fields = None
    for item in items:
        if fields is None:
            choose = partial(choose_id_field, members_of(item), source=source, place=item.place)
            fields = choose(id_fields=QUESTION_FIELDS), choose(id_fields=_QUESTION_IMAGE_FIELDS)
        yield image_of(item, fields[0]), image_of(item, fields[1]), item


# Lines: Flickr8k/30k token files, Flickr30k Entities sentences with marked phrases, and plain text.


def read_tokens(document: Document, source: Source) -> Iterator[Row]:
    """Read `image.jpg#0<TAB>caption`, one per line."""
    del source  # nothing to choose
    for image, caption, _ in _token_lines(document):
        yield Row(image, caption)


def read_entities(document: Document, source: Source) -> Iterator[Row]:
    """Read `image#0<TAB>[/EN#1/people Two men] wait .`, one per line; marks are removed from the text."""
    for image, caption, line in _token_lines(document):
        text, gold = _unmarked(caption, line)
        yield Row(image, text, gold if source.gold else ())


def read_text(document: Document, source: Source) -> Iterator[Row]:
    """Read one caption per line; the line number is the image id, and an empty line is an empty caption."""
    del source  # nothing to choose
    for number, line in document.lines():
        yield Row(f"{document.prefix}{number}", line)


def _token_lines(document: Document) -> Iterator[tuple[str, str, Item]]:
    """Yield the image and the caption of each line, with the line as its item."""
    record = document.opening.records
    for number, raw in document.filled_lines():
        record += 1
        line = Item(raw, record, document.file, raw, Position(number))
        key = TOKEN_LINE.match(raw)
        if key is None:
            raise InputError("the line does not begin with image#number and a tab", place=line.place())
        yield key[1], raw[key.end() :], line


def _unmarked(caption: str, line: Item) -> tuple[str, tuple[GoldSpan, ...]]:
    """Return the caption without marks, and the marked phrases with their positions in that text."""
    pieces, gold, length, end = [], [], 0, 0
    while (start := caption.find(ENTITY_MARK, end)) >= 0:
        phrase = _ENTITY.match(caption, start)
        if phrase is None:
            offset = len(line.raw) - len(caption) + start
            hint = "a marked phrase looks like this: [/EN#12/people two men]"
            raise InputError("this mark is incomplete", place=line.place(offset), hint=hint)
        entity, types, words = phrase.groups()
        pieces += [caption[end:start], words]
        begin = length + start - end
        length = begin + len(words)
        gold.append(GoldSpan(begin, length, entity, tuple(types.split("/"))))
        end = phrase.end()
    return "".join([*pieces, caption[end:]]), tuple(gold)
