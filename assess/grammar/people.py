"""Coreference: which phrases and pronouns of a caption refer to the same person or group.

The rules are few and deterministic. "The man" is the last man who fits. A pronoun refers to somebody of the
right number and gender, first within its clause, then among the people that the text is about. A mention
without a match is a new person.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.grammar.mentions import RECENT, Mention, Person, RepeatedMentions
from assess.grammar.tree import ALL_OF_THEM, OF_THEM, PLACES_TO_CARRY, Nouns
from assess.grammar.verbs import SHOWING

_PLURAL_PRONOUNS = ALL_OF_THEM | {"their", "theirs", "them", "themselves", "they"}
_SUBJECTS = frozenset({"ROOT", "attr", "nsubj", "nsubjpass"})
_ANOTHER = frozenset({"another", "other", "others"})
"""Words for a person other than one mentioned before."""
_OF_ALL = ALL_OF_THEM | OF_THEM | {"one", "some"}
_VIEWERS = frozenset({"i", "one", "we", "you"})
"""We can see a man: the text is about the man."""
_OBJECT_FORMS = frozenset({"her", "him", "them"})
_TOUCHING = frozenset(
    {"clinging", "grabbing", "hugging", "kissing", "massaging", "patting", "rubbing", "tugging"}
)
"""What people do to the bodies of others rather than to their own."""
_ONLY_PEOPLE = frozenset({"carrying", "holding", "reading", "riding", "talking", "wearing"})
"""What animals do not do: a group of riders on horses ... The others are riding black ones."""
_ANYBODY = frozenset({"figure", "individual", "person", "somebody", "someone"})
_LEAVING = frozenset({"carrying", "dragging", "holding", "leaving", "placing", "pulling", "trailing"})
_BEHIND = frozenset({"around", "behind", "beside", "near", "next"})
_HOLDING = frozenset(
    {"arm", "arms", "chest", "hand", "hands", "hip", "knee", "knees", "lap", "shoulder", "shoulders"}
)
_NEAR = 60
"""Number of words to look back."""


class Linker(RepeatedMentions):
    """Finds the people in one caption, mention by mention, in the order of the text."""

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
            # Another may stand beside one man, but the others are the rest of a group.
            if person.plural or (mention.key in _ANOTHER and not mention.plural):
                last = self._mentions[person.mentions[-1]].nouns[-1]
                between = (self._tree.words[index] for index in range(last, at))
                verb = self._tree.participle(self._tree.heads[at])
                if verb not in _ONLY_PEOPLE and any(word in self._rivals for word in between):
                    return None
                names = self._mentions[person.mentions[0]].names | person.group_names
                return Person(plural=mention.plural, values=dict(person.values), group_names=names)
        return None

    def _referents_of_pronoun(self, place: int, mention: Mention) -> tuple[int, ...]:
        """Return the people that a pronoun refers to."""
        plural = mention.key in _PLURAL_PRONOUNS
        for candidates in self._candidates(place, mention):
            fitting = [person for person in candidates if self._people[person].fits(mention)]
            if plural:
                if mention.key in ALL_OF_THEM or self._is_whole_group(mention.nouns[0]):
                    fitting = [person for person in fitting if not self._is_group_member(person)]
                groups = [person for person in fitting if self._people[person].plural]
                if self._tree.words[mention.nouns[0] + 1 : mention.nouns[0] + 3][-1:] == ("all",):
                    groups.sort()  # they are all: the first group, and not two of its members
                if groups:
                    return tuple(fitting) if self._are_a_pair(fitting) else (groups[0],)
                both = mention.key == "both" and len(fitting) == len(self._people) == 2
                if both or (len(fitting) > 1 and self._are_a_pair(fitting)):
                    return tuple(fitting)
            else:
                single = [person for person in fitting if not self._people[person].plural]
                if single:
                    return (single[0],)
        if not plural and self._tree.tags[mention.nouns[0]] == "PRP$" and len(self._people) == 1:
            return (0,)  # a mistake in the caption: a woman ... in his pocket
        return self._last_resort(place, mention, plural)

    def _is_whole_group(self, noun: int) -> bool:
        """Whether a pronoun refers to a whole group after a word for some of it: two of them."""
        of = noun - 1
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

    def _last_resort(self, place: int, mention: Mention, plural: bool) -> tuple[int, ...]:
        """Return the last resort: "they" for one person without a stated gender, or for two people."""
        if not plural:
            return ()
        cannot = self._cannot_mean(mention.nouns[0])
        beside = {person for other in cannot for person in self._people_at(other, place)}
        fitting = [person for person in self._recent_people() if self._people[person].fits(mention)]
        others = [person for person in fitting if person not in beside]
        if len(others) == 2 and mention.key in {"them", "they"} and not self._is_somebody(others):
            return tuple(others)
        untold = self._pronoun_groups.isdisjoint
        neutral = [person for person in fitting if untold(self._people[person].values)]
        return (neutral[-1],) if neutral else tuple(fitting) if len(fitting) == 2 else ()

    def _is_somebody(self, people: Sequence[int]) -> bool:
        """Whether one of them is called a person, whom "they" refers to rather than to both of them."""
        firsts = [self._mentions[self._people[person].mentions[0]] for person in people]
        return any(first.plural or not first.names.isdisjoint(_ANYBODY) for first in firsts)

    def _are_a_pair(self, people: Sequence[int]) -> bool:
        """Whether people are mentioned as a pair: a man and a woman."""
        nouns = [self._mentions[self._people[person].mentions[0]].nouns for person in people]
        joined = {self._joined.get(noun[0], ()) for noun in nouns if noun}
        return len(joined) == 1

    def _candidates(self, place: int, mention: Mention) -> Iterator[list[int]]:
        """Yield people in the order in which a pronoun is matched with them."""
        noun = mention.nouns[0]
        beside = {person for other in self._cannot_mean(noun) for person in self._people_at(other, place)}
        touched = self._touched(noun, place, mention)
        if touched:
            yield touched
        for governor in self._governors(noun):
            if self._tree.words[governor] in self._rivals:
                return
            yield [person for person in self._people_at(governor, place) if person not in beside]
        others = [person for person in self._recent_people() if person not in beside]
        subjects = [person for person in others if self._is_subject(person)]
        yield list(reversed(self._by_last_subject(subjects, noun)))
        yield subjects
        yield list(reversed(others))

    def _touched(self, noun: int, place: int, mention: Mention) -> list[int]:
        """Return the person of the stated gender whose body somebody touches: a child clings to her leg."""
        tree, part = self._tree, self._tree.heads[noun]
        if not mention.values or tree.tags[noun] != "PRP$" or tree.words[part] not in PLACES_TO_CARRY:
            return []
        verb = tree.heads[part]
        verb = verb if tree.is_verb(verb) else tree.heads[verb]
        if not tree.is_verb(verb) or tree.participle(verb) not in _TOUCHING:
            return []
        beside = {person for other in self._clauses.about(verb) for person in self._people_at(other, place)}
        stated = [
            person
            for person in self._recent_people()
            if mention.values.items() <= self._people[person].values.items()
        ]
        return [] if beside.intersection(stated) else stated[-1:]

    def _cannot_mean(self, noun: int) -> Nouns:
        """Return the nouns that an object cannot refer to: the umpire, in "an umpire stands behind him"."""
        tree = self._tree
        if tree.tags[noun] != "PRP" or tree.words[noun].endswith(("self", "selves")):
            return ()
        if self._is_whole_group(noun):
            return ()
        index = noun
        if tree.deps[noun] in {"nsubj", "nsubjpass"}:
            if tree.words[noun] not in _OBJECT_FORMS:
                return ()
            index = tree.heads[noun]  # watching him work: whoever watches is somebody else
        for _ in range(6):
            index = tree.heads[index]
            if tree.tags[index].startswith("NN"):
                return (index,) if index in self._at else ()
            if tree.tags[index].startswith("VB"):
                # With a towel wrapped around him: the verb has no subject.
                alone = tree.tags[index] == "VBN" and tree.deps[index] in {"acl", "amod"}
                # With bags next to her: what she carries can be next to her, and the trail that she leaves.
                between = tree.words[index + 1 : noun]
                alone = alone or "with" in between or self._is_left(index, noun)
                return () if alone else self._clauses.about(index)
        return ()

    def _is_left(self, verb: int, noun: int) -> bool:
        """Whether a thing stays where somebody is: leaving a trail behind him."""
        if self._tree.participle(verb) not in _LEAVING:
            return False
        things = [thing for thing in self._tree.dependents(verb, "dobj") if thing < noun]
        after = self._tree.words[things[0] + 1 : noun] if things and things[0] not in self._at else ()
        return not _BEHIND.isdisjoint(after)

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
        places = self._people[person].mentions[-RECENT:]
        return any(self._is_topic(self._mentions[place].nouns[0]) for place in places)

    def _is_topic(self, noun: int) -> bool:
        """Whether a clause is about a noun: its subject, its owner, or what a picture shows."""
        tree = self._tree
        first = tree.heads[noun] if tree.deps[noun] == "conj" else noun
        if tree.deps[first] == "appos":
            noun = tree.heads[first]  # two people, a man and a woman
        relation, head = tree.deps[noun], tree.heads[noun]
        if relation == "dobj" and tree.is_verb(head):
            if tree.participle(head) in SHOWING:
                return True  # the image shows a sailor
            seen = tree.words[head] == "see"
            return seen and any(tree.words[child] in _VIEWERS for child in tree.dependents(head, "nsubj"))
        return relation in _SUBJECTS or (relation == "poss" and tree.deps[head] in _SUBJECTS)

    def _by_last_subject(self, people: list[int], noun: int) -> list[int]:
        """Return the people sorted by their last mention as a subject, the most recent last."""

        def last(person: int) -> int:
            places = [self._mentions[at].nouns[0] for at in self._people[person].mentions[-RECENT:]]
            return max((at for at in places if at < noun and self._is_topic(at)), default=-1)

        return sorted(people, key=last)
