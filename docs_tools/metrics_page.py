"""The page of measures, generated from their definitions in the code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assess.measures import metric as definitions
from assess.measures.bias import statistics as audit
from assess.measures.bias.statistics import STATISTICS
from assess.measures.registry import find_measure, others
from assess.report.quantity import Quantity
from docs_tools.markdown import DASH, code, page, table

BIBLIOGRAPHY = Path(__file__).resolve().parents[1] / "docs" / "references.bib"
_DIRECTIONS = {"higher": "higher", "lower": "lower", "neither": DASH}


def families() -> dict[str, tuple[str, tuple[Quantity[Any], ...]]]:
    """Return all reported numbers: a family, the commands that show it, its definitions."""
    return {
        "Coverage": ("`assess audit`, `assess coverage`", definitions.COVERAGE),
        "A taxonomy's coverage": ("`assess domain coverage`", definitions.DOMAIN),
        **_reported_by("diversity"),
        **_reported_by("recall"),
        **_reported_by("syntax"),
        **_reported_by("leakage"),
        **_reported_by("amplification"),
        "Associations": (
            "`assess bias`, `assess audit`",
            (*audit.CELL, *(each.definition for each in STATISTICS.values())),
        ),
        "Beside strata and references": ("`assess bias`", audit.BESIDE),
        **_reported_by("errors"),
        "Validation by people": ("`assess score`", audit.VALIDATION),
        **_reported_by("selection"),
        **_reported_by("pregen"),
        **_reported_by("postgen"),
        **_reported_by("correlation"),
        **{title: found for name in others() for title, found in _reported_by(name).items()},
    }


_COMMANDS = {"selection": "select", "correlation": "correlate"}


def _reported_by(name: str) -> dict[str, tuple[str, tuple[Quantity[Any], ...]]]:
    """Return a measure's own definitions of its numbers."""
    return {
        title: (f"`assess {_COMMANDS.get(name, name)}`", tuple(quantities))
        for title, quantities in find_measure(name).quantities().items()
    }


def metrics_page() -> str:
    """Return every measure with formula, direction, source and when it is undefined."""
    introduction = (
        "This page defines every number that `assess` reports. *Better* is the direction of more"
        f" diverse, more complete or more complex language; {DASH} means that there is none. An"
        f" undefined value is {DASH} in reports and `null` in JSON, never 0. Names are the keys of"
        " JSON and CSV. [Measures](../measures.md), [auditing](../auditing.md),"
        " [errors](../errors.md), [content selection](../content-selection.md) and [pre-gen"
        " metrics](../pregen.md) explain them."
    )
    sections = [_section(title, commands, found) for title, (commands, found) in families().items()]
    return page("Metrics", introduction, [*sections, _sources(used_keys())])


def _section(title: str, commands: str, found: Iterable[Quantity[Any]]) -> str:
    rows = [
        (
            code(one.key),
            one.formula,
            _DIRECTIONS[one.direction],
            f"[{_short(one.reference)}](#sources)" if one.reference else DASH,
            one.undefined or "never",
        )
        for one in found
    ]
    headings = ("name", "definition", "better", "source", "undefined if")
    return f"## {title}\n\nIn {commands}.\n\n{table(headings, rows)}"


def used_keys() -> list[str]:
    """Return the keys of all sources that definitions name, in alphabetical order."""
    return sorted({one.reference for _, found in families().values() for one in found if one.reference})


def bibliography() -> dict[str, dict[str, str]]:
    """Return the entries of docs/references.bib: key to fields."""
    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    return {
        key: dict(re.findall(r"^\s+(\w+)\s*=\s*\{(.*)\},?$", body, re.MULTILINE))
        for key, body in re.findall(r"^@\w+\{(\w+),\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    }


def _short(key: str) -> str:
    entry = bibliography()[key]
    names = [name.partition(",")[0] for name in entry["author"].split(" and ")]
    who = names[0] if len(names) == 1 else " & ".join(names) if len(names) == 2 else f"{names[0]} et al."
    return f"{_unbraced(who)} {entry['year']}"


def _sources(keys: Iterable[str]) -> str:
    found = bibliography()
    lines = [f"- **{_short(key)}**: {_unbraced(found[key]['title'])} (`{key}`)" for key in keys]
    return "## Sources\n\n`docs/references.bib` has them in full.\n\n" + "\n".join(lines)


def _unbraced(text: str) -> str:
    return re.sub(r"[{}$]", "", text.replace("\\chi^2", "χ²"))
