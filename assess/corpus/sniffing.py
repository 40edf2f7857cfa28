"""What the first kilobytes of a file tell about its format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assess.corpus.fields import ID_FIELDS, QUESTION_FIELDS, has_fields, names_a_field
from assess.corpus.json_input import JsonStream, described
from assess.corpus.readers import ENTITY_MARK, LOGS, SAMPLE_FIELDS, TOKEN_LINE
from assess.corpus.source import Source
from assess.corpus.tables import DELIMITERS, choose_delimiter, header_cells
from assess.errors import InputError, visible

HEAD_SIZE = 1 << 16  # characters

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_TWO_BYTE_LETTERS = re.compile(r"(?:[^\0]\0){2}|(?:\0[^\0]){2}")
_MARKUP = re.compile(r"<(?:!doctype|html|\?xml)", re.IGNORECASE)
_PROMISING = re.compile(r"(\.(?:jsonl?|ndjson|csv|tsv))(?:\.gz)?$", re.IGNORECASE)
_ARRAY = re.compile(r'\[\s*(?:[\[\]{"]|-?\d|$)')
_ARRAY_OF_TEXTS = re.compile(r'\[\s*(?:\[\s*)?"')
_ID_AND_COMMA = re.compile(r'"?[\w./-]*\d[\w./-]*"?,(?!\d{3}\b)')  # but not 10,000
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(slots=True)
class _Outline:
    """A JSON object as far as a file's head shows it; arrays are cut to their first element."""

    members: dict[str, object] = field(default_factory=dict)
    goes_on: bool = False  # another object follows: JSON Lines
    error: InputError | None = None  # where the head is cut, or wrong


@dataclass(frozen=True)
class Head:
    """The first characters of a file, for a format to recognise its own."""

    text: str
    source: Source

    @cached_property
    def start(self) -> str:
        """The text without the white space before it."""
        return self.text.lstrip()

    @cached_property
    def lines(self) -> list[str]:
        """The first lines that are not blank, at most 20; none of a JSON array or object."""
        if self.start.startswith("{") or _ARRAY.match(self.start):
            return []
        return [line.rstrip("\r") for line in self.start.split("\n")[:20] if line.strip()]

    @cached_property
    def record(self) -> dict[str, object] | None:
        """The JSON object on the first of several lines, or alone with an image id and a caption in it."""
        outline = self.outline
        if outline is None or outline.goes_on:
            return outline.members if outline else None
        is_record = not _has_list(outline.members) and any(
            has_fields(outline.members, source=self.source, id_fields=fields)
            for fields in (ID_FIELDS, QUESTION_FIELDS)
        )
        return outline.members if is_record else None

    @cached_property
    def document(self) -> dict[str, object]:
        """The members of the JSON object that the whole file is; none, where it is no such file."""
        return self.outline.members if self.outline and self.record is None else {}

    @cached_property
    def outline(self) -> _Outline | None:
        """The JSON object that the file begins with."""
        return _outline(self.text, file=self.source.file) if self.start.startswith("{") else None


def _outline(text: str, *, file: str) -> _Outline:
    outline = _Outline()
    stream = JsonStream(iter([text]), file=file)
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


def _has_list(members: Mapping[str, object]) -> bool:
    return any(isinstance(members.get(name), list) for name in ("images", "annotations"))


def is_results(head: Head) -> bool:
    """Whether it is an array, but not of texts."""
    return bool(_ARRAY.match(head.start)) and not is_list(head)


def is_list(head: Head) -> bool:
    """Whether it is an array that begins with a caption, or with a list of captions."""
    return bool(_ARRAY_OF_TEXTS.match(head.start))


def is_annotations(head: Head) -> bool:
    """Whether it is an object with a list of annotations, which may stand behind that of the images."""
    return _has_list(head.document) and not is_dataset(head)


def is_dataset(head: Head) -> bool:
    """Whether it is an object with a list of images that have sentences."""
    images = head.document.get("images")
    return isinstance(images, list) and any(
        isinstance(image, dict) and "sentences" in image for image in images
    )


def is_mapping(head: Head) -> bool:
    """Whether it is an object whose first value is captions."""
    if not head.document or _has_list(head.document) or is_samples(head):
        return False
    return _holds_captions(next(iter(head.document.values())))


def is_lines(head: Head) -> bool:
    """Whether it begins with a record that knows its image."""
    return head.record is not None and not is_answers(head) and not is_samples(head)


def is_samples(head: Head) -> bool:
    """Whether it begins with a sample of lmms-eval, or is an object with a list of them."""
    members = head.outline.members if head.outline else {}
    if isinstance(members.get(LOGS), list):
        return True
    return "doc_id" in members and any(name in members for name in SAMPLE_FIELDS)


def is_answers(head: Head) -> bool:
    """Whether it begins with an answer, which knows only its question; a join file knows the image."""
    if head.record is None or QUESTION_FIELDS[0] not in head.record:
        return False
    has_image = any(name in head.record for name in ID_FIELDS if name not in QUESTION_FIELDS)
    return not has_image or bool(head.source.join)


def _holds_captions(value: object) -> bool:
    elements = value if isinstance(value, list) else [value]
    return all(
        isinstance(element, str) or (isinstance(element, dict) and any(map(names_a_field, element)))
        for element in elements
    )


def is_tokens(head: Head) -> bool:
    """Whether the first line begins with image#number and a tab, and no phrase is marked."""
    return _is_flickr(head) and ENTITY_MARK not in head.text


def is_entities(head: Head) -> bool:
    """Whether the first line begins with image#number and a tab, and a phrase is marked."""
    return _is_flickr(head) and ENTITY_MARK in head.text


def is_comma_separated(head: Head) -> bool:
    """Whether the first row names an image id and a caption, by commas, semicolons or bars."""
    return _names_fields(head, DELIMITERS["csv"])


def is_tab_separated(head: Head) -> bool:
    """Whether the first row names an image id and a caption, by tabs."""
    return _names_fields(head, DELIMITERS["tsv"])


def _is_flickr(head: Head) -> bool:
    return bool(head.lines) and bool(TOKEN_LINE.match(head.lines[0]))


def _names_fields(head: Head, delimiters: str) -> bool:
    if not head.lines or _is_flickr(head):
        return False
    return choose_delimiter(head.lines[0], source=head.source, delimiters=delimiters) is not None


def is_two_byte_text(head: Head) -> bool:
    """Whether every other character is a NUL."""
    return bool(_TWO_BYTE_LETTERS.match(head.start))


def best_guess(head: Head) -> str:
    """Return the likely format; a table without a good header goes to its reader, which says so."""
    if not head.lines:
        return "text"
    if "\t" in head.lines[0]:
        return "tsv"
    return "csv" if _looks_like_table(head.lines) else "text"


def _looks_like_table(lines: list[str]) -> bool:
    """Whether the first row is column names, or all other rows begin with an id and a comma."""
    names = header_cells(lines[0], ",")
    if all(_NAME.fullmatch(name) for name in names) and any(names_a_field(name) for name in names):
        return True
    return all(_ID_AND_COMMA.match(line) for line in lines[1:] or lines)


def why_not_text(head: Head) -> str | None:
    """Say why a file is not one caption a line."""
    if head.outline is not None:
        if head.outline.error and len(head.text) < HEAD_SIZE:
            raise head.outline.error
        return _why_no_captions(head.document)
    text = head.start
    if len(_CONTROL.findall(text)) * 5 > len(text):
        return "it is not text"
    if _MARKUP.match(text):
        return "it is a web page or XML"
    if "\r" in text.rstrip() and "\n" not in text:
        return "its lines end in carriage returns only; convert them to line feeds"
    # A broken file of another kind is no list of captions.
    promised = _PROMISING.search(head.source.path)
    if promised is None:
        return None
    return f"its name ends in {promised[1].lower()}, but it begins with '{visible(head.lines[0], 40)}'"


def _why_no_captions(document: Mapping[str, object]) -> str:
    if not document:
        return "it is an empty object"
    key, value = next(iter(document.items()))
    return f"'{visible(key, 40)}' is {described(value)}, not captions"
