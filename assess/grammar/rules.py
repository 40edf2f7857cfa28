"""Lark's compiled rules as tables for the chart: two symbols on every right side, and no others.

Rules with one symbol on the right are folded away: what they connect is put into the tables, so that the
chart never follows them. Only symbols that take part in a rule of two, and the start, get a number. Terminals
that the folded rules make alike ("tall" and "happy" are modifiers of the same kind) have equal masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Pair = tuple[str, str]


class Rules:
    """A grammar's rules, laid out for the chart. Sets of symbols are bits of an integer."""

    def __init__(
        self, rules: Iterable[tuple[str, Sequence[str]]], *, start: str, terminals: Iterable[str]
    ) -> None:
        parents: dict[str, list[str]] = {}  # by rules of one symbol
        binary: set[tuple[str, Pair]] = set()
        for origin, expansion in rules:
            assert expansion, "our grammars have no empty rules"
            if len(expansion) == 1:
                parents.setdefault(expansion[0], []).append(origin)
            else:
                binary |= set(_binarised(origin, expansion))
        names = sorted({start, *(symbol for _, pair in binary for symbol in pair)})
        index = {name: number for number, name in enumerate(names)}

        def mask(name: str) -> int:
            return sum(1 << index[other] for other in _closure(name, parents) if other in index)

        self.start = index[start]
        self.masks = {terminal: mask(terminal) for terminal in terminals}
        """All that a terminal can be."""
        self.splits: list[list[tuple[int, int]]] = [[] for _ in names]
        """The pairs that a symbol can consist of."""
        self.pairs: list[list[tuple[int, int]]] = [[] for _ in names]
        """By its left symbol: the right symbols of pairs, and all that each pair can be."""
        self.lefts = 0
        """The symbols that begin a pair."""
        self._lay_out(index, {pair: 0 for _, pair in binary}, [(mask(name), pair) for name, pair in binary])

    def _lay_out(
        self, index: dict[str, int], results: dict[Pair, int], binary: list[tuple[int, Pair]]
    ) -> None:
        for mask, pair in binary:
            results[pair] |= mask
        numbered = ((index[left], index[right], mask) for (left, right), mask in results.items())
        for left, right, mask in sorted(numbered):
            self.lefts |= 1 << left
            self.pairs[left].append((right, mask))
            for symbol in range(len(index)):
                if mask >> symbol & 1:
                    self.splits[symbol].append((left, right))


def _binarised(origin: str, expansion: Sequence[str]) -> Iterable[tuple[str, Pair]]:
    """Yield a longer rule as rules of two; the rest is named after its symbols, so equal rests are shared."""
    while len(expansion) > 2:
        rest = "(" + " ".join(expansion[1:]) + ")"
        yield origin, (expansion[0], rest)
        origin, expansion = rest, expansion[1:]
    yield origin, (expansion[0], expansion[1])


def _closure(symbol: str, parents: dict[str, list[str]]) -> set[str]:
    """Return a symbol and all that it can be by rules with one symbol on the right."""
    reached: set[str] = set()
    waiting = [symbol]
    while waiting:
        current = waiting.pop()
        if current not in reached:
            reached.add(current)
            waiting += parents.get(current, [])
    return reached
