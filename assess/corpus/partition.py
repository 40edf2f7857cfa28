"""The parts of a source that can be read independently: its files, or stretches of files.

A file is cut into stretches at the ends of records, so that several machines can read it at once. In the same
pass, lines are counted and the file is hashed. Captions, image ids and line numbers in errors are therefore
the same as when the whole file is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from assess.corpus.fields import BEGINNING, Document, Opening, Row, choose_fields, members_of
from assess.corpus.files import (
    GZIP,
    StoredFile,
    decoded,
    file_hash,
    filled_lines,
    is_tar,
    mark_of,
    open_stored,
    open_stretch,
    raw_lines,
    take_head,
)
from assess.corpus.formats import HEAD_SIZE, PARQUET, WEBDATASET, Format, check_options, format_named, sniff
from assess.corpus.json_input import line_items
from assess.corpus.readers import Join
from assess.corpus.source import STANDARD_INPUT, Source
from assess.corpus.tables import DELIMITERS, choose_delimiter, is_parquet, parquet_size, table_rows
from assess.errors import AssessError, InputError, Place

# The single-byte characters that Python's `strip` removes.
_SPACE = bytes([*range(9, 14), *range(28, 33)])

Stretch = tuple[int, int]
"""From one byte of a file to another; of a Parquet table, from one row to another."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A file of a source, or a stretch of a file together with what is known from the file's beginning."""

    source: Source  # has only this file
    number: int = 0  # position of the file among the source's files
    prefix: str = ""  # prepended to image ids that are only line numbers, if there are several files
    stretch: Stretch | None = None  # None: the whole file
    opening: Opening = BEGINNING

    @property
    def place(self) -> Place:
        """The place where the partition begins."""
        if self.stretch is None:
            return Place(self.source.file)
        line = None if self.opening.format == PARQUET.name else self.opening.line
        return Place(self.source.file, line=line, record=self.opening.records + 1)


def whole_files(source: Source) -> tuple[Partition, ...]:
    """Return one partition for each file of a source."""
    if not source.parts:
        return (Partition(source),)
    return tuple(
        Partition(replace(source, path=path, parts=()), number, prefix=f"{Path(path).name}:")
        for number, path in enumerate(source.parts)
    )


class OpenPartition:
    """A partition that is being read: its format, its rows and, after the last row, its hash."""

    def __init__(self, format_: Format, document: Document, source: Source) -> None:
        self.format = format_
        self.sha256: str | None = None  # of the whole file; None for a stretch
        self._document, self._source = document, source

    def rows(self) -> Iterator[Row]:
        """Yield the captions, without record numbers."""
        return self.format.read(self._document, self._source)


@contextmanager
def open_partition(partition: Partition, join: Join | None = None) -> Iterator[OpenPartition]:
    """Open a partition for one complete pass."""
    source, opening = partition.source, partition.opening
    images = join.images if join else None
    if binary := _binary_format(source):
        check_options(source, format_=binary)
        document = Document(source.file, iter(()), images, opening, partition.stretch)
        found = OpenPartition(binary, document, source)
        yield found
        found.sha256 = file_hash(source.path) if partition.stretch is None else None
    elif partition.stretch is not None and opening.format is not None:
        with open_stretch(source.path, *partition.stretch) as stretch:
            # Only the beginning of a file can have a byte order mark.
            line = opening.line if partition.stretch[0] else None
            chunks = decoded(stretch, file=source.file, line=line)
            document = Document(source.file, chunks, images, opening, prefix=partition.prefix)
            yield OpenPartition(format_named(opening.format), document, source)
    else:
        with open_stored(source.path) as stored:
            chunks = decoded(stored.chunks(), file=stored.file)
            head = take_head(chunks, HEAD_SIZE, "")
            document = Document(stored.file, chain([head], chunks), images, prefix=partition.prefix)
            found = OpenPartition(_text_format(head, source), document, source)
            yield found
            found.sha256 = stored.sha256


def _binary_format(source: Source) -> Format | None:
    """Return the format of a file that its reader opens itself, as requested or as detected."""
    if source.format is None:
        if is_parquet(source.path):
            return PARQUET
        return WEBDATASET if is_tar(source.path) else None
    named = format_named(source.format)
    return named if named.binary else None


def _text_format(head: str, source: Source) -> Format:
    """Return the format of a file that begins with `head`, as requested or as detected."""
    if not head:
        raise InputError("the file is empty", place=Place(source.file))
    if source.format is not None:
        return format_named(source.format)
    format_ = sniff(head, source=source)
    check_options(source, format_=format_)
    return format_


@dataclass(frozen=True, slots=True)
class Cuts:
    """The partitions of a file in order, and its hash, which is None if the file was not cut."""

    partitions: tuple[Partition, ...]
    sha256: str | None = None


@dataclass(slots=True)
class _Progress:
    """The progress of cutting: bytes, lines and records from the beginning of the file."""

    byte: int = 0
    lines: int = 0
    records: int = 0

    def taken(self, source: Iterator[bytes]) -> Iterator[bytes]:
        """Pass lines on and count them."""
        for line in source:
            self.byte += len(line)
            self.lines += 1
            yield line


def divides(source: Source) -> bool:
    """Whether a source can be read in partitions: it has several files, or one that can be cut."""
    if source.parts:
        return True
    if source.path == STANDARD_INPUT:
        return False
    try:
        binary = _binary_format(source)
        return binary is PARQUET if binary else _opening(source) is not None
    except AssessError:  # the error is reported when the file is read for the analysis
        return False


def cut(whole: Partition, size: int) -> Cuts:
    """Cut a file into partitions of about `size` bytes.

    A file that cannot be cut becomes a single partition: a compressed file, a JSON array, or a file with an
    error that its reader will report.
    """
    try:
        binary = _binary_format(whole.source)
        if binary is PARQUET:
            found = _cut_table(whole, size)
        else:
            found = Cuts((whole,)) if binary else _cut_lines(whole, size)
    except AssessError:
        return Cuts((whole,))
    return found if len(found.partitions) > 1 else Cuts((whole,))


def _cut_table(whole: Partition, size: int) -> Cuts:
    rows, unpacked = parquet_size(whole.source.path)
    step = max(1, rows * size // max(1, unpacked))
    stretches = [(start, min(rows, start + step)) for start in range(0, rows, step)]
    partitions = (
        replace(whole, stretch=stretch, opening=Opening(PARQUET.name, records=stretch[0]))
        for stretch in stretches
    )
    return Cuts(tuple(partitions), file_hash(whole.source.path))


def _cut_lines(whole: Partition, size: int) -> Cuts:
    source = whole.source
    opening = _opening(source)
    if opening is None:
        return Cuts((whole,))
    reached, partitions, start = _Progress(), [], 0
    # The first partition includes the beginning of the file, so its reader detects everything itself.
    known = Opening(opening.format)
    with open_stored(source.path) as stored:
        ends = _row_ends if opening.format in DELIMITERS else _line_ends
        for _ in ends(stored, opening, source, reached):
            if reached.byte - start >= size:
                partitions.append(replace(whole, stretch=(start, reached.byte), opening=known))
                start = reached.byte
                known = replace(opening, line=reached.lines + 1, records=reached.records)
        if reached.byte > start:
            partitions.append(replace(whole, stretch=(start, reached.byte), opening=known))
        return Cuts(tuple(partitions), stored.sha256)


def _line_ends(stored: StoredFile, opening: Opening, source: Source, reached: _Progress) -> Iterator[None]:
    """Yield at the end of each line."""
    del source
    blank_counts = opening.format == "text"
    for line in reached.taken(stored.lines()):
        reached.records += blank_counts or _is_not_blank(line)
        yield


def _is_not_blank(line: bytes) -> bool:
    rest = line.strip(_SPACE)
    return bool(rest) and (rest[0] < 128 or bool(rest.decode("utf-8", "replace").strip()))


def _row_ends(stored: StoredFile, opening: Opening, source: Source, reached: _Progress) -> Iterator[None]:
    """Yield at the end of each row; a quoted cell may span several lines."""
    taken = reached.taken(stored.lines())
    header, delimiters = next(taken, b"").decode("utf-8", "replace"), DELIMITERS[opening.format or "csv"]
    delimiter = choose_delimiter(opening.header or header, source=source, delimiters=delimiters)
    # All delimiters are ASCII, so decoding one character per byte finds the same rows.
    text = (line.decode("latin-1") for line in taken)
    for item in table_rows(text, delimiter=delimiter or delimiters[0], file=source.file):
        reached.records = item.number or 0
        yield


def _opening(source: Source) -> Opening | None:
    """Return what the beginning of a file tells about the rest, or None if the file cannot be cut."""
    if source.split is not None or source.join is not None:
        return None  # these options concern the file as a whole
    with open_stored(source.path) as stored:
        first = take_head(stored.stored(), 4, b"")
    if first.startswith(GZIP) or mark_of(first)[1] != "utf-8":
        return None
    with open_stored(source.path) as stored:
        chunks = decoded(stored.chunks(), file=stored.file)
        head = take_head(chunks, HEAD_SIZE, "")
        format_ = _text_format(head, source)
        text = chain([head], chunks)
        if not format_.cuttable:
            return None
        if format_.name in DELIMITERS:
            return Opening(format_.name, header=next(raw_lines(text, file=stored.file), ""))
        if format_.name != "jsonl":
            return Opening(format_.name)
        item = next(line_items(filled_lines(text, file=stored.file), file=stored.file))
        fields = choose_fields(members_of(item), source=source, place=item.place)
        return Opening(format_.name, fields=fields)
