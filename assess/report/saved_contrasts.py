"""The contrasts of a saved audit as tables, one a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from assess.report.html_bias import VERDICTS, by_verdict
from assess.report.html_contrasts import small
from assess.report.html_input import ReportInput, number
from assess.report.html_words import anchor, plural, signed
from assess.report.table import Cell, Column, ReportTable, share, whole, words


def contrast_tables(audit: ReportInput, *, everything: bool) -> list[ReportTable]:
    """Return the contrasts of each group: those that are decided, or all."""
    return [contrast_table(audit, group, everything=everything) for group in audit.bias]


def contrast_table(audit: ReportInput, group: str, *, everything: bool) -> ReportTable:
    """Return the contrasts by one group, disparities first."""
    part = audit.bias[group]
    cells = sorted(part["cells"], key=by_verdict)
    shown = [cell for cell in cells if everything or cell["verdict"] != "insufficient"]
    # With one pair of values its two rates stand under their names, as a reader of a paper expects.
    only = tuple(part["pairs"][0]) if len(part["pairs"]) == 1 and not everything else None
    rows = tuple(tuple(_cells(cell, everything, named=only is None)) for cell in shown)
    notes = tuple(_notes(audit, cells))
    return ReportTable(
        file_name(group), f"Contrasts by {group}", tuple(_columns(everything, only)), rows, notes
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
    yield Column("verdict", "verdict", words=True)


def file_name(group: str) -> str:
    """Return what the files of a group are called; its name may come from a file of a stranger."""
    return "bias_" + anchor(group).removeprefix("by-").replace("-", "_").strip("_")


def _cells(cell: dict[str, Any], everything: bool, *, named: bool) -> Iterator[Cell]:
    role = "" if cell["role"] == "modifier" else f"{cell['role']}."
    yield words(cell["system"])
    yield words(role + cell["category"])
    if named:
        yield words(cell["group"])
        yield words(cell["against"])
    for yes, labels, rate in (("yes", "labels", "rate"), ("other_yes", "other_labels", "other_rate")):
        if everything:
            yield whole(cell[yes])
            yield whole(cell[labels])
        yield share(number(cell[rate]))
    for bound in cell["risk_difference"]:
        value = number(bound) * 100
        yield Cell(signed(value), value)
    ratio = number(cell["odds_ratio"][0])
    yield Cell("–" if ratio != ratio else f"{ratio:.2f}" if ratio != float("inf") else "∞", ratio)
    yield Cell(small(number(cell["q"])), number(cell["q"]))
    yield words(cell["verdict"])


def _notes(audit: ReportInput, cells: Sequence[dict[str, Any]]) -> Iterator[str]:
    level = float(str(audit.signature.settings.get("level", 0.95)))
    yield (
        "Rates: labels that carry the category, of all labels about that value; their difference in"
        f" percentage points with its {level:.0%} interval; q: Benjamini–Hochberg"
    )
    counts = Counter(cell["verdict"] for cell in cells)
    told = "; ".join(f"{verdict} ({counts[verdict]}): {meaning}" for verdict, meaning in VERDICTS.items())
    yield f"{plural(len(cells), 'contrast')}. {told}"
