"""Which terminals each stretch of tokens can be: phrases by look-up, open patterns by regular expression."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from assess.taxonomy.phrases import LONGEST_PHRASE
from assess.taxonomy.tokens import POSSESSIVE

_STIFF = {POSSESSIVE, ",", "&", "/"}  # tokens that are never joined to a neighbour by a hyphen


@dataclass(frozen=True, slots=True)
class Edge:
    """A terminal over the tokens from `start` to `end`."""

    start: int
    end: int
    terminal: str


def joints(words: Sequence[str], *, exact: bool = False) -> list[str]:
    """Return the characters that may stand between the words of a phrase, joint by joint."""
    pairs = itertools.pairwise(words)
    return [" " if exact or {left, right} & _STIFF else " -" for left, right in pairs]


def spellings(phrase: str, *, exact: bool = False) -> Iterator[str]:
    """Yield a phrase with every choice of space or hyphen between its words; with `exact`, as it is."""
    words = phrase.split(" ")
    for choice in itertools.product(*joints(words, exact=exact)):
        yield words[0] + "".join(joint + word for joint, word in zip(choice, words[1:], strict=True))


@dataclass(slots=True)
class Lexicon:
    """The words of a grammar."""

    exact: bool = False  # whether a phrase is spelt just as it is written
    _terminals: dict[str, tuple[str, ...]] = field(default_factory=dict)  # spelling -> terminals
    _longest: dict[str, int] = field(default_factory=dict)  # first token -> tokens of its longest phrase
    _patterns: list[tuple[re.Pattern[str], str]] = field(default_factory=list)

    def add(self, phrase: str, terminal: str) -> None:
        """Let a terminal match a phrase in all its spellings."""
        for spelling in spellings(phrase, exact=self.exact):
            known = self._terminals.get(spelling, ())
            if terminal not in known:
                self._terminals[spelling] = (*known, terminal)
            first, *rest = spelling.split(" ")
            self._longest[first] = max(self._longest.get(first, 1), 1 + len(rest))

    def add_pattern(self, regex: str, terminal: str) -> None:
        """Let a terminal match whatever a regular expression matches."""
        # At token boundaries only: elsewhere it cannot match, and a word of 10,000 letters would be searched
        # from each of them.
        self._patterns.append((re.compile(f"(?<![^ ])(?:{regex})(?![^ ])"), terminal))

    def terminals(self, spelling: str) -> tuple[str, ...]:
        """Return the terminals of exactly this spelling."""
        return self._terminals.get(spelling, ())

    def spellings(self) -> Iterator[tuple[str, str]]:
        """Yield every (terminal, spelling) of the phrases."""
        for spelling, terminals in self._terminals.items():
            for terminal in terminals:
                yield terminal, spelling

    def edges(self, tokens: Sequence[str]) -> list[Edge]:
        """Return every place where a phrase or a pattern of the lexicon stands."""
        found: list[Edge] = []
        for start, token in enumerate(tokens):
            for end in range(start + 1, min(len(tokens), start + self._longest.get(token, 0)) + 1):
                for terminal in self._terminals.get(" ".join(tokens[start:end]), ()):
                    found.append(Edge(start, end, terminal))
        if self._patterns:
            found += self._pattern_edges(tokens)
        return sorted(found, key=lambda edge: (edge.start, edge.end, edge.terminal))

    def _pattern_edges(self, tokens: Sequence[str]) -> Iterable[Edge]:
        text = " ".join(tokens)
        likely = [(regex, terminal) for regex, terminal in self._patterns if regex.search(text)]
        if not likely:
            return
        for start, end in itertools.combinations(range(len(tokens) + 1), 2):
            if end - start <= LONGEST_PHRASE:
                stretch = " ".join(tokens[start:end])
                for regex, terminal in likely:
                    if regex.fullmatch(stretch):
                        yield Edge(start, end, terminal)
