"""A part of a source that can be read by itself: a file, or a stretch of one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from assess.corpus import parquet
from assess.corpus.decoding import decoded
from assess.corpus.formats import Format, check_options, format_named
from assess.corpus.join import Join
from assess.corpus.rows import BEGINNING, Document, Opening, Row
from assess.corpus.sniffing import HEAD, sniff
from assess.corpus.source import Source
from assess.corpus.stored import file_hash, open_stored, open_stretch, take_head
from assess.errors import InputError, Place

Stretch = tuple[int, int]
"""From one byte of a file to another; of a Parquet table, from one row to another."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A file of a source, or a stretch of it with what the file's beginning told."""

    source: Source  # of one file
    number: int = 0  # of the file among the source's
    prefix: str = ""  # of image ids that are only line numbers, where there are several files
    stretch: Stretch | None = None  # None: the whole file
    opening: Opening = BEGINNING

    @property
    def place(self) -> Place:
        """Where it begins."""
        if self.stretch is None:
            return Place(self.source.file)
        line = None if self.opening.format == parquet.NAME else self.opening.line
        return Place(self.source.file, line=line, record=self.opening.records + 1)


def whole_files(source: Source) -> tuple[Partition, ...]:
    """Return the files of a source as partitions."""
    if not source.parts:
        return (Partition(source),)
    return tuple(
        Partition(replace(source, path=path, parts=()), number, prefix=f"{Path(path).name}:")
        for number, path in enumerate(source.parts)
    )


class OpenPartition:
    """A partition while it is read: its format, its rows, and, after the last of them, its hash."""

    def __init__(self, format_: Format, document: Document, source: Source) -> None:
        self.format = format_
        self.sha256: str | None = None  # of the whole file; a stretch has none
        self._document, self._source = document, source

    def rows(self) -> Iterator[Row]:
        """Yield the captions, not yet numbered."""
        return self.format.read(self._document, self._source)


@contextmanager
def open_partition(partition: Partition, join: Join | None = None) -> Iterator[OpenPartition]:
    """Open a partition for one pass from its first byte to its last."""
    source, opening = partition.source, partition.opening
    images = join.images if join else None
    if is_table(source):
        document = Document(source.file, iter(()), images, opening, partition.stretch)
        found = OpenPartition(format_named(parquet.NAME), document, source)
        check_options(source, format_=found.format)
        yield found
        found.sha256 = file_hash(source.path) if partition.stretch is None else None
    elif partition.stretch is not None and opening.format is not None:
        with open_stretch(source.path, *partition.stretch) as stretch:
            # Only the beginning of a file may have a mark.
            line = opening.line if partition.stretch[0] else None
            chunks = decoded(stretch, file=source.file, line=line)
            document = Document(source.file, chunks, images, opening, prefix=partition.prefix)
            yield OpenPartition(format_named(opening.format), document, source)
    else:
        with open_stored(source.path) as stored:
            chunks = decoded(stored.chunks(), file=stored.file)
            head = take_head(chunks, HEAD, "")
            document = Document(stored.file, chain([head], chunks), images, prefix=partition.prefix)
            found = OpenPartition(format_of(head, source=source), document, source)
            yield found
            found.sha256 = stored.sha256


def is_table(source: Source) -> bool:
    """Whether a file is a Parquet table, which is read in its own way."""
    return source.format == parquet.NAME or (source.format is None and parquet.is_parquet(source.path))


def format_of(head: str, *, source: Source) -> Format:
    """Return the format of a file that begins with `head`: what the source says, or what it looks like."""
    if not head:
        raise InputError("the file is empty", place=Place(source.file))
    if source.format is not None:
        return format_named(source.format)
    format_ = sniff(head, source=source)
    check_options(source, format_=format_)
    return format_
