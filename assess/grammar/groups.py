"""What the words of a label tell: of a group that audits contrast, such as gender; and which are dated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from assess.errors import UsageError
from assess.grammar.model import Grammar
from assess.records import Analysis, Reading, Role
from assess.taxonomy.model import Note
from assess.taxonomy.phrases import closest, spaced

NEUTRAL = "neutral"
"""The words tell no value: a person, a crowd."""
MIXED = "mixed"
"""The words tell several: men and women."""

ToldBy = Literal["nouns", "modifiers", "pronouns"]
TOLD_BY: tuple[ToldBy, ...] = ("nouns", "modifiers", "pronouns")
"""Which words tell a value, in the order in which they are asked."""
TELLING: dict[str, tuple[ToldBy, ...]] = {"words": TOLD_BY, "nouns": ("nouns",)}
"""What a caller may choose, and what it stands for."""


class Told(NamedTuple):
    """The value of a group, and which words tell it; nothing tells that a label is neutral."""

    value: str
    by: ToldBy | None


class GroupWords:
    """One group of a grammar, such as gender, as the words of labels tell it."""

    def __init__(self, grammar: Grammar, name: str) -> None:
        if name not in grammar.groups:
            raise UsageError(
                f"the domain `{grammar.name}` has no group called {name!r}",
                hint=closest(name, grammar.groups),
            )
        self.name = name
        words = grammar.groups[name]
        self.values = tuple(words)
        self._grammar = grammar
        self._heads: dict[str, set[str]] = {}
        self._modifiers: dict[str, set[str]] = {}
        for value, told in words.items():
            for known, listed in ((self._heads, told.nouns), (self._modifiers, told.modifiers)):
                for word in listed:
                    known.setdefault(word, set()).add(value)
        self.told_in = frozenset(
            category for text in self._modifiers for category in grammar.categories_of(text, "modifier")
        )
        """The modifier categories with words that tell the group: to contrast them by it says nothing."""
        self._pronouns = {
            word: set(tells) & set(self.values) for word, tells in grammar.facts.pronouns.items()
        }

    def tells(self, text: str, by: ToldBy) -> bool:
        """Whether a word or phrase, used as one of this kind, tells a value."""
        known = {"nouns": self._heads, "modifiers": self._modifiers, "pronouns": self._pronouns}
        return bool(known[by].get(text))

    def alone(self, word: str, *, adjective: bool = False) -> ToldBy | None:
        """Return how a word tells a value wherever it stands; an adjective may say something else."""
        if adjective and (word in self._modifiers or self._grammar.categories_of(word, "modifier")):
            return "modifiers" if self.tells(word, "modifiers") else None
        order: tuple[ToldBy, ...] = ("pronouns", "nouns", "modifiers")
        return next((kind for kind in order if self.tells(word, kind)), None)

    def told(self, analysis: Analysis, *, by: Iterable[ToldBy] = TOLD_BY) -> Told:
        """Return the value that a label tells in its best reading, by the first words that tell one."""
        for kind in by:
            found = self._found(analysis, kind)
            if found:
                return Told(found.pop() if len(found) == 1 else MIXED, kind)
        return Told(NEUTRAL, None)

    def _found(self, analysis: Analysis, by: ToldBy) -> set[str]:
        return set().union(*self.telling(analysis, by).values())

    def telling(self, analysis: Analysis, by: ToldBy) -> dict[str, set[str]]:
        """Return the words of one kind that tell a value in the best reading, each with what it tells."""
        if by == "pronouns":
            known, words = self._pronouns, analysis.pronouns
        elif by == "modifiers":
            known, words = self._modifiers, _texts(analysis, "modifier")
        else:
            known, words = self._heads, _texts(analysis, "head") or (self._last(analysis),)
        return {word: known[word] for word in words if known.get(word)}

    def _last(self, analysis: Analysis) -> str:
        """Return the head of a label that could not be read: the longest one that stands at its end."""
        words = spaced(analysis.text).split(" ")
        endings = (" ".join(words[start:]) for start in range(len(words)))
        return next((end for end in endings if end in self._heads or self._is_noun(end)), "")

    def _is_noun(self, phrase: str) -> bool:
        return bool(self._grammar.categories_of(phrase, "head"))


def _texts(analysis: Analysis, role: Role) -> tuple[str, ...]:
    return tuple([spaced(span.text) for span in analysis.best.spans if span.role == role])


class WordNotes:
    """The notes of a grammar's words, in the category where they stand: "backward" is not always a slur."""

    def __init__(self, grammar: Grammar) -> None:
        self._notes = dict(grammar.facts.notes)

    def of(self, reading: Reading) -> dict[str, Note]:
        """Return the words of a reading that have a note, in their order."""
        found = ((span.text, (span.role, span.category, spaced(span.text))) for span in reading.spans)
        return {spaced(text): self._notes[key] for text, key in found if key in self._notes}
