"""Finding a domain's labels in an annotated caption, with what is said of them after the noun.

A man with a beard, a boy wearing a red shirt, the girl is smiling.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from sys import intern
from typing import NamedTuple

from assess.grammar.parser import Parser
from assess.records import Analysis, Annotation, Chunk, Reading, Span
from assess.taxonomy.phrases import after_patterns_of
from assess.taxonomy.words import words_of

SEPARATOR = " … "
"""Between a chunk and each attribute that follows its noun, in the text of a label."""

BE = frozenset({"is", "are", "was", "were", "be", "been", "being", "'s", "'re", "am"})
HAVE = frozenset({"has", "have", "had", "having"})
# Verbs whose object is worn or carried; each counts as its participle.
WEAR = {
    **dict.fromkeys(("wear", "wears", "wore", "wearing", "sporting", "donning"), "wearing"),
    **dict.fromkeys(("hold", "holds", "held", "holding"), "holding"),
    **dict.fromkeys(("carry", "carries", "carried", "carrying"), "carrying"),
}
# "Dressed in black" is about the black; "dressed" alone says nothing more.
DRESSED = frozenset({"dressed", "clad", "attired", "clothed", "outfitted"})
_INSIDE_OBJECT = frozenset({"amod", "compound", "nummod", "nmod", "neg"})


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


class AfterReader:
    """Reads labels with attributes after the noun, in the same categories as before it.

    A label with such attributes is kept under one text, "a man … with beard … smiling", so that equal labels
    are still counted together and analysed once.
    """

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._patterns = [
            (category, re.compile(regex)) for category, regex in after_patterns_of(parser.grammar.taxonomy)
        ]
        self._analyses: dict[str, Analysis] = {}
        self._by_pattern: dict[str, tuple[str, ...]] = {}  # by phrase; captions repeat them

    def extend(self, key: str, attributes: list[str]) -> str:
        """Return a label's text with the attributes that the taxonomy has a category for."""
        analysis = self._parser.analyse(key)
        if not analysis.covered:
            return key
        known = [phrase for phrase in attributes if self._categories(analysis, phrase)]
        # One copy of each text: captions repeat them, and texts are remembered.
        return intern(SEPARATOR.join([key, *known]))

    def analyse(self, key: str) -> Analysis:
        """Return the analysis of a label, with or without attributes after the noun."""
        if SEPARATOR not in key:
            return self._parser.analyse(key)
        if key not in self._analyses:
            self._analyses[key] = self._analyse(key)
        return self._analyses[key]

    def _analyse(self, key: str) -> Analysis:
        chunk, *attributes = key.split(SEPARATOR)
        analysis = self._parser.analyse(chunk)
        tokens = list(analysis.tokens)
        spans: list[Span] = []
        for phrase in attributes:
            words = words_of(phrase)
            start, end = len(tokens), len(tokens) + len(words)
            tokens += words
            for category in self._categories(analysis, phrase):
                spans.append(Span(start, end, phrase, category, "modifier", position="after"))
        found = {span.category for span in spans}
        return analysis._replace(
            text=key,
            tokens=tuple(tokens),
            modifiers=tuple(sorted({*analysis.modifiers, *found})),
            spans=(*analysis.spans, *spans),
            best=Reading(
                analysis.best.heads,
                tuple(sorted({*analysis.best.modifiers, *found})),
                (*analysis.best.spans, *spans),
            ),
        )

    def _categories(self, analysis: Analysis, phrase: str) -> tuple[str, ...]:
        """Return the categories of one attribute phrase of a label."""
        by_pattern = self._matching(phrase)
        if by_pattern or " " in phrase:
            return by_pattern
        # A quality is read as if it stood before the noun, so the head's constraints hold.
        heads = [span.text for span in analysis.best.spans if span.role == "head"]
        if not heads:
            return ()  # a phrase structure of one's own may read a label without its head
        reading = self._parser.analyse(f"{phrase} {heads[-1].lower()}")
        return reading.best.modifiers if reading.why is None else ()

    def _matching(self, phrase: str) -> tuple[str, ...]:
        """Return the categories whose patterns match a phrase."""
        if phrase not in self._by_pattern:
            found = {category for category, regex in self._patterns if regex.fullmatch(phrase)}
            self._by_pattern[phrase] = tuple(sorted(found))
        return self._by_pattern[phrase]


class Attribute(NamedTuple):
    """An attribute phrase at its words; sorted, they are in the order of the text."""

    at: int  # the adjective, participle or noun that it ends in
    phrase: str
    start: int  # its first word; what stands in between, such as an article, is not in the phrase


class Attributes:
    """What one annotated text says of its nouns after them, read off the dependency parse.

    Two kinds of attribute phrases come out: *qualities* (an adjective or a participle: "old", "smiling"),
    which the grammar can read as if they stood before the noun, and *relations* (a verb or preposition with
    its object: "with beard", "wearing red shirt"), which `after:` patterns read.
    """

    def __init__(self, annotation: Annotation) -> None:
        self._annotation = annotation
        self._words = tuple(word.lower() for word in annotation.words)

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self._words]
        for index, head in enumerate(self._annotation.heads):
            if head != index:
                children[head].append(index)
        return children

    def of(self, chunk: Chunk) -> list[str]:
        """Return the attribute phrases of a chunk's noun, in the order of the text."""
        return [attribute.phrase for attribute in self.placed(chunk)]

    def placed(self, chunk: Chunk) -> list[Attribute]:
        """Return the attribute phrases of a chunk's noun with their places, each phrase once."""
        inside = [i for i, at in enumerate(self._annotation.offsets) if chunk.start <= at < chunk.end]
        root = next(
            (i for i in reversed(inside) if self._annotation.heads[i] not in inside or self._is_root(i)), None
        )
        if root is None:
            return []
        found = list(self._after_noun(root, inside[-1]))
        subject = self._first_conjunct(root)
        if self._annotation.deps[subject] in {"nsubj", "nsubjpass"}:
            found += self._of_verb(self._annotation.heads[subject])
        first: dict[str, Attribute] = {}
        for attribute in sorted(found):
            first.setdefault(attribute.phrase, attribute)
        return list(first.values())

    def _is_root(self, index: int) -> bool:
        return self._annotation.heads[index] == index

    def _first_conjunct(self, index: int) -> int:
        while self._annotation.deps[index] == "conj":
            index = self._annotation.heads[index]
        return index

    def _after_noun(self, noun: int, last: int) -> Iterator[Attribute]:
        for child in self._children[noun]:
            if child <= last:
                continue
            relation = self._annotation.deps[child]
            if relation == "prep":
                yield from self._of_preposition(child)
            elif relation in {"amod", "acl", "relcl", "appos"}:
                if self._tag(child).startswith("JJ"):
                    yield from self._qualities(child)
                elif self._tag(child).startswith("VB"):
                    yield from self._of_verb(child)

    def _of_verb(self, verb: int) -> Iterator[Attribute]:
        word = self._words[verb]
        if word in BE:
            yield from self._of_copula(verb)
        elif word in HAVE:
            yield from self._objects("with", verb, verb)
        elif word in WEAR:
            yield from self._objects(WEAR[word], verb, verb)
        elif self._tag(verb) in {"VBG", "VBN"}:
            if not (word in DRESSED and self._dependents(verb, "prep")):
                yield from self._qualities(verb)
            for child in self._dependents(verb, "prep"):
                yield from self._objects(
                    f"{word} {self._words[child]}", child, verb if child == verb + 1 else child
                )

    def _of_copula(self, verb: int) -> Iterator[Attribute]:
        for child in self._dependents(verb, "acomp"):
            yield from self._qualities(child)
        for child in self._dependents(verb, "prep"):
            yield from self._of_preposition(child)

    def _of_preposition(self, preposition: int) -> Iterator[Attribute]:
        yield from self._objects(self._words[preposition], preposition, preposition)

    def _qualities(self, index: int) -> Iterator[Attribute]:
        yield Attribute(index, self._words[index], index)
        for child in self._dependents(index, "conj"):
            if self._tag(child)[:2] in {"JJ", "VB"}:
                yield from self._qualities(child)

    def _objects(self, opening: str, governor: int, start: int) -> Iterator[Attribute]:
        """Yield a relation for each object, joined ones too: with a beard, with glasses."""
        for child in self._dependents(governor, "pobj", "dobj"):
            yield from self._object(opening, child, start)

    def _object(self, opening: str, noun: int, start: int | None) -> Iterator[Attribute]:
        parts = [
            child for child in self._children[noun] if child < noun and self._deps(child) in _INSIDE_OBJECT
        ]
        phrase = " ".join([opening, *(self._words[part] for part in parts), self._words[noun]])
        # A joined object stands far from the opening, with another one in between.
        first = min([noun, *parts] if start is None else [noun, start])
        yield Attribute(noun, phrase, first)
        for child in self._dependents(noun, "conj"):
            yield from self._object(opening, child, None)

    def _dependents(self, index: int, *relations: str) -> list[int]:
        return [child for child in self._children[index] if self._deps(child) in relations]

    def _deps(self, index: int) -> str:
        return self._annotation.deps[index]

    def _tag(self, index: int) -> str:
        return self._annotation.tags[index]
