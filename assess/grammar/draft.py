"""A tree that is being repaired: its tags, relations and chunks can be changed."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from assess.grammar.memory import Memory
from assess.grammar.tree import SEVERAL_OF_THEM, Tree
from assess.grammar.verbs import BE
from assess.records import Annotation, Chunk

IN_PHRASE = frozenset({"advmod", "amod", "compound", "det", "nmod", "nummod", "poss", "predet", "punct"})
"""The relations of words before a noun to it, or to one another."""
NOUNS = frozenset({"NN", "NNS"})
"""The tags of common nouns."""
OTHERS = frozenset({"another", "one", "other"})
"""Words for people other than those mentioned before."""
BEFORE_SINGULAR = frozenset({"a", "an", "another", "each", "every", "one", "this"})
"""Words that precede a singular noun."""
NEAR = 8
"""Number of words to look back for an article; no noun phrase in a caption is longer."""
_OUTSIDE = -1
_NO_CHUNK = Chunk(sys.maxsize, sys.maxsize)
_REMEMBERED = 100_000
_LONGEST = 12
"""Number of words to look back within a noun phrase; none in a caption is longer."""


class Draft:
    """A tree that can be changed."""

    def __init__(self, tree: Tree) -> None:
        self.old = tree
        self.tags = list(tree.tags)
        self.heads = list(tree.heads)
        self.deps = list(tree.deps)
        self.changed = False
        self._chunks = len(tree.chunks)  # number of chunks created so far

    @cached_property
    def _chunk_of(self) -> list[int]:
        """The number of each word's chunk."""
        found = [_OUTSIDE] * len(self.tags)
        for number, chunk in enumerate(self.old.chunks):
            first = bisect_left(self.old.offsets, chunk.start)
            for index in range(first, bisect_left(self.old.offsets, chunk.end)):
                found[index] = number
        return found

    def children(self, index: int, *relations: str) -> list[int]:
        """Return the current dependents of a word that the parser attached to it by these relations."""
        return [
            child
            for child in self.old.children[index]
            if self.heads[child] == index and (not relations or self.deps[child] in relations)
        ]

    def in_chunk(self, index: int) -> bool:
        """Whether a word is part of a noun chunk."""
        return self._chunk_of[index] != _OUTSIDE

    def tag(self, index: int, tag: str) -> None:
        """Change the tag of a word."""
        self.tags[index] = tag
        self.changed = True

    def attach(self, index: int, head: int, relation: str) -> None:
        """Attach a word to another; a word that is attached to itself is a root."""
        self.heads[index], self.deps[index] = head, relation
        self.changed = True

    def replace(self, old: int, new: int) -> None:
        """Attach a word to the head of another one, in its place."""
        head = self.heads[old]
        relation = "pobj" if self.deps[old] == "pcomp" else self.deps[old]
        self.attach(new, new if head == old else head, relation)

    def cut(self, index: int) -> None:
        """Remove a word from its chunk; the rest of the chunk becomes a chunk of its own."""
        number = self._chunk_of[index]
        if number == _OUTSIDE:
            return
        self._chunk_of[index] = _OUTSIDE
        self._renumber(index + 1, number)

    def _renumber(self, index: int, number: int) -> None:
        """Give the rest of a chunk, from here on, a number of its own."""
        while index < len(self.tags) and self._chunk_of[index] == number:
            self._chunk_of[index] = self._chunks
            index += 1
        self._chunks += 1
        self.changed = True

    def make_phrase(self, noun: int) -> None:
        """Make a chunk of a noun and the preceding words that are attached to it."""
        first = noun
        while (
            first
            and noun - first < _LONGEST
            and first <= self.heads[first - 1] <= noun
            and self.deps[first - 1] in IN_PHRASE
        ):
            first -= 1
        while first < noun and self.deps[first] == "punct":
            first += 1
        self._renumber(noun + 1, self._chunk_of[noun] if self.in_chunk(noun) else -2)
        for index in range(first, noun + 1):
            self._chunk_of[index] = self._chunks
        self._chunks += 1
        self.changed = True

    def result(self) -> Tree:
        """Return the tree with all changes; the same object if there are none."""
        if not self.changed:
            return self.old
        old = self.old.annotation
        return Tree(
            Annotation(
                old.words, old.offsets, tuple(self.tags), self._runs(), tuple(self.heads), tuple(self.deps)
            )
        )

    def _runs(self) -> tuple[Chunk, ...]:
        words, offsets = self.old.annotation.words, self.old.offsets
        found: list[Chunk] = []
        last = _OUTSIDE
        for index, number in enumerate(self._chunk_of):
            if number != _OUTSIDE:
                start = found.pop().start if number == last else offsets[index]
                found.append(Chunk(start, offsets[index] + len(words[index])))
            last = number
        return tuple(found)


def has_loose_noun(tree: Tree) -> bool:
    """Whether a noun is in no chunk."""
    chunks = iter(tree.chunks)
    start, end = next(chunks, _NO_CHUNK)
    for index in loose_nouns(tree.words, tree.tags, tree.deps):
        at = tree.offsets[index]
        while end <= at:
            start, end = next(chunks, _NO_CHUNK)
        if at < start:
            return True
    return False


def loose_nouns(words: Sequence[str], tags: Sequence[str], deps: Sequence[str]) -> list[int]:
    """Return the nouns that should be in a chunk: those that do not modify another noun."""
    return [
        index
        for index, tag in enumerate(tags)
        if (tag in NOUNS or (tag == "CD" and words[index + 1 : index + 2] == ("of",)))
        and (deps[index] not in IN_PHRASE or words[index : index + 3] == ("close", "up", "of"))
    ]


class KnownWords:
    """What the taxonomy says about words: which name people, and which name clothes or possessions."""

    def __init__(
        self, nouns: frozenset[str], reads: Callable[[str], bool], choose_signs: ChooseSigns
    ) -> None:
        self.nouns = nouns
        self.reads = reads
        self._choose = choose_signs
        self.signs = Memory(self._signs, most=_REMEMBERED)
        """The signs of an error to look for at a word, by the word with its tag and relation."""
        self._worn = Memory(self._is_worn, most=_REMEMBERED)

    def is_worn(self, word: str) -> bool:
        """Whether a word names clothes, or a colour for clothes, which cannot be the subject of an action."""
        return self._worn[word]

    def _signs(self, facts: WordFacts) -> tuple[Sign, ...]:
        return tuple(self._choose(*facts, self))

    def _is_worn(self, word: str) -> bool:
        return word not in self.nouns and self.reads(f"wearing {word}") and self.reads(f"in {word}")

    def is_had(self, word: str) -> bool:
        """Whether a word names something that people wear or have: with a beard."""
        return self.is_worn(word) or self.reads(f"with {word}")


WordFacts = tuple[str, str, str]
"""A word in lower case, its tag and its relation."""
Sign = Callable[[Tree, int, KnownWords], bool]
"""Whether the word at an index of a tree may be wrong, judging by the words around it."""
ChooseSigns = Callable[[str, str, str, KnownWords], Iterable[Sign]]
"""Chooses the signs of an error to look for at a word with its tag and relation."""


class TreeChanges:
    """The changes to a tree that repairs are made of."""

    def __init__(self, tree: Tree, known: KnownWords) -> None:
        self.draft = Draft(tree)
        self._known = known
        self._nouns = known.nouns
        self._reads = known.reads
        self._words = tree.words
        self._tags, self._heads, self._deps = self.draft.tags, self.draft.heads, self.draft.deps

    def _worn(self, index: int) -> bool:
        """Whether a word names clothes, or their colour, neither of which can be the subject of an action."""
        return index >= 0 and self._known.is_worn(self._words[index])

    def _had(self, index: int) -> bool:
        """Whether a word names something that people wear or have: with a beard."""
        return index >= 0 and self._known.is_had(self._words[index])

    def _become_verb(self, index: int, tag: str) -> None:
        self.draft.tag(index, tag)
        self.draft.cut(index)

    def _take_subject(self, verb: int) -> None:
        """Turn a noun with an object into a verb: helping a child swing a bat."""
        noun = verb - 1
        if noun < 0 or self._words[noun] not in self._nouns:
            return
        if self._heads[noun] != verb or self._deps[noun] != "compound":
            return
        self._give_phrase(verb, noun)
        self.draft.attach(noun, verb, "nsubj")
        if self._tags[verb] != "VBG":
            self.draft.tag(verb, "VBZ" if self._words[verb].endswith("s") else "VBP")
        self.draft.cut(verb)
        self.draft.make_phrase(noun)

    def _give_phrase(self, verb: int, noun: int) -> None:
        """Attach the modifiers of a word that is now a verb to the noun before it."""
        for child in self.draft.children(verb, *IN_PHRASE):
            if child < noun:
                self.draft.attach(child, noun, self._deps[child])

    def _take_verb_out(self, index: int, noun: int, tag: str) -> None:
        """Make the noun before a verb the head of its phrase, and attach the verb to its subject."""
        last = self._heads[index]
        if last == noun:
            self.draft.attach(index, self._owner_of(noun), "acl")
            for child in self.draft.children(noun):
                if child > index:
                    self.draft.attach(child, index, self._deps[child])
            self._become_verb(index, tag)
            return
        inside = self._deps[index] in {"amod", "compound"} and last > index
        root = last if inside else index
        self.draft.replace(root, noun)
        for other in range(max(0, noun - NEAR), noun):
            if self._heads[other] in {index, root}:
                self.draft.attach(other, noun, self._deps[other])
        if self._tags[noun] not in NOUNS:
            self.draft.tag(noun, "NN")
        if inside:
            self.draft.attach(root, index, "dobj")
        about = noun if tag == "VBG" or self._words[noun] in self._nouns else self._owner_of(noun)
        following = index + 1
        if (
            tag == "VBZ"
            and following < len(self._tags)
            and self._tags[following] in NOUNS
            and about in self.draft.children(following, "nsubj")
        ):
            # A boy in a red shirt dumps water: "water" is not the verb.
            self.draft.replace(following, index)
            self.draft.attach(following, index, "dobj")
            self.draft.attach(about, index, "nsubj")
        else:
            self.draft.attach(index, about, "acl")
        for word in range(noun + 1, index):
            self.draft.cut(word)
        self._become_verb(index, tag)

    def _take_from_color(self, index: int, tag: str) -> None:
        """Make a colour or a number a phrase of its own, and a verb of what follows: in pink jumps."""
        opening = self._heads[index]
        relation = "pobj" if self._deps[index] == "pcomp" else self._deps[index]
        # In red and white playing: the second colour is attached to the first.
        first = index - 3 if self._words[index - 2] == "and" else index - 1
        self.draft.attach(first, opening, relation)
        self.draft.attach(index, self._heads[opening], "acl")
        for child in (*self.draft.children(opening, "dobj"), *self.draft.children(index, "appos")):
            if child > index:
                self.draft.attach(child, index, "dobj")  # wearing white dribbles the ball
        self._become_verb(index, tag)

    def _repair_object_of_color(self, index: int) -> bool:
        """Make a verb of a participle between a colour and its object: a woman in red dancing tango."""
        color, last = index - 1, self._heads[index]
        opening = self._heads[last]
        if self._deps[index] not in {"amod", "compound"} or last != index + 1 or opening != index - 2:
            return False
        if self._words[opening] != "in" or self._heads[color] != last or not self._worn(color):
            return False
        self.draft.attach(color, opening, "pobj")
        self.draft.attach(index, self._heads[opening], "acl")
        self.draft.attach(last, index, "dobj")
        self._become_verb(index, "VBG")
        return True

    def _take_object(self, index: int) -> None:
        """Make a phrase the object of the participle at its beginning."""
        root = self._heads[index]
        self.draft.attach(index, self._heads[root], "acl")
        self.draft.attach(root, index, "dobj")
        self.draft.cut(index)

    def _owner_of(self, noun: int) -> int:
        """Return the noun that a phrase belongs to: the woman in "a woman in a blue coat"."""
        index, nearest = noun, None
        for _ in range(NEAR):
            if self._heads[index] == index:
                break
            index = self._heads[index]
            if self._words[index] in self._nouns:
                return index
            if nearest is None and self._tags[index] in NOUNS:
                nearest = index
        return noun if nearest is None else nearest

    def _become_noun(self, index: int) -> None:
        """Make a noun of a word with a subject before it and clauses after it: runners sprinting."""
        self.draft.tag(index, "NNS" if self._words[index].endswith("s") else "NN")
        for child in self.draft.children(index):
            if child < index and self._deps[child] in {"nsubj", "npadvmod", "intj"}:
                self._give_phrase(child, index)
                self.draft.attach(child, index, "compound")
            elif child > index and self._deps[child] in {"ccomp", "xcomp"}:
                self.draft.attach(child, index, "acl")
        self.draft.make_phrase(index)

    def _repair_auxiliary(self, index: int) -> None:
        """Make a main verb of an auxiliary without another verb: people talking surrounded by snow."""
        if self._words[index] not in {"being", "getting", "having"}:
            verb = self._heads[index]
            self.draft.attach(index, self._heads[verb] if self._heads[verb] < index else verb, "acl")

    def _verb_above(self, index: int, tag: str = "VBZ") -> int | None:
        """Return the present-tense verb that a noun belongs to: wears a hat and smiles."""
        for _ in range(NEAR):
            if self._tags[index] == tag and self._words[index] not in BE:
                return index
            index = self._heads[index]
        return None

    def _has_subject(self, index: int) -> bool:
        """Whether the parser gave the word a subject, which nouns do not have."""
        for noun in self.draft.children(index, "nsubj"):
            tag, word = self._tags[noun], self._words[noun]
            if noun < index and (tag in NOUNS or tag == "PRP" or word in OTHERS):
                return True
        return False

    def _follows_word_for_some(self, index: int) -> bool:
        """Whether "two", "one" and the like directly precede a participle: two swimming and one diving."""
        word, relation = self._words[index - 1], self._deps[index - 1]
        somebody = word in OTHERS or word in SEVERAL_OF_THEM
        inside = self._heads[index - 1] == index and relation in {"amod", "det", "nsubj", "nummod"}
        return somebody and inside and self._deps[index] in {"appos", "conj"}

    def _before_phrase(self, noun: int) -> int:
        """Return the word before a noun and its modifiers."""
        first = noun
        while first and noun - first < NEAR and first <= self._heads[first - 1] <= noun:
            first -= 1
        return first - 1

    def look_at_root(self, noun: int) -> None:
        """Attach a noun to the word before "and", if the parser made it a root: and a green tie."""
        if self._tags[noun] not in NOUNS:
            return
        joint = self._before_phrase(noun)
        first = self._heads[joint] if joint > 0 else noun
        if self._deps[joint] != "cc" or first >= joint or self._tags[first] not in NOUNS:
            return
        above = first
        for _ in range(len(self._words)):
            if self._heads[above] in {above, noun}:
                break
            above = self._heads[above]
        if self._heads[above] == noun:
            self.draft.attach(above, above, "ROOT")
            self.draft.attach(noun, first, "conj")

    def look_at_number(self, sign: int) -> None:
        """Make a player the head instead of the number on the shirt: hockey player # 44 skates."""
        noun = sign - 1
        if noun < 0 or self._words[noun] not in self._nouns:
            return
        root = next((i for i in (sign, sign + 1) if i < len(self._words) and self._heads[noun] == i), None)
        if root is not None:
            self.draft.replace(root, noun)
            self._give_phrase(root, noun)
            self.draft.attach(root, noun, "nmod")
            self.draft.make_phrase(noun)

    def find_loose_nouns(self) -> None:
        """Make a chunk of a noun that the parser left in none: "two cooks chopping, one stirs"."""
        for index in loose_nouns(self._words, self._tags, self._deps):
            if not self.draft.in_chunk(index):
                self.draft.make_phrase(index)
