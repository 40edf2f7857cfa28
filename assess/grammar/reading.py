"""Choosing the best reading, the same way in both engines.

A reading is better when it has, in this order:

1. fewer unknown words,
2. fewer words without a sense in their context, and fewer possessors,
3. fewer modifiers,
4. fewer phrases, which are therefore longer, and more of its words in the longest of them,
5. categories that come earlier in the taxonomy.

What is still equal is decided by position, so the choice never varies.
"""

from __future__ import annotations

from dataclasses import dataclass

from assess.grammar.lexicon import Edge
from assess.grammar.symbols import Terminal

Leaf = tuple[int, int, str]
Score = tuple[int, tuple[Leaf, ...]]
"""A cost, smaller is better, and the terminals of the reading from left to right."""

_UNIT = 1 << 20  # each criterion outweighs any sum of the later ones: chunks are short
_UNKNOWN, _BLOCKED, _MODIFIER, _PHRASE, _LENGTH, _RANK = (_UNIT**power for power in range(5, -1, -1))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an engine found: terminals in some full parse, and those of the best reading."""

    used: tuple[Edge, ...]
    best: tuple[Edge, ...]


def leaf_score(terminal: Terminal, start: int, end: int) -> Score:
    """Return the score of one terminal over its tokens."""
    cost = 0
    if terminal.kind == "unknown":
        cost += _UNKNOWN * (end - start) + _MODIFIER
    elif terminal.kind in {"blocked", "possessive"}:
        # A possessor is the last resort: "two women's teams" has a number and a gender.
        cost += _BLOCKED * (end - start) + _MODIFIER
    elif terminal.kind == "modifier":
        cost += _MODIFIER
    if terminal.kind != "function":
        # Σ length² grows with longer phrases; it is taken from a large constant to be minimised.
        cost += _PHRASE + _LENGTH * (64 - (end - start) ** 2) + _RANK * terminal.rank
    return cost, ((start, end, terminal.name),)


def add_scores(left: Score, right: Score) -> Score:
    """Return the score of two neighbours."""
    return left[0] + right[0], left[1] + right[1]
