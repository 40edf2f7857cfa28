"""A grammar as defined by the text of a `.lark` file, which determines all analyses."""

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
"""Marks statements in comments, for what cannot be expressed in a grammar."""
UNKNOWN_OPEN, UNKNOWN_CLOSE = "‹", "›"
"""Unknown words are between these marks in the grammar's input. Our tokeniser never leaves them in a word."""


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
    """The words that state a value of a group."""

    nouns: tuple[str, ...]
    modifiers: tuple[str, ...]


class AfterPattern(NamedTuple):
    """A pattern for phrases after a noun; without a category, it says nothing."""

    category: str
    openings: tuple[str, ...]  # the words with which it can begin: in, wearing
    # the following parts with their spellings; other words may stand between them
    parts: tuple[tuple[str, ...], ...] = ()
    regex: str = ""  # for what cannot be listed like that
    open: bool = False  # matches infinitely many words, so other patterns are tried before it
    any_verb: bool = False  # matches every verb


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file states about its domain besides rules and words."""

    name: str
    version: str
    description: str
    heads: dict[str, HeadFacts]
    modifiers: dict[str, ModifierFacts]
    plurals_are: str | None
    groups: dict[str, dict[str, ToldWords]]
    pronouns: dict[str, tuple[str, ...]]  # pronoun -> the values of groups that it states
    pronoun_noun: str  # the noun for a pronoun that refers to no other mention
    rivals: tuple[str, ...]  # nouns outside the domain that the same pronouns can refer to
    after: tuple[AfterPattern, ...]
    notes: list[tuple[tuple[Role, str, str], Note]]  # (role, category, phrase) and its note
    also: list[tuple[str, tuple[str, ...]]]
    """Phrases that have several categories at once: the category that lists them, and the others."""
    levels: Levels = "both"  # which of several nested categories a reading has

    def ancestors(self, role: Role, name: str) -> tuple[str, ...]:
        """Return the categories that contain a category, innermost first."""
        categories: Mapping[str, HeadFacts | ModifierFacts] = self.heads if role == "head" else self.modifiers
        found: list[str] = []
        above = categories[name].parent if name in categories else None
        while above is not None and above not in found:
            found.append(above)
            above = categories[above].parent
        return tuple(found)

    def reported(self, role: Role, name: str) -> tuple[str, ...]:
        """Return what a reading reports for a category: itself, with its ancestors, or the topmost one."""
        above = (name, *self.ancestors(role, name))
        return {"lowest": above[:1], "highest": above[-1:], "both": above}[self.levels]

    def without_parents(self, role: Role, names: Collection[str]) -> list[str]:
        """Return the categories that do not only occur through one of their children."""
        above = {parent for name in names for parent in self.ancestors(role, name)}
        return [name for name in names if name not in above]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The contents of a `.lark` file, ready for use."""

    text: str
    facts: Facts
    leaves: dict[str, Leaf]
    rules: Rules  # the productions, as tables for the chart
    lexicon: Lexicon
    known: frozenset[str]  # every one-word entry, including function words
    prepositions: frozenset[str]  # words that no rule uses; a chunk is about what precedes them
    excluded: Lexicon  # phrases that end like a head but are not in the domain
    # for each open pattern of heads, the words that all its matches contain
    signs: tuple[tuple[str, ...], ...]
    owner: str = ""  # a regular expression for the words before a possessive mark
    identity: str = field(init=False)
    """Name, version and hash of the text, as shown in signatures."""

    def __post_init__(self) -> None:
        # The source file does not affect any number.
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
        """The contrasts for audits: for each group and value, the words that state it."""
        return self.facts.groups

    @property
    def admits_unknown(self) -> bool:
        """Whether the phrase structure allows unknown words."""
        return UNKNOWN in self.leaves

    def categories_of(self, phrase: str, role: Role) -> set[str]:
        """Return the categories that a phrase by itself can have in a role, without of-phrases."""
        leaves = (self.leaves[name] for name in self.lexicon.leaves(phrase))
        return {leaf.category for leaf in leaves if leaf.role == role and not leaf.of and "-" not in phrase}

    def listed_modifiers(self) -> dict[str, set[str]]:
        """Return the words that each modifier category lists itself, without patterns and `also`."""
        found: dict[str, set[str]] = {}
        for name, spelling in self.lexicon.spellings():
            leaf = self.leaves[name]
            if leaf.role == "modifier" and not leaf.pattern and "-" not in spelling:
                found.setdefault(leaf.category, set()).add(spelling)
        for phrase, (_, *others) in self.facts.also:
            for category in others:
                found.get(category, set()).discard(phrase)
        return found
