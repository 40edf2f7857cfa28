"""Verbs that the tagger took for nouns: a man in a red shirt jumps over a fence.

Captions are telegrams in the simple present, and a small model trained on news often reads "jumps" as a
plural and "a helmet riding" as a compound. Such verbs have a subject or an object, they end a phrase that
has an article for one thing, or they are participles right after a noun. Where a verb went wrong, the nouns
around it often did too: they hang on the wrong word, or are in no chunk.
"""

from __future__ import annotations

from assess.grammar.draft import IN_PHRASE, Draft
from assess.grammar.verbs import BE, HAVE
from assess.records import Annotation

_NOUNS = frozenset({"NN", "NNS"})
_MAYBE_VERBS = frozenset({"NN", "NNS", "VBG", "VBZ"})
_OTHERS = frozenset({"another", "one", "other"})
_ONE = frozenset({"a", "an", "another", "each", "every", "one", "this"})
# What a verb goes on with: jumps over, walks the dog, smiles and waves.
_COMPLEMENTS = frozenset({"CC", "DT", "IN", "PRP$", "RB", "RP", "TO"})
_WORN_OR_DONE = frozenset({"dress", "tie", "top", "vest"})
_ALONE = frozenset({"grins", "laughs", "poses", "sits", "sleeps", "smiles", "waits", "watches"})
"""Verbs that need nothing after them."""
# fmt: off
# Clothes and tools that have no singular: "a swimming goggles" is bad English, but no verb.
_ALWAYS_PLURAL = frozenset((
    "binoculars", "boots", "clothes", "earrings", "glasses", "gloves", "goggles", "headphones", "jeans",
    "leggings", "overalls", "pajamas", "pants", "scissors", "shoes", "shorts", "skis", "slacks", "socks",
    "sunglasses", "tights", "trousers", "trunks",
))
# Nouns that end like a participle.
_ING_NOUNS = frozenset((
    "awning", "bedding", "building", "ceiling", "clearing", "clothing", "covering", "crossing", "dining",
    "dressing", "earring", "evening", "fencing", "filling", "flooring", "frosting", "gathering", "icing",
    "king", "landing", "lighting", "living", "meeting", "morning", "offering", "opening", "outing",
    "painting", "parking", "pudding", "railing", "ring", "roofing", "seating", "serving", "setting",
    "shopping", "sibling", "siding", "sling", "spring", "string", "stuffing", "swing", "thing", "topping",
    "wedding", "wing",
))
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
_NEAR = 8
"""Words to look back over for an article; no noun phrase of a caption is longer."""


def repaired(annotation: Annotation, nouns: frozenset[str] = frozenset()) -> Annotation:
    """Return an annotation with such verbs as verbs; the same one where there are none.

    The nouns that matter to the reader are surely nouns, whatever the tagger says.
    """
    repair = _Repair(annotation, nouns)
    subjects = {head for dep, head in zip(annotation.deps, annotation.heads, strict=True) if dep == "nsubj"}
    for index, (word, tag, dep) in enumerate(
        zip(annotation.words, annotation.tags, annotation.deps, strict=True)
    ):
        # Few words look like verbs among nouns at all, and to tell these costs next to nothing.
        odd = word.endswith(("s", "ing")) or dep == "conj" or index in subjects
        if (
            (odd and tag in _MAYBE_VERBS)
            or (dep == "conj" and tag in {"VB", "VBP"})
            or (dep == "dobj" and annotation.tags[annotation.heads[index]] in _NOUNS)
            or word in _WORN_OR_DONE
        ):
            repair.look_at(index)
        if dep in {"nsubj", "nsubjpass"}:
            repair.look_at_subject(index)
        elif dep == "ROOT" and index and tag in _NOUNS:
            repair.look_at_root(index)
        elif dep == "det" and word in _OTHERS:
            repair.look_at_other(index)
    repair.find_loose_nouns()
    return repair.draft.result()


class _Repair:
    """An annotation while its verbs are put right."""

    def __init__(self, annotation: Annotation, nouns: frozenset[str]) -> None:
        self.draft = Draft(annotation)
        self._nouns = nouns
        self._words = self.draft.words
        self._tags, self._heads, self._deps = self.draft.tags, self.draft.heads, self.draft.deps

    def look_at(self, index: int) -> None:
        """Make a verb of a noun that is none."""
        if self._deps[index] == "dobj" and self._tags[self._heads[index]] in _NOUNS:
            self._take_subject(self._heads[index])
        elif self._is_participle(index) and self._look_at_participle(index):
            pass
        elif self._opens_phrase(index):
            self._take_object(index)
        elif self._is_worn(index):
            self.draft.tag(index, "NN")
            self.draft.hang(index, index - 2, "conj")
        elif self._ends_phrase(index):
            self._take_out(index, index - 1, "VBZ")
            self.draft.make_phrase(index - 1)
        elif self._tags[index] in _NOUNS and (self._has_subject(index) or self._joins_verb(index)):
            self._become_verb(index, "VBZ" if self._words[index].endswith("s") else "VBP")

    def look_at_subject(self, noun: int) -> None:
        """Join a noun to the list that it ends, where the parser made it a subject of its own."""
        verb = self._heads[noun]
        before = self._before_phrase(noun)
        if (
            before < 1
            or self._words[before] not in {"and", ","}
            or noun > verb
            or self._tags[noun] not in _NOUNS
        ):
            return
        first = self._heads[verb]
        if self._tags[verb] == "VBG" and self._deps[verb] == "conj" and {
            self._words[noun], self._words[first]
        } <= self._nouns and not self.draft.children(verb, "aux"):  # fmt: skip
            # A man, a woman and a child looking on.
            self.draft.hang(noun, first, "conj")
            self.draft.hang(verb, noun, "acl")
        elif others := [other for other in self.draft.children(verb, "nsubj", "nsubjpass") if other < before]:
            # A man in a shirt and blue jeans sits: the jeans do not sit.
            listed = others[-1] if self._words[noun] in self._nouns else before - 1
            if self._tags[listed] in _NOUNS:
                self.draft.hang(noun, listed, "conj")

    def look_at_root(self, noun: int) -> None:
        """Join a noun to what stands before "and", where the parser let it stand alone: and a green tie."""
        joint = self._before_phrase(noun)
        first = self._heads[joint] if joint > 0 else noun
        if self._deps[joint] != "cc" or first >= joint or self._tags[first] not in _NOUNS:
            return
        above = first
        for _ in range(len(self._words)):
            if self._heads[above] in {above, noun}:
                break
            above = self._heads[above]
        if self._heads[above] == noun:
            self.draft.hang(above, above, "ROOT")
            self.draft.hang(noun, first, "conj")

    def look_at_other(self, index: int) -> None:
        """Let somebody else do what follows: one man holding a bat and another holding a ball."""
        if self._heads[index] == index + 1 and self._tags[index + 1] == "VBG":
            self.draft.hang(index, index + 1, "nsubj")

    def find_loose_nouns(self) -> None:
        """Give a noun its chunk where the parser left it in none: "two cooks chopping, one stirs"."""
        nouns = [index for index, tag in enumerate(self._tags) if tag in _NOUNS]
        for index in nouns:
            loose = self._deps[index] not in IN_PHRASE or self._opens_close_up(index)
            if loose and not self.draft.in_chunk(index):
                self.draft.make_phrase(index)

    def _opens_close_up(self, index: int) -> bool:
        return self._words[index : index + 3] == ("close", "up", "of")

    def _before_phrase(self, noun: int) -> int:
        """Return the word before a noun and those that describe it."""
        first = noun
        while first and noun - first < _NEAR and first <= self._heads[first - 1] <= noun:
            first -= 1
        return first - 1

    # Participles.

    def _is_participle(self, index: int) -> bool:
        word = self._words[index]
        return word.endswith("ing") and len(word) > 5 and word not in _ING_NOUNS

    def _look_at_participle(self, index: int) -> bool:
        """Put a participle right, if it is wrong."""
        tag, relation, head = self._tags[index], self._deps[index], self._heads[index]
        bare = not self.draft.children(index, "det", "amod", "poss")
        if relation == "acl" and tag == "VBG":
            return self._has_owner_inside(index)
        if self._follows_noun(index):
            self._take_out(index, index - 1, "VBG")
        elif (noun := self._noun_of_pastime(index)) is not None:
            self._take_out(index, noun, "VBG")
        elif tag not in _NOUNS:
            return False
        elif relation in {"acl", "advcl", "dep"} and head < index:
            # Standing by a lake fishing.
            self._become_verb(index, "VBG")
            self._deps[index] = "acl" if relation == "dep" else relation
        elif bare and relation == "attr" and self._words[head] in BE:
            self._become_verb(index, "VBG")  # he is rock climbing
        elif self._words[index - 1] in _OTHERS and relation == "conj" and self._deps[index - 1] == "nummod":
            self._become_verb(index, "VBG")  # two swimming and one diving
            self.draft.hang(index - 1, index, "nsubj")
        elif self._follows_color(index):
            opening = head
            self.draft.hang(index - 1, opening, "pobj")
            self.draft.hang(index, self._heads[opening], "acl")
            self._become_verb(index, "VBG")
        else:
            return False
        return True

    def _follows_noun(self, index: int) -> bool:
        """Whether a participle stands right after the noun of its phrase: a green vest waiting outside."""
        noun = index - 1
        if noun < 0 or (index == len(self._words) - 1 and self._words[noun] not in self._nouns):
            return False
        if self._tags[index] == "VBG" and self._deps[index] not in {"amod", "compound", "dobj", "pobj"}:
            return False
        each_other = index > 1 and self._words[noun] == "other" and self._words[noun - 1] == "each"
        if self._tags[noun] not in _NOUNS and not each_other:
            return False
        if self._words[index] in _PASTIMES.get(self._words[noun], ()):
            return False
        last = self._heads[index] if self._deps[index] in IN_PHRASE else index
        if self._words[last] in _PLACES_AND_EVENTS:
            return False
        if self._deps[noun] == "npadvmod":
            # A guitar playing man, but a green coat holding umbrellas.
            return self._words[last] not in self._nouns and self._has_article(noun, last)
        return self._heads[noun] in {index, self._heads[index]} and self._deps[noun] in IN_PHRASE

    def _has_article(self, noun: int, last: int) -> bool:
        """Whether an article for one thing stands before a noun, and the phrase ends in several."""
        return self._tags[last] == "NNS" and any(
            self._words[index] in _ONE
            for index in range(max(0, noun - _NEAR), noun)
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
        """Whether a participle stands where a noun would after a colour: a girl in pink playing."""
        head = self._heads[index]
        before = 2 if self._words[index - 2] == "all" else 1
        return (
            self._deps[index] == "pobj"
            and self._words[head] == "in"
            and head == index - 1 - before
            and self._tags[index - 1] == "JJ"
        )

    # Other verbs.

    def _has_subject(self, index: int) -> bool:
        """Whether the parser gave it a subject, which no noun has."""
        for noun in self.draft.children(index, "nsubj"):
            tag, word = self._tags[noun], self._words[noun]
            if noun < index and (tag in _NOUNS or tag == "PRP" or word in _OTHERS):
                return True
        return False

    def _joins_verb(self, index: int) -> bool:
        """Whether it is joined to such a verb: smiles and dances."""
        head = self._heads[index]
        if self._deps[index] != "conj" or head >= index or self._words[index] in _ALWAYS_PLURAL:
            return False
        tag, other = self._tags[index], self._tags[head]
        if tag == "NNS" and self._words[index] in _ALONE and self._words[index - 1] == "and":
            verb = self._verb_above(head)
            if verb is not None:
                self.draft.hang(index, verb, "conj")
                return True
        if tag == "NNS" and other in {"NNS", "VBZ"}:
            return self._has_subject(head) and (other == "NNS" or self._words[index - 1] == "and")
        # "Sit by the fire and talk": a noun is not joined to a verb.
        return tag == "NN" and other in {"VBP", "VBZ"} and self._tags[index - 1] == "CC"

    def _verb_above(self, index: int) -> int | None:
        """Return the verb in the present tense that a noun belongs to: wears a hat and smiles."""
        for _ in range(_NEAR):
            if self._tags[index] == "VBZ" and self._words[index] not in BE:
                return index
            index = self._heads[index]
        return None

    def _ends_phrase(self, index: int) -> bool:
        """Whether a plural ends a phrase for one thing, and something follows: a blue coat strolls past."""
        if self._tags[index] not in {"NNS", "VBZ"} or not 1 <= index < len(self._words) - 1:
            return False
        known = self._words[index - 1] in self._nouns
        if not (known or self._tags[index - 1] == "NN") or self._words[index] in _ALWAYS_PLURAL:
            return False
        if self._heads[index - 1] != index or self._deps[index - 1] not in {"compound", "amod"}:
            return False
        if self._words[index - 1] == "wear":
            return False  # women in a room wear hats
        articles = (i for i in range(max(0, index - _NEAR), index) if self._deps[i] == "det")
        one = any(self._words[i] in _ONE for i in articles if self._heads[i] in {index, index - 1})
        following = self._tags[index + 1]
        goes_on = (
            following in _COMPLEMENTS
            or self._words[index] in _ALONE
            or (self._deps[index] not in IN_PHRASE and following in {"CD", "JJ", "NN", "NNS", "PRP"})
        )
        return one and goes_on

    def _opens_phrase(self, index: int) -> bool:
        """Whether a participle opens a phrase that was not placed: boys in a tent eating beans."""
        root = self._heads[index]
        return (
            self._tags[index] == "VBG"
            and self._deps[index] == "amod"
            and root > index > 0
            and self._deps[root] in {"appos", "dep", "npadvmod"}
            and self._tags[index - 1] in _NOUNS
        )

    def _is_worn(self, index: int) -> bool:
        """Whether a word that may be a verb is joined to clothes: a suit and tie."""
        if index < 2 or self._words[index - 1] != "and" or self._tags[index - 2] not in _NOUNS:
            return False
        if self._tags[index] not in {"VB", "VBP"}:
            return False
        # "Washing a tub and sink": a participle is joined to participles.
        odd = self._deps[index] == "conj" and self._tags[self._heads[index]] == "VBG"
        alone = self._words[index] not in BE | HAVE and not self.draft.children(index, "aux", "dobj", "nsubj")
        return (odd and alone) or self._words[index] in _WORN_OR_DONE

    # The changes.

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
        for other in range(max(0, noun - _NEAR), noun):
            if self._heads[other] in {index, root}:
                self.draft.hang(other, noun, self._deps[other])
        if self._tags[noun] not in _NOUNS:
            self.draft.tag(noun, "NN")
        if inside:
            self.draft.hang(root, index, "dobj")
        about = noun if tag == "VBG" else self._top(noun)
        following = index + 1
        if (
            tag == "VBZ"
            and self._tags[following] in _NOUNS
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
        for _ in range(_NEAR):
            if self._heads[index] == index:
                break
            index = self._heads[index]
            if self._tags[index] in _NOUNS:
                return index
        return noun
