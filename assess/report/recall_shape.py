"""Recall as JSON and as plots."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assess.engine.recall_result import Omitted, RecallRun, SystemRecall
from assess.metrics.omitted import Omission
from assess.metrics.recall_keyness import WordUse
from assess.report.interval_tables import intervals_shape
from assess.report.plots import LinePlot, Plot


def recall_shape(run: RecallRun) -> dict[str, Any]:
    """Return the shape of `assess recall --json`."""
    shape: dict[str, Any] = {
        "signature": run.signature.as_dict(),
        "images": run.images,
        "classes": run.classes,
        "systems": {name: _system_shape(found) for name, found in run.systems.items()},
        "omitted": _omitted_shape(run.omitted),
        "notes": [*run.warnings, *run.notes],
    }
    if run.intervals is not None:
        shape["intervals"] = intervals_shape(run.intervals)
    return shape


def _system_shape(found: SystemRecall) -> dict[str, Any]:
    vocabulary, local = found.vocabulary, found.local
    return {
        "captions": found.summary.captions,
        "images": local.images,
        "coverage": vocabulary.coverage,
        "limit": vocabulary.limit,
        "recalled": vocabulary.recalled,
        "learnable": vocabulary.learnable,
        "evaluation": vocabulary.evaluation,
        "deciles": vocabulary.deciles,
        "local": {
            "micro": _classes(local.micro),
            "macro": _classes(local.macro),
            "words": _classes(local.words),
            "recalled": _classes(local.recalled),
        },
        "local_precision": local.micro_precision,
        "local_precision_macro": local.macro_precision,
        "omitted": _omitted_shape(found.omitted),
        "over_used": [_use_shape(use) for use in found.over_used],
        "under_used": [_use_shape(use) for use in found.under_used],
        "notes": found.notes,
    }


def _classes(values: Iterable[float]) -> dict[str, float]:
    return {str(number): value for number, value in enumerate(values, start=1)}


def _omitted_shape(omitted: Omitted) -> dict[str, Any]:
    return {
        "train": omitted.by_training,
        "references": omitted.by_evaluation,
        "absolute": [[omission.word, omission.missed] for omission in omitted.absolute],
        "relative": _ratios(omitted.relative),
        "relative_min": _ratios(omitted.relative_least),
        "min": omitted.least,
    }


def _ratios(omissions: Iterable[Omission]) -> list[list[str | int | float]]:
    return [[each.word, each.miss_ratio, each.missed, each.occurrences] for each in omissions]


def _use_shape(use: WordUse) -> dict[str, Any]:
    return {
        "word": use.word,
        "count": use.count,
        "reference_count": use.reference_count,
        "log_likelihood": use.log_likelihood,
        "log_ratio": use.log_ratio,
    }


def recall_plots(run: RecallRun) -> list[Plot]:
    """Return coverage by decile, and local recall by importance."""
    deciles = {
        name: (range(1, len(found.vocabulary.deciles) + 1), found.vocabulary.deciles)
        for name, found in run.systems.items()
    }
    local = {
        name: (range(1, len(found.local.micro) + 1), found.local.micro) for name, found in run.systems.items()
    }
    return [
        LinePlot(
            "coverage_by_decile", "Coverage by frequency", "decile, most frequent first", "coverage", deciles
        ),
        LinePlot("local_recall", "Local recall by importance", "importance class", "local recall", local),
    ]
