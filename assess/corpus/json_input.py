"""JSON values with their locations, read from JSON Lines or piece by piece from a document.

For invalid JSON, errors state what is wrong and where.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import NamedTuple, NoReturn

from assess.corpus.files import Position, decoded, filled_lines, open_stored, place_in, raw_lines
from assess.errors import InputError, Place, visible
from assess.limits import RECORD_SIZE

UNFINISHED = "it ends in the middle of a value"
_SPACE = " \t\r\n"  # what JSON considers white space
_BLANKS = re.compile(r"[ \t\n\r]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity', re.DOTALL)
# A mistake or number this close to the end of the buffer may be caused by the end of the buffer. The longest
# sequence that looks invalid when truncated is the escape of a surrogate pair.
_MARGIN = 16
_MOST_DIGITS = 300
_INFINITE = (float("inf"), -float("inf"))


class Item(NamedTuple):
    """A value from a file, with its number and source text.

    A record that does not come from lines of text, such as one from an archive or a list in memory, has no
    line.
    """

    value: object
    number: int | None  # position in its array or file, from 1
    file: str
    raw: str = ""
    begin: Position | None = None  # where the text in `before` begins
    before: tuple[str, int] = ("", 0)  # a text, and how many of its characters precede `raw`

    @property
    def start(self) -> Position | None:
        """Where `raw` begins: worked out only when asked for, as lines have to be counted."""
        text, characters = self.before
        return self.begin.after(text[:characters]) if self.begin and characters else self.begin

    def place(self, at: str | int = 0) -> Place:
        """Return the place of the value, of one of its keys, or of an offset in its text."""
        start = self.start
        if start is None:
            return self.record_place
        if isinstance(at, str):
            found = re.search(re.escape(json.dumps(at)) + r"\s*:", self.raw)
            at = found.start() if found else 0
        return place_in(self.raw, at, start=start, file=self.file, record=self.number)

    @property
    def record_place(self) -> Place:
        """The place by line and number only."""
        start = self.start
        return Place(self.file, line=start.line if start else None, record=self.number)


def unexpected(wanted: str, value: object, *, place: Place, hint: str | None = None) -> InputError:
    """Return the error for a value of the wrong kind."""
    return InputError(f"{wanted}, not {described(value)}", place=place, hint=hint)


def described(value: object) -> str:
    """Describe a JSON value for a message."""
    if isinstance(value, list):
        odd = [element for element in value if not isinstance(element, str)]
        return f"a list that contains {described(odd[0])}" if odd else "a list of strings"
    if isinstance(value, dict):
        return f"an object with {listed(value, most=4)}"
    if isinstance(value, str):
        return f"the string '{visible(value, 40)}'" if value else "an empty string"
    names = {None: "null", True: "true", False: "false"}
    return names[value] if value is None or isinstance(value, bool) else _written(value)


def _written(value: object) -> str:
    # Tables also have values that JSON lacks, such as times and bytes.
    kind = "number" if isinstance(value, int | float) else "value"
    return f"the {kind} {visible(written(value, str), 40)}"


def written(value: object, form: Callable[[object], str] = repr) -> str:
    """Return a value for a message, as Python writes it, unless it has more than 4,300 digits."""
    try:
        return form(value)
    except ValueError:
        return "with too many digits"


def listed(names: Collection[str], *, most: int = 12) -> str:
    """Return a list of quoted names for a message, shortened if there are many."""
    shown = ", ".join(f"'{visible(name, 40)}'" for name in list(names)[:most])
    return (shown + ", …" if len(names) > most else shown) or "none"


class JsonSyntaxError(Exception):
    """Invalid JSON: what is wrong, and at which offset."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class _ConstantError(Exception):
    """NaN or an infinity, which Python writes but JSON does not allow."""


def _refuse(constant: str) -> NoReturn:
    raise _ConstantError(constant)


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if len(digits) > _MOST_DIGITS or number in _INFINITE:
        raise ValueError
    return number


# Not strict: raw control characters inside strings are kept, because captions must not lose anything. Numbers
# that do not fit into a float are refused, because later computations would fail.
_DECODER = json.JSONDecoder(
    strict=False,
    parse_constant=_refuse,
    parse_int=_whole,
    parse_float=_finite,
)


def decode_value(text: str, offset: int) -> tuple[object, int]:
    """Return the value that begins at `text[offset]`, and the offset after it."""
    try:
        return _DECODER.raw_decode(text, offset)
    except json.JSONDecodeError as error:
        raise JsonSyntaxError(_described(error, text), error.pos) from error
    except _ConstantError as error:
        found = (match for match in _STRING_OR_CONSTANT.finditer(text, offset) if match[0][0] != '"')
        raise JsonSyntaxError(f"{error} is not a JSON value; write null", next(found).start()) from error
    except RecursionError as error:
        raise JsonSyntaxError("the value is nested too deeply", offset) from error
    except ValueError as error:  # a number that does not fit into a float, or has thousands of digits
        raise JsonSyntaxError("a number is too large", offset) from error


def _described(error: json.JSONDecodeError, text: str) -> str:
    character = text[error.pos : error.pos + 1]
    if not character or error.msg.startswith("Unterminated"):
        return UNFINISHED
    if character in "]}":
        return f"something is missing before '{character}' (is there an extra comma?)"
    return error.msg[0].lower() + error.msg[1:]


def line_items(lines: Iterable[tuple[int, str]], *, file: str, records: int = 0) -> Iterator[Item]:
    """Yield the value of each numbered line, without lines of white space.

    `records` is the number of values before the first line.
    """
    for number, line in lines:
        if line.strip():
            records += 1
            try:
                value = _single_value(line)
            except JsonSyntaxError as error:
                place = place_in(line, error.offset, start=Position(number), file=file, record=records)
                hint = "each line must be one complete JSON object"
                raise InputError(f"not valid JSON: {error.message}", place=place, hint=hint) from error
            yield Item(value, records, file, line, Position(number))


def _single_value(line: str) -> object:
    value, end = decode_value(line, len(line) - len(line.lstrip(_SPACE)))
    if rest := line[end:].strip(_SPACE):
        raise JsonSyntaxError("there is extra content after the value of the line", line.index(rest, end))
    return value


class JsonStream:
    """A cursor in a JSON document of any size. Needs memory for the largest element, and linear time."""

    def __init__(self, chunks: Iterator[str], *, file: str) -> None:
        self.file = file
        self._chunks = chunks
        self._buffer = ""
        self._offset = 0  # offset of the cursor in the buffer
        self._mark = Position()  # where the buffer begins
        self._record: int | None = None  # number of the element read last, for messages

    def peek(self) -> str:
        """Return the next character that is not white space, or an empty string at the end."""
        if self._offset < len(self._buffer) and (character := self._buffer[self._offset]) not in _SPACE:
            return character
        while True:
            found = _BLANKS.match(self._buffer, self._offset)
            assert found is not None  # the pattern matches an empty string
            self._offset = found.end()
            if self._offset < len(self._buffer):
                return self._buffer[self._offset]
            if not self._fill():
                return ""

    def item(self, number: int | None = None) -> Item:
        """Read a whole value, with its text and place."""
        self._record = number
        self.peek()
        value, end = self._decode()
        buffer, start = self._buffer, self._offset
        self._offset = end
        return Item(value, number, self.file, buffer[start:end], self._mark, (buffer, start))

    def items(self) -> Iterator[Item]:
        """Read an array element by element."""
        self._take("[")
        if self.peek() == "]":
            self._take("]")
            return
        number = 0
        while number == 0 or self._take(",]") == ",":
            number += 1
            yield self.item(number)

    def members(self) -> Iterator[str]:
        """Read an object key by key. The caller must read each value before asking for the next key."""
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
        """Skip one value. Arrays and objects are skipped element by element."""
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
        """Check that nothing follows the document."""
        if self.peek():
            raise self._error("there is extra content after the end of the document", self._offset)

    def _decode(self) -> tuple[object, int]:
        """Return the value at the cursor and the offset after it, reading more text if it is cut off."""
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
        """Read at least as much text as is left over, so that repeated decoding takes linear time."""
        left = len(self._buffer) - self._offset
        if left > RECORD_SIZE.most:
            place = place_in("", 0, start=self._position(self._offset), file=self.file, record=self._record)
            raise RECORD_SIZE.exceeded("the value is too large", place)
        pieces, size = [], 0
        while size <= left and (chunk := next(self._chunks, None)) is not None:
            pieces.append(chunk)
            size += len(chunk)
        if not pieces:
            return False
        self._mark = self._position(self._offset)
        self._buffer = self._buffer[self._offset :] + "".join(pieces)
        self._offset = 0
        return True

    def _take(self, expected: str) -> str:
        found = self.peek()
        if not found:
            raise self._error(UNFINISHED, self._offset)
        if found not in expected:
            raise self._error(f"expected {' or '.join(map(repr, expected))}", self._offset)
        self._offset += 1
        return found

    def _position(self, offset: int) -> Position:
        return self._mark.after(self._buffer[:offset])

    def _error(self, message: str, offset: int) -> InputError:
        # The buffer may be large, so only the text around the error is passed on.
        begin = max(0, offset - 200)
        nearby, start = self._buffer[begin : offset + 200], self._position(begin)
        place = place_in(nearby, offset - begin, start=start, file=self.file, record=self._record)
        hint = "the file may be truncated: copy or write it again" if message == UNFINISHED else None
        return InputError(f"not valid JSON: {message}", place=place, hint=hint)


# Lines and JSON objects of the other inputs: content selection, pre-gen metrics, scores.
#
# The objects of a file are on one line each (JSON Lines), in one array, or in one object keyed by image id.
# All three are streamed.


# A document with one of these keys is a single record, not a mapping from images to records.
_RECORD_FIELDS = frozenset({"image_id", "captions", "boxes", "descriptions"})


def text_lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines of a text file, numbered and without their endings."""
    with open_stored(path) as stored:
        yield from filled_lines(decoded(stored.chunks(), file=stored.file), file=stored.file)


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
    """Return the lines up to and including the first non-blank one; empty if there is none."""
    opening: list[str] = []
    for line in text:
        opening.append(line)
        if line.strip():
            return opening
    return []


def _is_one_record(line: str) -> bool:
    """Whether a file's first line is a complete record, which makes the file JSON Lines."""
    try:
        value, end = decode_value(line, len(line) - len(line.lstrip()))
    except JsonSyntaxError:
        return False
    if not isinstance(value, dict) or line[end:].strip():
        return False
    return not value or bool(_RECORD_FIELDS & value.keys())


def _members(stream: JsonStream) -> Iterator[Item]:
    """Yield the members of an object as records, or the object itself if its keys are those of a record."""
    fields: dict[str, object] = {}
    last = None
    for number, key in enumerate(stream.members(), start=1):
        last = stream.item(number)
        if key in _RECORD_FIELDS or fields:
            fields[key] = last.value
        else:
            yield last._replace(value=_keyed(key, last.value))
    stream.finish()
    if fields and last is not None:
        yield last._replace(value=fields, number=1)


def _keyed(image: str, value: object) -> object:
    """Turn `image: value` into a record; a bare list is the image's boxes."""
    if isinstance(value, list):
        return {"image_id": image, "boxes": value}
    return {"image_id": image, **value} if isinstance(value, dict) else value
