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
from assess.grammar.wholes import whole, without_names
from assess.records import Analysis, Annotation, Chunk, PersonInCaption
from assess.taxonomy.words import NUMBER, POSSESSIVE


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
    """The labels of a text."""

    labels: tuple[Found, ...]  # those that are counted
    repeated: tuple[Found, ...]  # further mentions of the same people


NO_LABELS = TextLabels((), ())


@lru_cache(maxsize=1 << 16)  # chunks repeat, within a system and between systems
def label_key(text: str) -> str:
    """Return a chunk's text in the form under which equal chunks are counted together."""
    # The sign between a chunk and its attributes must not come from a caption.
    return " ".join(text.lower().replace(SEPARATOR.strip(), " ").split())


def find_chunks(
    text: str, chunks: tuple[Chunk, ...], parser: Parser, *, join_of: bool, apart: Collection[Chunk] = ()
) -> list[Located]:
    """Return a caption's chunks; with `join_of`, "a group" + "of" + "young men" is one, unless it is apart.

    spaCy ends a noun chunk at "of". What the first half says ("a large group of") would be lost, and
    "a group of zebras" would pass for a group of people.
    """
    found: list[Located] = []
    join_of = join_of and _may_join(text)
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
        found.append(Located(parts[0].start, parts[-1].end, key, parts))
        position = last + 1
    return found


def _may_join(text: str) -> bool:
    """Whether a text has what begins to join chunks: a list does so only after an "of"."""
    return "-" in text or "of" in text.lower()


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
        # Words for somebody else than those named before are nobody where no one is named.
        self._signs = HeadSigns(
            parser, heads, self._reader.pronouns - OTHERS if self._unit == "person" else ()
        )

    def analyse(self, key: str) -> Analysis:
        """Return the analysis of a label by its text."""
        return self._reader.analyse(key)

    def may_have_labels(self, text: str) -> bool:
        """Whether a text may have labels, by its words alone; where this says no, there are none."""
        return self._signs.may_be_in(text)

    def find(self, text: str, annotation: Annotation) -> tuple[Found, ...]:
        """Return a text's chunks, those in the domain with all that is said of them, and their pronouns."""
        chunks, found = self._find(text, annotation)
        taken = {label[:2] for label in found}
        outside = [Found(*chunk[:3]) for chunk in chunks if chunk[:2] not in taken]
        return tuple(sorted([*found, *outside]) if found else outside)

    def labels(self, text: str, annotation: Annotation) -> TextLabels:
        """Return the same without the chunks that are outside the domain."""
        chunks, people = self._read(text, annotation) if self.may_have_labels(text) else ([], [])
        if not people:
            return NO_LABELS
        found = sorted(_mentions(people, chunks))
        counted = tuple([label for label in found if not label.repeats])
        return TextLabels(counted, tuple([label for label in found if label.repeats]))

    def _find(self, text: str, annotation: Annotation) -> tuple[list[Located], list[Found]]:
        chunks, people = self._read(text, annotation) if self.may_have_labels(text) else ([], [])
        if not people:
            # Nothing is put right where nobody is: these are the annotator's own chunks.
            return find_chunks(text, annotation.chunks, self.parser, join_of=self._join_of), []
        return chunks, _mentions(people, chunks)

    def people(self, text: str, annotation: Annotation) -> list[PersonReading]:
        """Return the people of a text, with every mention and all that is said of them at its place."""
        return self._read(text, annotation)[1] if self.may_have_labels(text) else []

    def _read(self, text: str, annotation: Annotation) -> tuple[list[Located], list[PersonReading]]:
        """Return the chunks of a text, once its verbs are put right, and its people."""
        if self._after:
            annotation = repaired(without_names(annotation), self._nouns, self._reader.reads)
            annotation = whole(text, annotation, self.parser, self._nouns)
        apart = _pictures_taken(annotation) if self._unit == "person" else ()
        chunks = find_chunks(text, annotation.chunks, self.parser, join_of=self._join_of, apart=apart)
        return chunks, self._people(annotation, chunks)

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

    def _people(self, annotation: Annotation, chunks: Sequence[Located]) -> list[PersonReading]:
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
        if known.isdisjoint(map(str.lower, annotation.words)):
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
                if word not in OTHERS or (after_label and _is_somebody_else(annotation, index, word)):
                    yield index


def _is_somebody_else(annotation: Annotation, index: int, word: str) -> bool:
    """Whether such a word is said of somebody; "the other" may be an object, too: one leans on the other."""
    if annotation.deps[index] in _OTHERS_AS[word]:
        return True
    if (
        word != "other"
        or annotation.deps[index] not in {"dobj", "pobj"}
        or annotation.words[index - 1].lower() != "the"
    ):
        return False
    return any(
        annotation.words[one].lower() == "one" and annotation.deps[one] in _OTHERS_AS["one"]
        for one in range(max(0, index - _BEFORE_OTHER), index)
    )


_BEFORE_OTHER = 6
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


# Runs of letters and digits; a modifier letter that our tokeniser reads as an apostrophe ends one.
PIECES = re.compile(r"[^\W_ʼ]+")
_ENDINGS = ("", "d", "ll", "m", "re", "s", "ve")
"""What an annotator cuts off a pronoun where the apostrophe was left out: hes, theyre."""


def head_words(parser: Parser) -> list[str]:
    """Return the heads of a taxonomy in all their spellings."""
    grammar = parser.grammar
    heads = frozenset(name for name, leaf in grammar.leaves.items() if leaf.kind == "head")
    return grammar.lexicon.spellings_of(heads)


def _pieces(head: str) -> list[str]:
    # The possessive mark may be an apostrophe alone: a ladies' man.
    return [piece for word in head.split(" ") if word != POSSESSIVE for piece in PIECES.findall(word)]


class HeadSigns:
    """Words of which every text with a label or a pronoun has some: most texts of most domains have none.

    A head of several words is there only where all of them are, wherever they stand.
    """

    def __init__(self, parser: Parser, heads: Iterable[str], pronouns: Iterable[str] = ()) -> None:
        signs = {frozenset(words) for words in (*map(_pieces, heads), *parser.grammar.signs)}
        self._any = frozenset() in signs  # a head of signs, or a pattern without a word of its own
        self._alone = frozenset(word for words in signs if len(words) == 1 for word in words) | {
            pronoun + ending for pronoun in pronouns for ending in _ENDINGS
        }
        self._together: dict[str, list[frozenset[str]]] = {}
        for words in signs:
            if self._alone.isdisjoint(words) and words:
                # The longest word is the rarest: "passer" of passer-by.
                self._together.setdefault(max(sorted(words), key=len), []).append(words)

    @property
    def words(self) -> frozenset[str] | None:
        """Words of which every such text has one; None where any text may be one."""
        return None if self._any else self._alone.union(self._together)

    def may_be_in(self, text: str) -> bool:
        """Whether a text may have a label or a pronoun."""
        words = set(PIECES.findall(text.lower()))
        if self._any or not self._alone.isdisjoint(words):
            return True
        together = self._together
        return any(signs <= words for word in words if word in together for signs in together[word])


def _mentions(people: Sequence[PersonReading], chunks: Iterable[Located]) -> list[Found]:
    """Return the mentions of all people of a text."""
    spans = {chunk[:2] for chunk in chunks}
    return [label for number, person in enumerate(people, start=1) for label in _found(person, number, spans)]


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
