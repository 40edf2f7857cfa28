"""Agreement of two annotators or taxonomies: on a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from assess.domain.agreement import Agreement, CategoryAgreement, Disagreement, Key
from assess.measures.bias.tables import Estimate
from assess.report.terminal import new_table
from assess.report.text import UNDEFINED, count, percent, plain, rate
from assess.signature import Signature


def agreement_report(result: Agreement, *, most: int) -> Iterator[RenderableType]:
    """Yield the parts of `assess domain agree`."""
    yield _categories_table(result)
    yield from _only_table(result, most)
    if result.disagreements:
        yield _disagreements_table(result, most)
    elif result.shared:
        yield Text("No disagreement.", style="dim")


def _categories_table(result: Agreement) -> Table:
    table = new_table(
        f"{result.first} and {result.second}",
        caption=f"{count(result.shared)} items ({percent(result.overlap)}) are in both,"
        f" {count(result.identical)} with the same categories.\n"
        "overlap: items with the category from both, of those with it from either;"
        "\nkappa: agreement beyond chance over the items of both, with its 95% interval.",
    )
    table.add_column("\ncategory", overflow="fold")
    for name in ("\nboth", "only\nfirst", "only\nsecond", "\noverlap", "\nkappa", "\n95%"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in sorted(result.categories, key=_by_disagreement):
        # Most are modifiers: without the role the names of all of them fit.
        name = item.category if item.role == "modifier" else key_text((item.role, item.category))
        table.add_row(plain(name, 40), *_cells(item))
    table.add_section()
    table.add_row(Text("all decisions", style="bold"), *_cells(result.overall))
    return table


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


def _only_table(result: Agreement, most: int) -> Iterator[RenderableType]:
    for name, items in ((result.first, result.first_items), (result.second, result.second_items)):
        if items:
            rest = f", … and {count(len(items) - most)} more" if len(items) > most else ""
            line = Text(f"Only in {name} ({count(len(items))}): ")
            yield line.append_text(plain(", ".join(items[:most]), 2_000)).append(rest)


def _disagreements_table(result: Agreement, most: int) -> Table:
    shown = result.disagreements[:most]
    total = len(result.disagreements)
    rest = f"and {count(total - len(shown))} more (--most)" if total > len(shown) else None
    table = new_table("Disagreements", caption=rest)
    table.add_column("item", overflow="fold")
    for name in (f"only {result.first}", f"only {result.second}", "both"):
        table.add_column(plain(name, 40), overflow="fold")
    for item in shown:
        cells = (_keys(item.first), _keys(item.second), _keys(item.both))
        table.add_row(plain(item.item, 80), *cells)
    return table


def _keys(keys: Sequence[Key]) -> Text:
    return plain(", ".join(map(key_text, keys)) or UNDEFINED, 200)


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
