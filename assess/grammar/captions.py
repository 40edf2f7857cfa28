"""Turns the noun chunks and pronouns of one caption into people, with everything it says about them."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from sys import intern
from typing import Literal, NamedTuple

from assess.grammar.chunks import Located
from assess.grammar.clauses import OF_PICTURES, Clauses
from assess.grammar.label_facts import SEVERAL, LabelFacts
from assess.grammar.mentions import Kind, Mention
from assess.grammar.objects import Statement
from assess.grammar.people import Linker
from assess.grammar.statements import BEING, SEPARATOR, StatementReader, part_of_them
from assess.grammar.tree import (
    DEFINITE,
    OF_THEM,
    OTHERS,
    PLACES_TO_CARRY,
    SEVERAL_OF_THEM,
    SUBJECTS,
    Nouns,
    Tree,
    joined_nouns,
)
from assess.grammar.verbs import DRESSED, WEARING
from assess.records import Analysis, Chunk
from assess.taxonomy.phrases import spaced

Unit = Literal["person", "mention"]
"""What counts as one label: a person with all mentions, or each noun phrase, as in the papers."""
_ALSO_ANIMALS = frozenset(
    {
        "adult",
        "adults",
        "babies",
        "baby",
        "child",
        "children",
        "father",
        "infant",
        "kid",
        "kids",
        "mother",
        "mothers",
        "parent",
        "parents",
    }
)
"""Nouns for people that can also refer to animals: an adult giraffe."""
_NOT_THERE = frozenset({"audience", "chaps", "viewer", "viewers"})
_CONTAINERS = frozenset({"pitcher", "pitchers"})
_WEAR = WEARING | {"wear", "wears", "wore"}
# A band on one of these is worn, and not a group of musicians.
_BANDS = frozenset({"band", "bands"})
_BAND_PLACES = frozenset(
    {"ankle", "arm", "arms", "finger", "forehead", "hair", "hat", "head", "leg", "neck", "wrist", "wrists"}
)
_SURFACES = frozenset({"bar", "counter", "countertop", "desk", "dresser", "shelf", "table", "tables", "tray"})
_NURSING = frozenset({"cleaning", "feeding", "feeds", "licking", "licks", "nursing", "nuzzling"})
_NEAR = 5  # number of words to look at on either side of such a noun


class Part(NamedTuple):
    """One statement in a label's text, with its place in the caption."""

    at: int  # the index of its last word
    text: str
    start: int  # the index of its first word


class PersonReading(NamedTuple):
    """A person or group in a caption: all mentions, and everything said about them."""

    mentions: tuple[Mention, ...]
    key: str
    parts: tuple[Part, ...]  # in the order of the key, each text once
    places: tuple[tuple[int, int], ...]  # character offsets of the parts in the caption
    hedged: tuple[str, ...]
    unread: tuple[str, ...]


_TEXT = attrgetter("text")


class CaptionPeople:
    """Finds the people of one caption from its chunks and pronouns, with everything said about them."""

    def __init__(
        self,
        tree: Tree,
        labels: Sequence[Located],
        pronouns: Sequence[int],
        reader: StatementReader,
        facts: LabelFacts,
        owners: Sequence[Located] = (),
    ) -> None:
        self._tree = tree
        self._reader = reader
        self._facts = facts
        self._apart: list[int] = []
        """Nouns of labels whose outer noun is not a person: a photo of a man."""
        mentions = [*map(self._label, labels), *map(self._pronoun, pronouns), *map(self._owner, owners)]
        self._mentions = [
            mention for mention in mentions if mention.nouns and not self._is_no_person(mention)
        ]
        self._mentions.sort()
        self._at: dict[int, int] = {}
        nouns: list[int] = []
        for place, mention in enumerate(self._mentions):
            nouns += mention.nouns
            for noun in mention.nouns:
                self._at[noun] = place
        self._joined = joined_nouns(tree, sorted(nouns))
        self._doubtful: set[int] = set()  # mentions that are only possible: he may be a doctor
        # What was found about each mention, by its place in the list.
        self._parts: dict[int, list[Part]] = defaultdict(list)
        self._unread: dict[int, list[str]] = defaultdict(list)
        self._hedged: dict[int, list[str]] = defaultdict(list)

    def _label(self, label: Located) -> Mention:
        fact = self._facts.of(label.key)
        nouns = self._nouns(label)
        plural = fact.plural
        if plural is None:
            plural = bool(nouns) and self._tree.tags[nouns[-1]] in {"NNS", "NNPS"}
        if fact.apart:
            self._apart += nouns
        names = frozenset(map(self._tree.words.__getitem__, nouns))
        plural = plural or fact.several
        start, end, key, _ = label
        return Mention(start, end, key, nouns, "label", names, plural, fact.values, fact.role)

    def _owner(self, owner: Located) -> Mention:
        return self._label(owner)._replace(kind="owner")

    def _nouns(self, label: Located) -> Nouns:
        """Return the indices of a label's nouns, the noun of its first chunk first."""
        roots: dict[int, None] = {}
        for part in label.parts:
            root = self._root(part)
            if root is not None:
                roots[root] = None
        return tuple(roots)

    def _root(self, chunk: Chunk) -> int | None:
        """Return the index of a chunk's noun: the last word attached to something outside the chunk."""
        offsets, heads = self._tree.offsets, self._tree.heads
        first, end = bisect_left(offsets, chunk.start), bisect_left(offsets, chunk.end)
        for index in range(end - 1, first - 1, -1):
            if heads[index] == index or not first <= heads[index] < end:
                return index
        return None

    def _is_no_person(self, mention: Mention) -> bool:
        noun, names = mention.nouns[0], mention.names
        people, dep = self._facts.are_people, self._tree.deps[noun]
        return (
            (dep == "pobj" and (self._is_costume(noun) or (people and self._is_missing(noun))))
            or (dep == "dobj" and people and self._is_worn(noun, mention.key))
            or (names <= _ALSO_ANIMALS and self._is_animal(noun, mention.key))
            or (names <= _CONTAINERS and self._is_thing_at(noun, _SURFACES))
            or (names <= _BANDS and self._is_thing_at(noun, _BAND_PLACES))
            or (mention.key == "public" and self._tree.words[noun - 1] == "in")
            or (not names.isdisjoint(_NOT_THERE) and self._is_not_there(noun))
        )

    def _is_not_there(self, noun: int) -> bool:
        """Whether somebody only watches, or is a garment: the viewer of a photo, people in the audience."""
        words, tree = self._tree.words, self._tree
        if words[noun] == "audience":  # whoever is in the audience was counted already
            opening = tree.heads[noun]
            return (
                tree.deps[noun] == "pobj"
                and words[opening] == "in"
                and tree.tags[tree.heads[opening]] == "NNS"
            )
        return words[noun] != "chaps" or (
            tree.deps[noun] in {"appos", "conj"} and not _WEAR.isdisjoint(words[:noun])
        )

    def _is_thing_at(self, noun: int, places: frozenset[str]) -> bool:
        """Whether a noun that can also name a thing is where such a thing would be: a pitcher on a table."""
        words, heads = self._tree.words, self._tree.heads
        return any(
            words[index] in places and heads[heads[index]] == noun
            for index in range(noun + 1, min(len(words), noun + _NEAR))
        )

    def _is_animal(self, noun: int, key: str) -> bool:
        """Whether "adult", "baby" and so on mean animals: an adult and baby giraffe, a bear and her baby."""
        words, heads, deps = self._tree.words, self._tree.heads, self._tree.deps
        if words[noun + 1 : noun + 2] and words[noun + 1] in self._reader.rivals:
            return True  # a momma and baby elephant
        for index in range(noun + 1, min(len(words), noun + _NEAR)):
            if heads[index] == noun and deps[index] == "conj" and words[index] in self._reader.rivals:
                return words[index - 1] in {*_ALSO_ANIMALS, "young"}
        owner = heads[noun] if deps[noun] == "conj" else heads[heads[noun]]
        joined = deps[noun] == "conj" or words[heads[noun]] in {"and", "with"}
        own = key.split(" ", 1)[0] in {"her", "his", "their"}
        if own and deps[noun] == "dobj" and words[heads[noun]] in _NURSING:
            # A mother sheep feeding her baby: the baby is a sheep too.
            return any(words[index] in self._reader.rivals for index in range(max(0, noun - _NEAR), noun))
        return own and joined and owner < noun and words[owner] in self._reader.rivals

    def _is_missing(self, noun: int) -> bool:
        """Whether a noun after a preposition names people who are absent: a bench without people."""
        return self._tree.words[self._tree.heads[noun]] == "without"

    def _is_worn(self, noun: int, key: str) -> bool:
        """Whether the object of a verb is something worn rather than a person: wearing a bowler."""
        return key.startswith("a ") and self._tree.words[self._tree.heads[noun]] in _WEAR

    def _is_costume(self, noun: int) -> bool:
        """Whether a noun after a preposition only says how somebody is dressed: dressed as a clown."""
        words, opening = self._tree.words, self._tree.heads[noun]
        return words[opening] in {"as", "like"} and words[self._tree.heads[opening]] in DRESSED

    def _pronoun(self, index: int) -> Mention:
        word = self._tree.words[index]
        start = self._tree.offsets[index]
        kind: Kind = "other" if word in OTHERS or word in OF_THEM else "pronoun"
        key = part_of_them(word) if word in OF_THEM else word
        several = word in {"others", "some"} or word in SEVERAL_OF_THEM
        values = self._facts.pronouns.get(word, {})
        return Mention(start, start + len(word), key, (index,), kind, frozenset(), several, values)

    def people(self, unit: Unit, *, after: bool) -> list[PersonReading]:
        """Return the people in the caption, in the order of their first mentions."""
        clauses = Clauses(self._tree, self._joined, self._reader)
        if after:
            self._read_statements(clauses)
        if unit == "mention" or (len(self._mentions) == 1 and self._mentions[0].kind == "label"):
            return [self._person([place], {}) for place in range(len(self._mentions))]
        known = (self._reader.rivals, self._facts.pronoun_groups)
        linker = Linker(self._tree, self._mentions, clauses, self._joined, *known)
        people = linker.people()
        self._doubtful = linker.doubtful
        return [
            self._person(person.mentions, person.values)
            for person in people
            if not self._only_owns(person.mentions)
        ]

    def _only_owns(self, places: Sequence[int]) -> bool:
        """Whether all that is said about somebody is that they own something: a man's hand."""
        return all(self._mentions[place].kind == "owner" for place in places) and all(
            self._is_by_the_way(place) or not (self._parts[place] or self._is_seen(place)) for place in places
        )

    def _is_seen(self, place: int) -> bool:
        """Whether a part of an owner's body is mentioned: a young girl's hair."""
        noun = self._mentions[place].nouns[-1]
        return self._tree.words[self._tree.heads[noun]] in PLACES_TO_CARRY

    def _is_by_the_way(self, place: int) -> bool:
        """Whether an owner only counts if mentioned again: a close-up of a woman's face. She smiles."""
        mention = self._mentions[place]
        thing = self._tree.heads[mention.nouns[-1]]
        if mention.key.split(" ", 1)[0] in DEFINITE or self._tree.words[thing] in PLACES_TO_CARRY:
            return False
        return self._tree.deps[thing] not in SUBJECTS

    def _read_statements(self, clauses: Clauses) -> None:
        """Read every statement, and store it with the mentions it is about."""
        for statement in clauses.statements():
            about: Sequence[int] = statement.about
            if self._apart:
                about = [
                    noun
                    for noun in about
                    if noun not in self._apart or self._is_about_pictured(noun, statement)
                ]
            if len(about) == 1:
                self._read_statement(self._at[about[0]], statement)
            else:
                for place in dict.fromkeys([self._at[noun] for noun in about]):
                    self._read_statement(place, statement)
        for place, mention in enumerate(self._mentions):
            if mention.kind == "label" and " " not in mention.key:
                self._parts[place] += self._shared_modifiers(mention)
            elif mention.kind == "other":
                self._parts[place] += self._number_of_others(mention)

    def _is_about_pictured(self, noun: int, statement: Statement) -> bool:
        """Whether a statement about a picture is about the people in it: a photo of a man riding."""
        if statement.verb in OF_PICTURES:
            return False
        # A picture cannot have a beard, be on a motorcycle or ride a wave, but it can be old, or be taken.
        active = statement.object is not None or (bool(statement.verb) and statement.active)
        return noun == self._mentions[self._at[noun]].nouns[-1] or statement.optional or active

    def _read_statement(self, place: int, statement: Statement) -> None:
        """Read a statement about a mention, and store the result by its certainty."""
        if statement.certainty == "void":
            return
        if statement.certainty == "denied":
            if denied := self._reader.read_denied(statement):
                self._parts[place].append(Part(statement.at, denied, statement.start))
            return
        of_domain = statement.object in self._at
        read = self._reader.read(self._mentions[place].key, statement, of_domain=of_domain)
        if read is None:
            # "With her parents" only says who is beside her, so it does not count as unread.
            if not statement.optional and not of_domain:
                self._unread[place].append(statement.phrase)
        elif read[1]:
            if statement.certainty == "hedged":
                self._hedged[place].append(read[0])
            else:
                self._parts[place].append(Part(statement.at, read[0], statement.start))

    def _analysis(self, place: int) -> Analysis:
        return self._reader.analyse(self._mentions[place].key)

    def _shared_modifiers(self, mention: Mention) -> Iterator[Part]:
        """Yield the modifiers of the first coordinated noun, which apply to all: a young man and woman."""
        noun = mention.nouns[0]
        first = self._joined[noun][0]
        if first == noun:
            return
        other = self._analysis(self._at[first])
        for span in other.best.spans:
            if span.role != "modifier" or span.position != "chunk" or SEVERAL.fullmatch(span.text):
                continue  # the number in "two women and a man" applies to the women only
            if " of" not in f" {span.text} ":
                shared = Statement(noun, noun, spaced(span.text), (noun,))
                read = self._reader.read(mention.key, shared, of_domain=False)
                if read and read[1]:
                    yield Part(noun, read[0], noun)

    def _number_of_others(self, mention: Mention) -> Iterator[Part]:
        """Yield the number before a word for other people: five others."""
        for number in self._tree.dependents(mention.nouns[0], "nummod"):
            word = self._tree.words[number]
            counted = Statement(number, number, word, mention.nouns)
            if word != "one" and (read := self._reader.read(mention.key, counted, of_domain=False)):
                yield Part(number, read[0], number)

    def _person(self, places: Sequence[int], values: Mapping[str, str]) -> PersonReading:
        """Return a person with the text (key) that lists everything said about them."""
        found, hedged, unread = list[Part](), list[str](), list[str]()
        for place in places:
            found += self._parts.get(place, ())
            hedged += self._hedged.get(place, ())
            unread += self._unread.get(place, ())
        if len(places) > 1:
            found += self._later_mentions(places)
        if values:
            found += self._inherited(places[0], values)
        if len(found) > 1:
            found.sort(reverse=True)
            found = sorted({part.text: part for part in found}.values())
        mentions = tuple(map(self._mentions.__getitem__, places))
        # Texts repeat between captions and are cached, so only one copy of each is kept.
        key = intern(SEPARATOR.join([mentions[0].key, *map(_TEXT, found)]))
        offsets = tuple(map(self._offsets_of, found))
        return PersonReading(mentions, key, tuple(found), offsets, tuple(hedged), tuple(unread))

    def _later_mentions(self, places: Sequence[int]) -> Iterator[Part]:
        """Yield later mentions of a person that add something: the young man, a surfer, she."""
        analysis = self._analysis(places[0])
        known = {*analysis.best.heads, *analysis.best.modifiers}
        values = dict(self._mentions[places[0]].values)
        for place in places[1:]:
            mention = self._mentions[place]
            new = [group for group in mention.values if group not in values]
            values.update({} if place in self._doubtful else mention.values)
            if place in self._doubtful:
                continue
            if mention.kind == "pronoun":
                if new:
                    yield self._part(mention, self._facts.same_pronoun(mention.key))
                continue
            best = self._analysis(place).best
            if not known.issuperset((*best.heads, *best.modifiers)):
                definite = mention.key.split(" ", 1)[0] in DEFINITE
                yield self._part(mention, mention.key if definite else f"{BEING}{mention.key}")

    def _inherited(self, place: int, values: Mapping[str, str]) -> Iterator[Part]:
        """Yield a noun or pronoun for what a member of a group inherits from it: two women, one of them."""
        mention = self._mentions[place]
        if mention.kind == "other":
            for group in reversed(self._mentions[:place]):
                noun = f"the {group.key.rpartition(' ')[2]}"
                stated = self._facts.of(noun).values if group.kind == "label" else {}
                told = [name for name in stated if name in self._facts.pronoun_groups]
                if told and all(values.get(name) == stated[name] for name in told):
                    yield self._part(mention, noun)
                    return
            for word, states in self._facts.pronouns.items():
                if states and states.items() <= values.items():
                    yield self._part(mention, word)
                    return

    def _offsets_of(self, part: Part) -> tuple[int, int]:
        """Return the character offsets of a part in the caption."""
        words, offsets = self._tree.annotation.words, self._tree.offsets
        last, _, first = part
        if last < first:
            first, last = last, first
        return offsets[first], offsets[last] + len(words[last])

    def _part(self, mention: Mention, text: str) -> Part:
        return Part(mention.nouns[-1], text, bisect_left(self._tree.offsets, mention.start))
