"""A parse as a tree: the words of a caption, the dependents of each word, and coordinated nouns."""

from __future__ import annotations

from collections.abc import Sequence

from assess.grammar.verbs import participle
from assess.records import Annotation

ELLIPSIS = "…"
Nouns = tuple[int, ...]
"""Nouns that something is said about, by their positions in the text."""
OTHERS = frozenset({"another", "one", "other", "others", "some"})
"""Words for people other than those mentioned before: two men, one of them sitting."""
# fmt: off
SEVERAL_OF_THEM = frozenset((
    "few", "five", "four", "many", "most", "seven", "several", "six", "ten", "three", "two",
))
"""Words for several of those mentioned before: two are sitting."""
ONE_OF_THEM = frozenset({"first", "fifth", "fourth", "last", "second", "third"})
"""Words for one of those mentioned before, by order: the first is sitting."""
# fmt: on
OF_THEM = SEVERAL_OF_THEM | ONE_OF_THEM
ALL_OF_THEM = frozenset({"all", "both", "each"})
"""Words for all of those mentioned before: both are smiling."""
DEFINITE = frozenset({"both", "each", "that", "the", "these", "this", "those"})
"""The first words of noun phrases that mention somebody again."""
# fmt: off
PARTS = frozenset((
    "bit", "bottom", "bunch", "center", "centre", "corner", "couple", "edge", "end", "kind", "lot", "lots",
    "middle", "number", "pair", "piece", "plenty", "set", "side", "some", "sort", "top", "type", "variety",
))
"""Nouns that only name a part of the next noun: the middle of a street, a pair of glasses."""
# fmt: on

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
"""The relations of subjects."""
VERBS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
"""The tags of verbs."""
_NOUNS = frozenset({"CD", "NN", "NNP", "NNPS", "NNS", "PRP", "PRP$"})
# fmt: off
# What is in, on or around one of these is carried or worn.
PLACES_TO_CARRY = frozenset((
    "arm", "arms", "back", "belt", "chest", "ear", "ears", "eyes", "face", "feet", "finger", "forehead",
    "gaze", "hair", "hand", "hands", "head", "hip", "knee", "knees", "lap", "leg", "legs", "lips", "mouth",
    "neck", "nose", "shoulder", "shoulders", "teeth", "waist", "wrist", "wrists",
))
# fmt: on
HELD_BY = frozenset({"around", "at", "between", "in", "on", "over", "to", "under"})


class Tree:
    """An annotated text as all rules use it: its words in lower case, and the dependents of each."""

    __slots__ = (
        "annotation", "children", "chunks", "deps", "heads", "offsets", "relations", "tags", "words",
    )  # fmt: skip

    def __init__(self, annotation: Annotation) -> None:
        self.annotation = annotation
        words, self.offsets, self.tags, self.chunks, self.heads, self.deps = annotation
        self.words = tuple(map(str.lower, words))
        if ELLIPSIS in "".join(words):
            # The separator of the parts of a label's text must not come from a caption.
            self.words = tuple([word.replace(ELLIPSIS, "") for word in self.words])
        # All relations in the text: rules for any others are skipped.
        self.relations = frozenset(self.deps)
        children: list[list[int]] = [[] for _ in words]
        for index, head in enumerate(self.heads):
            if head != index:
                children[head].append(index)
        self.children = children

    def dependents(self, index: int, *relations: str) -> list[int]:
        """Return the dependents of a word by these relations."""
        found: list[int] = []
        if self.relations.isdisjoint(relations):
            return found
        deps = self.deps
        for child in self.children[index]:  # for so few, faster than a comprehension
            if deps[child] in relations:
                found.append(child)
        return found

    def is_verb(self, index: int) -> bool:
        """Whether a word is a verb in any form."""
        return self.tags[index] in VERBS

    def is_noun(self, index: int) -> bool:
        """Whether a word can be the head of a noun phrase."""
        return self.tags[index] in _NOUNS

    def participle(self, index: int) -> str:
        """Return the participle of a verb."""
        return participle(self.words[index], self.tags[index])

    def inner(self, index: int) -> list[int]:
        """Return the nouns after "of": one of the men."""
        if "of" not in self.words:
            return []
        return [
            noun
            for child in self.children[index]
            if self.words[child] == "of" and self.deps[child] == "prep"
            for noun in self.dependents(child, "pobj")
        ]


def plural_of(noun: str) -> str:
    """Return the regular plural of a noun, and that of man, woman, child and person."""
    for singular, plural in (("man", "men"), ("child", "children"), ("person", "people")):
        if noun.endswith(singular):
            return noun.removesuffix(singular) + plural
    return noun + ("es" if noun.endswith(("s", "sh", "ch", "x")) else "s")


def follows(tree: Tree, noun: int, places: frozenset[str]) -> bool:
    """Whether a noun is said to be in or on one of these: a kite in the sky."""
    after = noun + 1
    if after >= len(tree.words) or tree.words[after] not in HELD_BY:
        return False
    return any(tree.words[place] in places for place in tree.dependents(after, "pobj"))


def is_in_hand(tree: Tree, noun: int) -> bool:
    """Whether a noun is said to be held or carried: a vase on her head."""
    return follows(tree, noun, PLACES_TO_CARRY)


def _joined_to(tree: Tree, noun: int, known: frozenset[int]) -> int | None:
    """Return the earlier noun that a noun is joined to, or whose inner noun it is: a group of women."""
    head = tree.heads[noun]
    if head >= noun:
        return None
    if tree.deps[noun] in {"appos", "conj"}:
        opening = tree.heads[head]
        if head not in known and tree.deps[head] == "pobj" and tree.words[opening] in {"in", "with"}:
            owner = tree.heads[opening]
            return owner if owner in known and owner < head else head  # a boy in a cap and a girl
        return head
    outer = tree.heads[head]
    of = tree.deps[noun] == "pobj" and tree.annotation.words[head] == "of"
    return outer if of and outer in known and outer < head else None


def joined_nouns(tree: Tree, nouns: Sequence[int]) -> dict[int, Nouns]:
    """Return each noun with the nouns that it is coordinated with, in order; they share one list."""
    if len(nouns) == 1:
        return {nouns[0]: tuple(nouns)}
    known = frozenset(nouns)
    first: dict[int, int] = {}
    groups: dict[int, list[int]] = {}
    for noun in nouns:
        top = noun
        while (above := _joined_to(tree, top, known)) is not None:
            top = above
            if top in first:
                top = first[top]
                break
        first[noun] = top
        groups.setdefault(top, []).append(noun)
    joined = {top: tuple(group) for top, group in groups.items()}
    return {noun: joined[first[noun]] for noun in nouns}
