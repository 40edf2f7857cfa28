"""One JSON value at its place, and what is wrong with text that is not JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from assess.corpus.decoding import Position, place_in
from assess.errors import InputError, Place

UNFINISHED = "it ends in the middle of a value"
_SPACE = " \t\r\n"  # what JSON takes for white space
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Item:
    """A value of a file, its number there, and the text it was read from."""

    value: object
    number: int | None  # the n-th element of its array or file, from 1
    raw: str
    start: Position
    file: str

    def place(self, key: str | None = None) -> Place:
        """Return the place of the value, or of one of its keys."""
        offset = 0
        if key is not None and (found := re.search(re.escape(json.dumps(key)) + r"\s*:", self.raw)):
            offset = found.start()
        return place_in(self.raw, offset, start=self.start, file=self.file, record=self.number)


class JsonSyntaxError(Exception):
    """Text that is not JSON: what is wrong, and at which offset."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class _ConstantError(Exception):
    """NaN or an infinity, which Python writes and JSON does not have."""


def _refuse(constant: str) -> NoReturn:
    raise _ConstantError(constant)


# Not strict: a raw control character inside a string is kept, since nothing of a caption may be lost.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse)


def decode_value(text: str, offset: int) -> tuple[object, int]:
    """Return the value that begins at `text[offset]` and the offset after it."""
    try:
        return _DECODER.raw_decode(text, offset)
    except json.JSONDecodeError as error:
        raise JsonSyntaxError(_described(error, text), error.pos) from error
    except _ConstantError as error:
        found = (match for match in _STRING_OR_CONSTANT.finditer(text, offset) if match[0][0] != '"')
        raise JsonSyntaxError(f"{error} is not a JSON value; write null", next(found).start()) from error
    except RecursionError as error:
        raise JsonSyntaxError("the value is nested too deeply", offset) from error
    except ValueError as error:  # a whole number of thousands of digits
        raise JsonSyntaxError("a number is too long", offset) from error


def _described(error: json.JSONDecodeError, text: str) -> str:
    character = text[error.pos : error.pos + 1]
    if not character or error.msg.startswith("Unterminated"):
        return UNFINISHED
    if character in "]}":
        return f"something is missing before '{character}' (is there a comma too many?)"
    return error.msg[0].lower() + error.msg[1:]


def _check_end(line: str, end: int) -> None:
    if rest := line[end:].strip(_SPACE):
        raise JsonSyntaxError("there is more after the line's value", line.index(rest, end))


def decode_line(line: str, *, number: int, record: int, file: str) -> Item:
    """Return the one value of a line."""
    offset = len(line) - len(line.lstrip(_SPACE))
    try:
        value, end = decode_value(line, offset)
        _check_end(line, end)
    except JsonSyntaxError as error:
        place = place_in(line, error.offset, start=Position(number), file=file, record=record)
        hint = "each line must be one complete JSON object"
        raise InputError(f"not valid JSON: {error.message}", place=place, hint=hint) from error
    return Item(value, record, line, Position(number), file)


def line_items(lines: Iterator[str], *, file: str, line: int = 1, records: int = 0) -> Iterator[Item]:
    """Yield the value of each line; lines of only white space are passed over.

    `line` is the number of the first line, and `records` the number of values before it.
    """
    record = records
    for number, text in enumerate(lines, start=line):
        if text.strip():
            record += 1
            yield decode_line(text, number=number, record=record, file=file)
