"""Validation of a taxonomy's content: references to existing names, words that can occur in captions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from assess.errors import Place, Problem
from assess.limits import CATEGORIES
from assess.taxonomy.model import Entry, Taxonomy, Trail
from assess.taxonomy.phrases import (
    LONGEST_PHRASE,
    OPEN_PLACEHOLDERS,
    PLACEHOLDER,
    carrier_names,
    check_after,
    check_patterns,
    closest,
    normal_form,
    normal_names,
    open_patterns_of,
    phrases_of,
    spaced,
)
from assess.taxonomy.strict_yaml import Document
from assess.taxonomy.syntax import check_syntax
from assess.taxonomy.words import FUNCTION_WORDS, words_of

RESERVED_VALUES = {"neutral", "mixed"}
"""Values that reports add to every group: for heads of none or of several of its values."""


def check(taxonomy: Taxonomy, document: Document, *, names: bool = True) -> list[Problem]:
    """Return all mistakes in the content of a taxonomy.

    With `names` off, references are not checked, because their targets may be in parts that are malformed.
    """
    count = len(taxonomy.heads) + len(taxonomy.modifiers)
    CATEGORIES.check(count, f"the taxonomy has {count:,} categories", Place(document.file))
    problems = [problem for find in _CHECKS for problem in find(taxonomy, document)]
    if not names:
        return problems
    in_patterns = list(check_patterns(taxonomy, document))
    problems += in_patterns
    problems += check_after(taxonomy, document)
    problems += _check_category_names(taxonomy, document)
    if not in_patterns:
        # Words are only checked once the patterns are valid, because a head word may come from a pattern.
        problems += _check_references(taxonomy, document)
        problems += _check_independence(taxonomy, document)
    return problems


def _words(taxonomy: Taxonomy) -> Iterator[tuple[Trail, str]]:
    """Yield the location and text of every listed word."""
    yield from taxonomy.listed_words()
    for name, modifier in taxonomy.modifiers.items():
        for index, entry in enumerate(modifier.of):
            yield ("modifiers", name, "of", index), entry.word
    for name, words in taxonomy.function_words.items():
        for index, word in enumerate(words):
            yield ("function_words", name, index), word
    for index, word in enumerate(taxonomy.excluded):
        yield ("excluded", index), word


def _list_name(trail: Trail) -> str:
    """Return what messages call the list that contains a word."""
    part, name = str(trail[0]).removesuffix("s").replace("_", " "), trail[1]
    if part == "excluded":
        return "`excluded`"
    return f"`of` of the {part} `{name}`" if "of" in trail[2:] else f"{part} `{name}`"


def _check_words(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    seen: dict[tuple[Trail, str], Trail] = {}
    for trail, word in _words(taxonomy):
        own = trail[:-1], normal_form(taxonomy, word)
        if PLACEHOLDER.search(word):
            yield document.problem(f"{word!r} looks like a pattern", trail, hint="move it under `patterns:`")
            continue
        yield from _check_spelling(taxonomy, word, trail, document)
        if spaced(word) and own in seen:
            first = document.place(seen[own]).line
            message = f"`{word}` appears twice in {_list_name(trail)}; first at line {first}"
            yield document.problem(message, trail, hint="remove one")
        seen.setdefault(own, trail)


def _check_spelling(taxonomy: Taxonomy, word: str, trail: Trail, document: Document) -> Iterator[Problem]:
    normal = spaced(word)
    length = len(normal.split(" "))
    if not normal:
        hint = "a word needs letters or digits"
        yield document.problem(f"{word!r} has nothing to match", trail, hint=hint)
    elif length > LONGEST_PHRASE and taxonomy.hyphens == "free":
        message = f"a phrase of {length} words: `{word}`"
        yield document.problem(
            message, trail, hint=f"at most {LONGEST_PHRASE} words are possible: keep the distinctive ones"
        )


def _check_forms(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Check plurals, which only heads have, and constraints."""
    for name, head in taxonomy.heads.items():
        for index, entry in enumerate(head.words):
            trail: Trail = ("heads", name, "words", index)
            if entry.plural is not None:
                yield from _check_spelling(taxonomy, entry.plural, (*trail, "plural"), document)
            yield from _check_head_sense(taxonomy, entry, trail, document)
    for name, modifier in taxonomy.modifiers.items():
        for index, entry in enumerate(modifier.words):
            if entry.states_plural:
                message = f"the modifier `{entry.word}` has a plural"
                hint = "only heads have plurals; list both words, or put a text with a colon in quotes"
                yield document.problem(message, ("modifiers", name, "words", index), hint=hint)
            if entry.says:
                message = f"the modifier `{entry.word}` has `says`"
                hint = "only heads can have `says`; use `also` for a modifier with two categories"
                yield document.problem(message, ("modifiers", name, "words", index, "says"), hint=hint)


def _check_head_sense(
    taxonomy: Taxonomy, entry: Entry, trail: Trail, document: Document
) -> Iterator[Problem]:
    """Check the constraints of a head, which name words that change its meaning."""
    if entry.only_with:
        message = f"the head `{entry.word}` has `only_with`"
        hint = "list the intended phrases, such as cinnamon roll, or use not_with"
        yield document.problem(message, trail, hint=hint)
    for index, name in enumerate(entry.not_with):
        if name in taxonomy.heads or name in taxonomy.modifiers:
            message = f"the `not_with` of the head `{entry.word}` must list words and sets, not categories"
            hint = "for example {word: roll, not_with: [paper, tape]}"
            yield document.problem(message, (*trail, "not_with", index), hint=hint)


def _check_empty_categories(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    has_words = any(head.words or head.patterns for head in taxonomy.heads.values())
    filled = {(role, category.parent) for role, _, category in taxonomy.categories()}
    for role, _, category in taxonomy.categories():
        filled |= {(role, other) for entry in category.words for other in entry.also}
    for role, name, category in taxonomy.categories():
        filled_by_plurals = role == "head" and name == taxonomy.plurals_are and has_words
        own = (category.words, category.patterns, getattr(category, "of", ()), getattr(category, "after", ()))
        if not any(own) and not filled_by_plurals and (role, name) not in filled:
            message = f"the category `{name}` has no words"
            yield document.problem(message, (f"{role}s", name), key=True, hint="add `words:`")


def _check_sets(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for name, words in taxonomy.sets.items():
        if not words:
            message = f"the set `{name}` has no words"
            yield document.problem(message, ("sets", name), key=True, hint="add some")
        if name in OPEN_PLACEHOLDERS or name in taxonomy.heads or name in taxonomy.modifiers:
            message = f"the name of the set `{name}` is already in use"
            hint = "choose a name that no category and no built-in placeholder has"
            yield document.problem(message, ("sets", name), key=True, hint=hint)


def _check_parents(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for role, name, category in taxonomy.categories():
        known = taxonomy.roles[role]
        above, seen = category.parent, [name]
        while above is not None and above in known and above not in seen:
            seen.append(above)
            above = known[above].parent
        trail = (f"{role}s", name, "parent")
        if above is not None and above not in known:
            if above == category.parent:
                message = f"there is no {role} category `{above}`"
                yield document.problem(message, trail, hint=closest(above, known))
        elif above == name:
            yield document.problem(f"`{name}` is its own ancestor", trail, hint="break the cycle of parents")


def _check_function_words(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    if taxonomy.own_structure:
        return
    for name in taxonomy.function_words:
        if name not in FUNCTION_WORDS:
            message = f"the built-in phrase structure has no function words of the kind `{name}`"
            hint = closest(name, FUNCTION_WORDS)
            yield document.problem(message, ("function_words", name), key=True, hint=hint)


def _check_pronouns(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    if taxonomy.pronouns is None:
        return
    known = {value for group in taxonomy.groups.values() for value in group}
    for word, values in taxonomy.pronouns.words.items():
        for index, value in enumerate(values):
            if value not in known:
                message = f"no group has the value `{value}`"
                trail = ("pronouns", "words", word, index)
                yield document.problem(message, trail, hint=closest(value, known))
    nouns = {phrase.text for phrase in phrases_of(taxonomy) if phrase.role == "head"}
    if spaced(taxonomy.pronouns.noun) not in nouns:
        message = f"`{taxonomy.pronouns.noun}` is not a head word"
        hint = "name a head word for pronouns, such as person"
        yield document.problem(message, ("pronouns", "noun"), hint=hint)


def _check_category_names(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    if taxonomy.plurals_are is not None and taxonomy.plurals_are not in taxonomy.heads:
        message = f"`plurals_are` does not name a head category: `{taxonomy.plurals_are}`"
        yield document.problem(message, ("plurals_are",), hint=closest(taxonomy.plurals_are, taxonomy.heads))
    for trail, written, known in _category_references(taxonomy):
        for index, name in enumerate(written):
            if name not in known:
                problem = f"no such category: `{name}`"
                yield document.problem(problem, (*trail, index), hint=closest(name, known))


def _category_references(taxonomy: Taxonomy) -> Iterator[tuple[Trail, tuple[str, ...], set[str]]]:
    """Yield (trail, names written there, allowed names) for every list of categories."""
    heads, modifiers = set(taxonomy.heads), set(taxonomy.modifiers)
    for role, name, category in taxonomy.categories():
        for index, entry in enumerate(category.words):
            trail = (f"{role}s", name, "words", index)
            yield (*trail, "also"), entry.also, set(taxonomy.roles[role])
            yield (*trail, "says"), entry.says, modifiers
    for index, example in enumerate(taxonomy.examples):
        yield ("examples", index, "heads"), example.heads or (), heads
        yield ("examples", index, "modifiers"), example.modifiers or (), modifiers
        yield ("examples", index, "not"), example.never, heads | modifiers


def head_names(taxonomy: Taxonomy) -> set[str]:
    """Return the names that constraints and groups may use: head categories, sets, head words, of-phrases."""
    names = {*taxonomy.heads, *taxonomy.sets}
    for phrase in phrases_of(taxonomy):
        if phrase.role == "head":
            names |= {phrase.text, phrase.base}
        elif phrase.of:
            names.add(phrase.text)
    return names


def _check_references(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    heads = head_names(taxonomy)
    modifiers = {phrase.text for phrase in phrases_of(taxonomy) if phrase.role == "modifier"}
    in_constraints = (
        ((*trail, index), name)
        for trail, _, names in taxonomy.constraints()
        for index, name in enumerate(names)
    )
    for trail, name in (*in_constraints, *taxonomy.members()):
        # Modifiers can also express a group's value: a female surfer.
        known = heads | modifiers if trail[0] == "groups" else heads
        if name not in known and spaced(name) not in known:
            message = f"`{name}` is not a head category, a set, a head word or an of-phrase"
            yield document.problem(message, trail, hint=closest(name, known))


# Readings must not depend on the value of a group: an audit must not measure differences that it creates.
#
# If "pretty young" counted as age before male nouns only, an audit by gender would report the taxonomy's own
# difference. Therefore a constraint that names heads of one value of a group must name heads of every other
# value too. Two kinds of dependence are intended and allowed: words of the category with the group's name
# ("little" expresses the age of a child), in all their senses, and groups listed under `kinds`, since meaning
# depends on the kind of thing ("a moving van").

_Values = Mapping[str, Sequence[str]]


def _check_independence(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the constraints and patterns whose effect depends on the value of a group."""
    for index, kind in enumerate(taxonomy.kinds):
        if kind not in taxonomy.groups:
            hint = closest(kind, taxonomy.groups)
            yield document.problem(
                f"`kinds` lists something that is not a group: `{kind}`", ("kinds", index), hint=hint
            )
    groups = {group: values for group, values in taxonomy.groups.items() if group not in taxonomy.kinds}
    if groups:
        yield from _check_constraints(taxonomy, groups, document)
        yield from _check_counterparts(taxonomy, groups, document)


def _check_constraints(
    taxonomy: Taxonomy, groups: Mapping[str, _Values], document: Document
) -> Iterator[Problem]:
    heads = _HeadsByName(taxonomy)
    members = {
        group: {value: heads.named(names) for value, names in values.items()}
        for group, values in groups.items()
    }
    own_words = {group: _own_words(taxonomy, group) for group in groups}
    for trail, word, names in taxonomy.constraints():
        category, named = str(trail[1]), heads.named(names)
        for group, values in members.items():
            if category == group or (word and normal_form(taxonomy, word) in own_words[group]):
                continue
            met = [value for value, own in values.items() if own & named]
            if met and len(met) < len(values):
                missed = [value for value in values if value not in met]
                yield _one_sided(document, trail, word or category, group, met, missed)


class _HeadsByName:
    """Finds the heads that a name in a constraint or group refers to."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        carriers = carrier_names(taxonomy, [*phrases_of(taxonomy), *open_patterns_of(taxonomy)])
        self._heads: dict[str, set[str]] = {}
        for head, names in carriers.items():
            for name in names:
                self._heads.setdefault(name, set()).add(head)

    def named(self, names: Sequence[str]) -> set[str]:
        """Return all heads that any of the names refers to."""
        return {head for name in normal_names(names) for head in self._heads.get(name, ())}


def _own_words(taxonomy: Taxonomy, group: str) -> set[str]:
    """Return the words of the modifier category with the group's name, if there is one."""
    category = taxonomy.modifiers.get(group)
    return {normal_form(taxonomy, entry.word) for entry in category.words} if category else set()


def _one_sided(
    document: Document, trail: Trail, what: str, group: str, met: list[str], missed: list[str]
) -> Problem:
    return document.problem(
        f"`{trail[-1]}` of `{what}` lists heads of {group} {' and '.join(met)}, but none of"
        f" {' and '.join(missed)}: the reading would depend on the group",
        trail,
        hint=f"list heads of every value or of none; only words of a category `{group}` may distinguish them",
    )


def _check_counterparts(
    taxonomy: Taxonomy, groups: Mapping[str, _Values], document: Document
) -> Iterator[Problem]:
    listed: defaultdict[Trail, list[str]] = defaultdict(list)
    for trail, pattern in taxonomy.patterns("patterns", "after"):
        listed[trail[:-1]].append(pattern)
    for trail, pattern in taxonomy.patterns("patterns", "after"):
        for group, values in groups.items():
            missing = _without_counterpart(pattern, listed[trail[:-1]], values)
            if missing and trail[1] != group:
                message = (
                    f"the pattern {pattern!r} uses one value of {group}, and there is none like it for"
                    f" {' and '.join(missing)}"
                )
                hint = "add the same pattern for the other values, or use words of no group"
                yield document.problem(message, trail, hint=hint)


def _without_counterpart(pattern: str, patterns: Sequence[str], values: _Values) -> list[str]:
    """Return the values that lack a counterpart of a pattern that names a set of another value."""
    for place in PLACEHOLDER.findall(pattern):
        owner = [value for value, names in values.items() if place in names]
        # A pattern that consists of the set alone lists the heads themselves.
        if owner and pattern != f"{{{place}}}":
            return [
                value
                for value, names in values.items()
                if value not in owner
                and not any(pattern.replace(f"{{{place}}}", f"{{{name}}}") in patterns for name in names)
            ]
    return []


def _check_groups(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for group, values in taxonomy.groups.items():
        if len(values) < 2:
            message = f"the group `{group}` has fewer than two values"
            hint = "a contrast needs two: female and male, child and adult"
            yield document.problem(message, ("groups", group), key=True, hint=hint)
        owner: dict[str, str] = {}
        for value, members in values.items():
            if value in RESERVED_VALUES or not members:
                what = "has a name that reports use" if members else "has no members"
                message = f"the value `{value}` of the group `{group}` {what}"
                yield document.problem(message, ("groups", group, value), key=True, hint="rename or fill it")
            for index, member in enumerate(members):
                normal = spaced(member)
                if owner.setdefault(normal, value) != value:
                    message = f"`{member}` is in two values of `{group}`: {owner[normal]} and {value}"
                    yield document.problem(message, ("groups", group, value, index), hint="keep one")


def _check_readable(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for index, example in enumerate(taxonomy.examples):
        if not words_of(example.text):
            yield document.problem(
                f"{example.text!r} contains nothing to analyse", ("examples", index, "text")
            )


_CHECKS: tuple[Callable[[Taxonomy, Document], Iterator[Problem]], ...] = (
    _check_sets,
    _check_words,
    _check_forms,
    _check_empty_categories,
    _check_parents,
    _check_function_words,
    _check_groups,
    _check_pronouns,
    _check_readable,
    check_syntax,
)
