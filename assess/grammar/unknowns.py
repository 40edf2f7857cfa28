"""Which tokens of a chunk count as unknown words: none if possible, more where nothing else works.

An unknown word before a known head is read as a modifier without a category: the known rest still counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.grammar.lexicon import Edge
from assess.grammar.symbols import Grammar
from assess.taxonomy.tokens import POSSESSIVE


def strangers(grammar: Grammar, words: Sequence[str], edges: Sequence[Edge]) -> frozenset[int]:
    """Return the positions of tokens that no phrase of the lexicon covers."""
    if grammar.known.issuperset(words):
        return frozenset()
    return frozenset(_unlisted(grammar, words) - _positions(edges))


def unknown_levels(grammar: Grammar, words: Sequence[str], edges: Sequence[Edge]) -> Iterator[frozenset[int]]:
    """Yield sets of tokens to take as unknown where the words as they are have no parse, strictest first.

    Tokens under no phrase; also tokens that are words only inside a longer phrase; also nouns
    that are known as heads alone ("a lumberjack competitor"). What the final head needs is never unknown.
    """
    tried: set[frozenset[int]] = {frozenset()}
    for level in _levels(grammar, words, edges):
        if level not in tried:
            tried.add(level)
            yield level


def _levels(grammar: Grammar, words: Sequence[str], edges: Sequence[Edge]) -> Iterator[frozenset[int]]:
    lone = strangers(grammar, words, edges)
    yield lone
    final = _positions(e for e in edges if e.end == len(words) and _kind(grammar, e) == "head")
    single = [edge for edge in edges if edge.end == edge.start + 1]
    inside_phrases = _unlisted(grammar, words) - _positions(single) - final
    yield lone | inside_phrases
    other_roles = _positions(edge for edge in single if _kind(grammar, edge) != "head")
    nouns = _positions(edge for edge in single if _kind(grammar, edge) == "head") - other_roles - final
    yield lone | nouns
    yield lone | inside_phrases | nouns


def _unlisted(grammar: Grammar, words: Sequence[str]) -> set[int]:
    """Return the positions of tokens that are no entry by themselves."""
    return {i for i, word in enumerate(words) if word not in grammar.known and word != POSSESSIVE}


def _positions(edges: Iterator[Edge] | Sequence[Edge]) -> set[int]:
    return {position for edge in edges for position in range(edge.start, edge.end)}


def _kind(grammar: Grammar, edge: Edge) -> str:
    return grammar.terminals[edge.terminal].kind
