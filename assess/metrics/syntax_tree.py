"""A caption's dependency tree, read from the heads of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assess.errors import InputError
from assess.metrics.recall_words import Parsed


@dataclass(frozen=True, slots=True)
class Tree:
    """The dependents of each word, in the order of the caption, and the words without a head."""

    dependents: tuple[tuple[int, ...], ...]
    roots: tuple[int, ...]
    top_down: tuple[int, ...]  # all words, every head before its dependents

    def subtree(self, word: int) -> list[int]:
        """Return a word and all that depends on it, in the order of the caption."""
        found = [word]
        for each in found:  # grows while it is read
            found.extend(self.dependents[each])
        return sorted(found)


def caption_tree(caption: Parsed) -> Tree:
    """Return the tree of a caption; one that was tagged but not parsed has none, and is an error."""
    words, heads, deps = len(caption.words), len(caption.heads), len(caption.deps)
    if not words == heads == deps:
        raise InputError(
            f"a caption of {words} words has {heads} heads and {deps} relations: it was not parsed",
            hint="annotate it with a model that has a parser",
        )
    return tree(caption.heads)


def tree(heads: Sequence[int]) -> Tree:
    """Return the tree of these heads, where a root is its own head."""
    dependents: list[list[int]] = [[] for _ in heads]
    roots = []
    for word, head in enumerate(heads):
        if not 0 <= head < len(heads):
            raise InputError(f"word {word} has the head {head}, but there are {len(heads)} words")
        if head == word:
            roots.append(word)
        else:
            dependents[head].append(word)
    top_down = list(roots)
    for word in top_down:
        top_down.extend(dependents[word])
    if len(top_down) != len(heads):
        raise InputError("the heads of a caption's words go round in a circle, so they are no tree")
    return Tree(tuple(map(tuple, dependents)), tuple(roots), tuple(top_down))
