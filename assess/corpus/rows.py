"""What a reader is given and what it yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from assess.corpus.source import Source
from assess.records import GoldSpan


@dataclass(frozen=True, slots=True)
class Document:
    """The text of one file, to be read once."""

    file: str  # as messages show it
    chunks: Iterator[str]
    images: Mapping[str, str] | None = None  # question id -> image, from a join file


@dataclass(frozen=True, slots=True)
class Row:
    """A caption of a file, not yet numbered."""

    image: str
    text: str
    gold: tuple[GoldSpan, ...] = ()


Reader = Callable[[Document, Source], Iterator[Row]]
