"""Captions as columns of numbers, which hold whole corpora in memory at two bytes per word.

A hundred thousand annotations as objects would take hundreds of megabytes. Therefore words, tags and
relations are stored as codes in flat arrays, and a caption is a view that decodes what is requested. numpy
converts indices to eight bytes each, so operations on all words process them in chunks.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from assess.records import Annotation, Depth

Words = tuple[str, ...]
Codes = NDArray[np.int64]
Column = NDArray[np.integer[Any]]  # of the smallest type that holds its numbers
Number = TypeVar("Number", bound=np.generic)

AT_ONCE = 1 << 18
"""Words to process at once if they are independent: some 20 MB of memory."""

_CAPTIONS_AT_ONCE = 1 << 15
_SMALL = 1 << 16  # how many numbers fit into two bytes


def smallest(numbers: int) -> np.dtype[np.integer[Any]]:
    """Return the smallest type for numbers below `numbers`."""
    return np.dtype(np.uint8 if numbers <= 1 << 8 else np.uint16 if numbers <= _SMALL else np.int32)


def stretches(size: int, at_once: int | None = None) -> Iterator[slice]:
    """Yield the slices in which so many items are processed."""
    at_once = at_once or AT_ONCE
    return (slice(start, min(start + at_once, size)) for start in range(0, size, at_once))


def translated(column: Column, table: NDArray[Number]) -> NDArray[Number]:
    """Return the table's entry for each number of a column."""
    found = np.empty(column.size, dtype=table.dtype)
    for part in stretches(column.size):
        found[part] = table[column[part]]
    return found


def counted(column: Column, numbers: int) -> Codes:
    """Return how often each number occurs in a column."""
    counts = np.zeros(numbers, dtype=np.int64)
    for part in stretches(column.size):
        counts += np.bincount(column[part], minlength=numbers)
    return counts


def starts_of(lengths: NDArray[np.int64] | NDArray[np.bool_]) -> Codes:
    """Return the start offsets of consecutive items with these lengths, and the end of the last one."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def columns_in_order(words: NDArray[Number], starts: Codes, order: Column) -> tuple[NDArray[Number], Codes]:
    """Return the words (or other values) of selected captions in the given order, and their starts."""
    lengths = (starts[1:] - starts[:-1])[order]
    found = starts_of(lengths)
    result = np.empty(int(found[-1]), dtype=words.dtype)
    for part in stretches(len(order), _CAPTIONS_AT_ONCE):
        begin, end = found[part.start], found[part.stop]
        moved = np.repeat(starts[:-1][order[part]] - found[part], lengths[part])
        result[begin:end] = words[moved + np.arange(begin, end)]
    return result, found


def sorted_once(numbers: Codes) -> Codes:
    """Return the distinct numbers, sorted. The argument is sorted in place.

    `np.unique` is several times as slow and takes more memory, since it builds a hash table first.
    """
    numbers.sort()
    return numbers[np.diff(numbers, prepend=-1) != 0] if numbers.size else numbers


def places_of(words: Column, chosen: NDArray[np.bool_]) -> Codes:
    """Return the positions of the selected words."""
    parts = [part.start + np.flatnonzero(chosen[words[part]]) for part in stretches(words.size)]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def last_before(codes: Column) -> Iterator[tuple[int, Codes]]:
    """Yield a position and, for the words from there on, their previous positions, or -1."""
    last = np.full(int(codes.max(initial=0)) + 1, -1, dtype=np.int64)
    for part in stretches(codes.size, AT_ONCE // 4):
        words = codes[part]
        order = np.argsort(words, kind="stable")  # two-byte numbers are sorted in a single pass
        words = words[order]
        new = np.append(True, words[1:] != words[:-1])
        before = np.empty(order.size, dtype=np.int64)
        before[order[~new]] = part.start + order[np.flatnonzero(~new) - 1]
        before[order[new]] = last[words[new]]
        ends = np.append(np.flatnonzero(new)[1:], words.size) - 1
        last[words[ends]] = part.start + order[ends]
        yield part.start, before


class PackedStrings(Sequence[str]):
    """Strings stored consecutively as bytes: a million image ids take 15 MB instead of 64 as objects."""

    def __init__(self, strings: Iterable[str] = ()) -> None:
        self._bytes, self._ends = bytearray(), array("q", [0])
        self.extend(strings)

    def extend(self, strings: Iterable[str]) -> None:
        """Append strings."""
        for string in strings:
            self._bytes += string.encode("utf-8", "surrogatepass")
            self._ends.append(len(self._bytes))

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def lengths(self) -> Codes:
        """The number of bytes in each string."""
        return np.diff(np.asarray(self._ends))

    def eight_bytes(self, start: int) -> NDArray[np.uint64]:
        """Return eight bytes of each string as a number; the order of the numbers is that of the bytes.

        Bytes beyond the end of a string are 0.
        """
        data, ends = np.frombuffer(self._bytes, dtype=np.uint8), np.asarray(self._ends)
        found = np.zeros(len(self), dtype=np.uint64)
        for part in stretches(len(self), AT_ONCE // 8):
            first, last = ends[:-1][part] + start, ends[1:][part]
            for place in range(first.size and min(8, int((last - first).max()))):
                inside = np.flatnonzero(first + place < last)
                byte = data[first[inside] + place].astype(np.uint64)
                found[part][inside] |= byte << np.uint64(56 - 8 * place)
        return found

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        return self._bytes[self._ends[place] : self._ends[place + 1]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        packed, start = self._bytes, 0
        for end in self._ends[1:]:
            yield packed[start:end].decode("utf-8", "surrogatepass")
            start = end


_LONGEST = 128  # maximum number of bytes that are compared as numbers


def numbered(lists: Mapping[str, Iterable[str]]) -> tuple[int, dict[str, NDArray[np.int32]]]:
    """Return the number of distinct strings in several lists, and the rank of each list's strings among them.

    A million image ids in a dictionary take 150 MB; here, their bytes are sorted as numbers.
    """
    packed = {
        name: strings if isinstance(strings, PackedStrings) else PackedStrings(strings)
        for name, strings in lists.items()
    }
    lengths = np.concatenate([np.zeros(0, dtype=np.int64), *(each.lengths for each in packed.values())])
    longest, places = int(lengths.max(initial=0)), np.zeros(lengths.size, dtype=np.int64)
    if longest > _LONGEST:
        return _numbered_by_name(packed)
    for start in range(0, longest, 8):
        column = np.concatenate([each.eight_bytes(start) for each in packed.values()])
        places = _ranked(places, np.unique(column, return_inverse=True)[1])
    places = _ranked(places, lengths)  # needed because a string may end with zero bytes
    ends = np.cumsum([len(each) for each in packed.values()])
    parts = np.split(places.astype(np.int32), ends[:-1])
    return int(places.max(initial=-1)) + 1, dict(zip(packed, parts, strict=bool(packed)))


def _ranked(first: Codes, second: Codes) -> Codes:
    """Return the rank of each pair of numbers among all distinct pairs."""
    base = int(second.max(initial=0)) + 1
    return np.asarray(np.unique(first * base + second, return_inverse=True)[1])


def _numbered_by_name(lists: Mapping[str, Iterable[str]]) -> tuple[int, dict[str, NDArray[np.int32]]]:
    ordered = sorted({string for strings in lists.values() for string in strings})
    place = {string: number for number, string in enumerate(ordered)}
    found = {
        name: np.fromiter(map(place.__getitem__, strings), dtype=np.int32) for name, strings in lists.items()
    }
    return len(ordered), found


class WordColumns(NamedTuple):
    """Captions as columns: the vocabulary, the number of each word, and where each caption starts."""

    vocabulary: Sequence[str]
    words: Column
    starts: Codes  # followed by the end of the last caption


class _CodedStrings(dict[str, int]):
    """A sequence of strings stored as codes, which are assigned in order of first use."""

    def __init__(self) -> None:
        super().__init__()
        self.strings: list[str] = []  # code -> string
        self._codes = array("H")  # changes to "i" when two bytes are not enough

    def __missing__(self, string: str) -> int:
        code = self[string] = len(self.strings)
        self.strings.append(string)
        return code

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.strings, self._codes)

    def extend(self, strings: Iterable[str]) -> int:
        """Append strings, and return how many there are."""
        codes = list(map(self.__getitem__, strings))
        if len(self.strings) > _SMALL and self._codes.typecode == "H":
            self._codes = array("i", self._codes)
        self._codes.fromlist(codes)  # several times as fast as `extend`
        return len(self._codes)

    def decode(self, part: slice) -> Words:
        """Return the strings in a slice."""
        return tuple(map(self.strings.__getitem__, self._codes[part]))

    @property
    def column(self) -> Column:
        """The codes."""
        return np.asarray(self._codes)


def _restored(strings: list[str], codes: array[int]) -> _CodedStrings:
    found = _CodedStrings()
    found.update({string: code for code, string in enumerate(strings)})
    found.strings, found._codes = strings, codes
    return found


class DistinctTexts:
    """Distinct texts, all to the same depth: their words and, if requested, tags and trees.

    Offsets and noun chunks are not kept, because no measure uses them.
    """

    def __init__(self, depth: Depth) -> None:
        self.depth = depth
        self.texts: list[str] = []
        self.numbers: dict[str, int] = {}  # text -> number
        self._words, self._tags, self._deps = _CodedStrings(), _CodedStrings(), _CodedStrings()
        self._heads, self._starts = array("i"), array("q", [0])

    def add(self, text: str, annotation: Annotation | AnnotatedCaption) -> int:
        """Store a text unless it is already stored, and return its number."""
        if text not in self.numbers:
            self.numbers[text] = self.append(annotation)
            self.texts.append(text)
        return self.numbers[text]

    def append(self, annotation: Annotation | AnnotatedCaption) -> int:
        """Store an annotation without its text, and return its number."""
        self._starts.append(self._words.extend(annotation.words))
        if self.depth >= Depth.TAGS:
            self._tags.extend(annotation.tags)
        if self.depth is Depth.TREE:
            self._deps.extend(annotation.deps)
            self._heads.extend(annotation.heads)
        return len(self._starts) - 2

    def columns(self, numbers: Column) -> WordColumns:
        """Return the words of texts as columns."""
        return self._in_order(self._words, numbers)

    def tag_columns(self, numbers: Column) -> WordColumns:
        """Return the tags of texts as columns."""
        return self._in_order(self._tags, numbers)

    def _in_order(self, strings: _CodedStrings, numbers: Column) -> WordColumns:
        starts = np.asarray(self._starts)
        return WordColumns(strings.strings, *columns_in_order(strings.column, starts, numbers))

    def words(self, number: int) -> Words:
        """Return the words of a text."""
        return self._words.decode(self._part(number))

    def tags(self, number: int) -> Words:
        """Return the fine tags of a text's words."""
        return self._tags.decode(self._part(number))

    def deps(self, number: int) -> Words:
        """Return the relations of a text's words to their heads."""
        return self._deps.decode(self._part(number))

    def heads(self, number: int) -> tuple[int, ...]:
        """Return the heads of a text's words, as indices."""
        return tuple(self._heads[self._part(number)])

    def _part(self, number: int) -> slice:
        return slice(self._starts[number], self._starts[number + 1])


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedCaption:
    """A distinct text with its tags and its tree: what measures call a parsed caption."""

    store: DistinctTexts
    number: int

    @property
    def words(self) -> Words:
        """The words, in order."""
        return self.store.words(self.number)

    @property
    def tags(self) -> Words:
        """The fine tag of each word."""
        return self.store.tags(self.number)

    @property
    def heads(self) -> tuple[int, ...]:
        """The index of each word's head; a root is its own head."""
        return self.store.heads(self.number)

    @property
    def deps(self) -> Words:
        """The relation of each word to its head."""
        return self.store.deps(self.number)
