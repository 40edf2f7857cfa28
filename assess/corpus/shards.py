"""WebDataset shards: tar archives in which the members of a sample stand side by side under one name.

`000042.jpg`, `000042.txt` and `000042.json` are one sample. Its caption is the text, or a field of the JSON;
images are passed over without being read, unless the shard is gzipped.
"""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

from assess.corpus.fields import (
    Document,
    Row,
    SplitFilter,
    captions_of,
    choose_caption_field,
    image_of,
    members_of,
    require_field,
)
from assess.corpus.json_input import Item, JsonSyntaxError, decode_value, numbered_item
from assess.corpus.source import STANDARD_INPUT, Source
from assess.errors import InputError, Place, visible

_TEXT, _JSON = "txt", "json"
Sample = dict[str, bytes]  # of a sample's members those that may hold its caption, by suffix


def read_shard(document: Document, source: Source) -> Iterator[Row]:
    """Read the samples of a tar archive: `42.txt`, or `42.json` with a caption in it; 42 is the image id."""
    del document  # an archive is no text
    if source.path == STANDARD_INPUT:
        hint = "write it to a file first"
        raise InputError(
            "a tar archive cannot be read from standard input", place=Place(source.file), hint=hint
        )
    splits = SplitFilter(source)
    for number, (stem, sample) in enumerate(_samples(source.file), start=1):
        yield from _rows(stem, sample, source, splits, Place(source.file, record=number))
    splits.finish()


def _rows(stem: str, sample: Sample, source: Source, splits: SplitFilter, place: Place) -> Iterator[Row]:
    # Who names a field means the JSON, whatever text stands beside it.
    if _TEXT in sample and not (source.caption_field or source.id_field or source.split):
        yield Row(stem, _text(sample[_TEXT], f"{stem}.{_TEXT}", place).removesuffix("\n"))
        return
    if _JSON not in sample:
        hint = "each sample of a WebDataset shard needs a member .txt or .json with its caption"
        raise InputError(f"the sample '{visible(stem)}' has no caption", place=place, hint=hint)
    item = _item(sample[_JSON], f"{stem}.{_JSON}", place)
    if not splits.keeps(item):
        return
    members = members_of(item)
    image = stem
    if source.id_field is not None:
        image = image_of(item, require_field(source.id_field, members, place=item.place))
    caption = choose_caption_field(members, source=source, place=item.place)
    for text in captions_of(item, caption):
        yield Row(image, text)


def _item(stored: bytes, name: str, place: Place) -> Item:
    text = _text(stored, name, place)
    try:
        value, _ = decode_value(text, len(text) - len(text.lstrip()))
    except JsonSyntaxError as error:
        message = f"the member '{visible(name)}' is not valid JSON: {error.message}"
        raise InputError(message, place=place) from error
    return numbered_item(value, place.record, place.file)


def _text(stored: bytes, name: str, place: Place) -> str:
    try:
        return stored.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"the member '{visible(name)}' is not UTF-8 text"
        raise InputError(message, place=place, hint="write the shard again, in UTF-8") from error


def _samples(file: str) -> Iterator[tuple[str, Sample]]:
    """Yield each sample's name and what may be its caption; members of a sample stand side by side."""
    last: str | None = None
    sample: Sample = {}
    with _open(file) as archive:
        for member in _members(archive):
            stem, _, suffix = PurePosixPath(member.name).name.partition(".")
            if stem != last and last is not None:
                yield last, sample
                sample = {}
            last = stem
            if suffix.lower() in (_TEXT, _JSON) and (stored := archive.extractfile(member)):
                sample[suffix.lower()] = stored.read()
    if last is not None:
        yield last, sample


def _members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield the files of an archive; those that begin with a dot are marks of a system, not data."""
    for member in archive:
        archive.members = []  # type: ignore[attr-defined]  # they would grow with the archive
        if member.isfile() and not PurePosixPath(member.name).name.startswith("."):
            yield member


@contextmanager
def _open(file: str) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(file, "r:*") as archive:
            yield archive
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        hint = "copy or download it again"
        raise InputError(f"cannot be read as a tar archive: {error}", place=Place(file), hint=hint) from error
