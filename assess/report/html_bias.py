"""Contrasts by group: whom the captions speak of, and what they say of one value more than of another."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from assess.report.cells import count
from assess.report.html_contrasts import Axes, ContrastRow, contrast_row, difference_of
from assess.report.html_input import ReportInput, number
from assess.report.html_links import Number, captions_link
from assess.report.html_words import anchor, share
from assess.report.svg_forest import difference_axis, ratio_axis
from assess.report.svg_stack import shade, stack_chart

_MANY_ROWS = 15
_MARGIN = "0.01,1.5"  # where an audit does not tell its own
VERDICTS = {
    "disparity": "a difference beyond chance and beyond the margin",
    "none": "any difference is shown to be too small to matter",
    "insufficient": "too little evidence to say either",
}


@dataclass(frozen=True, slots=True)
class WhoRow:
    """How many labels of a system are about each value."""

    system: str
    cells: tuple[tuple[Number, str], ...]  # a count, and its share


@dataclass(frozen=True, slots=True)
class GroupPart:
    """All contrasts by one group."""

    name: str
    anchor: str
    note: str  # how the values are told
    values: tuple[tuple[str, str], ...]  # a value, and the class of its colour
    who: tuple[WhoRow, ...]
    who_chart: Markup
    sides: tuple[str, str]  # titles of the two rates
    axis: Markup
    ratio_axis: Markup
    rows: tuple[ContrastRow, ...]
    systems: tuple[str, ...]
    verdicts: tuple[tuple[str, int, bool], ...]  # a verdict, how many have it, whether they show at first
    pairs: tuple[str, ...]
    stratified: bool


def bias_parts(audit: ReportInput) -> list[GroupPart]:
    """Return the parts of the page about groups, one a group."""
    return [_group_part(audit, name) for name in audit.bias]


def _group_part(audit: ReportInput, name: str) -> GroupPart:
    part = audit.bias[name]
    cells = sorted(part["cells"], key=by_verdict)
    values = list(part["columns"])
    pairs = [tuple(pair) for pair in part["pairs"]]
    axes = _axes(audit, cells)
    first, second = pairs[0] if len(pairs) == 1 else ("the first", "the second")
    counts = {system: [labels.get(v, 0) for v in values] for system, labels in part["labels"].items()}
    rows = tuple(contrast_row(cell, name, axes) for cell in cells)
    return GroupPart(
        name=name,
        anchor=anchor(name),
        note=_note(part, name),
        values=tuple((value, shade(place)) for place, value in enumerate(values)),
        who=tuple(_who(name, values, system, numbers) for system, numbers in counts.items()),
        who_chart=stack_chart(f"Labels by {name}", counts, values),
        sides=(first, second),
        axis=axes.differences.axis(f"more of {second}", f"more of {first}"),
        ratio_axis=axes.ratios.axis(f"more of {second}", f"more of {first}"),
        rows=rows,
        systems=tuple(system for system in audit.systems if any(row.system == system for row in rows)),
        verdicts=tuple(_verdicts(cells)),
        pairs=tuple(", ".join(pair) for pair in pairs),
        stratified=any(row.strata for row in rows),
    )


def _axes(audit: ReportInput, cells: Sequence[dict[str, Any]]) -> Axes:
    difference, ratio = str(audit.signature.settings.get("margin", _MARGIN)).split(",")
    intervals = [(difference_of(cell), cell["verdict"]) for cell in cells]
    return Axes(difference_axis(intervals, margin=float(difference) * 100), ratio_axis(float(ratio)))


def _note(part: dict[str, Any], name: str) -> str:
    if part["told_by"] == "images":
        return "As a file tells of each image, whatever the captions say."
    return f"By the captions’ words, which are not identities. Neutral: the noun tells no {name}."


def by_verdict(cell: dict[str, Any]) -> tuple[int, float, str, str]:
    """Sort contrasts: disparities first, then those without, then the open ones; the largest first."""
    size = abs(number(cell["risk_difference"][0]))
    place = list(VERDICTS).index(cell["verdict"])
    return place, -size if math.isfinite(size) else 0.0, cell["system"], cell["category"]


def _who(group: str, values: Sequence[str], system: str, numbers: Sequence[int]) -> WhoRow:
    total = sum(numbers)
    cells = (
        (
            Number(count(n), n, captions_link(system=system, by=(group, value)) if n else None),
            share(n, total),
        )
        for value, n in zip(values, numbers, strict=True)
    )
    return WhoRow(system, tuple(cells))


def _verdicts(cells: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int, bool]]:
    """Yield the verdicts; the many without evidence are not shown at first where others are."""
    counts = Counter(cell["verdict"] for cell in cells)
    crowded = len(cells) > _MANY_ROWS and counts["insufficient"] < len(cells)
    for verdict in VERDICTS:
        yield verdict, counts[verdict], not (verdict == "insufficient" and crowded)
