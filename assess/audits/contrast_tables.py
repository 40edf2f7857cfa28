"""The contrasts of a saved audit as tables, one per group."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from assess.audits.html.bias import by_verdict, difference_of
from assess.audits.result import AuditResult
from assess.measures.bias.result import ContrastCell
from assess.measures.bias.statistics import STATISTICS
from assess.measures.bias.verdict import VERDICTS
from assess.report.html.parts import anchor, plural, signed
from assess.report.section import Cell, Column, Table, words
from assess.report.section import cell as number_cell
from assess.report.text import count, p_value, percent


def contrast_table(audit: AuditResult, group: str, *, everything: bool) -> Table:
    """Return the contrasts by one group, disparities first."""
    part = audit.groups[group]
    cells = sorted(part.cells, key=by_verdict)
    shown = [cell for cell in cells if everything or cell.verdict != "insufficient"]
    # With one pair of values its two rates stand under their names, as a reader of a paper expects.
    only = tuple(part.pairs[0]) if len(part.pairs) == 1 and not everything else None
    rows = tuple(tuple(_cells(cell, everything, named=only is None)) for cell in shown)
    notes = tuple(_notes(audit, cells))
    return Table(
        file_name(group),
        f"Contrasts by {group}",
        tuple(_columns(everything, only)),
        rows,
        notes,
        shown=frozenset({"csv"}) if everything else frozenset({"paper"}),
    )


def _columns(everything: bool, only: tuple[str, ...] | None) -> Iterator[Column]:
    yield Column("system", "system", words=True)
    yield Column("category", "category", words=True)
    if only is None:
        yield Column("group", "of", words=True)
        yield Column("against", "against", words=True)
    for prefix, name in zip(("", "other_"), only or ("rate", "other rate"), strict=True):
        if everything:
            yield Column(f"{prefix}yes", "with it")
            yield Column(f"{prefix}labels", "labels")
        yield Column(f"{prefix}rate", name)
    yield Column("difference", "points")
    yield Column("low", "from")
    yield Column("high", "to")
    yield Column("odds_ratio", "odds ratio")
    yield Column("q", "q")
    yield from (Column(each.key, each.heading) for each in STATISTICS.values())
    yield Column("verdict", "verdict", words=True)


def file_name(group: str) -> str:
    """Return what the files of a group are called; its name may come from a file of a stranger."""
    return "bias_" + anchor(group).removeprefix("by-").replace("-", "_").strip("_")


def _cells(cell: ContrastCell, everything: bool, *, named: bool) -> Iterator[Cell]:
    role = "" if cell.role == "modifier" else f"{cell.role}."
    yield words(cell.system)
    yield words(role + cell.category)
    if named:
        yield words(cell.group)
        yield words(cell.against)
    for yes, labels, rate in (
        (cell.yes, cell.labels, cell.rate),
        (cell.other_yes, cell.other_labels, cell.other_rate),
    ):
        if everything:
            yield number_cell(yes, count)
            yield number_cell(labels, count)
        yield number_cell(rate, percent)
    found = difference_of(cell)
    for value in (found.value, found.low, found.high):
        yield Cell(signed(value), value)
    ratio = cell.odds_ratio.value
    yield Cell("–" if ratio != ratio else f"{ratio:.2f}" if ratio != float("inf") else "∞", ratio)
    yield Cell(p_value(cell.q), cell.q)
    for statistic in STATISTICS.values():
        found_value: Any = cell.extra.get(statistic.key)
        exact = found_value[0] if isinstance(found_value, tuple | list) else found_value
        yield Cell(statistic.text(found_value), math.nan if exact is None else exact)
    yield words(cell.verdict)


def _notes(audit: AuditResult, cells: Sequence[ContrastCell]) -> Iterator[str]:
    level = float(str(audit.signature.settings.get("level", 0.95)))
    yield (
        "Rates: labels that carry the category, of all labels about that value; their difference in"
        f" percentage points with its {level:.0%} interval; q: Benjamini–Hochberg"
    )
    counts = Counter(cell.verdict for cell in cells)
    told = "; ".join(f"{verdict} ({counts[verdict]}): {meaning}" for verdict, meaning in VERDICTS.items())
    yield f"{plural(len(cells), 'contrast')}. {told}"
