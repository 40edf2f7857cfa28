"""From rows of words to a taxonomy's values: what tables and word lists have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assess.taxonomy.english import plural_of
from assess.taxonomy.phrases import spaced

SETTINGS = ("version", "language", "description", "hyphens", "plurals_are")
"""What a table says of the whole taxonomy, one row each."""
BETWEEN = "/"  # a group and its value


@dataclass(frozen=True, slots=True)
class Row:
    """A word with its category, and whatever else its source says about it."""

    role: str  # head, modifier, set, function, excluded, group or setting
    category: str
    word: str
    pattern: bool = False
    after: bool = False  # an attribute that follows the noun
    plural: str | None = None
    no_plural: bool = False
    not_with: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    evidence: str = ""
    sensitivity: str = ""
    description: str = ""


def taxonomy_values(rows: Iterable[Row], *, name: str, source: str) -> dict[str, Any]:
    """Return the values of a taxonomy with these rows, in their order. A word counts once a category."""
    rows = list(rows)
    settings = {row.category: row.word for row in rows if row.role == "setting"}
    exact = settings.get("hyphens") == "exact"
    members: dict[tuple[str, str], dict[tuple[str, bool], Row]] = {}
    for row in rows:
        if row.role != "setting":
            form = row.word if row.pattern or row.after else spaced(row.word, exact=exact)
            members.setdefault((row.role, row.category), {}).setdefault((form, row.after), row)
    values: dict[str, Any] = {
        "taxonomy": name,
        "version": "1.0.0",
        "description": f"Imported from {source.rpartition('/')[2]}.",
        **settings,
        "sets": {},
        "heads": {},
        "modifiers": {},
        "function_words": {},
        "excluded": [],
        "groups": {},
    }
    for (role, category), own in members.items():
        _add(values, role, category, list(own.values()))
    return {key: value for key, value in values.items() if value or key == "heads"}


def _add(values: dict[str, Any], role: str, category: str, rows: list[Row]) -> None:
    words = [row.word for row in rows]
    if role == "excluded":
        values["excluded"] += words
    elif role == "set":
        values["sets"][category] = words
    elif role == "function":
        values["function_words"][category] = words
    elif role == "group":
        group, _, value = category.partition(BETWEEN)
        values["groups"].setdefault(group, {})[value] = words
    elif role == "head":
        values["heads"][category] = _with_words(_about(rows), _without_plurals(rows), {})
    else:
        values["modifiers"][category] = _modifier(rows)


def _about(rows: Sequence[Row]) -> dict[str, Any]:
    first = rows[0]
    return {"description": first.description or f"Imported: {first.category}."}


def _modifier(rows: Sequence[Row]) -> dict[str, Any]:
    first = rows[0]
    values = _about(rows)
    values["evidence"] = first.evidence or "visible"
    values["sensitivity"] = first.sensitivity or "none"
    said_before = [row for row in rows if not row.after]
    shared = _shared_constraints(said_before) if said_before else {}
    values = _with_words(values | shared, said_before, shared)
    if after := [row.word for row in rows if row.after]:
        values["after"] = after
    return values


def _shared_constraints(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the constraints of the category: what every word has. A pattern has no others of its own."""
    shared: dict[str, list[str]] = {}
    common = [name for name in rows[0].not_with if all(name in row.not_with for row in rows)]
    if common:
        shared["not_with"] = common
    patterns = [row for row in rows if row.pattern]
    only = (patterns or rows)[0].only_with
    # A word without `only_with` of its own would take over the category's.
    if only and all(row.only_with for row in rows):
        shared["only_with"] = list(only)
    return shared


def _with_words(
    values: dict[str, Any], rows: Sequence[Row], shared: Mapping[str, list[str]]
) -> dict[str, Any]:
    words = [_entry(row, shared) for row in rows if not row.pattern]
    patterns = [row.word for row in rows if row.pattern]
    if words:
        values["words"] = words
    if patterns:
        values["patterns"] = patterns
    return values


def _entry(row: Row, shared: Mapping[str, list[str]]) -> str | dict[str, Any]:
    entry: dict[str, Any] = {"word": row.word}
    if row.no_plural or row.plural:
        entry["plural"] = None if row.no_plural else row.plural
    not_with = [name for name in row.not_with if name not in shared.get("not_with", ())]
    if not_with:
        entry["not_with"] = not_with
    if row.only_with and list(row.only_with) != shared.get("only_with"):
        entry["only_with"] = list(row.only_with)
    if row.also:
        entry["also"] = list(row.also)
    if row.says:
        entry["says"] = list(row.says)
    return entry if len(entry) > 1 else row.word


def _without_plurals(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without regular plurals of others among them: those are generated."""
    generated = {
        spaced(plural_of(spaced(row.word)))
        for row in rows
        if not row.pattern and not row.plural and not row.no_plural
    }
    return [
        row
        for row in rows
        # One that is said to have no plural is meant to stand by itself.
        if row.pattern or row.plural or row.no_plural or spaced(row.word) not in generated
    ]
