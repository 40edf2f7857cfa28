"""The formats that captions come in. To add one, write its reader and add a line here and in `sniffing`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from assess.corpus import tables
from assess.corpus import tables as parquet
from assess.corpus.fields import (
    Document,
    Reader,
    Row,
    SplitFilter,
    choose_id_field,
    described,
    field_of,
    image_of,
    members_of,
    require_field,
    rows_of_items,
    texts_in,
)
from assess.corpus.files import Position, lines, place_in
from assess.corpus.join import QUESTION_FIELDS
from assess.corpus.json_input import Item, JsonStream, line_items
from assess.corpus.source import Source
from assess.errors import InputError, Place, UsageError, visible
from assess.records import GoldSpan

# JSON documents of caption records: COCO results, COCO annotations, and a plain id-to-caption mapping.


def read_results(document: Document, source: Source) -> Iterator[Row]:
    """Read `[{"image_id": 1, "caption": "…"}, …]`."""
    stream = JsonStream(document.chunks, file=document.file)
    yield from rows_of_items(stream.items(), source)
    stream.finish()


def read_annotations(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"images": […], "annotations": [{"image_id": 1, "caption": "…"}, …]}`."""
    yield from rows_of_items(array_of(document, "annotations"), source)


def array_of(document: Document, wanted: str) -> Iterator[Item]:
    """Yield the elements of one array of a document's object; the rest is checked and forgotten."""
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


def read_mapping(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"1": "…", "2": ["…", "…"]}`; a list may also hold objects with a caption."""
    del source  # a mapping has no fields to choose
    stream = JsonStream(document.chunks, file=document.file)
    for number, image in enumerate(stream.members(), start=1):
        item = stream.item(number)
        for text in _texts(image, item):
            yield Row(image, text)
    stream.finish()


def _texts(image: str, item: Item) -> Iterator[str]:
    if isinstance(item.value, str):
        yield item.value
    else:
        hint = "the keys of this object are read as image ids; choose another format with --format"
        yield from texts_in(item.value, name=image, place=item.place, hint=hint)


# The dataset files of Karpathy's splits (`dataset_coco.json`, `dataset_flickr30k.json`).

# COCO's own id pairs with COCO files; elsewhere the file name pairs with Flickr files.
# `imgid` only counts the images of this one file, so it is the last resort.
_ID_FIELDS = ("cocoid", "filename", "imgid")
_SENTENCES = "sentences"


def read_dataset(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"images": [{"cocoid": 1, "split": "test", "sentences": [{"raw": "…"}, …]}, …]}`."""
    splits = SplitFilter(source)
    id_field = None
    for item in array_of(document, "images"):
        if id_field is None:
            names = members_of(item)
            id_field = choose_id_field(names, source=source, place=item.place, id_fields=_ID_FIELDS)
        if splits.keeps(item):
            image = image_of(item, id_field)
            for text in _sentences(item, caption_field=source.caption_field or "raw"):
                yield Row(image, text)
    splits.finish()


def _sentences(item: Item, *, caption_field: str) -> Iterator[str]:
    sentences = field_of(item, _SENTENCES)
    place = partial(item.place, _SENTENCES)
    if not isinstance(sentences, list):
        raise InputError(f"'sentences' must be a list, not {described(sentences)}", place=place())
    for number, sentence in enumerate(sentences, start=1):
        if not isinstance(sentence, dict):
            message = f"sentence {number} must be an object, not {described(sentence)}"
            raise InputError(message, place=place())
        text = sentence[require_field(caption_field, sentence, place=place)]
        if not isinstance(text, str):
            message = f"'{caption_field}' of sentence {number} must be text, not {described(text)}"
            raise InputError(message, place=place())
        yield text


# JSON Lines: one record a line, and the answers of LLaVA-style models.


def read_lines(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"image_id": 1, "caption": "…"}` or `{"image": "1.jpg", "captions": ["…", …]}`, one a line."""
    yield from rows_of_items(_items(document), source, fields=document.opening.fields)


def read_answers(document: Document, source: Source) -> Iterator[Row]:
    """Read `{"question_id": 1, "text": "…", "answer_id": …}`, one a line.

    With a join file the image is that of the question; without one the question's id stands for it.
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
    opening = document.opening
    return line_items(lines(document.chunks), file=document.file, line=opening.line, records=opening.records)


# Flickr8k/30k token files, and the sentences of Flickr30k Entities with their marked phrases.

LINE = re.compile(r"([^\t]+)#\d+\t")
MARK = "[/EN#"
_PHRASE = re.compile(r"\[/EN#([^\s/\]]+)/([^\s\]]+) ([^\[\]]*)\]")


def read_tokens(document: Document, source: Source) -> Iterator[Row]:
    """Read `image.jpg#0<TAB>caption`, one a line."""
    del source  # there is nothing to choose
    for line in _caption_lines(document):
        yield Row(line.image, line.caption)


def read_entities(document: Document, source: Source) -> Iterator[Row]:
    """Read `image#0<TAB>[/EN#1/people Two men] wait .`, one a line; the text is free of marks."""
    for line in _caption_lines(document):
        text, gold = _unmarked(line)
        yield Row(line.image, text, gold if source.gold else ())


@dataclass(frozen=True, slots=True)
class _CaptionLine:
    image: str
    caption: str
    raw: str
    number: int  # of the line
    record: int
    file: str

    def place(self, offset: int) -> Place:
        start = Position(self.number)
        return place_in(self.raw, offset, start=start, file=self.file, record=self.record)


def _caption_lines(document: Document) -> Iterator[_CaptionLine]:
    record = document.opening.records
    for number, raw in enumerate(lines(document.chunks), start=document.opening.line):
        if not raw.strip():
            continue
        record += 1
        key = LINE.match(raw)
        if key is None:
            place = place_in(raw, 0, start=Position(number), file=document.file, record=record)
            raise InputError("the line does not begin with image#number and a tab", place=place)
        yield _CaptionLine(key[1], raw[key.end() :], raw, number, record, document.file)


def _unmarked(line: _CaptionLine) -> tuple[str, tuple[GoldSpan, ...]]:
    """Return the caption without its marks, and the marked phrases by their place in that text."""
    pieces, gold, length, end = [], [], 0, 0
    while (start := line.caption.find(MARK, end)) >= 0:
        phrase = _PHRASE.match(line.caption, start)
        if phrase is None:
            offset = len(line.raw) - len(line.caption) + start
            hint = "a marked phrase looks like [/EN#12/people two men]"
            raise InputError("this mark is not complete", place=line.place(offset), hint=hint)
        entity, types, words = phrase.groups()
        pieces += [line.caption[end:start], words]
        begin = length + start - end
        length = begin + len(words)
        gold.append(GoldSpan(begin, length, entity, tuple(types.split("/"))))
        end = phrase.end()
    return "".join([*pieces, line.caption[end:]]), tuple(gold)


# Plain text: one caption a line.


def read_text(document: Document, source: Source) -> Iterator[Row]:
    """Read one caption a line; the line's number is the image id, and an empty line an empty caption."""
    del source  # there is nothing to choose
    for number, line in enumerate(lines(document.chunks), start=document.opening.line):
        yield Row(f"{document.prefix}{number}", line)


_FIELDS = frozenset({"id_field", "caption_field", "split"})
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Format:
    """A caption format: its name, what it looks like, its reader, and the options that it knows."""

    name: str
    example: str
    read: Reader
    options: frozenset[str]


FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format("coco-results", '[{"image_id": 1, "caption": "…"}, …]', read_results, _FIELDS),
        Format(
            "coco-annotations",
            '{"annotations": [{"image_id": 1, "caption": "…"}, …]}',
            read_annotations,
            _FIELDS,
        ),
        Format(
            "karpathy",
            '{"images": [{"cocoid": 1, "split": "test", "sentences": [{"raw": "…"}]}, …]}',
            read_dataset,
            _FIELDS,
        ),
        Format("mapping", '{"1": "…", "2": ["…", "…"]}', read_mapping, _NONE),
        Format("jsonl", '{"image_id": 1, "caption": "…"}, one a line', read_lines, _FIELDS),
        Format(
            "llava",
            '{"question_id": 1, "text": "…"}, one a line',
            read_answers,
            _FIELDS | {"join"},
        ),
        Format("csv", "image_id,caption as the first row", tables.read_comma_separated, _FIELDS),
        Format("tsv", "image_id<TAB>caption as the first row", tables.read_tab_separated, _FIELDS),
        Format("flickr-tokens", "image.jpg#0<TAB>caption, one a line", read_tokens, _NONE),
        Format(
            "flickr30k-entities",
            "image#0<TAB>[/EN#1/people Two men] wait ., one a line",
            read_entities,
            frozenset({"gold"}),
        ),
        Format("parquet", "a table with columns image_id and caption", parquet.read_table, _FIELDS),
        Format("text", "one caption a line", read_text, _NONE),
    )
}


def format_named(name: str) -> Format:
    """Return the format of that name, or say which names there are."""
    if name in FORMATS:
        return FORMATS[name]
    close = difflib.get_close_matches(name, FORMATS, n=1)
    hint = f"did you mean '{close[0]}'?" if close else "leave --format out to have it found"
    raise UsageError(f"there is no format '{visible(name)}'; the formats are {', '.join(FORMATS)}", hint=hint)


def check_options(source: Source, *, format_: Format) -> None:
    """Raise `UsageError` for an option that would do nothing in this format."""
    for option in ("id_field", "caption_field", "split", "join", "gold"):
        if getattr(source, option) and option not in format_.options:
            flag = "--" + option.replace("_", "-")
            takers = ", ".join(entry.name for entry in FORMATS.values() if option in entry.options)
            message = f"{flag} has no meaning for {visible(source.file)}, whose format is '{format_.name}'"
            raise UsageError(message, hint=f"formats that take it: {takers}")


def unknown_format(reason: str, *, file: str) -> InputError:
    """Return the error for a file whose format cannot be told."""
    hint = f"choose a format with --format: {', '.join(FORMATS)}"
    return InputError(f"this is in no known caption format: {reason}", place=Place(file), hint=hint)
