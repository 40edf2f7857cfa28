"""How far two annotators agree, category by category: overlap, kappa, and where they differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from assess.audits.validation import kappa
from assess.domain.listing import categories_of_words
from assess.errors import InputError, Place, Problem, visible
from assess.measures.bias.tables import Estimate
from assess.records import Role
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.strict_yaml import read_text
from assess.taxonomy.word_table import read_table

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
_COUNTS = ("both", "first_only", "second_only", "neither")
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


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """The items of both annotators that got a category from both, from one, from none."""

    role: str
    category: str
    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def overlap(self) -> float:
        """Items with it from both, of those with it from either (Jaccard); undefined where nobody gave it."""
        given = self.both + self.first_only + self.second_only
        return self.both / given if given else float("nan")

    @property
    def kappa(self) -> Estimate:
        """Agreement beyond chance (Cohen 1960), over the items of both."""
        return kappa([[self.both, self.first_only], [self.second_only, self.neither]])


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item to which the two gave different categories."""

    item: str
    first: tuple[Key, ...]  # only from the first
    second: tuple[Key, ...]
    both: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two annotators side by side."""

    first: str
    second: str
    shared: int  # items that both have
    first_items: tuple[str, ...]  # items that only the first has
    second_items: tuple[str, ...]
    identical: int  # shared items with the same categories from both
    categories: tuple[CategoryAgreement, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def overlap(self) -> float:
        """Items that both have, of those that either has; undefined where there are none."""
        total = self.shared + len(self.first_items) + len(self.second_items)
        return self.shared / total if total else float("nan")

    @property
    def overall(self) -> CategoryAgreement:
        """All decisions together: one for each shared item and category."""
        total = [sum(getattr(item, name) for item in self.categories) for name in _COUNTS]
        return CategoryAgreement("", "all", *total)


def agreement(first: Annotations, second: Annotations) -> Agreement:
    """Compare two annotators over the items that both have."""
    shared = sorted(first.items.keys() & second.items.keys())
    given = {item: _resolved(first.items[item], second.items[item]) for item in shared}
    keys = dict.fromkeys(key for pair in given.values() for own in pair for key in sorted(own))
    disagreements = [_disagreement(item, *pair) for item, pair in given.items() if pair[0] != pair[1]]
    return Agreement(
        first=first.name,
        second=second.name,
        shared=len(shared),
        first_items=tuple(sorted(first.items.keys() - second.items.keys())),
        second_items=tuple(sorted(second.items.keys() - first.items.keys())),
        identical=len(shared) - len(disagreements),
        categories=tuple(_category(key, given.values()) for key in sorted(keys)),
        disagreements=tuple(disagreements),
    )


def _resolved(
    first: Iterable[frozenset[Key]], second: Iterable[frozenset[Key]]
) -> tuple[frozenset[Key], frozenset[Key]]:
    """Settle judgements with alternatives: an annotator who allowed what the other said, said it."""
    certain = [
        {next(iter(judgement)) for judgement in judgements if len(judgement) == 1}
        for judgements in (first, second)
    ]
    return frozenset(_settled(first, *certain)), frozenset(_settled(second, *reversed(certain)))


def _settled(judgements: Iterable[frozenset[Key]], own: set[Key], other: set[Key]) -> set[Key]:
    settled = set(own)
    for judgement in sorted(map(sorted, judgements)):
        if len(judgement) > 1:
            # What the other gave and we did not give otherwise; else the first by name.
            allowed = [key for key in judgement if key in other and key not in own]
            settled.add((allowed or judgement)[0])
    return settled


def _category(key: Key, pairs: Iterable[tuple[frozenset[Key], frozenset[Key]]]) -> CategoryAgreement:
    counts = dict.fromkeys(_COUNTS, 0)
    for first, second in pairs:
        way = ("both" if key in second else "first_only") if key in first else None
        counts[way or ("second_only" if key in second else "neither")] += 1
    role, category = key
    return CategoryAgreement(role, category, *counts.values())


def _disagreement(item: str, first: frozenset[Key], second: frozenset[Key]) -> Disagreement:
    ordered = (tuple(sorted(keys)) for keys in (first - second, second - first, first & second))
    return Disagreement(item, *ordered)
