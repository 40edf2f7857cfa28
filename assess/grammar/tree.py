"""A parse as a tree: the words of a caption, what hangs on what, and which nouns are joined."""

from __future__ import annotations

from collections.abc import Sequence

from assess.grammar.verbs import participle
from assess.records import Annotation

Nouns = tuple[int, ...]
"""Words that something is said of, by their places in the text."""
OTHERS = frozenset({"another", "one", "other", "others"})
"""Words for somebody else than those named before: two men, one of them sitting."""
DEFINITE = frozenset({"both", "each", "that", "the", "these", "this", "those"})
"""What a noun phrase begins with that names somebody again."""
# fmt: off
PARTS = frozenset((
    "bit", "bottom", "bunch", "center", "centre", "corner", "couple", "edge", "end", "kind", "lot",
    "middle", "number", "pair", "piece", "set", "side", "sort", "top", "type", "variety",
))
"""Nouns that only name a part of the next: the middle of a street, a pair of glasses."""
# fmt: on


class Tree:
    """The words of an annotated text in lower case, with their dependents."""

    def __init__(self, annotation: Annotation) -> None:
        # The sign that keeps the parts of a label's text apart must not come from a caption.
        self.words = tuple([word.lower().replace("…", "") for word in annotation.words])
        self.tags = annotation.tags
        self.deps = annotation.deps
        self.heads = annotation.heads
        self.children: list[list[int]] = [[] for _ in self.words]
        for index, head in enumerate(annotation.heads):
            if head != index:
                self.children[head].append(index)

    def dependents(self, index: int, *relations: str) -> list[int]:
        """Return the words that hang on a word by one of these relations."""
        return [child for child in self.children[index] if self.deps[child] in relations]

    def is_verb(self, index: int) -> bool:
        """Whether a word is a verb in some form."""
        return self.tags[index].startswith("VB")

    def is_noun(self, index: int) -> bool:
        """Whether a word can be what a phrase is about."""
        return self.tags[index].startswith(("NN", "PRP", "CD"))

    def participle(self, index: int) -> str:
        """Return the participle of a verb."""
        return participle(self.words[index], self.tags[index])

    def inner(self, index: int) -> list[int]:
        """Return the nouns after "of": one of the men."""
        return [
            noun
            for child in self.children[index]
            if self.words[child] == "of" and self.deps[child] == "prep"
            for noun in self.dependents(child, "pobj")
        ]


def joined_nouns(annotation: Annotation, nouns: Sequence[int]) -> dict[int, Nouns]:
    """Return each noun with those it is coordinated with, in order; all nouns share one list."""
    first: dict[int, int] = {}
    groups: dict[int, list[int]] = {}
    for noun in nouns:
        top = noun
        while annotation.deps[top] in {"appos", "conj"} and annotation.heads[top] < top:
            top = annotation.heads[top]
            if top in first:
                top = first[top]
                break
        first[noun] = top
        groups.setdefault(top, []).append(noun)
    joined = {top: tuple(group) for top, group in groups.items()}
    return {noun: joined[first[noun]] for noun in nouns}
