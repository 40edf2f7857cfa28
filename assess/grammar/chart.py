"""The fast engine: a chart over Lark's own compiled rules, with sets of symbols as bits of integers.

The inside pass finds the symbols that derive each range of tokens, the outside pass those among them that
take part in a full parse. Both are polynomial, however ambiguous the chunk, because trees are never
enumerated. Leaves that the rules do not distinguish have the same mask, and a chart is computed once for each
arrangement of masks: "a tall man" and "the happy boy" share theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from assess.grammar.lexicon import Edge, Leaf
from assess.grammar.memory import Memory

Pair = tuple[str, str]
Cells = list[list[int]]
Combined = Memory[tuple[int, int], int]
Arrangement = tuple[frozenset[tuple[int, int, int]], int]  # (start, end, mask) of the edges; number of tokens
Place = tuple[int, int, str]
Score = tuple[int, tuple[Place, ...]]
"""A cost (smaller is better), and the leaves of the reading from left to right."""

_REMEMBERED = 1 << 16
_UNIT = 1 << 20  # each criterion outweighs any sum of later ones: chunks are short
_UNKNOWN, _UNSAID, _MODIFIER, _PHRASE, _LENGTH, _RANK = (_UNIT**power for power in range(5, -1, -1))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an engine: the leaves of all full parses, and those of the best reading."""

    used: tuple[Edge, ...]
    best: tuple[Edge, ...]


def leaf_score(leaf: Leaf, start: int, end: int) -> Score:
    """Return the score of a leaf over its tokens, by which both engines choose the best reading.

    A reading is better if it has, in this order: fewer unknown words; fewer words without a sense in their
    context, and fewer possessors; fewer modifiers; fewer (and therefore longer) phrases, with more words in
    the longest of them; words that are listed rather than matched by a pattern; categories that come earlier
    in the file. Remaining ties are broken by position, so the choice is deterministic.
    """
    cost = 0
    if leaf.kind == "unknown":
        cost += _UNKNOWN * (end - start) + _MODIFIER
    elif leaf.kind in {"unsaid", "possessive"}:
        # Possessors are a last resort: "two women's teams" has a number and a gender.
        cost += _UNSAID * (end - start) + _MODIFIER
    elif leaf.kind == "modifier":
        cost += _MODIFIER
    if leaf.kind != "function":
        # Σ length² favours long phrases; it is subtracted from a large constant, because scores are
        # minimised.
        cost += _PHRASE + _LENGTH * (64 - (end - start) ** 2) + _RANK * leaf.rank
    return cost, ((start, end, leaf.name),)


def add_scores(left: Score, right: Score) -> Score:
    """Return the combined score of two adjacent parts."""
    return left[0] + right[0], left[1] + right[1]


@dataclass(slots=True)
class Rules:
    """Lark's compiled rules as tables for the chart, with exactly two symbols on every right-hand side.

    Rules with a single symbol on the right are folded into the tables, so that the chart never follows them.
    Only the start and symbols in a rule with two symbols have a number. Leaves that the folded rules make
    equivalent ("tall" and "happy" are modifiers of the same kind) have equal masks. Sets of symbols are bits
    of an integer.
    """

    start: int
    masks: dict[str, int]  # leaf -> all symbols that it can be
    splits: list[list[tuple[int, int]]]  # symbol -> the pairs that it can consist of
    pairs: list[list[tuple[int, int]]]  # left symbol -> right symbols, and all symbols that each pair can be
    lefts: int = 0  # the symbols that can be on the left of a pair


def chart_rules(rules: Iterable[tuple[str, Sequence[str]]], *, start: str, leaves: Iterable[str]) -> Rules:
    """Return the tables for rules, given as pairs of origin and expansion."""
    parents: dict[str, list[str]] = {}  # from rules with one symbol
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

    masks = {leaf: mask(leaf) for leaf in leaves}
    tables = Rules(index[start], masks, [[] for _ in names], [[] for _ in names])
    _lay_out(tables, index, {pair: 0 for _, pair in binary}, [(mask(name), pair) for name, pair in binary])
    return tables


def _lay_out(
    tables: Rules, index: dict[str, int], results: dict[Pair, int], binary: list[tuple[int, Pair]]
) -> None:
    for mask, pair in binary:
        results[pair] |= mask
    numbered = ((index[left], index[right], mask) for (left, right), mask in results.items())
    for left, right, mask in sorted(numbered):
        tables.lefts |= 1 << left
        tables.pairs[left].append((right, mask))
        for symbol in range(len(index)):
            if mask >> symbol & 1:
                tables.splits[symbol].append((left, right))


def _binarised(origin: str, expansion: Sequence[str]) -> Iterable[tuple[str, Pair]]:
    """Yield a longer rule as rules of two symbols; remainders are named after their symbols and shared."""
    while len(expansion) > 2:
        rest = "(" + " ".join(expansion[1:]) + ")"
        yield origin, (expansion[0], rest)
        origin, expansion = rest, expansion[1:]
    yield origin, (expansion[0], expansion[1])


def _closure(symbol: str, parents: dict[str, list[str]]) -> set[str]:
    """Return a symbol and everything that it can be by rules with one symbol on the right."""
    reached: set[str] = set()
    waiting = [symbol]
    while waiting:
        current = waiting.pop()
        if current not in reached:
            reached.add(current)
            waiting += parents.get(current, [])
    return reached


class Chart:
    """Parses chunks with one grammar."""

    def __init__(self, rules: Rules, leaves: dict[str, Leaf]) -> None:
        self._rules = rules
        self._leaves = leaves
        self._parents: Combined = combined_by(rules)
        self._charts: dict[Arrangement, Cells | None] = {}
        self._scores: dict[Edge, Score] = {}

    def parse(self, edges: Sequence[Edge], length: int) -> Outcome | None:
        """Return what takes part in a full parse of `length` tokens, or None if there is no parse."""
        masks = self._rules.masks
        arrangement = (frozenset([(start, end, masks[name]) for start, end, name in edges]), length)
        if arrangement not in self._charts:
            self._charts[arrangement] = _used(self._rules, self._parents, *arrangement)
        used = self._charts[arrangement]
        if used is None:
            return None
        in_use = tuple([edge for edge in edges if used[edge[0]][edge[1]] & masks[edge[2]]])
        return Outcome(in_use, self._best(in_use, used, length))

    def _best(self, edges: tuple[Edge, ...], used: Cells, length: int) -> tuple[Edge, ...]:
        """Return the leaves of the best reading, from left to right."""
        if sum([end - start for start, end, _ in edges]) == length:
            return tuple(sorted(edges))  # no two overlap, so there is a single reading
        leaves: dict[tuple[int, int], dict[int, Score]] = {}  # the best leaf for each range and mask
        for edge in edges:
            start, end, name = edge
            score = self._scores.get(edge)
            if score is None:
                score = self._scores[edge] = leaf_score(self._leaves[name], start, end)
            place, mask = leaves.setdefault((start, end), {}), self._rules.masks[name]
            if mask not in place or score < place[mask]:
                place[mask] = score
        if sum((end - start) * len(place) for (start, end), place in leaves.items()) == length:
            # Ranges do not overlap and have one symbol each, so there is a single reading, except for equal
            # masks.
            return tuple([Edge(*leaf) for place in sorted(leaves) for _, (leaf,) in leaves[place].values()])
        _, found = _Best(self._rules, leaves, used).score(self._rules.start, 0, length)
        return tuple([Edge(*leaf) for leaf in found])


def _used(
    rules: Rules, parents: Combined, stretches: frozenset[tuple[int, int, int]], length: int
) -> Cells | None:
    """Return the symbols that take part in a full parse over each range of tokens, or None."""
    cells = inside(rules, parents, stretches, length)
    return _outside(rules, cells, length) if cells[0][length] >> rules.start & 1 else None


def combined_by(rules: Rules) -> Combined:
    """Return the symbols that two adjacent sets of symbols can be, each pair of sets combined once."""
    return Memory(partial(_combine, rules), most=_REMEMBERED)


def inside(rules: Rules, parents: Combined, stretches: frozenset[tuple[int, int, int]], length: int) -> Cells:
    """Return the symbols that derive each range of tokens, as bits."""
    cells: Cells = [[0] * (length + 1) for _ in range(length + 1)]
    for start, end, mask in stretches:
        cells[start][end] |= mask
    for width in range(2, length + 1):
        for start in range(length - width + 1):
            end = start + width
            cell = cells[start][end]
            for middle in range(start + 1, end):
                left, right = cells[start][middle] & rules.lefts, cells[middle][end]
                if left and right:
                    cell |= parents[left, right]
            cells[start][end] = cell
    return cells


def _combine(rules: Rules, pair: tuple[int, int]) -> int:
    (left, right), found = pair, 0
    for symbol in _bits(left):
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
        for middle in range(start + 1, end):
            lefts, rights = inside[start][middle], inside[middle][end]
            if lefts and rights:
                for left, right in rules.splits[symbol]:
                    if lefts >> left & 1 and rights >> right & 1:
                        waiting += [(left, start, middle), (right, middle, end)]
    return used


class _Best:
    """The best derivation of each symbol over each range, computed once."""

    def __init__(self, rules: Rules, leaves: dict[tuple[int, int], dict[int, Score]], used: Cells) -> None:
        self._rules = rules
        self._leaves = leaves
        self._used = used
        self._known: dict[tuple[int, int, int], Score] = {}

    def score(self, symbol: int, start: int, end: int) -> Score:
        key = (symbol, start, end)
        if key not in self._known:
            self._known[key] = min(self._derivations(symbol, start, end))
        return self._known[key]

    def _derivations(self, symbol: int, start: int, end: int) -> Iterator[Score]:
        for mask, score in self._leaves.get((start, end), {}).items():
            if mask >> symbol & 1:
                yield score
        for middle in range(start + 1, end):
            lefts, rights = self._used[start][middle], self._used[middle][end]
            if lefts and rights:
                for left, right in self._rules.splits[symbol]:
                    if lefts >> left & 1 and rights >> right & 1:
                        yield add_scores(self.score(left, start, middle), self.score(right, middle, end))


def _bits(mask: int) -> Iterator[int]:
    """Yield the positions of the bits that are set."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
