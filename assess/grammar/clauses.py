"""What a caption says about its nouns with verbs, predicates and prepositional phrases.

All of this comes from the dependency parse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import itemgetter

from assess.grammar.certainty import Certainty
from assess.grammar.objects import STATES_OF_PARTS, Statement
from assess.grammar.qualities import Qualities
from assess.grammar.tree import OTHERS, Nouns
from assess.grammar.verbs import BE, DRESSED, HAVE, INTRANSITIVE, SHOWING, WEARING

OF_PICTURES = frozenset({"depicting", "displaying", "featuring", "hanging", "including", "showing"})
"""Verbs whose subject is a picture, not the person in it: a photo of a man hanging on a wall."""
# fmt: off
# Past tense forms that are also past participles.
_PASSIVE = frozenset((
    "bound", "brought", "built", "caught", "found", "held", "kept", "left", "lost", "made", "shot", "stuck",
)) | DRESSED
# Past participles that are also base forms.
_SAME_FORM = frozenset({"become", "come", "cut", "hit", "put", "run", "set", "shut", "spread", "split"})
_SEEMING = frozenset((
    "appearing", "becoming", "feeling", "getting", "looking", "remaining", "seeming", "staying", "turning",
))
_ATTEMPTING = frozenset((
    "attempting", "going", "hoping", "intending", "planning", "preparing", "trying", "wanting",
))
# After these verbs, "with" introduces a tool or a substance: cutting a cake with a knife.
_ACTING_WITH = frozenset((
    "bowling", "covered", "cutting", "decorated", "digging", "doused", "drawing", "drenched", "eating",
    "fighting", "filled", "fishing", "hit", "juggling", "kicking", "painting", "pelted", "playing",
    "pointing", "reaching", "showered", "soaked", "splashed", "sprayed", "sprinkled", "squirted",
    "surrounded", "working", "writing",
))
# After these verbs, "with" introduces what somebody carries: crossing a street with a basket.
_GOING_ALONG = frozenset((
    "approaching", "ascending", "climbing", "crossing", "descending", "entering", "exiting", "leaving",
    "passing",
))
# fmt: on
_HAVING = HAVE | {"having"}
_NEVER_DONE = frozenset({"building", "ceiling", "clothing", "evening", "morning", "railing", "wedding"})
_SAYING = frozenset({"reads", "said", "says"})
_MAYBE_NOT_VERBS = _NEVER_DONE | _SAYING | STATES_OF_PARTS
_LONGEST_CHAIN = 6  # number of words between a thing in hand and who holds it
_AT_TABLE = frozenset({"bar", "counter", "desk", "table", "tables"})
# Next to a table with a cake: the cake is on the table.
_BESIDE = frozenset({"behind", "beside", "by", "near", "of", "to", "under"})
_UNDRESSED = frozenset({"bareheaded", "barefoot", "barefooted", "naked", "nude", "shirtless", "topless"})
_ADJECTIVES = frozenset({"ROOT", "acl", "advcl", "amod", "appos", "conj", "relcl"})


@lru_cache(maxsize=1 << 12)
def _kind(tag: str, relation: str) -> str:
    """Return the kind of statement that a word may introduce, by its tag and relation; "" for most words."""
    if tag.startswith("VB") and relation not in {"aux", "auxpass", "amod", "compound"}:
        return "verb"
    if relation == "prep":
        return "preposition"
    if tag == "WP$" or relation == "poss":
        return "whose" if tag == "WP$" else "owner"
    adjective = tag.startswith("JJ") or (tag == "VBN" and relation == "amod")
    return "adjective" if adjective and relation in _ADJECTIVES else ""


class Clauses(Qualities):
    """Finds the statements in one annotated text about the nouns in the domain."""

    def asserts(self, verb: int) -> bool:
        """Whether a verb is asserted, neither denied nor only possible."""
        return self._certainties.of(verb) == "said"

    def statements(self) -> list[Statement]:
        """Return all statements about the nouns, in the order of the text."""
        found: list[Statement] = []
        for index, kind in enumerate(map(_kind, self._tree.tags, self._tree.deps)):
            if not kind:
                continue
            if kind == "verb":
                found += self._of_verb(index)
            elif kind == "preposition":
                found += self._of_preposition(index)
            elif kind == "owner" and index in self._wanted:
                found += self._of_owner(index, (index,))
            elif kind == "whose":
                found += self._of_whose(index)
            elif kind == "adjective" and self._tree.words[index] not in OTHERS:
                found += self._of_adjective(index)  # tall and happy, formally dressed
        if len(found) > 1:
            found.sort(key=itemgetter(0, 1, 2))  # by position, then by phrase
        return found

    def _of_verb(self, verb: int) -> Iterable[Statement]:
        """Return the statements that a verb makes about its subject, or about the agent of a passive."""
        by = list(self._of_agent(verb)) if "agent" in self._tree.relations else []
        about = self.about(verb)
        if not about or self._is_not_a_verb(verb):
            return by
        certainty = self._certainties.of(verb)
        word = self._tree.words[verb]
        if word in BE:
            said = self._of_copula(verb, about, certainty)
        elif self._tree.words[verb + 1 : verb + 2] == ("-",):
            said = self._of_adjectives(verb, about, certainty)  # he is left-handed
        elif word in HAVE:
            said = self._of_having(verb, about, certainty)
        else:
            said = self._of_action(verb, about, certainty)
        return [*by, *said] if by else said

    def _is_not_a_verb(self, verb: int) -> bool:
        """Whether a word tagged as a verb is a noun, or the position of a body part: with one arm raised."""
        word = self._tree.words[verb]
        if word == "matching" and self._tree.deps[verb] == "pcomp":
            return True  # in matching blue gowns
        if word not in _MAYBE_NOT_VERBS:
            return False
        if word in _NEVER_DONE:
            return not self._tree.dependents(verb, "dobj")
        if word in _SAYING and self._tree.words[verb - 1] in {"that", "which"}:
            return verb - 2 not in self._wanted  # in a shirt that says hello
        part = verb - 1
        return (
            word in STATES_OF_PARTS
            and self._tree.tags[verb] in {"VBD", "VBN"}
            and (
                bool(self._tree.dependents(part, "poss"))
                or self._tree.words[part - 1] in {"both", "one"}
                or (self._tree.words[part - 1] == "with" and self._tree.deps[part] == "pobj")
            )
        )

    def _of_having(self, verb: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        """Yield what somebody has, and the position of a body part: has her hand raised."""
        yield from self._objects.statements("with", verb, about, certainty)
        for state in self._tree.dependents(verb, "ccomp"):
            for part in self._tree.dependents(state, "nsubj", "nsubjpass"):
                phrase = f"with {self._tree.words[part]} {self._tree.words[state]}"
                yield Statement(state, part, phrase, about, certainty=certainty, optional=True)

    def _of_action(self, verb: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        word, tag = self._tree.words[verb], self._tree.tags[verb]
        active = tag != "VBN" or self._has_have(verb) or self._has_plain_subject(verb)
        if tag == "VBD" and word in _PASSIVE and not self._tree.dependents(verb, "dobj"):
            active = False  # people caught in the rain, dressed up
        form = self._tree.participle(verb) if active else word
        if certainty == "denied" and form in WEARING:
            # "Not wearing a shirt" can mean the same as "without a shirt", which taxonomies may cover.
            yield from self._objects.statements("without", verb, about, "said", optional=True)
        # If "sarong" is unknown, "wearing a sarong" is unread: "wearing" alone says nothing.
        alone = "" if form in WEARING else form
        transitive = active and form not in INTRANSITIVE
        objects = self._objects.statements(form, verb, about, certainty, verb=alone) if transitive else []
        yield from objects
        predicates = self._tree.dependents(verb, "acomp", "oprd")
        if form in DRESSED or not _UNDRESSED.isdisjoint(self._tree.words):
            yield from self._of_adverbs(verb, about, certainty)
        seems = certainty == "said" and form in {"appearing", "seeming"}
        for predicate in predicates:
            yield from self._of_adjectives(predicate, about, "hedged" if seems else certainty)
        if objects or (form in DRESSED and self._is_dressed_in(verb)) or (predicates and form in _SEEMING):
            return
        done = self._tree.dependents(verb, "xcomp")
        if (form in _ATTEMPTING and done) or any(map(self._certainties.is_ended, done)):
            return
        if form in self._reader.openings and self._is_read_with_preposition(verb, about):
            return
        active = active or self._is_happening(verb)
        if phrase := self._with_particles(verb, form):
            yield Statement(verb, verb, phrase, about, form, active, certainty)

    def _with_particles(self, verb: int, form: str) -> str:
        """Return a verb with its particles; none if these give it a meaning that says nothing."""
        particles = [self._tree.words[child] for child in self._tree.dependents(verb, "prt")]
        if particles == ["out"] and form == "standing":
            return ""  # he stands out with his orange hat
        phrase = " ".join([form, *particles])
        # A particle that no taxonomy lists is dropped.
        return phrase if not particles or self._reader.reads(phrase) else form

    def _of_adverbs(self, verb: int, about: Nouns, certainty: Certainty) -> Iterator[Statement]:
        """Yield adjectives taken for adverbs, and how somebody is dressed: barefoot, dressed casually."""
        for how in self._tree.dependents(verb, "advmod"):
            if how == verb + 1 and self._reader.reads(
                manner := f"{self._tree.words[verb]} {self._tree.words[how]}"
            ):
                yield Statement(how, verb, manner, about, certainty=certainty)
            if (core := self._tree.words[how]) in _UNDRESSED:
                yield Statement(how, how, core, about, certainty=certainty, core=core)

    def _is_happening(self, verb: int) -> bool:
        """Whether a passive describes something in progress, which counts as an activity: is being towed."""
        helpers = self._tree.dependents(verb, "aux", "auxpass")
        return any(self._tree.words[child] in {"being", "getting"} for child in helpers)

    def _is_read_with_preposition(self, verb: int, about: Nouns) -> bool:
        """Whether the taxonomy reads a verb together with its preposition: holding onto a rope."""
        prepositions = self._tree.dependents(verb, "prep")
        return any(True for each in prepositions for _ in self._of_verb_with(verb, each, about, "said"))

    def _has_plain_subject(self, verb: int) -> bool:
        """Whether a verb that looks like a participle is finite: children run along the beach."""
        if self._tree.words[verb] not in _SAME_FORM or self._tree.dependents(verb, "aux", "auxpass"):
            return False
        return bool(self._tree.dependents(verb, "nsubj"))

    def _has_have(self, verb: int) -> bool:
        return any(self._tree.words[child] in _HAVING for child in self._tree.dependents(verb, "aux"))

    def _of_agent(self, verb: int) -> Iterator[Statement]:
        """Yield statements about the agent of a passive verb: a horse ridden by a man."""
        for by in self._tree.dependents(verb, "agent"):
            about = tuple(
                noun for obj in self._tree.dependents(by, "pobj") for noun in self._subjects.coordinated(obj)
            )
            if about:
                form = self._tree.participle(verb)
                yield Statement(verb, verb, form, about, form, True, self._certainties.of(verb))

    def _of_preposition(self, preposition: int) -> Iterable[Statement]:
        """Return the statements that a preposition makes with its objects: a woman in a red dress."""
        head, word = self._tree.heads[preposition], self._tree.words[preposition]
        if (
            word == "in"
            and "hand" in self._tree.words
            and (held := list(self._of_things_in_hand(preposition)))
        ):
            return held
        openings = self._reader.openings
        form = self._tree.words[head]
        if self._tree.is_verb(head) and self._tree.tags[head] != "VBN":
            form = self._tree.participle(head)
        opens = form in openings
        if word not in openings and not opens:
            return ()
        opens = opens or form in DRESSED
        if word == "with":
            if self._is_by_one_limb(preposition):
                return ()
        elif not opens and self._is_unread(word, preposition):
            return ()
        before = preposition - 1
        if word in {"in", "on", "with"} and before in self._wanted and self._tree.tags[before] != "PRP":
            # The preceding noun, even if the parser attached it elsewhere: "talking to a man in a suit".
            about: Nouns = self._subjects.shared(before, preposition)
        else:
            about = self.about(preposition) or self._subjects.about_through(preposition)
        return self._with_objects(preposition, about, opens=opens) if about else ()

    def _with_objects(self, preposition: int, about: Nouns, *, opens: bool) -> Iterator[Statement]:
        """Yield a preposition with its objects, and with its verb where the taxonomy reads that."""
        head, word = self._tree.heads[preposition], self._tree.words[preposition]
        certainty: Certainty = "said"
        if self._tree.is_verb(head) and head not in self._wanted:
            certainty = self._certainties.of(head)
            if (
                word == "with"
                and self._tree.words[head] not in BE
                and preposition - 1 not in self._wanted
                and not self._objects.is_in_hand(preposition)
                and not self._subjects.is_worn(preposition)
                and self._is_used_or_lies_there(head, preposition)
            ):
                return
            # Patterns start only with some verbs; others are read without their prepositional phrases.
            if opens and self._tree.words[head] not in BE and not self._tree.dependents(head, "dobj"):
                with_verb = list(self._of_verb_with(head, preposition, about, certainty))
                yield from with_verb
                if with_verb:
                    return
        yield from self._of_quality_with(head, preposition, about)
        yield from self._of_clause(preposition, about)
        # Taxonomies list few phrases with other prepositions (in a park), so these do not count as unread.
        own = word == "with" and head in self._wanted
        yield from self._objects.statements(word, preposition, about, certainty, optional=not own)

    def _of_things_in_hand(self, preposition: int) -> Iterator[Statement]:
        """Yield what is "in hand", which may be attached anywhere: a man looking away, cigarette in hand."""
        tree = self._tree
        thing = owner = tree.heads[preposition]
        if tree.words[preposition + 1 : preposition + 2] != ("hand",) or not tree.is_noun(thing):
            return
        for _ in range(_LONGEST_CHAIN):
            if owner in self._wanted or tree.heads[owner] == owner:
                break
            owner = tree.heads[owner]
        about = self._subjects.shared(owner, preposition) if owner in self._wanted else self.about(owner)
        if about and (tree.deps[thing] not in {"dobj", "pobj"} or tree.dependents(thing, "poss")):
            phrase = " ".join(["holding", *self._objects.described(thing)])
            yield Statement(preposition, thing, phrase, about, "", True, "said", thing)

    def _is_by_one_limb(self, preposition: int) -> bool:
        """Whether "with one hand" and the like say how something is done: holding a phone with one hand."""
        words = self._tree.words[preposition + 1 : preposition + 3]
        one_limb = words[:1] == ("one",) and words[1:] in {("arm",), ("foot",), ("hand",), ("leg",)}
        return one_limb and self._tree.is_verb(self._tree.heads[preposition])

    def _is_unread(self, opening: str, preposition: int) -> bool:
        """Whether no pattern reads a prepositional phrase, whatever its subject: on a beach."""
        if not self._certainties.plain or "pcomp" in self._tree.relations:
            return False
        phrases = self._objects.phrases(opening, preposition)
        return not any([self._reader.matches(text) for _, _, text, *_ in phrases])  # noqa: C419 - they are few

    def _of_quality_with(self, adjective: int, preposition: int, about: Nouns) -> Iterator[Statement]:
        """Yield an adjective with its preposition and object: fluent in Spanish."""
        word = self._tree.words[adjective]
        if self._tree.tags[adjective] == "JJ" and word in self._reader.openings:
            opening = f"{word} {self._tree.words[preposition]}"
            for statement in self._objects.statements(opening, preposition, about, "said"):
                yield statement._replace(start=adjective, optional=True)

    def _of_clause(self, preposition: int, about: Nouns) -> Iterator[Statement]:
        """Yield phrases that the parser took for clauses: in racing uniforms, with both arms raised."""
        opening = self._tree.words[preposition]
        for verb in self._tree.dependents(preposition, "pcomp"):
            for part in self._tree.dependents(verb, "nsubj", "nsubjpass") if opening == "with" else ():
                phrase = " ".join(["with", *self._objects.described(part), self._tree.words[verb]])
                yield Statement(verb, preposition, phrase, about, optional=True)  # with both arms raised
            for noun in self._tree.dependents(verb, "dobj"):
                described = self._objects.described(noun)
                words = [opening, self._tree.words[verb], *described]
                right_after = noun == verb + (len(described) if opening == "in" else 1)
                if right_after and self._reader.reads(" ".join(words)):
                    yield Statement(noun, preposition, " ".join(words), about, object=noun, optional=True)

    def _of_verb_with(
        self, verb: int, preposition: int, about: Nouns, certainty: Certainty
    ) -> Iterator[Statement]:
        """Yield a verb with its preposition and object, if the taxonomy reads that: dressed in black."""
        passive = self._tree.tags[verb] == "VBN"
        form = self._tree.words[verb] if passive else self._tree.participle(verb)
        opening = f"{form} {self._tree.words[preposition]}"
        start = verb if verb == preposition - 1 else preposition
        for statement in self._objects.statements(
            opening, preposition, about, certainty, start=start, optional=True
        ):
            dressed = form in DRESSED and self._tree.words[preposition] in {"as", "in", "like"}
            costume = statement.object is not None and self._is_costume(statement.object)
            # Only if the phrase is read with its verb: "running without a shirt" is not a way of running.
            whole = statement.phrase.startswith(opening) and self._reader.reads(statement.phrase)
            if costume if dressed else whole:
                yield statement

    def _is_costume(self, noun: int) -> bool:
        return self._tree.words[noun] not in {"front", "line", "order"}

    def _is_used_or_lies_there(self, verb: int, preposition: int) -> bool:
        """Whether the object of "with" is a tool or lies on a table: cutting a cake with a knife."""
        shows = self._tree.participle(verb) in SHOWING and self._wanted.keys().isdisjoint(
            self._tree.dependents(verb, "nsubj")
        )
        if shows or self._tree.participle(verb) in WEARING:
            return False  # a picture shows a man with a bag, but somebody captures a moment with a camera
        going = self._tree.participle(verb) in _GOING_ALONG
        if (self._tree.dependents(verb, "dobj") and not going) or self._tree.words[verb] in _ACTING_WITH:
            return True
        places = [
            noun
            for child in self._tree.dependents(verb, "prep")
            if child < preposition
            for noun in self._tree.dependents(child, "pobj")
        ]
        before = preposition - 1
        beside = self._tree.is_noun(before) and self._tree.words[self._tree.heads[before]] in _BESIDE
        return beside or any(self._tree.words[noun] in _AT_TABLE for noun in places)
