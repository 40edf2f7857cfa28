"""Participles that the tagger took for nouns, or that hang on the wrong one, and clothes among verbs."""

from __future__ import annotations

from assess.grammar.draft import IN_PHRASE, NEAR, NOUNS, ONE, OTHERS, Rehanging
from assess.grammar.verbs import BE, HAVE

WORN_OR_DONE = frozenset({"dress", "skates", "skis", "tie", "top", "vest"})
"""What people wear, and what they do."""
# fmt: off
DONE_BY_ALL = frozenset((
    "dance", "jump", "kneel", "lean", "look", "play", "pose", "rest", "ride", "run", "sit", "smile", "stand",
    "talk", "wait", "walk", "watch", "work",
))
"""What several people do, by words that are nouns too."""
# fmt: on
# fmt: off
# "A swimming goggles" is bad English, but no verb.
ALWAYS_PLURAL = frozenset((
    "binoculars", "boots", "clothes", "earrings", "glasses", "gloves", "goggles", "headphones", "jeans",
    "leggings", "overalls", "pajamas", "pants", "scissors", "shoes", "shorts", "skis", "slacks", "socks",
    "sunglasses", "tights", "trousers", "trunks",
))
"""Clothes and tools that have no singular."""
# Nouns that end like a participle.
_ING_NOUNS = frozenset((
    "awning", "bedding", "building", "ceiling", "clearing", "clothing", "covering", "crossing", "dining",
    "dressing", "earring", "evening", "fencing", "filling", "flooring", "frosting", "gathering", "icing",
    "king", "landing", "lighting", "living", "meeting", "morning", "offering", "opening", "outing",
    "painting", "parking", "pudding", "railing", "ring", "roofing", "seating", "serving", "setting",
    "shopping", "sibling", "siding", "sling", "spring", "string", "stuffing", "swing", "thing", "topping",
    "wedding", "wing",
))
# Those that people do, too: a woman in an apron shopping.
_DONE_TOO = frozenset({"clearing", "crossing", "filling", "opening", "painting", "serving", "shopping"})
# Pastimes by name: one noun with what stands before it.
_PASTIMES = {
    noun: frozenset(participles.split())
    for noun, participles in {
        "bird": "watching", "bull": "fighting riding", "country": "skiing", "cross": "skiing training",
        "figure": "skating", "hand": "gliding", "hang": "gliding", "horse": "racing riding",
        "horseback": "riding", "ice": "climbing fishing sailing skating", "in": "skating",
        "line": "dancing skating", "motor": "biking", "mountain": "biking climbing",
        "para": "gliding sailing surfing", "rock": "climbing", "roller": "blading skating",
        "sail": "boarding boating", "skate": "boarding", "ski": "boarding jumping", "sky": "diving",
        "snow": "boarding shoeing skiing tubing", "speed": "skating", "sun": "bathing tanning",
        "surf": "boarding", "wake": "boarding surfing", "water": "boarding rafting skiing",
        "weight": "lifting training", "wind": "sailing surfing",
    }.items()
}
# A compound ends in one of these: a rock climbing wall, a pie eating contest.
_PLACES_AND_EVENTS = frozenset((
    "area", "board", "class", "club", "competition", "contest", "course", "equipment", "event", "facility",
    "game", "gear", "lesson", "machine", "match", "party", "place", "pole", "pool", "rack", "range", "rink",
    "room", "show", "station", "suit", "table", "team", "trip", "wall",
))
# fmt: on


class Participles(Rehanging):
    """Tells such participles by their signs, and puts them right."""

    def _is_participle(self, index: int) -> bool:
        word = self._words[index]
        if not word.endswith("ing") or len(word) < 6:
            return False
        return word not in _ING_NOUNS or (word in _DONE_TOO and self._worn(index - 1))

    def _look_at_participle(self, index: int) -> bool:
        """Put a participle right, if it is wrong."""
        tag, relation, head = self._tags[index], self._deps[index], self._heads[index]
        bare = not self.draft.children(index, "det", "amod", "poss")
        if relation == "acl" and tag == "VBG":
            return self._has_owner_inside(index)
        if self._follows_noun(index):
            self._take_out(index, index - 1, "VBG")
        elif self._follows_color(index) or self._follows_number(index):
            self._take_from_color(index, "VBG")
        elif (noun := self._noun_of_pastime(index)) is not None:
            self._take_out(index, noun, "VBG")
        elif tag not in NOUNS:
            return False
        elif relation in {"acl", "advcl", "dep"} and head < index:
            # Standing by a lake fishing.
            self._become_verb(index, "VBG")
            self._deps[index] = "acl" if relation == "dep" else relation
        elif bare and relation == "attr" and self._words[head] in BE:
            self._become_verb(index, "VBG")  # he is rock climbing
        elif self._words[index - 1] in OTHERS and relation == "conj" and self._deps[index - 1] == "nummod":
            self._become_verb(index, "VBG")  # two swimming and one diving
            self.draft.hang(index - 1, index, "nsubj")
        elif bare and relation == "conj" and self._words[index - 1] == "and":
            return self._join_to_verb(index)
        else:
            return False
        return True

    def _join_to_verb(self, index: int) -> bool:
        """Join a participle that hangs on a noun to what is done there: stands on a bridge and waving."""
        noun = self._heads[index]
        if self._is_participle(noun) or self._tags[noun] not in {*NOUNS, "NNP"} or noun > index:
            return False
        verb = noun
        for _ in range(NEAR):
            verb = self._heads[verb]
            if self._tags[verb] in {"VBG", "VBP", "VBZ"} and self._words[verb] not in BE:
                self._become_verb(index, "VBG")
                self.draft.hang(index, verb, "conj")
                return True
        return False

    def _take_from_color(self, index: int, tag: str) -> None:
        """Let a colour, or a number, stand by itself, and make a verb of what follows: in pink jumps."""
        opening = self._heads[index]
        self.draft.hang(index - 1, opening, "pobj")
        self.draft.hang(index, self._heads[opening], "acl")
        self._become_verb(index, tag)

    def _follows_noun(self, index: int) -> bool:
        """Whether a participle stands right after the noun of its phrase: a green vest waiting outside."""
        noun = index - 1
        if noun < 0 or (index == len(self._words) - 1 and self._words[noun] not in self._nouns):
            return False
        if self._tags[index] == "VBG" and self._deps[index] not in {"amod", "compound", "dobj", "pobj"}:
            return False
        each_other = index > 1 and self._words[noun] == "other" and self._words[noun - 1] == "each"
        if self._tags[noun] not in NOUNS and not each_other:
            return False
        if self._words[index] in _PASTIMES.get(self._words[noun], ()):
            return False
        last = self._heads[index] if self._deps[index] in IN_PHRASE else index
        if self._words[last] in _PLACES_AND_EVENTS:
            return False
        if self._deps[noun] == "npadvmod":
            # A guitar playing man, but a green coat holding umbrellas, their child holding umbrellas.
            if self._words[noun] in self._nouns:
                return self._tags[last] == "NNS"
            return self._words[last] not in self._nouns and self._has_article(noun, last)
        return self._heads[noun] in {index, self._heads[index]} and self._deps[noun] in IN_PHRASE

    def _has_article(self, noun: int, last: int) -> bool:
        """Whether an article for one thing stands before a noun, and the phrase ends in several."""
        return self._tags[last] == "NNS" and any(
            self._words[index] in {*ONE, "the"}
            for index in range(max(0, noun - NEAR), noun)
            if self._heads[index] == last
        )

    def _noun_of_pastime(self, index: int) -> int | None:
        """Return the noun before a pastime that has a name of its own: a man water skiing."""
        between = index - 1
        while between and self._words[between] == "-":
            between -= 1
        noun = between - 1
        if noun < 0 or self._words[noun] not in self._nouns or self._deps[noun] not in {"compound", "nmod"}:
            return None
        named = self._words[index] in _PASTIMES.get(self._words[between], ())
        return noun if named and self._deps[index] != "compound" else None

    def _has_owner_inside(self, index: int) -> bool:
        """Give a participle its object, which the parser took for what it is about: a man holding roses."""
        noun = self._heads[index]
        last = self._heads[noun]
        if self._deps[noun] not in {"nmod", "compound"} or not noun < index < last:
            return False
        self.draft.replace(last, noun)
        for child in self.draft.children(last):
            if (child < noun and child != noun) or (child > last and self._deps[child] in {"acl", "relcl"}):
                self.draft.hang(child, noun, self._deps[child])
        self.draft.hang(last, index, "dobj")
        for phrase in (noun, *self.draft.children(noun, "conj"), last):
            self.draft.make_phrase(phrase)
        for word in range(noun + 1, index + 1):
            if self._deps[word] in {"cc", "punct", "acl"}:
                self.draft.cut(word)
        return True

    def _follows_number(self, index: int) -> bool:
        """Whether a participle stands where a noun would after a number: a family of four posing."""
        of = self._heads[index]
        return self._deps[index] == "pobj" and self._words[of] == "of" and self._tags[index - 1] == "CD"

    def _follows_color(self, index: int) -> bool:
        """Whether a verb stands where a noun would after a colour: a girl in pink playing."""
        head = self._heads[index]
        before = 2 if self._words[index - 2] == "all" else 1
        return (
            self._deps[index] == "pobj"
            and self._words[head] == "in"
            and head == index - 1 - before
            and self._tags[index - 1] == "JJ"
            and self._worn(index - 1)
            and not self._worn(index)
        )


class Clothes(Participles):
    """Tells clothes that the parser took for what is done in them, or the other way round."""

    def _look_at_thing(self, index: int) -> None:
        """Make a noun of a thing that the tagger took for a verb: hold rackets, in a shirt and shorts."""
        if self._tags[index] != "VBZ":
            tie = index + 1
            if self._words[index] == "bow" and self._words[tie : tie + 1] in {("tie",), ("ties",)}:
                self._join_tie(index, tie)
        elif (self._deps[index] == "dobj" and self._reads(f"holding {self._words[index]}")) or (
            self._deps[index] == "pobj" and self._words[self._heads[index]] == "of"
        ):
            self.draft.tag(index, "NNS")
            self.draft.make_phrase(index)
        elif (
            self._deps[index] == "conj"
            and self._words[index - 1] == "and"
            and self._worn(index - 2)
            and self._words[index] in ALWAYS_PLURAL - WORN_OR_DONE
        ):
            self.draft.tag(index, "NNS")
            self.draft.hang(index, index - 2, "conj")
            self.draft.make_phrase(index)

    def _join_tie(self, bow: int, tie: int) -> None:
        """Join a bow tie to the clothes before it, where the parser made a bow of it."""
        root = self._heads[tie]
        self.draft.hang(tie, bow - 2 if self._worn(bow - 2) else self._top(tie), "conj")
        for subject in self.draft.children(bow, "nsubj") if root == bow else ():
            self.draft.replace(bow, subject)
        self.draft.tag(bow, "NN")
        self.draft.hang(bow, tie, "compound")
        self.draft.make_phrase(tie)

    def _free_noun(self, verb: int) -> None:
        """Join what stood before a verb as part of it to its list: in a blue shirt and shorts lunges."""
        noun = verb - 1
        if self._heads[noun] != verb or self._deps[noun] not in {"amod", "compound"}:
            return
        if not self._tags[noun].startswith("NN"):
            return
        self._give_phrase(verb, noun)
        joint = self._before_phrase(noun)
        if joint < 1:
            return
        if self._words[joint] in {"and", ","} and self._tags[joint - 1] in NOUNS and self._worn(noun):
            self.draft.hang(noun, joint - 1, "conj")
        elif self._deps[joint] == "prep" and not self.draft.children(joint, "pobj", "pcomp"):
            self.draft.hang(noun, joint, "pobj")  # with blue eyes hugs
        else:
            return
        self.draft.cut(verb)
        self.draft.make_phrase(noun)

    def _is_done_in(self, index: int) -> bool:
        """Whether several do what is named after what they wear: men in white clothing stand."""
        return (
            self._heads[index - 1] == index
            and self._deps[index - 1] in {"amod", "compound"}
            and (self._worn(index - 1) or self._words[index - 1] in self._nouns)
            and (index + 1 == len(self._words) or self._tags[index + 1] in {"IN", "RB", "RP", "TO", "."})
        )

    def _joins_clothes(self, noun: int, verb: int, before: int) -> bool:
        """Join clothes that became a subject to the list that they end: in shirts and ties stand."""
        if before < 1 or self._words[before] not in {"and", ","} or not noun < verb:
            return False
        if self._words[verb] in BE or self.draft.children(noun, "poss"):
            return False  # and his shirt is blue
        listed = before - 1 if self._tags[before - 1] != "," else before - 2
        if not self._tags[verb].startswith("VB") or self._tags[listed] not in NOUNS or not self._worn(noun):
            return False
        others = self.draft.children(verb, "nsubj", "nsubjpass")
        self.draft.hang(noun, listed, "conj")
        if others == [noun] and self._words[(top := self._top(listed))] in self._nouns:
            self.draft.hang(verb, top, "acl")
        return True

    def _before_phrase(self, noun: int) -> int:
        """Return the word before a noun and those that describe it."""
        first = noun
        while first and noun - first < NEAR and first <= self._heads[first - 1] <= noun:
            first -= 1
        return first - 1

    def _is_worn_too(self, index: int) -> bool:
        """Whether clothes were joined to a verb, and not to other clothes: in a shirt and sunglasses."""
        if not self._worn(index):
            return False
        joint = self._before_phrase(index)
        return (
            joint > 1
            and self._words[joint] == "and"
            and (self._tags[self._heads[index]].startswith("VB") and self._worn(joint - 1))
        )

    def _is_worn(self, index: int) -> bool:
        """Whether a word that may be a verb is joined to clothes: a suit and tie."""
        if index < 2 or self._words[index - 1] != "and" or self._tags[index - 2] not in NOUNS:
            return False
        # "Washing a tub and sink": a participle is joined to participles.
        odd = self._deps[index] == "conj" and self._tags[self._heads[index]] == "VBG"
        alone = self._words[index] not in BE | HAVE and not self.draft.children(index, "aux", "dobj", "nsubj")
        both = self._worn(index) and self._worn(index - 2)  # a hat and mask
        return (odd and alone) or both or self._words[index] in WORN_OR_DONE
