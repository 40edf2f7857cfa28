"""Delicate categories that are said at all: what is protected, personal, offensive, or not to be seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from assess.report.cells import count
from assess.report.html_input import ReportInput
from assess.report.html_links import Number, captions_link

_WORDS = 6


@dataclass(frozen=True, slots=True)
class MarkedRow:
    """One delicate category in all systems."""

    category: str
    sensitivity: str
    evidence: str
    cells: tuple[Number, ...]  # labels, by system
    words: tuple[tuple[str, int], ...]  # the commonest, in all systems


@dataclass(frozen=True, slots=True)
class Marked:
    """All delicate categories."""

    systems: tuple[str, ...]
    rows: tuple[MarkedRow, ...]


def marked_part(audit: ReportInput) -> Marked:
    """Return the delicate categories, where the audit has them."""
    rows = []
    for item in audit.results.get("markedness", ()):
        words: Counter[str] = Counter()
        for found in item["words"].values():
            words.update(found)
        commonest = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:_WORDS]
        cells = tuple(_cell(item["category"], name, item["labels"].get(name, 0)) for name in audit.systems)
        row = MarkedRow(item["category"], item["sensitivity"], item["evidence"], cells, tuple(commonest))
        if any(cell.sort for cell in cells):
            rows.append(row)
    return Marked(tuple(audit.systems), tuple(rows))


def _cell(category: str, system: str, labels: int) -> Number:
    if not labels:
        return Number("·", 0)
    return Number(count(labels), labels, captions_link(system=system, category=f"modifier.{category}"))
