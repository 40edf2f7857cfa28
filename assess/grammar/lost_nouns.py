"""Repairs nouns for people that were tagged as adjectives or attached to the wrong word.

A skateboarder doing tricks, a kid ready for school, a man white water rafting.
"""

from __future__ import annotations

from assess.grammar.draft import BEFORE_SINGULAR, IN_PHRASE, NEAR, NOUNS
from assess.grammar.participles import FREQUENT_VERBS, Clothes
from assess.grammar.tree import ONE_OF_THEM, SEVERAL_OF_THEM
from assess.grammar.verbs import DRESSED, HAVE, INTRANSITIVE, WEARING

AGENTS = ("er", "ers")
"""Endings of nouns for people (a rider), which comparative adjectives share (younger)."""
_QUALITIES = frozenset({"elder", "former", "minor", "other", "slender", "tender", "under", "younger"})
# The first word of a pastime with a three-word name: white water rafting.
_OPENING_PASTIMES = frozenset({"cross", "white"})
# fmt: off
# Verbs written as two words: spray paints, ice skates.
FIRST_PARTS = frozenset((
    "body", "break", "breast", "hula", "ice", "kite", "para", "rock", "roller", "skate", "snow", "spray",
    "tap", "water", "wind",
))
_SECOND_PARTS = frozenset((
    "blades", "boards", "climbs", "dances", "feeds", "hoops", "paints", "sails", "skates", "skis", "surfs",
))
# fmt: on
_SOMEBODY_ELSE = ONE_OF_THEM | {"another"}
_SEVERAL = SEVERAL_OF_THEM | {"both", "some", "these", "those"}
_CLAUSES = frozenset({"ROOT", "advcl", "ccomp", "conj", "relcl"})
_DONE_BY_PEOPLE = INTRANSITIVE | {"holding", "looking", "playing", "reading", "riding", "talking", "walking"}
_DONE_BY_CLOTHES = frozenset({"covering", "draping", "falling", "hanging", "matching", "showing"})
_PLACING = frozenset({"at", "by", "in", "near", "of", "on", "with"})
FORMATIONS = frozenset({"formation", "line", "lines", "pairs", "rows"})
"""Formations in which a group moves: in line."""
_WAYS = frozenset((word,) for word in ("across", "along", "around", "down", "over", "past", "through", "up"))
_WEARING_OR_HOLDING = WEARING | {"carrying", "holding"}


class LostNouns(Clothes):
    """Repairs nouns for people, and the verbs and phrases that were mixed up with them."""

    def look_at_agent(self, index: int) -> None:
        """Retag a noun for a person that the tagger took for an adjective: a skateboarder doing tricks."""
        word = self._words[index]
        if word in self._nouns and word not in _QUALITIES:
            self.draft.tag(index, "NNS" if word.endswith("s") else "NN")

    def look_at_described(self, noun: int) -> None:
        """Make a person the head of a phrase instead of the adjective or verb after it: a kid ready to go."""
        root = self._heads[noun]
        if (
            self._words[noun] not in self._nouns
            or self._tags[noun] not in NOUNS
            or abs(root - noun) != 1
            or self._deps[root] in IN_PHRASE
        ):
            return
        if root < noun:
            if self._tags[root] not in NOUNS or self._words[root] in self._nouns:
                return  # the noun is at the end, as in "shirtless skateboarder"
        elif self._tags[root] == "VBG":
            self._give_phrase(root, noun)
            self.draft.attach(noun, root, "nsubj")
            self.draft.make_phrase(noun)
            return
        elif self._tags[root] != "JJ":
            return
        self.draft.replace(root, noun)
        self._give_phrase(root, noun)
        self.draft.attach(root, noun, "amod")
        self.draft.make_phrase(noun)

    def look_at_root(self, noun: int) -> None:
        """Attach clothes to "in" if the parser attached only their colour: MAN IN BLUE SHIRT."""
        color, opening = noun - 1, noun - 2
        if (
            opening > 0
            and self._words[opening] == "in"
            and self._deps[color] == "pobj"
            and self._heads[color] == opening
            and self._worn(noun)
            and self._worn(color)
        ):
            self.draft.replace(noun, self._heads[opening])
            self.draft.attach(noun, opening, "pobj")
            self.draft.attach(color, noun, "amod")
            self.draft.make_phrase(noun)
        else:
            super().look_at_root(noun)

    def _repair_false_subject(self, noun: int, verb: int, before: int) -> bool:
        """Attach a noun that is not really a subject where it belongs; return whether that was needed."""
        return (
            self._repair_costume(noun, verb, before)
            or self._repair_has(noun, verb, before)
            or self._repair_worn_subject(noun, verb)
        )

    def _repair_costume(self, noun: int, verb: int, before: int) -> bool:
        """Make people, not their costumes, the subject of a verb: men dressed as knights ride."""
        dressed = before - 1
        if before < 1 or self._words[before] != "as" or self._words[dressed] not in DRESSED or noun > verb:
            return False
        self.draft.attach(before, dressed, "prep")
        self.draft.attach(noun, before, "pobj")
        self.draft.attach(verb, self._heads[dressed], "acl")
        return True

    def _repair_has(self, noun: int, verb: int, before: int) -> bool:
        """Make "has" a main verb if the parser took it for an auxiliary: a boy who has curly hair sits."""
        if before < 1 or self._words[before] not in HAVE or self._deps[before] != "aux" or noun > verb:
            return False
        if self.draft.children(before, "nsubj") and not self.draft.children(noun, "poss"):
            self.draft.replace(verb, before)  # a man has a cane resting beside him
            self.draft.attach(noun, before, "dobj")
            self.draft.attach(verb, noun, "acl")
            return True
        others = [other for other in self.draft.children(verb, "nsubj") if other < before]
        if not others or self._heads[before] != verb or self.draft.children(noun, "poss"):
            return False  # but "has his arm raised" is right
        self.draft.attach(noun, before, "dobj")
        self.draft.attach(before, others[-1], "acl")
        return True

    def _repair_worn_subject(self, noun: int, verb: int) -> bool:
        """Make clothes the object of "wearing", not a subject: wearing a green and yellow hat smiling."""
        wearing = self._heads[verb]
        does = self._tags[verb] == "VBG" and self._deps[verb] == "ccomp" and wearing < noun < verb
        if not does or self._words[wearing] not in _WEARING_OR_HOLDING or self._words[noun] in self._nouns:
            return False
        self.draft.attach(noun, wearing, "dobj")
        self.draft.attach(verb, wearing, "advcl")
        return True

    def _leave_subject(self, noun: int, verb: int) -> None:
        """Make a person the subject of a verb instead of a clause about them: a couple wearing hats walk."""
        if self._deps[verb] == "csubj" and self._tags[verb] == "VBG" and noun < verb < self._heads[verb]:
            self.draft.attach(noun, self._heads[verb], "nsubj")
            self.draft.attach(verb, noun, "acl")

    def _repair_opening(self, index: int) -> bool:
        """Make a modifier of a participle at the beginning that was read as a verb: smiling young woman."""
        if index or self._words[index] not in INTRANSITIVE or self._deps[index] != "ROOT":
            return False
        nouns = [noun for noun in self.draft.children(index, "dobj") if self._words[noun] in self._nouns]
        if not nouns or self.draft.children(nouns[0], "det", "poss", "nummod"):
            return False
        noun = nouns[0]
        for child in self.draft.children(index):
            self.draft.attach(child, noun, self._deps[child])
        self.draft.attach(noun, noun, "ROOT")
        self.draft.attach(index, noun, "amod")
        self.draft.make_phrase(noun)
        return True

    def _repair_stands(self, index: int) -> bool:
        """Make a noun of "stands" after "in": sitting in stands watching a game."""
        opening = index - 1
        if self._words[index] != "stands" or self._words[opening] != "in":
            return False
        for child in self.draft.children(index):
            self.draft.attach(child, self._heads[opening], self._deps[child])
        self.draft.tag(index, "NNS")
        self.draft.attach(index, opening, "pobj")
        return True

    def _repair_some(self, index: int) -> bool:
        """Make "some" the subject of the participle after it: some waving flags and others clapping."""
        some, noun = index - 1, self._heads[index]
        if index < 2 or self._words[some] != "some" or self._words[some - 1] not in {",", "and", "with"}:
            return False
        if self._deps[index] != "amod" or self._heads[some] != noun or self._words[noun] in self._nouns:
            return False
        self.draft.replace(noun, some)
        self.draft.attach(index, some, "acl")
        self.draft.attach(noun, index, "dobj")
        self.draft.cut(some)
        self._become_verb(index, "VBG")
        for other in self.draft.children(noun, "conj"):
            verb = self._heads[some]
            self.draft.attach(other, verb if self._tags[verb] == "VBG" else some, self._deps[some])
        return True

    def _repair_prepositional_object(self, noun: int, verb: int) -> bool:
        """Attach a noun to the preposition before it, and the verb to the person: with a beard standing."""
        opening = self._heads[verb]
        if self._tags[opening] != "IN" or self._deps[verb] not in {"pcomp", "pobj"} or noun < opening:
            return False
        if self._tags[noun] not in NOUNS or (
            self._words[opening] not in _PLACING and self._words[self._heads[opening]] not in DRESSED
        ):
            return False  # as a train arrives
        thing = self._words[noun] not in self._nouns and self._reads(f"with {self._words[noun]}")
        surely = self._words[verb] in _DONE_BY_PEOPLE or (
            self._worn(noun) and self._words[verb] not in _DONE_BY_CLOTHES
        )
        done = thing and self._words[opening] == "with" and surely
        if not done and self._tags[verb] not in {"VBP", "VBZ"}:
            return False
        self.draft.attach(noun, opening, "pobj")
        self.draft.attach(verb, self._owner_of(opening), "acl")
        return True

    def _is_plural_verb(self, noun: int, verb: int) -> bool:
        """Whether a singular noun before a plural verb must be in a list: a man, a woman and a boy are."""
        helpers = self.draft.children(verb, "aux", "auxpass")
        return self._tags[noun] == "NN" and "VBP" in {self._tags[verb], *map(self._tags.__getitem__, helpers)}

    def _repair_misread(self, index: int) -> bool:
        """Repair a participle in a phrase of its own that the parser read as part of its object."""
        return self._repair_some(index) or self._repair_object_of_color(index)

    def look_at_few(self, index: int) -> None:
        """Attach "few" to the noun after it instead of the list: children and a few adults."""
        noun = index + 1
        if noun < len(self._words) and self._tags[noun] == "NNS" and self._words[noun] in self._nouns:
            self.draft.attach(index, noun, "amod")
            if self._words[index - 1] == "a":
                self.draft.attach(index - 1, noun, "det")
            self.draft.make_phrase(noun)

    def look_at_back(self, index: int) -> None:
        """Make "back" a noun if the tagger took it for an adverb: with her back to the camera."""
        owner = index - 1
        opening = self._heads[owner]
        if self._words[owner] == "her" and self._deps[owner] == "pobj" and self._words[opening] == "with":
            self.draft.tag(owner, "PRP$")
            self.draft.tag(index, "NN")
            self.draft.attach(index, opening, "pobj")
            self.draft.attach(owner, index, "poss")
            self.draft.make_phrase(index)

    def look_at_pastime(self, index: int) -> None:
        """Make a person the subject of a pastime with a name of several words: a man white water rafting."""
        last = index - 1
        if last < 1 or not self._is_pastime(index):
            return
        noun = last - 2 if self._words[last - 1] in _OPENING_PASTIMES else last - 1
        if noun < 0 or self._words[noun] not in self._nouns or not noun < self._heads[noun] <= index:
            return
        if self._deps[noun] not in {"compound", "nmod"}:
            return
        root = index if self._heads[last] == index else last
        self.draft.replace(root, noun)
        self._give_phrase(last, noun)
        self._give_phrase(index, noun)
        self.draft.attach(last, index, "npadvmod")
        if root == index or self._heads[index] == last:
            self.draft.attach(index, noun, "acl")
        self._become_verb(index, "VBG")
        for word in range(noun + 1, index):
            self.draft.cut(word)
        self.draft.make_phrase(noun)

    def _leave_clause(self, verb: int) -> None:
        """Attach a plural verb to a group, not to one member: women, one of whom is reading, sit."""
        other = self._heads[verb]
        if self._tags[verb] in {"VB", "VBP"} and self._deps[verb] == "conj" and self._deps[other] == "relcl":
            of_one = any(self._words[child] == "is" for child in self.draft.children(other, "aux"))
            if of_one and self._words[verb - 1] == "," and self._words[self._heads[other]] in self._nouns:
                self.draft.attach(verb, self._heads[other], "acl")

    def _repair_compound_after_color(self, index: int) -> bool:
        """Make a verb with an object of a compound after a colour: a woman in black spoons food."""
        color, opening, thing = index - 1, index - 2, self._heads[index]
        if self._tags[index] != "NNS" or self._deps[index] != "compound" or thing < index:
            return False
        if self._heads[thing] != opening or self._words[opening] != "in" or not self._worn(color):
            return False
        owner = self._heads[opening]
        if self._tags[owner] != "NN" or self._words[owner] not in self._nouns or self._worn(thing):
            return False
        self.draft.attach(color, opening, "pobj")
        self.draft.attach(index, owner, "acl")
        self.draft.attach(thing, index, "dobj")
        for child in self.draft.children(opening, "prep"):
            self.draft.attach(child, index, "prep")
        self.draft.make_phrase(thing)
        return True

    def _repair_participle(self, index: int) -> bool:
        """Repair a participle that has an object or names a pastime: a girl in red rock climbing."""
        before, phrase = index - 1, self._heads[index]
        named = self._is_pastime(index) and self._deps[index] == "pobj" and phrase == index - 3
        if named and self._words[phrase] == "in" and self._worn(index - 2):
            self.draft.attach(index - 2, phrase, "pobj")
            self.draft.attach(before, index, "npadvmod")
            self.draft.attach(index, self._heads[phrase], "acl")  # in red rock climbing
        elif (
            self._tags[index] == "NN"
            and self._deps[index] == "compound"
            and self._words[before] in self._nouns
            and self._deps[phrase] == "appos"
            and self._heads[phrase] == before
        ):
            self._take_object(index)  # a male tennis player playing tennis
        else:
            return super()._repair_participle(index)
        self._become_verb(index, "VBG")
        return True

    def _repair_verb_after_formation(self, index: int) -> bool:
        """Make a verb of a noun after a formation: skiers in line head down a slope."""
        opening, owner = self._heads[index], self._owner_of(index)
        inside = self._deps[index] == "pobj" and self._deps[index - 1] == "compound" and opening == index - 2
        if not inside or self._words[opening] != "in" or self._tags[index] != "NN":
            return False
        if self._words[index - 1] not in FORMATIONS:
            return False
        if self._words[index + 1 : index + 2] not in _WAYS or self._words[owner] not in self._nouns:
            return False
        if self._tags[owner] != "NNS" and not self.draft.children(owner, "prep"):
            return False
        self.draft.attach(index - 1, opening, "pobj")
        self.draft.attach(index, owner, "acl")
        for child in self.draft.children(index, "prep"):
            self.draft.attach(child, index, "prep")
        self.draft.make_phrase(index - 1)
        return True

    def _is_verb_after_number(self, index: int) -> bool:
        """Whether a verb is in the place of a noun after a number: a family of four poses."""
        return self._words[index] in FREQUENT_VERBS and self._follows_number(index)

    def _repair_verb_of_several(self, noun: int, verb: int) -> bool:
        """Make a verb of a singular noun after a counted plural: two girls wrestle."""
        counted = verb == noun + 1 and self._tags[noun] == "NNS" and self._tags[verb] == "NN"
        if not counted or self._deps[verb] not in _CLAUSES or self._words[verb] in self._nouns:
            return False
        if _SEVERAL.isdisjoint(self._words[max(0, noun - NEAR) : noun]):
            return False
        self._take_subject(verb)
        return True

    def _take_first_part(self, noun: int) -> None:
        """Make a person the subject of a verb written as two words: a man spray paints a wall."""
        part, verb = noun + 1, noun + 2
        if (
            verb >= len(self._words)
            or self._words[part] not in FIRST_PARTS
            or self._words[verb] not in _SECOND_PARTS
            or self._heads[part] != verb
            or self._heads[noun] not in {part, verb}
            or not any(self._words[i] in BEFORE_SINGULAR for i in range(max(0, noun - NEAR), noun))
        ):
            return
        self._give_phrase(verb, noun)
        self._give_phrase(part, noun)
        self.draft.attach(noun, verb, "nsubj")
        self.draft.attach(part, verb, "npadvmod")
        self.draft.cut(part)
        self._become_verb(verb, "VBZ")
        self.draft.make_phrase(noun)

    def look_at_other(self, index: int) -> None:
        """Make "another" the subject of the next verb: one man holding a bat and another holding a ball."""
        verb = index + 1
        while verb < len(self._words) and self._deps[verb] in {"aux", "auxpass"}:
            verb += 1
        if verb < len(self._words) and self._is_verb_after_one(index, verb):
            self._become_verb(verb, "VBZ")
            self.draft.cut(index)
        if verb == len(self._words) or not self._tags[verb].startswith("VB"):
            return
        if self._deps[index] in {"amod", "det"} and self._heads[index] == verb == index + 1:
            self.draft.attach(index, verb, "nsubj")
            if self._deps[index - 1] == "det" and self._heads[index - 1] == verb:
                self.draft.attach(index - 1, index, "det")  # and a third waits
        elif self._deps[index] == "conj":
            others = self.draft.children(verb, "nsubj", "nsubjpass")
            if not others:
                self.draft.attach(index, verb, "nsubj")  # and the other is waving
            elif self._tags[verb] == "VBZ" and [self._tags[other] for other in others] == ["NNS"]:
                self.draft.replace(verb, others[0])  # two nuns, one sleeps and the other reads
                self.draft.attach(verb, others[0], "conj")
                self.draft.attach(index, verb, "nsubj")

    def _is_verb_after_one(self, index: int, verb: int) -> bool:
        """Whether a plural noun after a word for one person is a verb: while another drums."""
        return (
            (self._words[index] in _SOMEBODY_ELSE or self._words[verb] in FREQUENT_VERBS)
            and self._tags[verb] == "NNS"
            and self._heads[index] == verb
            and self._deps[verb] in {"ROOT", "advcl", "ccomp", "conj"}
        )

    def look_at_color(self, index: int) -> None:
        """Make a colour or a thing the object of a preposition: dressed in black and white, with stubble."""
        old = self.draft.old
        if old.tags[old.heads[index]] == "IN" and self._had(index):
            self.draft.attach(index, self._heads[index], "pobj")
            self.draft.tag(index, "NN")
