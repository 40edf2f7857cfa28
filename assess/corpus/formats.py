"""The formats that captions come in. To add one, write its reader and add a line here and in `sniffing`."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from assess.corpus import coco, flickr, json_lines, karpathy, parquet, plain, tables
from assess.corpus.rows import Reader
from assess.corpus.source import Source
from assess.errors import InputError, Place, UsageError, visible

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
        Format("coco-results", '[{"image_id": 1, "caption": "…"}, …]', coco.read_results, _FIELDS),
        Format(
            "coco-annotations",
            '{"annotations": [{"image_id": 1, "caption": "…"}, …]}',
            coco.read_annotations,
            _FIELDS,
        ),
        Format(
            "karpathy",
            '{"images": [{"cocoid": 1, "split": "test", "sentences": [{"raw": "…"}]}, …]}',
            karpathy.read_dataset,
            _FIELDS,
        ),
        Format("mapping", '{"1": "…", "2": ["…", "…"]}', coco.read_mapping, _NONE),
        Format("jsonl", '{"image_id": 1, "caption": "…"}, one a line', json_lines.read_lines, _FIELDS),
        Format(
            "llava",
            '{"question_id": 1, "text": "…"}, one a line',
            json_lines.read_answers,
            _FIELDS | {"join"},
        ),
        Format("csv", "image_id,caption as the first row", tables.read_comma_separated, _FIELDS),
        Format("tsv", "image_id<TAB>caption as the first row", tables.read_tab_separated, _FIELDS),
        Format("flickr-tokens", "image.jpg#0<TAB>caption, one a line", flickr.read_tokens, _NONE),
        Format(
            "flickr30k-entities",
            "image#0<TAB>[/EN#1/people Two men] wait ., one a line",
            flickr.read_entities,
            frozenset({"gold"}),
        ),
        Format("parquet", "a table with columns image_id and caption", parquet.read_table, _FIELDS),
        Format("text", "one caption a line", plain.read_text, _NONE),
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
