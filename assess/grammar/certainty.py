"""Whether what a verb says is asserted, left open or denied: is smiling, may be smiling, is not smiling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from assess.grammar.tree import Nouns, Tree
from assess.grammar.verbs import BE, HAVE, HEDGES, UNCERTAIN

Certainty = Literal["said", "hedged", "denied"]

# fmt: off
# What leaves open whether something happens.
_OPEN = frozenset((
    "able", "about", "appearing", "attempting", "deciding", "expected", "failing", "going", "hoping",
    "intending", "likely", "looking", "planning", "poised", "prepared", "preparing", "pretending", "ready",
    "refusing", "seeming", "set", "supposed", "trying", "waiting", "wanting", "wishing",
))
# fmt: on
_NOBODY = frozenset({"neither", "no", "nobody", "none"})
_NOT = frozenset({"barely", "hardly", "n't", "neither", "never", "no", "not"})
_BEFORE_IT_HAPPENS = frozenset({"before", "if", "unless", "until"})
_FARTHEST = 8
"""Joined nouns to look at for a word that denies them; no list in a caption that makes sense is longer."""


class Certainties:
    """Tells how certain the verbs of one text are."""

    def __init__(self, tree: Tree, wanted: Mapping[int, Nouns], about: Callable[[int], Nouns]) -> None:
        self._tree = tree
        self._wanted = wanted
        self._about = about

    def of(self, verb: int) -> Certainty:
        """Return whether a verb is asserted: not about to swing, not "is not smiling"."""
        if self.denied(verb) or self._is_of_nobody(verb):
            return "denied"
        head, relation = self._tree.heads[verb], self._tree.deps[verb]
        for child in self._tree.children[verb]:
            word, dep = self._tree.words[child], self._tree.deps[child]
            if dep == "aux" and (word in UNCERTAIN or (word == "to" and self._leaves_open(head))):
                return "hedged"
            if (dep == "advmod" and word in HEDGES) or (dep == "mark" and word in _BEFORE_IT_HAPPENS):
                return "hedged"
            if dep == "mark" and word == "like" and self._leaves_open(head):
                return "hedged"  # it looks like he is asleep
        if relation == "pcomp" and self._tree.words[head] in {"without", "before"}:
            return "denied" if self._tree.words[head] == "without" else "hedged"
        if relation == "conj" and self._tree.tags[verb] == "VB" and self._tree.is_verb(head):
            # "About to jump and turn": the second verb has no "to" of its own.
            return (
                "hedged"
                if any(self._tree.words[child] == "to" for child in self._tree.dependents(head, "aux"))
                else "said"
            )
        return "said"

    def _leaves_open(self, head: int) -> bool:
        """Whether a word leaves open if what follows "to" happens: about to jump, trying to catch."""
        word = self._tree.words[head]
        return word in _OPEN or (self._tree.is_verb(head) and self._tree.participle(head) in _OPEN)

    def _is_of_nobody(self, verb: int) -> bool:
        """Whether a verb is denied by whom it is about: no people, nobody, neither the man nor the woman."""
        for noun in self._tree.dependents(verb, "nsubj", "nsubjpass"):
            if self._tree.words[noun] in _NOBODY:
                return True
        return any(
            self._tree.words[child] in _NOBODY
            for noun in self._about(verb)
            for other in self._wanted[noun][:_FARTHEST]
            for child in self._tree.dependents(other, "det", "preconj", "neg", "cc")
            if child < other
        )

    def denied(self, index: int) -> bool:
        """Whether a word stands before another that denies it; after a copula or have it may follow."""
        return any(
            self._tree.deps[child] == "neg"
            or (
                self._tree.deps[child] in {"advmod", "cc", "det", "preconj"}
                and self._tree.words[child] in _NOT
            )
            for child in self._tree.children[index]
            if child < index or self._tree.words[index] in {*BE, *HAVE}
        )
