"""The records that travel from stage to stage. None can be changed; they import nothing of ours.

Those of which a caption has many are tuples, which are made three times as fast as frozen dataclasses.
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
    """A stretch of a caption that its source marked as an entity (Flickr30k Entities)."""

    start: int  # character offsets in the caption's text
    end: int
    entity: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Caption:
    """One description of one image by one system."""

    system: str
    image: str  # ids are compared as text, so that 42 in one file pairs with "42" in another
    text: str
    record: int  # the n-th caption of its source, from 1
    gold: tuple[GoldSpan, ...] = ()


class Chunk(NamedTuple):
    """A noun phrase as the annotator found it, by character offsets in the caption's text."""

    start: int
    end: int


class Depth(IntEnum):
    """How much of a text is worked out. Each depth has what those before it have, and costs more."""

    NOTHING = 0
    WORDS = 1
    TAGS = 2  # words, and the part of speech of each
    TREE = 3  # relations and noun chunks too


class Annotation(NamedTuple):
    """What the annotator says about one distinct text, down to some depth; what is deeper is empty."""

    words: tuple[str, ...]
    offsets: tuple[int, ...]  # of each word's first character
    tags: tuple[str, ...]  # fine-grained part-of-speech tags
    chunks: tuple[Chunk, ...]
    heads: tuple[int, ...] = ()  # index of each word's syntactic head; a root is its own head
    deps: tuple[str, ...] = ()  # each word's relation to its head

    def up_to(self, depth: Depth) -> Annotation:
        """Return the annotation without what is deeper."""
        if depth is Depth.TREE or not self.words:
            return self
        if depth is Depth.TAGS:
            return Annotation(self.words, self.offsets, self.tags, ())
        return Annotation(self.words if depth else (), (), (), ())


class Span(NamedTuple):
    """A category at its tokens in a chunk. `start` and `end` count the tokens of our own tokeniser."""

    start: int
    end: int
    text: str
    category: str
    role: Role
    position: Position = "chunk"  # "after": an attribute that follows the noun


class Reading(NamedTuple):
    """One chosen way to understand a chunk."""

    heads: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()


class Analysis(NamedTuple):
    """All readings of one chunk at once.

    `heads`, `modifiers` and `spans` are the union over all readings. An analysis that is in the
    domain but has no categories is *uncovered*; `why` says what was missing.
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
    pronouns: tuple[str, ...] = ()  # that refer to it, as far as they tell something

    @property
    def covered(self) -> bool:
        """Whether any category was found; a label that is not covered still counts as a label."""
        return bool(self.heads or self.modifiers or self.pronouns)


class PersonInCaption(NamedTuple):
    """A person or group of a caption, for somebody who wants to see how it was read."""

    mentions: tuple[str, ...]  # as they are written, in order
    analysis: Analysis  # of the first mention with all that is said of the person
    groups: tuple[tuple[str, str, str], ...]  # name, value, and which words tell it
    hedged: tuple[str, ...]  # what is said as possible only
    unread: tuple[str, ...]  # what is said and was not understood


@dataclass(frozen=True, slots=True)
class Mention:
    """A label at its place: the row that every count and every drill-down comes from."""

    system: str
    image: str
    caption: int  # the caption's record number
    start: int  # character offsets in the caption's text
    end: int
    text: str  # what is said of its person, key of the analysis
    person: int = 0  # mentions of one caption with the same number are the same person or group
    repeats: bool = False  # the person was mentioned before, and is counted there
    pronoun: bool = False
    unread: tuple[str, ...] = ()  # what is said of it and was not understood
    places: tuple[tuple[int, int], ...] = ()  # where what is said after the noun stands, part by part
