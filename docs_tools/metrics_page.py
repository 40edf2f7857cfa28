"""The page of measures, from their definitions in the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assess.measures import definitions
from assess.measures.bias import definitions as audit
from assess.measures.diversity.compute import METRICS as DIVERSITY
from assess.measures.diversity.within_images import set_metrics
from assess.measures.measure import find_measure
from assess.measures.metric import Definition, Metric
from assess.measures.recall.compute import local_metrics
from assess.measures.syntax.compute import MEASURES as SYNTAX
from docs_tools.markdown import DASH, code, page, table

BIBLIOGRAPHY = Path(__file__).resolve().parents[1] / "docs" / "references.bib"
CLASSES = 5  # of importance: COCO has five references an image
_DIRECTIONS = {"higher": "higher", "lower": "lower", "neither": DASH}


def families() -> dict[str, tuple[str, tuple[Definition, ...]]]:
    """Return all reported numbers: a family, the commands that show it, its definitions."""
    return {
        "Coverage": ("`assess audit`, `assess coverage`", definitions.COVERAGE),
        "A taxonomy's coverage": ("`assess domain coverage`", definitions.DOMAIN),
        "Diversity": ("`assess diversity`", (*definitions.DIVERSITY, *_of(DIVERSITY))),
        "Diversity within an image": ("`assess diversity`", _of(set_metrics(captions_per_image=CLASSES))),
        "Recall": ("`assess recall`", (*definitions.RECALL, *_local())),
        "Syntax": ("`assess syntax`", (*definitions.SYNTAX, *_of(SYNTAX))),
        "Associations": ("`assess bias`, `assess audit`", audit.CELL),
        "Beside strata and references": ("`assess bias`", audit.BESIDE),
        "Validation by people": ("`assess score`", audit.VALIDATION),
        "Content selection": ("`assess select`", _described("selection")),
        "Pre-gen scores": ("`assess pregen`", _described("pregen")),
        "Post-gen scores": ("`assess postgen`", definitions.POSTGEN),
        "Correlations": ("`assess correlate`", _described("correlation")),
    }


def _of(metrics: Mapping[str, Metric[Any, Any]]) -> tuple[Definition, ...]:
    return tuple(metric.definition for metric in metrics.values())


def _described(name: str) -> tuple[Definition, ...]:
    """Return what the quantities of a measure say of themselves."""
    return tuple(
        Definition(one.key, one.formula, one.reference, one.direction, one.undefined)
        for quantities in find_measure(name).quantities().values()
        for one in quantities
    )


def _local() -> tuple[Definition, ...]:
    """Return local recall once for all classes: they differ in their number only."""
    found = local_metrics(classes=CLASSES)
    return tuple(
        Definition(
            name.replace("_1", "_k"),
            metric.formula.replace("class 1", "class k"),
            metric.reference,
            metric.direction,
            metric.undefined.replace("class 1", "class k"),
        )
        for name, metric in found.items()
        if not re.search(r"_[2-9]$", name)
    )


def metrics_page() -> str:
    """Return every measure with formula, direction, source and when it is undefined."""
    introduction = (
        "Every number that `assess` reports. *Better* is the direction of more diverse, more complete or more"
        f" complex language; {DASH} means that neither way is. An undefined value is {DASH} in reports,"
        " `null` in JSON, and never 0. Names are the keys of JSON and CSV. [Measures](../measures.md),"
        " [auditing](../auditing.md), [content selection](../content-selection.md) and"
        " [pre-gen metrics](../pregen.md) explain them."
    )
    sections = [_section(title, commands, found) for title, (commands, found) in families().items()]
    return page("Metrics", introduction, [*sections, _sources(used_keys())])


def _section(title: str, commands: str, found: Iterable[Definition]) -> str:
    rows = [
        (
            code(one.name),
            one.formula,
            _DIRECTIONS[one.direction],
            f"[{_short(one.reference)}](#sources)" if one.reference else DASH,
            one.undefined or "never",
        )
        for one in found
    ]
    headings = ("name", "what it is", "better", "source", "undefined")
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
