"""Whether the verbs of a caption are asserted, denied, or only possible: about to jump, not smiling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from assess.grammar.tree import Nouns, Tree
from assess.grammar.verbs import BE, HAVE, HEDGES, UNCERTAIN

Certainty = Literal["said", "hedged", "denied", "void"]

# fmt: off
# Words that leave open whether something happens.
_UNDECIDED = frozenset((
    "able", "about", "appearing", "attempting", "deciding", "determined", "expected", "failing", "going",
    "hoping", "intending", "likely", "looking", "planning", "poised", "prepared", "preparing", "pretending",
    "ready", "refusing", "seeming", "set", "supposed", "trying", "unable", "waiting", "wanting", "wishing",
))
# fmt: on
_NOT_QUITE = HEDGES | {"almost", "nearly"}  # what almost happens does not
_ENDING = frozenset({"quit", "quits", "quitting", "stop", "stopped", "stopping", "stops"})
_NOBODY = frozenset({"neither", "no", "nobody", "none"})
_NOT = frozenset({"barely", "hardly", "n't", "neither", "never", "no", "not"})
_NOT_YET_DENIED = frozenset({"to", *UNCERTAIN} - {"can", "could"})  # but "cannot" does deny a verb
_BEFORE_IT_HAPPENS = frozenset({"before", "if", "unless", "until"})
_DOUBTS = (
    UNCERTAIN
    | _NOT_QUITE
    | _ENDING
    | _BEFORE_IT_HAPPENS
    | _NOBODY
    | _NOT
    | {"for", "how", "like", "that", "to", "without"}
)
"""If something is not asserted, the text contains one of these, or the parser marks a negation."""
_BE_OR_HAVE = BE | HAVE
_LISTED = 8
"""Number of coordinated nouns to check for a negation; no sensible list in a caption is longer."""


class Certainties:
    """Determines whether the verbs of one text are asserted, denied or only possible."""

    def __init__(self, tree: Tree, wanted: Mapping[int, Nouns], about: Callable[[int], Nouns]) -> None:
        self._tree = tree
        self._wanted = wanted
        self._about = about
        self.plain = _DOUBTS.isdisjoint(tree.words) and "neg" not in tree.relations
        """Whether nothing in the text is denied or left open."""

    def of(self, verb: int) -> Certainty:
        """Return how certain a verb is: "about to swing" is hedged, "is not smiling" is denied."""
        if self.plain:
            return "said"
        certainty, joined = self._look_at(verb), False
        while certainty is None:  # about to jump and turn, appears to be working or studying
            verb, joined = self._tree.heads[verb], True
            certainty = self._look_at(verb)
        return "said" if joined and certainty != "hedged" else certainty

    def _look_at(self, verb: int) -> Certainty | None:
        """Return how certain a verb is by its own words; None if it is as the one that it is joined to."""
        if self._is_of_nobody(verb):
            return "void"
        if self.denied(verb):
            # "A sign says not to feed the animals" does not say whether anybody feeds them.
            auxiliaries = {self._tree.words[child] for child in self._tree.dependents(verb, "aux")}
            return "void" if auxiliaries & _NOT_YET_DENIED else "denied"
        head, relation = self._tree.heads[verb], self._tree.deps[verb]
        for child in self._tree.children[verb]:
            word, dep = self._tree.words[child], self._tree.deps[child]
            if dep == "aux" and (word in UNCERTAIN or (word == "to" and self._leaves_open(head))):
                return "hedged"
            if (dep == "advmod" and word in _NOT_QUITE) or (dep == "mark" and word in _BEFORE_IT_HAPPENS):
                return "hedged"
            if dep == "mark" and word in {"like", "that"} and self._leaves_open(head):
                return "hedged"  # it looks like he is asleep, hoping that he wins
        if self.is_ended(verb):
            return "denied"
        if self._is_asked_for(verb):
            return "hedged"
        if relation in {"pcomp", "pobj"} and (opening := self._after_opening(head)) is not None:
            return opening
        joined = relation == "conj" and head != verb and self._tree.tags[verb] == self._tree.tags[head]
        return None if joined and self._is_bare(verb) else "said"

    def _after_opening(self, preposition: int) -> Certainty | None:
        """Return the effect of a preposition on a verb: without skating, before eating, ready for running."""
        word = self._tree.words[preposition]
        if word == "without":
            return "denied"
        open_ = word == "for" and self._leaves_open(self._tree.heads[preposition])
        return "hedged" if open_ or word == "before" else None

    def is_ended(self, verb: int) -> bool:
        """Whether a verb states what is no longer done: stopped smoking, but not "stopped to smoke"."""
        ended = self._tree.deps[verb] == "xcomp" and self._tree.words[self._tree.heads[verb]] in _ENDING
        return ended and not self._has_to(verb)

    def _is_asked_for(self, verb: int) -> bool:
        """Whether a verb with "to" states what others should do: food for guests to eat, how to swim."""
        openings = [self._tree.words[child] for child in self._tree.dependents(verb, "advmod", "mark")]
        if self._tree.deps[verb] == "relcl":
            # Waiting for someone to throw a ball.
            openings.append(self._tree.words[self._tree.heads[self._tree.heads[verb]]])
        return ("for" in openings or "how" in openings) and self._has_to(verb)

    def _has_to(self, verb: int) -> bool:
        return any(self._tree.words[child] == "to" for child in self._tree.dependents(verb, "aux"))

    def _is_bare(self, verb: int) -> bool:
        """Whether a verb that is coordinated with another has no subject and no auxiliary of its own."""
        return not self._tree.dependents(verb, "aux", "nsubj", "nsubjpass")

    def _leaves_open(self, head: int) -> bool:
        """Whether a word leaves open whether what follows "to" happens: about to jump, trying to catch."""
        word = self._tree.words[head]
        return word in _UNDECIDED or (self._tree.is_verb(head) and self._tree.participle(head) in _UNDECIDED)

    def _is_of_nobody(self, verb: int) -> bool:
        """Whether a verb is denied by its subject: no people, nobody, neither the man nor the woman."""
        for noun in self._tree.dependents(verb, "nsubj", "nsubjpass"):
            if self._tree.words[noun] in _NOBODY:
                return True
        return any(
            self._tree.words[child] in _NOBODY
            for noun in self._about(verb)
            for other in self._wanted[noun][:_LISTED]
            for child in self._tree.dependents(other, "det", "preconj", "neg", "cc")
            if child < other
        )

    def doubted(self, index: int) -> bool:
        """Whether an adverb leaves open whether an adjective applies: possibly asleep."""
        return not self.plain and any(
            self._tree.words[child] in HEDGES for child in self._tree.dependents(index, "advmod")
        )

    def denied(self, index: int) -> bool:
        """Whether a negation precedes a word; after a copula or "have", it may also follow."""
        return not self.plain and any(
            self._tree.deps[child] == "neg"
            or (
                self._tree.deps[child] in {"advmod", "cc", "det", "preconj"}
                and self._tree.words[child] in _NOT
            )
            for child in self._tree.children[index]
            if child < index or self._tree.words[index] in _BE_OR_HAVE
        )
