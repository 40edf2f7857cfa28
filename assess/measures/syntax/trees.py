"""A caption's dependency tree, read from the heads of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from assess.errors import InputError
from assess.measures.metric import Mode
from assess.measures.words import Parsed, Tagged, is_word


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


# Compounds and prepositional phrases of a caption.

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


# Yngve and Frazier complexity, adapted to dependency trees.
#
# Both measures are defined on phrase structure. The annotator gives dependencies, so we read off the flat
# phrase structure that they imply: a word with dependents is the head of a phrase, whose parts, in the
# order of the caption, are the word itself and the phrase (or the bare word) of each dependent. What a
# treebank would nest deeper (a noun phrase within a noun phrase, a verb phrase below its clause) is one
# flat phrase here, so values are comparable between systems but not with values from treebank parses.
# Tokens of punctuation alone are left out: otherwise a full stop, being one more part to the right of
# everything, would make the same caption more complex.

PHRASE = 1.0
CLAUSE = 1.5  # Frazier charges a clause one and a half
NEIGHBOURS = 3  # and looks for the hardest place within three words


@dataclass(frozen=True, slots=True)
class Complexity:
    """The scores of each word of a caption that is not punctuation, in order."""

    yngve: tuple[int, ...]
    frazier: tuple[float, ...]

    @property
    def deepest(self) -> int:
        """The largest Yngve depth: how many parts are promised at once. 0 for an empty caption."""
        return max(self.yngve, default=0)

    @property
    def hardest(self) -> float:
        """The largest sum of Frazier scores of three words in a row. 0 for an empty caption."""
        last = max(1, len(self.frazier) - NEIGHBOURS + 1)
        return max(sum(self.frazier[start : start + NEIGHBOURS]) for start in range(last))


def complexity(caption: Parsed) -> Complexity:
    """Return the complexity of each word of a caption."""
    parts = _parts(caption, caption_tree(caption))
    kept = [word for word in range(len(caption.words)) if word in parts]
    yngve, frazier = _yngve(parts), _frazier(parts, caption)
    return Complexity(tuple(yngve[word] for word in kept), tuple(frazier[word] for word in kept))


def _parts(caption: Parsed, found: Tree) -> dict[int, list[int]]:
    """Return the parts of each word's phrase, heads before dependents, without punctuation.

    Punctuation stays where a word depends on it: otherwise the word would hang in the air.
    """
    parts: set[int] = set()
    for word in reversed(found.top_down):  # dependents before heads
        if is_word(caption.words[word]) or not parts.isdisjoint(found.dependents[word]):
            parts.add(word)
    return {
        word: sorted([word, *parts.intersection(found.dependents[word])])
        for word in found.top_down
        if word in parts
    }


def _yngve(parts: dict[int, list[int]]) -> dict[int, int]:
    """Return how many parts are still to come, summed up the tree, at each word (Yngve 1960)."""
    phrase_depth: dict[int, int] = {}
    word_depth: dict[int, int] = {}
    for head, places in parts.items():
        above = phrase_depth.get(head, 0)
        for to_come, place in enumerate(reversed(places)):
            if place == head:
                word_depth[head] = above + to_come
            else:
                phrase_depth[place] = above + to_come
    return word_depth


def _frazier(parts: dict[int, list[int]], caption: Parsed) -> dict[int, float]:
    """Return the phrases that begin with each word, a clause counting more (Frazier 1985)."""
    scores = dict.fromkeys(parts, 0.0)
    first: dict[int, int] = {}  # word of each phrase
    for head, places in reversed(parts.items()):  # dependents before heads
        first[head] = places[0] if places[0] == head else first[places[0]]
        if len(places) > 1:
            clausal = caption.tags[head].startswith(("VB", "MD"))
            scores[first[head]] += CLAUSE if clausal else PHRASE
    return scores
