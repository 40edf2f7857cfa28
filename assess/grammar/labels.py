"""Finds a domain's labels in an annotated caption: the people in it, and everything said about them.

A man with a beard, a boy who is wearing a red shirt, the girl ... She smiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from assess.grammar.captions import CaptionPeople, PersonReading, Unit
from assess.grammar.chunks import (
    Located,
    find_chunks,
    find_owners,
    names_as_nouns,
    pictures_taken,
    with_whole_chunks,
)
from assess.grammar.doubts import choose_signs
from assess.grammar.draft import KnownWords
from assess.grammar.label_facts import LabelFacts
from assess.grammar.memory import Memory
from assess.grammar.parser import Parser
from assess.grammar.repairs import repaired
from assess.grammar.statements import StatementReader
from assess.grammar.tree import ALL_OF_THEM, OF_THEM, OTHERS, Tree
from assess.records import Analysis, Annotation, PersonInCaption
from assess.taxonomy.words import PIECES, POSSESSIVE


class Found(NamedTuple):
    """A chunk or a pronoun, and the text under which its analysis is stored."""

    start: int  # character offsets in the caption
    end: int
    key: str
    person: int = 0  # number of its person in the caption, from 1; 0 for chunks outside the domain
    repeats: bool = False  # another mention of the person: shown, but not counted again
    pronoun: bool = False  # she, or a word for another person: one, another
    chunk: bool = True  # a noun chunk of the text; not "his" in "his hat"
    unread: tuple[str, ...] = ()  # statements about it that were not understood
    hedged: tuple[str, ...] = ()  # statements about it that are only possible
    places: tuple[tuple[int, int], ...] = ()  # ranges of the parts of its text after the first one


class TextLabels(NamedTuple):
    """The labels in a text."""

    labels: tuple[Found, ...]  # the counted labels
    repeated: tuple[Found, ...]  # further mentions of the same people


NO_LABELS = TextLabels((), ())


class LabelFinder:
    """Finds the chunks in annotated texts, and analyses those that are labels."""

    def __init__(
        self, parser: Parser, *, join_of: bool = True, after: bool = True, unit: Unit = "person"
    ) -> None:
        self.parser = parser
        self._join_of = join_of
        self._after = after
        self._unit: Unit = unit if after else "mention"
        self._reader = StatementReader(parser)
        self._facts = LabelFacts(parser)
        heads = parser.head_spellings
        nouns = frozenset([word for word in heads if word.isalpha()])
        self._known = KnownWords(nouns, self._reader.reads, choose_signs)
        # Words like "another" only refer to a person if people were mentioned before.
        known = self._reader.pronouns
        self._words_for_somebody = known | (ALL_OF_THEM | OF_THEM if known else frozenset())
        pronouns = self._reader.pronouns - OTHERS if self._unit == "person" else ()
        # Cached, because it is needed before a text is annotated and when it is analysed.
        self._may_have_labels = Memory(HeadSigns(parser, heads, pronouns).may_be_in, most=_REMEMBERED)
        counts_people = bool(known) and self._unit == "person"
        self._is_label = Memory(partial(_is_label, parser, counts_people), most=_REMEMBERED)

    def analyse(self, key: str) -> Analysis:
        """Return the analysis of a label by its text."""
        return self._reader.analyse(key)

    def may_have_labels(self, text: str) -> bool:
        """Whether a text may have labels, judging by its words. If not, it certainly has none."""
        return self._may_have_labels[text]

    def find(self, text: str, annotation: Annotation) -> tuple[Found, ...]:
        """Return a text's chunks, with all statements about those in the domain, and their pronouns."""
        chunks, people = self._read(text, annotation) if self.may_have_labels(text) else ([], [])
        if not people:
            # Without labels, nothing is repaired: these are the annotator's own chunks.
            chunks = find_chunks(text, annotation.chunks, self.parser, join_of=self._join_of)
        found = _mentions(people, chunks)
        taken = {label[:2] for label in found}
        outside = [Found(*chunk[:3]) for chunk in chunks if chunk[:2] not in taken]
        return tuple(sorted([*found, *outside]) if found else outside)

    def labels(self, text: str, annotation: Annotation) -> TextLabels:
        """Return a text's labels, without the chunks outside the domain."""
        if not annotation.heads:
            return NO_LABELS  # not parsed, because it cannot have labels
        chunks, people = self._read(text, annotation) if self.may_have_labels(text) else ([], [])
        if not people:
            return NO_LABELS
        found = _mentions(people, chunks)
        if len(found) == 1:
            return TextLabels(tuple(found), ())
        found.sort()
        counted = tuple([label for label in found if not label.repeats])
        return TextLabels(counted, tuple([label for label in found if label.repeats]))

    def people(self, text: str, annotation: Annotation) -> list[PersonReading]:
        """Return the people in a text, with every mention and all statements at their places."""
        return self._read(text, annotation)[1] if self.may_have_labels(text) else []

    def _read(self, text: str, annotation: Annotation) -> tuple[list[Located], list[PersonReading]]:
        """Return the chunks of a text after the repair of its verbs, and its people."""
        tree = Tree(names_as_nouns(annotation) if self._after else annotation)
        if self._after:
            tree = repaired(tree, self._known)
            tree = with_whole_chunks(text, tree, self.parser, self._known.nouns)
        apart = pictures_taken(tree) if self._unit == "person" else ()
        chunks = find_chunks(text, tree.chunks, self.parser, join_of=self._join_of, apart=apart)
        return chunks, self._people(text, tree, chunks)

    def describe(self, text: str, annotation: Annotation) -> list[PersonInCaption]:
        """Return the people in a text as shown to users by `assess parse`."""
        return [
            PersonInCaption(
                tuple(text[mention.start : mention.end] for mention in person.mentions),
                self.analyse(person.key),
                self._facts.stated_groups(self.analyse(person.key)),
                person.hedged,
                person.unread,
            )
            for person in self.people(text, annotation)
        ]

    def _people(self, text: str, tree: Tree, chunks: Sequence[Located]) -> list[PersonReading]:
        labels = [chunk for chunk in chunks if self._is_label[chunk.key]]
        pronouns, owners = list[int](), list[Located]()
        if self._unit == "person" and self._reader.pronouns:
            pronouns = self._pronouns(tree, labels)
            if "POS" in tree.tags:
                analyse = self.parser.analyse
                owners = [owner for owner in find_owners(text, tree) if analyse(owner.key).in_domain]
        if not labels and not pronouns and not owners:
            return []
        found = CaptionPeople(tree, labels, pronouns, self._reader, self._facts, owners)
        return found.people(self._unit, after=self._after)

    def _pronouns(self, tree: Tree, labels: Sequence[Located]) -> list[int]:
        """Return the indices of pronouns, and of words for other people: one, another."""
        known = self._words_for_somebody
        if known.isdisjoint(tree.words):
            return []
        return [
            index
            for index, word in enumerate(tree.words)
            if word in known
            and tree.tags[index] in _PRONOUN_TAGS
            and (word in self._facts.pronouns or _is_somebody_else(tree, index, word, labels))
        ]


def _is_label(parser: Parser, counts_people: bool, key: str) -> bool:
    """Whether a chunk is in the domain; where people are counted, "no people" and "nobody" are not."""
    nobody = counts_people and key.split(" ", 1)[0] in _NOBODY
    return not nobody and parser.analyse(key).in_domain


def _is_somebody_else(tree: Tree, index: int, word: str, labels: Sequence[Located]) -> bool:
    """Whether such a word refers to a person; "the other" can also be a thing: one leans on the other."""
    if word in ALL_OF_THEM:
        alone = tree.deps[index] in _SUBJECT and not tree.children[index]
        return alone and tree.deps[tree.heads[index]] in _MAIN
    at = tree.offsets[index]
    if not labels or labels[0].start >= at or any(label.start <= at < label.end for label in labels):
        return False  # nobody was mentioned before; "one of the men" is a label
    if word == "other" and tree.words[index - 1] == "each":
        return False
    if tree.deps[index] in _OTHERS_AS.get(word, _SUBJECT):
        return True
    if word == "other" and tree.deps[index] == "conj" and tree.words[index - 1] == "the":
        # One in red and the other in white, one wearing a hat and the other in a cap.
        one = tree.heads[index]
        one = tree.heads[tree.heads[one]] if tree.words[one] not in OTHERS else one
        if tree.words[one] in OTHERS:
            return True
    if word != "other" or tree.words[index - 1] != "the":
        return False
    if index >= len(tree.words) - 2 or tree.deps[index] == "poss":
        # One man holds a kite and the other; one girl is holding the other's hand.
        ones = (one for one in range(index) if tree.words[one] == "one" and tree.deps[one] == "nummod")
        starts = {tree.offsets[one] for one in ones}
        if any(label.start in starts for label in labels):
            return True
    return tree.deps[index] in {"dobj", "pobj"} and any(
        tree.words[one] == "one" and tree.deps[one] in _OTHERS_AS["one"]
        for one in range(max(0, index - _BEFORE_OTHER), index)
    )


_SPAN = itemgetter(0, 1)
_BEFORE_OTHER = 6
_REMEMBERED = 1 << 15
"""Number of cached answers: somewhat more than the number of texts that are annotated at once."""

_ENDINGS = ("", "d", "ll", "m", "re", "s", "ve")
"""What an annotator splits off a pronoun without an apostrophe: hes, theyre."""


def _pieces(head: str) -> list[str]:
    if head.isascii() and head.replace(" ", "").isalnum():
        return head.split(" ")
    # The possessive mark can be a single apostrophe: a ladies' man.
    return [piece for word in head.split(" ") if word != POSSESSIVE for piece in PIECES.findall(word)]


class HeadSigns:
    """Recognises texts without labels or pronouns by their words, since most texts have none.

    A head of several words can only occur if all of them do, in any position.
    """

    def __init__(self, parser: Parser, heads: Iterable[str], pronouns: Iterable[str] = ()) -> None:
        # Most heads are a single piece; a hyphen also ends a piece.
        alone = {head for head in heads if head.isalnum() and head.isascii()}
        others = {head.replace("-", " ") for head in heads if head not in alone}
        signs = [*map(_pieces, others), *parser.grammar.signs]
        self._any = not all(signs)  # a head without letters, or a pattern without fixed words
        alone.update(words[0] for words in signs if len(words) == 1)
        alone.update(pronoun + ending for pronoun in pronouns for ending in _ENDINGS)
        self._alone = frozenset(alone)
        self._together: dict[str, list[frozenset[str]]] = {}
        for words in signs:
            if self._alone.isdisjoint(words) and words:
                # The longest word is the rarest: "passer" of passer-by.
                self._together.setdefault(max(sorted(words), key=len), []).append(frozenset(words))

    @property
    def words(self) -> frozenset[str] | None:
        """Words of which every such text contains one; None if any text can have a label."""
        return None if self._any else self._alone.union(self._together)

    def may_be_in(self, text: str) -> bool:
        """Whether a text may have a label or a pronoun."""
        text = text.lower()
        if self._any or not self._alone.isdisjoint(text.split()):
            return True  # as in most texts with a label: a word that no mark adjoins
        pieces = PIECES.findall(text)
        if not self._alone.isdisjoint(pieces):
            return True
        together, words = self._together, set(pieces)
        return any(signs <= words for word in words if word in together for signs in together[word])


def _mentions(people: Sequence[PersonReading], chunks: Iterable[Located]) -> list[Found]:
    """Return the mentions of all people in a text; the first mention of each has the text that is counted."""
    spans = set(map(_SPAN, chunks))
    found: list[Found] = []
    for number, (mentions, key, _, places, hedged, unread) in enumerate(people, start=1):
        for mention in mentions:
            start, end, pronoun = mention.start, mention.end, mention.kind not in {"label", "owner"}
            chunk = (start, end) in spans
            if mention is mentions[0]:
                found.append(Found(start, end, key, number, False, pronoun, chunk, unread, hedged, places))
            else:
                found.append(Found(start, end, key, number, True, pronoun, chunk))
    return found


_NOBODY = frozenset({"no", "nobody", "noone"})
_PRONOUN_TAGS = frozenset({"CD", "DT", "JJ", "JJS", "NN", "NNS", "PRP", "PRP$"})
_SUBJECT = frozenset({"nsubj", "nsubjpass"})
_MAIN = frozenset({"ROOT", "ccomp", "conj"})
# Elsewhere in a sentence, these words belong to a noun or refer to a thing.
_OTHERS_AS = {
    "another": _SUBJECT | {"conj"},
    "one": _SUBJECT | {"appos", "conj", "npadvmod"},
    "other": _SUBJECT | {"appos"},
    "others": _SUBJECT | {"conj", "dobj", "pobj"},
    "some": _SUBJECT | {"appos", "dep"},
}
