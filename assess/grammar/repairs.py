"""Repairs verbs that the tagger took for nouns: a man in a red shirt jumps over a fence.

Captions are terse and in the simple present, and a small model trained on news often reads "jumps" as a
plural and "a helmet riding" as a compound. Such verbs can be recognised: they have a subject or an object,
or end a phrase with a singular article, or are participles right after a noun. The nouns around them are
often wrong too: attached to the wrong word, or in no chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from assess.grammar.doubts import BARE_VERBS, FINITE, INVERTED, NO_OBJECT, ODD_SUBJECTS, doubtful_words
from assess.grammar.draft import BEFORE_SINGULAR, IN_PHRASE, NEAR, NOUNS, OTHERS, KnownWords, has_loose_noun
from assess.grammar.lost_nouns import AGENTS, LostNouns
from assess.grammar.participles import (
    ALWAYS_PLURAL,
    CLOTHES_OR_VERBS,
    COMPLEMENTS,
    FREQUENT_VERBS,
    PASTIME_VERBS,
    PLURAL_VERBS,
)
from assess.grammar.tree import ONE_OF_THEM, Tree
from assess.grammar.verbs import BE, DRESSED, INTRANSITIVE

_MAYBE_VERBS = frozenset({"NN", "NNS", "VBG", "VBZ"})
_ALONG = frozenset({"across", "along", "around", "down", "into", "onto", "over", "past", "through", "up"})
# Endings of nouns for people, which few verbs share.
_AGENTS = ("er", "ers", "ist", "ists", "or", "ors")
_CALLED_OR_DONE = frozenset(
    {"butcher", "father", "master", "mother", "peer", "peers", "tutor", "usher", "ushers", "volunteer"}
)
_OF_BODIES = frozenset({"arms", "ears", "eyes", "feet", "fingers", "hands", "knees", "legs", "shoes", "toes"})
_SOME_OF_THEM = frozenset({"none", "one"})
_CONJUNCTIONS = frozenset({"as", "when", "while"})
_CLAUSES = frozenset({"ROOT", "advcl", "ccomp", "conj"})


def repaired(tree: Tree, known: KnownWords) -> Tree:
    """Return a tree with mistagged verbs repaired; the same object if there are none.

    Words that the taxonomy lists as nouns for people are nouns, whatever the tagger says, and clothes are
    never the subject of an action: in a blue shirt and jeans kneels.
    """
    doubtful = doubtful_words(tree, known)
    if not doubtful and not has_loose_noun(tree):
        return tree
    repair = _Repair(tree, known)
    for index in range(min(doubtful), len(tree.words)) if doubtful else ():
        # The doubts are about the original tree: once it has changed, any later word may need repair.
        if repair.draft.changed or index in doubtful:
            for step in _repairs_at(tree, index):
                step(repair, index)
    if repair.draft.changed or has_loose_noun(tree):
        repair.find_loose_nouns()
    return repair.draft.result()


class _Repair(LostNouns):
    """All repairs of one tree."""

    def look_at(self, index: int) -> None:
        """Make a verb of a word that is not really a noun."""
        if self._deps[index] == "dobj" and self._tags[self._heads[index]] in NO_OBJECT:
            self._repair_governor(self._heads[index])
        if self._repair_opening(index) or self._repair_stands(index):
            return
        if self._tags[index] in {"VB", "VBP", "VBZ"}:
            self._repair_thing(index)
        if self._repair_word(index):
            return
        worn = self._worn(index) and self._words[index] not in CLOTHES_OR_VERBS
        if worn and not (self._has_subject(index) and self.draft.children(index, "dobj")):
            return  # but not "wraps" with a subject and an object: he wraps his arms around her
        if self._is_bare_verb(index):
            self._become_verb(index, "VBP")
        elif self._tags[index] in NOUNS and (self._has_subject(index) or self._joins_verb(index)):
            self._free_noun(index)
            thing = self._heads[index]
            if self._deps[index] == "compound" and thing > index:
                self.draft.replace(thing, index)  # a woman repairs shoes
                self.draft.attach(thing, index, "dobj")
            self._become_verb(index, "VBZ" if self._words[index].endswith("s") else "VBP")

    def _repair_word(self, index: int) -> bool:
        """Repair a participle, clothes, or a verb at the end of a noun phrase; return whether it is done."""
        participle = self._is_participle(index)
        if participle and (self._repair_misread(index) or self._repair_participle(index)):
            return True
        if self._tags[index] == "VBG":
            if self._opens_phrase(index):
                self._take_object(index)
                return True
            if participle:
                return True  # a participle that needs no repair
        return self._repair_clothes(index) or self._repair_phrase_end(index)

    def _is_bare_verb(self, index: int) -> bool:
        """Whether a plural verb is tagged as an adjective: two girls crouch."""
        return (
            self._tags[index] == "JJ"
            and not FREQUENT_VERBS.isdisjoint({f"{self._words[index]}s", f"{self._words[index]}es"})
            and any(
                self._tags[noun] == "NNS" and self._words[noun] in self._nouns and noun == index - 1
                for noun in self.draft.children(index, "nsubj")
            )
        )

    def _repair_clothes(self, index: int) -> bool:
        """Attach clothes to the list they belong to; return whether that was needed."""
        if self._is_worn(index):
            self.draft.tag(index, "NN")
            self.draft.attach(index, index - 2, "conj")
        elif self._is_worn_too(index):
            self.draft.attach(index, self._before_phrase(index) - 1, "conj")
        else:
            return False
        return True

    def _repair_phrase_end(self, index: int) -> bool:
        """Make a verb of a word at the end of a noun phrase; return whether it is one."""
        several = self._words[index] in PLURAL_VERBS
        if self._ends_phrase(index):
            self._take_verb_out(index, index - 1, "VBZ")
            self.draft.make_phrase(index - 1)
        elif several and self._is_done_by_all(index):
            self._take_verb_out(index, index - 1, "VBP")
            self.draft.attach(index, self._heads[index - 1], "acl")
            self.draft.make_phrase(index - 1)
        elif several and self._is_done_by_all_in_clothes(index):
            self._take_verb_out(index, index - 1, "VBP")
            self.draft.attach(index, self._owner_of(index - 1), "acl")
            self.draft.make_phrase(index - 1)
        elif self._is_done_in_color(index) or self._is_verb_after_number(index):
            self._take_from_color(index, "VBP" if self._tags[index] == "NN" else "VBZ")
        elif self._repair_compound_after_color(index) or self._repair_verb_after_formation(index):
            self._become_verb(index, "VBZ" if self._tags[index] == "NNS" else "VBP")
        elif self._follows_clothes_on(index):
            self.draft.attach(index, self._owner_of(index - 2), "acl")
            self._become_verb(index, "VBZ")
        elif self._is_to_wear(index) or (several and self._is_done_there(index)):
            self._take_verb_out(index, index - 1, "VBP")
            self.draft.make_phrase(index - 1)
        else:
            return False
        return True

    def _is_done_in_color(self, index: int) -> bool:
        """Whether a word after a colour is a verb: a man in purple kicks the ball."""
        if self._tags[index] not in {"NN", "NNS", "VBZ"} or not self._follows_color(index):
            return False
        following = self._tags[index + 1 : index + 2]
        if self._tags[index] == "NN":
            # After a plural subject, the verb has no ending: players in red congratulate each other.
            several = self._tags[self._heads[self._heads[index]]] == "NNS"
            return several and bool(following) and following[0] in {"DT", "PRP$"}
        if self._words[index + 1 : index + 2] and self._words[index + 1] in _ALONG:
            return not self._had(index) and self._tags[self._heads[self._heads[index]]] == "NN"
        return self._words[index] in FREQUENT_VERBS or (bool(following) and following[0] in {"DT", "PRP$"})

    def _is_in_color(self, index: int) -> bool:
        """Whether a noun stands right after "in" and one word: in red cheer."""
        return (
            self._deps[index] == "pobj" and self._words[self._heads[index]] == "in" == self._words[index - 2]
        )

    def _repair_governor(self, index: int) -> None:
        """Make a verb of a word that has an object but is tagged as something else."""
        if self._tags[index] in NOUNS:
            self._take_subject(index)
        elif self._is_participle(index) and self._words[index - 1] in self._nouns:
            self._become_verb(index, "VBG")  # musicians entertaining people
            self.draft.attach(index, index - 1, "acl")

    def look_at_odd_subject(self, noun: int) -> None:
        """Make a person the subject of the verb right after them: old lady selling tickets."""
        verb = self._heads[noun]
        if self._words[noun] not in self._nouns or verb <= noun:
            return
        if not self._tags[verb].startswith("VB"):
            if not self._repair_verb_of_several(noun, verb):
                self._take_first_part(noun)
            return
        if self._deps[noun] == "compound":
            done = self._tags[verb] == "VBG" or (self._tags[verb] == "VBZ" and self._words[noun] != "couple")
            if verb == noun + 1 and done and self._deps[verb] not in IN_PHRASE:
                self._take_subject(verb)  # but not in "a couple bears"
            return
        others = self.draft.children(verb, "nsubj", "nsubjpass")
        listed = [other for other in others if other == noun + 2 and self._words[noun + 1] == ","]
        if self._deps[verb] not in IN_PHRASE and (listed or not others):
            self.draft.tag(noun, "NNS" if self._tags[noun] == "NNS" else "NN")
            self.draft.attach(noun, verb, "nsubj")
            self._leave_subject(noun, verb)
            for other in listed:
                self.draft.attach(other, noun, "conj")  # men, women and children dance

    def look_at_subject(self, noun: int) -> None:
        """Attach the last noun of a list to it, if the parser made that noun a subject of its own."""
        verb = self._heads[noun]
        before = self._before_phrase(noun)
        if self._repair_false_subject(noun, verb, before) or self._repair_clothes_subject(noun, verb, before):
            return
        if self._repair_prepositional_object(noun, verb):
            return
        if (
            before < 1
            or self._words[before] not in {"and", ","}
            or noun > verb
            or self._tags[noun] not in NOUNS
            or self._words[noun] in _SOME_OF_THEM
        ):
            return
        first = self._heads[verb]
        if self._tags[verb] == "VBG" and self._deps[verb] in {"appos", "conj"} and {
            self._words[noun], self._words[first]
        } <= self._nouns and not self.draft.children(verb, "aux"):  # fmt: skip
            # A man, a woman and a child looking on.
            self.draft.attach(noun, first, "conj")
            self.draft.attach(verb, noun, "acl")
        elif others := [other for other in self.draft.children(verb, "nsubj", "nsubjpass") if other < before]:
            # The jeans do not sit: a man in a shirt and blue jeans sits.
            alone = not self.draft.children(noun, "conj") and not self._is_plural_verb(noun, verb)
            if alone and self._words[before] == "," and self._words[noun] in self._nouns:
                return  # three men stand by a wall, two men have hats
            listed = others[-1] if self._words[noun] in self._nouns else before - 1
            if self._tags[listed] in NOUNS:
                self.draft.attach(noun, listed, "conj")

    # Other verbs.

    def look_at_oddity(self, index: int) -> None:
        """Repair a verb, or something rare: an interjection, a number sign."""
        tag = self._tags[index]
        if tag in FINITE:
            self._repair_finite_verb(index)
        elif tag == "VBG" and self._deps[index] in {"aux", "auxpass"}:
            self._repair_auxiliary(index)
        elif tag == "UH" and self._words[index] in self._nouns:
            self.draft.tag(index, "NN")  # boy with a ball
        elif self._words[index] == "#":
            self.look_at_number(index)

    def _repair_finite_verb(self, index: int) -> None:
        """Repair the subject of a verb, or a noun for a person that was tagged as a verb: woman surfer."""
        before = index - 1
        word = self._words[index]
        self._leave_clause(index)
        self._free_noun(index)
        if word.endswith(_AGENTS) and word in self._nouns and word not in _CALLED_OR_DONE:
            if self._tags[index] in FINITE:
                self._become_noun(index)
        elif (
            before >= 0
            and self._words[before] in self._nouns
            and self._deps[before] == "pobj"
            and self._words[opening := self._heads[before]] in _CONJUNCTIONS
            and self._words[self._heads[opening]] not in DRESSED
            and word not in BE
        ):
            others = self.draft.children(index, "nsubj", "nsubjpass")
            if not others:
                self.draft.attach(before, index, "nsubj")  # as a farmer milks a cow
            elif self._heads[opening] == others[-1] and self._heads[index] == index:
                # The adults are the ones looking: two girls in a park as adults look on.
                self.draft.attach(others[-1], others[-1], "ROOT")
                self.draft.attach(index, others[-1], "advcl")
                self.draft.attach(before, index, "nsubj")

    def _joins_verb(self, index: int) -> bool:
        """Whether a noun is coordinated with a verb, and so is a verb: smiles and dances."""
        head = self._heads[index]
        if self._deps[index] != "conj" or head >= index or self._words[index] in ALWAYS_PLURAL:
            return False
        tag, other = self._tags[index], self._tags[head]
        if tag == "NNS" and self._words[index] in BARE_VERBS and self._words[index - 1] == "and":
            verb = self._verb_above(head)
            if verb is not None:
                self.draft.attach(index, verb, "conj")
                return True
        if tag == "NNS" and other in {"NNS", "VBZ"}:
            return self._has_subject(head) and (other == "NNS" or self._words[index - 1] == "and")
        if tag == "NN" and other == "NN" and self._words[index] in PLURAL_VERBS:
            verb = self._verb_above(head, "VBP")
            if verb is not None and self._words[index - 1] == "and":
                self.draft.attach(index, verb, "conj")  # stand on stage and sing
                return True
        # "Sit by the fire and talk": a noun is not joined to a verb.
        return tag == "NN" and other in {"VBP", "VBZ"} and self._tags[index - 1] == "CC"

    def _ends_phrase(self, index: int) -> bool:
        """Whether a plural at the end of a singular noun phrase is a verb: a blue coat strolls past."""
        surely = self._words[index] in FREQUENT_VERBS
        verb = self._tags[index] in {"NNS", "VBZ"} or (self._tags[index] == "NN" and surely)
        if not verb or index < 1 or self._words[index] in ALWAYS_PLURAL:
            return False
        if self._is_done_in_clothes(index):
            return True
        by_somebody = self._words[index - 1] in self._nouns
        if index == len(self._words) - 1 and not (by_somebody and surely):
            return False
        if not (by_somebody or surely or self._tags[index - 1] == "NN"):
            return False
        if self._heads[index - 1] != index or self._deps[index - 1] not in {"compound", "amod"}:
            return False
        if self._words[index - 1] == "wear":
            return False  # women in a room wear hats
        articles = [i for i in range(max(0, index - NEAR), index) if self._deps[i] in {"det", "nummod"}]
        inside = self._deps[index] == "compound" and self._words[index - 1] in self._nouns
        whole = {index, index - 1, self._heads[index] if inside else index}
        one = any(self._words[i] in BEFORE_SINGULAR for i in articles if self._heads[i] in whole)
        if self._words[index] in BARE_VERBS and self._tags[index + 1 : index + 2] == ["."]:
            one = one or any(self._words[i] == "the" for i in articles if self._heads[i] in whole)
        # After "her", a plural may be right, so only frequent verbs count: her phone leans.
        own = surely and any(
            self._tags[i] == "PRP$" for i in range(max(0, index - NEAR), index) if self._heads[i] == index
        )
        own = own or (surely and index == 1)  # lady talks on her phone
        # The catcher crouches: where a clause begins, such a word is no plural (the player stands).
        own = own or (
            surely
            and by_somebody
            and self._deps[index] in _CLAUSES
            and any(self._words[i] == "the" for i in articles if self._heads[i] in whole)
        )
        following = self._tags[index + 1] if index + 1 < len(self._tags) else "."
        goes_on = (
            following in COMPLEMENTS
            or self._words[index] in BARE_VERBS
            or (self._deps[index] not in IN_PHRASE and following in {"CD", "JJ", "NN", "NNS", "PRP"})
            or (inside and following in NOUNS)  # a girl lights candles
            or (following == "." and by_somebody and surely)
            # A player practices serving, but not: a couple bears walking, a man legs hanging.
            or (
                following == "VBG"
                and self._words[index - 1] != "couple"
                and self._words[index] not in _OF_BODIES
            )
        )
        return (one or own) and goes_on

    def _opens_phrase(self, index: int) -> bool:
        """Whether a participle opens a phrase that the parser did not place: boys in a tent eating beans."""
        root = self._heads[index]
        return (
            self._tags[index] == "VBG"
            and self._deps[index] in {"amod", "compound"}
            and root > index > 0
            and (
                self._deps[root] in {"appos", "dep", "npadvmod"}
                # Standing around a table eating soup.
                or (self._deps[root] == "dobj" and self._words[self._heads[root]] in INTRANSITIVE)
            )
            and (self._tags[index - 1] in NOUNS or self._words[index - 1] in {"all", "both", "each"})
        )

    def look_at_object(self, index: int) -> None:
        """Look at an object of a word that cannot have one, or at a noun after "in" and a colour."""
        old = self.draft.old
        verb = self._heads[index]
        if self._words[verb] in INVERTED and self._words[index] in self._nouns and verb < index:
            if self._deps[index] == "dobj" and not self.draft.children(verb, "nsubj"):
                self.draft.attach(index, verb, "nsubj")  # next to him sits a woman
            return
        if (old.deps[index] == "dobj" and old.tags[old.heads[index]] in NO_OBJECT) or (
            old.tags[index] == "NN" and self._is_in_color(index)
        ):
            self.look_at(index)


_RepairStep = Callable[[_Repair, int], None]


def _repairs_at(tree: Tree, index: int) -> tuple[_RepairStep, ...]:
    """Return the repairs to try at a word in a tree."""
    has_subject = bool(tree.dependents(index, "nsubj"))
    # Right after "in" and one word, a noun may not be what it seems.
    after_in = tree.words[(index - 2) % len(tree.words)] == "in"
    facts = tree.annotation.words[index], tree.tags[index], tree.deps[index]
    return _repairs_of(*facts, has_subject, has_subject or after_in)


@lru_cache(maxsize=1 << 16)
def _repairs_of(word: str, tag: str, dep: str, has_subject: bool, anyway: bool) -> tuple[_RepairStep, ...]:
    """Return the repairs to try at a word, without its context; cached, since captions repeat their words."""
    maybe_verb, odd = tag in _MAYBE_VERBS, dep == "conj" or word.endswith(("s", "ing"))
    doubtful = (
        (maybe_verb and odd)
        or (tag == "NN" and (word in PLURAL_VERBS or word == "wear"))
        or (tag in NOUNS and dep == "ROOT")
        or tag.startswith(("VB", "UH"))
        or dep in {"amod", "dobj", "nsubj", "nsubjpass"}
        or dep in ODD_SUBJECTS
        or word in {*CLOTHES_OR_VERBS, *OTHERS, *ONE_OF_THEM, "#"}
        or (word == "few" and dep == "conj")
        or (word == "back" and tag == "RB")
    )
    if not doubtful and not anyway:
        return ()
    lost = [_Repair.look_at_agent] if tag in {"JJ", "JJR"} and word.endswith(AGENTS) else []
    if word in PASTIME_VERBS:
        lost.append(_Repair.look_at_pastime)
    if word == "few" and dep == "conj":
        lost.append(_Repair.look_at_few)
    if word == "back" and tag == "RB":
        lost.append(_Repair.look_at_back)
    return (*lost, *_repairs_of_doubtful(word, tag, dep, odd or has_subject))


def _repairs_of_doubtful(word: str, tag: str, dep: str, odd: bool) -> Iterator[_RepairStep]:
    if (
        (odd and (tag in _MAYBE_VERBS or tag == "JJ"))
        or (tag in {"VB", "VBP"} and (dep == "conj" or word == "bow"))
        or word in CLOTHES_OR_VERBS
        or (tag == "NN" and (word in PLURAL_VERBS or word == "wear"))
    ):
        yield _Repair.look_at
    elif dep == "dobj" or tag == "NN":
        yield _Repair.look_at_object
    if tag.startswith("VB") or tag == "UH" or word == "#":
        yield _Repair.look_at_oddity
    if dep in {"nsubj", "nsubjpass"}:
        yield _Repair.look_at_subject
    elif dep == "ROOT" and tag in NOUNS:
        yield _Repair.look_at_root
    elif dep in ODD_SUBJECTS:
        yield _Repair.look_at_odd_subject
    elif dep == "amod":
        yield _Repair.look_at_color
        yield _Repair.look_at_described
    if word in OTHERS or word in ONE_OF_THEM:
        yield _Repair.look_at_other
