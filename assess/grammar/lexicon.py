"""The words of a grammar: the leaves that each range of tokens can be.

Phrases are looked up; open patterns are matched with regular expressions.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from assess.errors import GrammarError
from assess.records import Role
from assess.taxonomy.phrases import LONGEST_PHRASE
from assess.taxonomy.words import POSSESSIVE

Kind = Literal["head", "modifier", "function", "possessive", "owner", "unsaid", "unknown"]

_NEVER_HYPHENATED = {POSSESSIVE, ",", "&", "/"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """The meaning of a rule over words, or of a terminal in other rules."""

    name: str
    kind: Kind
    category: str = ""
    rank: int = 0  # the category's position in the file, which decides between equally good readings
    says: tuple[str, ...] = ()  # for a head: modifier categories that its words also express
    of: bool = False  # a noun phrase follows: group of
    pattern: bool = False  # its words come from a pattern: {color}-haired

    @property
    def role(self) -> Role | None:
        """The role of its category, if it has one."""
        return self.kind if self.kind == "head" or self.kind == "modifier" else None


class Edge(NamedTuple):
    """A leaf over the tokens from `start` to `end`."""

    start: int
    end: int
    leaf: str


class OpenPattern(NamedTuple):
    """A regular expression over ranges of tokens, and the leaves of its matches."""

    regex: str
    leaves: tuple[str, ...]
    begins: tuple[str, ...] = ()  # everything it matches begins with one of these; empty: unknown
    ends: tuple[str, ...] = ()


Fitting = tuple[list[OpenPattern], list[OpenPattern]]
Signs = dict[int, dict[str, list[OpenPattern]]]


@lru_cache(maxsize=4096)
def compiled(regex: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: a domain has hundreds, and compiling all is slow."""
    try:
        return re.compile(regex)
    except re.error as error:  # the grammar's expressions are valid, so the stored file was modified
        message = f"the cached grammar is damaged: {error}"
        raise GrammarError(message, hint="run: assess doctor --clear-cache") from None


def joints(words: Sequence[str], *, exact: bool = False) -> list[str]:
    """Return the characters that can stand between the words of a phrase, for each position."""
    pairs = itertools.pairwise(words)
    return [" " if exact or {left, right} & _NEVER_HYPHENATED else " -" for left, right in pairs]


def spellings(phrase: str, *, exact: bool = False) -> Iterator[str]:
    """Yield a phrase with every choice of space or hyphen between its words; with `exact`, as written."""
    words = phrase.split(" ")
    for choice in itertools.product(*joints(words, exact=exact)):
        yield words[0] + "".join(joint + word for joint, word in zip(choice, words[1:], strict=True))


@dataclass(frozen=True, slots=True)
class LexiconData:
    """A lexicon as stored on disk. Few sets of leaves serve all spellings, so these are numbered."""

    spellings: list[str]
    numbers: list[int]  # for each spelling, the number of its leaves
    leaves: list[tuple[str, ...]]
    longest: dict[str, int]
    longest_ending: dict[str, int]
    patterns: list[OpenPattern]


@dataclass(slots=True)
class Lexicon:
    """The words of a grammar."""

    _leaves: dict[str, tuple[str, ...]] = field(default_factory=dict)  # spelling -> its leaves, sorted
    # first token -> number of tokens in its longest phrase
    _longest: dict[str, int] = field(default_factory=dict)
    _longest_ending: dict[str, int] = field(default_factory=dict)  # the same by last token
    _patterns: dict[str, OpenPattern] = field(default_factory=dict)  # regular expression -> pattern
    # Patterns that may match something that ends in, or begins with, a token; most tokens have none.
    _fitting: dict[str, Fitting] = field(default_factory=dict, compare=False)
    _signs: tuple[Signs, Signs] | None = field(default=None, compare=False)
    _plain: set[str] = field(default_factory=set, compare=False)  # tokens without any
    _loose: tuple[list[OpenPattern], re.Pattern[str]] | None = field(default=None, compare=False)
    # Edges of a spelling at a position: chunks are short and repetitive, so there are few.
    _placed: dict[tuple[int, str], tuple[Edge, ...]] = field(default_factory=dict, compare=False)

    def __bool__(self) -> bool:
        return bool(self._leaves or self._patterns)

    def to_data(self) -> LexiconData:
        """Return the lexicon as plain data."""
        numbers = {leaves: i for i, leaves in enumerate(dict.fromkeys(self._leaves.values()))}
        return LexiconData(
            list(self._leaves),
            [numbers[leaves] for leaves in self._leaves.values()],
            list(numbers),
            self._longest,
            self._longest_ending,
            list(self._patterns.values()),
        )

    @staticmethod
    def from_data(data: LexiconData) -> Lexicon:
        """Return a lexicon from plain data."""
        leaves = map(data.leaves.__getitem__, data.numbers)
        by_spelling = dict(zip(data.spellings, leaves, strict=True))
        patterns = {pattern.regex: pattern for pattern in data.patterns}
        return Lexicon(by_spelling, data.longest, data.longest_ending, patterns)

    def add(self, spellings: Iterable[str], leaves: Iterable[str]) -> None:
        """Add spellings of phrases that have the same leaves."""
        own = tuple(sorted(set(leaves)))
        for spelling in spellings:
            known = self._leaves.setdefault(spelling, own)
            if known is not own:
                self._leaves[spelling] = tuple(sorted({*known, *own}))
                continue
            tokens = spelling.split(" ")
            for longest, token in ((self._longest, tokens[0]), (self._longest_ending, tokens[-1])):
                if longest.get(token, 0) < len(tokens):
                    longest[token] = len(tokens)

    def add_pattern(self, pattern: OpenPattern) -> None:
        """Add a regular expression with its leaves."""
        known = self._patterns.get(pattern.regex)
        leaves = (*known.leaves, *pattern.leaves) if known else pattern.leaves
        self._patterns[pattern.regex] = pattern._replace(leaves=leaves)

    def leaves(self, spelling: str) -> tuple[str, ...]:
        """Return the leaves of exactly this spelling."""
        return self._leaves.get(spelling, ())

    def spellings_of(self, leaves: frozenset[str]) -> list[str]:
        """Return all spellings of some leaves."""
        return [spelling for spelling, own in self._leaves.items() if not leaves.isdisjoint(own)]

    def ending_in(self, leaves: frozenset[str], spellings: Iterable[str]) -> Lexicon:
        """Return a lexicon whose `endings` are those of some leaves and few others; most tokens have none.

        `spellings` are all spellings of these leaves.
        """
        longest = dict.fromkeys(spellings, 1)
        for spelling in spellings:
            if " " in spelling:
                last = spelling[spelling.rfind(" ") + 1 :]
                longest[last] = max(longest.get(last, 1), spelling.count(" ") + 1)
        patterns = {
            regex: each for regex, each in self._patterns.items() if not leaves.isdisjoint(each.leaves)
        }
        return Lexicon(self._leaves, {}, longest, patterns)

    def spellings(self) -> Iterator[tuple[str, str]]:
        """Yield every (leaf, spelling) of the phrases."""
        for spelling, leaves in self._leaves.items():
            for leaf in leaves:
                yield leaf, spelling

    def edges(self, tokens: Sequence[str]) -> list[Edge]:
        """Return all matches of phrases and patterns in order."""
        found: list[Edge] = []
        longest, placed, length = self._longest, self._placed, len(tokens)
        for start, token in enumerate(tokens):
            most = longest.get(token)
            if most is None:
                continue
            found += placed.get((start, token)) or self._at(start, token, 1)
            if most > 1:  # few words begin a phrase
                for end in range(start + 2, min(length, start + most) + 1):
                    spelling = " ".join(tokens[start:end])
                    if spelling in self._leaves:
                        found += self._at(start, spelling, end - start)
        by_pattern = self._pattern_edges(tokens, range(1, length + 1)) if self._patterns else ()
        return sorted([*found, *by_pattern]) if by_pattern else found

    def endings(self, tokens: Sequence[str]) -> list[Edge]:
        """Return the matches that include the last token."""
        length = len(tokens)
        most = self._longest_ending.get(tokens[-1], 0) if tokens else 0
        found = self._pattern_edges_end(tokens)
        for size in range(1, min(length, most) + 1):
            found += self._at(length - size, " ".join(tokens[length - size :]), size)
        return found

    def _pattern_edges_end(self, tokens: Sequence[str]) -> list[Edge]:
        if not self._patterns or not tokens:
            return []
        ends_alike, _ = self._fitting_to(tokens[-1])
        if not ends_alike and not (self._signs and self._signs[1]) and not self._loose_in(tokens):
            return []
        return self._pattern_edges(tokens, (len(tokens),))

    def _at(self, start: int, spelling: str, size: int) -> tuple[Edge, ...]:
        leaves = self._leaves.get(spelling)
        if leaves is None:
            return ()
        key = (start, spelling)
        edges = self._placed.get(key)
        if edges is None:
            edges = tuple(Edge(start, start + size, leaf) for leaf in leaves)
            self._placed[key] = edges
        return edges

    def _pattern_edges(self, tokens: Sequence[str], ends: Iterable[int]) -> list[Edge]:
        loose = self._loose_in(tokens)
        if not loose and self._plain.issuperset(tokens):
            return []
        fitting = list(map(self._fitting_to, tokens))
        return [
            Edge(start, end, leaf)
            for end in ends
            for start in range(max(0, end - LONGEST_PHRASE), end)
            for pattern in (*fitting[end - 1][0], *fitting[start][1], *loose)
            if compiled(pattern.regex).fullmatch(" ".join(tokens[start:end]))
            for leaf in pattern.leaves
        ]

    def _loose_in(self, tokens: Sequence[str]) -> Sequence[OpenPattern]:
        """Return the patterns without known ends or beginnings, if one of them may match here."""
        if self._loose is None:
            loose = [each for each in self._patterns.values() if not each.begins and not each.ends]
            # Only at token boundaries: elsewhere, none can match, and a word of 10,000 letters would be
            # searched from each letter.
            # searched from each of them.
            regex = f"(?<![^ ])(?:{'|'.join(each.regex for each in loose)})(?![^ ])" if loose else "(?!)"
            self._loose = loose, compiled(regex)
        loose, anywhere = self._loose
        return loose if loose and anywhere.search(" ".join(tokens)) else ()

    def _fitting_to(self, token: str) -> Fitting:
        found = self._fitting.get(token)
        if found is None:
            if self._signs is None:
                self._signs = _signs(self._patterns.values())
            ending, beginning = self._signs
            # A space marks the boundary of the token, so a sign with a space must match the whole token.
            before, after = " " + token, token + " "
            longest = len(before)
            found = self._fitting[token] = (
                [
                    each
                    for size, by_sign in ending.items()
                    if size <= longest
                    for each in by_sign.get(before[-size:], ())
                ],
                [
                    each
                    for size, by_sign in beginning.items()
                    if size <= longest
                    for each in by_sign.get(after[:size], ())
                ],
            )
            if not any(found):
                self._plain.add(token)
        return found


def _signs(patterns: Iterable[OpenPattern]) -> tuple[Signs, Signs]:
    """Return patterns by the ends of their matches, or by the beginnings if the ends are unknown.

    Signs are grouped by length, so that a token is looked up once for each length.
    """
    ending: Signs = {}
    beginning: Signs = {}
    for pattern in patterns:
        by_size = ending if pattern.ends else beginning
        signs = {end[max(0, end.rfind(" ")) :] for end in pattern.ends} or {
            begin[: begin.find(" ") + 1] or begin for begin in pattern.begins
        }
        for sign in signs:
            by_size.setdefault(len(sign), {}).setdefault(sign, []).append(pattern)
    return ending, beginning
