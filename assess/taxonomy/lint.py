"""Warnings about what is valid but probably unintended, such as slips of the pen that pass unnoticed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assess.errors import Problem
from assess.taxonomy.compose import shared_words
from assess.taxonomy.model import Taxonomy, Trail
from assess.taxonomy.phrases import (
    FREE,
    PLACEHOLDER,
    Constraint,
    NamedConstraint,
    OpenPattern,
    Phrase,
    carrier_names,
    normal_form,
    open_patterns_of,
    phrases_of,
    spaced,
)
from assess.taxonomy.strict_yaml import Document
from assess.taxonomy.syntax import category_symbols, endless_rules, reachable_symbols
from assess.taxonomy.words import FUNCTION_WORDS

Sense = Phrase | OpenPattern


def lint(taxonomy: Taxonomy, document: Document) -> list[Problem]:
    """Return warnings about a valid taxonomy."""
    finders = (
        _ambiguous,
        _shadowed,
        _unreachable,
        _useless_exclusions,
        _idle_constraints,
        _never_admitted,
        _unexampled,
        slips,
    )
    found = (problem for find in finders for problem in find(taxonomy, document))
    # Warnings about an extended taxonomy or a shared list belong to that file.
    return [problem for problem in found if problem.place is None or problem.place.file == document.file]


def _ambiguous(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find phrases in two modifier categories that no constraint distinguishes."""
    for clash in clashing_senses(taxonomy):
        categories = dict.fromkeys(sense.category for sense in clash.senses)
        where = "" if clash.everywhere else f" before `{clash.head}`"
        yield document.problem(
            f"`{clash.text}` is in {', '.join(categories)}, and no constraint separates them{where}",
            _trail_of(taxonomy, clash.senses[1]),
            hint=f"the best reading uses `{next(iter(categories))}`; add not_with, only_with or `also`",
        )


def _trail_of(taxonomy: Taxonomy, phrase: Sense) -> Trail:
    category: Trail = (f"{phrase.role}s", phrase.category)
    for index, entry in enumerate(taxonomy.roles[phrase.role][phrase.category].words):
        if normal_form(taxonomy, entry.word) == phrase.text:
            return (*category, "words", index)
    return (*category, "patterns")


def _shadowed(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find modifiers that are also determiners: the best reading never chooses them."""
    if taxonomy.own_structure:
        return
    words = {**FUNCTION_WORDS, **taxonomy.function_words}
    opening = {spaced(word) for kind in ("determiner", "predeterminer") for word in words[kind]}
    for phrase in phrases_of(taxonomy):
        if phrase.role == "modifier" and phrase.text in opening:
            yield document.problem(
                f"`{phrase.text}` is also a determiner, so it is not counted",
                _trail_of(taxonomy, phrase),
                hint="give `function_words:` without it, or remove it here",
            )


def _unreachable(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find rules and categories that cannot be reached in the taxonomy's own syntax."""
    if taxonomy.syntax is None:
        return
    reached = reachable_symbols(taxonomy)
    for symbol in sorted(category_symbols(taxonomy) - reached) if taxonomy.own_structure else ():
        role, _, name = symbol.partition(".")
        yield document.problem(f"no rule uses the {role} category `{name}`", (f"{role}s", name), key=True)
    for rule in taxonomy.syntax:
        if rule not in reached:
            yield document.problem(f"no rule uses `{rule}`", ("syntax", rule), key=True)
    for rule in endless_rules(taxonomy):
        message = f"the rule `{rule}` matches no phrase, because every alternative is recursive"
        yield document.problem(
            message, ("syntax", rule), key=True, hint="give it an alternative without recursion"
        )


def _useless_exclusions(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    heads = {phrase.text for phrase in phrases_of(taxonomy) if phrase.role == "head"}
    patterns = [pattern.regex for pattern in open_patterns_of(taxonomy) if pattern.role == "head"]
    for index, excluded in enumerate(taxonomy.excluded):
        if spaced(excluded) in heads:
            yield document.problem(
                f"`{excluded}` is both a head and excluded, so nothing that ends in it is in the domain",
                ("excluded", index),
                hint="keep it in one of the two lists",
            )
        noun, _, _ = spaced(excluded).partition(" of ")
        words = noun.split(" ")  # `roll of paper` is not a noun
        endings = [" ".join(words[start:]) for start in range(len(words))]
        if not any(end in heads or any(re.fullmatch(p, end) for p in patterns) for end in endings):
            yield document.problem(
                f"`{excluded}` does not end in a head, so it excludes nothing",
                ("excluded", index),
                hint="an excluded phrase must end in a head word, like `snow man`",
            )


def _idle_constraints(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find of-phrases with constraints: the grammar restricts what precedes them, not what follows."""
    for phrase in phrases_of(taxonomy):
        if phrase.of and phrase.constraint != FREE:
            yield document.problem(
                f"the constraints of `{phrase.text}` have no effect, because any noun phrase can follow it",
                _trail_of(taxonomy, phrase),
                hint="move it to a category without constraints",
            )


def _never_admitted(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find modifiers whose constraints allow no head: they are parsed but never counted."""
    items: list[Sense] = [*phrases_of(taxonomy), *open_patterns_of(taxonomy)]
    heads = list(carrier_names(taxonomy, items).values())
    alike: dict[tuple[str, Constraint], list[Sense]] = {}
    for item in items:
        if item.role == "modifier" and not item.of:
            alike.setdefault((item.category, item.constraint), []).append(item)
    for (category, written), members in alike.items():
        constraint = NamedConstraint(written)
        if all(constraint.forbids(names) for names in heads):
            # If the category's constraint is the mistake, it affects every word, so there is one warning for
            # all.
            words = "`, `".join(member.text for member in members)
            yield document.problem(
                f"no head allows `{words}`, so it never counts as `{category}`",
                _trail_of(taxonomy, members[0]),
                hint="relax its constraints, or those of its category",
            )


def _unexampled(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find categories that occur in no example."""
    if not taxonomy.examples:
        hint = "add `examples:`; `assess domain test` runs them"
        yield document.problem("the taxonomy has no examples", (), hint=hint)
        return
    shown = {("head", name) for example in taxonomy.examples for name in example.heads or ()}
    shown |= {("modifier", name) for example in taxonomy.examples for name in example.modifiers or ()}
    parents = {(role, category.parent) for role, _, category in taxonomy.categories()}
    for role, name, category in taxonomy.categories():
        # Examples name the lowest categories, so a parent without words of its own cannot occur.
        wordless = (role, name) in parents and not (category.words or category.patterns)
        if (role, name) not in shown and not wordless:
            yield document.problem(f"no example has the category `{name}`", (f"{role}s", name), key=True)


@dataclass(frozen=True, slots=True)
class Clash:
    """A word with several senses that apply to the same head."""

    text: str
    senses: tuple[Sense, ...]  # in the order of their categories; the best reading takes the first
    head: str  # the first head or of-phrase that allows two of them
    everywhere: bool  # whether all heads do


def clashing_senses(taxonomy: Taxonomy) -> Iterator[Clash]:
    """Yield the words of two modifier categories that share a head.

    If `also` states that both apply at once, there is nothing to distinguish.
    """
    admission = _Admission(taxonomy)
    for text, senses in _senses(taxonomy):
        pairs = [
            (pair, both)
            for pair in itertools.combinations(senses, 2)
            if not _together(pair, senses) and (both := admission.by_both(*pair))
        ]
        if pairs:
            found = dict.fromkeys(sense for pair, _ in pairs for sense in pair)
            heads = pairs[0][1]
            clashing = tuple(sense for sense in senses if sense in found)
            yield Clash(text, clashing, heads[0], len(heads) == len(admission.heads))


def _senses(taxonomy: Taxonomy) -> Iterator[tuple[str, list[Sense]]]:
    """Yield each modifier phrase with all of its senses, in the order of the categories."""
    patterns = [pattern for pattern in open_patterns_of(taxonomy) if pattern.role == "modifier"]
    listed: dict[str, list[Phrase]] = {}
    for phrase in phrases_of(taxonomy):
        if phrase.role == "modifier":
            listed.setdefault(phrase.text, []).append(phrase)
    rank = {name: number for number, name in enumerate(taxonomy.modifiers)}
    matched = re.compile("|".join(f"(?:{pattern.regex})" for pattern in patterns) or r"(?!)")
    for text, phrases in listed.items():
        matching = (
            [pattern for pattern in patterns if re.fullmatch(pattern.regex, text)]
            if matched.fullmatch(text)
            else []
        )
        senses: list[Sense] = [*phrases, *matching]
        yield text, sorted(senses, key=lambda sense: rank[sense.category])


def _together(pair: tuple[Sense, Sense], senses: Sequence[Sense]) -> bool:
    """Whether two senses have the same category, or are stated to apply at once."""
    categories = {sense.category for sense in pair}
    listed = (sense for sense in senses if isinstance(sense, Phrase))
    return len(categories) == 1 or any(categories <= {sense.category, *sense.also} for sense in listed)


class _Admission:
    """Finds the heads that a sense applies to, computed once for each constraint."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._names = carrier_names(taxonomy, [*phrases_of(taxonomy), *open_patterns_of(taxonomy)])
        self.heads = tuple(self._names)
        self._known: dict[Constraint, frozenset[str]] = {}

    def by_both(self, one: Sense, other: Sense) -> list[str]:
        """Return the heads that allow both senses."""
        both = self._heads(one) & self._heads(other)
        return [head for head in self.heads if head in both]

    def _heads(self, sense: Sense) -> frozenset[str]:
        # Any noun phrase can follow an of-phrase, so its constraints have no effect.
        constraint = Constraint() if sense.of else sense.constraint
        if constraint not in self._known:
            named = NamedConstraint(constraint)
            admitted = (head for head, names in self._names.items() if not named.forbids(names))
            self._known[constraint] = frozenset(admitted)
        return self._known[constraint]


_REGEX_SIGNS = re.compile(r"[*+?()\[\]|\\^$]")
_NEVER_MODIFIERS = ("conjunction", "comma", "preposition")  # function words that cannot be modifiers


def slips(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield entries that are probably slips of the pen."""
    for find in (_regex_signs, _missing_commas, _function_words, _catch_alls, _circles, _unused_sets, _twice):
        yield from find(taxonomy, document)


def _regex_signs(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for trail, text in taxonomy.listed_words():  # not in patterns, where such characters are errors anyway
        found = _REGEX_SIGNS.search(text)
        if found:
            yield document.problem(
                f"`{text}` contains the character `{found.group()}`, which has no meaning here",
                trail,
                hint="list each spelling separately, or use a set in a pattern",
            )


def _missing_commas(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find entries that consist of two words of one shared list, such as `red green`."""
    listed: dict[Trail, set[str]] = {}
    for trail, text in taxonomy.listed_words():
        listed.setdefault(trail[:-1], set()).add(spaced(text))
    for trail, text in taxonomy.listed_words():
        words = text.split()  # a hyphen shows that two words are meant as one
        own = listed[trail[:-1]]
        alike = len(words) == 2 and any(set(words) <= shared and own & shared for shared in shared_words())
        if alike and not own & set(words):
            yield document.problem(
                f"`{text}` is one entry, but neither of its words is listed separately",
                trail,
                hint=f"is a comma missing? If it is one word, write a hyphen: {'-'.join(words)}",
            )


def _function_words(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    if taxonomy.own_structure:
        return
    words = {**FUNCTION_WORDS, **taxonomy.function_words}
    kinds = {spaced(word): kind for kind in _NEVER_MODIFIERS for word in words[kind] if spaced(word)}
    for name, modifier in taxonomy.modifiers.items():
        for index, entry in enumerate(modifier.words):
            kind = kinds.get(spaced(entry.word))
            if kind is not None:
                yield document.problem(
                    f"the modifier `{entry.word}` is a {kind}, which any phrase may contain",
                    ("modifiers", name, "words", index),
                    hint="list the words that go with it, or use `after:` for what follows the noun",
                )


def _catch_alls(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for trail, pattern in taxonomy.patterns("patterns"):
        fixed = PLACEHOLDER.sub("", pattern)
        if set(PLACEHOLDER.findall(pattern)) == {"word"} and not any(map(str.isalnum, fixed)):
            yield document.problem(
                f"the pattern `{pattern}` matches any word, so no word is unknown any more",
                trail,
                hint="give it a fixed part, as in {word}-like, or list the words",
            )


def _circles(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find categories whose patterns refer to each other: placeholders match words, not patterns."""
    named = {
        name: (role, {inner for pattern in category.patterns for inner in PLACEHOLDER.findall(pattern)})
        for role, name, category in reversed(list(taxonomy.categories()))
    }
    for name, (role, inner) in named.items():
        for other in sorted(inner - {name}):
            if other in named and name in named[other][1] and name < other:
                yield document.problem(
                    f"the patterns of `{name}` and `{other}` refer to each other, which adds nothing",
                    (f"{role}s", name, "patterns"),
                    hint="a placeholder matches the words of a category; put shared words in a set",
                )


def _unused_sets(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    used = set[str]()
    for text in _texts(taxonomy.model_dump(exclude={"sets", "examples", "description"})):
        used |= {text, *PLACEHOLDER.findall(text)}
    for name in taxonomy.sets:
        if name not in used:
            hint = f"use it in a pattern as {{{name}}}, or remove it"
            yield document.problem(f"the set `{name}` is not used", ("sets", name), key=True, hint=hint)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _twice(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find ids of a head and a modifier category that a group names: the group then means the heads."""
    both = taxonomy.heads.keys() & taxonomy.modifiers.keys()
    for trail, member in taxonomy.members():
        if member in both:
            yield document.problem(
                f"`{member}` is the id of a head category and of a modifier category; here it means the"
                " heads",
                trail,
                hint="rename one of the two categories",
            )
