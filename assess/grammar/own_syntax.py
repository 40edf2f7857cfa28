"""Compiling a taxonomy that brings its own phrase structure (`syntax:`)."""

from __future__ import annotations

from assess.grammar.builder import GrammarBuilder
from assess.grammar.lark_text import rule
from assess.grammar.noun_phrase import companions
from assess.grammar.symbols import rule_name
from assess.records import Role
from assess.taxonomy.phrases import OpenPattern, Phrase, open_patterns_of
from assess.taxonomy.syntax import reachable_symbols


def add_own_syntax(builder: GrammarBuilder) -> None:
    """Add the rules of `syntax:`, and the words of whatever they reach."""
    taxonomy = builder.taxonomy
    assert taxonomy.syntax is not None
    reached = reachable_symbols(taxonomy)
    parts = _add_categories(builder, reached)
    for name, words in taxonomy.function_words.items():
        builder.add_function_words(_terminal(name), words, in_rules=name in reached)
    start = next(iter(taxonomy.syntax))
    builder.add_rules(rule("start", [_rule(start)]))
    for name, alternatives in taxonomy.syntax.items():
        if name in reached:
            builder.add_rules(rule(_rule(name), [_symbols(builder, parts, text) for text in alternatives]))


def _add_categories(builder: GrammarBuilder, reached: set[str]) -> dict[str, str]:
    """Add the reachable categories. Return their rules by symbol."""
    members: dict[tuple[Role, str], list[Phrase | OpenPattern]] = {}
    items: list[Phrase | OpenPattern] = [*companions(builder.taxonomy, builder)]
    items += open_patterns_of(builder.taxonomy)
    for item in items:
        members.setdefault((item.role, item.category), []).append(item)
    parts: dict[str, str] = {}
    for key in builder.in_file_order(members):
        role, category = key
        symbol = f"{role}.{category}"
        if symbol in reached:
            names = builder.add_category(role, category, "", members[key])
            parts[symbol] = names[0]
            if len(names) > 1:
                parts[symbol] = f"any_{names[0]}"
                builder.add_rules(rule(parts[symbol], names))
    return parts


def _symbols(builder: GrammarBuilder, parts: dict[str, str], alternative: str) -> str:
    return " ".join(_symbol(builder, parts, symbol) for symbol in alternative.split())


def _symbol(builder: GrammarBuilder, parts: dict[str, str], symbol: str) -> str:
    if symbol in parts:
        return parts[symbol]
    return _terminal(symbol) if symbol in builder.taxonomy.function_words else _rule(symbol)


def _rule(name: str) -> str:
    return f"syntax_{rule_name(name)}"


def _terminal(name: str) -> str:
    return f"WORD_{rule_name(name).upper()}"
