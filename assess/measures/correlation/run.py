"""Correlations between scores: a matrix over systems, or pre-gen against post-gen scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError
from assess.measures.correlation import compute
from assess.measures.correlation.compute import ALL, Correlation, Correlations, Scores, correlations
from assess.measures.measure import Model, Number, Result
from assess.measures.registry import Measure
from assess.measures.settings import CorrelationSettings, Method
from assess.report.quantity import Quantity, column, in_a_list, quantity_cell
from assess.report.section import (
    BarChart,
    Cell,
    Column,
    HeatMap,
    Note,
    Part,
    ScatterChart,
    Section,
    Table,
    cell,
    words,
)
from assess.report.text import count, decimals, p_value
from assess.signature import Signature

FEW_SYSTEMS = 10  # with fewer systems, a rank correlation is imprecise
DRAWN = 3  # the number of best scores for each post-gen score whose values are kept for plots


class Matrix(Model):
    """The correlation of each pair of measures, its p, and the number of systems with both."""

    coefficients: tuple[tuple[Number, ...], ...]
    p: tuple[tuple[Number, ...], ...]
    systems: tuple[tuple[int, ...], ...]


Points = dict[str, tuple[tuple[Number, ...], tuple[Number, ...]]]
"""The values of a pre-gen and of a post-gen score, by data set."""


class CorrelationResult(Result):
    """Matrices of measures over systems or, if there are post-gen scores, how well others predict them."""

    measure: ClassVar[str] = "correlation"

    rows: int | None = None
    measures: tuple[str, ...] | None = None
    method: Method | None = None  # the matrices to show
    spearman: Matrix | None = None
    pearson: Matrix | None = None
    correlations: tuple[Correlation, ...] | None = None
    # data set -> post-gen score -> the best predictors
    top: dict[str, dict[str, tuple[str, ...]]] | None = None
    points: dict[str, dict[str, Points]] | None = None  # post-gen score -> one of the best predictors
    notes: tuple[str, ...] = ()


def run_correlation(paths: Sequence[Path], settings: CorrelationSettings) -> CorrelationResult:
    """Correlate the scores in tables."""
    scores = compute.read_scores(paths)
    post = compute.columns_like(scores.table, settings.post or ())
    columns = _columns(scores, settings, post)
    if len(columns) + len(post) < 2:
        raise UsageError("a correlation needs two numeric columns", hint="choose others with --columns")
    return _prediction(scores, settings, columns, post) if post else _matrix(scores, settings, columns)


def _columns(scores: Scores, settings: CorrelationSettings, post: Sequence[str]) -> list[str]:
    table = scores.table
    chosen = compute.columns_like(table, settings.columns) if settings.columns else list(table.scores)
    left_out = {*compute.columns_like(table, settings.without or ()), *post, settings.by}
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
        notes.append(f"constant columns are excluded: {', '.join(constant)}")
    if scores.table.rows < FEW_SYSTEMS:
        notes.append(
            f"with {scores.table.rows} systems, p-values are rough and large correlations occur easily"
            " by chance"
        )
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
    return Matrix(**{name: values.tolist() for name, values in found._asdict().items()})


def _varies(values: NDArray[np.float64]) -> bool:
    finite = values[np.isfinite(values)]
    return bool(finite.size > 1 and np.ptp(finite) > 0)


def _prediction(
    scores: Scores, settings: CorrelationSettings, columns: Sequence[str], post: Sequence[str]
) -> CorrelationResult:
    table = scores.table
    datasets = table.label(settings.by) if settings.by else None
    found = compute.correlate(
        {name: table.scores[name] for name in columns},
        {name: table.scores[name] for name in post},
        datasets=datasets,
    )
    undefined = {correlation.pre for correlation in found if correlation.dataset == ALL and correlation.why}
    notes = [*scores.notes]
    if undefined:
        notes.append(f"{len(undefined)} scores are not finite or are constant, so they have no correlation")
    top = {
        dataset: {
            name: tuple(correlation.pre for correlation in best)
            for name, best in compute.top_table(
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


# Presentation as tables and plots.

LARGEST_MATRIX = 30  # measures; with more, the strongest pairs are shown instead
_PAIRS = 20
_PAPER = "tanti2018pregen"
_FEW_SYSTEMS = "fewer than two systems, or a constant column"
_FEW_ROWS = "few rows, infinite values, or a constant column"

_RANKED = "Pearson's correlation of ranks; ties share their mean rank"
_matrix_of = partial(Quantity, get=in_a_list, form=decimals(2), undefined=_FEW_SYSTEMS)
MATRICES: list[Quantity[Any]] = [
    _matrix_of("spearman", "Spearman's rank correlation", formula=_RANKED),
    _matrix_of("pearson", "Pearson's correlation", formula="correlation of the values"),
]
_SQUARED = "square of Pearson's r between a pre-gen and a post-gen score"
_UNCORRECTED = "two-sided p of r, not corrected for the number of scores"
_of_both = partial(Quantity, undefined=_FEW_ROWS, table="prediction")
PREDICTIONS: list[Quantity[Correlation]] = [
    _of_both("r_squared", "R²", lambda found: found.r_squared, decimals(3), _SQUARED, _PAPER, "higher"),
    _of_both("r", "R", lambda found: found.r, decimals(3), "Pearson's correlation of both", _PAPER),
    _of_both("p", "p", lambda found: found.p, p_value, _UNCORRECTED, _PAPER),
    _of_both("rho", "ρ", lambda found: found.rho, decimals(3), "Spearman's rank correlation of both"),
]


def correlation_sections(result: CorrelationResult) -> list[Section]:
    """Return the sections on correlations: matrices, or the best predictors."""
    parts = _matrices(result) if result.correlations is None else _predictions(result)
    notes = map(Note, result.notes)
    explained = "Which scores correlate, and which of them predict others."
    return [Section("correlation", "Correlations", (*parts, *notes), explained)]


def _matrices(result: CorrelationResult) -> Iterator[Part]:
    """Yield one matrix per method, or the strongest pairs if there are too many measures."""
    names = result.measures or ()
    for quantity in MATRICES:
        found: Matrix | None = getattr(result, quantity.key)
        if found is None or result.method not in (quantity.key, "both"):
            continue
        yield (_matrix_table if len(names) <= LARGEST_MATRIX else _pair_table)(quantity, names, found)
        title = f"{quantity.heading} over {result.rows} systems"
        yield HeatMap(f"correlation_{quantity.key}", title, names, names, found.coefficients)


def _matrix_table(quantity: Quantity[Matrix], names: tuple[str, ...], found: Matrix) -> Table:
    """Return a matrix of correlations, as in Figures 2 and 6 of the paper."""
    columns = (Column("measure", "", words=True), *(Column(name, name) for name in names))
    rows = tuple(
        (words(name), *(cell(value, quantity.form) for value in values))
        for name, values in zip(names, found.coefficients, strict=True)
    )
    note = f"Over {max(map(max, found.systems))} systems; JSON has p-values"
    return Table(f"correlation_{quantity.key}", quantity.heading, columns, rows, (note,), brief=True)


def _pair_table(quantity: Quantity[Matrix], names: tuple[str, ...], found: Matrix) -> Table:
    """Return the strongest correlations between two measures."""
    columns = (
        Column("first", "measure", words=True),
        Column("second", "and", words=True),
        Column("r", "r"),
        Column("p", "p"),
        Column("systems", "systems"),
    )
    pairs = [
        (found.coefficients[first][second], first, second)
        for first, second in combinations(range(len(names)), 2)
        if math.isfinite(found.coefficients[first][second])
    ]
    pairs.sort(key=lambda pair: (-abs(pair[0]), pair[1:]))
    rows = tuple(
        (
            words(names[first]),
            words(names[second]),
            cell(value, decimals(3)),
            cell(found.p[first][second], p_value),
            cell(found.systems[first][second], count),
        )
        for value, first, second in pairs[:_PAIRS]
    )
    note = f"The strongest {len(rows)} of {len(pairs)} pairs; use --columns to select measures for a matrix"
    return Table(f"correlation_{quantity.key}", quantity.heading, columns, rows, (note,), brief=True)


def _predictions(result: CorrelationResult) -> Iterator[Part]:
    """Yield the best predictors of each post-gen score by data set (Tanti et al. 2018), and their plots."""
    known = {(found.dataset, found.post, found.pre): found for found in result.correlations or ()}
    for number, (dataset, tops) in enumerate((result.top or {}).items(), start=1):
        best = [
            (rank, known[dataset, post, pre])
            for post, names in tops.items()
            for rank, pre in enumerate(names, start=1)
        ]
        yield _prediction_table(number, dataset, best)
    for post, names in (result.top or {}).get(ALL, {}).items():
        shares = {
            dataset: [known[dataset, post, pre].r_squared for pre in names] for dataset in result.top or {}
        }
        yield BarChart(f"best_{post}", f"The best predictors of {post}", "score", "R²", names, shares)
    for post, drawn in (result.points or {}).items():
        for rank, (pre, points) in enumerate(drawn.items(), start=1):
            title = f"R² = {known[ALL, post, pre].r_squared:.3f}"
            yield ScatterChart(f"scatter_{post}_{rank}", title, pre, post, points)


def _prediction_table(number: int, dataset: str, best: list[tuple[int, Correlation]]) -> Table:
    columns = (
        Column("post", "predicts", words=True),
        Column("rank", ""),
        Column("pre", "score", words=True),
        *map(column, PREDICTIONS),
    )
    rows = tuple(
        (
            words(found.post),
            Cell(f"{rank}.", rank),
            words(found.pre),
            *(quantity_cell(quantity, asdict(found)) for quantity in PREDICTIONS),
        )
        for rank, found in best
    )
    size = count(best[0][1].rows) if best else "no"
    title = "Best predictors" if dataset == ALL else f"Best predictors in {dataset}"
    note = (
        f"{size} rows. R²: share of variance explained; ρ: Spearman; p: for R, not corrected for"
        " the number of scores"
    )
    return Table(f"prediction_{number}", title, columns, rows, (note,), brief=True)


MEASURE = Measure(
    "correlation",
    "Correlations",
    CorrelationResult,
    correlation_sections,
    lambda: {"Correlations": [*MATRICES, *PREDICTIONS]},
    CorrelationSettings,
    verb="correlate",
)
