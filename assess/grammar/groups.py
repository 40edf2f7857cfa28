"""What the words of a label state about a group that audits contrast, such as gender; and dated words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from assess.errors import UsageError
from assess.grammar.model import Grammar
from assess.records import Analysis, Reading, Role
from assess.taxonomy.model import Note
from assess.taxonomy.phrases import closest, spaced

NEUTRAL = "neutral"
"""The words state no value: a person, a crowd."""
MIXED = "mixed"
"""The words state several values: men and women."""

ToldBy = Literal["nouns", "modifiers", "pronouns"]
TOLD_BY: tuple[ToldBy, ...] = ("nouns", "modifiers", "pronouns")
"""The kinds of words that can state a value, in the order in which they are checked."""
TELLING: dict[str, tuple[ToldBy, ...]] = {"words": TOLD_BY, "nouns": ("nouns",)}
"""The values of an option, and the kinds of words that they stand for."""


class Told(NamedTuple):
    """The value of a group, and the kind of words that state it; None for neutral labels."""

    value: str
    by: ToldBy | None


class GroupWords:
    """A group of a grammar, such as gender, as stated by the words of labels."""

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
        """The modifier categories whose words state the group: contrasting them by it would be circular."""
        self._pronouns = {
            word: set(tells) & set(self.values) for word, tells in grammar.facts.pronouns.items()
        }

    def tells(self, text: str, by: ToldBy) -> bool:
        """Whether a word or phrase of this kind states a value."""
        known = {"nouns": self._heads, "modifiers": self._modifiers, "pronouns": self._pronouns}
        return bool(known[by].get(text))

    def alone(self, word: str, *, adjective: bool = False) -> ToldBy | None:
        """Return how a word states a value regardless of context; adjectives may have other meanings."""
        if adjective and (word in self._modifiers or self._grammar.categories_of(word, "modifier")):
            return "modifiers" if self.tells(word, "modifiers") else None
        order: tuple[ToldBy, ...] = ("pronouns", "nouns", "modifiers")
        return next((kind for kind in order if self.tells(word, kind)), None)

    def told(self, analysis: Analysis, *, by: Iterable[ToldBy] = TOLD_BY) -> Told:
        """Return the value that a label states in its best reading, by the first kind of words with one."""
        for kind in by:
            found = self._found(analysis, kind)
            if found:
                return Told(found.pop() if len(found) == 1 else MIXED, kind)
        return Told(NEUTRAL, None)

    def _found(self, analysis: Analysis, by: ToldBy) -> set[str]:
        return set().union(*self.telling(analysis, by).values())

    def telling(self, analysis: Analysis, by: ToldBy) -> dict[str, set[str]]:
        """Return the words of one kind that state a value in the best reading, with their values."""
        if by == "pronouns":
            known, words = self._pronouns, analysis.pronouns
        elif by == "modifiers":
            known, words = self._modifiers, _texts(analysis, "modifier")
        else:
            known, words = self._heads, _texts(analysis, "head") or (self._last(analysis),)
        return {word: known[word] for word in words if known.get(word)}

    def _last(self, analysis: Analysis) -> str:
        """Return the head of a label that could not be parsed: the longest head at its end."""
        words = spaced(analysis.text).split(" ")
        endings = (" ".join(words[start:]) for start in range(len(words)))
        return next((end for end in endings if end in self._heads or self._is_noun(end)), "")

    def _is_noun(self, phrase: str) -> bool:
        return bool(self._grammar.categories_of(phrase, "head"))


def _texts(analysis: Analysis, role: Role) -> tuple[str, ...]:
    return tuple([spaced(span.text) for span in analysis.best.spans if span.role == role])


class WordNotes:
    """The notes of words in their category: "backward" is only offensive in some senses."""

    def __init__(self, grammar: Grammar) -> None:
        self._notes = dict(grammar.facts.notes)

    def of(self, reading: Reading) -> dict[str, Note]:
        """Return the words of a reading that have a note, in order."""
        found = ((span.text, (span.role, span.category, spaced(span.text))) for span in reading.spans)
        return {spaced(text): self._notes[key] for text, key in found if key in self._notes}
