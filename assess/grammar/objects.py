"""The objects of verbs and prepositions: a red shirt and boots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assess.grammar.certainty import Certainty
from assess.grammar.subjects import Reads
from assess.grammar.tree import HELD_BY, PARTS, PLACES_TO_CARRY, VERBS, Nouns, Tree, follows, is_in_hand
from assess.grammar.verbs import BE, HAVE, WEARING

# fmt: off
STATES_OF_PARTS = frozenset((
    "back", "bare", "bent", "bowed", "braided", "clasped", "closed", "crossed", "down", "exposed", "extended",
    "flung", "folded", "forward", "lifted", "off", "on", "open", "out", "outstretched", "pulled", "raised",
    "spread", "stretched", "tied", "tilted", "together", "tucked", "turned", "up", "wide", "wrapped",
))
# Where a part of the body is, which implies its position: with his hands in his pockets.
_PLACED = frozenset((
    "above", "across", "against", "around", "at", "behind", "below", "between", "by", "in", "inside", "near",
    "on", "over", "to", "toward", "towards", "under",
))
# fmt: on
_OBJECTS = frozenset({"dobj", "pobj"})
_DESCRIBING = frozenset({"advmod", "amod", "compound", "neg", "nmod", "npadvmod", "nummod"})
_PLAIN = _DESCRIBING | {"det"}
_PASSED_OVER = frozenset({",", ":", "CC", "DT", "HYPH", "POS", "PRP$"})
# fmt: off
# What is in or on one of these does not belong to a person: with a kite in the sky.
_LYING = frozenset((
    "air", "background", "counter", "desk", "distance", "floor", "foreground", "ground", "it",
    "oven",    "shelf", "sky", "stove", "table", "wall",
))
# fmt: on
_HAVING = WEARING | {"in", "with"}
_HELD = WEARING | {"carrying", "holding"}
_OF_PARTS = HAVE | {"with"}  # can precede a part of the body and its position
_STATES_AND_PLACES = STATES_OF_PARTS | _PLACED | HELD_BY
_NO_THING = frozenset({"neither", "no", "nor"})
_FARTHEST = 8  # number of words to look back for modifiers of a noun


class Statement(NamedTuple):
    """A phrase about some nouns. When sorted, statements are in the order of the text."""

    at: int  # its last word
    start: int  # its first word; words in between, such as articles, may not be in the phrase
    phrase: str
    about: Nouns
    verb: str = ""  # the verb by itself, as a participle, which is read if the whole phrase is not
    active: bool = True  # whether somebody does it, unlike "surrounded"
    certainty: Certainty = "said"
    object: int | None = None  # the object's noun, if any
    core: str = ""  # for a longer adjective phrase, the adjective: hard, in "hard of hearing"
    optional: bool = False  # not counted as unread, because taxonomies list few such phrases


Phrase = tuple[int, int | None, str, int, bool, bool]
"""The phrase for one object of a verb or preposition.

Its last word; its first word, or None if it starts at the verb or preposition; its text; the object's
noun; whether it is carried (with a vase on her head); whether its absence is stated.
"""


class Objects:
    """The objects in one annotated text: as phrases, and as statements about nouns."""

    def __init__(self, tree: Tree, wanted: Mapping[int, Nouns], reader: Reads) -> None:
        """`wanted` has the relevant nouns, each with the nouns that it is coordinated with."""
        self._tree = tree
        self._wanted = wanted
        self._reader = reader
        self._phrases: dict[tuple[str, int], list[Phrase]] = {}
        # Whether the text contains such words at all; if not, searches for them are skipped.
        self._joins = "conj" in tree.relations or "appos" in tree.relations
        self._denies = not _NO_THING.isdisjoint(tree.words)
        self._lists = "CC" in tree.tags

    def statements(
        self,
        opening: str,
        governor: int,
        about: Nouns,
        certainty: Certainty,
        *,
        verb: str = "",
        start: int | None = None,
        optional: bool = False,
    ) -> list[Statement]:
        """Return a statement for each object, including coordinated ones: with a beard, with glasses."""
        found: list[Statement] = []
        for at, begin, text, noun, carried, nothing in self.phrases(opening, governor):
            if begin is None:
                begin = governor if start is None else start
            # Having a child on one's lap is holding it.
            own_verb = "" if nothing else "holding" if carried and noun in self._wanted else verb
            found.append(
                Statement(at, begin, text, about, own_verb, True, certainty, noun, "", nothing or optional)
            )
        return found

    def phrases(self, opening: str, governor: int) -> list[Phrase]:
        """Return the phrases for each object of a verb or preposition, regardless of its subject."""
        key = opening, governor
        found = self._phrases.get(key)
        if found is None:
            objects = self._direct_objects(governor)
            if len(objects) == 1 and self._is_plain(objects[0], governor):
                noun = objects[0]
                words = [opening, *self.described(noun)]
                found = []
                for text in self._split(words, noun) if self._lists else (" ".join(words),):
                    found.append((noun, None, text, noun, False, False))
            else:
                found = self._find_phrases(opening, governor, objects)
            self._phrases[key] = found
        return found

    def _is_plain(self, noun: int, governor: int) -> bool:
        """Whether a noun only has modifiers before it: riding a large wave."""
        tree = self._tree
        if self._denies or tree.words[noun] in PARTS:
            return False
        for child in tree.children[noun]:
            if tree.deps[child] not in _PLAIN:
                return False
        if tree.words[governor] not in _OF_PARTS:
            return True
        following = tree.words[noun + 1 : noun + 2]
        return _STATES_AND_PLACES.isdisjoint(following)

    def _find_phrases(self, opening: str, governor: int, objects: list[int]) -> list[Phrase]:
        found: list[Phrase] = []
        begin: int | None
        stack: list[tuple[int, int | None]] = [(noun, None) for noun in reversed(objects)]
        while stack:
            noun, begin = stack.pop()
            named = self._named(noun)
            carried = nothing = False
            if opening == "with":
                if follows(self._tree, noun, _LYING) or self._is_in_front_of_people(named):
                    continue  # with a kite in the sky, with plates of food in front of them
                # Hands on his knees are not carried.
                carried = self._tree.words[noun] not in PLACES_TO_CARRY and is_in_hand(self._tree, noun)
            words, plain = self._words(opening, noun, named, governor, carried=carried)
            if self._denies and self._is_denied(noun):
                # With no hat, wearing no shirt: the absence can still be a statement.
                words[0], nothing = "without", True
            texts = self._split(words, named) if self._lists else [" ".join(words)]
            if plain or "relcl" in self._tree.relations:
                texts = [*texts, *plain, *self._described_in_clause(words[0], noun)]
            found += [(max(named, noun), begin, text, named, carried, nothing) for text in texts]
            if self._joins:
                stack += [
                    (child, min([child, *self._tree.children[child]])) for child in self._after_place(noun)
                ]
                stack += [
                    # A coordinated object is not adjacent to the verb or preposition: another object precedes
                    # it.
                    (child, min([child, *self._tree.children[child]]))
                    for child in reversed(self._tree.dependents(noun, "appos", "conj"))
                    if self._tree.is_noun(child)
                ]
        return found

    def _after_place(self, noun: int) -> list[int]:
        """Return nouns attached to where a thing is carried: a hat on her head and bangles on her wrists."""
        tree = self._tree
        return [
            other
            for place in tree.dependents(noun, "prep")
            if tree.words[place] in HELD_BY
            for part in tree.dependents(place, "pobj")
            if tree.words[part] in PLACES_TO_CARRY
            for other in tree.dependents(part, "conj")
            if other not in self._wanted and tree.words[other] not in PLACES_TO_CARRY
        ]

    def _words(
        self, opening: str, noun: int, named: int, governor: int, *, carried: bool
    ) -> tuple[list[str], list[str]]:
        """Return the words of a phrase with its opening, and additional phrases."""
        words = ["holding" if carried else opening, *self.described(named)]
        if carried and self._reader.reads(" ".join([opening, *words[1:]])):
            words[0] = opening  # with a smile on her face
        if "poss" in self._tree.relations:
            words[1:] = self._owned(named, words)
        if opening in {"with", "wearing"}:
            words += self._completed(named, words)
        state = self._state(noun, governor, words)
        # Blonde hair that is tied back is also blonde; a shirt that is off is not worn.
        text = " ".join(words) if state and words[-1] == "hair" else ""
        return words + state, [text] if text and self._reader.reads(text) else []

    def _owned(self, noun: int, words: list[str]) -> list[str]:
        """Return the words of a phrase, including a possessor that names a kind: a farmer's tan."""
        for owner in self._tree.dependents(noun, "poss"):
            kind = [self._tree.words[owner], *words[1:]]
            if self._tree.tags[owner].startswith("NN") and self._reader.reads(" ".join([words[0], *kind])):
                return kind
        return words[1:]

    def _completed(self, noun: int, said: list[str]) -> list[str]:
        """Return the words of a noun after "of", if a taxonomy reads them: with a sense of humour."""
        for inner in self._tree.inner(noun):
            text = " ".join(said)
            words = ["of", *self.described(inner)]
            if self._reader.reads(text) or self._reader.reads(f"with {self._tree.words[inner]}"):
                return []  # with waves of water
            if self._reader.reads(" ".join([text, *words])):
                return words
        return []

    def _is_denied(self, noun: int) -> bool:
        """Whether the presence of something is denied: no hat, neither hat nor gloves."""
        denied = self._tree.dependents(noun, "det", "neg", "preconj")
        if self._tree.deps[noun] == "conj":
            denied += self._tree.dependents(self._tree.heads[noun], "cc")
        return any(self._tree.words[child] in _NO_THING for child in denied)

    def _is_in_front_of_people(self, noun: int) -> bool:
        """Whether a noun is in front of people, who then do not have it, or on the back of something."""
        inner = self._tree.inner(noun)
        after = (inner[-1] if inner else noun) + 1
        words, tags = self._tree.words[after : after + 5], self._tree.tags
        if words[:3] == ("in", "front", "of"):
            return tags[after + 3 : after + 4] == ("PRP",)
        return words[:1] == ("on",) and words[3:] == ("of", "it")

    def _split(self, words: list[str], noun: int) -> list[str]:
        """Return two coordinated things that the parser mistook for one: a helmet and knee pads."""
        if len(words) < 3:
            return [" ".join(words)]
        begin = max(0, noun - _FARTHEST)
        before = self._tree.tags[begin:noun]
        if "CC" in before and self._is_thing((joint := begin + before.index("CC")) - 1):
            after = sum(self._tree.tags[i] not in _PASSED_OVER for i in range(joint, noun + 1))
            # A state may follow the noun: a beard and long hair tied back.
            after += max(0, len(words) - 1 - len(self.described(noun)))
            first, second = words[:-after], [words[0], *words[-after:]]
            if (
                len(first) > 1
                and self._reader.reads(" ".join(first))
                and self._reader.reads(" ".join(second))
            ):
                return [" ".join(first), " ".join(second)]
        return [" ".join(words)]

    def _is_thing(self, index: int) -> bool:
        """Whether a word is a noun, or one that the tagger mistook for an adjective: a uniform, not red."""
        tag = self._tree.tags[index]
        return tag.startswith("NN") or (tag == "JJ" and self._reader.reads(f"with {self._tree.words[index]}"))

    def _described_in_clause(self, opening: str, noun: int) -> list[str]:
        """Return the adjectives in a clause about an object: wearing a hat that is black."""
        found: list[str] = []
        for verb in self._tree.dependents(noun, "relcl"):
            if self._tree.words[verb] in BE and not self._tree.dependents(verb, "neg"):
                for quality in self._tree.dependents(verb, "acomp"):
                    phrase = f"{opening} {self._tree.words[quality]} {self._tree.words[noun]}"
                    if self._reader.reads(phrase):
                        found.append(phrase)
        return found

    def is_in_hand(self, preposition: int) -> bool:
        """Whether the object of "with" is carried, or a part of the body in some position."""
        held = self._tree.dependents(preposition, "pcomp")
        if any(self._tree.dependents(state, "nsubj", "nsubjpass") for state in held):
            return True  # with both arms raised
        return any(
            is_in_hand(self._tree, noun) or self._state(noun, preposition, ["with", self._tree.words[noun]])
            for noun in self._tree.dependents(preposition, "pobj")
        )

    def _direct_objects(self, governor: int) -> list[int]:
        """Return the objects of a verb or preposition, including those attached elsewhere."""
        deps, tags = self._tree.deps, self._tree.tags
        found = []
        for child in self._tree.children[governor]:
            if deps[child] in _OBJECTS and tags[child] not in VERBS and not self._is_repeated(child):
                found.append(child)
        if not found and tags[governor] in VERBS:
            return self._before_clause(governor)
        if found and self._tree.words[governor] == "without":
            found += self._lost_after_or(found[-1])
        if not found or not self._joins:
            return found
        strays = self._tree.dependents(governor, "conj") if self._tree.is_verb(governor) else []
        owner = self._tree.heads[governor]
        if (self._tree.words[governor] in _HAVING) and owner in self._wanted:
            # "A woman in pearls and a blue gown": the gown is coordinated with the pearls, not with the
            # woman.
            strays += [
                child
                for child in self._tree.dependents(owner, "conj")
                if child > found[-1] and self._tree.words[child] not in self._reader.rivals
            ]
        return found + [
            noun
            for noun in strays
            if self._tree.tags[noun].startswith("NN") and noun not in self._wanted and noun > found[-1]
        ]

    def _lost_after_or(self, noun: int) -> list[int]:
        """Return what else is absent but was attached elsewhere: without shoes or a shirt."""
        words = self._tree.words
        other = noun + 3 if words[noun + 2 : noun + 3] == ("a",) else noun + 2
        if words[noun + 1 : noun + 2] != ("or",) or other >= len(words) or self._tree.heads[other] == noun:
            return []
        return [other] if self._reader.reads(f"without {words[other]}") else []

    def _is_repeated(self, noun: int) -> bool:
        """Whether a noun is repeated to say how something is done: walking hand in hand, side by side."""
        words = self._tree.words
        return words[noun + 2 : noun + 3] == (words[noun],) and self._tree.tags[noun + 1] == "IN"

    def _before_clause(self, verb: int) -> list[int]:
        """Return the noun before a relative clause without an object: the bag she is holding."""
        if self._tree.participle(verb) not in _HELD:
            return []
        things = [subject - 1 for subject in self._tree.dependents(verb, "nsubj")]
        return [
            thing
            for thing in things
            if thing >= 0
            and self._tree.tags[thing] in {"NN", "NNS"}
            and thing not in self._wanted
            and self._tree.tags[thing + 1] == "PRP"
        ]

    def described(self, noun: int) -> list[str]:
        """Return a noun with the modifiers before it: long sleeve red shirt."""
        tree, first = self._tree, noun
        for _ in range(_FARTHEST):
            for child in tree.children[first]:
                if tree.deps[child] in _DESCRIBING:
                    break
            else:
                break
            if child > first:
                break
            first = child
        words, tags = tree.words, tree.tags
        found = []
        for index in range(first, noun):
            if tags[index] not in _PASSED_OVER:
                found.append(words[index])
        found.append(words[noun])
        return found

    def _named(self, noun: int) -> int:
        """Return the noun that is actually meant: the glasses in "a pair of glasses"."""
        inner = self._tree.inner(noun) if self._tree.words[noun] in PARTS else []
        return inner[0] if inner else noun

    def _state(self, noun: int, governor: int, said: list[str]) -> list[str]:
        """Return the state of a part of the body or of clothes: with his shirt off, with arms crossed."""
        last, opening = noun + 1, self._tree.words[governor]
        if opening not in _OF_PARTS or last >= len(self._tree.words):
            return []
        state = self._tree.words[last]
        # "With bare feet on a road" is about bare feet, but "with one hand in a pocket" not about one hand.
        placed = state in _PLACED and ("one" in said or not self._reader.reads(" ".join(said)))
        if placed or (state in STATES_OF_PARTS and not self._tree.dependents(last, "pobj", "dobj")):
            # The noun itself must be read with this state, so "with knee pads on" is not about knees.
            short = f"{said[0].partition(' ')[0]} {self._tree.words[noun]} {state}"
            return [state] if self._reader.reads(short) else []
        return []
