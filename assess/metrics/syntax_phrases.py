"""Compounds and prepositional phrases of a caption."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from assess.metrics.metric import Mode
from assess.metrics.recall_words import Parsed, Tagged
from assess.metrics.syntax_tree import Tree, caption_tree

Words = tuple[str, ...]
# How a preposition relates to its head; the fine tag alone also covers *while* and *because*.
_PREPOSITION_RELATIONS = frozenset({"prep", "agent", "dative"})
_PREPOSITION_TAGS = frozenset({"IN", "TO"})


def compounds(caption: Tagged) -> list[Words]:
    """Return the runs of two and more nouns, lowercased (van Miltenburg et al. 2018, section 6)."""
    tagged = zip(caption.words, caption.tags, strict=True)
    runs = groupby(tagged, key=lambda pair: pair[1].startswith("NN"))
    nouns = (tuple(word.lower() for word, _ in run) for is_noun, run in runs if is_noun)
    return [run for run in nouns if len(run) > 1]


def prepositional_phrases(caption: Parsed, *, mode: Mode = "assess") -> list[tuple[int, Words]]:
    """Return each prepositional phrase: its depth, and its words, lowercased.

    Paper: a phrase is whatever depends on a word tagged IN, subordinating *while* included, and its
    depth is the number of such words in it, side by side or nested. Ours: the word must relate to
    its head as a preposition, and depth is nesting alone, a phrase without another having depth 1.
    """
    found = caption_tree(caption)
    places = _prepositions(caption, mode)
    depths = _counts_within(found, places) if mode == "paper" else _nesting(found, places)
    return [
        (depths[place], tuple(caption.words[word].lower() for word in found.subtree(place)))
        for place in places
    ]


def _prepositions(caption: Parsed, mode: Mode) -> list[int]:
    if mode == "paper":
        return [place for place, tag in enumerate(caption.tags) if tag == "IN"]
    related = zip(caption.tags, caption.deps, strict=True)
    return [
        place
        for place, (tag, dep) in enumerate(related)
        if tag in _PREPOSITION_TAGS and dep in _PREPOSITION_RELATIONS
    ]


def _counts_within(found: Tree, places: Sequence[int]) -> dict[int, int]:
    """Return how many of these places are in the subtree of each word."""
    counts = dict.fromkeys(found.top_down, 0) | dict.fromkeys(places, 1)
    for word in reversed(found.top_down):
        counts[word] += sum(counts[dependent] for dependent in found.dependents[word])
    return counts


def _nesting(found: Tree, places: Sequence[int]) -> dict[int, int]:
    """Return the longest chain of these places, one within another, in the subtree of each word."""
    depths = dict.fromkeys(found.top_down, 0) | dict.fromkeys(places, 1)
    for word in reversed(found.top_down):
        depths[word] += max((depths[dependent] for dependent in found.dependents[word]), default=0)
    return depths
