"""Categories by systems: a table whose cells are coloured by how often a category is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assess.report.cells import count
from assess.report.html_input import ReportInput
from assess.report.html_links import Number, captions_link
from assess.report.html_words import share

_STEPS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
"""Shares at which the next colour begins. They are uneven: most categories are rare."""
LEGEND = ("none", "<1%", "1–2%", "2–5%", "5–10%", "10–20%", "20–40%", "40–70%", "≥70%")
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class HeatCell:
    """How often one system says one category."""

    share: Number
    labels: str
    level: int  # of colour, from 0
    others: Number | None  # labels that have it in other readings only


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """One category in all systems."""

    name: str
    description: str
    tags: tuple[tuple[str, str], ...]  # a kind, such as sensitivity, and its value
    cells: tuple[HeatCell, ...]
    examples: tuple[tuple[str, str], ...]
    never: bool


@dataclass(frozen=True, slots=True)
class Categories:
    """The heat map, one block a role."""

    systems: tuple[str, ...]
    blocks: tuple[tuple[str, tuple[CategoryRow, ...]], ...]


def categories_part(audit: ReportInput) -> Categories:
    """Return the part of the page about categories."""
    keys = list(dict.fromkeys(key for system in audit.systems.values() for key in system["categories"]))
    blocks = tuple(
        (
            f"{role}s",
            tuple(_row(audit, key) for key in keys if key.startswith(f"{role}.")),
        )
        for role in ("modifier", "head")
    )
    return Categories(tuple(audit.systems), tuple(block for block in blocks if block[1]))


def describe(audit: ReportInput, key: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a category's description, and what is special about it, where the audit has them."""
    found = audit.results["categories"].get(key, {})
    tags = [("sensitivity", found.get("sensitivity", "none")), ("evidence", found.get("evidence", "visible"))]
    return found.get("description", ""), tuple(tag for tag in tags if tag[1] not in ("none", "visible"))


def level(value: float) -> int:
    """Return the colour of a share: 0 for none, then one step up for each limit it reaches."""
    return 0 if not value > 0 else sum(value >= step for step in _STEPS)


def _row(audit: ReportInput, key: str) -> CategoryRow:
    found = {name: system["categories"].get(key, {}) for name, system in audit.systems.items()}
    description, tags = describe(audit, key)
    return CategoryRow(
        name=key.partition(".")[2],
        description=description,
        tags=tags,
        cells=tuple(_cell(audit, name, key, item) for name, item in found.items()),
        examples=tuple(_examples(key, list(found.values()))),
        never=not any(item.get("labels") for item in found.values()),
    )


def _cell(audit: ReportInput, system: str, key: str, item: dict[str, Any]) -> HeatCell:
    labels, best, union = audit.systems[system]["labels"], item.get("best_labels", 0), item.get("labels", 0)
    value = best / labels if labels else float("nan")
    others = None
    if not best and union:
        others = Number(f"({count(union)})", union, captions_link(system=system, category=key, reading="any"))
    shown = share(best, labels) if best or not labels else "·"
    href = captions_link(system=system, category=key) if best else None
    return HeatCell(Number(shown, value, href), count(best) if best else "", level(value), others)


def _examples(key: str, items: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield examples of all systems, by turns, so that none drowns the others."""
    longest = max((len(item.get("examples", ())) for item in items), default=0)
    turns = [item["examples"][at] for at in range(longest) for item in items if at < len(item["examples"])]
    for text in list(dict.fromkeys(turns))[:_EXAMPLES]:
        yield text, captions_link(label=text, category=key, reading="any")
