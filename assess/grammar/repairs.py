"""Verbs that the tagger took for nouns: a man in a red shirt jumps over a fence.

Captions are telegrams in the simple present, and a small model trained on news often reads "jumps" as a
plural and "a helmet riding" as a compound. Such verbs have a subject or an object, they end a phrase that
has an article for one thing, or they are participles right after a noun. Where a verb went wrong, the nouns
around it often did too: they hang on the wrong word, or are in no chunk.
"""

from __future__ import annotations

from assess.grammar.draft import IN_PHRASE
from assess.grammar.participles import NEAR, NOUNS, ONE, OTHERS, Participles
from assess.grammar.verbs import BE, HAVE
from assess.records import Annotation

_MAYBE_VERBS = frozenset({"NN", "NNS", "VBG", "VBZ"})
# What a verb goes on with: jumps over, walks the dog, smiles and waves.
_COMPLEMENTS = frozenset({"CC", "DT", "IN", "PRP$", "RB", "RP", "TO"})
_WORN_OR_DONE = frozenset({"dress", "tie", "top", "vest"})
_DONE_BY_ALL = frozenset({"dance", "look", "play", "pose", "ride", "run", "sit", "stand", "walk", "watch"})
_ALONE = frozenset({"grins", "laughs", "poses", "sits", "sleeps", "smiles", "waits", "watches"})
"""Verbs that need nothing after them."""
# fmt: off
# Clothes and tools that have no singular: "a swimming goggles" is bad English, but no verb.
_ALWAYS_PLURAL = frozenset((
    "binoculars", "boots", "clothes", "earrings", "glasses", "gloves", "goggles", "headphones", "jeans",
    "leggings", "overalls", "pajamas", "pants", "scissors", "shoes", "shorts", "skis", "slacks", "socks",
    "sunglasses", "tights", "trousers", "trunks",
))
# What people do in captions, and few things are called.
_SURELY_DONE = frozenset((
    "carries", "eats", "enjoys", "holds", "jumps", "kneels", "leans", "looks", "plays", "poses", "reads",
    "rides", "runs", "sits", "smiles", "stands", "talks", "throws", "waits", "walks", "watches", "wears",
))
# fmt: on


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
            or (dep == "dobj" and annotation.tags[annotation.heads[index]] in NOUNS)
            or word in _WORN_OR_DONE
        ):
            repair.look_at(index)
        if dep in {"nsubj", "nsubjpass"}:
            repair.look_at_subject(index)
        elif dep == "ROOT" and index and tag in NOUNS:
            repair.look_at_root(index)
        elif dep == "det" and word in OTHERS:
            repair.look_at_other(index)
    repair.find_loose_nouns()
    return repair.draft.result()


class _Repair(Participles):
    """An annotation while its verbs are put right."""

    def look_at(self, index: int) -> None:
        """Make a verb of a noun that is none."""
        if self._deps[index] == "dobj" and self._tags[self._heads[index]] in NOUNS:
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
        elif self._is_done_by_all(index):
            self._take_out(index, index - 1, "VBP")
            self.draft.hang(index, self._heads[index - 1], "acl")
            self.draft.make_phrase(index - 1)
        elif self._tags[index] in NOUNS and (self._has_subject(index) or self._joins_verb(index)):
            self._become_verb(index, "VBZ" if self._words[index].endswith("s") else "VBP")

    def look_at_subject(self, noun: int) -> None:
        """Join a noun to the list that it ends, where the parser made it a subject of its own."""
        verb = self._heads[noun]
        before = self._before_phrase(noun)
        if (
            before < 1
            or self._words[before] not in {"and", ","}
            or noun > verb
            or self._tags[noun] not in NOUNS
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
            if self._tags[listed] in NOUNS:
                self.draft.hang(noun, listed, "conj")

    def look_at_root(self, noun: int) -> None:
        """Join a noun to what stands before "and", where the parser let it stand alone: and a green tie."""
        joint = self._before_phrase(noun)
        first = self._heads[joint] if joint > 0 else noun
        if self._deps[joint] != "cc" or first >= joint or self._tags[first] not in NOUNS:
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
        nouns = [index for index, tag in enumerate(self._tags) if tag in NOUNS]
        for index in nouns:
            loose = self._deps[index] not in IN_PHRASE or self._opens_close_up(index)
            if loose and not self.draft.in_chunk(index):
                self.draft.make_phrase(index)

    def _opens_close_up(self, index: int) -> bool:
        return self._words[index : index + 3] == ("close", "up", "of")

    def _before_phrase(self, noun: int) -> int:
        """Return the word before a noun and those that describe it."""
        first = noun
        while first and noun - first < NEAR and first <= self._heads[first - 1] <= noun:
            first -= 1
        return first - 1

    # Other verbs.

    def _has_subject(self, index: int) -> bool:
        """Whether the parser gave it a subject, which no noun has."""
        for noun in self.draft.children(index, "nsubj"):
            tag, word = self._tags[noun], self._words[noun]
            if noun < index and (tag in NOUNS or tag == "PRP" or word in OTHERS):
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
        for _ in range(NEAR):
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
        articles = (i for i in range(max(0, index - NEAR), index) if self._deps[i] == "det")
        one = any(self._words[i] in ONE for i in articles if self._heads[i] in {index, index - 1})
        # Her phone leans: "her" may stand before several things too.
        own = self._words[index] in _SURELY_DONE and any(
            self._tags[i] == "PRP$" for i in range(max(0, index - NEAR), index) if self._heads[i] == index
        )
        following = self._tags[index + 1]
        goes_on = (
            following in _COMPLEMENTS
            or self._words[index] in _ALONE
            or (self._deps[index] not in IN_PHRASE and following in {"CD", "JJ", "NN", "NNS", "PRP"})
        )
        return (one or own) and goes_on

    def _is_done_by_all(self, index: int) -> bool:
        """Whether a verb ends a list of those who do it: three women and a dog stand by a lake."""
        return (
            self._words[index] in _DONE_BY_ALL
            and self._tags[index] == "NN"
            and self._deps[index] == "conj"
            and self._heads[index - 1] == index
            and self._deps[index - 1] == "compound"
            and index + 1 < len(self._words)
            and self._tags[index + 1] in {"IN", "RB", "RP", "TO"}
        )

    def _opens_phrase(self, index: int) -> bool:
        """Whether a participle opens a phrase that was not placed: boys in a tent eating beans."""
        root = self._heads[index]
        return (
            self._tags[index] == "VBG"
            and self._deps[index] == "amod"
            and root > index > 0
            and self._deps[root] in {"appos", "dep", "npadvmod"}
            and self._tags[index - 1] in NOUNS
        )

    def _is_worn(self, index: int) -> bool:
        """Whether a word that may be a verb is joined to clothes: a suit and tie."""
        if index < 2 or self._words[index - 1] != "and" or self._tags[index - 2] not in NOUNS:
            return False
        if self._tags[index] not in {"VB", "VBP"}:
            return False
        # "Washing a tub and sink": a participle is joined to participles.
        odd = self._deps[index] == "conj" and self._tags[self._heads[index]] == "VBG"
        alone = self._words[index] not in BE | HAVE and not self.draft.children(index, "aux", "dobj", "nsubj")
        return (odd and alone) or self._words[index] in _WORN_OR_DONE
