"""A compiled grammar's terminals: what they mean, and which of them each stretch of tokens can be.

Phrases are looked up; open patterns are matched by regular expressions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import LONGEST_PHRASE
from assess.taxonomy.words import POSSESSIVE

Kind = Literal["head", "modifier", "function", "possessive", "owner", "blocked", "unknown"]

OWNER, POSSESSIVE_MARK, UNKNOWN = "OWNER", "POSSESSIVE", "UNKNOWN"
UNKNOWN_OPEN, UNKNOWN_CLOSE = "‹", "›"
"""An unknown word reaches the grammar between these marks, which our tokeniser never leaves in a word."""

_NEVER_HYPHENATED = {POSSESSIVE, ",", "&", "/"}


class Edge(NamedTuple):
    """A terminal over the tokens from `start` to `end`."""

    start: int
    end: int
    terminal: str


def joints(words: Sequence[str], *, exact: bool = False) -> list[str]:
    """Return the characters that may stand between the words of a phrase, joint by joint."""
    pairs = itertools.pairwise(words)
    return [" " if exact or {left, right} & _NEVER_HYPHENATED else " -" for left, right in pairs]


def spellings(phrase: str, *, exact: bool = False) -> Iterator[str]:
    """Yield a phrase with every choice of space or hyphen between its words; with `exact`, as it is."""
    words = phrase.split(" ")
    for choice in itertools.product(*joints(words, exact=exact)):
        yield words[0] + "".join(joint + word for joint, word in zip(choice, words[1:], strict=True))


@dataclass(frozen=True, slots=True)
class LexiconData:
    """A lexicon as it is kept on disk. Few sets of terminals serve all spellings, so these have numbers."""

    exact: bool
    spellings: list[str]
    numbers: list[int]  # of the terminals of each spelling
    terminals: list[tuple[str, ...]]
    longest: dict[str, int]
    longest_ending: dict[str, int]
    patterns: dict[str, list[str]]


@dataclass(slots=True)
class Lexicon:
    """The words of a grammar."""

    exact: bool = False  # whether a phrase is spelt just as it is written
    _terminals: dict[str, tuple[str, ...]] = field(default_factory=dict)  # spelling -> its terminals, sorted
    _longest: dict[str, int] = field(default_factory=dict)  # first token -> tokens of its longest phrase
    _longest_ending: dict[str, int] = field(default_factory=dict)  # the same by last token
    _patterns: dict[str, list[str]] = field(default_factory=dict)  # regular expression -> terminals
    _any_pattern: re.Pattern[str] | None = field(default=None, compare=False)  # all of them at once
    # Edges of a spelling at a place: chunks are short and repeat their words, so few edges are ever made.
    _placed: dict[tuple[int, str], tuple[Edge, ...]] = field(default_factory=dict, compare=False)

    def __bool__(self) -> bool:
        return bool(self._terminals or self._patterns)

    def to_data(self) -> LexiconData:
        """Return the lexicon as plain data."""
        numbers = {terminals: i for i, terminals in enumerate(dict.fromkeys(self._terminals.values()))}
        return LexiconData(
            self.exact,
            list(self._terminals),
            [numbers[terminals] for terminals in self._terminals.values()],
            list(numbers),
            self._longest,
            self._longest_ending,
            self._patterns,
        )

    @staticmethod
    def from_data(data: LexiconData) -> Lexicon:
        """Return the lexicon of plain data."""
        terminals = map(data.terminals.__getitem__, data.numbers)
        by_spelling = dict(zip(data.spellings, terminals, strict=True))
        return Lexicon(data.exact, by_spelling, data.longest, data.longest_ending, data.patterns)

    def add(self, phrase: str, terminal: str) -> None:
        """Let a terminal match a phrase in all its spellings."""
        for spelling in spellings(phrase, exact=self.exact):
            known = self._terminals.get(spelling, ())
            if terminal not in known:
                self._terminals[spelling] = tuple(sorted((*known, terminal)))
            tokens = spelling.split(" ")
            for longest, token in ((self._longest, tokens[0]), (self._longest_ending, tokens[-1])):
                longest[token] = max(longest.get(token, 1), len(tokens))

    def add_pattern(self, regex: str, terminal: str) -> None:
        """Let a terminal match whatever a regular expression matches."""
        self._patterns.setdefault(regex, []).append(terminal)
        self._any_pattern = None

    def terminals(self, spelling: str) -> tuple[str, ...]:
        """Return the terminals of exactly this spelling."""
        return self._terminals.get(spelling, ())

    def spellings(self) -> Iterator[tuple[str, str]]:
        """Yield every (terminal, spelling) of the phrases."""
        for spelling, terminals in self._terminals.items():
            for terminal in terminals:
                yield terminal, spelling

    def edges(self, tokens: Sequence[str]) -> list[Edge]:
        """Return every place where a phrase or a pattern of the lexicon stands, in order."""
        found: list[Edge] = []
        length = len(tokens)
        for start, token in enumerate(tokens):
            most = self._longest.get(token)
            if most is None:
                continue
            found += self._placed.get((start, token)) or self._at(start, token, 1)
            for end in range(start + 2, min(length, start + most) + 1):
                spelling = " ".join(tokens[start:end])
                if spelling in self._terminals:
                    found += self._at(start, spelling, end - start)
        if self._patterns:
            by_pattern = self._pattern_edges(tokens, itertools.combinations(range(length + 1), 2))
            if by_pattern:
                found = sorted(found + by_pattern)
        return found

    def may_end(self, tokens: Sequence[str]) -> bool:
        """Whether some edge may reach to the last token: a quick look before `edges`."""
        return bool(tokens) and (tokens[-1] in self._longest_ending or bool(self._pattern_edges_end(tokens)))

    def endings(self, tokens: Sequence[str]) -> list[Edge]:
        """Return the edges that reach to the last token."""
        length = len(tokens)
        most = self._longest_ending.get(tokens[-1], 0) if tokens else 0
        found = self._pattern_edges_end(tokens)
        for size in range(1, min(length, most) + 1):
            found += self._at(length - size, " ".join(tokens[length - size :]), size)
        return found

    def _pattern_edges_end(self, tokens: Sequence[str]) -> list[Edge]:
        if not self._patterns:
            return []
        length = len(tokens)
        return self._pattern_edges(tokens, ((start, length) for start in range(length)))

    def _at(self, start: int, spelling: str, size: int) -> tuple[Edge, ...]:
        terminals = self._terminals.get(spelling)
        if terminals is None:
            return ()
        key = (start, spelling)
        edges = self._placed.get(key)
        if edges is None:
            edges = tuple(Edge(start, start + size, terminal) for terminal in terminals)
            self._placed[key] = edges
        return edges

    def _pattern_edges(self, tokens: Sequence[str], stretches: Iterable[tuple[int, int]]) -> list[Edge]:
        if self._any_pattern is None:
            # At token boundaries only: elsewhere none can match, and a word of 10,000 letters would be
            # searched from each of them.
            self._any_pattern = re.compile(f"(?<![^ ])(?:{'|'.join(self._patterns)})(?![^ ])")
        if not self._any_pattern.search(" ".join(tokens)):
            return []
        return [
            Edge(start, end, terminal)
            for start, end in stretches
            if end - start <= LONGEST_PHRASE
            for terminal in self._matching(" ".join(tokens[start:end]))
        ]

    def _matching(self, stretch: str) -> Iterator[str]:
        for regex, terminals in self._patterns.items():
            if re.fullmatch(regex, stretch):
                yield from terminals


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
