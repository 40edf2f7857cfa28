"""Correlations between scores: a matrix over systems, or pre-gen against post-gen scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError
from assess.measures.correlation.compute import (
    ALL,
    Correlation,
    Correlations,
    Method,
    correlate,
    correlations,
    top_table,
)
from assess.measures.correlation.input import Scores, columns_like, read_scores
from assess.signature import Signature

METHODS: tuple[Method, ...] = ("spearman", "pearson")
FEW_SYSTEMS = 10  # below this, a rank correlation is rough


@dataclass(frozen=True, slots=True)
class CorrelationSettings:
    """What a caller may choose."""

    columns: tuple[str, ...] = ()  # patterns; none: all columns of numbers
    without: tuple[str, ...] = ()
    post: tuple[str, ...] = ()  # scores that the others should predict; none: a matrix
    by: str | None = None  # the column of data sets
    top: int = 5
    everywhere: bool = False  # leave out scores that are undefined in some data set, as the paper does


@dataclass(frozen=True, slots=True, eq=False)
class MatrixRun:
    """The correlation of every two measures over systems."""

    signature: Signature
    matrices: Mapping[Method, Correlations]
    scores: Mapping[str, NDArray[np.float64]]
    rows: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PredictionRun:
    """How well scores predict others, by data set."""

    signature: Signature
    settings: CorrelationSettings
    correlations: tuple[Correlation, ...]
    top: Mapping[str, Mapping[str, tuple[Correlation, ...]]]  # data set -> post-gen score -> the best
    scores: Mapping[str, NDArray[np.float64]]
    datasets: tuple[str, ...] | None
    notes: tuple[str, ...]


def run_correlation(
    paths: Sequence[Path], *, settings: CorrelationSettings | None = None
) -> MatrixRun | PredictionRun:
    """Correlate the scores of tables."""
    settings = settings or CorrelationSettings()
    scores = read_scores(paths)
    post = columns_like(scores.table, settings.post)
    columns = _columns(scores, settings, post)
    if len(columns) + len(post) < 2:
        raise UsageError("a correlation needs two columns of numbers", hint="choose others with --columns")
    return _prediction(scores, settings, columns, post) if post else _matrix(scores, settings, columns)


def _columns(scores: Scores, settings: CorrelationSettings, post: Sequence[str]) -> list[str]:
    table = scores.table
    chosen = columns_like(table, settings.columns) if settings.columns else list(table.scores)
    left_out = {*columns_like(table, settings.without), *post, settings.by}
    return [name for name in chosen if name not in left_out]


def _matrix(scores: Scores, settings: CorrelationSettings, columns: Sequence[str]) -> MatrixRun:
    varying = [name for name in columns if _varies(scores.table.scores[name])]
    constant = [name for name in columns if name not in varying]
    if len(varying) < 2:
        raise UsageError(
            f"fewer than two of {len(columns)} columns vary over the {scores.table.rows} rows",
            hint="a correlation needs two measures that differ between systems",
        )
    table = {name: scores.table.scores[name] for name in varying}
    notes = [*scores.notes]
    if constant:
        notes.append(f"columns that do not vary are left out: {', '.join(constant)}")
    if scores.table.rows < FEW_SYSTEMS:
        notes.append(f"{scores.table.rows} systems: p-values are rough, and large correlations come easily")
    return MatrixRun(
        signature=_signature(scores, settings),
        matrices={
            method: correlations({name: values.tolist() for name, values in table.items()}, method=method)
            for method in METHODS
        },
        scores=table,
        rows=scores.table.rows,
        notes=tuple(notes),
    )


def _varies(values: NDArray[np.float64]) -> bool:
    finite = values[np.isfinite(values)]
    return bool(finite.size > 1 and np.ptp(finite) > 0)


def _prediction(
    scores: Scores, settings: CorrelationSettings, columns: Sequence[str], post: Sequence[str]
) -> PredictionRun:
    table = scores.table
    datasets = table.label(settings.by) if settings.by else None
    found = correlate(
        {name: table.scores[name] for name in columns},
        {name: table.scores[name] for name in post},
        datasets=datasets,
    )
    names = dict.fromkeys(correlation.dataset for correlation in found)
    undefined = {correlation.pre for correlation in found if correlation.dataset == ALL and correlation.why}
    notes = [*scores.notes]
    if undefined:
        notes.append(f"{len(undefined)} scores are not finite or do not vary and have no correlation")
    return PredictionRun(
        signature=_signature(scores, settings),
        settings=settings,
        correlations=found,
        top={
            name: top_table(found, top=settings.top, dataset=name, everywhere=settings.everywhere)
            for name in names
        },
        scores={name: table.scores[name] for name in (*columns, *post)},
        datasets=datasets,
        notes=tuple(notes),
    )


def _signature(scores: Scores, settings: CorrelationSettings) -> Signature:
    return Signature(
        inputs=scores.inputs,
        settings={
            name: ",".join(chosen)
            for name, chosen in {
                "columns": settings.columns,
                "without": settings.without,
                "post": settings.post,
                "by": (settings.by,) if settings.by else (),
                "everywhere": ("yes",) if settings.everywhere else (),
            }.items()
            if chosen
        },
    )
