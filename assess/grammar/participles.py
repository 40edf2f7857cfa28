"""Repairs participles that were tagged as nouns or attached to a wrong noun, and clothes tagged as verbs."""

from __future__ import annotations

from assess.grammar.draft import BEFORE_SINGULAR, IN_PHRASE, NEAR, NOUNS, TreeChanges
from assess.grammar.verbs import BE, HAVE, WEARING

COMPLEMENTS = frozenset({"CC", "DT", "IN", "PRP$", "RB", "RP", "TO"})
"""What can follow a verb: jumps over, walks the dog, smiles and waves."""
_BEFORE_NOUN = frozenset({"amod", "compound", "nmod"})
CLOTHES_OR_VERBS = frozenset({"dress", "skates", "skis", "tie", "top", "vest"})
"""Words for clothes that are also verbs."""
# fmt: off
PLURAL_VERBS = frozenset((
    "bike", "chat", "cheer", "clap", "dance", "drink", "eat", "fish", "gather", "hike", "hug", "jump",
    "kiss", "kneel", "laugh", "lean", "look", "play", "pose", "rest", "ride", "row", "run", "sing", "sit",
    "skate", "smile", "stand", "surf", "swim", "talk", "wait", "walk", "watch", "work",
))
"""Verbs in the plural that are also nouns: people dance."""
_DONE_ANYWHERE = frozenset((
    "dance", "gather", "look", "play", "pose", "sit", "stand", "talk", "wait", "walk", "watch",
))
# A "stand" may be a place that sells goods, and a "walk" something to take a dog for.
_STANDS = frozenset((
    "bus", "cab", "concession", "dog", "drink", "food", "fruit", "grand", "lemonade", "market", "news",
    "taxi",
))
FREQUENT_VERBS = frozenset((
    "bends", "blows", "carries", "catches", "climbs", "crosses", "crouches", "dances", "does", "drinks",
    "drives", "eats", "enjoys", "explains", "feeds", "fishes", "fixes", "gazes", "gestures", "gets", "gives",
    "goes", "grabs", "grins", "hangs", "has", "helps", "hikes", "hits", "holds", "hugs", "jogs", "juggles",
    "jumps", "kicks", "kisses", "kneels", "lands", "laughs", "lays", "leans", "leaps", "lies", "lifts",
    "listens", "looks", "lunges", "makes", "massages", "meditates", "observes", "operates", "paddles",
    "performs", "picks", "plays", "poses", "pours", "prepares", "pulls", "pushes", "puts", "reads", "relaxes",
    "repairs", "rests", "rides", "runs", "sells", "sings", "sits", "sleeps", "smiles", "speaks", "squats",
    "stands", "stares", "stretches", "strums", "surfs", "swims", "swings", "tackles", "takes", "talks",
    "teaches", "throws", "tosses", "tries", "uses", "wades", "waits", "walks", "washes", "watches", "waves",
    "wears", "wipes", "works", "writes",
))
"""Verbs that are frequent in captions and rarely plural nouns."""
ALWAYS_PLURAL = frozenset((
    "binoculars", "boots", "clothes", "earrings", "glasses", "gloves", "goggles", "headphones", "jeans",
    "leggings", "overalls", "pajamas", "pants", "rights", "scissors", "shoes", "shorts", "skis", "slacks",
    "socks", "sunglasses", "tights", "trousers", "trunks",
))
"""Clothes and tools without a singular, and the rights of a person; "goggles" is not a verb."""
# Nouns that end like a participle.
ING_NOUNS = frozenset((
    "awning", "bedding", "building", "ceiling", "clearing", "clothing", "covering", "crossing", "dining",
    "dressing", "earring", "evening", "fencing", "filling", "flooring", "frosting", "gathering", "icing",
    "king", "landing", "lighting", "living", "meeting", "morning", "offering", "opening", "outing",
    "painting", "parking", "pudding", "railing", "ring", "roofing", "seating", "serving", "setting",
    "shopping", "sibling", "siding", "sling", "spring", "string", "stuffing", "swing", "thing", "topping",
    "wedding", "wing",
))
_SHORT = frozenset({"doing", "going", "lying", "tying", "using"})  # shorter words are nouns: a thing
# Those that are also actions: a woman in an apron shopping.
NOUNS_OR_VERBS = frozenset({"clearing", "crossing", "filling", "opening", "painting", "serving", "shopping"})
# Names of pastimes: a noun together with the preceding word.
PASTIMES = {
    noun: frozenset(participles.split())
    for noun, participles in {
        "bird": "watching", "bull": "fighting riding", "country": "skiing", "cross": "skiing training",
        "figure": "skating", "hand": "gliding", "hang": "gliding", "horse": "racing riding",
        "horseback": "riding", "ice": "climbing fishing sailing skating", "in": "skating",
        "line": "dancing skating", "motor": "biking", "mountain": "biking climbing",
        "para": "gliding sailing surfing", "power": "sliding", "rock": "climbing",
        "roller": "blading skating", "sail": "boarding boating", "skate": "boarding",
        "ski": "boarding jumping", "sky": "diving",
        "snow": "boarding shoeing skiing tubing", "speed": "skating", "sun": "bathing tanning",
        "surf": "boarding", "wake": "boarding surfing", "water": "boarding rafting skiing",
        "weight": "lifting training", "wind": "sailing surfing",
    }.items()
}
PASTIME_VERBS = frozenset[str]().union(*PASTIMES.values())
"""The last words of names of pastimes."""
# Last words of compounds: a rock climbing wall, a pie eating contest.
_PLACES_AND_EVENTS = frozenset((
    "area", "board", "class", "club", "competition", "contest", "course", "equipment", "event", "facility",
    "game", "gear", "lesson", "machine", "match", "party", "place", "pole", "pool", "rack", "range", "rink",
    "room", "show", "station", "suit", "table", "team", "trip", "wall",
))
# fmt: on


def looks_like_participle(word: str) -> bool:
    """Whether a word ends like a participle, and is not one of the nouns that do."""
    return word.endswith("ing") and (len(word) > 5 or word in _SHORT) and word not in ING_NOUNS


class Participles(TreeChanges):
    """Recognises mistagged participles by their contexts, and repairs them."""

    def _is_participle(self, index: int) -> bool:
        word = self._words[index]
        if looks_like_participle(word):
            return True
        by_somebody = self._words[index - 1] in self._nouns and word != "crossing"
        return word in NOUNS_OR_VERBS and (by_somebody or self._worn(index - 1))

    def _repair_participle(self, index: int) -> bool:
        """Repair a participle if it is wrong; return whether it was."""
        tag, relation, head = self._tags[index], self._deps[index], self._heads[index]
        bare = not self.draft.children(index, "det", "amod", "poss")
        if relation == "acl" and tag == "VBG":
            return self._repair_inside_object(index)
        if self._is_predicate(index) and (bare or self._is_pastime(index)):
            self._become_verb(index, "VBG")  # he is rock climbing
        elif self._follows_noun(index):
            self._take_verb_out(index, index - 1, "VBG")
        elif self._follows_color(index) or self._follows_number(index):
            self._take_from_color(index, "VBG")
        elif (noun := self._noun_of_pastime(index)) is not None:
            self._take_verb_out(index, noun, "VBG")
        elif self._follows_word_for_some(index):
            self._become_verb(index, "VBG")  # two swimming and one diving
            self.draft.attach(index - 1, index, "nsubj")
        elif tag not in NOUNS:
            return self._is_in_predicate(index) and self._take_predicate(index)
        elif relation in {"acl", "advcl", "dep"} and head < index:
            # Standing by a lake fishing.
            self._become_verb(index, "VBG")
            self._deps[index] = "acl" if relation == "dep" else relation
        elif bare and relation == "conj" and self._words[index - 1] == "and":
            return self._join_to_verb(index)
        else:
            return self._is_in_predicate(index) and self._take_predicate(index)
        return True

    def _is_predicate(self, index: int) -> bool:
        return (
            self._tags[index] in NOUNS
            and self._deps[index] == "attr"
            and self._words[self._heads[index]] in BE
            # There are six men mountain biking.
            and not any(self._words[child] in self._nouns for child in self.draft.children(index))
        )

    def _is_in_predicate(self, index: int) -> bool:
        """Whether a participle was mistaken for a part of the predicate: people are out flying kites."""
        noun, before = self._heads[index], index - 1
        while before > 0 and self._tags[before] == "RB":
            before -= 1
        return (
            self._deps[index] in {"amod", "compound"}
            and self._deps[noun] == "attr"
            and self._heads[noun] == before
            and self._words[before] in BE
            and self._words[noun] not in self._nouns
            and any(self._words[child] in self._nouns for child in self.draft.children(before, "nsubj"))
        )

    def _take_predicate(self, index: int) -> bool:
        noun = self._heads[index]
        self.draft.attach(index, self._heads[noun], "xcomp")
        self.draft.attach(noun, index, "dobj")
        self._become_verb(index, "VBG")
        return True

    def _join_to_verb(self, index: int) -> bool:
        """Attach a participle to the verb instead of a noun: stands on a bridge and waving."""
        noun = self._heads[index]
        if self._is_participle(noun) or self._tags[noun] not in {*NOUNS, "NNP"} or noun > index:
            return False
        verb = noun
        for _ in range(NEAR):
            verb = self._heads[verb]
            if self._tags[verb] in {"VBG", "VBP", "VBZ"} and self._words[verb] not in BE:
                self._become_verb(index, "VBG")
                self.draft.attach(index, verb, "conj")
                return True
        return False

    def _follows_noun(self, index: int) -> bool:
        """Whether a participle directly follows the noun of its phrase: a green vest waiting outside."""
        noun = index - 1
        if self._deps[index] == "dobj" and self._heads[index] == noun and self._tags[noun] in NOUNS:
            return True  # in a suit and tie standing
        last_word = index == len(self._words) - 1
        if noun < 0 or (last_word and self._words[noun] not in self._nouns and not self._worn(noun)):
            return False
        inside = self._deps[index] in {"amod", "compound", "dobj", "pcomp", "pobj"}
        if self._tags[index] == "VBG" and not inside:
            return False
        each_other = index > 1 and self._words[noun] == "other" and self._words[noun - 1] == "each"
        if self._tags[noun] not in NOUNS and not each_other and not self._is_thing(noun):
            return False
        last = self._heads[index] if self._deps[index] in IN_PHRASE else index
        if self._is_pastime(index) or self._words[last] in _PLACES_AND_EVENTS:
            return False
        if self._deps[noun] == "npadvmod":
            # A guitar playing man, but a green coat holding umbrellas, their child holding umbrellas.
            if self._words[noun] in self._nouns:
                last = (
                    self._heads[last] if self._deps[last] == "compound" else last
                )  # holding game controllers
                both = self._words[last] in self._nouns and self._words[index] != "looking"
                return self._tags[last] == "NNS" or both  # man holding boy, but a punk looking man
            return self._words[last] not in self._nouns and self._has_article(noun, last)
        if self._deps[noun] == self._deps[last] == "pobj" and self._heads[noun] == self._heads[last]:
            return True  # in white shirt playing tennis
        return self._heads[noun] in {index, self._heads[index]} and self._deps[noun] in IN_PHRASE

    def _is_thing(self, index: int) -> bool:
        """Whether a word is a thing according to the taxonomy, despite its tag: on a surfboard paddling."""
        word = self._words[index]
        if self._tags[index] == "NNP":
            return self._worn(index)
        return self._tags[index] == "JJ" and (self._reads(f"on {word}") or self._reads(f"with {word}"))

    def _has_article(self, noun: int, last: int) -> bool:
        """Whether a noun has an article for one thing although the phrase ends in a plural."""
        return self._tags[last] == "NNS" and any(
            self._words[index] in {*BEFORE_SINGULAR, "the"}
            for index in range(max(0, noun - NEAR), noun)
            if self._heads[index] == last
        )

    def _is_pastime(self, index: int) -> bool:
        return self._words[index] in PASTIMES.get(self._words[index - 1], ())

    def _noun_of_pastime(self, index: int) -> int | None:
        """Return the noun before the name of a pastime: a man water skiing."""
        between = index - 1
        while between and self._words[between] == "-":
            between -= 1
        noun = between - 1
        if noun < 0 or self._deps[noun] not in {"compound", "nmod"}:
            return None
        if self._words[noun] not in self._nouns and not self._worn(noun):
            return None
        named = self._words[index] in PASTIMES.get(self._words[between], ())
        return noun if named and self._deps[index] != "compound" else None

    def _repair_inside_object(self, index: int) -> bool:
        """Make the head of a phrase the object of a participle inside it: a man holding roses."""
        noun = self._heads[index]
        last = self._heads[noun]
        if self._deps[noun] not in {"nmod", "compound"} or not noun < index < last:
            return False
        self.draft.replace(last, noun)
        for child in self.draft.children(last):
            if (child < noun and child != noun) or (child > last and self._deps[child] in {"acl", "relcl"}):
                self.draft.attach(child, noun, self._deps[child])
        self.draft.attach(last, index, "dobj")
        for phrase in (noun, *self.draft.children(noun, "conj"), last):
            self.draft.make_phrase(phrase)
        for word in range(noun + 1, index + 1):
            if self._deps[word] in {"cc", "punct", "acl"}:
                self.draft.cut(word)
        return True

    def _follows_number(self, index: int) -> bool:
        """Whether a participle is in the place of a noun after a number: a family of four posing."""
        of = self._heads[index]
        return self._deps[index] == "pobj" and self._words[of] == "of" and self._tags[index - 1] == "CD"

    def _follows_color(self, index: int) -> bool:
        """Whether a verb is in the place of a noun after a colour: a girl in pink playing."""
        head = self._heads[index]
        before = {"all": 2, "and": 3}.get(self._words[index - 2], 1)
        return (
            (self._deps[index] in {"pcomp", "pobj"} and self._words[head] == "in")
            or (self._deps[index] == "dobj" and self._words[head] in WEARING)
        ) and (
            head == index - 1 - before
            and self._tags[index - 1] == "JJ"
            and self._worn(index - 1)
            and not self._worn(index)
        )

    def _follows_clothes_on(self, index: int) -> bool:
        """Whether a verb directly follows what somebody is wearing: a man with a hat on sits."""
        on = index - 1
        follows = self._deps[index] == "pobj" and self._heads[index] == on and self._words[on] == "on"
        return follows and self._words[index] in FREQUENT_VERBS and self._worn(on - 1)


class Clothes(Participles):
    """Repairs clothes that the parser mistook for verbs, and verbs that it mistook for clothes."""

    def _repair_thing(self, index: int) -> None:
        """Make a noun of a thing that the tagger mistook for a verb: hold rackets, in a shirt and shorts."""
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
            and self._had(index - 2)
            and self._had(index)
            and self._words[index] not in CLOTHES_OR_VERBS
            and self._words[index] not in FREQUENT_VERBS
        ):
            self.draft.tag(index, "NNS")
            self.draft.attach(index, index - 2, "conj")
            self.draft.make_phrase(index)

    def _join_tie(self, bow: int, tie: int) -> None:
        """Attach a bow tie to the clothes before it, if the parser took "bow" for a verb."""
        root = self._heads[tie]
        self.draft.attach(tie, bow - 2 if self._worn(bow - 2) else self._owner_of(tie), "conj")
        for subject in self.draft.children(bow, "nsubj") if root == bow else ():
            self.draft.replace(bow, subject)
        self.draft.tag(bow, "NN")
        self.draft.attach(bow, tie, "compound")
        self.draft.make_phrase(tie)

    def _free_noun(self, verb: int) -> None:
        """Attach the noun before a verb to its list, not to the verb: in a blue shirt and shorts lunges."""
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
            self.draft.attach(noun, joint - 1, "conj")
        elif self._deps[joint] == "prep" and not self.draft.children(joint, "pobj", "pcomp"):
            self.draft.attach(noun, joint, "pobj")  # with blue eyes hugs
        else:
            return
        self.draft.cut(verb)
        self.draft.make_phrase(noun)

    def _is_done_there(self, index: int) -> bool:
        """Whether a verb after a place is what several people do: people on a beach play with a kite."""
        return (
            self._words[index] in _DONE_ANYWHERE
            and self._words[index - 1] not in _STANDS
            and self._deps[index] == "pobj"
            and self._heads[index - 1] == index
            and self._deps[index - 1] == "compound"
            and self._deps[top := self._owner_of(index)] == "ROOT"
            and self._tags[top] == "NNS"
            and self._words[top] in self._nouns
            and (
                self._tags[index + 1 : index + 2] in (["IN"], ["RB"], ["RP"], ["TO"])
                or (self._words[index - 1] in {"background", "distance", "foreground"})
            )
        )

    def _is_done_by_all(self, index: int) -> bool:
        """Whether a verb ends a list of its subjects: three women and a dog stand by a lake."""
        listed = self._deps[index] == "conj" and self._heads[index - 1] == index
        beside = self._deps[index] == "appos" and self._heads[index] == index - 1
        return (
            self._tags[index] == "NN"
            and (
                (listed and self._deps[index - 1] == "compound")
                # A man and a woman surf in the sea.
                or (beside and self._deps[index - 1] == "conj" and self._words[index - 1] in self._nouns)
            )
            and (
                index + 1 == len(self._words) or self._tags[index + 1] in {".", "DT", "IN", "RB", "RP", "TO"}
            )
        )

    def _is_done_by_all_in_clothes(self, index: int) -> bool:
        """Whether a verb that follows clothes is what several people do: men in white clothing stand."""
        return (
            self._tags[index] == "NN"
            and self._heads[index - 1] == index
            and self._deps[index - 1] in {"amod", "compound"}
            and (
                (
                    self._worn(index - 1)
                    and {self._tags[index - 1], self._tags[index - 2]} & {*NOUNS, "IN", "VBG"}
                )
                or self._words[index - 1] in self._nouns
            )
            and (index + 1 == len(self._words) or self._tags[index + 1] in {"IN", "RB", "RP", "TO", "."})
        )

    def _repair_clothes_subject(self, noun: int, verb: int, before: int) -> bool:
        """Attach clothes that became a subject to the list that they end: in shirts and ties stand."""
        if before < 1 or self._words[before] not in {"and", ","} or not noun < verb:
            return False
        if self._words[verb] in BE or self.draft.children(noun, "poss"):
            return False  # and his shirt is blue
        listed = before - 1 if self._tags[before - 1] != "," else before - 2
        if not self._tags[verb].startswith("VB") or self._tags[listed] not in NOUNS or not self._worn(noun):
            return False
        others = self.draft.children(verb, "nsubj", "nsubjpass")
        self.draft.attach(noun, listed, "conj")
        if others == [noun] and self._words[(top := self._owner_of(listed))] in self._nouns:
            self.draft.attach(verb, top, "acl")
        return True

    def _is_worn_too(self, index: int) -> bool:
        """Whether clothes were attached to a verb instead of other clothes: in a shirt and sunglasses."""
        if self._deps[index] != "conj" or self._tags[index] not in NOUNS or not self._worn(index):
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
        if self._tags[index] not in {"VB", "VBP"}:
            return False
        # "Washing a tub and sink": participles are joined to participles.
        odd = self._deps[index] == "conj" and self._tags[self._heads[index]] == "VBG"
        alone = self._words[index] not in BE | HAVE and not self.draft.children(
            index, "aux", "dobj", "nsubj", "xcomp"
        )
        both = self._worn(index) and self._had(index - 2)  # a hat and mask, a beard and hat
        return (odd and alone) or both or self._words[index] in CLOTHES_OR_VERBS

    def _is_to_wear(self, index: int) -> bool:
        """Whether clothes are what several people wear: women in a room wear hats."""
        return (
            self._words[index] == "wear"
            and self._deps[index] == self._deps[index - 1] == "compound"
            and self._tags[self._heads[index]] == "NNS"
        )

    def _is_done_in_clothes(self, index: int) -> bool:
        """Whether a word right after clothes is a verb: in a shirt and jeans kneels."""
        worn, word = index - 1, self._words[index]
        first = self._heads[worn] if self._deps[worn] == "conj" else worn
        beside = self._heads[first] in {index, self._heads[index]} and self._deps[first] in _BEFORE_NOUN
        below = self._heads[index] == worn and self._deps[index] in {"appos", "dobj"}
        if not (beside or below) or not (self._has_complement(index) or self._deps[index] == "compound"):
            return False
        known = self._worn(worn) or (self._had(worn) and word in FREQUENT_VERBS)
        if not known or self._worn(index) or self._has_subject(index):
            return False
        if self._tags[worn] not in NOUNS and word not in FREQUENT_VERBS:
            return False  # in white boats
        return word not in self._nouns and word not in CLOTHES_OR_VERBS and self._words[worn] != "wear"

    def _has_complement(self, index: int) -> bool:
        """Whether a verb is followed by something that can follow a verb, or by nothing."""
        following = self._tags[index + 1 : index + 2]
        return not following or following[0] in COMPLEMENTS or following[0] in {".", "PRP"}
