"""Participles that the tagger took for nouns, or that hang on the wrong one: a man holding roses stands."""

from __future__ import annotations

from collections.abc import Callable

from assess.grammar.draft import IN_PHRASE, Draft
from assess.grammar.verbs import BE
from assess.records import Annotation

NOUNS = frozenset({"NN", "NNS"})
"""The tags of nouns that are no names."""
OTHERS = frozenset({"another", "one", "other"})
"""Words for somebody else than those named before."""
ONE = frozenset({"a", "an", "another", "each", "every", "one", "this"})
"""What stands before one thing only."""
NEAR = 8
"""Words to look back over for an article; no noun phrase of a caption is longer."""

# fmt: off
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


class Rehanging:
    """An annotation while its verbs are put right, with the changes that do it."""

    def __init__(self, annotation: Annotation, nouns: frozenset[str], reads: Callable[[str], bool]) -> None:
        self.draft = Draft(annotation)
        self._nouns = nouns
        self._reads = reads
        self._words = self.draft.words
        self._tags, self._heads, self._deps = self.draft.tags, self.draft.heads, self.draft.deps

    def _worn(self, index: int) -> bool:
        """Whether a word names clothes, or a colour that stands for them, which do nothing by themselves."""
        if index < 0 or self._words[index] in self._nouns:
            return False
        word = self._words[index]
        return self._reads(f"wearing {word}") and self._reads(f"in {word}")

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
        self._give_phrase(verb, noun)
        self.draft.hang(noun, verb, "nsubj")
        if self._tags[verb] != "VBG":
            self.draft.tag(verb, "VBZ" if self._words[verb].endswith("s") else "VBP")
        self.draft.cut(verb)
        self.draft.make_phrase(noun)

    def _give_phrase(self, verb: int, noun: int) -> None:
        """Hang what describes a word that turned out to be a verb on the noun before it."""
        for child in self.draft.children(verb, *IN_PHRASE):
            if child < noun:
                self.draft.hang(child, noun, self._deps[child])

    def _take_out(self, index: int, noun: int, tag: str) -> None:
        """Let the noun before a verb stand for its phrase, and hang the verb on what that is about."""
        last = self._heads[index]
        if last == noun:
            self.draft.hang(index, self._top(noun), "acl")
            self._become_verb(index, tag)
            return
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
            and following < len(self._tags)
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
        elif self._follows_color(index):
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
        """Let a colour stand for clothes, and make a verb of what follows: a girl in pink jumps."""
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
            self._words[index] in ONE
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
