"""What a caption says about its nouns after them: verbs, predicates, and phrases with a preposition.

All of it is read off the dependency parse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from assess.grammar.subjects import Reads, Subjects
from assess.grammar.tree import OTHERS, PARTS, Nouns, Tree
from assess.grammar.verbs import BE, DRESSED, HAVE, HEDGES, SHOWING, UNCERTAIN

Certainty = Literal["said", "hedged", "denied"]

OF_PICTURES = frozenset({"depicting", "displaying", "featuring", "hanging", "including", "showing"})
"""What a picture of somebody does, and not the one in it."""
# fmt: off
# Past forms that are participles too.
_PASSIVE = frozenset((
    "bound", "brought", "built", "caught", "found", "held", "kept", "left", "lost", "made", "shot", "stuck",
))
_WEARING = frozenset({"donning", "sporting", "wearing"})
_SEEMING = frozenset((
    "appearing", "becoming", "feeling", "getting", "looking", "remaining", "seeming", "staying", "turning",
))
# What leaves open whether something happens.
_OPEN = frozenset((
    "able", "about", "appearing", "attempting", "deciding", "expected", "failing", "going", "hoping",
    "intending", "likely", "looking", "planning", "poised", "prepared", "preparing", "pretending", "ready",
    "refusing", "seeming", "set", "supposed", "trying", "waiting", "wanting", "wishing",
))
_ATTEMPTING = frozenset((
    "attempting", "going", "hoping", "intending", "planning", "preparing", "trying", "wanting",
))
# Doing something with a thing is more than having it along.
_ACTING_WITH = frozenset((
    "covered", "cutting", "decorated", "drawing", "eating", "fighting", "filled", "painting", "playing",
    "surrounded", "working", "writing",
))
_STATES_OF_PARTS = frozenset((
    "back", "bare", "closed", "crossed", "down", "exposed", "folded", "off", "on", "open", "out",
    "outstretched", "raised", "up",
))
# fmt: on
_AT_TABLE = frozenset({"bar", "counter", "desk", "table", "tables"})
# Next to a table with a cake: the cake is on the table.
_BESIDE = frozenset({"behind", "beside", "by", "near", "of", "to", "under"})
_DESCRIBING = frozenset({"advmod", "amod", "compound", "neg", "nmod", "npadvmod", "nummod"})
_PASSED_OVER = frozenset({",", ":", "CC", "DT", "HYPH", "POS", "PRP$"})
_DENYING = frozenset({"advmod", "cc", "det", "preconj"})
_NOBODY = frozenset({"neither", "no", "nobody", "none"})
_NOT = frozenset({"barely", "hardly", "n't", "neither", "never", "no", "not"})
_BEFORE_IT_HAPPENS = frozenset({"before", "if", "unless", "until"})
_ADJECTIVES = frozenset({"ROOT", "acl", "advcl", "amod", "appos", "conj", "relcl"})
_FARTHEST = 8  # words to look back over for what describes a noun


class Statement(NamedTuple):
    """A phrase about some nouns; sorted, statements are in the order of the text."""

    at: int  # the word that it ends in
    start: int  # its first word; what stands in between, such as an article, is not in the phrase
    phrase: str
    about: Nouns
    verb: str = ""  # the verb by itself, as a participle: what is read where the whole phrase is not
    active: bool = True  # somebody does it; not "surrounded"
    certainty: Certainty = "said"
    object: int | None = None  # the object's noun, if any
    optional: bool = False  # a phrase with a preposition, of which a taxonomy reads few


class Clauses:
    """The statements of one annotated text about the nouns that somebody asks for."""

    def __init__(self, tree: Tree, wanted: Mapping[int, Nouns], reader: Reads) -> None:
        """Take a text, the nouns that matter, each with those it is joined with, and what can be read."""
        self._tree = tree
        self._wanted = wanted
        self._reader = reader
        self._subjects = Subjects(tree, wanted, reader)
        self.about = self._subjects.about

    def asserts(self, verb: int) -> bool:
        """Whether what a verb says is said to be so."""
        return self._certainty(verb) == "said"

    def statements(self) -> list[Statement]:
        """Return everything that is said about the nouns, in the order of the text."""
        found: list[Statement] = []
        for index, (tag, relation) in enumerate(zip(self._tree.tags, self._tree.deps, strict=True)):
            if tag.startswith("VB") and relation not in {"aux", "auxpass", "amod", "compound"}:
                found += self._of_verb(index)
            elif relation == "prep":
                found += self._of_preposition(index)
            elif tag.startswith("JJ") and relation in _ADJECTIVES and self._tree.words[index] not in OTHERS:
                found += self._of_adjective(index)
        return sorted(found, key=lambda statement: (statement.at, statement.start, statement.phrase))

    def _of_verb(self, verb: int) -> Iterator[Statement]:
        yield from self._of_agent(verb)
        about = self.about(verb)
        if not about:
            return
        certainty = self._certainty(verb)
        word = self._tree.words[verb]
        if word in BE:
            yield from self._of_copula(verb, about, certainty)
        elif word in HAVE:
            yield from self._objects("with", verb, about, certainty)
        else:
            yield from self._of_action(verb, about, certainty)

    def _of_action(self, verb: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        word, tag = self._tree.words[verb], self._tree.tags[verb]
        active = tag != "VBN" or self._has_have(verb)
        if tag == "VBD" and word in _PASSIVE and not self._tree.dependents(verb, "dobj"):
            active = False  # people caught in the rain
        form = self._tree.participle(verb) if active else word
        # Of "wearing a sarong", it is the sarong that was not understood: wearing alone says nothing.
        alone = "" if form in _WEARING else form
        objects = list(self._objects(form, verb, about, certainty, verb=alone)) if active else []
        yield from objects
        predicates = self._tree.dependents(verb, "acomp", "oprd")
        seems = certainty == "said" and form in {"appearing", "seeming"}
        for predicate in predicates:
            yield from self._qualities(predicate, about, "hedged" if seems else certainty)
        if objects or (form in DRESSED and self._is_dressed_in(verb)) or (predicates and form in _SEEMING):
            return
        if form in _ATTEMPTING and self._tree.dependents(verb, "xcomp"):
            return
        if word in self._reader.openings and self._is_read_with_preposition(verb, about):
            return
        particles = [self._tree.words[child] for child in self._tree.dependents(verb, "prt")]
        phrase = " ".join([form, *particles])
        yield Statement(verb, verb, phrase, about, form, active, certainty)

    def _is_read_with_preposition(self, verb: int, about: Nouns) -> bool:
        """Whether a verb says more with what follows: holding onto a rope."""
        prepositions = self._tree.dependents(verb, "prep")
        return any(True for each in prepositions for _ in self._of_verb_with(verb, each, about, "said"))

    def _is_dressed_in(self, verb: int) -> bool:
        """Whether it is said what somebody is dressed in, which then says more."""
        return any(
            self._tree.words[child] in {"as", "in", "like", "with"}
            for child in self._tree.dependents(verb, "prep")
        )

    def _has_have(self, verb: int) -> bool:
        return any(
            self._tree.words[child] in {*HAVE, "having"} for child in self._tree.dependents(verb, "aux")
        )

    def _of_agent(self, verb: int) -> Iterator[Statement]:
        """Yield what is done by somebody: a horse ridden by a man."""
        for by in self._tree.dependents(verb, "agent"):
            about = tuple(
                noun for obj in self._tree.dependents(by, "pobj") for noun in self._subjects.coordinated(obj)
            )
            if about:
                form = self._tree.participle(verb)
                yield Statement(verb, verb, form, about, form, True, self._certainty(verb))

    def _of_copula(self, verb: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        for child in self._tree.dependents(verb, "acomp", "oprd"):
            yield from self._qualities(child, about, certainty)
        for child in self._tree.dependents(verb, "attr"):
            # An adjective that the tagger took for a noun: is shirtless.
            if child not in self._wanted and not self._tree.dependents(child, "det", "poss", "nummod"):
                phrase = " ".join(self._described(child))
                yield Statement(child, child, phrase, about, certainty=certainty, optional=True)

    def _of_adjective(self, index: int) -> Iterator[Statement]:
        head = self._tree.heads[index]
        if head in self._wanted and index > head:
            yield from self._qualities(index, self._subjects.shared(head, index), "said")

    def _qualities(self, index: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        stack = [(index, certainty)]
        while stack:
            index, certainty = stack.pop()
            if self._tree.tags[index][:2] not in {"JJ", "VB"}:
                continue
            own: Certainty = "denied" if self._denied(index) else certainty
            if self._tree.words[index] not in {"about", "able", "likely", "ready"}:
                yield Statement(index, index, self._tree.words[index], about, certainty=own)
            if not self._tree.is_verb(index):
                # Neither tall nor happy: what is joined is denied too.
                stack += [(child, own) for child in self._tree.dependents(index, "conj")]

    def _of_preposition(self, preposition: int) -> Iterator[Statement]:
        head, word = self._tree.heads[preposition], self._tree.words[preposition]
        before = preposition - 1
        openings = self._reader.openings
        if word not in openings and self._tree.words[head] not in openings:
            return
        if word in {"in", "with"} and before in self._wanted:
            # Whatever the parser attached it to: "talking to a man in a suit".
            about: Nouns = self._subjects.shared(before, preposition)
        else:
            about = self.about(preposition)
        if not about:
            return
        certainty: Certainty = "said"
        if self._tree.is_verb(head) and self._tree.words[head] not in BE and head not in self._wanted:
            certainty = self._certainty(head)
            if (
                word == "with"
                and before not in self._wanted
                and self._is_used_or_lies_there(head, preposition)
            ):
                return
            if self._tree.tags[head] in {"VBG", "VBN"} and not self._tree.dependents(head, "dobj"):
                with_verb = list(self._of_verb_with(head, preposition, about, certainty))
                yield from with_verb
                if with_verb:
                    return
        # Where somebody is, after "in" or "at", no taxonomy lists; what they have, after "with", it may.
        own = word == "with" and head in self._wanted
        for statement in self._objects(word, preposition, about, certainty):
            yield statement._replace(optional=not own)

    def _of_verb_with(
        self, verb: int, preposition: int, about: Nouns, certainty: Certainty
    ) -> Iterator[Statement]:
        """Yield a verb with its preposition and object, where a taxonomy reads that: dressed in black."""
        opening = f"{self._tree.words[verb]} {self._tree.words[preposition]}"
        start = verb if verb == preposition - 1 else preposition
        for statement in self._objects(opening, preposition, about, certainty, start=start):
            if self._reader.reads(statement.phrase):
                yield statement._replace(optional=True)

    def _is_used_or_lies_there(self, verb: int, preposition: int) -> bool:
        """Whether what follows "with" is a tool or on a table: cutting a cake with a knife."""
        if self._tree.participle(verb) in SHOWING:
            return False
        if self._tree.dependents(verb, "dobj") or self._tree.words[verb] in _ACTING_WITH:
            return True
        places = [
            noun
            for child in self._tree.dependents(verb, "prep")
            if child < preposition
            for noun in self._tree.dependents(child, "pobj")
        ]
        before = preposition - 1
        beside = self._tree.is_noun(before) and self._tree.words[self._tree.heads[before]] in _BESIDE
        return beside or any(self._tree.words[noun] in _AT_TABLE for noun in places)

    def _objects(
        self,
        opening: str,
        governor: int,
        about: Nouns,
        certainty: Certainty,
        *,
        verb: str = "",
        start: int | None = None,
    ) -> Iterator[Statement]:
        """Yield a statement for each object, joined ones too: with a beard, with glasses."""
        first = governor if start is None else start
        stack = [(noun, first) for noun in reversed(self._direct_objects(governor))]
        while stack:
            noun, begin = stack.pop()
            named = self._named(noun)
            words = [opening, *self._described(named)]
            words += self._state(noun, governor, " ".join(words))
            own_verb, nothing = verb, False
            if any(self._tree.words[child] == "no" for child in self._tree.dependents(noun, "det", "neg")):
                # With no hat, wearing no shirt: what somebody is without may still say something.
                words[0], own_verb, nothing = "without", "", True
            phrase = " ".join(words)
            yield Statement(
                max(named, noun), begin, phrase, about, own_verb, True, certainty, named, optional=nothing
            )
            stack += [
                # A joined object stands far from the opening, with another one in between.
                (child, min([child, *self._tree.children[child]]))
                for child in reversed(self._tree.dependents(noun, "conj"))
                if self._tree.is_noun(child)
            ]

    def _direct_objects(self, governor: int) -> list[int]:
        """Return the objects of a verb or preposition, with those that were joined to something else."""
        found = self._tree.dependents(governor, "pobj", "dobj")
        if not found:
            return found
        strays = self._tree.dependents(governor, "conj") if self._tree.is_verb(governor) else []
        owner = self._tree.heads[governor]
        if self._tree.words[governor] in {"in", "with"} and owner in self._wanted:
            # "A woman in pearls and a blue gown": the gown is joined to the pearls, not to the woman.
            strays = [child for child in self._tree.dependents(owner, "conj") if child > found[-1]]
        return found + [
            noun
            for noun in strays
            if self._tree.tags[noun].startswith("NN") and noun not in self._wanted and noun > found[-1]
        ]

    def _described(self, noun: int) -> list[str]:
        """Return a noun with the words before it that describe it: long sleeve red shirt."""
        first = noun
        for _ in range(_FARTHEST):
            before = [
                child
                for child in self._tree.children[first]
                if child < first and self._tree.deps[child] in _DESCRIBING
            ]
            if not before:
                break
            first = before[0]
        tags = self._tree.tags
        return [
            self._tree.words[i] for i in range(first, noun + 1) if tags[i] not in _PASSED_OVER or i == noun
        ]

    def _named(self, noun: int) -> int:
        """Return the noun that is meant: the glasses in "a pair of glasses"."""
        inner = self._tree.inner(noun) if self._tree.words[noun] in PARTS else []
        return inner[0] if inner else noun

    def _state(self, noun: int, governor: int, phrase: str) -> list[str]:
        """Return the state of a part of the body or of clothes: with his shirt off, with arms crossed."""
        last, opening = noun + 1, self._tree.words[governor]
        if last >= len(self._tree.words) or self._tree.words[last] not in _STATES_OF_PARTS:
            return []
        if opening != "with" and opening not in HAVE:
            return []
        following = self._tree.dependents(last, "pobj", "dobj")
        state = self._tree.words[last]
        return [state] if not following and self._reader.reads(f"{phrase} {state}") else []

    def _certainty(self, verb: int) -> Certainty:
        """Return whether a verb is asserted: not about to swing, not "is not smiling"."""
        if self._denied(verb) or self._is_of_nobody(verb):
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
            for noun in self.about(verb)
            for other in self._wanted[noun][:_FARTHEST]
            for child in self._tree.dependents(other, "det", "preconj", "neg", "cc")
            if child < other
        )

    def _denied(self, index: int) -> bool:
        return any(
            self._tree.deps[child] == "neg"
            or (
                self._tree.deps[child] in {"advmod", "cc", "det", "preconj"}
                and self._tree.words[child] in _NOT
            )
            for child in self._tree.children[index]
            # "Is not": only after a copula or have does it follow.
            if child < index or self._tree.words[index] in {*BE, *HAVE}
        )
