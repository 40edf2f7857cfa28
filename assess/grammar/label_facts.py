"""What coreference needs to know about phrases and pronouns: number, role, and the groups they state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from assess.grammar.groups import MIXED, NEUTRAL, GroupWords
from assess.grammar.memory import Memory
from assess.grammar.parser import Parser
from assess.records import Analysis
from assess.taxonomy.words import NUMBER

_ONE_OF = ("each of ", "either of ", "neither of ", "one of ")
"""What opens a phrase for one person with a noun in the plural: one of the women has a flower in her hair."""
_REMEMBERED = 200_000
"""Number of phrases whose facts are kept."""
SEVERAL = re.compile(rf"(?!(?:1|one|a)$)(?:{NUMBER})")  # a number above one


class LabelFact(NamedTuple):
    """What coreference needs to know about a chunk in the domain."""

    values: Mapping[str, str]  # the groups it states: gender -> female
    plural: bool | None  # None if the taxonomy does not mark plurals; the tag then decides
    apart: bool  # what its outer noun does says nothing about the people: a photo of
    role: frozenset[str]  # its head categories, if it names a role (a batter) and states no group
    several: bool  # a number says so: "two woman" are two people, although the noun is singular


class LabelFacts:
    """What a grammar says about chunks and pronouns; each answer is computed once."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        grammar = parser.grammar
        self._plurals = grammar.facts.plurals_are
        self._groups = [GroupWords(grammar, name) for name in grammar.groups]
        self._apart = {name for name, category in grammar.modifiers.items() if category.stands_apart}
        anybody = grammar.facts.pronoun_noun
        self._anybody = frozenset(parser.analyse(anybody).best.heads if anybody else ())
        self._known = Memory(self._look_up, most=_REMEMBERED)
        self.pronouns: dict[str, Mapping[str, str]] = {
            word: {group.name: value for group in self._groups for value in states if value in group.values}
            for word, states in grammar.facts.pronouns.items()
        }
        self.are_people = bool(self.pronouns)  # rather than things, which can be worn or missing
        self.pronoun_groups = frozenset(group for states in self.pronouns.values() for group in states)

    def of(self, key: str) -> LabelFact:
        """Return the facts about a chunk, by its text."""
        return self._known[key]

    def _look_up(self, key: str) -> LabelFact:
        analysis = self._parser.analyse(key)
        told = {group.name: group.told(analysis).value for group in self._groups}
        apart = any(span.category in self._apart for span in analysis.best.spans)
        counted = key.rpartition(" of ")[2] if apart else key  # four photos of a woman show one woman
        plural = None if self._plurals is None else self._plurals in analysis.best.heads
        return LabelFact(
            {name: value for name, value in told.items() if value not in {NEUTRAL, MIXED}},
            plural and not key.startswith(_ONE_OF),
            apart,
            frozenset() if any(value != NEUTRAL for value in told.values()) else self._role(analysis),
            any(SEVERAL.fullmatch(word) for word in counted.split()[:-1]),
        )

    def _role(self, analysis: Analysis) -> frozenset[str]:
        heads = frozenset(analysis.best.heads)
        return heads if heads.isdisjoint(self._anybody) else frozenset()

    def stated_groups(self, analysis: Analysis) -> tuple[tuple[str, str, str], ...]:
        """Return the groups that a label states: name, value, and the kind of word that states it."""
        found = ((group.name, group.told(analysis)) for group in self._groups)
        return tuple((name, told.value, told.by) for name, told in found if told.by is not None)

    def same_pronoun(self, word: str) -> str:
        """Return the first pronoun that states the same groups: she, for her."""
        return next(other for other, values in self.pronouns.items() if values == self.pronouns[word])
