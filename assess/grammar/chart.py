"""The fast engine: a chart over Lark's own compiled rules, with sets of symbols as bits of an integer.

Inside: which symbols derive each stretch of tokens. Outside: which of those take part in a full parse.
Both are polynomial, however ambiguous the chunk, because no tree is ever enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.grammar.lexicon import Edge
from assess.grammar.reading import Outcome, Score, add_scores, leaf_score
from assess.grammar.rules import Rules
from assess.grammar.symbols import Terminal

Cells = list[list[int]]


def parse_chart(
    rules: Rules, terminals: dict[str, Terminal], edges: Sequence[Edge], length: int
) -> Outcome | None:
    """Return what takes part in some full parse of `length` tokens, or None where there is none."""
    inside = _inside(rules, edges, length)
    if not inside[0][length] >> rules.start & 1:
        return None
    used = _outside(rules, inside, length)
    in_use = tuple(edge for edge in edges if used[edge.start][edge.end] >> rules.index[edge.terminal] & 1)
    _, leaves = _Best(rules, terminals, used).score(rules.start, 0, length)
    return Outcome(in_use, tuple(Edge(*leaf) for leaf in leaves))


def _inside(rules: Rules, edges: Sequence[Edge], length: int) -> Cells:
    cells: Cells = [[0] * (length + 1) for _ in range(length + 1)]
    for edge in edges:
        cells[edge.start][edge.end] |= rules.upward[rules.index[edge.terminal]]
    for width in range(2, length + 1):
        for start in range(length - width + 1):
            end = start + width
            cell = cells[start][end]
            for middle in range(start + 1, end):
                left, right = cells[start][middle] & rules.lefts, cells[middle][end]
                if left and right:
                    cell |= _combine(rules, left, right)
            cells[start][end] = cell
    return cells


def _combine(rules: Rules, left: int, right: int) -> int:
    found = 0
    for symbol in bits(left):
        if right & rules.partners[symbol]:
            for partner, parents in rules.pairs[symbol]:
                if right >> partner & 1:
                    found |= parents
    return found


def _outside(rules: Rules, inside: Cells, length: int) -> Cells:
    used: Cells = [[0] * (length + 1) for _ in range(length + 1)]
    waiting = [(rules.start, 0, length)]
    while waiting:
        symbol, start, end = waiting.pop()
        if used[start][end] >> symbol & 1:
            continue
        used[start][end] |= 1 << symbol
        waiting += [(child, start, end) for child in bits(rules.children[symbol] & inside[start][end])]
        for left, right in rules.splits[symbol]:
            for middle in range(start + 1, end):
                if inside[start][middle] >> left & 1 and inside[middle][end] >> right & 1:
                    waiting += [(left, start, middle), (right, middle, end)]
    return used


class _Best:
    """The best derivation of each symbol over each stretch, worked out once."""

    def __init__(self, rules: Rules, terminals: dict[str, Terminal], used: Cells) -> None:
        self._rules = rules
        self._terminals = terminals
        self._used = used
        self._known: dict[tuple[int, int, int], Score] = {}

    def score(self, symbol: int, start: int, end: int) -> Score:
        key = (symbol, start, end)
        if key not in self._known:
            terminal = self._terminals.get(self._rules.names[symbol])
            if terminal is not None:
                self._known[key] = leaf_score(terminal, start, end)
            else:
                self._known[key] = min(self._derivations(symbol, start, end))
        return self._known[key]

    def _derivations(self, symbol: int, start: int, end: int) -> Iterator[Score]:
        for child in bits(self._rules.children[symbol] & self._used[start][end]):
            yield self.score(child, start, end)
        for left, right in self._rules.splits[symbol]:
            for middle in range(start + 1, end):
                if self._used[start][middle] >> left & 1 and self._used[middle][end] >> right & 1:
                    yield add_scores(self.score(left, start, middle), self.score(right, middle, end))


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
