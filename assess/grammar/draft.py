"""An annotation while it is being put right: tags, relations and noun chunks can be changed."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from functools import cached_property

from assess.records import Annotation, Chunk

IN_PHRASE = frozenset({"advmod", "amod", "compound", "det", "nmod", "nummod", "poss", "predet", "punct"})
"""How the words before a noun hang on it, or on one another."""
_OUTSIDE = -1
_LONGEST = 12
"""Words to look back over within a noun phrase; none of a caption is longer."""


class Draft:
    """The words of an annotation, with all that may be changed about them."""

    def __init__(self, annotation: Annotation) -> None:
        self._old = annotation
        self.words = tuple([word.lower() for word in annotation.words])
        self.tags = list(annotation.tags)
        self.heads = list(annotation.heads)
        self.deps = list(annotation.deps)
        self._changed = False
        self._chunks = len(annotation.chunks)  # numbers of chunks given so far

    @cached_property
    def _chunk_of(self) -> list[int]:
        """Which chunk each word is in."""
        found = [_OUTSIDE] * len(self.words)
        for number, chunk in enumerate(self._old.chunks):
            first = bisect_left(self._old.offsets, chunk.start)
            for index in range(first, bisect_left(self._old.offsets, chunk.end)):
                found[index] = number
        return found

    @cached_property
    def _dependents(self) -> dict[int, list[int]]:
        """The dependents of each word, as the parser had them."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for index, head in enumerate(self._old.heads):
            if head != index:
                found[head].append(index)
        return found

    def children(self, index: int, *relations: str) -> list[int]:
        """Return the words that the parser hung on a word and that still hang there, by these relations."""
        return [
            child
            for child in self._dependents.get(index, ())
            if self.heads[child] == index and (not relations or self.deps[child] in relations)
        ]

    def in_chunk(self, index: int) -> bool:
        """Whether a word is part of a noun chunk."""
        if self._changed:
            return self._chunk_of[index] != _OUTSIDE
        # Most texts are right as they are, and need no list of their words' chunks.
        at = self._old.offsets[index]
        place = bisect_right(self._old.chunks, (at, sys.maxsize)) - 1
        return place >= 0 and at < self._old.chunks[place].end

    def tag(self, index: int, tag: str) -> None:
        """Call a word something else."""
        self.tags[index] = tag
        self._changed = True

    def hang(self, index: int, head: int, relation: str) -> None:
        """Hang a word on another; on itself, it is a root."""
        self.heads[index], self.deps[index] = head, relation
        self._changed = True

    def replace(self, old: int, new: int) -> None:
        """Let one word stand where another one stood in the tree."""
        head = self.heads[old]
        relation = "pobj" if self.deps[old] == "pcomp" else self.deps[old]
        self.hang(new, new if head == old else head, relation)

    def cut(self, index: int) -> None:
        """Take a word out of its chunk; what follows it there is a chunk of its own."""
        number = self._chunk_of[index]
        if number == _OUTSIDE:
            return
        self._chunk_of[index] = _OUTSIDE
        self._renumber(index + 1, number)

    def _renumber(self, index: int, number: int) -> None:
        """Give what is left of a chunk from here a number of its own."""
        while index < len(self.words) and self._chunk_of[index] == number:
            self._chunk_of[index] = self._chunks
            index += 1
        self._chunks += 1
        self._changed = True

    def make_phrase(self, noun: int) -> None:
        """Make a chunk of a noun and the words before it that hang on it."""
        first = noun
        while (
            first
            and noun - first < _LONGEST
            and first <= self.heads[first - 1] <= noun
            and self.deps[first - 1] in IN_PHRASE
        ):
            first -= 1
        while self.deps[first] == "punct":
            first += 1
        self._renumber(noun + 1, self._chunk_of[noun] if self.in_chunk(noun) else -2)
        for index in range(first, noun + 1):
            self._chunk_of[index] = self._chunks
        self._chunks += 1
        self._changed = True

    def result(self) -> Annotation:
        """Return the annotation with all changes; the same one where there are none."""
        if not self._changed:
            return self._old
        return self._old._replace(
            tags=tuple(self.tags), heads=tuple(self.heads), deps=tuple(self.deps), chunks=self._runs()
        )

    def _runs(self) -> tuple[Chunk, ...]:
        words, offsets = self._old.words, self._old.offsets
        found: list[Chunk] = []
        last = _OUTSIDE
        for index, number in enumerate(self._chunk_of):
            if number != _OUTSIDE:
                start = found.pop().start if number == last else offsets[index]
                found.append(Chunk(start, offsets[index] + len(words[index])))
            last = number
        return tuple(found)
