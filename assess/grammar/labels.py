"""Finding a domain's labels in an annotated caption."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assess.grammar.after import SEPARATOR, AfterReader
from assess.grammar.attributes import Attributes
from assess.grammar.parser import Parser
from assess.records import Analysis, Annotation, Chunk


class Found(NamedTuple):
    """A chunk and the text that its analysis is kept under."""

    start: int  # character offsets in the caption
    end: int
    key: str


@lru_cache(maxsize=1 << 16)  # chunks repeat, within a system and between systems
def label_key(text: str) -> str:
    """Return a chunk's text in the form under which equal chunks are counted together."""
    # The sign between a chunk and its attributes must not come from a caption.
    return " ".join(text.lower().replace(SEPARATOR.strip(), " ").split())


def find_chunks(text: str, chunks: Sequence[Chunk], parser: Parser, *, join_of: bool) -> Iterator[Found]:
    """Yield a caption's chunks; with `join_of`, "a group" + "of" + "young men" is one.

    spaCy ends a noun chunk at "of". What the first half says ("a large group of") would be lost, and
    "a group of zebras" would pass for a group of people.
    """
    position = 0
    while position < len(chunks):
        last = position
        while join_of and last + 1 < len(chunks) and _joins(text, chunks[last], chunks[last + 1], parser):
            last += 1
        start, end = chunks[position].start, chunks[last].end
        key = label_key(text[start:end])
        if last > position and parser.analyse(key).in_domain and not parser.analyse(key).covered:
            # The grammar cannot read the whole: what follows the "of" may still be read by itself.
            start, key = chunks[last].start, label_key(text[chunks[last].start : end])
        yield Found(start, end, key)
        position = last + 1


def _joins(text: str, left: Chunk, right: Chunk, parser: Parser) -> bool:
    between = text[left.end : right.start]
    return between.strip().lower() == "of" and parser.opens_of_phrase(text[left.start : left.end])


class LabelFinder:
    """Finds the chunks of annotated texts, and analyses those that are labels."""

    def __init__(self, parser: Parser, *, join_of: bool = True, after: bool = True) -> None:
        self.parser = parser
        self._join_of = join_of
        self._after = AfterReader(parser) if after else None

    @property
    def identity(self) -> str:
        """What the labels of a text depend on, besides the text and its annotation."""
        return f"{self.parser.grammar.taxonomy.identity} {self._join_of} {self._after is not None}"

    def find(self, text: str, annotation: Annotation) -> tuple[Found, ...]:
        """Return a text's chunks, those in the domain with their attributes after the noun."""
        found = tuple(find_chunks(text, annotation.chunks, self.parser, join_of=self._join_of))
        if self._after is None or not any(self.parser.analyse(chunk.key).in_domain for chunk in found):
            return found
        attributes = Attributes(annotation)
        return tuple([self._extended(chunk, attributes, self._after) for chunk in found])

    def _extended(self, found: Found, attributes: Attributes, reader: AfterReader) -> Found:
        if not self.parser.analyse(found.key).in_domain:
            return found
        phrases = attributes.of(Chunk(found.start, found.end))
        return Found(found.start, found.end, reader.extend(found.key, phrases)) if phrases else found

    def analyse(self, key: str) -> Analysis:
        """Return the analysis of a label by its text."""
        return self._after.analyse(key) if self._after is not None else self.parser.analyse(key)
