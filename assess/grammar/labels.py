"""Finding a domain's labels in an annotated caption: whom it speaks of, and all that it says of them.

A man with a beard, a boy who is wearing a red shirt, the girl ... She smiles.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assess.grammar.captions import CaptionPeople, LabelFacts, Located, PersonReading, Unit
from assess.grammar.parser import Parser
from assess.grammar.repairs import repaired
from assess.grammar.statements import SEPARATOR, StatementReader
from assess.grammar.tree import OTHERS
from assess.records import Analysis, Annotation, Chunk, PersonInCaption
from assess.taxonomy.words import NUMBER


class Found(NamedTuple):
    """A chunk, or a pronoun, and the text that its analysis is kept under."""

    start: int  # character offsets in the caption
    end: int
    key: str
    person: int = 0  # the number of its person within the caption, from 1; 0 for chunks outside the domain
    repeats: bool = False  # another mention of the person: shown, and not counted again
    pronoun: bool = False  # she, or a word for somebody else: one, another
    chunk: bool = True  # a noun chunk of the text; not "his" in "his hat"
    unread: tuple[str, ...] = ()  # what is said of it and was not understood
    hedged: tuple[str, ...] = ()  # what is said of it as possible only
    places: tuple[tuple[int, int], ...] = ()  # where the parts of its text stand that follow the first


class TextLabels(NamedTuple):
    """How many chunks a text has, and the labels of the domain among them."""

    chunks: int
    labels: tuple[Found, ...]  # those that are counted
    repeated: tuple[Found, ...]  # further mentions of the same people


@lru_cache(maxsize=1 << 16)  # chunks repeat, within a system and between systems
def label_key(text: str) -> str:
    """Return a chunk's text in the form under which equal chunks are counted together."""
    # The sign between a chunk and its attributes must not come from a caption.
    return " ".join(text.lower().replace(SEPARATOR.strip(), " ").split())


def find_chunks(
    text: str, chunks: tuple[Chunk, ...], parser: Parser, *, join_of: bool, apart: Collection[Chunk] = ()
) -> Iterator[Located]:
    """Yield a caption's chunks; with `join_of`, "a group" + "of" + "young men" is one, unless it is apart.

    spaCy ends a noun chunk at "of". What the first half says ("a large group of") would be lost, and
    "a group of zebras" would pass for a group of people.
    """
    position = 0
    while position < len(chunks):
        last = position
        while join_of and last + 1 < len(chunks) and _joins(text, chunks, position, last, parser):
            if chunks[last] in apart:
                break
            last += 1
        parts = chunks[position : last + 1]
        key = label_key(text[parts[0].start : parts[-1].end])
        if last > position and not parser.analyse(key).covered:
            # The grammar cannot read the whole: what follows the "of" may still be read by itself, or what
            # stands before it where a number follows (a family of four).
            only = parts[-1:] if parser.analyse(key).in_domain else parts[:1]
            if only == parts[-1:] or _NUMBER.fullmatch(label_key(text[parts[-1].start : parts[-1].end])):
                parts = only
                key = label_key(text[parts[0].start : parts[-1].end])
        yield Located(parts[0].start, parts[-1].end, key, parts)
        position = last + 1


_NUMBER = re.compile(NUMBER)
_HYPHENS = re.compile(r"-(?:\w+-)+")
LISTING = frozenset({",", "and", ", and"})
"""What joins chunks of a list; by itself it joins nothing, only after an of-phrase has begun one."""
_JOINTS = LISTING | {"of", "up of", "-up of", "- up of"}
_JOINED_LATER = re.compile(r" ?(?:, \w+ ?)*,? and \w")


@lru_cache(maxsize=1 << 12)  # few things stand between chunks, again and again
def joint_between(between: str) -> str:
    """Return what may join two chunks in some taxonomy: "of", what joins a list, hyphens; or nothing."""
    joining = between.strip().lower()
    if _HYPHENS.fullmatch(between):
        return "-"
    return "" if joining not in _JOINTS else joining if joining in LISTING else "of"


def _joins(text: str, chunks: Sequence[Chunk], first: int, last: int, parser: Parser) -> bool:
    left, right = chunks[last], chunks[last + 1]
    between = joint_between(text[left.end : right.start])
    if not between:
        return False
    if between == "-":
        return True  # a left-of-center voter
    if between == "of":
        opening = text[left.start : right.start].strip()[: -len("of")]
        return parser.opens_of_phrase(opening) or parser.excludes_of(opening, text[right.start : right.end])
    # "A group of men, women and children" is one group.
    if last == first or " " in text[right.start : right.end].strip():
        return False
    return between != "," or _JOINED_LATER.match(text, right.end) is not None


class LabelFinder:
    """Finds the chunks of annotated texts, and analyses those that are labels."""

    def __init__(
        self, parser: Parser, *, join_of: bool = True, after: bool = True, unit: Unit = "person"
    ) -> None:
        self.parser = parser
        self._join_of = join_of
        self._after = after
        self._unit: Unit = unit if after else "mention"
        self._reader = StatementReader(parser)
        self._facts = LabelFacts(parser)
        heads = head_words(parser)
        self._nouns = frozenset([word for word in heads if word.isalpha()])
        self._signs = HeadSigns(parser, heads, self._reader.pronouns if self._unit == "person" else ())

    def analyse(self, key: str) -> Analysis:
        """Return the analysis of a label by its text."""
        return self._reader.analyse(key)

    def find(self, text: str, annotation: Annotation) -> tuple[Found, ...]:
        """Return a text's chunks, those in the domain with all that is said of them, and their pronouns."""
        chunks, found = self._find(text, annotation)
        taken = {label[:2] for label in found}
        outside = [Found(*chunk[:3]) for chunk in chunks if chunk[:2] not in taken]
        return tuple(sorted([*found, *outside]) if found else outside)

    def labels(self, text: str, annotation: Annotation) -> TextLabels:
        """Return the same without the chunks that are outside the domain."""
        chunks, found = self._find(text, annotation)
        if not found:
            return TextLabels(len(chunks), (), ())
        found.sort()
        counted = tuple([label for label in found if not label.repeats])
        return TextLabels(len(chunks), counted, tuple([label for label in found if label.repeats]))

    def _find(self, text: str, annotation: Annotation) -> tuple[list[Located], list[Found]]:
        if not self._signs.may_be_in(text):
            return list(find_chunks(text, annotation.chunks, self.parser, join_of=self._join_of)), []
        if self._after:
            annotation = repaired(annotation, self._nouns, self._reader.reads)
        chunks = list(self._chunks(text, annotation))
        people = self._people(annotation, chunks)
        if not people:
            return chunks, []
        spans = {chunk[:2] for chunk in chunks}
        return chunks, [
            label for number, person in enumerate(people, start=1) for label in _found(person, number, spans)
        ]

    def people(self, text: str, annotation: Annotation) -> list[PersonReading]:
        """Return the people of a text, with every mention and all that is said of them at its place."""
        if self._after:
            annotation = repaired(annotation, self._nouns, self._reader.reads)
        return self._people(annotation, self._chunks(text, annotation))

    def _chunks(self, text: str, annotation: Annotation) -> Iterator[Located]:
        apart = _pictures_taken(annotation) if self._unit == "person" else ()
        return find_chunks(text, annotation.chunks, self.parser, join_of=self._join_of, apart=apart)

    def describe(self, text: str, annotation: Annotation) -> list[PersonInCaption]:
        """Return the people of a text as they were read, for a reader."""
        return [
            PersonInCaption(
                tuple(text[mention.start : mention.end] for mention in person.mentions),
                self.analyse(person.key),
                self._facts.told(self.analyse(person.key)),
                person.hedged,
                person.unread,
            )
            for person in self.people(text, annotation)
        ]

    def _people(self, annotation: Annotation, chunks: Iterable[Located]) -> list[PersonReading]:
        labels = [
            chunk
            for chunk in chunks
            if self.parser.analyse(chunk.key).in_domain and not self._is_nobody(chunk.key)
        ]
        pronouns = list(self._pronouns(annotation, labels)) if self._unit == "person" else []
        if not labels and not pronouns:
            return []
        return CaptionPeople(annotation, labels, pronouns, self._reader, self._facts).people(
            self._unit, after=self._after
        )

    def _is_nobody(self, key: str) -> bool:
        """Whether a chunk says that nobody is there, where people are counted: no people, nobody."""
        return bool(self._reader.pronouns) and self._unit == "person" and key.split(" ", 1)[0] in _NOBODY

    def _pronouns(self, annotation: Annotation, labels: Sequence[Located]) -> Iterator[int]:
        """Yield the places of pronouns, and of words for somebody else than those named before."""
        known = self._reader.pronouns
        if not known:
            return
        first = labels[0].start if labels else None
        spans = [(label.start, label.end) for label in labels]
        for index, tag in enumerate(annotation.tags):
            if tag in _PRONOUN_TAGS and (word := annotation.words[index].lower()) in known:
                after_label = first is not None and first < annotation.offsets[index]
                if word in OTHERS and any(start <= annotation.offsets[index] < end for start, end in spans):
                    continue  # one of the men is a label
                if word == "other" and annotation.words[index - 1].lower() == "each":
                    continue
                if word not in OTHERS or (after_label and annotation.deps[index] in _OTHERS_AS[word]):
                    yield index


_PICTURES = frozenset(
    {"image", "images", "photo", "photograph", "photographs", "photos", "picture", "pictures"}
)
_TAKING = frozenset({"snap", "snapping", "snaps", "take", "taken", "takes", "taking", "took"})


def _pictures_taken(annotation: Annotation) -> list[Chunk]:
    """Return chunks of pictures that somebody is taking: whom they take one of is there, not in a picture."""
    if _PICTURES.isdisjoint(annotation.words):
        return []
    taken = [
        annotation.offsets[index]
        for index, word in enumerate(annotation.words)
        if word in _PICTURES and annotation.words[annotation.heads[index]].lower() in _TAKING
    ]
    return [chunk for chunk in annotation.chunks for offset in taken if chunk.start <= offset < chunk.end]


PIECES = re.compile(r"[^\W_]+")


def head_words(parser: Parser) -> list[str]:
    """Return the heads of a taxonomy in all their spellings."""
    grammar = parser.grammar
    heads = frozenset(name for name, leaf in grammar.leaves.items() if leaf.kind == "head")
    return grammar.lexicon.spellings_of(heads)


class HeadSigns:
    """Words of which every text with a label or a pronoun has one: most texts of most domains have none."""

    def __init__(self, parser: Parser, heads: Iterable[str], pronouns: Iterable[str] = ()) -> None:
        patterns = [" ".join(words) for words in parser.grammar.signs]
        plain = [head for head in heads if head.isalnum()]
        written = [PIECES.findall(ending) for ending in (*heads, *patterns) if not ending.isalnum()]
        # The longest piece is the rarest: "passer" of passer-by.
        longest = (max(pieces, key=len) for pieces in written) if all(written) else ()
        self._words = frozenset({*pronouns, *plain, *longest}) if all(written) else None

    def may_be_in(self, text: str) -> bool:
        """Whether a text may have a label or a pronoun."""
        return self._words is None or not self._words.isdisjoint(PIECES.findall(text.lower()))


def _found(person: PersonReading, number: int, chunks: Collection[tuple[int, int]]) -> Iterator[Found]:
    """Yield the mentions of a person; the first one carries the text that is counted."""
    for place, mention in enumerate(person.mentions):
        about = (
            person.key,
            number,
            bool(place),
            mention.kind != "label",
            (mention.start, mention.end) in chunks,
        )
        found = Found(mention.start, mention.end, *about)
        yield (
            found
            if place
            else found._replace(unread=person.unread, hedged=person.hedged, places=person.places)
        )


_NOBODY = frozenset({"no", "nobody", "noone"})
_PRONOUN_TAGS = frozenset({"CD", "DT", "JJ", "NN", "NNS", "PRP", "PRP$"})
_SUBJECT = frozenset({"nsubj", "nsubjpass"})
# Elsewhere in a sentence these words go with a noun, or stand for a thing.
_OTHERS_AS = {
    "another": _SUBJECT | {"conj"},
    "one": _SUBJECT | {"appos", "conj"},
    "other": _SUBJECT | {"appos"},
    "others": _SUBJECT | {"conj", "dobj", "pobj"},
    "some": _SUBJECT,
}
