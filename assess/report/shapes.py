"""JSON shapes: the contract that scripts rely on."""

from __future__ import annotations

from typing import Any

from assess.engine.measures_run import Measures
from assess.metrics.coverage import CategoryCoverage, Counts, Coverage
from assess.pipeline import Audit
from assess.report.bias_shapes import group_shape, marked_shape
from assess.report.diversity_shape import diversity_shape
from assess.report.recall_shape import recall_shape


def audit_shape(audit: Audit) -> dict[str, Any]:
    """Return the shape of `assess audit --json`: coverage, contrasts of each group, diversity, recall."""
    shape = coverage_shape(audit)
    shape["categories"] = _categories_shape(audit)
    shape["markedness"] = [marked_shape(marked) for marked in audit.marked]
    if audit.groups:
        shape["bias"] = {name: group_shape(group) for name, group in sorted(audit.groups.items())}
    shape |= _measures_shape(audit.measures)
    if notes := [*audit.notes, *audit.measures.notes]:
        shape["notes"] = notes
    return shape


def _measures_shape(measures: Measures) -> dict[str, Any]:
    """Return what `assess diversity --json` and `assess recall --json` have, where it was measured."""
    shape: dict[str, Any] = {}
    if measures.diversity is not None:
        shape["diversity"] = diversity_shape(measures.diversity)
    if measures.recall is not None:
        shape["recall"] = recall_shape(measures.recall)
    return shape


def _categories_shape(audit: Audit) -> dict[str, Any]:
    """Return what the taxonomy says of its categories, for readers who do not have it."""
    heads = {f"head.{name}": {"description": c.description} for name, c in audit.taxonomy.heads.items()}
    modifiers = {
        f"modifier.{name}": {
            "description": category.description,
            "evidence": category.evidence,
            "sensitivity": category.sensitivity,
        }
        for name, category in audit.taxonomy.modifiers.items()
    }
    return modifiers | heads


def coverage_shape(audit: Audit) -> dict[str, Any]:
    """Return the shape of `assess coverage --json`."""
    return {
        "signature": audit.signature.as_dict(),
        "systems": {name: _system_shape(audit, name) for name in audit.systems},
        "categories_never_used": [f"{role}.{name}" for role, name in audit.never_used],
    }


def _system_shape(audit: Audit, name: str) -> dict[str, Any]:
    system = audit.systems[name]
    coverage, summary = system.coverage, system.summary
    return {
        "captions": coverage.captions,
        "images": summary.images,
        **({"images_digest": audit.images[name]} if name in audit.images else {}),
        "repeated_images": summary.repeated,
        "empty_captions": summary.empty,
        "reference": name in audit.references,
        "labels": coverage.labels,
        **_counts_shape(coverage.union),
        "after": {"labels": coverage.after_labels, "modifiers": coverage.after_modifiers},
        "partial_labels": coverage.partial_labels,
        "uncovered_labels": coverage.uncovered_labels,
        "best": {
            "labels": coverage.labels,
            **_counts_shape(coverage.best),
            "uncovered_labels": coverage.uncovered_labels,
        },
        "categories": {f"{item.role}.{item.category}": _category_shape(item) for item in coverage.categories},
        "unknown_words": _unknown_shape(coverage),
    }


def _counts_shape(counts: Counts) -> dict[str, Any]:
    return {
        "modifiers": counts.modifiers,
        "modifiers_per_label": counts.modifiers_per_label,
        "modifier_categories": counts.modifier_categories,
        "head_categories": counts.head_categories,
    }


def _category_shape(item: CategoryCoverage) -> dict[str, Any]:
    return {
        "role": item.role,
        "labels": item.labels,
        "share": item.share,
        "best_labels": item.best_labels,
        "examples": [text for text, _ in item.examples],
    }


def _unknown_shape(coverage: Coverage) -> list[dict[str, Any]]:
    return [
        {"word": item.word, "labels": item.labels, "examples": [text for text, _ in item.examples]}
        for item in coverage.unknown_words
    ]
