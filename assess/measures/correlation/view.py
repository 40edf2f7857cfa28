"""Correlations as tables and as plots."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from rich.console import RenderableType

from assess.measures.correlation.compute import ALL, Correlation, Correlations, Method
from assess.measures.correlation.run import MatrixRun, PredictionRun
from assess.report.section import (
    Cell,
    Column,
    HeatMap,
    Plot,
    ReportTable,
    ScatterChart,
    decimal,
    whole,
    words,
)
from assess.report.terminal import note_lines, signature_line, terminal_table

LARGEST_MATRIX = 30  # measures; beyond it the strongest pairs are shown instead
_PAIRS = 20
_SCATTERED = 3  # best scores of each post-gen score that are plotted
_NAMES: dict[Method, str] = {"spearman": "Spearman's rank correlation", "pearson": "Pearson's correlation"}


def matrix_tables(run: MatrixRun, methods: Sequence[Method]) -> list[ReportTable]:
    """Return one matrix a method, or the strongest pairs where there are too many measures."""
    found = [run.matrices[method] for method in methods]
    return [matrix_table(one) if len(one.measures) <= LARGEST_MATRIX else pair_table(one) for one in found]


def matrix_table(found: Correlations) -> ReportTable:
    """Return a matrix of correlations, as the paper's Figures 2 and 6 show it."""
    columns = (Column("measure", "", words=True), *(Column(name, name) for name in found.measures))
    rows = tuple(
        (words(name), *(decimal(float(value), 2) for value in found.coefficients[place]))
        for place, name in enumerate(found.measures)
    )
    systems = int(found.systems.max())
    note = f"Over {systems} systems; JSON has p-values"
    return ReportTable(f"correlation_{found.method}", _NAMES[found.method], columns, rows, (note,))


def pair_table(found: Correlations) -> ReportTable:
    """Return the strongest correlations between two measures."""
    columns = (
        Column("first", "measure", words=True),
        Column("second", "and", words=True),
        Column("r", "r"),
        Column("p", "p"),
        Column("systems", "systems"),
    )
    pairs = [
        (float(found.coefficients[first, second]), first, second)
        for first, second in combinations(range(len(found.measures)), 2)
        if math.isfinite(found.coefficients[first, second])
    ]
    pairs.sort(key=lambda pair: (-abs(pair[0]), pair[1:]))
    rows = tuple(
        (
            words(found.measures[first]),
            words(found.measures[second]),
            decimal(value, 3),
            _p(float(found.p_values[first, second])),
            whole(int(found.systems[first, second])),
        )
        for value, first, second in pairs[:_PAIRS]
    )
    note = f"The strongest {len(rows)} of {len(pairs)} pairs; choose measures with --columns for a matrix"
    return ReportTable(f"correlation_{found.method}", _NAMES[found.method], columns, rows, (note,))


def _p(value: float) -> Cell:
    return Cell("<.0001" if value < 0.0001 else f"{value:.4f}".lstrip("0"), value)


def prediction_tables(run: PredictionRun) -> list[ReportTable]:
    """Return the best predictors of each post-gen score, by data set (Tanti et al. 2018)."""
    columns = (
        Column("post", "predicts", words=True),
        Column("rank", ""),
        Column("pre", "score", words=True),
        Column("r_squared", "R²"),
        Column("r", "R"),
        Column("p", "p"),
        Column("rho", "ρ"),
    )
    return [
        ReportTable(
            f"prediction_{number}",
            "Best predictors" if dataset == ALL else f"Best predictors in {dataset}",
            columns,
            tuple(
                _prediction_row(post, rank, found)
                for post, best in tops.items()
                for rank, found in enumerate(best, start=1)
            ),
            (
                f"{_rows(tops)} rows. R²: share of variance; ρ: Spearman; p: of R, not corrected for the"
                " many scores",
            ),
        )
        for number, (dataset, tops) in enumerate(run.top.items(), start=1)
    ]


def _rows(tops: Mapping[str, Sequence[Correlation]]) -> str:
    return next((f"{found.rows:,}" for best in tops.values() for found in best), "no")


def _prediction_row(post: str, rank: int, found: Correlation) -> tuple[Cell, ...]:
    return (
        words(post),
        Cell(f"{rank}.", rank),
        words(found.pre),
        decimal(found.r_squared, 3),
        decimal(found.r, 3),
        _p(found.p),
        decimal(found.rho, 3),
    )


def matrix_plots(run: MatrixRun, methods: Sequence[Method]) -> list[Plot]:
    """Return a heat map of each matrix."""
    plots: list[Plot] = []
    for method in methods:
        found = run.matrices[method]
        title = f"{_NAMES[method]} over {run.rows} systems"
        values = [[float(value) for value in row] for row in found.coefficients]
        plots.append(HeatMap(f"correlation_{method}", title, found.measures, found.measures, values))
    return plots


def prediction_plots(run: PredictionRun) -> list[Plot]:
    """Return scatter plots of the best predictors of each post-gen score, one colour a data set."""
    plots: list[Plot] = []
    for post, best in run.top.get(ALL, {}).items():
        for rank, found in enumerate(best[:_SCATTERED], start=1):
            points = _points(run, found.pre, post)
            plots.append(
                ScatterChart(f"scatter_{post}_{rank}", f"R² = {found.r_squared:.3f}", found.pre, post, points)
            )
    return plots


def _points(run: PredictionRun, pre: str, post: str) -> dict[str, tuple[list[float], list[float]]]:
    datasets = run.datasets or ("rows",) * len(run.scores[pre])
    points: dict[str, tuple[list[float], list[float]]] = {}
    for dataset, x, y in zip(datasets, run.scores[pre].tolist(), run.scores[post].tolist(), strict=True):
        xs, ys = points.setdefault(dataset, ([], []))
        xs.append(x)
        ys.append(y)
    return points


# Correlations for a terminal and as JSON.


def correlation_report(
    run: MatrixRun | PredictionRun, *, methods: Sequence[Method], width: int
) -> Iterator[RenderableType]:
    """Yield the parts of the report, from top to bottom."""
    for table in correlation_tables(run, methods):
        yield from terminal_table(table, width=width)
    yield from note_lines(run.notes)
    yield signature_line(run.signature.as_line())


def correlation_tables(run: MatrixRun | PredictionRun, methods: Sequence[Method]) -> list[ReportTable]:
    """Return the tables of a run."""
    return matrix_tables(run, methods) if isinstance(run, MatrixRun) else prediction_tables(run)


def correlation_shape(run: MatrixRun | PredictionRun) -> dict[str, Any]:
    """Return the shape of `assess correlate --json`: both matrices, or all pairs with the best of them."""
    if isinstance(run, MatrixRun):
        return _matrix_shape(run)
    return {
        "signature": run.signature.as_dict(),
        "correlations": [
            {
                "pre": found.pre,
                "post": found.post,
                "dataset": found.dataset,
                "rows": found.rows,
                "r_squared": found.r_squared,
                "r": found.r,
                "p": found.p,
                "rho": found.rho,
                "why": found.why,
            }
            for found in run.correlations
        ],
        "top": {
            dataset: {post: [found.pre for found in best] for post, best in tops.items()}
            for dataset, tops in run.top.items()
        },
        "notes": run.notes,
    }


def _matrix_shape(run: MatrixRun) -> dict[str, Any]:
    shape: dict[str, Any] = {"signature": run.signature.as_dict(), "rows": run.rows}
    for method, found in run.matrices.items():
        shape["measures"] = found.measures
        shape[method] = {
            "coefficients": found.coefficients.tolist(),
            "p": found.p_values.tolist(),
            "systems": found.systems.tolist(),
        }
    shape["notes"] = run.notes
    return shape
