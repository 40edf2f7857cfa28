"""Lines and JSON objects of the inputs that are not captions: content selection and pre-gen metrics.

The objects of a file stand one a line (JSON Lines), in one array, or in one object keyed by image id.
All three are streamed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from assess.corpus.fields import unexpected
from assess.corpus.files import decoded, lines, open_stored, raw_lines
from assess.corpus.json_input import Item, JsonStream, JsonSyntaxError, decode_value, line_items
from assess.errors import InputError, Place

# A document with one of these at its top is a single record, not a mapping from images to records.
_RECORD_FIELDS = frozenset({"image_id", "captions", "boxes", "descriptions"})


def text_lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a text file, without their ends; blank lines are passed over."""
    with open_stored(path) as stored:
        for number, line in enumerate(lines(decoded(stored.chunks(), file=stored.file)), start=1):
            if line.strip():
                yield number, line


def object_items(path: str) -> Iterator[Item]:
    """Yield the JSON objects of a file, each with its place; `-` is standard input."""
    with open_stored(path) as stored:
        text = raw_lines(decoded(stored.chunks(), file=stored.file))
        for item in _items(text, stored.file):
            if not isinstance(item.value, dict):
                raise unexpected("each record must be a JSON object", item.value, place=item.record_place)
            yield item


def _items(text: Iterator[str], file: str) -> Iterator[Item]:
    opening = _opening_lines(text)
    if not opening:
        raise InputError("the file is empty", place=Place(file))
    whole = chain(opening, text)
    if _is_one_record(opening[-1]):
        return line_items(enumerate(whole, start=1), file=file)
    stream = JsonStream(whole, file=file)
    return stream.items() if stream.peek() == "[" else _members(stream)


def _opening_lines(text: Iterator[str]) -> list[str]:
    """Return the lines up to the first that is not blank; none, where all are."""
    opening: list[str] = []
    for line in text:
        opening.append(line)
        if line.strip():
            return opening
    return []


def _is_one_record(line: str) -> bool:
    """Tell whether a file's first line is a whole record, which makes the file JSON Lines."""
    try:
        value, end = decode_value(line, len(line) - len(line.lstrip()))
    except JsonSyntaxError:
        return False
    if not isinstance(value, dict) or line[end:].strip():
        return False
    return not value or bool(_RECORD_FIELDS & value.keys())


def _members(stream: JsonStream) -> Iterator[Item]:
    """Yield the members of an object as records; one whose keys are a record's fields is one record."""
    fields: dict[str, object] = {}
    last = None
    for number, key in enumerate(stream.members(), start=1):
        last = stream.item(number)
        if key in _RECORD_FIELDS or fields:
            fields[key] = last.value
        else:
            yield replace(last, value=_keyed(key, last.value))
    stream.finish()
    if fields and last is not None:
        yield replace(last, value=fields, number=1)


def _keyed(image: str, value: object) -> object:
    """Turn `image: value` into a record; a bare list stands for the image's boxes."""
    if isinstance(value, list):
        return {"image_id": image, "boxes": value}
    return {"image_id": image, **value} if isinstance(value, dict) else value
