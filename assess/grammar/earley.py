"""The reference engine: stock Lark with the `.lark` text, and the results in its packed forest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lark import Lark, Token
from lark.exceptions import LarkError, UnexpectedInput
from lark.lexer import Lexer
from lark.parsers.earley_forest import SymbolNode, TokenNode

from assess.errors import GrammarError
from assess.grammar.chart import Outcome, Score, add_scores, leaf_score
from assess.grammar.lexicon import Edge, Leaf
from assess.grammar.model import UNKNOWN_CLOSE, UNKNOWN_OPEN

Production = tuple[str, list[str]]
"""Left-hand side and right-hand side."""


def make_lark(text: str) -> Lark:
    """Return stock Lark for one of our grammars."""
    try:
        return Lark(
            text,
            parser="earley",
            lexer="dynamic_complete",
            ambiguity="forest",
            keep_all_tokens=True,
            ordered_sets=False,  # results are sorted, so insertion order is not needed
        )
    except LarkError as error:  # a grammar that our own engine accepts and Lark does not
        raise GrammarError(f"stock Lark cannot use this grammar: {str(error).strip()}") from error


def compiled_rules(rules: str, terminals: Iterable[str]) -> list[Production]:
    """Return rules as compiled by Lark. Terminals need not be defined."""
    declared = "%declare " + " ".join(terminals)
    # Without a parser: only the rules are needed.
    lark = Lark(f"{rules}\n{declared}\n", parser=None, lexer=NoLexer, keep_all_tokens=True)
    return [(rule.origin.name, [symbol.name for symbol in rule.expansion]) for rule in lark.rules]


class NoLexer(Lexer):
    """Placeholder if only the rules are needed: the fast engine's terminals come from the lexicon."""

    def __init__(self, lexer_conf: Any) -> None:
        """Ignore the terminals."""

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:
        """Never used."""
        raise NotImplementedError


def parse_forest(
    lark: Lark, leaves: dict[str, Leaf], tokens: Sequence[str], unknown: frozenset[int]
) -> Outcome | None:
    """Return what takes part in a full parse, or None. Tokens at `unknown` are parsed as unknown words."""
    marked = [f"{UNKNOWN_OPEN}{t}{UNKNOWN_CLOSE}" if i in unknown else t for i, t in enumerate(tokens)]
    try:
        root: Any = lark.parse(" ".join(marked))
    except UnexpectedInput:
        return None
    forest = _Forest(leaves, marked)
    _, best = forest.score(root)
    used = sorted(forest.used, key=lambda edge: (edge.start, edge.end, edge.leaf))
    return Outcome(tuple(used), tuple(Edge(*place) for place in best))


class _Forest:
    """Walks over a packed forest, visiting each node once."""

    def __init__(self, leaves: dict[str, Leaf], tokens: Sequence[str]) -> None:
        self._leaves = leaves
        self._starts: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        position = 0
        for number, token in enumerate(tokens):
            self._starts[position] = number
            position += len(token)
            self._ends[position] = number + 1
            position += 1
        self._known: dict[int, Score] = {}
        self.used: set[Edge] = set()

    def score(self, node: Any) -> Score:
        key = id(node)
        if key not in self._known:
            if isinstance(node, TokenNode):
                self._known[key] = self._leaf(node.token, node.token.type)
            elif isinstance(node, SymbolNode):
                self._known[key] = min(self.score(packed) for packed in node.children)
            else:
                self._known[key] = self._packed(node)
        return self._known[key]

    def _packed(self, node: Any) -> Score:
        rule = node.rule.origin.name
        if rule in self._leaves:
            return self._leaf(node.right.token, rule)
        total: Score = (0, ())
        for child in (node.left, node.right):
            if child is not None:
                total = add_scores(total, self.score(child))
        return total

    def _leaf(self, token: Token, name: str) -> Score:
        assert token.start_pos is not None
        start = self._starts[token.start_pos]
        end = self._ends[token.start_pos + len(token)]
        self.used.add(Edge(start, end, name))
        return leaf_score(self._leaves[name], start, end)
