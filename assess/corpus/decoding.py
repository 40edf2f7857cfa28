"""From bytes to text and lines, one chunk at a time, with the place of a byte that is not text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from assess.corpus.stored import take_head
from assess.errors import InputError, Place

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONGEST_MARK = 4
# A line's text before an excerpt is shown as spaces; past this column the excerpt is left out.
_LONGEST_INDENT = 1 << 24


@dataclass(frozen=True, slots=True)
class Position:
    """A line and column, counted from 1, in characters."""

    line: int = 1
    column: int = 1

    def after(self, text: str) -> Position:
        """Return the position of what follows `text`, if `text` stands here."""
        newlines = text.count("\n")
        if not newlines:
            return Position(self.line, self.column + len(text))
        return Position(self.line + newlines, len(text) - text.rfind("\n"))


def place_in(text: str, offset: int, *, start: Position, file: str, record: int | None = None) -> Place:
    """Return the place of `text[offset]`, where `text` is a part of a file that begins at `start`.

    The source line keeps its columns even if its beginning is not in `text`.
    """
    here = start.after(text[:offset])
    line_start = text.rfind("\n", 0, offset) + 1
    line_end = text.find("\n", offset)
    shown = text[line_start : line_end if line_end >= 0 else len(text)]
    indent = here.column - 1 - (offset - line_start)
    source = " " * indent + shown if indent < _LONGEST_INDENT else None
    return Place(file, line=here.line, column=here.column, record=record, source=source)


def decoded(chunks: Iterator[bytes], *, file: str, line: int | None = None) -> Iterator[str]:
    """Yield the text of UTF-8 bytes, or of UTF-16 or UTF-32 bytes that begin with their mark.

    `line` is the number of the first line of bytes from a file's middle; they are UTF-8 and have no mark.
    """
    head = take_head(chunks, _LONGEST_MARK, b"")
    mark, encoding = mark_of(head) if line is None else (b"", "utf-8")
    decoder = codecs.getincrementaldecoder(encoding)()
    position = Position(line or 1)
    data: bytes | None = head[len(mark) :]
    while data is not None:
        following = next(chunks, None)
        try:
            text = decoder.decode(data, final=following is None)
        except UnicodeDecodeError as error:
            raise _not_text(error, start=position, file=file) from error
        if text:
            yield text
        position = position.after(text)
        data = following


def mark_of(head: bytes) -> tuple[bytes, str]:
    """Return the byte order mark that a file begins with, and the encoding that it tells."""
    return next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", "utf-8"))


def _not_text(error: UnicodeDecodeError, *, start: Position, file: str) -> InputError:
    """Say which byte is no text, and where; the bytes before it were text."""
    before = error.object[: error.start].decode(error.encoding)
    byte = error.object[error.start]
    after = error.object[error.start : error.start + 60].decode(error.encoding, "replace")
    return InputError(
        f"the byte 0x{byte:02x} is not {error.encoding.upper()} text",
        place=place_in(before + after, len(before), start=start, file=file),
        hint=f"convert the file, for example: iconv -f WINDOWS-1252 -t UTF-8 '{file}'",
    )


def raw_lines(chunks: Iterator[str]) -> Iterator[str]:
    """Yield lines with their ends. Only a line feed ends one: captions may hold other separators."""
    pending: list[str] = []
    for chunk in chunks:
        *ended, rest = chunk.split("\n")
        for piece in ended:
            pending.append(piece + "\n")
            yield "".join(pending)
            pending = []
        pending.append(rest)
    if last := "".join(pending):
        yield last


def lines(chunks: Iterator[str]) -> Iterator[str]:
    """Yield lines without their ends (line feed, or carriage return and line feed)."""
    for line in raw_lines(chunks):
        yield line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")
