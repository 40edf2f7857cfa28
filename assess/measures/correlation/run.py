"""Correlations between scores: a matrix over systems, or pre-gen against post-gen scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError
from assess.measures.correlation.compute import (
    ALL,
    Correlation,
    Correlations,
    correlate,
    correlations,
    top_table,
)
from assess.measures.correlation.input import Scores, columns_like, read_scores
from assess.measures.measure import Model, Number, Result
from assess.measures.settings import CorrelationSettings, Method
from assess.signature import Signature

FEW_SYSTEMS = 10  # below this, a rank correlation is rough
DRAWN = 3  # best scores of each post-gen score whose values are kept for plots


class Matrix(Model):
    """The correlation of every two measures, its p-value, and the number of systems that have both."""

    coefficients: tuple[tuple[Number, ...], ...]
    p: tuple[tuple[Number, ...], ...]
    systems: tuple[tuple[int, ...], ...]


Points = dict[str, tuple[tuple[Number, ...], tuple[Number, ...]]]
"""By data set, the values of a pre-gen and of a post-gen score."""


class CorrelationResult(Result):
    """Matrices of measures over systems or, where there are post-gen scores, how well others predict them."""

    measure: ClassVar[str] = "correlation"

    rows: int | None = None
    measures: tuple[str, ...] | None = None
    method: Method | None = None  # the matrices to show
    spearman: Matrix | None = None
    pearson: Matrix | None = None
    correlations: tuple[Correlation, ...] | None = None
    top: dict[str, dict[str, tuple[str, ...]]] | None = None  # data set -> post-gen score -> the best
    points: dict[str, dict[str, Points]] | None = None  # post-gen score -> one of the best
    notes: tuple[str, ...] = ()


def run_correlation(paths: Sequence[Path], settings: CorrelationSettings | None = None) -> CorrelationResult:
    """Correlate the scores of tables."""
    settings = settings or CorrelationSettings()
    scores = read_scores(paths)
    post = columns_like(scores.table, settings.post or ())
    columns = _columns(scores, settings, post)
    if len(columns) + len(post) < 2:
        raise UsageError("a correlation needs two columns of numbers", hint="choose others with --columns")
    return _prediction(scores, settings, columns, post) if post else _matrix(scores, settings, columns)


def _columns(scores: Scores, settings: CorrelationSettings, post: Sequence[str]) -> list[str]:
    table = scores.table
    chosen = columns_like(table, settings.columns) if settings.columns else list(table.scores)
    left_out = {*columns_like(table, settings.without or ()), *post, settings.by}
    return [name for name in chosen if name not in left_out]


def _matrix(scores: Scores, settings: CorrelationSettings, columns: Sequence[str]) -> CorrelationResult:
    varying = [name for name in columns if _varies(scores.table.scores[name])]
    constant = [name for name in columns if name not in varying]
    if len(varying) < 2:
        raise UsageError(
            f"fewer than two of {len(columns)} columns vary over the {scores.table.rows} rows",
            hint="a correlation needs two measures that differ between systems",
        )
    table = {name: scores.table.scores[name].tolist() for name in varying}
    notes = [*scores.notes]
    if constant:
        notes.append(f"columns that do not vary are left out: {', '.join(constant)}")
    if scores.table.rows < FEW_SYSTEMS:
        notes.append(f"{scores.table.rows} systems: p-values are rough, and large correlations come easily")
    return CorrelationResult(
        signature=_signature(scores, settings),
        rows=scores.table.rows,
        measures=tuple(varying),
        method=settings.method,
        spearman=_as_lists(correlations(table, method="spearman")),
        pearson=_as_lists(correlations(table, method="pearson")),
        notes=tuple(notes),
    )


def _as_lists(found: Correlations) -> Matrix:
    return Matrix(
        coefficients=found.coefficients.tolist(), p=found.p_values.tolist(), systems=found.systems.tolist()
    )


def _varies(values: NDArray[np.float64]) -> bool:
    finite = values[np.isfinite(values)]
    return bool(finite.size > 1 and np.ptp(finite) > 0)


def _prediction(
    scores: Scores, settings: CorrelationSettings, columns: Sequence[str], post: Sequence[str]
) -> CorrelationResult:
    table = scores.table
    datasets = table.label(settings.by) if settings.by else None
    found = correlate(
        {name: table.scores[name] for name in columns},
        {name: table.scores[name] for name in post},
        datasets=datasets,
    )
    undefined = {correlation.pre for correlation in found if correlation.dataset == ALL and correlation.why}
    notes = [*scores.notes]
    if undefined:
        notes.append(f"{len(undefined)} scores are not finite or do not vary and have no correlation")
    top = {
        dataset: {
            name: tuple(correlation.pre for correlation in best)
            for name, best in top_table(
                found, top=settings.top, dataset=dataset, everywhere=settings.everywhere
            ).items()
        }
        for dataset in dict.fromkeys(correlation.dataset for correlation in found)
    }
    labels = datasets or ("rows",) * table.rows
    return CorrelationResult(
        signature=_signature(scores, settings),
        correlations=found,
        top=top,
        points={
            name: {pre: _points(table.scores, pre, name, labels) for pre in best[:DRAWN]}
            for name, best in top.get(ALL, {}).items()
        },
        notes=tuple(notes),
    )


def _points(
    scores: Mapping[str, NDArray[np.float64]], pre: str, post: str, datasets: Sequence[str]
) -> Points:
    values = list(zip(datasets, scores[pre].tolist(), scores[post].tolist(), strict=True))
    return {
        dataset: (
            tuple(x for name, x, _ in values if name == dataset),
            tuple(y for name, _, y in values if name == dataset),
        )
        for dataset in dict.fromkeys(datasets)
    }


def _signature(scores: Scores, settings: CorrelationSettings) -> Signature:
    chosen = {
        "columns": ",".join(settings.columns or ()),
        "without": ",".join(settings.without or ()),
        "post": ",".join(settings.post or ()),
        "by": settings.by,
        "everywhere": "yes" if settings.everywhere else None,
    }
    return Signature(inputs=scores.inputs, settings={name: value for name, value in chosen.items() if value})
