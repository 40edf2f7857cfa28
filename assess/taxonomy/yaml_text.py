"""Writing taxonomies as YAML that a person would have written: short forms, lists in brackets, wrapped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from assess.taxonomy.model import Category, Entry, Example, ModifierCategory, Pronouns, Taxonomy

WIDTH = 100
# Letters and digits, and inside a text the marks that mean nothing to YAML between them.
_HARMLESS = re.compile(r"[\w<](?:[\w './<>&;()+-]*[\w'.>)])?")
_RESOLVER: Any = yaml.resolver.Resolver()
_TEXT = "tag:yaml.org,2002:str"
_LISTS = ("not_with", "only_with", "words", "of", "patterns", "after")


def scalar(text: str) -> str:
    """Return a text as YAML reads it back, in brackets or not: plain where that is safe, else in quotes."""
    if _HARMLESS.fullmatch(text) and _RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) == _TEXT:
        return text
    return _quoted(text)


def _quoted(text: str) -> str:
    # A JSON string is a YAML string, but YAML allows fewer characters as they are.
    return "".join(
        character if character.isprintable() else f"\\U{ord(character):08x}"
        for character in json.dumps(text, ensure_ascii=False)
    )


def taxonomy_text(taxonomy: Taxonomy, *, comments: Sequence[str] = ()) -> str:
    """Return a taxonomy as the text of a YAML file. Reading it gives an equal taxonomy and hash."""
    lines = [f"# {comment}" for comment in comments]
    lines += _top(taxonomy)
    for key, write in _PARTS.items():
        # What was written down as empty stays: a hash knows the difference.
        if key in taxonomy.model_fields_set and (value := getattr(taxonomy, key)) is not None:
            lines += ["", *write(key, value)]
    return "\n".join(lines) + "\n"


def _top(taxonomy: Taxonomy) -> Iterator[str]:
    for key in ("taxonomy", "version", "language", "description", "hyphens", "plurals_are", "levels"):
        if key in taxonomy.model_fields_set and (value := getattr(taxonomy, key)) is not None:
            yield f"{key}: {scalar(value)}"


def _categories(key: str, categories: Mapping[str, Category]) -> Iterator[str]:
    yield f"{key}:" if categories else f"{key}: {{}}"
    for name, category in categories.items():
        yield from _category(name, category)


def _syntax(key: str, rules: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield f"{key}:" if rules else f"{key}: {{}}"
    for rule, alternatives in rules.items():
        yield f"  {scalar(rule)}:"
        yield from (f"    - {scalar(alternative)}" for alternative in alternatives)


def _phrases(key: str, phrases: Sequence[str]) -> list[str]:
    return _wrapped(f"{key}: ", [scalar(phrase) for phrase in phrases], "  ")


def _groups(key: str, groups: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    yield f"{key}:" if groups else f"{key}: {{}}"
    for group, values in groups.items():
        yield f"  {scalar(group)}:" if values else f"  {scalar(group)}: {{}}"
        for value, members in values.items():
            yield from _wrapped(f"    {scalar(value)}: ", [scalar(member) for member in members], "      ")


def _pronouns(key: str, pronouns: Pronouns) -> Iterator[str]:
    yield f"{key}:"
    yield f"  noun: {scalar(pronouns.noun)}"
    yield "  words:" if pronouns.words else "  words: {}"
    for word, tells in pronouns.words.items():
        yield f"    {scalar(word)}: {_value(tells)}"
    if "rivals" in pronouns.model_fields_set:
        yield from _wrapped("  rivals: ", [scalar(name) for name in pronouns.rivals], "    ")


def _examples(key: str, examples: Sequence[Example]) -> Iterator[str]:
    yield f"{key}:" if examples else f"{key}: []"
    yield from (f"  - {example_text(item)}" for item in examples)


def example_text(example: Example) -> str:
    """Return an example on one line."""
    return _mapping(example.model_dump(by_alias=True, exclude_unset=True))


def _word_lists(key: str, lists: Mapping[str, Sequence[str | Entry]]) -> Iterator[str]:
    yield f"{key}:" if lists else f"{key}: {{}}"
    for name, words in lists.items():
        shown = [entry_text(word) if isinstance(word, Entry) else scalar(word) for word in words]
        yield from _wrapped(f"  {scalar(name)}: ", shown, "    ")


def _category(name: str, category: Category) -> Iterator[str]:
    yield f"  {scalar(name)}:"
    yield f"    description: {scalar(category.description)}"
    if category.parent is not None:
        yield f"    parent: {category.parent}"
    if isinstance(category, ModifierCategory):
        yield f"    evidence: {category.evidence}"
        yield f"    sensitivity: {category.sensitivity}"
        if "stands_apart" in category.model_fields_set:
            yield f"    stands_apart: {_value(category.stands_apart)}"
        if "grades" in category.model_fields_set:
            yield f"    grades: {_value(category.grades)}"
    for key in _LISTS:
        if key in category.model_fields_set:
            values = getattr(category, key)
            shown = [entry_text(value) if isinstance(value, Entry) else scalar(value) for value in values]
            yield from _wrapped(f"    {key}: ", shown, "      ")


def entry_text(entry: Entry) -> str:
    """Return an entry in the shortest form that says the same."""
    plain = {"word": entry.word}
    stated = entry.model_dump(exclude_unset=True)
    if stated == plain:
        return scalar(entry.word)
    if stated.keys() == {"word", "plural"} and entry.word not in Entry.model_fields:
        # In quotes wherever YAML might read something else.
        return f"{scalar(entry.word)}: {'null' if entry.plural is None else scalar(entry.plural)}"
    return _mapping(stated)


def _mapping(values: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{key}: {_value(value)}" for key, value in values.items()) + "}"


def _value(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return scalar(value)
    return "[" + ", ".join(_value(item) for item in value) + "]"


def _wrapped(opening: str, items: Sequence[str], indent: str) -> list[str]:
    """Return a list in brackets, wrapped at the usual width."""
    lines = [f"{opening}["]
    for number, item in enumerate(items, start=1):
        closed = item + ("," if number < len(items) else "]")
        space = "" if lines[-1].endswith("[") else " "
        if len(lines[-1]) + len(space) + len(closed) <= WIDTH or not lines[-1].strip():
            lines[-1] += space + closed
        else:
            lines.append(indent + closed)
    if not items:
        lines[-1] += "]"
    return lines


_PARTS: dict[str, Callable[[str, Any], Iterable[str]]] = {
    "sets": _word_lists,
    "heads": _categories,
    "modifiers": _categories,
    "function_words": _word_lists,
    "syntax": _syntax,
    "excluded": _phrases,
    "says_nothing": _phrases,
    "pronouns": _pronouns,
    "groups": _groups,
    "kinds": _phrases,
    "examples": _examples,
}
