"""Categories that somebody gave to items: a taxonomy's words, or a table of annotated phrases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assess.errors import InputError, Place, Problem, visible
from assess.records import Role
from assess.taxonomy.listing import categories_of_words
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.nodes import read_text
from assess.taxonomy.table_text import read_table

Key = tuple[str, str]
"""A role ("head", "modifier" or "") and a category."""

ITEM_COLUMNS = ("phrase", "text", "item", "label", "word", "id")
CATEGORY_COLUMNS: dict[str, str] = {
    "heads": "head",
    "head": "head",
    "modifiers": "modifier",
    "modifier": "modifier",
    "categories": "",
    "category": "",
}
_ROLES: tuple[Role, ...] = ("head", "modifier")
_HINT = "columns: phrase (or text, item, id), and heads, modifiers or categories"


@dataclass(frozen=True, slots=True)
class Annotations:
    """Items, each with the categories that one annotator gave it.

    A judgement is a set of categories of which any one satisfies it: "age/build" in a table.
    """

    name: str
    items: Mapping[str, frozenset[frozenset[Key]]]


def taxonomy_annotations(taxonomy: Taxonomy, *, name: str) -> Annotations:
    """Return a taxonomy's words as items. The same word as head and as modifier is one item."""
    items: dict[str, set[frozenset[Key]]] = {}
    for role in _ROLES:
        for word, categories in categories_of_words(taxonomy, role).items():
            items.setdefault(word, set()).update(frozenset({(role, category)}) for category in categories)
    return Annotations(name, {word: frozenset(own) for word, own in items.items()})


def read_annotations(path: Path) -> Annotations:
    """Read a table (CSV or TSV) of items and their categories; an item may have several rows."""
    header, rows = read_table(read_text(path), file=str(path))
    item = next((name for name in ITEM_COLUMNS if name in header), None)
    given = {name: role for name, role in CATEGORY_COLUMNS.items() if name in header}
    if item is None or not given:
        what = "an item" if item is None else "categories"
        raise InputError(f"no column has {what}", place=Place(str(path), line=1), hint=_HINT)
    lost = [row for row in rows if not row.cells[item]]
    if lost:
        raise InputError(Problem("a row without its item", Place(str(path), line=row.line)) for row in lost)
    items: dict[str, set[frozenset[Key]]] = {}
    for row in rows:
        own = items.setdefault(row.cells[item], set())
        for column, role in given.items():
            own |= _judgements(row.cells[column], role)
    return Annotations(visible(path.name, 40), {name: frozenset(own) for name, own in items.items()})


def _judgements(cell: str, role: str) -> set[frozenset[Key]]:
    """Return what a cell says: categories separated by spaces, commas, semicolons or bars."""
    return {
        frozenset((role, category) for category in part.split("/") if category)
        for part in re.split(r"[\s,;|]+", cell.strip())
        if part.strip("/")
    }
