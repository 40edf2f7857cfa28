"""Compiled grammars on disk: a domain that has not changed is not compiled again."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

from assess.grammar.compile import compile_taxonomy
from assess.grammar.earley import compiled_rules
from assess.grammar.rules import Rules
from assess.grammar.symbols import Grammar
from assess.resources import code_digest
from assess.shelf import Shelf
from assess.taxonomy.model import Taxonomy

Compiled = tuple[Grammar, Rules]

GRAMMARS = Shelf("grammars", rooms=("grammar", "taxonomy"), most=32)
_CODE = ("records.py", "taxonomy/*.py", "grammar/*.py")


def compiled(taxonomy: Taxonomy) -> Compiled:
    """Return a taxonomy's grammar and its rules for the chart: those kept on disk, or new ones."""
    # What is unset stays out: a plural that is stated to be null differs from one that is not stated.
    parts = (taxonomy.model_dump_json(exclude_unset=True), code_digest(*_CODE), version("lark"))
    found: Compiled | None = GRAMMARS.take(parts)
    if found is not None:
        grammar, rules = found
        return replace(grammar, taxonomy=taxonomy), rules
    made = with_rules(compile_taxonomy(taxonomy))
    GRAMMARS.put(parts, made)
    return made


def with_rules(grammar: Grammar) -> Compiled:
    """Return a grammar and its rules for the chart, as Lark compiles them."""
    rules = compiled_rules(grammar.rules, grammar.terminals)
    return grammar, Rules(rules, start="start", terminals=grammar.terminals)
