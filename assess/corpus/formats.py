"""The caption formats: one table of values, which other code and other packages can add to.

A format is a `Format`: its name, an example, a reader, and how its files are recognised. Ours are in
`FORMATS`. `register_format` adds one in this process. An installed package adds one through the entry-point
group `assess.formats`, where the name of the entry is that of the format; then worker processes know it too,
and it is imported only for a file that none of the other formats recognises, or by its name.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from assess.corpus import readers, sniffing, tables
from assess.corpus.fields import Reader
from assess.corpus.sniffing import Head
from assess.corpus.source import Source
from assess.errors import InputError, MissingPartError, Place, UsageError, visible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "assess.formats"


@dataclass(frozen=True, slots=True)
class Format:
    """A caption format."""

    name: str  # for --format
    example: str  # of what a file looks like
    read: Reader
    recognises: Callable[[Head], bool] | None = None  # whether a file is surely its own; None: only by name
    options: frozenset[str] = frozenset()  # those of `Source` that its reader heeds
    cuttable: bool = False  # at line ends, so that several processes can read one file
    binary: bool = False  # its reader opens the file itself: the document has no text


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
            "coco-results",
            '[{"image_id": 1, "caption": "…"}, …]',
            readers.read_results,
            sniffing.is_results,
            _FIELDS,
        ),
        Format("list", '["…", "…"]', readers.read_list, sniffing.is_list),
        Format(
            "coco-annotations",
            '{"annotations": [{"image_id": 1, "caption": "…"}, …]}',
            readers.read_annotations,
            sniffing.is_annotations,
            _FIELDS,
        ),
        Format(
            "karpathy",
            '{"images": [{"cocoid": 1, "split": "test", "sentences": [{"raw": "…"}]}, …]}',
            readers.read_dataset,
            sniffing.is_dataset,
            _FIELDS,
        ),
        Format("mapping", '{"1": "…", "2": ["…", "…"]}', readers.read_mapping, sniffing.is_mapping),
        Format(
            "jsonl",
            '{"image_id": 1, "caption": "…"}, one per line',
            readers.read_lines,
            sniffing.is_lines,
            _FIELDS,
            cuttable=True,
        ),
        Format(
            "llava",
            '{"question_id": 1, "text": "…"}, one per line',
            readers.read_answers,
            sniffing.is_answers,
            _FIELDS | {"join"},
        ),
        Format(
            "lmms-eval",
            '{"doc_id": 0, "filtered_resps": ["…"], …}, one per line',
            readers.read_samples,
            sniffing.is_samples,
            frozenset({"id_field", "caption_field"}),
        ),
        Format(
            "csv",
            "image_id,caption as the first row",
            tables.read_comma_separated,
            sniffing.is_comma_separated,
            _FIELDS,
            cuttable=True,
        ),
        Format(
            "tsv",
            "image_id<TAB>caption as the first row",
            tables.read_tab_separated,
            sniffing.is_tab_separated,
            _FIELDS,
            cuttable=True,
        ),
        Format(
            "flickr-tokens",
            "image.jpg#0<TAB>caption, one per line",
            readers.read_tokens,
            sniffing.is_tokens,
            cuttable=True,
        ),
        Format(
            "flickr30k-entities",
            "image#0<TAB>[/EN#1/people Two men] wait ., one per line",
            readers.read_entities,
            sniffing.is_entities,
            frozenset({"gold"}),
            cuttable=True,
        ),
        PARQUET,
        WEBDATASET,
        Format("text", "one caption per line", readers.read_text, cuttable=True),
    )
}


def register_format(format_: Format) -> None:
    """Add a format; it is recognised after ours, and before a file is taken for lines of text."""
    if format_.name in FORMATS:
        raise UsageError(f"there already is a format '{visible(format_.name)}'")
    FORMATS[format_.name] = format_


@cache
def packaged_formats() -> dict[str, EntryPoint]:
    """Return the formats of other installed packages by name, without importing them."""
    # Here and not above: few files need it, and it takes its time to start.
    from importlib.metadata import entry_points

    found = entry_points(group=ENTRY_POINTS)
    return {entry.name: entry for entry in found if entry.name not in FORMATS}


def format_names() -> list[str]:
    """Return the names of all formats: ours, those registered, and those of installed packages."""
    return list(dict.fromkeys([*FORMATS, *packaged_formats()]))


def format_named(name: str) -> Format:
    """Return the format of that name, or say which names there are."""
    if name in FORMATS:
        return FORMATS[name]
    if name in packaged_formats():
        return _imported(packaged_formats()[name])
    names = format_names()
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{close[0]}'?" if close else "leave --format out to have it found"
    raise UsageError(f"there is no format '{visible(name)}'; the formats are {', '.join(names)}", hint=hint)


def _imported(entry: EntryPoint) -> Format:
    """Import a format of another package and add it to ours."""
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
    """Return the format of a file that begins with `head`."""
    found = Head(head, source)
    if not found.start:
        raise InputError("the file has nothing but white space", place=Place(source.file))
    if sniffing.is_two_byte_text(found):
        wide = "it looks like UTF-16 without a byte order mark; convert it to UTF-8"
        raise _unknown_format(wide, file=source.file)
    for format_ in _candidates():
        if format_.recognises is not None and format_.recognises(found):
            return format_
    name = sniffing.best_guess(found)
    # Anything may be called lines of text, so only here it must also look like text.
    if name == "text" and (reason := sniffing.why_not_text(found)):
        raise _unknown_format(reason, file=source.file)
    return FORMATS[name]


def _candidates() -> Iterator[Format]:
    """Yield all formats; those of other packages are imported only once the others have been tried."""
    yield from tuple(FORMATS.values())
    for name in format_names()[len(FORMATS) :]:
        yield format_named(name)


def check_options(source: Source, *, format_: Format) -> None:
    """Raise `UsageError` for an option that would do nothing in this format."""
    for option in ("id_field", "caption_field", "split", "join", "gold"):
        if getattr(source, option) and option not in format_.options:
            flag = "--" + option.replace("_", "-")
            takers = ", ".join(entry.name for entry in FORMATS.values() if option in entry.options)
            message = f"{flag} has no meaning for {visible(source.file)}, whose format is '{format_.name}'"
            raise UsageError(message, hint=f"formats that take it: {takers}")


def _unknown_format(reason: str, *, file: str) -> InputError:
    hint = f"choose a format with --format: {', '.join(format_names())}"
    return InputError(f"this is in no known caption format: {reason}", place=Place(file), hint=hint)
