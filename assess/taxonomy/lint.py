"""Lint: what is not wrong, but probably not meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assess.errors import Problem
from assess.taxonomy.english import FUNCTION_WORDS
from assess.taxonomy.lint_senses import clashing_senses
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.names import NamedConstraint, carrier_names
from assess.taxonomy.nodes import Document, Trail
from assess.taxonomy.phrases import (
    FREE,
    Constraint,
    OpenPattern,
    Phrase,
    normal_form,
    open_patterns_of,
    phrases_of,
    spaced,
)
from assess.taxonomy.syntax import category_symbols, endless_rules, reachable_symbols


def lint(taxonomy: Taxonomy, document: Document) -> list[Problem]:
    """Return warnings about a taxonomy that has no mistakes."""
    finders = (
        _ambiguous,
        _shadowed,
        _unreachable,
        _useless_exclusions,
        _idle_constraints,
        _never_admitted,
        _unexampled,
    )
    return [problem for find in finders for problem in find(taxonomy, document)]


def _ambiguous(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find phrases in two modifier categories that no constraint tells apart."""
    for clash in clashing_senses(taxonomy):
        categories = dict.fromkeys(sense.category for sense in clash.senses)
        where = "" if clash.everywhere else f" before `{clash.head}`"
        yield document.problem(
            f"`{clash.text}` is in {', '.join(categories)}, and no constraint tells them apart{where}",
            _trail_of(taxonomy, clash.senses[1]),
            hint=f"the best reading takes `{next(iter(categories))}`; add not_with, only_with or `also`",
        )


def _trail_of(taxonomy: Taxonomy, phrase: Phrase | OpenPattern) -> Trail:
    category = (
        taxonomy.modifiers[phrase.category] if phrase.role == "modifier" else taxonomy.heads[phrase.category]
    )
    part = "modifiers" if phrase.role == "modifier" else "heads"
    for index, entry in enumerate(category.words):
        if normal_form(taxonomy, entry.word) == phrase.text:
            return (part, phrase.category, "words", index)
    return (part, phrase.category, "patterns")


def _shadowed(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find modifiers that are also determiners: the best reading never chooses them."""
    if taxonomy.syntax is not None:
        return
    words = {**FUNCTION_WORDS, **taxonomy.function_words}
    opening = {spaced(word) for kind in ("determiner", "predeterminer") for word in words[kind]}
    for phrase in phrases_of(taxonomy):
        if phrase.role == "modifier" and phrase.text in opening:
            yield document.problem(
                f"`{phrase.text}` is a determiner too, and as such it is not counted",
                _trail_of(taxonomy, phrase),
                hint="give `function_words:` lists without it, or remove it here",
            )


def _unreachable(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find rules and categories that the taxonomy's own syntax never leads to."""
    if taxonomy.syntax is None:
        return
    reached = reachable_symbols(taxonomy)
    for symbol in sorted(category_symbols(taxonomy) - reached):
        role, _, name = symbol.partition(".")
        yield document.problem(f"no rule leads to the {role} category `{name}`", (f"{role}s", name), key=True)
    for rule in taxonomy.syntax:
        if rule not in reached:
            yield document.problem(f"no rule leads to `{rule}`", ("syntax", rule), key=True)
    for rule in endless_rules(taxonomy):
        message = f"the rule `{rule}` stands for no phrase: each alternative needs a rule that never ends"
        yield document.problem(message, ("syntax", rule), key=True, hint="give it an alternative that ends")


def _useless_exclusions(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    heads = {phrase.text for phrase in phrases_of(taxonomy) if phrase.role == "head"}
    patterns = [pattern.regex for pattern in open_patterns_of(taxonomy) if pattern.role == "head"]
    for index, excluded in enumerate(taxonomy.excluded):
        if spaced(excluded) in heads:
            yield document.problem(
                f"`{excluded}` is a head, and excluded: nothing that ends in it is in the domain",
                ("excluded", index),
                hint="keep it in one of the two places",
            )
        words = spaced(excluded).split(" ")
        endings = [" ".join(words[start:]) for start in range(len(words))]
        if not any(end in heads or any(re.fullmatch(p, end) for p in patterns) for end in endings):
            yield document.problem(
                f"`{excluded}` does not end in a head, so nothing is excluded",
                ("excluded", index),
                hint="an excluded phrase ends in a head word, as in `snow man`",
            )


def _idle_constraints(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find of-phrases with constraints: the grammar constrains what precedes them, not what follows."""
    for phrase in phrases_of(taxonomy):
        if phrase.of and phrase.constraint != FREE:
            yield document.problem(
                f"the constraints of `{phrase.text}` have no effect: a noun phrase of any kind follows it",
                _trail_of(taxonomy, phrase),
                hint="move it to a category without constraints",
            )


def _never_admitted(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find modifiers whose constraints leave no head: they are read, but never counted."""
    items: list[Phrase | OpenPattern] = [*phrases_of(taxonomy), *open_patterns_of(taxonomy)]
    heads = list(carrier_names(taxonomy, items).values())
    alike: dict[tuple[str, Constraint], list[Phrase | OpenPattern]] = {}
    for item in items:
        if item.role == "modifier" and not item.of:
            alike.setdefault((item.category, item.constraint), []).append(item)
    for (category, written), members in alike.items():
        constraint = NamedConstraint(written)
        if all(constraint.forbids(names) for names in heads):
            # One warning for all: where the category's own constraint is the mistake, every word has it.
            words = "`, `".join(member.text for member in members)
            yield document.problem(
                f"no head goes with `{words}`, so it never counts as `{category}`",
                _trail_of(taxonomy, members[0]),
                hint="loosen its constraints, or those of its category",
            )


def _unexampled(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find categories that no example speaks of."""
    if not taxonomy.examples:
        hint = "add `examples:`; `assess domain test` runs them"
        yield document.problem("the taxonomy has no examples", (), hint=hint)
        return
    heads = {name for example in taxonomy.examples for name in example.heads or ()}
    modifiers = {name for example in taxonomy.examples for name in example.modifiers or ()}
    for part, categories, shown in (
        ("heads", taxonomy.heads, heads),
        ("modifiers", taxonomy.modifiers, modifiers),
    ):
        for name in categories:
            if name not in shown:
                yield document.problem(f"no example has the category `{name}`", (part, name), key=True)
