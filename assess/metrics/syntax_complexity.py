"""Yngve and Frazier complexity, adapted to dependency trees.

Both measures are defined on phrase structure. The annotator gives dependencies, so we read off the
flat phrase structure that they imply: a word with dependents is the head of a phrase, whose parts,
in the order of the caption, are the word itself and the phrase (or the bare word) of each dependent.
What a treebank would nest deeper (a noun phrase within a noun phrase, a verb phrase below its
clause) is one flat phrase here, so values are comparable between systems but not with values from
treebank parses. Tokens of punctuation alone are left out: otherwise a full stop, being one more part
to the right of everything, would make the same caption more complex.
"""

from __future__ import annotations

from dataclasses import dataclass

from assess.metrics.recall_words import Parsed, is_word
from assess.metrics.syntax_tree import Tree, caption_tree

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
