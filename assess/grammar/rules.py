"""Lark's compiled rules as tables over numbered symbols, at most two symbols on the right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class Rules:
    """A grammar's rules, binarised, with what the chart looks up most laid out in advance."""

    def __init__(
        self, rules: Iterable[tuple[str, Sequence[str]]], *, start: str, terminals: Iterable[str]
    ) -> None:
        self.names: list[str] = []
        self.index: dict[str, int] = {}
        for name in (start, *terminals):
            self._number(name)
        self.start = self.index[start]
        unary: set[tuple[int, int]] = set()
        binary: set[tuple[int, int, int]] = set()
        for origin, expansion in rules:
            self._binarise(origin, list(expansion), unary, binary)
        self._lay_out(unary, binary)

    def _number(self, name: str) -> int:
        if name not in self.index:
            self.index[name] = len(self.names)
            self.names.append(name)
        return self.index[name]

    def _binarise(
        self,
        origin: str,
        expansion: list[str],
        unary: set[tuple[int, int]],
        binary: set[tuple[int, int, int]],
    ) -> None:
        assert expansion, "our grammars have no empty rules"
        if len(expansion) == 1:
            unary.add((self._number(origin), self._number(expansion[0])))
            return
        parent = self._number(origin)
        while len(expansion) > 2:
            # The rest of a longer rule is named after its symbols, so equal rests are shared.
            rest = "(" + " ".join(expansion[1:]) + ")"
            binary.add((parent, self._number(expansion[0]), self._number(rest)))
            parent, expansion = self._number(rest), expansion[1:]
        binary.add((parent, self._number(expansion[0]), self._number(expansion[1])))

    def _lay_out(self, unary: set[tuple[int, int]], binary: set[tuple[int, int, int]]) -> None:
        count = len(self.names)
        self.children = [0] * count  # symbols that a symbol may consist of, alone
        parents_of: list[list[int]] = [[] for _ in range(count)]
        for parent, child in sorted(unary):
            self.children[parent] |= 1 << child
            parents_of[child].append(parent)
        self.upward = [_closure(symbol, parents_of) for symbol in range(count)]
        self.splits: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self.partners = [0] * count
        self.lefts = 0
        parents: dict[tuple[int, int], int] = {}
        for parent, left, right in sorted(binary):
            self.splits[parent].append((left, right))
            self.partners[left] |= 1 << right
            self.lefts |= 1 << left
            parents[left, right] = parents.get((left, right), 0) | self.upward[parent]
        self.pairs: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for (left, right), mask in parents.items():
            self.pairs[left].append((right, mask))


def _closure(symbol: int, parents_of: list[list[int]]) -> int:
    """Return a symbol and all that it can be by rules with one symbol on the right."""
    reached = 0
    waiting = [symbol]
    while waiting:
        current = waiting.pop()
        if not reached >> current & 1:
            reached |= 1 << current
            waiting += parents_of[current]
    return reached
