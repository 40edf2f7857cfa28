"""Taxonomy in, grammar out: a pure function, the same text for the same taxonomy, byte for byte."""

from __future__ import annotations

from assess.grammar.builder import GrammarBuilder
from assess.grammar.noun_phrase import EnglishNounPhrase
from assess.grammar.own_syntax import add_own_syntax
from assess.grammar.symbols import Grammar
from assess.taxonomy.model import Taxonomy


def compile_taxonomy(taxonomy: Taxonomy) -> Grammar:
    """Compile a taxonomy into a grammar."""
    builder = GrammarBuilder(taxonomy)
    if taxonomy.syntax is not None:
        add_own_syntax(builder)
    else:
        EnglishNounPhrase(builder).add()
    return builder.finish()
