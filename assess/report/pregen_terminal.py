"""Pre-gen scores for a terminal, and their JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from assess.engine.pregen_result import PregenRun, StratumScores
from assess.metrics.pregen_names import DATASET_TIER
from assess.report.cells import count, plain
from assess.report.pregen_tables import chosen_table, strata_table, tier_tables
from assess.report.table import ReportTable
from assess.report.table_terminal import signature_line, terminal_table

_FIRST = ("mean",)  # the aggregate over images that predicts best, and so is shown first


def pregen_tables(run: PregenRun, *, complete: bool, every: bool = True) -> Iterator[ReportTable]:
    """Yield the tables of a run; `complete` says that it has all metrics of its rules."""
    if complete:
        yield from tier_tables(run, DATASET_TIER if every else _FIRST)
    else:
        yield chosen_table(run)
    if run.strata:
        yield strata_table(run)


def pregen_report(run: PregenRun, *, complete: bool, every: bool, width: int) -> Iterator[RenderableType]:
    """Yield the parts of the report."""
    found = run.scores
    facts = f"{count(found.images)} images, {count(found.captions)} captions, {count(found.words)} words"
    yield plain(f"{run.name}: {facts}, {count(len(run.metrics))} metrics", 300, style="bold")
    for table in pregen_tables(run, complete=complete, every=every):
        yield from terminal_table(table, width=width)
    if complete and not every:
        shown = len(run.metrics) // len(DATASET_TIER)
        text = (
            f"{count(shown)} of {count(len(run.metrics))} metrics; --all shows the rest, --json has them all."
        )
        yield plain(text, style="dim")
    yield signature_line(run.signature.as_line())


def pregen_shape(run: PregenRun) -> dict[str, Any]:
    """Return the shape of `assess pregen --json`; inf and nan are texts."""
    return {
        "signature": run.signature.as_dict(),
        "images": run.scores.images,
        "captions": run.scores.captions,
        "words": run.scores.words,
        "scores": _numbers(run.scores.scores),
        **({"by": run.by, "strata": [_stratum(found) for found in run.strata]} if run.strata else {}),
    }


def _stratum(found: StratumScores) -> dict[str, Any]:
    return {
        "num_strata": found.stratum.strata,
        "stratum": found.stratum.index,
        "images": len(found.stratum.images),
        "post": dict(found.post),
        "scores": _numbers(found.pre.scores),
    }


def _numbers(scores: dict[str, float]) -> dict[str, float | str]:
    return {name: score if math.isfinite(score) else str(score) for name, score in scores.items()}
