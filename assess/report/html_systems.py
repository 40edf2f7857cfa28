"""Systems side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from assess.report.cells import count, percent, rate
from assess.report.html_input import ReportInput, number
from assess.report.html_links import Number, captions_link
from assess.report.html_words import anchor
from assess.report.svg_bars import Bar, bar_chart


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system's numbers, in the order of the columns."""

    name: str
    human: bool
    cells: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Systems:
    """The table of systems, and its charts."""

    columns: tuple[tuple[str, str], ...]  # the title of a column, and what it means
    rows: tuple[SystemRow, ...]
    charts: tuple[tuple[str, str, Markup], ...]  # a title, what it means, and the drawing


def systems_part(audit: ReportInput) -> Systems:
    """Return the part of the page about systems."""
    groups = list(audit.bias)
    return Systems(
        columns=(*_COLUMNS, *((f"disparities by {name}", "Contrasts with that verdict.") for name in groups)),
        rows=tuple(
            SystemRow(name, bool(system.get("reference")), tuple(_cells(audit, name)))
            for name, system in audit.systems.items()
        ),
        charts=tuple(_charts(audit)),
    )


_COLUMNS = (
    ("captions", "All captions, with and without labels."),
    ("labels", "Phrases of the domain, such as a noun with what is said about it."),
    ("modifiers a label", "Modifier categories a label, in the best reading."),
    ("modifier categories", "Modifier categories that are used at all, in the best reading."),
    ("head categories", "Head categories that are used at all, in the best reading."),
    ("a label, all readings", "Modifier categories a label, in the union over all readings, as in papers."),
    ("read in full", "Labels whose every word the taxonomy knows."),
    ("read in part", "Labels with an unknown word among known ones."),
    ("not read", "Labels in which no category was found."),
)


def _cells(audit: ReportInput, name: str) -> Iterator[Number]:
    system = audit.systems[name]
    labels, best = system["labels"], system["best"]
    partial, uncovered = system.get("partial_labels", 0), system.get("uncovered_labels", 0)
    full = (labels - partial - uncovered) / labels if labels else float("nan")
    yield Number(count(system["captions"]), system["captions"])
    yield Number(count(labels), labels, captions_link(system=name))
    yield _rate(best, captions_link(system=name, modified="yes"))
    yield Number(count(best["modifier_categories"]), best["modifier_categories"], "#categories")
    yield Number(count(best["head_categories"]), best["head_categories"], "#categories")
    yield _rate(system, captions_link(system=name, modified="yes", reading="any"))
    yield Number(percent(full), full, captions_link(system=name, read="full"))
    yield Number(count(partial), partial, captions_link(system=name, read="partial"))
    yield Number(count(uncovered), uncovered, captions_link(system=name, read="none"))
    for group, part in audit.bias.items():
        found = sum(cell["system"] == name and cell["verdict"] == "disparity" for cell in part["cells"])
        yield Number(count(found), found, f"#{anchor(group)}")


def _rate(counts: dict[str, Any], href: str) -> Number:
    value = number(counts.get("modifiers_per_label"))
    return Number(rate(value), value, href)


def _charts(audit: ReportInput) -> Iterator[tuple[str, str, Markup]]:
    bars = [
        Bar(name, value, rate(value), human=bool(system.get("reference")))
        for name, system in audit.systems.items()
        for value in (number(system["best"]["modifiers_per_label"]),)
    ]
    title = "Modifiers a label"
    yield title, "How much a label says about whom or what it names.", bar_chart(title, bars)
    total = max(sum(key.startswith("modifier.") for key in s["categories"]) for s in audit.systems.values())
    bars = [
        Bar(name, used, f"{used} of {total}", human=bool(system.get("reference")))
        for name, system in audit.systems.items()
        for used in (system["best"]["modifier_categories"],)
    ]
    title = "Modifier categories used"
    yield (
        title,
        f"How many of the domain's {total} kinds of modifiers ever occur.",
        bar_chart(title, bars, limit=total),
    )
