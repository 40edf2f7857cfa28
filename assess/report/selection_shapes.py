"""The JSON of `assess select`: the contract that scripts rely on."""

from __future__ import annotations

from typing import Any

from assess.engine.selection_result import BoxCategories, Curve, SelectionRun, SystemSelection
from assess.metrics.bootstrap import Interval
from assess.metrics.selection import SelectionScore, SelectionSummary
from assess.metrics.selection_categories import CategoryRecall
from assess.report.selection_tables import NAMES, compared, difference


def selection_shape(run: SelectionRun) -> dict[str, Any]:
    """Return the shape of `assess select --json`; P, R, F and sd at the top are the first system's."""
    first = next(iter(run.systems.values()), None)
    return {
        "signature": run.signature.as_dict(),
        "images": run.gold.images,
        "descriptions": run.gold.descriptions,
        "boxes": run.gold.boxes,
        "development_images": run.gold.development,
        **(_summary(first.summary, images=False) if first else _nothing()),
        "systems": {name: _system(run, name, system) for name, system in run.systems.items()},
        "comparisons": _comparisons(run),
        "baselines": {name: _curve(curve) for name, curve in run.baselines.items()},
        "upper_bound": {
            **_summary(run.upper_bound),
            "ordering": {"tau": run.human_ordering.tau, "images": run.human_ordering.images},
        },
        "categories": _categories(run.categories) if run.categories else None,
        "sentences": {
            made.baseline: {"k": made.most, "captions": dict(made.sentences)} for made in run.sentences
        },
        "notes": list(run.notes),
    }


def _nothing() -> dict[str, Any]:
    return {**dict.fromkeys(("P", "R", "F")), "sd": None}


def _score(score: SelectionScore) -> dict[str, float]:
    return {name: getattr(score, measure) for measure, name in NAMES.items()}


def _summary(summary: SelectionSummary, *, images: bool = True) -> dict[str, Any]:
    counted = {"images": summary.images} if images else {}
    return {**counted, **_score(summary.mean), "sd": _score(summary.sd)}


def _curve(curve: Curve) -> dict[str, Any]:
    return {str(k): _summary(summary, images=False) for k, summary in curve.items()}


def _system(run: SelectionRun, name: str, system: SystemSelection) -> dict[str, Any]:
    return {
        **_summary(system.summary),
        "intervals": {
            NAMES[measure]: _interval(found.interval(name))
            for measure, found in (run.intervals or {}).items()
        },
        "ordering": {"tau": system.ordering.tau, "images": system.ordering.images},
        "categories": {found.category: _category(found) for found in system.categories},
        "never_selected": [found.category for found in system.categories if found.never_selected],
    }


def _interval(interval: Interval) -> list[float]:
    return [interval.estimate, interval.low, interval.high]


def _comparisons(run: SelectionRun) -> list[dict[str, Any]]:
    if run.intervals is None:
        return []
    return [_comparison(run, measure, pair) for pair in compared(run) for measure in NAMES]


def _comparison(run: SelectionRun, measure: str, pair: tuple[str, str]) -> dict[str, Any]:
    found = difference(run, measure, *pair)
    return {
        "first": pair[0],
        "second": pair[1],
        "measure": NAMES[measure],
        "difference": _interval(found.interval),
        "p": found.p,
    }


def _category(found: CategoryRecall) -> dict[str, Any]:
    return {"selected_boxes": found.selected_boxes, "recalled": found.recalled, "recall": found.recall}


def _categories(categories: BoxCategories) -> dict[str, Any]:
    return {
        "source": categories.source,
        "boxes": {
            found.category: {
                "boxes": found.boxes,
                "mentioned_boxes": found.mentioned_boxes,
                "mentions": found.mentions,
            }
            for found in categories.people
        },
        "without_category": categories.uncategorised,
        "never_mentioned": list(categories.never_mentioned),
        "without_boxes": list(categories.without_boxes),
    }
