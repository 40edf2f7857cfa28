"""JSON values at their places: from lines of a value each, and from a document that is read piece by piece.

Text that is not JSON is an error that says what is wrong with it, and where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import NoReturn, TypeVar

from assess.corpus.files import Position, decoded, lines, open_stored, place_in, raw_lines
from assess.errors import InputError, Place, visible
from assess.limits import RECORD_SIZE

UNFINISHED = "it ends in the middle of a value"
_SPACE = " \t\r\n"  # what JSON takes for white space
_BLANKS = re.compile(r"[ \t\n\r]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity', re.DOTALL)
# A mistake or a number this near to the end of the buffer may only be the buffer's cut. The longest
# thing that looks wrong when it is cut is the escape of a surrogate pair.
_MARGIN = 16
_MOST_DIGITS = 300
_INFINITE = (float("inf"), -float("inf"))
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Item:
    """A value of a file, its number there, and the text it was read from.

    A record of what is not lines of text, such as an archive or a list in memory, has a number, but no line.
    """

    value: object
    number: int | None  # the n-th element of its array or file, from 1
    file: str
    raw: str = ""
    start: Position | None = None

    def place(self, at: str | int = 0) -> Place:
        """Return the place of the value, of one of its keys, or of an offset in its text."""
        if self.start is None:
            return self.record_place
        if isinstance(at, str):
            found = re.search(re.escape(json.dumps(at)) + r"\s*:", self.raw)
            at = found.start() if found else 0
        return place_in(self.raw, at, start=self.start, file=self.file, record=self.number)

    @property
    def record_place(self) -> Place:
        """The place by line and number alone, which costs nothing to keep."""
        return Place(self.file, line=self.start.line if self.start else None, record=self.number)


def unexpected(wanted: str, value: object, *, place: Place, hint: str | None = None) -> InputError:
    """Return the error for a value that is not what it must be."""
    return InputError(f"{wanted}, not {described(value)}", place=place, hint=hint)


def described(value: object) -> str:
    """Say what a JSON value is."""
    if isinstance(value, list):
        odd = [element for element in value if not isinstance(element, str)]
        return f"a list that contains {described(odd[0])}" if odd else "a list of strings"
    if isinstance(value, dict):
        return f"an object with {listed(value, most=4)}"
    if isinstance(value, str):
        return f"the string '{visible(value, 40)}'" if value else "an empty string"
    names = {None: "null", True: "true", False: "false"}
    return names[value] if value is None or isinstance(value, bool) else f"the number {value}"


def listed(names: Collection[str], *, most: int = 12) -> str:
    """Return names for a message: quoted, and not too many."""
    shown = ", ".join(f"'{visible(name, 40)}'" for name in list(names)[:most])
    return (shown + ", …" if len(names) > most else shown) or "none"


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


def _finite(number: Number, digits: str) -> Number:
    if len(digits) > _MOST_DIGITS or number in _INFINITE:
        raise ValueError
    return number


# Not strict: a raw control character inside a string is kept, since nothing of a caption may be lost.
# Nor are numbers that no floating point number can be: whoever computes with them would fail.
_DECODER = json.JSONDecoder(
    strict=False,
    parse_constant=_refuse,
    parse_int=lambda digits: _finite(int(digits), digits),
    parse_float=lambda digits: _finite(float(digits), digits),
)


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
    except ValueError as error:  # a number beyond floating point, or of thousands of digits
        raise JsonSyntaxError("a number is too large", offset) from error


def _described(error: json.JSONDecodeError, text: str) -> str:
    character = text[error.pos : error.pos + 1]
    if not character or error.msg.startswith("Unterminated"):
        return UNFINISHED
    if character in "]}":
        return f"something is missing before '{character}' (is there an extra comma?)"
    return error.msg[0].lower() + error.msg[1:]


def line_items(lines: Iterable[tuple[int, str]], *, file: str, records: int = 0) -> Iterator[Item]:
    """Yield the value of each numbered line; lines of only white space are passed over.

    `records` is the number of values before the first line.
    """
    for number, line in lines:
        if line.strip():
            records += 1
            try:
                value = _only_value(line)
            except JsonSyntaxError as error:
                place = place_in(line, error.offset, start=Position(number), file=file, record=records)
                hint = "each line must be one complete JSON object"
                raise InputError(f"not valid JSON: {error.message}", place=place, hint=hint) from error
            yield Item(value, records, file, line, Position(number))


def _only_value(line: str) -> object:
    value, end = decode_value(line, len(line) - len(line.lstrip(_SPACE)))
    if rest := line[end:].strip(_SPACE):
        raise JsonSyntaxError("there is extra content after the value of the line", line.index(rest, end))
    return value


class JsonStream:
    """A cursor in a JSON document of any size, with the memory of its largest element and in linear time."""

    def __init__(self, chunks: Iterator[str], *, file: str) -> None:
        self.file = file
        self._chunks = chunks
        self._buffer = ""
        self._offset = 0  # of the cursor, in the buffer
        self._marked = 0  # an offset at or before the cursor, whose line and column are known:
        self._mark = Position()
        self._record: int | None = None  # the number of the element read last, for messages

    def peek(self) -> str:
        """Return the next character that is not white space, or an empty text at the end."""
        while True:
            found = _BLANKS.match(self._buffer, self._offset)
            assert found is not None  # the pattern matches an empty text
            self._offset = found.end()
            if self._offset < len(self._buffer):
                return self._buffer[self._offset]
            if not self._fill():
                return ""

    def item(self, number: int | None = None) -> Item:
        """Read one whole value, with its text and place."""
        self._record = number
        self.peek()
        value, end = self._decode()
        self._move_mark(self._offset)
        raw = self._buffer[self._offset : end]
        self._offset = end
        return Item(value, number, self.file, raw, self._mark)

    def items(self) -> Iterator[Item]:
        """Read an array, element by element."""
        self._take("[")
        if self.peek() == "]":
            self._take("]")
            return
        number = 0
        while number == 0 or self._take(",]") == ",":
            number += 1
            yield self.item(number)

    def members(self) -> Iterator[str]:
        """Read an object, key by key. The caller reads each value before it asks for the next key."""
        self._take("{")
        if self.peek() == "}":
            self._take("}")
            return
        begun = False
        while not begun or self._take(",}") == ",":
            begun = True
            if self.peek() not in ('"', ""):
                raise self._error("expected a key in double quotes", self._offset)
            key = self.item().value
            self._take(":")
            yield str(key)

    def skip(self) -> None:
        """Read one value and forget it; of an array or object, each element on its own."""
        opening = self.peek()
        if opening == "[":
            for _ in self.items():
                pass
        elif opening == "{":
            for _ in self.members():
                self.item()
        else:
            self.item()

    def finish(self) -> None:
        """Check that nothing follows."""
        if self.peek():
            raise self._error("there is extra content after the end of the document", self._offset)

    def _decode(self) -> tuple[object, int]:
        """Return the value at the cursor and the offset after it; read on where the buffer cuts it."""
        while True:
            try:
                value, end = decode_value(self._buffer, self._offset)
            except JsonSyntaxError as error:
                cut = error.message == UNFINISHED or error.offset > len(self._buffer) - _MARGIN
                if not (cut and self._fill()):
                    raise self._error(error.message, error.offset) from error
            else:
                cut = isinstance(value, int | float) and end > len(self._buffer) - _MARGIN
                if not (cut and self._fill()):
                    return value, end

    def _fill(self) -> bool:
        """Read on; at least double what is left over, so that decoding it again costs linear time."""
        left = len(self._buffer) - self._offset
        if left > RECORD_SIZE.most:
            place = place_in("", 0, start=self._mark, file=self.file, record=self._record)
            raise RECORD_SIZE.exceeded("the value is too large", place)
        pieces, size = [], 0
        while size <= left and (chunk := next(self._chunks, None)) is not None:
            pieces.append(chunk)
            size += len(chunk)
        if not pieces:
            return False
        self._move_mark(self._offset)
        self._buffer = self._buffer[self._offset :] + "".join(pieces)
        self._offset = self._marked = 0
        return True

    def _take(self, expected: str) -> str:
        found = self.peek()
        if not found:
            raise self._error(UNFINISHED, self._offset)
        if found not in expected:
            raise self._error(f"expected {' or '.join(map(repr, expected))}", self._offset)
        self._offset += 1
        return found

    def _move_mark(self, offset: int) -> None:
        self._mark = self._mark.after(self._buffer[self._marked : offset])
        self._marked = offset

    def _error(self, message: str, offset: int) -> InputError:
        # The buffer may be large: show the neighbourhood only.
        self._move_mark(max(self._marked, offset - 200))
        nearby = self._buffer[self._marked : offset + 200]
        place = place_in(nearby, offset - self._marked, start=self._mark, file=self.file, record=self._record)
        hint = "the file may be truncated: copy or write it again" if message == UNFINISHED else None
        return InputError(f"not valid JSON: {message}", place=place, hint=hint)


# Lines and JSON objects of the inputs that are not captions: content selection, pre-gen metrics, scores.
#
# The objects of a file stand one per line (JSON Lines), in one array, or in one object keyed by image id. All
# three are streamed.


# A document with one of these at its top is a single record, not a mapping from images to records.
_RECORD_FIELDS = frozenset({"image_id", "captions", "boxes", "descriptions"})


def text_lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a text file, without their ends; blank lines are passed over."""
    with open_stored(path) as stored:
        for number, line in enumerate(
            lines(decoded(stored.chunks(), file=stored.file), file=stored.file), start=1
        ):
            if line.strip():
                yield number, line


def object_items(path: str) -> Iterator[Item]:
    """Yield the JSON objects of a file, each with its place; `-` is standard input."""
    with open_stored(path) as stored:
        text = raw_lines(decoded(stored.chunks(), file=stored.file), file=stored.file)
        for item in _items(text, stored.file):
            if not isinstance(item.value, dict):
                raise unexpected("each record must be a JSON object", item.value, place=item.record_place)
            yield item


def _items(text: Iterator[str], file: str) -> Iterator[Item]:
    opening = _opening_lines(text)
    if not opening:
        raise InputError("the file is empty", place=Place(file))
    whole = chain(opening, text)
    if _is_one_record(opening[-1]):
        return line_items(enumerate(whole, start=1), file=file)
    stream = JsonStream(whole, file=file)
    return stream.items() if stream.peek() == "[" else _members(stream)


def _opening_lines(text: Iterator[str]) -> list[str]:
    """Return the lines up to the first that is not blank; none, where all are."""
    opening: list[str] = []
    for line in text:
        opening.append(line)
        if line.strip():
            return opening
    return []


def _is_one_record(line: str) -> bool:
    """Tell whether a file's first line is a whole record, which makes the file JSON Lines."""
    try:
        value, end = decode_value(line, len(line) - len(line.lstrip()))
    except JsonSyntaxError:
        return False
    if not isinstance(value, dict) or line[end:].strip():
        return False
    return not value or bool(_RECORD_FIELDS & value.keys())


def _members(stream: JsonStream) -> Iterator[Item]:
    """Yield the members of an object as records; one whose keys are a record's fields is one record."""
    fields: dict[str, object] = {}
    last = None
    for number, key in enumerate(stream.members(), start=1):
        last = stream.item(number)
        if key in _RECORD_FIELDS or fields:
            fields[key] = last.value
        else:
            yield replace(last, value=_keyed(key, last.value))
    stream.finish()
    if fields and last is not None:
        yield replace(last, value=fields, number=1)


def _keyed(image: str, value: object) -> object:
    """Turn `image: value` into a record; a bare list stands for the image's boxes."""
    if isinstance(value, list):
        return {"image_id": image, "boxes": value}
    return {"image_id": image, **value} if isinstance(value, dict) else value
