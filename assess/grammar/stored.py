"""Compiled grammars as plain data, to be kept on disk."""

from __future__ import annotations

from dataclasses import dataclass

from assess.disk_cache import Codec
from assess.grammar.chart import Rules
from assess.grammar.lexicon import Grammar, Lexicon, LexiconData, Terminal
from assess.taxonomy.model import Taxonomy

Compiled = tuple[Grammar, Rules]


@dataclass(frozen=True, slots=True)
class GrammarData:
    """A grammar without its taxonomy, which whoever asks for it has, and its rules for the chart."""

    text: str
    rules: str
    terminals: list[Terminal]
    lexicon: LexiconData
    known: list[str]
    prepositions: list[str]
    excluded: LexiconData
    together: list[tuple[tuple[str, str], tuple[str, ...]]]
    chart: Rules


def grammar_codec(taxonomy: Taxonomy) -> Codec[Compiled, GrammarData]:
    """Return how the grammar of a taxonomy is kept."""
    return Codec(GrammarData, _to_data, lambda data: (_grammar(data, taxonomy), data.chart))


def _to_data(compiled: Compiled) -> GrammarData:
    grammar, chart = compiled
    return GrammarData(
        text=grammar.text,
        rules=grammar.rules,
        terminals=list(grammar.terminals.values()),
        lexicon=grammar.lexicon.to_data(),
        known=sorted(grammar.known),
        prepositions=sorted(grammar.prepositions),
        excluded=grammar.excluded.to_data(),
        together=list(grammar.together.items()),
        chart=chart,
    )


def _grammar(data: GrammarData, taxonomy: Taxonomy) -> Grammar:
    return Grammar(
        taxonomy=taxonomy,
        text=data.text,
        rules=data.rules,
        terminals={terminal.name: terminal for terminal in data.terminals},
        lexicon=Lexicon.from_data(data.lexicon),
        known=frozenset(data.known),
        prepositions=frozenset(data.prepositions),
        excluded=Lexicon.from_data(data.excluded),
        together=dict(data.together),
    )
