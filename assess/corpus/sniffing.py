"""Which format a file is in, from its first kilobytes."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from assess.corpus.fields import ID_FIELDS, described, has_fields, names_a_field
from assess.corpus.formats import FORMATS, LINE, MARK, Format, unknown_format
from assess.corpus.join import QUESTION_FIELDS
from assess.corpus.json_input import JsonStream
from assess.corpus.source import Source
from assess.corpus.tables import choose_delimiter, header_cells
from assess.errors import InputError, Place, visible

HEAD = 1 << 16  # characters

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_TWO_BYTE_LETTERS = re.compile(r"(?:[^\0]\0){2}|(?:\0[^\0]){2}")
_MARKUP = re.compile(r"<(?:!doctype|html|\?xml)", re.IGNORECASE)
_PROMISING = re.compile(r"(\.(?:jsonl?|ndjson|csv|tsv))(?:\.gz)?$", re.IGNORECASE)
_ARRAY = re.compile(r'\[\s*(?:[\[\]{"]|-?\d|$)')
_ID_AND_COMMA = re.compile(r'"?[\w./-]*\d[\w./-]*"?,(?!\d{3}\b)')  # but not 10,000
_NAME = re.compile(r"[A-Za-z_]\w*")


def sniff(head: str, *, source: Source) -> Format:
    """Return the format of a file that begins with `head`."""
    text = head.lstrip()
    if not text:
        raise InputError("the file has nothing but white space", place=Place(source.file))
    if _TWO_BYTE_LETTERS.match(text):
        wide = "it looks like UTF-16 without a byte order mark; convert it to UTF-8"
        raise unknown_format(wide, file=source.file)
    if text[0] == "{":
        return FORMATS[_object_format(head, source=source)]
    if _ARRAY.match(text):
        return FORMATS["coco-results"]
    name = _line_format(text, source=source)
    # Anything may be called lines of text, so only here it must also look like text.
    if name == "text" and (reason := _why_not_text(text) or _promised(text, source.path)):
        raise unknown_format(reason, file=source.file)
    return FORMATS[name]


def _why_not_text(text: str) -> str | None:
    if len(_CONTROL.findall(text)) * 5 > len(text):
        return "it is not text"
    if _MARKUP.match(text):
        return "it is a web page or XML"
    if "\r" in text.rstrip() and "\n" not in text:
        return "its lines end in carriage returns only; convert them to line feeds"
    return None


def _promised(text: str, path: str) -> str | None:
    """Say so where a file's name promises what it does not hold: a broken one is no list of captions."""
    named = _PROMISING.search(path)
    if named is None:
        return None
    return f"its name ends in {named[1].lower()}, but it begins with '{visible(text.split(chr(10))[0], 40)}'"


def _line_format(text: str, *, source: Source) -> str:
    """Tell the formats that are not JSON; a table without a good header goes to its reader, which says so."""
    lines = [line.rstrip("\r") for line in text.split("\n")[:20] if line.strip()]
    if LINE.match(lines[0]):
        return "flickr30k-entities" if MARK in text else "flickr-tokens"
    if choose_delimiter(lines[0], source=source):
        return "csv"
    if "\t" in lines[0]:
        return "tsv"
    return "csv" if _looks_like_table(lines) else "text"


def _looks_like_table(lines: list[str]) -> bool:
    """Whether the first row is column names, or all other rows begin with an id and a comma."""
    names = header_cells(lines[0], ",")
    if all(_NAME.fullmatch(name) for name in names) and any(names_a_field(name) for name in names):
        return True
    return all(_ID_AND_COMMA.match(line) for line in lines[1:] or lines)


@dataclass(slots=True)
class _Outline:
    """An object as far as a file's head shows it; arrays are cut to their first element."""

    members: dict[str, object] = field(default_factory=dict)
    goes_on: bool = False  # another object follows: JSON Lines
    error: InputError | None = None  # where the head is cut, or wrong


def _outline(head: str, *, file: str) -> _Outline:
    outline = _Outline()
    stream = JsonStream(iter([head]), file=file)
    try:
        for key in stream.members():
            outline.members[key] = None
            if stream.peek() == "[":
                first: list[object] = []
                outline.members[key] = first
                for item in stream.items():
                    first += [] if first else [item.value]
            else:
                outline.members[key] = stream.item().value
        outline.goes_on = stream.peek() == "{"
    except InputError as error:
        outline.error = error
    return outline


def _object_format(head: str, *, source: Source) -> str:
    outline = _outline(head, file=source.file)
    if outline.goes_on:
        return _record_format(outline.members, source=source)
    images = outline.members.get("images")
    if isinstance(images, list):
        return "karpathy" if _has_sentences(images) else "coco-annotations"
    if isinstance(outline.members.get("annotations"), list):
        return "coco-annotations"
    if _is_record(outline.members, source=source):
        return _record_format(outline.members, source=source)
    key, value = next(iter(outline.members.items()), (None, None))
    if key is not None and _holds_captions(value):
        return "mapping"
    if outline.error and len(head) < HEAD:
        raise outline.error
    reason = (
        "it is an empty object"
        if key is None
        else f"'{visible(key, 40)}' is {described(value)}, not captions"
    )
    raise unknown_format(reason, file=source.file)


def _has_sentences(images: list[object]) -> bool:
    return any(isinstance(image, dict) and "sentences" in image for image in images)


def _is_record(names: Collection[str], *, source: Source) -> bool:
    return any(has_fields(names, source=source, id_fields=fields) for fields in (ID_FIELDS, QUESTION_FIELDS))


def _record_format(names: Collection[str], *, source: Source) -> str:
    """Tell LLaVA's answers, which know only their question, from records that know their image."""
    if QUESTION_FIELDS[0] not in names:
        return "jsonl"
    has_image = any(name in names for name in ID_FIELDS if name not in QUESTION_FIELDS)
    return "jsonl" if has_image and not source.join else "llava"


def _holds_captions(value: object) -> bool:
    elements = value if isinstance(value, list) else [value]
    return all(
        isinstance(element, str) or (isinstance(element, dict) and any(map(names_a_field, element)))
        for element in elements
    )
