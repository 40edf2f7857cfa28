"""The immutable records that pass between stages. This module imports nothing of ours.

Records that a caption has many of are named tuples, which are created three times as fast as frozen
dataclasses.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, NamedTuple

Role = Literal["head", "modifier"]
Position = Literal["chunk", "after"]
Why = Literal["no-head", "unknown-word", "no-rule"]


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """A range in a caption that its source marked as an entity (Flickr30k Entities)."""

    start: int  # character offsets in the caption's text
    end: int
    entity: str
    types: tuple[str, ...]


class Caption(NamedTuple):
    """A description of an image by a system."""

    system: str
    image: str  # ids are compared as text, so that 42 in one file matches "42" in another
    text: str
    record: int  # number of the caption in its source, from 1
    gold: tuple[GoldSpan, ...] = ()


class Chunk(NamedTuple):
    """A noun phrase as the annotator found it, by character offsets in the caption's text."""

    start: int
    end: int


class Depth(IntEnum):
    """How deeply a text is annotated. Each depth includes the previous ones and costs more."""

    NOTHING = 0
    WORDS = 1
    TAGS = 2  # words, and the part of speech of each
    TREE = 3  # also relations and noun chunks


class Annotation(NamedTuple):
    """The annotation of one distinct text, to some depth; fields beyond that depth are empty."""

    words: tuple[str, ...]
    offsets: tuple[int, ...]  # of the first character of each word
    tags: tuple[str, ...]  # fine-grained part-of-speech tags
    chunks: tuple[Chunk, ...]
    heads: tuple[int, ...] = ()  # index of each word's syntactic head; a root is its own head
    deps: tuple[str, ...] = ()  # each word's relation to its head

    def up_to(self, depth: Depth) -> Annotation:
        """Return the annotation without anything beyond this depth."""
        if depth is Depth.TREE or not self.words:
            return self
        if depth is Depth.TAGS:
            return Annotation(self.words, self.offsets, self.tags, ())
        return Annotation(self.words if depth else (), (), (), ())


class Span(NamedTuple):
    """A category and its tokens in a chunk. `start` and `end` are indices of our own tokeniser's tokens."""

    start: int
    end: int
    text: str
    category: str
    role: Role
    position: Position = "chunk"  # "after": an attribute that follows the noun


class Reading(NamedTuple):
    """One way to understand a chunk."""

    heads: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()


class Analysis(NamedTuple):
    """All readings of one chunk together.

    `heads`, `modifiers` and `spans` are the union over all readings. An analysis that is in the domain but
    has no categories is *uncovered*; `why` states what was missing.
    """

    text: str
    tokens: tuple[str, ...] = ()
    in_domain: bool = False
    heads: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    best: Reading = Reading()
    unknown: tuple[str, ...] = ()
    why: Why | None = None
    pronouns: tuple[str, ...] = ()  # pronouns that refer to it and add information

    @property
    def covered(self) -> bool:
        """Whether any category was found; an uncovered label still counts as a label."""
        return bool(self.heads or self.modifiers or self.pronouns)


class PersonInCaption(NamedTuple):
    """A person or group in a caption, for users who want to see how it was understood."""

    mentions: tuple[str, ...]  # as written, in order
    analysis: Analysis  # of the first mention with all statements about the person
    groups: tuple[tuple[str, str, str], ...]  # name, value, and the words that state it
    hedged: tuple[str, ...]  # statements that are only possible
    unread: tuple[str, ...]  # statements that were not understood


class Mention(NamedTuple):
    """A label at its place: the row behind every count."""

    system: str
    image: str
    caption: int  # record number of the caption
    start: int  # character offsets in the caption's text
    end: int
    text: str  # all statements about its person: the key of the analysis
    person: int = 0  # mentions in a caption with the same number are the same person or group
    repeats: bool = False  # the person was mentioned before, and is counted there
    pronoun: bool = False
    unread: tuple[str, ...] = ()  # statements about it that were not understood
    places: tuple[tuple[int, int], ...] = ()  # the ranges of its statements after the noun
