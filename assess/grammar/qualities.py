"""What a caption says people are and have, with adjectives, predicates and possessives: her hair is long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assess.grammar.certainty import Certainties, Certainty
from assess.grammar.objects import STATES_OF_PARTS, Objects, Statement
from assess.grammar.subjects import Reads, Subjects
from assess.grammar.tree import HELD_BY, PARTS, PLACES_TO_CARRY, SUBJECTS, Nouns, Tree
from assess.grammar.verbs import BE, DRESSED

_ADVERBIAL = frozenset({"advmod", "amod", "compound", "npadvmod", "punct"})
_LONGEST = 6  # number of words in a compound adjective: state-of-the-art
_ON_BODIES = frozenset({"across", "around", "behind", "from", "in", "on", "over", "under"})
# What things do that somebody wears or carries.
_HANGING = frozenset(
    {
        "clasping",
        "clutching",
        "draping",
        "gripping",
        "hanging",
        "resting",
        "slinging",
        "strapping",
        "tucking",
        "tying",
        "wrapping",
    }
)
_HINTS = PARTS | {"hint", "look", "touch"}
_LOOKING_WITH = frozenset({"eyes", "gaze"})
_LOOKS = frozenset({"directed", "fixed", "focused", "gaze", "locked", "look", "stare", "trained"})
_NO_QUALITIES = frozenset({"-", "about", "able", "likely", "next", "ready"})


class Qualities:
    """Finds the statements of adjectives and possessives in one annotated text."""

    def __init__(self, tree: Tree, wanted: Mapping[int, Nouns], reader: Reads) -> None:
        """`wanted` has the relevant nouns, each with the nouns that it is coordinated with."""
        self._tree = tree
        self._wanted = wanted
        self._reader = reader
        self._subjects = Subjects(tree, wanted, reader)
        self.about = self._subjects.about
        self._objects = Objects(tree, wanted, reader)
        self._certainties = Certainties(tree, wanted, self.about)

    def _of_copula(self, verb: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        for child in self._tree.dependents(verb, "acomp", "oprd"):
            yield from self._of_adjectives(child, about, certainty)
        for child in self._tree.dependents(verb, "attr"):
            # The tagger sometimes takes an adjective for a noun: is shirtless.
            if child not in self._wanted and not self._tree.dependents(child, "det", "poss", "nummod"):
                phrase = " ".join(self._objects.described(child))
                core = self._tree.words[child]
                yield Statement(child, child, phrase, about, certainty=certainty, core=core, optional=True)

    def _is_dressed_in(self, verb: int) -> bool:
        """Whether a verb is followed by what somebody is dressed in: dressed in black."""
        return any(
            self._tree.words[child] in {"as", "in", "like", "with"}
            for child in self._tree.dependents(verb, "prep")
        )

    def _of_whose(self, whose: int) -> Iterator[Statement]:
        """Yield statements about the possessions or body parts in a clause: a man whose hair is brown."""
        verb = self._tree.heads[self._tree.heads[whose]]
        owner = self._tree.heads[verb]
        if self._tree.deps[verb] == "relcl" and owner in self._wanted:
            yield from self._of_owner(whose, self._subjects.shared(owner, whose))

    def _of_owner(self, owner: int, about: Nouns) -> Iterator[Statement]:
        """Yield statements about somebody's possessions or body parts: her dress is red, his long beard."""
        noun = self._tree.heads[owner]
        words = self._objects.described(noun)
        yield from self._of_state(noun, owner, about, words)
        if len(words) > 1:
            # With a modifier, a possession describes its owner: her long hair, but not her racket.
            for opening in ("having", "in"):
                if self._reader.reads(phrase := " ".join([opening, *words])):
                    yield Statement(noun, owner, phrase, about, optional=True)
        if self._tree.words[noun] in PLACES_TO_CARRY:
            yield from self._of_body(noun, owner, about)

    def _of_state(self, noun: int, owner: int, about: Nouns, words: list[str]) -> Iterator[Statement]:
        """Yield the state of somebody's possessions or body parts: her hair is long, his arms are crossed."""
        verb = self._tree.heads[noun]
        helps = self._tree.deps[verb] in {"aux", "auxpass"}  # his eyes are closed
        verb = self._tree.heads[verb] if helps else verb
        certainty = self._certainties.of(verb) if self._tree.deps[noun] in SUBJECTS else "said"
        if self._tree.deps[noun] == "nsubj" and self._tree.words[verb] in BE:
            for at, phrase in self._predicated(noun, verb, words):
                yield Statement(at, owner, phrase, about, certainty=certainty, optional=True)
        elif (
            self._tree.deps[noun] == "nsubjpass"
            or helps
            or (
                verb == noun + 1
                and self._tree.words[verb] in STATES_OF_PARTS
                and self._tree.tags[verb] in {"VBD", "VBN"}
            )
        ):
            state = self._tree.words[verb]
            phrase = " ".join(["with", *words, state])  # whose arms are crossed
            if not self._reader.reads(phrase):
                phrase = " ".join(["with", state, *words])  # whose jeans are torn
            yield Statement(verb, owner, phrase, about, certainty=certainty, optional=True)
        elif self._tree.deps[noun] != "pobj" and self._is_placed(noun):
            phrase = f"with {self._tree.words[noun]} {self._tree.words[noun + 1]}"
            if self._reader.reads(phrase):  # she smiles, her hands on her hips
                yield Statement(noun + 1, owner, phrase, about, optional=True)

    def _of_body(self, part: int, owner: int, about: Nouns) -> Iterator[Statement]:
        """Yield what is on somebody's body, and what their eyes do: a bag hangs from her shoulder."""
        tree = self._tree
        opening = tree.heads[part]
        if tree.deps[part] == "pobj" and tree.words[opening] in _ON_BODIES:
            above = tree.heads[opening]
            hangs = tree.words[above] in BE or (tree.is_verb(above) and tree.participle(above) in _HANGING)
            things = tree.dependents(above, *SUBJECTS, "attr") if hangs else [above]
            for thing in things:
                if tree.words[part] in {"face", "lips"} and not self._reader.reads(
                    f"wearing {tree.words[thing]}"
                ):
                    continue  # but not food on his face
                of = tree.heads[thing]
                if tree.words[of] == "of" and tree.deps[thing] == "pobj":
                    # A tattoo of a rose on her arm, but a hint of a smile.
                    thing = thing if tree.words[tree.heads[of]] in _HINTS else tree.heads[of]
                elif tree.words[thing] in _HINTS:
                    thing = next(iter(tree.inner(thing)), thing)
                phrase = " ".join(["with", *self._objects.described(thing)])
                # What somebody acts on is no possession: catching a ball in his hands.
                had = tree.is_noun(thing) and tree.deps[thing] != "dobj" and thing not in self._wanted
                if had and not tree.dependents(thing, "neg") and self._reader.reads(phrase):
                    certainty = self._certainties.of(above) if tree.is_verb(above) else "said"
                    yield Statement(part, thing, phrase, about, certainty=certainty, optional=True)
        elif tree.words[part] in _LOOKING_WITH:
            verb = tree.heads[part] if tree.deps[part] in SUBJECTS else part + 1
            if tree.words[verb : verb + 1] and tree.words[verb] in _LOOKS:
                yield Statement(verb, owner, "gazing", about, "gazing", optional=True)

    def _predicated(self, noun: int, verb: int, words: list[str]) -> Iterator[tuple[int, str]]:
        """Yield what a possession is said to be, and where a part of the body is said to be."""
        tree = self._tree
        qualities = tree.dependents(verb, "acomp")
        for quality in qualities:  # long and brown
            qualities += tree.dependents(quality, "conj")
            yield quality, " ".join(["with", *self._objects.described(quality), *words])
        for opening in tree.dependents(verb, "prep"):
            # His hands are in his pockets, but not on the wheel.
            if any(tree.dependents(place, "poss") for place in tree.dependents(opening, "pobj")):
                yield opening, f"with {tree.words[noun]} {tree.words[opening]}"

    def _is_placed(self, part: int) -> bool:
        """Whether a part of the body is followed by its position, not by what is done with it."""
        following = self._tree.words[part + 1 : part + 2]
        if following and following[0] in HELD_BY:
            return self._tree.deps[part] in {"appos", "conj", "dep", "npadvmod", "nsubj"}
        return not STATES_OF_PARTS.isdisjoint(following) and self._tree.deps[part] not in {
            "nsubj",
            "nsubjpass",
        }

    def _of_adjective(self, index: int) -> Iterator[Statement]:
        head = self._tree.heads[index]
        if head in self._wanted and index > head:
            yield from self._of_adjectives(index, self._subjects.shared(head, index), "said")

    def _of_adjectives(self, index: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        stack = [(index, certainty)]
        while stack:
            index, certainty = stack.pop()
            if self._tree.tags[index][:2] not in {"JJ", "VB"} and self._tree.deps[index] != "acomp":
                continue
            own: Certainty = "denied" if self._certainties.denied(index) else certainty
            if own == "said" and self._certainties.doubted(index):
                own = "hedged"
            dressed = self._tree.words[index] in DRESSED and self._is_dressed_in(
                index
            )  # she's dressed in red
            if not dressed and self._tree.words[index] not in _NO_QUALITIES:
                first, words = self._whole_adjective(index)
                core = self._tree.words[index]
                yield Statement(index, first, " ".join(words), about, certainty=own, core=core)
            if not self._tree.is_verb(index):
                # A coordinated adjective is denied too: neither tall nor happy.
                stack += [(child, own) for child in self._tree.dependents(index, "conj")]

    def _whole_adjective(self, adjective: int) -> tuple[int, list[str]]:
        """Return where an adjective with its adverbs begins, and all its words: hard of hearing."""
        first = adjective
        while first and self._tree.heads[first - 1] == adjective and self._tree.deps[first - 1] in _ADVERBIAL:
            first -= 1
        last = adjective
        while last - adjective < _LONGEST and self._tree.words[last + 1 : last + 2] == ("-",):
            last += 2
        words = [word for word in self._tree.words[first : last + 1] if word != "-"]
        for noun in self._tree.inner(adjective):
            if noun == adjective + 2:
                words += ["of", self._tree.words[noun]]
        return first, words
