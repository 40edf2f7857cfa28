"""Names and meanings of a compiled grammar's terminals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from assess.grammar.lexicon import Lexicon
from assess.taxonomy.model import Taxonomy

Kind = Literal["head", "modifier", "function", "possessive", "owner", "blocked", "unknown"]

OWNER, POSSESSIVE_MARK, UNKNOWN = "OWNER", "POSSESSIVE", "UNKNOWN"
UNKNOWN_OPEN, UNKNOWN_CLOSE = "‹", "›"
"""An unknown word reaches the grammar between these marks, which our tokeniser never leaves in a word."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a terminal stands for."""

    name: str
    kind: Kind
    category: str = ""
    rank: int = 0  # the category's position in the taxonomy: decides between equally good readings
    says: tuple[str, ...] = ()  # for a head: modifier categories that its words tell by themselves


@dataclass(frozen=True, slots=True)
class Grammar:
    """A compiled taxonomy: the `.lark` text, its terminals' meanings and the lexicon."""

    taxonomy: Taxonomy
    text: str
    rules: str  # the part of the text without the terminals' definitions
    terminals: dict[str, Terminal]
    lexicon: Lexicon
    known: frozenset[str]  # every one-word entry, function words included
    prepositions: frozenset[str]  # words that no rule uses; what precedes one is what a chunk is about
    excluded: Lexicon  # phrases that end like a head but are not in the domain
    together: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """(phrase, category) -> the categories that hold at the same time."""

    @property
    def admits_unknown(self) -> bool:
        """Whether the phrase structure has a place for unknown words."""
        return UNKNOWN in self.terminals


def rule_name(identifier: str) -> str:
    """Turn an id into a part of a rule's name. Ids have single hyphens only, so no two collide."""
    return identifier.replace("-", "_")
