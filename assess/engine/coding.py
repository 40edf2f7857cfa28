"""Annotations as short byte strings: what workers send and what the cache keeps."""

from __future__ import annotations

import json
import zlib
from sys import intern

from assess.records import Annotation, Chunk

VERSION = 1
"""Goes up when the form changes or when annotation itself gives something else for the same model."""


class BrokenRecordError(Exception):
    """A stored record is not what was written. It is worked out again, never used."""


def encode(annotation: Annotation) -> bytes:
    """Return an annotation without its words, which the text itself has, behind a checksum."""
    content = [
        annotation.offsets,
        [len(word) for word in annotation.words],
        " ".join(annotation.tags),
        " ".join(annotation.deps),
        annotation.heads,
        [place for chunk in annotation.chunks for place in (chunk.start, chunk.end)],
    ]
    data = json.dumps(content, separators=(",", ":")).encode("ascii")
    return zlib.crc32(data).to_bytes(4, "big") + data


def decode(text: str, record: bytes) -> Annotation:
    """Return the annotation of a text from its record."""
    data = record[4:]
    if zlib.crc32(data).to_bytes(4, "big") != record[:4]:
        raise BrokenRecordError
    offsets, lengths, tags, deps, heads, places = json.loads(data)
    if offsets and offsets[-1] + lengths[-1] > len(text):
        raise BrokenRecordError
    return Annotation(
        words=tuple(text[at : at + length] for at, length in zip(offsets, lengths, strict=True)),
        offsets=tuple(offsets),
        tags=tuple(map(intern, tags.split(" "))) if offsets else (),
        chunks=tuple(Chunk(start, end) for start, end in zip(places[::2], places[1::2], strict=True)),
        heads=tuple(heads),
        deps=tuple(map(intern, deps.split(" "))) if offsets else (),
    )
