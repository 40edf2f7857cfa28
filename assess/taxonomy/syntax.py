"""Phrase structure of a taxonomy's own: the optional `syntax:` part.

Most taxonomies do without; the built-in structure of English noun phrases serves them. A grammar that
was imported keeps its own rules here. A symbol is `head.NAME`, `modifier.NAME`, the name of a kind of
function words, or the name of another rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assess.errors import Problem
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.strict_yaml import Document


def category_symbols(taxonomy: Taxonomy) -> set[str]:
    """Return the symbols that stand for categories."""
    return {f"{role}.{name}" for role, name, _ in taxonomy.categories()}


def reachable_symbols(taxonomy: Taxonomy) -> set[str]:
    """Return all symbols that the start rule leads to."""
    rules = taxonomy.syntax or {}
    waiting = list(rules)[:1]
    reached: set[str] = set()
    while waiting:
        symbol = waiting.pop()
        if symbol not in reached:
            reached.add(symbol)
            waiting += [part for alternative in rules.get(symbol, ()) for part in alternative.split()]
    return reached


def endless_rules(taxonomy: Taxonomy) -> list[str]:
    """Return the rules that stand for no phrase, because they never come to an end."""
    rules = taxonomy.syntax or {}
    ending: set[str] = set()
    found = True
    while found:
        found = False
        for rule, alternatives in rules.items():
            if rule not in ending and any(_ends(text, rules, ending) for text in alternatives):
                ending.add(rule)
                found = True
    return [rule for rule in rules if rule not in ending]


def _ends(alternative: str, rules: Mapping[str, object], ending: set[str]) -> bool:
    return all(symbol not in rules or symbol in ending for symbol in alternative.split())


def unit_cycles(rules: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """Return the rules that lead back to themselves without a second symbol: such parses never end."""
    alone = {rule: {body[0] for body in bodies if len(body) == 1} for rule, bodies in rules.items()}
    return [rule for rule in rules if rule in _closure(alone, rule)]


def _closure(alone: Mapping[str, set[str]], rule: str) -> set[str]:
    reached: set[str] = set()
    waiting = [rule]
    while waiting:
        found = alone.get(waiting.pop(), set()) - reached
        reached |= found
        waiting += found
    return reached


def check_syntax(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the mistakes of a `syntax:` part."""
    if taxonomy.syntax is None:
        return
    if not taxonomy.syntax:
        yield document.problem("`syntax` has no rules", ("syntax",), hint="leave it out for the built-in one")
        return
    for rule in taxonomy.syntax:
        yield from _check_rule(taxonomy, rule, document)
    if not any(symbol.startswith("head.") for symbol in reachable_symbols(taxonomy)):
        yield document.problem("no head category can be reached from the first rule", ("syntax",))
    for rule in unit_cycles({rule: [a.split() for a in body] for rule, body in taxonomy.syntax.items()}):
        message = f"the rule `{rule}` can stand for itself alone"
        yield document.problem(message, ("syntax", rule), key=True, hint="break the circle of rules")
    yield from _check_unconstrained(taxonomy, document)


def _check_rule(taxonomy: Taxonomy, rule: str, document: Document) -> Iterator[Problem]:
    assert taxonomy.syntax is not None
    alternatives = taxonomy.syntax[rule]
    if rule in taxonomy.function_words:
        message = f"`{rule}` is both a rule and a kind of function words"
        yield document.problem(message, ("syntax", rule), key=True, hint="rename the rule")
    if not alternatives or not all(map(str.split, alternatives)):
        message = f"the rule `{rule}` is empty, or has an empty alternative"
        yield document.problem(message, ("syntax", rule), key=True, hint="a rule stands for something")
    known = {*taxonomy.syntax, *taxonomy.function_words, *category_symbols(taxonomy)}
    for index, alternative in enumerate(alternatives):
        for symbol in alternative.split():
            if symbol not in known:
                hint = "symbols are rules, kinds of function words, head.NAME and modifier.NAME"
                message = f"the rule `{rule}` uses `{symbol}`, which is not defined"
                yield document.problem(message, ("syntax", rule, index), hint=hint)


def _check_unconstrained(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for name, category in taxonomy.modifiers.items():
        if category.not_with or category.only_with or any(w.not_with or w.only_with for w in category.words):
            yield document.problem(
                f"`{name}` has constraints, which work with the built-in phrase structure only",
                ("modifiers", name),
                key=True,
                hint="remove `syntax:` or the constraints",
            )
