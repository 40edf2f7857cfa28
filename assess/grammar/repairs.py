"""Verbs that the tagger took for nouns: a man in a red shirt jumps over a fence.

Captions are telegrams in the simple present, and a small model trained on news often reads "jumps" as a
plural and "a helmet riding" as a compound. Three signs give such verbs away: they have a subject, they end a
phrase that has an article for one thing, or they are participles right after the noun of a phrase.
"""

from __future__ import annotations

from assess.records import Annotation, Chunk

_NOUNS = frozenset({"NN", "NNS"})
_MAYBE_VERBS = frozenset({"NN", "NNS", "VBG", "VBZ"})
_LOOSE = frozenset({"acl", "advcl", "ccomp", "dep", "intj", "nmod", "npadvmod", "parataxis", "relcl"})
_IN_PHRASE = frozenset({"amod", "compound", "det", "nmod", "nummod", "poss"})
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
# What is done with or on these is a pastime by name, and one noun with it: ice skating, horse riding.
_PASTIMES = frozenset((
    "bird", "bull", "country", "cross", "figure", "hand", "hang", "horse", "horseback", "ice", "in", "line",
    "motor", "mountain", "para", "rock", "roller", "sail", "skate", "ski", "sky", "snow", "speed", "sun",
    "surf", "wake", "water", "weight", "wind",
))
# A compound ends in one of these: a rock climbing wall, a pie eating contest.
_PLACES_AND_EVENTS = frozenset((
    "area", "board", "class", "club", "competition", "contest", "course", "equipment", "event", "facility",
    "game", "gear", "lesson", "machine", "match", "party", "place", "pole", "pool", "rack", "range", "rink",
    "room", "show", "station", "suit", "table", "team", "trip", "wall",
))
# fmt: on
_NEAR = 8
"""Words to look back over for an article; no noun phrase of a caption is longer."""


def repaired(annotation: Annotation) -> Annotation:
    """Return an annotation with such verbs as verbs; the same one where there are none."""
    repair = _Repair(annotation)
    rows = zip(annotation.words, annotation.tags, annotation.deps, strict=True)
    subjects = {head for dep, head in zip(annotation.deps, annotation.heads, strict=True) if dep == "nsubj"}
    for index, (word, tag, dep) in enumerate(rows):
        # Few words look like verbs among nouns at all, and to tell these costs next to nothing.
        odd = word.endswith(("s", "ing")) or dep == "conj" or index in subjects
        if (odd and tag in _MAYBE_VERBS) or word in _WORN_OR_DONE:
            repair.look_at(index)
    for index, relation in enumerate(annotation.deps):
        if relation in _LOOSE and annotation.tags[index] in _NOUNS:
            repair.add_phrase(index)
    return repair.result()


class _Repair:
    """An annotation while its verbs are put right."""

    def __init__(self, annotation: Annotation) -> None:
        self._old = annotation
        self._words = annotation.words
        self._tags, self._heads, self._deps = (
            list(annotation.tags),
            list(annotation.heads),
            list(annotation.deps),
        )
        self._chunks = list(annotation.chunks)
        self._changed = False

    def result(self) -> Annotation:
        """Return the annotation with all changes."""
        if not self._changed:
            return self._old
        chunks = tuple(sorted(chunk for chunk in self._chunks if chunk.start < chunk.end))
        return self._old._replace(
            tags=tuple(self._tags), heads=tuple(self._heads), deps=tuple(self._deps), chunks=chunks
        )

    def look_at(self, index: int) -> None:
        """Make a verb of a noun that is none."""
        if self._follows_noun(index):
            self._take_out(index, "VBG")
        elif self._opens_phrase(index):
            self._take_object(index)
        elif self._is_worn(index):
            self._become_noun(index)
        elif self._ends_phrase(index):
            self._take_out(index, "VBZ")
            self.add_phrase(index - 1)
        elif self._tags[index] in _NOUNS and (self._has_subject(index) or self._joins_verb(index)):
            self._become_verb(index, "VBZ" if self._words[index].endswith("s") else "VBP")
            self._cut(index)

    def add_phrase(self, index: int) -> None:
        """Give a noun its chunk where the parser left it in none: "two cooks chopping, one stirs"."""
        at = self._old.offsets[index]
        if self._tags[index] not in _NOUNS or any(chunk.start <= at < chunk.end for chunk in self._chunks):
            return
        first = index
        while first and self._heads[first - 1] == index and self._deps[first - 1] in _IN_PHRASE:
            first -= 1
        self._chunks.append(Chunk(self._old.offsets[first], at + len(self._words[index])))
        self._changed = True

    # The signs.

    def _has_subject(self, index: int) -> bool:
        """Whether the parser gave it a subject, which no noun has."""
        for before in range(max(0, index - 30), index):
            if self._old.heads[before] == index and self._old.deps[before] == "nsubj":
                tag, word = self._old.tags[before], self._words[before].lower()
                if tag in _NOUNS or tag == "PRP" or word in _OTHERS:
                    return True
        return False

    def _joins_verb(self, index: int) -> bool:
        """Whether it is joined to such a verb: smiles and dances."""
        head = self._old.heads[index]
        if self._old.deps[index] != "conj" or head >= index:
            return False
        tag, other = self._old.tags[index], self._old.tags[head]
        if tag == "NNS" and other == "NNS":
            return self._has_subject(head)
        # "Sit by the fire and talk": a noun is not joined to a verb.
        return tag == "NN" and other in {"VBP", "VBZ"} and self._old.tags[index - 1] == "CC"

    def _ends_phrase(self, index: int) -> bool:
        """Whether a plural ends a phrase for one thing, and something follows: a blue coat strolls past."""
        if self._tags[index] not in {"NNS", "VBZ"} or not 2 <= index < len(self._words) - 1:
            return False
        if self._tags[index - 1] != "NN" or self._words[index].lower() in _ALWAYS_PLURAL:
            return False
        if self._heads[index - 1] != index or self._deps[index - 1] != "compound":
            return False
        articles = (i for i in range(max(0, index - _NEAR), index) if self._deps[i] == "det")
        one = any(self._words[i].lower() in _ONE for i in articles if self._heads[i] in {index, index - 1})
        goes_on = self._tags[index + 1] in _COMPLEMENTS or self._words[index].lower() in _ALONE
        return one and goes_on

    def _follows_noun(self, index: int) -> bool:
        """Whether a participle stands right after the noun of its phrase: a green vest waiting outside."""
        word = self._words[index].lower()
        if (
            not word.endswith("ing")
            or len(word) < 6
            or word in _ING_NOUNS
            or not 1 <= index < len(self._words) - 1
        ):
            return False
        if self._tags[index] == "VBG" and self._deps[index] not in {"amod", "compound", "dobj", "pobj"}:
            return False
        noun = index - 1
        each_other = index > 1 and self._words[noun] == "other" and self._words[noun - 1] == "each"
        if self._tags[noun] not in _NOUNS and not each_other:
            return False
        if self._words[noun].lower() in _PASTIMES:
            return False
        if self._heads[noun] not in {index, self._heads[index]} or self._deps[noun] not in _IN_PHRASE:
            return False
        return self._words[self._heads[index]].lower() not in _PLACES_AND_EVENTS

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

    # The changes.

    def _is_worn(self, index: int) -> bool:
        """Whether a word that may be a verb is joined to clothes: a suit and tie."""
        return (
            index > 1
            and self._tags[index] in {"VB", "VBP"}
            and self._words[index] in _WORN_OR_DONE
            and self._words[index - 1] == "and"
            and self._tags[index - 2] in _NOUNS
        )

    def _become_noun(self, index: int) -> None:
        self._tags[index], self._deps[index], self._heads[index] = "NN", "conj", index - 2
        self._changed = True

    def _become_verb(self, index: int, tag: str) -> None:
        self._tags[index] = tag
        self._changed = True

    def _take_out(self, index: int, tag: str) -> None:
        """Let the noun before a verb stand for its phrase, and hang the verb on what that is about."""
        noun, last = index - 1, self._heads[index]
        inside = self._deps[index] in {"amod", "compound"} and last > index
        root = last if inside else index
        self._heads[noun] = noun if self._heads[root] == root else self._heads[root]
        self._deps[noun] = self._deps[root]
        for other in range(max(0, noun - _NEAR), noun):
            if self._heads[other] in {index, root}:
                self._heads[other] = noun
        if inside:
            self._heads[root], self._deps[root] = index, "dobj"
        self._heads[index], self._deps[index] = (noun if tag == "VBG" else self._top(noun)), "acl"
        self._become_verb(index, tag)
        self._cut(index)

    def _take_object(self, index: int) -> None:
        """Make a phrase the object of the participle that opens it."""
        root = self._heads[index]
        self._heads[index], self._deps[index] = self._heads[root], "acl"
        self._heads[root], self._deps[root] = index, "dobj"
        self._changed = True
        self._cut(index)

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

    def _cut(self, index: int) -> None:
        """Cut a verb out of the chunk that holds it."""
        at = self._old.offsets[index]
        end = at + len(self._words[index])
        chunks: list[Chunk] = []
        for chunk in self._chunks:
            if not chunk.start <= at < chunk.end:
                chunks.append(chunk)
                continue
            before = self._old.offsets[index - 1] + len(self._words[index - 1]) if index else at
            chunks.append(Chunk(chunk.start, min(at, before)))
            if chunk.end > end and index + 1 < len(self._words):
                chunks.append(Chunk(self._old.offsets[index + 1], chunk.end))
        self._chunks = [chunk for chunk in chunks if chunk.start < chunk.end]
