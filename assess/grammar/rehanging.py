"""Changes to a parse that make a verb of a word that was taken for something else."""

from __future__ import annotations

from assess.grammar.draft import IN_PHRASE, Draft
from assess.records import Annotation

NOUNS = frozenset({"NN", "NNS"})
"""The tags of nouns that are no names."""
OTHERS = frozenset({"another", "one", "other"})
"""Words for somebody else than those named before."""
ONE = frozenset({"a", "an", "another", "each", "every", "one", "this"})
"""What stands before one thing only."""
NEAR = 8
"""Words to look back over for an article; no noun phrase of a caption is longer."""


class Rehanging:
    """An annotation while its verbs are put right, with the changes that do it."""

    def __init__(self, annotation: Annotation, nouns: frozenset[str]) -> None:
        self.draft = Draft(annotation)
        self._nouns = nouns
        self._words = self.draft.words
        self._tags, self._heads, self._deps = self.draft.tags, self.draft.heads, self.draft.deps

    def _become_verb(self, index: int, tag: str) -> None:
        self.draft.tag(index, tag)
        self.draft.cut(index)

    def _take_subject(self, verb: int) -> None:
        """Make a verb of a noun that has an object: helping a child swing a bat."""
        noun = verb - 1
        if noun < 0 or self._words[noun] not in self._nouns:
            return
        if self._heads[noun] != verb or self._deps[noun] != "compound":
            return
        for child in self.draft.children(verb, *IN_PHRASE):
            if child < noun:
                self.draft.hang(child, noun, self._deps[child])
        self.draft.hang(noun, verb, "nsubj")
        self._become_verb(verb, "VBZ" if self._words[verb].endswith("s") else "VBP")
        self.draft.make_phrase(noun)

    def _take_out(self, index: int, noun: int, tag: str) -> None:
        """Let the noun before a verb stand for its phrase, and hang the verb on what that is about."""
        last = self._heads[index]
        inside = self._deps[index] in {"amod", "compound"} and last > index
        root = last if inside else index
        self.draft.replace(root, noun)
        for other in range(max(0, noun - NEAR), noun):
            if self._heads[other] in {index, root}:
                self.draft.hang(other, noun, self._deps[other])
        if self._tags[noun] not in NOUNS:
            self.draft.tag(noun, "NN")
        if inside:
            self.draft.hang(root, index, "dobj")
        about = noun if tag == "VBG" else self._top(noun)
        following = index + 1
        if (
            tag == "VBZ"
            and self._tags[following] in NOUNS
            and about in self.draft.children(following, "nsubj")
        ):
            # A boy in a red shirt dumps water: not "the boy waters".
            self.draft.replace(following, index)
            self.draft.hang(following, index, "dobj")
            self.draft.hang(about, index, "nsubj")
        else:
            self.draft.hang(index, about, "acl")
        for word in range(noun + 1, index):
            self.draft.cut(word)
        self._become_verb(index, tag)

    def _take_object(self, index: int) -> None:
        """Make a phrase the object of the participle that opens it."""
        root = self._heads[index]
        self.draft.hang(index, self._heads[root], "acl")
        self.draft.hang(root, index, "dobj")
        self.draft.cut(index)

    def _top(self, noun: int) -> int:
        """Return the noun that a phrase belongs to: the woman, of "a woman in a blue coat"."""
        index = noun
        for _ in range(NEAR):
            if self._heads[index] == index:
                break
            index = self._heads[index]
            if self._tags[index] in NOUNS:
                return index
        return noun
