"""Slips of the pen that make a valid taxonomy which silently does something else than its author meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assess.errors import Problem
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import PLACEHOLDER, spaced
from assess.taxonomy.strict_yaml import Document, Trail
from assess.taxonomy.words import FUNCTION_WORDS

_REGEX_SIGNS = re.compile(r"[*+?()\[\]|\\^$]")
_HOLDING = ("conjunction", "comma", "preposition")  # function words that no modifier can be


def slips(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield what a taxonomy says that was probably not meant."""
    for find in (_regex_signs, _function_words, _catch_alls, _circles, _unused_sets, _twice):
        yield from find(taxonomy, document)


def _listed(taxonomy: Taxonomy) -> Iterator[tuple[Trail, str]]:
    """Yield the place and text of every word of categories and sets."""
    for role, name, category in taxonomy.categories():
        for index, entry in enumerate(category.words):
            yield (f"{role}s", name, "words", index), entry.word
    for name, words in taxonomy.sets.items():
        for index, word in enumerate(words):
            yield ("sets", name, index), word


def _patterns(taxonomy: Taxonomy) -> Iterator[tuple[Trail, str]]:
    for role, name, category in taxonomy.categories():
        for index, pattern in enumerate(category.patterns):
            yield (f"{role}s", name, "patterns", index), pattern


def _regex_signs(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for trail, text in _listed(taxonomy):  # in patterns such signs are mistakes anyway
        found = _REGEX_SIGNS.search(text)
        if found:
            yield document.problem(
                f"`{text}` has the sign `{found.group()}`, which means nothing here",
                trail,
                hint="list each spelling as a word of its own, or name a set in a pattern",
            )


def _function_words(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    if taxonomy.syntax is not None:
        return
    words = {**FUNCTION_WORDS, **taxonomy.function_words}
    kinds = {spaced(word): kind for kind in _HOLDING for word in words[kind] if spaced(word)}
    for name, modifier in taxonomy.modifiers.items():
        for index, entry in enumerate(modifier.words):
            kind = kinds.get(spaced(entry.word))
            if kind is not None:
                yield document.problem(
                    f"the modifier `{entry.word}` is a {kind}, which every phrase may have",
                    ("modifiers", name, "words", index),
                    hint="name the words that go with it, or write what follows the noun under `after:`",
                )


def _catch_alls(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for trail, pattern in _patterns(taxonomy):
        fixed = PLACEHOLDER.sub("", pattern)
        if set(PLACEHOLDER.findall(pattern)) == {"word"} and not any(map(str.isalnum, fixed)):
            yield document.problem(
                f"the pattern `{pattern}` takes any word, so that none is unknown any more",
                trail,
                hint="give it a fixed part, as in {word}-like, or list the words",
            )


def _circles(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Find categories whose patterns name each other: a placeholder stands for words, not for patterns."""
    named = {
        name: {inner for pattern in category.patterns for inner in PLACEHOLDER.findall(pattern)}
        for name, category in taxonomy.modifiers.items()
    }
    for name, inner in named.items():
        for other in sorted(inner - {name}):
            if name in named.get(other, ()) and name < other:
                yield document.problem(
                    f"the patterns of `{name}` and `{other}` name each other, which adds nothing",
                    ("modifiers", name, "patterns"),
                    hint="a placeholder stands for the words of a category; put shared words into a set",
                )


def _unused_sets(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    used = set[str]()
    for text in _texts(taxonomy.model_dump(exclude={"sets", "examples", "description"})):
        used |= {text, *PLACEHOLDER.findall(text)}
    for name in taxonomy.sets:
        if name not in used:
            hint = f"name it as {{{name}}} in a pattern, or remove it"
            yield document.problem(f"nothing uses the set `{name}`", ("sets", name), key=True, hint=hint)


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
    """Find ids of a head and a modifier category that a group names: it is the head category's."""
    both = taxonomy.heads.keys() & taxonomy.modifiers.keys()
    for group, values in taxonomy.groups.items():
        for value, members in values.items():
            for index, member in enumerate(members):
                if member in both:
                    yield document.problem(
                        f"`{member}` is the id of a head and of a modifier category; here it means the heads",
                        ("groups", group, value, index),
                        hint="rename one of the two categories",
                    )
