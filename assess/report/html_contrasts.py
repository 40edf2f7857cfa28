"""The rows of a forest plot: one category of one system, for two values of a group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from assess.report.cells import count, percent
from assess.report.html_input import number
from assess.report.html_links import Number, captions_link
from assess.report.html_strata import Strata, ratio_text, strata_of
from assess.report.html_words import points
from assess.report.svg_forest import Forest, Interval

_WORDS = 6


@dataclass(frozen=True, slots=True)
class Axes:
    """The two axes that all rows of a group share."""

    differences: Forest  # in percentage points
    ratios: Forest


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """One contrast, and what must be known before it is quoted."""

    system: str
    category: str
    pair: str
    plot: Markup
    rates: tuple[Number, Number]
    difference: Number
    q: Number
    verdict: str
    reason: str
    cautions: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    strata: tuple[Strata, ...]


def contrast_row(cell: dict[str, Any], group: str, axes: Axes) -> ContrastRow:
    """Return a row from a cell of a saved audit."""
    interval = difference_of(cell)
    return ContrastRow(
        system=cell["system"],
        category=cell["category"],
        pair=f"{cell['group']}, {cell['against']}",
        plot=axes.differences.row(interval, verdict=cell["verdict"]),
        rates=(
            _rate(cell, group, cell["group"], cell["yes"], cell["rate"]),
            _rate(cell, group, cell["against"], cell["other_yes"], cell["other_rate"]),
        ),
        difference=Number(points(cell["risk_difference"]), interval.value),
        q=Number(small(number(cell["q"])), number(cell["q"])),
        verdict=cell["verdict"],
        reason=cell["reason"],
        cautions=tuple(caution["text"] for caution in cell.get("cautions", ())),
        facts=tuple(_facts(cell)),
        strata=strata_of(cell.get("stratified") or {}, axes.ratios),
    )


def difference_of(cell: dict[str, Any]) -> Interval:
    """Return a cell's risk difference in percentage points."""
    value, low, high = (number(bound) * 100 for bound in cell["risk_difference"])
    return Interval(value, low, high)


def small(value: float) -> str:
    """Return a p or q value."""
    if math.isnan(value):
        return "–"
    return "<.0001" if value < 0.0001 else f"{value:.4f}".lstrip("0") if value < 1 else "1"


def _rate(cell: dict[str, Any], group: str, value: str, yes: int, rate: Any) -> Number:
    category = f"{cell['role']}.{cell['category']}"
    href = captions_link(system=cell["system"], category=category, by=(group, value))
    return Number(percent(number(rate)), number(rate), href if yes else None)


def _facts(cell: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for value, yes, labels in (
        (cell["group"], cell["yes"], cell["labels"]),
        (cell["against"], cell["other_yes"], cell["other_labels"]),
    ):
        yield value, f"{count(yes)} of {count(labels)} labels"
    yield "odds ratio", ratio_text([number(bound) for bound in cell["odds_ratio"]])
    yield "p", f"{small(number(cell['p']))} (smallest possible {small(number(cell['smallest_p']))})"
    if cell.get("bootstrap"):
        yield "over images", f"{points(cell['bootstrap']['risk_difference'])}, bootstrap"
    if cell.get("readings") and cell["readings"]["yes"][1] + cell["readings"]["other_yes"][1] != (
        cell["yes"] + cell["other_yes"]
    ):
        readings = cell["readings"]
        yield "all readings", f"{points(readings['risk_difference'])}, verdict {readings['verdict']}"
    if cell.get("amplification"):
        yield from _beside(cell)
    if scores := (cell.get("words") or {}).get("scores", ()):
        yield "words", _words(scores)


def _beside(cell: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the same contrast in human captions of the same images, one drawn for each."""
    found = cell["amplification"]
    rates = ", ".join(
        f"{value} {percent(number(found[side]['reference_rate']))}"
        for value, side in ((cell["group"], "group"), (cell["against"], "against"))
    )
    yield "references", f"{rates}; in {count(found['images'])} images, one caption each"
    yield "more than they", f"{points(found['risk_difference_change'])}, bootstrap"


def _words(scores: Sequence[dict[str, Any]]) -> str:
    return ", ".join(f"{item['word']} {item['count']}:{item['other_count']}" for item in scores[:_WORDS])
