"""A grammar as the text of a `.lark` file states it: what decides how phrases and captions are read."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from assess.grammar.chart import Rules
from assess.grammar.lexicon import Leaf, Lexicon
from assess.records import Role
from assess.taxonomy.model import Evidence, Note, Sensitivity

OWNER, POSSESSIVE_MARK, UNKNOWN, UNSAID = "OWNER", "POSSESSIVE", "UNKNOWN", "unsaid"
Levels = Literal["both", "lowest", "highest"]
MARK = "//:"
"""Before what a file states in comments, because it cannot be grammar."""
UNKNOWN_OPEN, UNKNOWN_CLOSE = "‹", "›"
"""An unknown word reaches the grammar between these marks, which our tokeniser never leaves in a word."""


@dataclass(frozen=True, slots=True)
class HeadFacts:
    """A kind of thing that a phrase can be about."""

    description: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class ModifierFacts:
    """A kind of thing that can be said about a head."""

    description: str
    evidence: Evidence
    sensitivity: Sensitivity
    stands_apart: bool = False
    parent: str | None = None


class ToldWords(NamedTuple):
    """The words that tell a value of a group."""

    nouns: tuple[str, ...]
    modifiers: tuple[str, ...]


class AfterPattern(NamedTuple):
    """A pattern of what is said after a noun; without a category it says nothing."""

    category: str
    openings: tuple[str, ...]  # the words that it may begin with: in, wearing
    parts: tuple[tuple[str, ...], ...] = ()  # what follows, each with its spellings; words may stand between
    regex: str = ""  # of what cannot be listed like that
    open: bool = False  # endlessly many words fit, so any other pattern comes before it
    any_verb: bool = False  # it stands for every verb


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file says of its domain besides rules and words."""

    name: str
    version: str
    description: str
    heads: dict[str, HeadFacts]
    modifiers: dict[str, ModifierFacts]
    plurals_are: str | None
    groups: dict[str, dict[str, ToldWords]]
    pronouns: dict[str, tuple[str, ...]]  # each with the values of groups that it tells
    pronoun_noun: str  # what a pronoun is read as where it names nobody
    rivals: tuple[str, ...]  # nouns outside the domain that are called by the same pronouns
    after: tuple[AfterPattern, ...]
    notes: list[tuple[tuple[Role, str, str], Note]]  # (role, category, phrase) and its note
    also: list[tuple[str, tuple[str, ...]]]
    """Phrases that have several categories at once: the one that lists them, and the others."""
    levels: Levels = "both"  # which of nested categories a reading has

    def ancestors(self, role: Role, name: str) -> tuple[str, ...]:
        """Return the categories that a category is within, the nearest first."""
        categories: Mapping[str, HeadFacts | ModifierFacts] = self.heads if role == "head" else self.modifiers
        found: list[str] = []
        above = categories[name].parent if name in categories else None
        while above is not None and above not in found:
            found.append(above)
            above = categories[above].parent
        return tuple(found)

    def reported(self, role: Role, name: str) -> tuple[str, ...]:
        """Return what a reading has by one category: itself, those above it, or the topmost."""
        above = (name, *self.ancestors(role, name))
        return {"lowest": above[:1], "highest": above[-1:], "both": above}[self.levels]

    def without_parents(self, role: Role, names: Collection[str]) -> list[str]:
        """Return the categories that are not there by one of their children alone."""
        above = {parent for name in names for parent in self.ancestors(role, name)}
        return [name for name in names if name not in above]


@dataclass(frozen=True, slots=True)
class Grammar:
    """All that the text of a `.lark` file says, ready for use."""

    text: str
    facts: Facts
    leaves: dict[str, Leaf]
    rules: Rules  # the productions, as tables for the chart
    lexicon: Lexicon
    known: frozenset[str]  # every one-word entry, function words included
    prepositions: frozenset[str]  # words that no rule uses; what precedes one is what a chunk is about
    excluded: Lexicon  # phrases that end like a head but are not in the domain
    signs: tuple[tuple[str, ...], ...]  # for each open pattern of heads: the words that it always has
    owner: str = ""  # a regular expression for the words before a possessive mark
    identity: str = field(init=False)
    """Name, version and hash of the text, as it stands in signatures."""

    def __post_init__(self) -> None:
        # Which file it was compiled from says nothing about a number.
        lines = (line for line in self.text.split("\n") if not line.startswith(f"{MARK} compiled from "))
        digest = hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()[:12]
        object.__setattr__(self, "identity", f"{self.name}@{self.version}#{digest}")

    @property
    def name(self) -> str:
        """The domain's id."""
        return self.facts.name

    @property
    def version(self) -> str:
        """The version of the domain."""
        return self.facts.version

    @property
    def heads(self) -> dict[str, HeadFacts]:
        """The head categories, in the order of the file."""
        return self.facts.heads

    @property
    def modifiers(self) -> dict[str, ModifierFacts]:
        """The modifier categories, in the order of the file."""
        return self.facts.modifiers

    @property
    def groups(self) -> dict[str, dict[str, ToldWords]]:
        """The contrasts for audits: for each group and value, the words that tell it."""
        return self.facts.groups

    @property
    def admits_unknown(self) -> bool:
        """Whether the phrase structure has a place for unknown words."""
        return UNKNOWN in self.leaves

    def categories_of(self, phrase: str, role: Role) -> set[str]:
        """Return the categories that a phrase can have by itself in a role: not a group of."""
        leaves = (self.leaves[name] for name in self.lexicon.leaves(phrase))
        return {leaf.category for leaf in leaves if leaf.role == role and not leaf.of and "-" not in phrase}

    def listed_modifiers(self) -> dict[str, set[str]]:
        """Return the words that each modifier category lists itself: no patterns, and none by `also`."""
        found: dict[str, set[str]] = {}
        for name, spelling in self.lexicon.spellings():
            leaf = self.leaves[name]
            if leaf.role == "modifier" and not leaf.pattern and "-" not in spelling:
                found.setdefault(leaf.category, set()).add(spelling)
        for phrase, (_, *others) in self.facts.also:
            for category in others:
                found.get(category, set()).discard(phrase)
        return found
