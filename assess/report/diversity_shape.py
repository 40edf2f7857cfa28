"""Diversity as JSON and as plots."""

from __future__ import annotations

from typing import Any

from assess.engine.diversity_result import DiversityRun, SystemDiversity
from assess.report.diversity_tables import rows_of
from assess.report.diversity_terminal import interval_notes, order_warnings
from assess.report.interval_tables import intervals_shape
from assess.report.plots import LinePlot, Plot


def diversity_shape(run: DiversityRun) -> dict[str, Any]:
    """Return the shape of `assess diversity --json`."""
    shape: dict[str, Any] = {
        "signature": run.signature.as_dict(),
        "systems": {name: _system_shape(found) for name, found in rows_of(run).items()},
        "notes": [*run.warnings, *order_warnings(run), *run.notes, *interval_notes(run)],
    }
    if run.intervals is not None:
        shape["intervals"] = intervals_shape(run.intervals)
    return shape


def _system_shape(found: SystemDiversity) -> dict[str, Any]:
    diversity, basic = found.diversity, found.diversity.basic
    within, references = found.within, found.references
    shape = {
        "captions": basic.captions,
        "images": found.images,
        "empty_captions": basic.empty,
        "tokens": basic.tokens,
        "asl": basic.asl,
        "sdsl": basic.sdsl,
        "types": basic.types,
        "ttr1": basic.ttr1,
        "ttr2": basic.ttr2,
        "ttr3": diversity.ttr3,
        "unique": diversity.unique,
        "hapaxes": diversity.hapaxes,
        "hdd": diversity.hdd,
        "mtld": diversity.mtld,
        "novel": diversity.novel,
        "mbleu4": within.mbleu4 if within else None,
        "distinct1": within.distinct1 if within else None,
        "distinct2": within.distinct2 if within else None,
        "reference": references is not None,
        "curve": {"tokens": found.curve.tokens, "types": found.curve.types},
        "order": {
            f"ttr{effect.length}": {
                "file": effect.in_file_order,
                "shuffled": effect.shuffled,
                "deviation": effect.deviation,
                "distorts": effect.distorts,
            }
            for effect in found.order
        },
        "notes": found.notes,
    }
    if references is not None:
        shape |= {
            "sets": len(references.sets),
            "total_types": references.types,
            "total_tokens": references.tokens,
        }
    return shape


def diversity_plots(run: DiversityRun) -> list[Plot]:
    """Return the type-token curves."""
    lines = {name: (found.curve.tokens, found.curve.types) for name, found in rows_of(run).items()}
    return [LinePlot("type_token_curve", "Type-token curve", "tokens", "types", lines)]
