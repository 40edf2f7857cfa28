"""The caption formats: a table of values that other code and other packages can extend.

A `Format` has a name, an example, a reader, and a function that recognises its files by their first
kilobytes. The built-in formats are in `FORMATS`. `register_format` adds one to the current process. An
installed package adds one through the entry-point group `assess.formats`, under the name of the format.
Worker processes then know it as well, and it is imported only if it is requested by name or if no other
format recognises a file.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

from assess.corpus import readers, tables
from assess.corpus.fields import ID_FIELDS, QUESTION_FIELDS, Reader, has_fields, names_a_field
from assess.corpus.json_input import JsonStream, described
from assess.corpus.readers import ENTITY_MARK, LOGS, SAMPLE_FIELDS, TOKEN_LINE
from assess.corpus.source import Source
from assess.corpus.tables import DELIMITERS, choose_delimiter, header_cells
from assess.errors import InputError, MissingPartError, Place, UsageError, visible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "assess.formats"
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
    """The part of a JSON object that a file's head shows; of each array, only the first element."""

    members: dict[str, object] = field(default_factory=dict)
    goes_on: bool = False  # another object follows, as in JSON Lines
    error: InputError | None = None  # where the head ends or has a mistake


@dataclass(frozen=True)
class Head:
    """The first characters of a file, from which a format is recognised."""

    text: str
    source: Source

    @cached_property
    def start(self) -> str:
        """The text without leading white space."""
        return self.text.lstrip()

    @cached_property
    def lines(self) -> list[str]:
        """The first non-blank lines, at most 20; empty for a JSON array or object."""
        if self.start.startswith("{") or _ARRAY.match(self.start):
            return []
        return [line.rstrip("\r") for line in self.start.split("\n")[:20] if line.strip()]

    @cached_property
    def record(self) -> dict[str, object] | None:
        """The JSON object on the first line, if there are more lines or it has an image id and a caption."""
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
        """The members of the JSON object that makes up the whole file; empty if the file is none."""
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
    """Whether the file is an array of something other than texts."""
    return bool(_ARRAY.match(head.start)) and not is_list(head)


def is_list(head: Head) -> bool:
    """Whether the file is an array that begins with a caption or a list of captions."""
    return bool(_ARRAY_OF_TEXTS.match(head.start))


def is_annotations(head: Head) -> bool:
    """Whether the file is an object with a list of annotations, which may follow the list of images."""
    return _has_list(head.document) and not is_dataset(head)


def is_dataset(head: Head) -> bool:
    """Whether the file is an object with a list of images that have sentences."""
    images = head.document.get("images")
    return isinstance(images, list) and any(
        isinstance(image, dict) and "sentences" in image for image in images
    )


def is_mapping(head: Head) -> bool:
    """Whether the file is an object whose first value is one or more captions."""
    if not head.document or _has_list(head.document) or is_samples(head):
        return False
    return _holds_captions(next(iter(head.document.values())))


def is_lines(head: Head) -> bool:
    """Whether the file begins with a record that names its image."""
    return head.record is not None and not is_answers(head) and not is_samples(head)


def is_samples(head: Head) -> bool:
    """Whether the file begins with a sample of lmms-eval, or is an object with a list of samples."""
    members = head.outline.members if head.outline else {}
    if isinstance(members.get(LOGS), list):
        return True
    return "doc_id" in members and any(name in members for name in SAMPLE_FIELDS)


def is_answers(head: Head) -> bool:
    """Whether the file begins with an answer that names only its question; a join file has the image."""
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


def is_tokens(head: Head, *, marked: bool) -> bool:
    """Whether the first line begins with image#number and a tab, and whether its phrases are marked."""
    return _is_flickr(head) and (ENTITY_MARK in head.text) == marked


def _is_flickr(head: Head) -> bool:
    return bool(head.lines) and bool(TOKEN_LINE.match(head.lines[0]))


def is_table(head: Head, *, delimiters: str) -> bool:
    """Whether the first row names an image id and a caption, separated by one of these delimiters."""
    if not head.lines or _is_flickr(head):
        return False
    return choose_delimiter(head.lines[0], source=head.source, delimiters=delimiters) is not None


@dataclass(frozen=True, slots=True)
class Format:
    """A caption file format."""

    name: str  # the value of --format
    example: str  # what a file looks like
    read: Reader
    # whether a file certainly has this format; None: the format must be named
    recognises: Callable[[Head], bool] | None = None
    options: frozenset[str] = frozenset()  # the options of `Source` that its reader supports
    cuttable: bool = False  # whether a file can be split at line ends, so that several processes can read it
    binary: bool = False  # whether the reader opens the file itself: the document then has no text


_FIELDS = frozenset({"id_field", "caption_field", "split"})
PARQUET = Format(
    "parquet", "a table with columns image_id and caption", tables.read_parquet, None, _FIELDS, binary=True
)
WEBDATASET = Format(
    "webdataset",
    "a tar archive of 1.jpg and 1.txt or 1.json, …",
    tables.read_shard,
    None,
    _FIELDS,
    binary=True,
)
FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        Format(
            "coco-results", '[{"image_id": 1, "caption": "…"}, …]', readers.read_results, is_results, _FIELDS
        ),
        Format("list", '["…", "…"]', readers.read_list, is_list),
        Format(
            "coco-annotations",
            '{"annotations": [{"image_id": 1, "caption": "…"}, …]}',
            readers.read_annotations,
            is_annotations,
            _FIELDS,
        ),
        Format(
            "karpathy",
            '{"images": [{"cocoid": 1, "split": "test", "sentences": [{"raw": "…"}]}, …]}',
            readers.read_dataset,
            is_dataset,
            _FIELDS,
        ),
        Format("mapping", '{"1": "…", "2": ["…", "…"]}', readers.read_mapping, is_mapping),
        Format(
            "jsonl",
            '{"image_id": 1, "caption": "…"}, one per line',
            readers.read_lines,
            is_lines,
            _FIELDS,
            cuttable=True,
        ),
        Format(
            "llava",
            '{"question_id": 1, "text": "…"}, one per line',
            readers.read_answers,
            is_answers,
            _FIELDS | {"join"},
        ),
        Format(
            "lmms-eval",
            '{"doc_id": 0, "filtered_resps": ["…"], …}, one per line',
            readers.read_samples,
            is_samples,
            frozenset({"id_field", "caption_field"}),
        ),
        Format(
            "csv",
            "image_id,caption as the first row",
            partial(tables.read_table, delimiters=DELIMITERS["csv"]),
            partial(is_table, delimiters=DELIMITERS["csv"]),
            _FIELDS,
            cuttable=True,
        ),
        Format(
            "tsv",
            "image_id<TAB>caption as the first row",
            partial(tables.read_table, delimiters=DELIMITERS["tsv"]),
            partial(is_table, delimiters=DELIMITERS["tsv"]),
            _FIELDS,
            cuttable=True,
        ),
        Format(
            "flickr-tokens",
            "image.jpg#0<TAB>caption, one per line",
            readers.read_tokens,
            partial(is_tokens, marked=False),
            cuttable=True,
        ),
        Format(
            "flickr30k-entities",
            "image#0<TAB>[/EN#1/people Two men] wait ., one per line",
            readers.read_entities,
            partial(is_tokens, marked=True),
            frozenset({"gold"}),
            cuttable=True,
        ),
        PARQUET,
        WEBDATASET,
        Format("text", "one caption per line", readers.read_text, cuttable=True),
    )
}


def register_format(format_: Format) -> None:
    """Add a format. It is tried after the built-in ones, but before plain text."""
    if format_.name in FORMATS:
        raise UsageError(f"a format '{visible(format_.name)}' already exists")
    FORMATS[format_.name] = format_


@cache
def packaged_formats() -> dict[str, EntryPoint]:
    """Return the formats of other installed packages by name, without importing them."""
    # Imported here because few files need it and it is slow to import.
    from importlib.metadata import entry_points

    found = entry_points(group=ENTRY_POINTS)
    return {entry.name: entry for entry in found if entry.name not in FORMATS}


def format_names() -> list[str]:
    """Return the names of all formats: built-in, registered, and from installed packages."""
    return list(dict.fromkeys([*FORMATS, *packaged_formats()]))


def format_named(name: str) -> Format:
    """Return the format with that name, or raise an error that lists the names."""
    if name in FORMATS:
        return FORMATS[name]
    if name in packaged_formats():
        return _imported(packaged_formats()[name])
    names = format_names()
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{close[0]}'?" if close else "omit --format to detect the format"
    raise UsageError(f"there is no format '{visible(name)}'; the formats are {', '.join(names)}", hint=hint)


def _imported(entry: EntryPoint) -> Format:
    """Import a format from another package and register it."""
    package = entry.dist.name if entry.dist else entry.module
    message = f"the format '{visible(entry.name)}' of the package '{visible(package)}' cannot be used"
    hint = "upgrade or remove that package, or choose another format with --format"
    try:
        found = entry.load()
    except Exception as error:
        raise MissingPartError(f"{message}: {visible(str(error))}", hint=hint) from error
    if not isinstance(found, Format) or found.name != entry.name:
        raise MissingPartError(f"{message}: {visible(entry.value)} is not a Format of that name", hint=hint)
    return FORMATS.setdefault(entry.name, found)


def sniff(head: str, *, source: Source) -> Format:
    """Return the format of a file whose text begins with `head`."""
    found = Head(head, source)
    if not found.start:
        raise InputError("the file contains only white space", place=Place(source.file))
    if is_two_byte_text(found):
        wide = "it looks like UTF-16 without a byte order mark; convert it to UTF-8"
        raise _unknown_format(wide, file=source.file)
    for format_ in _candidates():
        if format_.recognises is not None and format_.recognises(found):
            return format_
    name = best_guess(found)
    # Any text can be read line by line, so the file must at least look like text.
    if name == "text" and (reason := why_not_text(found)):
        raise _unknown_format(reason, file=source.file)
    return FORMATS[name]


def _candidates() -> Iterator[Format]:
    """Yield all formats; those of other packages are imported only after the others have been tried."""
    yield from tuple(FORMATS.values())
    for name in format_names()[len(FORMATS) :]:
        yield format_named(name)


def check_options(source: Source, *, format_: Format) -> None:
    """Raise `UsageError` for an option that has no effect in this format."""
    for option in ("id_field", "caption_field", "split", "join", "gold"):
        if getattr(source, option) and option not in format_.options:
            flag = "--" + option.replace("_", "-")
            takers = ", ".join(entry.name for entry in FORMATS.values() if option in entry.options)
            message = f"{flag} cannot be used with {visible(source.file)}, whose format is '{format_.name}'"
            raise UsageError(message, hint=f"formats that support it: {takers}")


def _unknown_format(reason: str, *, file: str) -> InputError:
    hint = f"choose a format with --format: {', '.join(format_names())}"
    return InputError(f"the caption format is not recognised: {reason}", place=Place(file), hint=hint)


def is_two_byte_text(head: Head) -> bool:
    """Whether every other character is a NUL."""
    return bool(_TWO_BYTE_LETTERS.match(head.start))


def best_guess(head: Head) -> str:
    """Return the most likely format. A table with a wrong header goes to its reader, which reports it."""
    if not head.lines:
        return "text"
    if "\t" in head.lines[0]:
        return "tsv"
    return "csv" if _looks_like_table(head.lines) else "text"


def _looks_like_table(lines: list[str]) -> bool:
    """Whether the first row consists of column names, or all other rows begin with an id and a comma."""
    names = header_cells(lines[0], ",")
    if all(_NAME.fullmatch(name) for name in names) and any(names_a_field(name) for name in names):
        return True
    return all(_ID_AND_COMMA.match(line) for line in lines[1:] or lines)


def why_not_text(head: Head) -> str | None:
    """Return why a file cannot be plain text with one caption per line; None if it can."""
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
    # A damaged file of another kind is not a list of captions.
    promised = _PROMISING.search(head.source.path)
    if promised is None:
        return None
    return f"its extension is {promised[1].lower()}, but it begins with '{visible(head.lines[0], 40)}'"


def _why_no_captions(document: Mapping[str, object]) -> str:
    if not document:
        return "it is an empty object"
    key, value = next(iter(document.items()))
    return f"'{visible(key, 40)}' is {described(value)}, not captions"
