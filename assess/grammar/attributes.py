"""What a caption says of a noun after it: a man with a beard, a boy wearing a red shirt, the girl is smiling.

Read off the dependency parse. Two kinds of attribute phrases come out: *qualities* (an adjective or a
participle: "old", "smiling"), which the grammar can read as if they stood before the noun, and *relations*
(a verb or preposition with its object: "with beard", "wearing red shirt"), which `after:` patterns read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from assess.records import Annotation, Chunk

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


class Attribute(NamedTuple):
    """An attribute phrase at its words; sorted, they are in the order of the text."""

    at: int  # the adjective, participle or noun that it ends in
    phrase: str
    start: int  # its first word; what stands in between, such as an article, is not in the phrase


class Attributes:
    """The attribute phrases of one annotated text."""

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
