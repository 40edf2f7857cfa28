"""Which person a noun phrase mentions again: a man in red ... the man, both men, the player in red."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from assess.grammar.tree import DEFINITE, Nouns, Tree, plural_of
from assess.grammar.verbs import HEDGES

Kind = Literal["label", "pronoun", "other", "owner"]
"""A noun phrase, a pronoun, a word for another person (one, two), or an owner: the man's shirt."""
Values = Mapping[str, str]
"""What a phrase states about the contrasted groups: gender -> female."""

_CONTRASTS = frozenset({"another", "different", "first", "last", "one", "other", "second", "third"})
_ANY_ROLE = frozenset({"athlete", "competitor", "performer", "player", "rider", "worker"})
"""Nouns that fit many roles: the batter is a player."""
# fmt: off
# People with a part of their own in a scene, beside those who were mentioned before.
_COUNTERPARTS = frozenset((
    "assistant", "bartender", "bodyguard", "boss", "captain", "cashier", "catcher", "chef", "clerk",
    "coach", "conductor", "cook", "customer", "dentist", "doctor", "driver", "foreman", "goalie",
    "goalkeeper", "guard", "guide", "host", "instructor", "judge", "lifeguard", "mechanic", "nurse",
    "owner", "photographer", "pilot", "pitcher", "professor", "referee", "salesman", "servant", "server",
    "speaker", "teacher", "trainer", "umpire", "vendor", "waiter", "waitress",
))
# fmt: on
# Nouns that say little else about somebody who was mentioned before.
_BY_GENDER = frozenset({"boy", "child", "gentleman", "girl", "guy", "lady", "man", "woman"})
_STEM = 3  # number of letters that a word shares with what announces it
_FAR = 60  # number of words to look back for it
_POSITIONS = frozenset(
    {"back", "background", "center", "centre", "foreground", "front", "left", "middle", "right"}
)
_COLORS = frozenset(
    {"black", "blue", "brown", "gray", "green", "grey", "orange", "pink", "purple", "red", "white", "yellow"}
)
"""What distinguishes players: the one in red, the one in white."""
_NOT_MENTIONED_BEFORE = frozenset({"audience", "crowd", "crowds", "onlookers", "spectators"})
"""Words for people who watch others, and are not the people that they watch."""
# Words for people who are not among those mentioned before.
_MORE = frozenset({"additional", "another", "different", "else", "more", "other", "others"})
# What follows the number of all people: five people in total.
_IN_ALL = frozenset({"altogether", "total"})
# What introduces a description by which somebody is recognised.
_DESCRIBED_BY = frozenset({"holding", "in", "wearing", "with"})
_EMPTY_WORDS = frozenset({",", "a", "an", "and", "her", "his", "in", "is", "the", "their", "wearing", "with"})
_FINITE = frozenset({",", "MD", "VBD", "VBP", "VBZ"})
_DESCRIPTION = 16
"""Number of words after a noun that may describe it."""
RECENT = 12
"""Number of people and mentions to look back; a caption with more repeats itself."""


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
    group_names: frozenset[str] = frozenset()  # the nouns of the group that they are a member of

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


class RepeatedMentions:
    """Finds the people whom the noun phrases of one caption mention again."""

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

    def _mentioned_before(self, place: int, mention: Mention) -> tuple[int, ...]:
        """Return the person that a noun phrase mentions again: a man ... the man."""
        same = self._described_person(place, mention)
        if same:
            return same
        words = mention.key.split()
        if words[0] not in DEFINITE and mention.plural and self._counts_all(mention, words):
            for person in self._recent_people():
                if self._is_named(mention, person) and self._may_be_counted(person):
                    return (person,)
        if words[:2] == ["all", "the"]:
            words = words[1:]
        if words[0] not in DEFINITE or not _CONTRASTS.isdisjoint(words):
            return ()
        recent = list(reversed(self._recent_people()))
        named = [person for person in recent if self._is_named(mention, person)]
        if not named:
            # Two men ... One is shirtless ... The shirtless man.
            members = [person for person in recent if self._may_be_named(mention, person)]
            named = [person for person in members if self._known_of(mention, person)][:1]
        if named:
            return (
                max(named, key=lambda person: self._known_of(mention, person)) if named[1:] else named[0],
            )
        if words[0] == "both" or "two" in words:
            return self._last_two(mention)
        return self._only_one(mention)

    def _counts_all(self, mention: Mention, words: Sequence[str]) -> bool:
        """Whether a phrase counts the people in the picture: there are five people in total."""
        tree, noun = self._tree, mention.nouns[-1]
        if tree.deps[mention.nouns[0]] != "attr" or not _MORE.isdisjoint(words):
            return False
        after = tree.words[noun + 1 : noun + 5]
        return not _IN_ALL.isdisjoint(after) or "total" in words

    def _may_be_counted(self, person: int) -> bool:
        """Whether a group may be counted later, because its number is not known yet: a group of people."""
        first = self._mentions[self._people[person].mentions[0]]
        counted = {self._tree.tags[index] for index in range(first.nouns[0] - 3, first.nouns[-1])}
        return first.kind == "label" and "CD" not in counted

    def _is_named(self, mention: Mention, person: int) -> bool:
        """Whether a person was mentioned with the same noun, and may be meant again."""
        known = self._people[person]
        if known.plural != mention.plural or not known.fits(mention):
            return False
        earlier = [self._mentions[at] for at in known.mentions[-RECENT:]]
        joined = self._joined.get(mention.nouns[0])
        if any(joined == self._joined.get(one.nouns[0]) for one in earlier if one.nouns):
            return False  # the man and the man
        return any(mention.names & one.names for one in earlier) and not self._stands_elsewhere(
            mention, earlier
        )

    def _may_be_named(self, mention: Mention, person: int) -> bool:
        """Whether a person is a member of a group with the same noun: two men, one of them."""
        known = self._people[person]
        fits = known.plural == mention.plural and known.fits(mention)
        return fits and not known.group_names.isdisjoint({*mention.names, *map(plural_of, mention.names)})

    def _known_of(self, mention: Mention, person: int) -> int:
        """Return how many words of a description were said about a person before: the woman in red."""
        described = self._words_around(mention, _DESCRIBED_BY)
        if not described:
            return 0
        earlier = (self._mentions[at] for at in self._people[person].mentions[-RECENT:])
        return max(len(described & self._words_around(one, None)) for one in earlier)

    def _words_around(self, mention: Mention, openings: frozenset[str] | None) -> frozenset[str]:
        """Return the words that describe a mention: before its noun, and after it until the next mention."""
        tree, noun = self._tree, mention.nouns[-1]
        found = set(mention.key.split()[1:-1])
        if openings is None or not openings.isdisjoint(tree.words[noun + 1 : noun + 2]):
            for index in range(noun + 1, min(len(tree.words), noun + _DESCRIPTION)):
                place = self._at.get(index)
                if tree.tags[index] == "." or (
                    place is not None and self._mentions[place].kind in {"label", "other"}
                ):
                    break
                if openings is not None and tree.tags[index] in _FINITE:
                    break
                found.add(tree.words[index])
        return frozenset(found - _EMPTY_WORDS)

    def _last_two(self, mention: Mention) -> tuple[int, ...]:
        """Return the two people that a phrase with "both" is about: a worker, his coworker, both workers."""
        alike = [
            person
            for person in self._recent_people()
            if not self._people[person].plural and self._people[person].fits(mention)
        ]
        named = [
            person
            for person in alike
            if any(self._mentions[at].role == mention.role for at in self._people[person].mentions)
        ]
        if len(named) == 2:
            return tuple(named)
        anybody = not mention.role or not mention.names.isdisjoint({plural_of(noun) for noun in _ANY_ROLE})
        return tuple(alike) if len(alike) == 2 and anybody else ()

    def _stands_elsewhere(self, mention: Mention, earlier: Sequence[Mention]) -> bool:
        """Whether two people are distinguished by position: the man on the left, the man on the right."""
        here = self._position(mention)
        labels = (one for one in earlier if one.kind != "pronoun")  # not the left of "her left hand"
        return bool(here) and any(there and there != here for there in map(self._position, labels))

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
        return range(max(0, len(self._people) - RECENT), len(self._people))

    def _only_one(self, mention: Mention) -> tuple[int, ...]:
        """Return the only person that a new noun in a later sentence can refer to: a man ... The skier."""
        alike = [person for person in self._recent_people() if self._people[person].plural == mention.plural]
        if mention.plural:
            alike = [person for person in alike if self._is_whole(self._people[person])]
        if len(alike) > 1 and not mention.names.isdisjoint(_BY_GENDER):
            # A man and his son ... The boy: the man cannot be meant.
            alike = [person for person in alike if self._people[person].fits(mention)]
        if len(alike) != 1 or (mention.plural and mention.values):
            return ()
        if not mention.names.isdisjoint(_COUNTERPARTS) and not self._is_announced(mention):
            return ()
        known = self._people[alike[0]]
        earlier = [self._mentions[at] for at in known.mentions[-RECENT:]]
        if any(self._is_other_role(mention, one) for one in earlier):
            return ()
        if self._stands_elsewhere(mention, earlier) or not mention.names.isdisjoint(_NOT_MENTIONED_BEFORE):
            return ()
        last = self._mentions[known.mentions[-1]]
        between = self._tree.words[last.nouns[-1] : mention.nouns[0]]
        return tuple(alike) if "." in between and known.fits(mention) else ()

    def _is_whole(self, group: Person) -> bool:
        """Whether a group is neither a part of another one, nor people who only watch."""
        first = self._mentions[group.mentions[0]]
        return first.kind != "other" and first.names.isdisjoint(_NOT_MENTIONED_BEFORE)

    def _is_announced(self, mention: Mention) -> bool:
        """Whether a word for what somebody does was hinted at before: a speech ... The speaker."""
        tree, noun = self._tree, mention.nouns[-1]
        stem = tree.words[noun][:_STEM]
        place = self._at.get(next(iter(tree.dependents(noun, "appos")), noun), 0)
        known = [person for person in self._recent_people() if not self._people[person].plural]
        if not all(self._people[person].fits(self._mentions[place]) for person in known):
            return False  # a man ... The bartender, a woman in black
        return any(
            tree.words[index].startswith(stem) and tree.tags[index][:2] in {"NN", "VB"}
            for index in range(max(0, noun - _FAR), noun)
        )

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
