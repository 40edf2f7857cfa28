"""Which of several coordinated nouns share what is said: a man and a woman sitting, in a red dress."""

from __future__ import annotations

from collections.abc import Mapping

from assess.grammar.tree import ALL_OF_THEM, OTHERS, PARTS, Nouns, Tree
from assess.grammar.verbs import DRESSED

# A single thing after one of these belongs to one person only: in a dress.
_OWNING = frozenset({"carrying", "holding", "in", "wearing", "with"})
# fmt: off
# Singular nouns that several people can wear or have: a man and a woman in black, with luggage.
_SHAREABLE = frozenset((
    "attire", "black", "blue", "brown", "camouflage", "clothing", "denim", "equipment", "formalwear", "garb",
    "gear", "gray", "green", "grey", "luggage", "orange", "pink", "purple", "red", "wear", "white", "yellow",
))
# fmt: on
# What these do, people do not: the presence of two umpires suggests a game.
_NOT_PEOPLE = frozenset({"absence", "appearance", "arrangement", "presence"})
FARTHEST = 8
"""Number of coordinated words to look back over; no list in a caption is longer."""


class Sharing:
    """The coordinated nouns of one annotated text."""

    def __init__(self, tree: Tree, wanted: Mapping[int, Nouns]) -> None:
        """`wanted` has the relevant nouns, each with the nouns that it is coordinated with."""
        self._tree = tree
        self._wanted = wanted

    def coordinated(self, noun: int) -> Nouns:
        """Return the wanted nouns among a noun and those joined with it: a man and his dog are walking."""
        found: list[int] = []
        stack = [noun]
        while stack:
            index = stack.pop()
            if index in self._wanted:
                found.append(index)
            stack += [
                child for child in self._tree.children[index] if self._tree.deps[child] in {"conj", "appos"}
            ]
            # Some of them are not all of them.
            of_them = not found and self._tree.words[index] not in _NOT_PEOPLE
            if (self._tree.words[index] in PARTS and index not in self._wanted) or of_them:
                stack += self._tree.inner(index)
        if found and len(self._wanted[found[0]]) > len(found):
            # A woman with a dog and a boy with a cat: the boy was joined to the dog.
            found += [
                other for other in self._wanted[found[0]] if other not in found and self._is_stray(other)
            ]
        return tuple(sorted(found))

    def _is_stray(self, noun: int) -> bool:
        """Whether a noun was joined to the object of "in" or "with" instead of the noun before it."""
        return self._tree.deps[noun] == "conj" and self._tree.heads[noun] not in self._wanted

    def shared(self, noun: int, index: int) -> Nouns:
        """Return a noun with the coordinated nouns that share what follows: a man and a woman sitting."""
        joined = self._wanted[noun]
        if len(joined) > FARTHEST:
            return (noun,)  # a list that loops
        if len(joined) < 2 or index < joined[-1] or not self._holds_for_all(index, joined):
            return (noun,) if index < joined[-1] or len(joined) < 2 else (joined[-1],)
        if self._tree.tags[index] in {"VBG", "VBP"} and all(self._is_dressed(each, index) for each in joined):
            return joined  # a man in black and a woman in red dancing
        alone = [other for other in joined if not self._is_described_before_next(other, joined)]
        return tuple(sorted({*alone, joined[-1]}))

    def _is_dressed(self, noun: int, index: int) -> bool:
        """Whether "in" and clothes come between a noun and another word: a man in black dancing."""
        return any(
            noun < child < index and self._tree.words[child] == "in"
            for child in self._tree.dependents(noun, "prep")
        )

    def _is_described_before_next(self, noun: int, joined: Nouns) -> bool:
        """Whether a noun is described before the next one: a man in a hat and a woman sitting."""
        later = [other for other in joined if other > noun]
        return bool(later) and any(
            noun < child < later[0] and self._tree.deps[child] in {"acl", "prep", "relcl"}
            for child in self._tree.children[noun]
        )

    def _holds_for_all(self, index: int, joined: Nouns) -> bool:
        """Whether what follows several nouns is about all of them; a single dress belongs to one."""
        if self._tree.words[index - 1] in ALL_OF_THEM:
            return True  # each holding a flag
        if self._tree.deps[index] == "relcl" and self._is_singular(index):
            return False  # a girl and a boy who is crying
        word = self._tree.participle(index) if self._tree.is_verb(index) else self._tree.words[index]
        owning = word in _OWNING or word in DRESSED
        if (owning or not self._tree.is_verb(index)) and any(
            self._tree.deps[noun] == "appos" or self._tree.words[noun] in OTHERS for noun in joined[1:]
        ):
            return False  # two men, one in red
        if not owning:
            return True
        objects = self._tree.dependents(index, "dobj", "pobj")
        if word in DRESSED:
            objects += [
                noun
                for opening in self._tree.dependents(index, "prep")
                for noun in self._tree.dependents(opening, "pobj")
            ]
        return (bool(objects) or word in DRESSED) and not any(map(self._is_single, objects))

    def _is_singular(self, verb: int) -> bool:
        """Whether a verb has a singular form: is crying, but not "are crying"."""
        words = (verb, *self._tree.dependents(verb, "aux", "auxpass"))
        return any(self._tree.tags[word] == "VBZ" for word in words)

    def _is_single(self, noun: int) -> bool:
        """Whether a noun names a thing that only one person has: a dress, but not dresses or attire."""
        return self._tree.tags[noun] not in {"NNS", "NNPS"} and self._tree.words[noun] not in _SHAREABLE
