"""Captions of one source, read as they are asked for, and what was read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from assess.corpus.decoding import decoded
from assess.corpus.distinct import DistinctCounter
from assess.corpus.formats import Format, check_options, format_named
from assess.corpus.join import Join, read_join
from assess.corpus.rows import Document, Row
from assess.corpus.sniffing import HEAD, sniff
from assess.corpus.source import Source
from assess.corpus.stored import open_stored, take_head
from assess.errors import InputError, Place
from assess.records import Caption

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """What was read: the part of a result's signature that names an input."""

    name: str
    format: str
    captions: int
    images: int  # distinct ones
    repeated: int  # captions of an image that had one before; they are kept
    empty: int  # captions without any text; they are kept
    sha256: str  # of the file as it is stored
    replaced: int = 0  # captions in which a lone surrogate became U+FFFD
    join_sha256: str | None = None  # of the join file, which decides the image ids


class CaptionReader:
    """The captions of one source, in file order. Each iteration reads the file from its beginning.

    A lone surrogate (`"\\ud800"` in JSON) is not a character and cannot be written as UTF-8, so it
    becomes U+FFFD, and the summary counts it. All else of a caption's text is kept as it is.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._summary: CorpusSummary | None = None
        if source.format is not None:
            check_options(source, format_=format_named(source.format))

    @property
    def summary(self) -> CorpusSummary:
        """What the last whole iteration read."""
        if self._summary is None:
            raise RuntimeError("there is a summary only after all captions were read")
        return self._summary

    def __iter__(self) -> Iterator[Caption]:
        self._summary = None
        join = read_join(self.source.join) if self.source.join is not None else None
        tally = _Tally(self.source.name)
        with open_stored(self.source.path) as stored:
            chunks = decoded(stored.chunks(), file=stored.file)
            head = take_head(chunks, HEAD, "")
            format_ = self._format(head)
            images = join.images if join else None
            document = Document(stored.file, chain([head], chunks), images)
            for row in format_.read(document, self.source):
                yield tally.caption(row)
            self._summary = tally.summary(format_, sha256=stored.sha256, join=join)

    def _format(self, head: str) -> Format:
        if not head:
            raise InputError("the file is empty", place=Place(self.source.file))
        if self.source.format is not None:
            return format_named(self.source.format)
        format_ = sniff(head, source=self.source)
        check_options(self.source, format_=format_)
        return format_


def read_captions(source: Source) -> Iterator[Caption]:
    """Yield the captions of a source, in file order."""
    return iter(CaptionReader(source))


@dataclass(slots=True)
class _Tally:
    """Counts captions while it numbers them."""

    system: str
    captions: int = 0
    empty: int = 0
    replaced: int = 0
    images: DistinctCounter = field(default_factory=DistinctCounter)

    def caption(self, row: Row) -> Caption:
        image, _ = _characters(row.image)
        text, lone = _characters(row.text)
        self.captions += 1
        self.empty += not text
        self.replaced += bool(lone)
        self.images.add(image)
        return Caption(self.system, image, text, self.captions, row.gold)

    def summary(self, format_: Format, *, sha256: str, join: Join | None) -> CorpusSummary:
        images = len(self.images)
        return CorpusSummary(
            name=self.system,
            format=format_.name,
            captions=self.captions,
            images=images,
            repeated=self.captions - images,
            empty=self.empty,
            sha256=sha256,
            replaced=self.replaced,
            join_sha256=join.sha256 if join else None,
        )


def _characters(text: str) -> tuple[str, int]:
    """Return a text without lone surrogates, and how many there were."""
    if text.isascii():  # costs nothing, and most captions are
        return text, 0
    return _LONE_SURROGATE.subn("\N{REPLACEMENT CHARACTER}", text)
