"""Coreference: which phrases and pronouns of a caption refer to the same person or group.

The rules are few and deterministic. "The man" is the last man who fits. A pronoun refers to somebody of the
right number and gender, first within its clause, then among the people that the text is about. A mention
without a match is a new person.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from assess.grammar.tree import ALL_OF_THEM, DEFINITE, OF_THEM, Nouns, Tree
from assess.grammar.verbs import HEDGES

Kind = Literal["label", "pronoun", "other", "owner"]
"""A noun phrase, a pronoun, a word for another person (one, two), or an owner: the man's shirt."""
Values = Mapping[str, str]
"""What a phrase states about the contrasted groups: gender -> female."""

_CONTRASTS = frozenset({"another", "different", "first", "last", "one", "other", "second", "third"})
_PLURAL_PRONOUNS = ALL_OF_THEM | {"their", "theirs", "them", "themselves", "they"}
_SUBJECTS = frozenset({"ROOT", "attr", "nsubj", "nsubjpass"})


_ANOTHER = frozenset({"another", "other", "others"})
"""Words for a person other than one mentioned before."""
_ANY_ROLE = frozenset({"athlete", "competitor", "performer", "player", "rider", "worker"})
"""Nouns that fit many roles: the batter is a player."""
_POSITIONS = frozenset(
    {"back", "background", "center", "centre", "foreground", "front", "left", "middle", "right"}
)
_COLORS = frozenset(
    {"black", "blue", "brown", "gray", "green", "grey", "orange", "pink", "purple", "red", "white", "yellow"}
)
"""What distinguishes players: the one in red, the one in white."""
_OF_ALL = ALL_OF_THEM | OF_THEM | {"one", "some"}
_HOLDING = frozenset({"arm", "arms", "hand", "hands", "lap", "shoulder", "shoulders"})
_RECENT = 12
"""Number of people and mentions to look back; a caption with more repeats itself."""
_NEAR = 60
"""Number of words to look back."""


class Mention(NamedTuple):
    """A phrase or a pronoun that refers to a person, with its place."""

    start: int  # character offsets in the caption
    end: int
    key: str  # its text in normal form
    nouns: Nouns  # indices of its nouns among the words, outermost first: a group of people
    kind: Kind
    names: frozenset[str]  # the nouns by which it can be mentioned again: group, people
    plural: bool
    values: Values
    # its head categories, for people who are named by what they do: a batter
    role: frozenset[str] = frozenset()


@dataclass(slots=True)
class Person:
    """The mentions of one person or group, in the order of the text."""

    mentions: list[int] = field(default_factory=list)  # indices in the list of mentions
    plural: bool = False
    values: dict[str, str] = field(default_factory=dict)

    def fits(self, mention: Mention) -> bool:
        """Whether a mention is compatible with everything that is known about the person."""
        return all(self.values.get(group, value) == value for group, value in mention.values.items())

    def add(self, place: int, mention: Mention, *, asserted: bool) -> None:
        """Add a mention and, if it is asserted, what it states."""
        self.mentions.append(place)
        for group, value in mention.values.items() if asserted else ():
            self.values.setdefault(group, value)


class Statements(Protocol):
    """What coreference needs to know about the verbs of a caption; `Clauses` provides it."""

    def about(self, index: int) -> Nouns:
        """Return the nouns that a verb is about."""
        ...

    def asserts(self, verb: int) -> bool:
        """Whether the statement of a verb is asserted."""
        ...


class Linker:
    """Finds the people in one caption, mention by mention, in the order of the text."""

    def __init__(
        self,
        tree: Tree,
        mentions: Sequence[Mention],
        clauses: Statements,
        joined: Mapping[int, Nouns],
        rivals: frozenset[str],
        pronoun_groups: frozenset[str],
    ) -> None:
        self._tree = tree
        self._pronoun_groups = pronoun_groups  # the groups that pronouns state: gender, not age
        self._rivals = rivals  # nouns outside the domain that pronouns can refer to
        self._mentions = mentions
        self._clauses = clauses
        self.doubtful: set[int] = set()  # mentions that are not asserted: he may be a doctor
        self._joined = joined
        self._at = {noun: place for place, mention in enumerate(mentions) for noun in mention.nouns}
        self._people: list[Person] = []
        self._of: dict[int, tuple[int, ...]] = {}  # mention -> the people it refers to

    def people(self) -> list[Person]:
        """Link every mention to its people, and return them in the order of their first mentions."""
        for place, mention in enumerate(self._mentions):
            found = self._referents(place, mention)
            if not found:
                new = self._new_person(mention)
                if new is None:
                    continue
                found = (len(self._people),)
                self._people.append(new)
            for person in found:
                self._people[person].add(place, mention, asserted=place not in self.doubtful)
            self._of[place] = found
        return self._people

    def _referents(self, place: int, mention: Mention) -> tuple[int, ...]:
        """Return the known people that a mention refers to."""
        if mention.kind == "other" or not self._people:
            return ()
        return (
            self._referents_of_pronoun(place, mention)
            if mention.kind == "pronoun"
            else self._mentioned_before(place, mention)
        )

    def _new_person(self, mention: Mention) -> Person | None:
        """Return a new person; None if the word may well refer to something else."""
        if mention.kind == "other":
            return self._new_group_member(mention)
        if mention.key in ALL_OF_THEM or (mention.kind == "pronoun" and self._may_be_no_person(mention)):
            return None
        return Person(plural=mention.plural)

    def _new_group_member(self, mention: Mention) -> Person | None:
        """Return a new person among those named before, who shares their properties: two men, one of them."""
        at = mention.nouns[0]
        for person in reversed(self._people):
            if person.plural or mention.key in _ANOTHER:
                last = self._mentions[person.mentions[-1]].nouns[-1]
                between = (self._tree.words[index] for index in range(last, at))
                if any(word in self._rivals for word in between):
                    return None
                return Person(plural=mention.plural, values=dict(person.values))
        return None

    def _mentioned_before(self, place: int, mention: Mention) -> tuple[int, ...]:
        """Return the person that a noun phrase mentions again: a man ... the man."""
        same = self._described_person(place, mention)
        if same:
            return same
        words = mention.key.split()
        if words[0] not in DEFINITE or not _CONTRASTS.isdisjoint(words):
            return ()
        for person in reversed(self._recent_people()):
            known = self._people[person]
            earlier = [self._mentions[at] for at in known.mentions[-_RECENT:]]
            if any(
                self._joined.get(mention.nouns[0]) == self._joined.get(one.nouns[0])
                for one in earlier
                if one.nouns
            ):
                continue  # the man and the man
            named = any(mention.names & one.names for one in earlier) and not self._stands_elsewhere(
                mention, earlier
            )
            if named and known.plural == mention.plural and known.fits(mention):
                return (person,)
        return self._only_one(mention)

    def _stands_elsewhere(self, mention: Mention, earlier: Sequence[Mention]) -> bool:
        """Whether two people are distinguished by position: the man on the left, the man on the right."""
        here = self._position(mention)
        return bool(here) and any(there and there != here for there in map(self._position, earlier))

    def _position(self, mention: Mention) -> frozenset[str]:
        last = mention.nouns[-1]
        words, tags = self._tree.annotation.words, self._tree.tags
        found: set[str] = set()
        for index in range(last + 1, min(len(words), last + 6)):
            if tags[index].startswith("VB") or tags[index] in {",", "."}:
                break
            found.add(words[index].lower())
        return (_POSITIONS | _COLORS if words[last + 1 : last + 2] == ("in",) else _POSITIONS) & found

    def _recent_people(self) -> range:
        """Return the indices of the people who were mentioned last."""
        return range(max(0, len(self._people) - _RECENT), len(self._people))

    def _only_one(self, mention: Mention) -> tuple[int, ...]:
        """Return the only person that a new noun in a later sentence can refer to: a man ... The skier."""
        alike = [person for person in self._recent_people() if self._people[person].plural == mention.plural]
        if len(alike) != 1 or (mention.plural and mention.values):
            return ()
        known = self._people[alike[0]]
        if any(self._is_other_role(mention, self._mentions[at]) for at in known.mentions[-_RECENT:]):
            return ()
        last = self._mentions[known.mentions[-1]]
        between = self._tree.words[last.nouns[-1] : mention.nouns[0]]
        return tuple(alike) if "." in between and known.fits(mention) else ()

    def _is_other_role(self, mention: Mention, known: Mention) -> bool:
        """Whether two names for roles cannot refer to the same person: a batter, the catcher."""
        if not mention.role or mention.role != known.role or mention.names & known.names:
            return False
        return _ANY_ROLE.isdisjoint(mention.names | known.names)

    def _described_person(self, place: int, mention: Mention) -> tuple[int, ...]:
        """Return the person that an apposition or a predicate is about: the man is a surfer."""
        noun = mention.nouns[0]
        head, relation = self._tree.heads[noun], self._tree.deps[noun]
        if relation == "appos" and head in self._at:
            subjects: Nouns = (head,)
        else:
            subjects = self._clauses.about(head) if relation == "attr" else ()
        other = self._at.get(subjects[0]) if subjects else None
        if other is None or other >= place or other not in self._of:
            return ()
        found = self._of[other]
        if not self._is_asserted(noun, relation):
            self.doubtful.add(place)
        fits = place in self.doubtful or all(self._people[person].fits(mention) for person in found)
        return found if fits and (len(found) > 1 or self._people[found[0]].plural == mention.plural) else ()

    def _is_asserted(self, noun: int, relation: str) -> bool:
        """Whether somebody is asserted to be what a noun says: not "may be a nurse", "perhaps a nurse"."""
        if relation == "attr":
            return self._clauses.asserts(self._tree.heads[noun])
        before = self._tree.words[max(0, noun - 4) : noun]
        return HEDGES.isdisjoint(before)

    def _referents_of_pronoun(self, place: int, mention: Mention) -> tuple[int, ...]:
        """Return the people that a pronoun refers to."""
        plural = mention.key in _PLURAL_PRONOUNS
        for candidates in self._candidates(place, mention):
            fitting = [person for person in candidates if self._people[person].fits(mention)]
            if plural:
                if mention.key in ALL_OF_THEM or self._is_whole_group(mention):
                    fitting = [person for person in fitting if not self._is_group_member(person)]
                groups = [person for person in fitting if self._people[person].plural]
                if groups:
                    return tuple(fitting) if self._are_a_pair(fitting) else (groups[0],)
                if len(fitting) > 1 and self._are_a_pair(fitting):
                    return tuple(fitting)
            else:
                single = [person for person in fitting if not self._people[person].plural]
                if single:
                    return (single[0],)
        if not plural and self._tree.tags[mention.nouns[0]] == "PRP$" and len(self._people) == 1:
            return (0,)  # a mistake in the caption: a woman ... in his pocket
        return self._last_resort(mention, plural)

    def _is_whole_group(self, mention: Mention) -> bool:
        """Whether a pronoun refers to a whole group after a word for some of it: two of them."""
        of = mention.nouns[0] - 1
        return of > 0 and self._tree.words[of] == "of" and self._tree.words[of - 1] in _OF_ALL

    def _is_group_member(self, person: int) -> bool:
        """Whether a person is a member of a group that was mentioned before."""
        return self._mentions[self._people[person].mentions[0]].kind == "other"

    def _may_be_no_person(self, mention: Mention) -> bool:
        """Whether a pronoun that fits no person can refer to something else: a dog and his ball."""
        plural = mention.key in _PLURAL_PRONOUNS
        before = range(max(0, mention.nouns[0] - _NEAR), mention.nouns[0])
        return any(
            self._tree.words[index] in self._rivals
            or (plural and index not in self._at and self._tree.tags[index] == "NNS")
            for index in before
        )

    def _last_resort(self, mention: Mention, plural: bool) -> tuple[int, ...]:
        """Return the last resort: "they" for one person without a stated gender, or for two people."""
        if not plural:
            return ()
        fitting = [person for person in self._recent_people() if self._people[person].fits(mention)]
        untold = self._pronoun_groups.isdisjoint
        neutral = [person for person in fitting if untold(self._people[person].values)]
        return (neutral[-1],) if neutral else tuple(fitting) if len(fitting) == 2 else ()

    def _are_a_pair(self, people: Sequence[int]) -> bool:
        """Whether people are mentioned as a pair: a man and a woman."""
        nouns = [self._mentions[self._people[person].mentions[0]].nouns for person in people]
        joined = {self._joined.get(noun[0], ()) for noun in nouns if noun}
        return len(joined) == 1

    def _candidates(self, place: int, mention: Mention) -> Iterator[list[int]]:
        """Yield people in the order in which a pronoun is matched with them."""
        noun = mention.nouns[0]
        beside = {person for other in self._cannot_mean(noun) for person in self._people_at(other, place)}
        for governor in self._governors(noun):
            if self._tree.words[governor] in self._rivals:
                return
            yield [person for person in self._people_at(governor, place) if person not in beside]
        others = [person for person in self._recent_people() if person not in beside]
        subjects = [person for person in others if self._is_subject(person)]
        yield list(reversed(self._by_last_subject(subjects, noun)))
        yield subjects
        yield list(reversed(others))

    def _cannot_mean(self, noun: int) -> Nouns:
        """Return the nouns that an object cannot refer to: the umpire, in "an umpire stands behind him"."""
        tree = self._tree
        if tree.tags[noun] != "PRP" or tree.words[noun].endswith(("self", "selves")):
            return ()
        if tree.deps[noun] in {"nsubj", "nsubjpass"}:
            return ()
        index = noun
        for _ in range(6):
            index = tree.heads[index]
            if tree.tags[index].startswith("NN"):
                return (index,) if index in self._at else ()
            if tree.tags[index].startswith("VB"):
                # With a towel wrapped around him: the verb has no subject.
                alone = tree.tags[index] == "VBN" and tree.deps[index] in {"acl", "amod"}
                # With bags next to her: what she carries can be next to her.
                alone = alone or "with" in tree.words[index + 1 : noun]
                return () if alone else self._clauses.about(index)
        return ()

    def _governors(self, noun: int) -> Iterator[int]:
        """Yield the subjects and nouns above a word: a man with his dog, she brushes her teeth."""
        heads, deps = self._tree.heads, self._tree.deps
        subject_of_own = deps[noun] in {"nsubj", "nsubjpass"}
        index, steps = noun, 0
        while heads[index] != index and steps < 40:
            index, steps = heads[index], steps + 1
            # A baby on her lap: the lap is not the baby's.
            held = steps == 3 and self._tree.words[heads[noun]] in _HOLDING
            if index in self._at and not subject_of_own and not held:
                yield index
            if not (subject_of_own and steps == 1):
                first = max(0, index - _NEAR)
                yield from (
                    i for i in range(first, index) if heads[i] == index and deps[i] in {"nsubj", "nsubjpass"}
                )

    def _people_at(self, noun: int, place: int) -> list[int]:
        """Return the people that a noun, or one joined with it, refers to."""
        found: list[int] = []
        for other in self._joined.get(noun, (noun,)):
            at = self._at.get(other)
            if at is not None and at < place and at in self._of:
                found += [person for person in self._of[at] if person not in found]
        return found

    def _is_subject(self, person: int) -> bool:
        nouns = self._mentions[self._people[person].mentions[0]].nouns
        return bool(nouns) and self._tree.deps[nouns[0]] in _SUBJECTS

    def _by_last_subject(self, people: list[int], noun: int) -> list[int]:
        """Return the people sorted by their last mention as a subject, the most recent last."""

        def last(person: int) -> int:
            places = [self._mentions[at].nouns[0] for at in self._people[person].mentions[-_RECENT:]]
            return max((at for at in places if at < noun and self._tree.deps[at] in _SUBJECTS), default=-1)

        return sorted(people, key=last)
