"""Plain text: one caption a line."""

from __future__ import annotations

from collections.abc import Iterator

from assess.corpus.decoding import lines
from assess.corpus.rows import Document, Row
from assess.corpus.source import Source


def read_text(document: Document, source: Source) -> Iterator[Row]:
    """Read one caption a line; the line's number is the image id, and an empty line an empty caption."""
    del source  # there is nothing to choose
    for number, line in enumerate(lines(document.chunks), start=document.opening.line):
        yield Row(f"{document.prefix}{number}", line)
