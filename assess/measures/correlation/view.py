"""Correlations as tables and as plots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from itertools import combinations

from assess.measures.correlation.compute import ALL, Correlation
from assess.measures.correlation.run import CorrelationResult, Matrix
from assess.measures.registry import Measure
from assess.measures.settings import CorrelationSettings
from assess.report.quantity import Quantity, column, in_a_list, quantity_cell
from assess.report.section import (
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

LARGEST_MATRIX = 30  # measures; beyond it the strongest pairs are shown instead
_PAIRS = 20
_PAPER = "tanti2018pregen"
_FEW_SYSTEMS = "fewer than two systems, or a constant column"
_FEW_ROWS = "few rows, infinite values, or a constant column"

MATRICES: list[Quantity[Matrix]] = [
    Quantity(
        "spearman",
        "Spearman's rank correlation",
        in_a_list,
        decimals(2),
        "Pearson's correlation of ranks; equals share their mean rank",
        undefined=_FEW_SYSTEMS,
    ),
    Quantity(
        "pearson",
        "Pearson's correlation",
        in_a_list,
        decimals(2),
        "correlation of the values",
        undefined=_FEW_SYSTEMS,
    ),
]
PREDICTIONS: list[Quantity[Correlation]] = [
    Quantity(
        "r_squared",
        "R²",
        lambda found: found.r_squared,
        decimals(3),
        "square of Pearson's r between a pre-gen and a post-gen score",
        _PAPER,
        "higher",
        _FEW_ROWS,
        table="prediction",
    ),
    Quantity(
        "r",
        "R",
        lambda found: found.r,
        decimals(3),
        "Pearson's correlation of both",
        _PAPER,
        undefined=_FEW_ROWS,
        table="prediction",
    ),
    Quantity(
        "p",
        "p",
        lambda found: found.p,
        p_value,
        "two-sided p of r, not corrected for the number of scores",
        _PAPER,
        undefined=_FEW_ROWS,
        table="prediction",
    ),
    Quantity(
        "rho",
        "ρ",
        lambda found: found.rho,
        decimals(3),
        "Spearman's rank correlation of both",
        undefined=_FEW_ROWS,
        table="prediction",
    ),
]


def correlation_sections(result: CorrelationResult) -> list[Section]:
    """Return what correlations look like: matrices, or the best predictors."""
    parts = _matrices(result) if result.correlations is None else _predictions(result)
    notes = map(Note, result.notes)
    explained = "Which scores go together, and which of them predict others."
    return [Section("correlation", "Correlations", (*parts, *notes), explained)]


def _matrices(result: CorrelationResult) -> Iterator[Part]:
    """Yield one matrix per method, or the strongest pairs where there are too many measures."""
    names = result.measures or ()
    for quantity in MATRICES:
        found: Matrix | None = getattr(result, quantity.key)
        if found is None or result.method not in (quantity.key, "both"):
            continue
        yield (_matrix_table if len(names) <= LARGEST_MATRIX else _pair_table)(quantity, names, found)
        title = f"{quantity.heading} over {result.rows} systems"
        yield HeatMap(f"correlation_{quantity.key}", title, names, names, found.coefficients)


def _matrix_table(quantity: Quantity[Matrix], names: tuple[str, ...], found: Matrix) -> Table:
    """Return a matrix of correlations, as the paper's Figures 2 and 6 show it."""
    columns = (Column("measure", "", words=True), *(Column(name, name) for name in names))
    rows = tuple(
        (words(name), *(cell(value, quantity.form) for value in values))
        for name, values in zip(names, found.coefficients, strict=True)
    )
    note = f"Over {max(map(max, found.systems))} systems; JSON has p-values"
    return Table(f"correlation_{quantity.key}", quantity.heading, columns, rows, (note,))


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
    note = f"The strongest {len(rows)} of {len(pairs)} pairs; choose measures with --columns for a matrix"
    return Table(f"correlation_{quantity.key}", quantity.heading, columns, rows, (note,))


def _predictions(result: CorrelationResult) -> Iterator[Part]:
    """Yield the best predictors of each post-gen score, by data set (Tanti et al. 2018), and their plots."""
    known = {(found.dataset, found.post, found.pre): found for found in result.correlations or ()}
    for number, (dataset, tops) in enumerate((result.top or {}).items(), start=1):
        best = [
            (rank, known[dataset, post, pre])
            for post, names in tops.items()
            for rank, pre in enumerate(names, start=1)
        ]
        yield _prediction_table(number, dataset, best)
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
    note = f"{size} rows. R²: share of variance; ρ: Spearman; p: of R, not corrected for the many scores"
    return Table(f"prediction_{number}", title, columns, rows, (note,))


MEASURE = Measure(
    name="correlation",
    title="Correlations",
    result=CorrelationResult,
    sections=correlation_sections,
    quantities=lambda: {"Correlations": [*MATRICES, *PREDICTIONS]},
    settings=CorrelationSettings,
)
