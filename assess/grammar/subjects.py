"""The subjects of verbs and prepositions.

The parser of a small model makes frequent but regular mistakes ("a group of cooks standing around a stove
making soup"), so the search for the subject of a word skips nouns that cannot do anything: a stove.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from assess.grammar.sharing import FARTHEST, Sharing
from assess.grammar.tree import ALL_OF_THEM, OTHERS, PARTS, Nouns, Tree, is_in_hand
from assess.grammar.verbs import BE, DRESSED, HAVE, INTRANSITIVE, SHOWING

# fmt: off
# A noun after one of these is a place or clothing, so a participle after it is about the person.
_AROUND = frozenset((
    "aboard", "across", "along", "around", "at", "atop", "beside", "down", "from", "in", "inside", "into",
    "near", "off", "on", "onto", "outside", "over", "through", "under", "up",
))
# The same, unless the participle is a verb of movement: by a car driving past.
_BESIDE = frozenset((
    "above", "against", "alongside", "amid", "among", "behind", "below", "beneath", "between", "by", "past",
    "toward", "towards", "underneath",
))
# A participle after the object of one of these is about the person: carrying a bag crossing a street.
_HANDLING = frozenset((
    "carrying", "donning", "holding", "playing", "reading", "riding", "sporting", "using", "wearing",
))
# Participles that describe the thing right before them, not a person: a sign saying hello.
_OF_THINGS = frozenset((
    "consisting", "containing", "covering", "depicting", "displaying", "facing", "featuring", "floating",
    "flowing", "hanging", "including", "leading", "lining", "overlooking", "saying", "showing",
    "surrounding",
))
# In front of a bus driving by, it is the bus that drives.
_MOVING = frozenset((
    "approaching", "coming", "driving", "flying", "going", "moving", "passing", "rolling", "running",
    "traveling", "turning",
))
# Looking at a dog running, it is the dog that runs.
_LOOKING_AT = frozenset((
    "gazing", "laughing", "looking", "pointing", "shooting", "smiling", "staring", "throwing", "waving",
))
# Only people do these, whatever noun comes before: next to a tree holding a bag.
_ONLY_PEOPLE = frozenset((
    "cooking", "holding", "posing", "preparing", "reading", "smiling", "talking", "using",
))
# The same, wherever the parser attaches them: driving a truck smiling.
_FACIAL = frozenset({"grinning", "laughing", "looking", "smiling", "talking", "waving"})
# Past participles for the posture of people, whatever noun comes before: in blue vests seated.
_POSTURES = frozenset({"crouched", "gathered", "huddled", "hunched", "perched", "seated", "sprawled"})
# Watching a plane landing, it is the plane that lands.
_PERCEIVING = frozenset((
    "capturing", "filming", "finding", "hearing", "keeping", "leaving", "noticing", "observing",
    "photographing", "recording", "seeing", "spotting", "taking", "videotaping", "viewing", "watching",
))
# The object of one of these is the subject of the next verb: helping a child stand.
_MAKING = frozenset({"assisting", "having", "helping", "letting", "making", "seeing", "teaching", "watching"})
# Places that would not have what people carry, so "with" is about the person: on a beach with surfboards.
_OUTSIDE = frozenset((
    "air", "beach", "bridge", "court", "crosswalk", "day", "dock", "field", "floor", "grass", "ground",
    "hill", "hillside", "lake", "lawn", "mountain", "night", "ocean", "park", "path", "pavement", "pier",
    "rain", "river", "road", "sand", "sea", "sidewalk", "slope", "snow", "stage", "street", "surf", "trail",
    "walkway", "water", "wave", "weather", "woods",
))
_TAKEN_ALONG = frozenset((
    "backpack", "backpacks", "briefcase", "briefcases", "cane", "canes", "handbag", "handbags", "luggage",
    "parasol", "parasols", "purse", "purses", "suitcase", "suitcases", "umbrella", "umbrellas",
))
# Places with umbrellas of their own.
_SHADED = frozenset((
    "bench", "benches", "cafe", "chair", "chairs", "patio", "pool", "restaurant", "seats", "table", "tables",
))
_SIDES = frozenset({"back", "edge", "front", "middle", "side", "top"})
# fmt: on
_SUBJECTS = frozenset({"csubj", "expl", "nsubj", "nsubjpass"})
_RELATIVE = frozenset({"that", "which", "who", "whom"})
_HIGHEST = 24  # number of steps up the tree; a verb that is farther from a noun is not about it


class Reads(Protocol):
    """Which phrases after a noun a taxonomy can read, so that all others can be skipped."""

    @property
    def openings(self) -> frozenset[str]:
        """The first words of the taxonomy's patterns."""
        ...

    @property
    def rivals(self) -> frozenset[str]:
        """Nouns outside the domain that can also act: dogs."""
        ...

    def reads(self, phrase: str) -> bool:
        """Whether the taxonomy has a category for a phrase, about any label."""
        ...

    def matches(self, phrase: str) -> bool:
        """Whether any pattern matches a phrase, including infinite patterns and those that say nothing."""
        ...


class Subjects(Sharing):
    """Finds which of the wanted nouns the verbs and prepositions of one text are about."""

    def __init__(self, tree: Tree, wanted: Mapping[int, Nouns], reader: Reads) -> None:
        """`wanted` has the relevant nouns, each with the nouns that it is coordinated with."""
        super().__init__(tree, wanted)
        self._reader = reader
        self._known: dict[int, Nouns] = {}
        # Whether the text contains such words at all; if not, searches for them are skipped.
        self._has_subjects = not _SUBJECTS.isdisjoint(tree.relations)
        self._has_words_for_others = not OTHERS.isdisjoint(map(tree.words.__getitem__, wanted))

    def about(self, index: int) -> Nouns:
        """Return the nouns that a verb or preposition is about; none if it is about something else."""
        if index not in self._known:
            self._known[index] = ()  # ends the search in a faulty parse with a loop
            self._known[index] = self._find_nouns(index)
        return self._known[index]

    def _find_nouns(self, origin: int) -> Nouns:
        """Find the nouns that a verb or preposition is about by climbing the tree."""
        if (
            self._tree.tags[origin] == "VBG"
            and origin - 1 in self._wanted
            and not self._is_pronoun_beside(origin - 1)
            and not self._is_carried(origin - 1, origin)
        ):
            # The noun before, even if the parser attached it elsewhere: "filming a juggler tossing knives".
            member = self._member_of(origin - 1, origin)
            return self.shared(origin - 1, origin) if member is None else self.shared(member, origin)
        if (nearer := self._person_just_before(origin)) is not None:
            return nearer
        index = below = origin
        for _ in range(_HIGHEST):
            if index != origin and self._tree.is_verb(index) and self._known.get(index):
                return self._known[index]
            subject = self._subject(index)
            if subject is not None:
                return self.coordinated(subject) or self._people_in_picture(index, origin)
            head = self._tree.heads[index]
            if head == index:
                return ()
            if head in self._wanted and not self._is_carried(head, origin):
                return self.shared(head, origin)
            if (
                self._tree.words[index] in {"in", "with"}
                and self._tree.deps[below] == "pobj"
                and index - 1 in self._wanted
            ):
                return self.shared(index - 1, origin)  # watching a man in a hat holding a stick
            if self._tree.is_noun(head) and not self._may_pass_over(head, origin):
                return self._with_animal(head, origin)
            index, below = head, index
        return ()

    def _person_just_before(self, origin: int) -> Nouns | None:
        """Return the person whose description ends before a participle: and another man in red trying."""
        tree, noun = self._tree, origin - 1
        if tree.tags[origin] in {"VB", "VBP"} and self._is_made_to(noun):
            return (noun,)
        if tree.tags[origin] != "VBG" or tree.deps[noun] != "pobj" or tree.words[tree.heads[noun]] != "in":
            return None
        person = tree.heads[tree.heads[noun]]
        joined = person in self._wanted and tree.deps[person] == "conj" and tree.deps[origin] == "advcl"
        return self.shared(person, origin) if joined and person > tree.heads[origin] else None

    def _with_animal(self, animal: int, origin: int) -> Nouns:
        """Return the person who shares a place with an animal: a man and his dog on a boat."""
        owner = self._tree.heads[animal]
        if self._tree.deps[animal] != "conj" or self._tree.words[animal] not in self._reader.rivals:
            return ()
        shared = self._tree.words[origin] == "on" and owner in self._wanted and owner < animal
        return self.shared(owner, origin) if shared else ()

    def _member_of(self, group: int, origin: int) -> int | None:
        """Return the member of a team or crowd that a participle is about: a man in a crowd wearing a hat."""
        opening = self._tree.heads[group]
        if self._tree.deps[group] != "pobj" or self._tree.words[opening] not in {"for", "in", "on"}:
            return None
        member = self._tree.heads[opening]
        if self._tree.words[opening] == "on" and self._tree.words[group] not in {"team", "teams"}:
            return None
        if self._tree.words[opening] == "in":
            # One person wears a hat, but a whole crowd may cheer: standing in a crowd wearing a hat.
            if self._tree.words[group] not in {"audience", "crowd"} or not self._tree.dependents(
                origin, "dobj"
            ):
                return None
            if self._tree.is_verb(member):
                about = self.about(member)
                return about[-1] if about else None
        return member if member in self._wanted else None

    def _is_pronoun_beside(self, noun: int) -> bool:
        """Whether a pronoun only says where somebody is: standing next to them talking."""
        return self._tree.tags[noun] == "PRP" and self._tree.deps[noun] == "pobj"

    def _is_carried(self, noun: int, origin: int) -> bool:
        """Whether a person is carried by the subject of a participle: holding a baby standing there."""
        return (
            self._tree.words[origin] in {"standing", "walking"}
            and self._tree.deps[noun] == "dobj"
            and self._tree.words[self._tree.heads[noun]] in {"carrying", "holding", "holds"}
        )

    def _is_made_to(self, noun: int) -> bool:
        """Whether a noun is the object of "help", "see" and so on, before a verb: helping a child swing."""
        governor = self._tree.heads[noun]
        return (
            noun in self._wanted
            and self._tree.deps[noun] == "dobj"
            and self._tree.is_verb(governor)
            and self._tree.participle(governor) in _MAKING
        )

    def about_through(self, preposition: int) -> Nouns:
        """Return the person for a phrase attached to their clothes or place: in a dress on a phone."""
        noun = self._tree.heads[preposition]
        for _ in range(FARTHEST):
            if self._tree.deps[noun] != "conj" or not self._tree.is_noun(noun):
                break
            noun = self._tree.heads[noun]
        if not self._tree.is_noun(noun) or self._tree.deps[noun] not in {"dobj", "pobj"}:
            return ()
        governor, word = self._tree.heads[noun], self._tree.words[preposition]
        opening = self._tree.words[governor]
        if opening == "of" and self._tree.words[self._tree.heads[governor]] in _SIDES:
            # In front of a fire with his legs crossed.
            governor = self._tree.heads[self._tree.heads[governor]]
            opening = self._tree.words[governor]
        worn = (opening == "in" or opening in _HANDLING) and self._reader.reads(
            f"in {self._tree.words[noun]}"
        )
        outside = word == "with" and opening in _AROUND and self._tree.words[noun] in _OUTSIDE
        own = word == "with" and (self._is_own(preposition) or self.is_worn(preposition))
        ridden = word == "on" and self._is_ridden(preposition)
        # The jeans belong to the person, not to the hair: with dark hair in jeans.
        dressed = (word, opening) == ("in", "with") and self._is_clothes(preposition, noun)
        # Tourists in a gallery with parasols: nobody else would have them there.
        there = opening in _AROUND and self._tree.words[noun] not in _SHADED
        personal = word == "with" and there and self._is_personal(preposition)
        return self.about(governor) if worn or outside or own or ridden or dressed or personal else ()

    def _is_personal(self, preposition: int) -> bool:
        """Whether the objects of "with" are things that people take along wherever they go."""
        objects = self._tree.dependents(preposition, "pobj")
        return bool(objects) and all(self._tree.words[noun] in _TAKEN_ALONG for noun in objects)

    def _is_clothes(self, preposition: int, part: int) -> bool:
        """Whether a preposition comes between a body part and clothes: with dark hair in jeans."""
        own = self._tree.words[part] == "hair" or self._reader.reads(f"with {self._tree.words[part]}")
        return own and any(
            self._reader.reads(f"wearing {self._tree.words[noun]}")
            for noun in self._tree.dependents(preposition, "pobj")
        )

    def is_worn(self, preposition: int) -> bool:
        """Whether the object of "with" is worn, as "on" shows: in a stroller with a shirt on."""
        return any(
            self._tree.words[noun + 1 : noun + 2] == ("on",)
            and not self._tree.dependents(noun + 1, "pobj", "dobj")
            and self._reader.reads(f"wearing {self._tree.words[noun]}")
            for noun in self._tree.dependents(preposition, "pobj")
        )

    def _is_ridden(self, preposition: int) -> bool:
        """Whether a person rides the object of "on", wherever it was attached: over a ramp on his bike."""
        around = self._tree.deps[self._tree.heads[preposition]] == "pobj"
        return any(
            self._reader.reads(f"on {self._tree.words[noun]}")
            and (around or bool(self._tree.dependents(noun, "poss")))
            for noun in self._tree.dependents(preposition, "pobj")
        )

    def _is_own(self, preposition: int) -> bool:
        """Whether the object of "with" is a body part, or held: with a book in his hand."""
        words = self._tree.words
        return any(
            self._tree.dependents(noun, "poss")
            or is_in_hand(self._tree, noun)
            or (noun + 1 < len(words) and self._reader.reads(f"with {words[noun]} {words[noun + 1]}"))
            for noun in self._tree.dependents(preposition, "pobj")
        )

    def _subject(self, index: int) -> int | None:
        """Return the nearest subject before a verb; None for a relative pronoun."""
        subjects = self._subjects_of(index) if self._has_subjects else []
        if not subjects and self._tree.deps[index] != "relcl":
            return self._other_before(index) if self._has_words_for_others else None
        if not subjects or (
            self._tree.words[subjects[0]] in _RELATIVE and self._tree.deps[index] in {"conj", "relcl"}
        ):
            return None
        before = [child for child in subjects if child < index]
        # If there are two subjects, one is attached to the wrong word: a man in a shirt and shorts stands.
        wanted = [child for child in before if child in self._wanted] if len(before) > 1 else []
        return max(wanted or before, default=subjects[0])

    def _subjects_of(self, index: int) -> list[int]:
        tree, found = self._tree, list[int]()
        for child in tree.children[index]:
            if tree.deps[child] in _SUBJECTS and not self._is_all_of_them(child):
                found.append(child)
        for helper in tree.dependents(index, "aux", "auxpass"):
            # The parser may attach the subject to the auxiliary: "who is reading".
            found += [child for child in tree.children[helper] if tree.deps[child] in _SUBJECTS]
        return found

    def _is_all_of_them(self, index: int) -> bool:
        alone = self._tree.words[index] in ALL_OF_THEM and not self._tree.children[index]
        return alone and index not in self._wanted

    def _other_before(self, verb: int) -> int | None:
        """Return a word like "one" right before a verb without a subject: and one is playing."""
        index = verb - 1
        while index > 0 and self._tree.deps[index] in {"advmod", "aux", "auxpass"}:
            index -= 1
        return index if index in self._wanted and self._tree.words[index] in OTHERS else None

    def _people_in_picture(self, verb: int, origin: int) -> Nouns:
        """Return the people in a picture as the subject of later words: the image shows a man, smiling."""
        shows = self._tree.words[verb] in BE or self._tree.participle(verb) in SHOWING
        if origin == verb or not shows:
            return ()
        objects = [noun for noun in self._tree.dependents(verb, "dobj", "attr") if noun < origin]
        return self.coordinated(objects[0]) if objects else ()

    def _may_pass_over(self, noun: int, origin: int) -> bool:
        """Whether a participle attached to some other noun is about the person: in a hat smiling."""
        if self._tree.deps[origin] == "relcl":
            return "who" in self._tree.words[noun + 1 : origin]
        word = self._tree.words[origin]
        participle = self._tree.tags[origin] == "VBG" or word in DRESSED or word in _POSTURES
        if not self._tree.is_verb(origin) or not participle or word in _OF_THINGS:
            return False
        return self._is_passed_over(noun, origin)

    def _is_passed_over(self, noun: int, origin: int) -> bool:
        """Whether a noun before a participle is just worn, held, or a place: on a bridge fishing."""
        for _ in range(FARTHEST):
            if self._tree.deps[noun] != "conj" or noun in self._wanted:
                break
            noun = self._tree.heads[noun]
        governor = self._tree.heads[noun]
        if noun in self._wanted:
            return True
        if self._tree.words[noun] in self._reader.rivals and self._tree.words[governor] not in _AROUND:
            return False  # with a dog wearing a hat
        if self._tree.words[origin] in {"donning", "wearing"} or self._tree.words[origin] in DRESSED:
            return True
        if self._tree.words[origin] in _FACIAL or self._tree.words[origin] in _POSTURES:
            return True
        if self._tree.words[origin] == "flying" and self._tree.dependents(origin, "dobj"):
            return True  # next to a house flying a kite
        if self._tree.deps[noun] == "pobj":
            return self._is_around(noun, governor, origin)
        if self._tree.deps[noun] == "dobj" and self._tree.is_verb(governor):
            return self._is_done_beside(governor, origin)
        return False

    def _is_done_beside(self, governor: int, origin: int) -> bool:
        """Whether a participle after an object is another action: crossing a street pushing a cart."""
        form = self._tree.participle(governor)
        if form in _HANDLING:
            return True
        if self._tree.words[governor] in HAVE:
            return False  # has a cane resting beside him
        moves = self._tree.words[origin] in _MOVING and not self._tree.dependents(origin, "dobj")
        return form not in _PERCEIVING and form not in SHOWING and not moves

    def _is_around(self, noun: int, preposition: int, origin: int) -> bool:
        """Whether a noun after a preposition is just a place or a possession: in a park playing chess."""
        verb = self._tree.words[origin]
        opening, whole = self._tree.words[preposition], self._tree.words[self._tree.heads[preposition]]
        if opening in {"as", "like"}:
            return whole in DRESSED  # dressed as pirates walking
        if opening in {"with", "without"}:
            if self._tree.words[noun + 1 : noun + 2] in {("off",), ("on",)}:
                return True  # with skis on going down a hill
            if verb in _HANDLING and self._tree.dependents(origin, "dobj"):
                return True  # with a shaved head riding a bike
            # Legs do not pose (with metal legs posing), but a kite may fly.
            had = self._tree.heads[preposition] in self._wanted and verb not in _MOVING
            return had or self._reader.reads(f"with {self._tree.words[noun]}")
        if opening == "of":
            outer = self._tree.heads[preposition]
            # Neither sweets nor hotels do this: with a box of sweets standing, guests of a hotel sitting.
            had = outer in self._wanted or self._tree.words[self._tree.heads[outer]] == "with"
            around = whole in {"front", "inside", "outside"} and verb not in _MOVING
            return whole in PARTS or around or (had and verb in INTRANSITIVE)
        if opening == "at" and whole in _LOOKING_AT:
            return False
        beside = opening in _BESIDE or (opening == "to" and whole in {"close", "next"})
        if beside and verb not in _MOVING and verb != "carrying":
            return True
        return opening in _AROUND or verb in _ONLY_PEOPLE
