"""A JSON document read piece by piece, in linear time and with the memory of its largest element."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assess.corpus.decoding import Position, place_in
from assess.corpus.json_values import UNFINISHED, Item, JsonSyntaxError, decode_value
from assess.errors import InputError

_SPACE = re.compile(r"[ \t\n\r]*")
# A mistake or a number this near to the end of the buffer may only be the buffer's cut. The longest
# thing that looks wrong when it is cut is the escape of a surrogate pair.
_MARGIN = 16


class JsonStream:
    """A cursor in a JSON document of any size."""

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
            found = _SPACE.match(self._buffer, self._offset)
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
        return Item(value, number, raw, self._mark, self.file)

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
                raise self._error("a key in double quotes is expected here", self._offset)
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
            raise self._error("there is more after the end of the document", self._offset)

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
            raise self._error(f"{' or '.join(map(repr, expected))} is expected here", self._offset)
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
        hint = "the file may be cut off: copy or write it again" if message == UNFINISHED else None
        return InputError(f"not valid JSON: {message}", place=place, hint=hint)
