"""Correlations for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType

from assess.engine.correlation_run import MatrixRun, PredictionRun
from assess.metrics.correlation import Method
from assess.report.correlation_tables import matrix_tables, prediction_tables
from assess.report.table import ReportTable
from assess.report.table_terminal import note_lines, signature_line, terminal_table


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
