"""How far two annotators agree, category by category: overlap, kappa, and where they differ."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assess.audits.ratings import kappa
from assess.domain.overview import categories_of_words
from assess.errors import InputError, Place, Problem, UsageError, visible
from assess.measures.bias.tables import Estimate
from assess.records import Role
from assess.report.section import Column, Table, number_columns, row_of, text_columns, words
from assess.report.terminal import terminal_table
from assess.report.text import UNDEFINED, count, percent, plain, rate
from assess.signature import Signature
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
        raise InputError(f"there is no column with {what}", place=Place(str(path), line=1), hint=_HINT)
    lost = [row for row in rows if not row.cells[item]]
    if lost:
        raise InputError(Problem("the row has no item", Place(str(path), line=row.line)) for row in lost)
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


def renamed(annotations: Annotations, renames: Iterable[str]) -> Annotations:
    """Return the same judgements with other names of categories, as in `color=clothing-color/skin-color`.

    A name may have its role, as in `modifier.color`. Several new names are alternatives.
    """
    given = {key for own in annotations.items.values() for judgement in own for key in judgement}
    names: dict[Key, frozenset[Key]] = {}
    for rename in renames:
        old, equals, new = rename.partition("=")
        if not (equals and old and all(new.split("/"))):
            hint = "for example --rename color=clothing-color, or =a/b to allow either"
            raise UsageError(f"'{visible(rename)}' is not OLD=NEW", hint=hint)
        meant = [key for key in given if old in (key[1], key_text(key))]
        if not meant:
            close = difflib.get_close_matches(old, sorted({category for _, category in given}), n=1)
            hint = f"did you mean '{close[0]}'?" if close else ""
            raise UsageError(f"{annotations.name} has no category '{visible(old)}'", hint=hint)
        names |= {(role, name): frozenset((role, one) for one in new.split("/")) for role, name in meant}
    items = {
        item: frozenset(
            frozenset().union(*(names.get(key, frozenset({key})) for key in judgement)) for judgement in own
        )
        for item, own in annotations.items.items()
    }
    return Annotations(annotations.name, items)


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


# Agreement of two annotators or taxonomies: on a terminal, and as JSON.


def agreement_report(result: Agreement, *, most: int, width: int) -> Iterator[RenderableType]:
    """Yield the parts of `assess domain agree`."""
    yield from terminal_table(_categories_table(result), width=width)
    yield from _only_lines(result, most)
    if result.disagreements:
        yield from terminal_table(_disagreements_table(result, most), width=width)
    elif result.shared:
        yield Text("No disagreement.", style="dim")


def _categories_table(result: Agreement) -> Table:
    columns = (
        *text_columns("category"),
        *number_columns("both"),
        *(Column(name, name, "only in the") for name in ("first", "second")),
        *number_columns("overlap", "kappa", "95%"),
    )
    rows = [
        # Most are modifiers: without the role the names of all of them fit.
        row_of(
            item.category if item.role == "modifier" else key_text((item.role, item.category)), *_cells(item)
        )
        for item in sorted(result.categories, key=_by_disagreement)
    ]
    rows.append(row_of(words("all decisions", style="bold"), *_cells(result.overall)))
    notes = (
        f"{count(result.shared)} items ({percent(result.overlap)}) are in both,"
        f" {count(result.identical)} with the same categories.",
        "overlap: items that both give the category, as a share of those that either gives it;"
        " kappa: agreement beyond chance over shared items, with its 95% interval.",
    )
    title, breaks = f"{result.first} and {result.second}", (len(rows) - 1,)
    return Table("agreement", title, columns, tuple(rows), notes, breaks=breaks)


def _by_disagreement(item: CategoryAgreement) -> tuple[int, str, str]:
    return -(item.first_only + item.second_only), item.role, item.category


def _cells(item: CategoryAgreement) -> Iterator[str]:
    yield from (count(number) for number in (item.both, item.first_only, item.second_only))
    yield percent(item.overlap, 0)
    yield rate(item.kappa.value)
    yield _interval(item.kappa)


def _interval(found: Estimate) -> str:
    low, high = rate(found.low), rate(found.high)
    return UNDEFINED if UNDEFINED in (low, high) else f"{low} to {high}"


def _only_lines(result: Agreement, most: int) -> Iterator[RenderableType]:
    for name, items in ((result.first, result.first_items), (result.second, result.second_items)):
        if items:
            rest = f", … and {count(len(items) - most)} more" if len(items) > most else ""
            line = Text(f"Only in {name} ({count(len(items))}): ")
            yield line.append_text(plain(", ".join(items[:most]), 2_000)).append(rest)


def _disagreements_table(result: Agreement, most: int) -> Table:
    shown = result.disagreements[:most]
    more = len(result.disagreements) - len(shown)
    notes = (f"and {count(more)} more (--most)",) if more else ()
    columns = text_columns("item", f"only {result.first}", f"only {result.second}", "both")
    rows = tuple(row_of(item.item, *map(_keys, (item.first, item.second, item.both))) for item in shown)
    return Table("disagreements", "Disagreements", columns, rows, notes)


def _keys(keys: Sequence[Key]) -> str:
    return ", ".join(map(key_text, keys)) or UNDEFINED


def agreement_shape(signature: Signature, result: Agreement) -> dict[str, Any]:
    """Return the shape of `assess domain agree --json`."""
    return {
        "signature": signature.as_dict(),
        "first": result.first,
        "second": result.second,
        "shared": result.shared,
        "overlap": result.overlap,
        "identical": result.identical,
        "only_first": result.first_items,
        "only_second": result.second_items,
        "overall": _category_shape(result.overall),
        "categories": [_category_shape(item) for item in result.categories],
        "disagreements": [_disagreement_shape(item) for item in result.disagreements],
    }


def _category_shape(item: CategoryAgreement) -> dict[str, Any]:
    found = item.kappa
    return {
        "role": item.role or None,
        "category": item.category,
        "both": item.both,
        "only_first": item.first_only,
        "only_second": item.second_only,
        "neither": item.neither,
        "overlap": item.overlap,
        "kappa": [found.value, found.low, found.high],
    }


def _disagreement_shape(item: Disagreement) -> dict[str, Any]:
    return {
        "item": item.item,
        "first": [key_text(key) for key in item.first],
        "second": [key_text(key) for key in item.second],
        "both": [key_text(key) for key in item.both],
    }


def key_text(key: Key) -> str:
    """Return a category with its role, where it has one."""
    role, category = key
    return f"{role}.{category}" if role else category
