"""Readings that do not depend on a group: what an audit compares, its instrument must not tell apart.

If "pretty young" counted as age before male nouns only, an audit by gender would report the taxonomy's own
contrast. So a constraint that names heads of one value of a group names heads of every other value too. Two
dependences are meant and stay: words of the category that has the group's name (of a child, "little" tells
the age), with all their senses, and groups that are listed under `kinds`, since senses hang on kinds of
things ("a moving van").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assess.errors import Problem
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    PLACEHOLDER,
    carrier_names,
    closest,
    normal_form,
    normal_names,
    open_patterns_of,
    phrases_of,
)
from assess.taxonomy.strict_yaml import Document, Trail

Values = Mapping[str, Sequence[str]]


def check_independence(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the constraints and patterns whose effect depends on the value of a group."""
    for index, kind in enumerate(taxonomy.kinds):
        if kind not in taxonomy.groups:
            hint = closest(kind, taxonomy.groups)
            yield document.problem(f"`kinds` names no group: `{kind}`", ("kinds", index), hint=hint)
    groups = {group: values for group, values in taxonomy.groups.items() if group not in taxonomy.kinds}
    if groups:
        yield from _check_constraints(taxonomy, groups, document)
        yield from _check_patterns(taxonomy, groups, document)


def _check_constraints(
    taxonomy: Taxonomy, groups: Mapping[str, Values], document: Document
) -> Iterator[Problem]:
    heads = _HeadsByName(taxonomy)
    members = {
        group: {value: heads.named(names) for value, names in values.items()}
        for group, values in groups.items()
    }
    own_words = {group: _own_words(taxonomy, group) for group in groups}
    for trail, category, word, names in _constraints(taxonomy):
        named = heads.named(names)
        for group, values in members.items():
            if category == group or (word and normal_form(taxonomy, word) in own_words[group]):
                continue
            met = [value for value, own in values.items() if own & named]
            if met and len(met) < len(values):
                missed = [value for value in values if value not in met]
                yield _one_sided(document, trail, word or category, group, met, missed)


class _HeadsByName:
    """The heads that each name of a constraint or group means."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        carriers = carrier_names(taxonomy, [*phrases_of(taxonomy), *open_patterns_of(taxonomy)])
        self._heads: dict[str, set[str]] = {}
        for head, names in carriers.items():
            for name in names:
                self._heads.setdefault(name, set()).add(head)

    def named(self, names: Sequence[str]) -> set[str]:
        """Return all heads that some of the names mean."""
        return {head for name in normal_names(names) for head in self._heads.get(name, ())}


def _own_words(taxonomy: Taxonomy, group: str) -> set[str]:
    """Return the words of the modifier category that has the group's name, if there is one."""
    category = taxonomy.modifiers.get(group)
    return {normal_form(taxonomy, entry.word) for entry in category.words} if category else set()


def _constraints(taxonomy: Taxonomy) -> Iterator[tuple[Trail, str, str, tuple[str, ...]]]:
    """Yield (trail, category, word, names) of every constraint; that of a whole category has no word."""
    for name, category in taxonomy.modifiers.items():
        for key in ("not_with", "only_with"):
            trail: Trail = ("modifiers", name)
            if names := getattr(category, key):
                yield (*trail, key), name, "", names
            for index, entry in enumerate(category.words):
                if names := getattr(entry, key):
                    yield (*trail, "words", index, key), name, entry.word, names


def _one_sided(
    document: Document, trail: Trail, what: str, group: str, met: list[str], missed: list[str]
) -> Problem:
    return document.problem(
        f"`{trail[-1]}` of `{what}` names heads of {group} {' and '.join(met)}, but none of"
        f" {' and '.join(missed)}: the reading would depend on the group",
        trail,
        hint=f"name heads of every value or of none; only words of a category `{group}` may tell them apart",
    )


def _check_patterns(
    taxonomy: Taxonomy, groups: Mapping[str, Values], document: Document
) -> Iterator[Problem]:
    for role, name, category in taxonomy.categories():
        for key in ("patterns", "after"):
            patterns: tuple[str, ...] = getattr(category, key, ())
            for index, pattern in enumerate(patterns):
                for group, values in groups.items():
                    if name != group and (missing := _without_counterpart(pattern, patterns, values)):
                        message = (
                            f"the pattern {pattern!r} is made of one value of {group}, and none like it of"
                            f" {' and '.join(missing)}"
                        )
                        hint = "add the same pattern for the other values, or take words of no group"
                        yield document.problem(message, (f"{role}s", name, key, index), hint=hint)


def _without_counterpart(pattern: str, patterns: Sequence[str], values: Values) -> list[str]:
    """Return the values for which there is no pattern like one that names a set of another value."""
    for place in PLACEHOLDER.findall(pattern):
        owner = [value for value, names in values.items() if place in names]
        # A pattern that is nothing but the set lists the heads themselves.
        if owner and pattern != f"{{{place}}}":
            return [
                value
                for value, names in values.items()
                if value not in owner
                and not any(pattern.replace(f"{{{place}}}", f"{{{name}}}") in patterns for name in names)
            ]
    return []
