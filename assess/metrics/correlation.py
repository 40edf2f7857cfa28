"""Correlations between measures over systems, with p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assess.errors import InputError

Method = Literal["pearson", "spearman"]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Correlations:
    """A symmetric matrix of correlations between measures, with p-values and numbers of systems."""

    method: Method
    measures: tuple[str, ...]
    coefficients: Matrix  # nan where a measure does not vary, or fewer than two systems have both
    p_values: Matrix  # two-sided; nan below three systems
    systems: NDArray[np.int64]  # that have both measures


def correlations(table: Mapping[str, Sequence[float]], *, method: Method = "spearman") -> Correlations:
    """Return the correlation of every two measures (measure -> one value a system, `nan` where undefined).

    Each pair uses the systems that have both values. The p-value is that of Student's t with two
    degrees of freedom less than systems, as SciPy's; with nine systems it is rough for ranks.
    """
    lengths = {len(values) for values in table.values()}
    if len(lengths) > 1:
        raise InputError(f"the measures have different numbers of systems: {sorted(lengths)}")
    columns = [np.asarray(values, dtype=float) for values in table.values()]
    size = len(columns)
    coefficients, systems = np.full((size, size), np.nan), np.zeros((size, size), dtype=np.int64)
    for first, second in combinations_with_replacement(range(size), 2):
        both = np.isfinite(columns[first]) & np.isfinite(columns[second])
        value = _correlation(columns[first][both], columns[second][both], method)
        coefficients[first, second] = coefficients[second, first] = value
        systems[first, second] = systems[second, first] = np.count_nonzero(both)
    return Correlations(method, tuple(table), coefficients, _p_values(coefficients, systems), systems)


def _correlation(first: Matrix, second: Matrix, method: Method) -> float:
    if first.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    if np.array_equal(first, second):
        return 1.0  # exactly: the sum below may be off by a last digit
    if method == "spearman":
        first, second = _ranks(first), _ranks(second)
    first, second = _unit(first), _unit(second)
    return float(np.clip(first @ second, -1.0, 1.0))


def _ranks(values: Matrix) -> Matrix:
    """Return ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray(((last - counts + 1 + last) / 2)[inverse])


def _unit(values: Matrix) -> Matrix:
    centred = values - values.mean()
    return np.asarray(centred / np.linalg.norm(centred))


def _p_values(coefficients: Matrix, systems: NDArray[np.int64]) -> Matrix:
    from scipy.special import betainc  # heavy: not before it is needed

    p_values = np.full(coefficients.shape, np.nan)
    usable = (systems > 2) & np.isfinite(coefficients)
    freedom = systems[usable] - 2
    # P(|t| > t0) for t0 = r sqrt(df / (1 - r²)) is the incomplete beta function at 1 - r².
    p_values[usable] = betainc(freedom / 2, 0.5, 1 - coefficients[usable] ** 2)
    return p_values
