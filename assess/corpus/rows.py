"""What a reader is given and what it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from assess.corpus.fields import Fields
from assess.corpus.source import Source
from assess.records import GoldSpan


@dataclass(frozen=True, slots=True)
class Opening:
    """What a reader that starts in the middle of a file knows of the part before."""

    format: str | None = None  # as the file's beginning showed it; None: it is still to be found
    line: int = 1  # number of the first line to be read
    records: int = 0  # that came before
    header: str | None = None  # the first row of a table
    fields: Fields | None = None  # which fields of a record are read: the file's first record decides


BEGINNING = Opening()


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one file or of a part of it, to be read once."""

    file: str  # as messages show it
    chunks: Iterator[str]
    images: Mapping[str, str] | None = None  # question id -> image, from a join file
    opening: Opening = BEGINNING
    rows: tuple[int, int] | None = None  # of a Parquet table, from one to another; None: all
    prefix: str = ""  # of image ids that are only line numbers, where a system has several files


@dataclass(frozen=True, slots=True)
class Row:
    """A caption of a file, not yet numbered."""

    image: str
    text: str
    gold: tuple[GoldSpan, ...] = ()


Reader = Callable[[Document, Source], Iterator[Row]]
