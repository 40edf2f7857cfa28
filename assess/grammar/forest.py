"""Parsing with any Lark grammar over words: all readings as a forest, and the best reading.

A chart of bits contains the symbols that derive each range of words (see `chart`), in time cubic in the
length. Trees are only built on request, so that a text with billions of readings costs no more than one with
two. They have the same shape as Lark's trees.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from lark import Lark, Token, Tree
from lark.exceptions import LarkError
from lark.grammar import Rule
from lark.lexer import PatternStr, TerminalDef
from lark.parse_tree_builder import ParseTreeBuilder

from assess.errors import GrammarError, Place, UsageError
from assess.grammar.chart import Cells, Rules, combined_by, inside
from assess.grammar.earley import NoLexer
from assess.taxonomy.syntax import unit_cycles

Words: TypeAlias = "str | Sequence[str]"
LONGEST_TEXT = 100
"""In words: the time is cubic in the length."""
_DEEPEST = 20_000  # calls
_LONGEST_TERMINAL = 8  # in words, for a regular expression that can match a space
_MAY_HAVE_SPACES = re.compile(r"(?<!\\) |\\ |\\s|\\W|\\D|\[\^|(?<!\\)\.")
Score = tuple[int, int, int]


class WordGrammar:
    """A Lark grammar whose terminals match whole words, or phrases of several words.

    Strings match words exactly, regular expressions match whole words, and strings with spaces match several
    words. Everything else is as in Lark: templates, `?` and `_` before names, aliases, priorities, `%import`.
    """

    def __init__(
        self, text: str, *, start: str = "start", file: str = "grammar.lark", keep_all_tokens: bool = False
    ) -> None:
        self.start = start
        self._file = file
        lark = self._compiled(text, keep_all_tokens)
        self.rules: dict[str, list[Rule]] = {}
        for rule in lark.rules:
            self.rules.setdefault(rule.origin.name, []).append(rule)
        builder: Any = ParseTreeBuilder
        placeholders = lark.options.maybe_placeholders
        # Readings share their parts, so parts must not be changed while others are built.
        shaper = builder(lark.rules, Tree, ambiguous=True, maybe_placeholders=placeholders)
        self.callbacks: dict[Rule, Callable[[list[Any]], Any]] = shaper.create_callback()
        self.priorities = {terminal.name: terminal.priority for terminal in lark.terminals}
        self._matchers = [_Matcher(terminal) for terminal in lark.terminals]
        self._check(lark)
        self.tables = _tables(self.rules, start, [terminal.name for terminal in lark.terminals])

    def _compiled(self, text: str, keep_all_tokens: bool) -> Lark:
        options: dict[str, Any] = {"keep_all_tokens": keep_all_tokens}
        try:
            return Lark(text, start=self.start, parser="earley", lexer=NoLexer, **options)
        except LarkError as error:
            message = _first_line(error)
            where = re.search(r",? at line (\d+)[, ]*col(?:umn)? (\d+)", str(error))
            if where is None:
                raise GrammarError(message, place=Place(self._file)) from error
            line, column, lines = int(where[1]), int(where[2]), text.split("\n")
            source = lines[line - 1] if line <= len(lines) else ""
            place = Place(self._file, line, column, source=source)
            raise GrammarError(f"this is not a Lark grammar: {message}", place=place) from error

    def _check(self, lark: Lark) -> None:
        """Raise an error if the grammar has no words, or infinitely many readings of a text."""
        place = Place(self._file)
        named = {symbol.name for rule in lark.rules for symbol in rule.expansion if symbol.is_term}
        for name in sorted(named - self.priorities.keys()):
            hint = 'add words, for example NAME: "one" | "two"; `%declare` alone is not enough'
            raise GrammarError(f"the terminal `{name}` has no words", place=place, hint=hint)
        for matcher in self._matchers:
            if matcher.name in named and matcher.matches_nothing:
                hint = "terminals must match whole words, with at least one letter"
                raise GrammarError(
                    f"the terminal `{matcher.name}` can match the empty string", place=place, hint=hint
                )
        circles = unit_cycles(_alone(self.rules))
        if circles:
            hint = "break the cycle of rules"
            message = f"the rule `{circles[0]}` can derive itself, so it has infinitely many readings"
            raise GrammarError(message, place=place, hint=hint)

    def parse(self, words: Words) -> Forest:
        """Return all readings of some words; a text is split at white space."""
        tokens = words.split() if isinstance(words, str) else list(words)
        if len(tokens) > LONGEST_TEXT:
            message = f"a text of {len(tokens)} words; at most {LONGEST_TEXT} can be parsed"
            raise UsageError(message, hint="split it into sentences")
        leaves: dict[tuple[str, int, int], None] = {}
        for start, matcher in itertools.product(range(len(tokens)), self._matchers):
            for end in matcher.ends(tokens, start):
                leaves[matcher.name, start, end] = None
        return Forest(self, tuple(tokens), frozenset(leaves))


class _Matcher:
    """Matches the words of a terminal."""

    def __init__(self, terminal: TerminalDef) -> None:
        self.name = terminal.name
        pattern = terminal.pattern
        self._words = pattern.value.split() if isinstance(pattern, PatternStr) and not pattern.flags else None
        self._regex = re.compile(pattern.to_regexp())
        self._longest = _LONGEST_TERMINAL if _MAY_HAVE_SPACES.search(pattern.to_regexp()) else 1
        self.matches_nothing = not self._words if self._words is not None else bool(self._regex.fullmatch(""))

    def ends(self, tokens: Sequence[str], start: int) -> Iterator[int]:
        """Yield where the terminal can end if it starts at a word."""
        if self._words is not None:
            end = start + len(self._words)
            if self._words and list(tokens[start:end]) == self._words:
                yield end
            return
        for end in range(start + 1, min(len(tokens), start + self._longest) + 1):
            if self._regex.fullmatch(" ".join(tokens[start:end])):
                yield end


@contextmanager
def _deep() -> Iterator[None]:
    """Raise the recursion limit to the nesting that a text of a hundred words can have."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _nullable(rules: dict[str, list[Rule]]) -> set[str]:
    """Return the rules that can match nothing."""
    found: set[str] = set()
    size = -1
    while size < len(found):
        size = len(found)
        found |= {
            name
            for name, bodies in rules.items()
            if any(all(symbol.name in found for symbol in rule.expansion) for rule in bodies)
        }
    return found


def _alone(rules: dict[str, list[Rule]]) -> dict[str, list[list[str]]]:
    """Return, for each rule, what can be its only part, if everything else matches nothing."""
    nullable = _nullable(rules)
    found: dict[str, list[list[str]]] = {name: [] for name in rules}
    for name, bodies in rules.items():
        for rule in bodies:
            symbols = [symbol.name for symbol in rule.expansion]
            for index, symbol in enumerate(symbols):
                if all(other in nullable for other in (*symbols[:index], *symbols[index + 1 :])):
                    found[name].append([symbol])
    return found


@dataclass(slots=True)
class Tables:
    """Rules for the chart, with a bit for every symbol and for every remainder of a rule."""

    chart: Rules
    bits: dict[str, int]
    nullable: frozenset[str]


def _rest(symbols: Sequence[str]) -> str:
    return symbols[0] if len(symbols) == 1 else " ".join(symbols)


def _tables(rules: dict[str, list[Rule]], start: str, terminals: Sequence[str]) -> Tables:
    nullable = _nullable(rules)
    pairs: dict[tuple[str, str], set[str]] = {}
    parents: dict[str, set[str]] = {}
    for rule in itertools.chain.from_iterable(rules.values()):
        origin, symbols = rule.origin.name, [symbol.name for symbol in rule.expansion]
        for place in range(len(symbols)):
            rest = symbols[place:]
            above = origin if place == 0 else _rest(rest)
            if len(rest) == 1:
                if above != rest[0]:
                    parents.setdefault(rest[0], set()).add(above)
                continue
            after = _rest(rest[1:])
            pairs.setdefault((rest[0], after), set()).add(above)
            if all(name in nullable for name in rest[1:]):
                parents.setdefault(rest[0], set()).add(above)
            if rest[0] in nullable:
                parents.setdefault(after, set()).add(above)
    names = dict.fromkeys([start, *terminals, *rules, *(name for pair in pairs for name in pair)])
    bits = {name: number for number, name in enumerate(names)}
    masks = {name: sum(1 << bits[other] for other in _closure(name, parents)) for name in names}
    chart = Rules(bits[start], masks, [], [[] for _ in names])
    for (left, right), origins in pairs.items():
        mask = 0
        for name in origins:
            mask |= masks[name]
        chart.lefts |= 1 << bits[left]
        chart.pairs[bits[left]].append((bits[right], mask))
    return Tables(chart, bits, frozenset(nullable))


def _closure(name: str, parents: dict[str, set[str]]) -> set[str]:
    reached, waiting = {name}, [name]
    while waiting:
        more = parents.get(waiting.pop(), set()) - reached
        reached |= more
        waiting += more
    return reached


@dataclass(eq=False)
class Forest:
    """All readings of one text.

    Their number can have hundreds of digits, so it is not returned by `len` but by `count`.
    """

    grammar: WordGrammar
    words: tuple[str, ...]
    leaves: frozenset[tuple[str, int, int]]
    _counts: dict[tuple[str, int, int], int] = field(default_factory=dict, repr=False)
    _sums: dict[tuple[int, int, int, int], int] = field(default_factory=dict, repr=False)
    _scores: dict[tuple[str, int, int], Score] = field(default_factory=dict, repr=False)

    @cached_property
    def _cells(self) -> Cells:
        chart = self.grammar.tables.chart
        places = frozenset((start, end, chart.masks[name]) for name, start, end in self.leaves)
        return inside(chart, combined_by(chart), places, len(self.words))

    def __bool__(self) -> bool:
        """Whether there is a reading."""
        return self._has(self.grammar.start, 0, len(self.words))

    @property
    def unknown(self) -> tuple[str, ...]:
        """The words that no terminal of the grammar matches, alone or with others."""
        known = {place for _, start, end in self.leaves for place in range(start, end)}
        return tuple(word for place, word in enumerate(self.words) if place not in known)

    @cached_property
    def count(self) -> int:
        """The number of readings, computed without building them."""
        with _deep():
            return self._count(self.grammar.start, 0, len(self.words)) if self else 0

    @property
    def best(self) -> Tree[Token] | None:
        """The reading with the highest priorities, then the fewest terminals and rules; or None.

        Priorities are defined in the grammar (`rule.2: ...`) and are added. Ties are broken by the order of
        alternatives, and then by longer first parts: the same text always has the same best reading.
        """
        if not self:
            return None
        with _deep():
            tree: Tree[Token] = self._best_tree(self.grammar.start, 0, len(self.words))
        return tree

    def __iter__(self) -> Iterator[Tree[Token]]:
        """Yield the readings one by one, building each on request."""
        trees = self._trees(self.grammar.start, 0, len(self.words)) if self else iter(())
        while True:
            with _deep():
                tree = next(trees, None)
            if tree is None:
                return
            yield tree

    # Whether a symbol, or the remainder of a rule, derives a range of words.

    def _has(self, name: str, start: int, end: int) -> bool:
        tables = self.grammar.tables
        if start == end:
            return all(part in tables.nullable for part in name.split(" "))
        return bool(self._cells[start][end] >> tables.bits[name] & 1)

    def _splits(self, rule: Rule, dot: int, start: int, end: int) -> Iterator[int]:
        """Yield where the symbol at the dot can end, longest first."""
        symbols = [symbol.name for symbol in rule.expansion[dot:]]
        if len(symbols) == 1:
            if self._has(symbols[0], start, end):
                yield end
            return
        first, rest = symbols[0], _rest(symbols[1:])
        for middle in range(end, start - 1, -1):
            if self._has(first, start, middle) and self._has(rest, middle, end):
                yield middle

    # The number of readings.

    def _count(self, name: str, start: int, end: int) -> int:
        key = (name, start, end)
        if key not in self._counts:
            if name in self.grammar.rules:
                rules = self.grammar.rules[name]
                self._counts[key] = sum(self._sum(rule, 0, start, end) for rule in rules)
            else:
                self._counts[key] = int(key in self.leaves)
        return self._counts[key]

    def _sum(self, rule: Rule, dot: int, start: int, end: int) -> int:
        if dot == len(rule.expansion):
            return int(start == end)
        key = (id(rule), dot, start, end)
        if key not in self._sums:
            self._sums[key] = sum(
                self._count(rule.expansion[dot].name, start, middle) * self._sum(rule, dot + 1, middle, end)
                for middle in self._splits(rule, dot, start, end)
            )
        return self._sums[key]

    # The readings.

    def _token(self, name: str, start: int, end: int) -> Token:
        return Token(name, " ".join(self.words[start:end]), start_pos=start, end_pos=end)

    def _trees(self, name: str, start: int, end: int) -> Iterator[Any]:
        if name not in self.grammar.rules:
            if (name, start, end) in self.leaves:
                yield self._token(name, start, end)
            return
        for rule in self.grammar.rules[name]:
            for children in self._children(rule, 0, start, end):
                yield self.grammar.callbacks[rule](list(children))

    def _children(self, rule: Rule, dot: int, start: int, end: int) -> Iterator[tuple[Any, ...]]:
        if dot == len(rule.expansion):
            if start == end:
                yield ()
            return
        for middle in self._splits(rule, dot, start, end):
            for first in self._trees(rule.expansion[dot].name, start, middle):
                for rest in self._children(rule, dot + 1, middle, end):
                    yield (first, *rest)

    # The best reading.

    def _score(self, name: str, start: int, end: int) -> Score:
        """Return the best score of a symbol: smaller is better."""
        if name not in self.grammar.rules:
            return -self.grammar.priorities[name], 1, 0
        key = (name, start, end)
        if key not in self._scores:
            self._scores[key] = min(score for score, _, _ in self._ranked(name, start, end))
        return self._scores[key]

    def _ranked(self, name: str, start: int, end: int) -> Iterator[tuple[Score, Rule, tuple[int, ...]]]:
        """Yield the matching rules of a symbol, each with its best score and the ends of its parts."""
        for rule in self.grammar.rules[name]:
            found = self._best_parts(rule, 0, start, end)
            if found is not None:
                priority, leaves, nodes = found[0]
                yield (priority - (rule.options.priority or 0), leaves, nodes + 1), rule, found[1]

    def _best_parts(self, rule: Rule, dot: int, start: int, end: int) -> tuple[Score, tuple[int, ...]] | None:
        if dot == len(rule.expansion):
            return ((0, 0, 0), ()) if start == end else None
        best: tuple[Score, tuple[int, ...]] | None = None
        for middle in self._splits(rule, dot, start, end):
            rest = self._rest_parts(rule, dot + 1, middle, end)
            if rest is not None:
                own = self._score(rule.expansion[dot].name, start, middle)
                score = (own[0] + rest[0][0], own[1] + rest[0][1], own[2] + rest[0][2])
                if best is None or score < best[0]:
                    best = score, (middle, *rest[1])
        return best

    @cached_property
    def _known_parts(self) -> dict[tuple[int, int, int, int], tuple[Score, tuple[int, ...]] | None]:
        return {}

    def _rest_parts(self, rule: Rule, dot: int, start: int, end: int) -> tuple[Score, tuple[int, ...]] | None:
        key = (id(rule), dot, start, end)
        if key not in self._known_parts:
            self._known_parts[key] = self._best_parts(rule, dot, start, end)
        return self._known_parts[key]

    def _best_tree(self, name: str, start: int, end: int) -> Any:
        if name not in self.grammar.rules:
            return self._token(name, start, end)
        wanted = self._score(name, start, end)
        rule, ends = next(
            (rule, ends) for score, rule, ends in self._ranked(name, start, end) if score == wanted
        )
        begins = (start, *ends[:-1])
        children = [
            self._best_tree(symbol.name, *place)
            for symbol, place in zip(rule.expansion, zip(begins, ends, strict=False), strict=True)
        ]
        return self.grammar.callbacks[rule](children)
