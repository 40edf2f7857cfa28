"""Compiled grammars as plain data, to be kept on disk."""

from __future__ import annotations

from dataclasses import dataclass

from assess.disk_cache import Codec
from assess.grammar.chart import Rules
from assess.grammar.lexicon import Leaf, Lexicon, LexiconData
from assess.grammar.model import Facts, Grammar


@dataclass(frozen=True, slots=True)
class GrammarData:
    """A grammar without its text, which whoever asks for it has."""

    facts: Facts
    leaves: list[Leaf]
    rules: Rules
    lexicon: LexiconData
    known: list[str]
    prepositions: list[str]
    excluded: LexiconData
    signs: list[tuple[str, ...]]
    owner: str


def grammar_codec(text: str) -> Codec[Grammar, GrammarData]:
    """Return how the grammar of a text is kept."""
    return Codec(GrammarData, _to_data, lambda data: _grammar(data, text))


def _to_data(grammar: Grammar) -> GrammarData:
    return GrammarData(
        facts=grammar.facts,
        leaves=list(grammar.leaves.values()),
        rules=grammar.rules,
        lexicon=grammar.lexicon.to_data(),
        known=sorted(grammar.known),
        prepositions=sorted(grammar.prepositions),
        excluded=grammar.excluded.to_data(),
        signs=list(grammar.signs),
        owner=grammar.owner,
    )


def _grammar(data: GrammarData, text: str) -> Grammar:
    return Grammar(
        text=text,
        facts=data.facts,
        leaves={leaf.name: leaf for leaf in data.leaves},
        rules=data.rules,
        lexicon=Lexicon.from_data(data.lexicon),
        known=frozenset(data.known),
        prepositions=frozenset(data.prepositions),
        excluded=Lexicon.from_data(data.excluded),
        signs=tuple(data.signs),
        owner=data.owner,
    )
