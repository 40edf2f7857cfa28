"""Correlations between measures over systems, with p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assess.errors import InputError, UsageError
from assess.measures.measure import Number

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


# How well one score predicts another across systems: R², R, p and Spearman's rho, by data set.
#
# After Tanti et al. (2018): pre-gen scores against post-gen scores, each row of a table being a model or a
# stratum of one model's images.

Floats = NDArray[np.float64]
ALL = "all"  # the name of all data sets together
FEWEST_ROWS = 3  # with two, any two scores correlate perfectly

Why = Literal["not-finite", "constant", "few-rows"]


@dataclass(frozen=True, slots=True)
class Correlation:
    """How a pre-gen and a post-gen score go together in one data set; all `nan` where `why` is set."""

    pre: str
    post: str
    dataset: str
    rows: int
    r_squared: Number
    r: Number  # Pearson
    p: Number  # two-sided, of Pearson's r
    rho: Number  # Spearman
    why: Why | None = None


def correlate(
    pre: Mapping[str, Floats],
    post: Mapping[str, Floats],
    *,
    datasets: Sequence[str] | None = None,
) -> tuple[Correlation, ...]:
    """Correlate every pre-gen with every post-gen column, by data set and in all of them together.

    `datasets` names the data set of each row. A column that is not finite or does not vary in a
    data set has no correlation there, and the result says why.
    """
    rows = _row_count([*pre.values(), *post.values()], datasets)
    groups = _groups(datasets, rows)
    return tuple(
        correlation
        for name, scores in post.items()
        for dataset, chosen in groups.items()
        for correlation in _correlations(pre, (name, scores[chosen]), dataset, chosen)
    )


def ranking(
    correlations: Iterable[Correlation], *, post: str, dataset: str = ALL, everywhere: bool = False
) -> tuple[Correlation, ...]:
    """Return the correlations with one post-gen score, the highest R² first; equals keep their order.

    Undefined ones are left out. With `everywhere`, so is a pre-gen score that is undefined in
    any other data set, which is what the paper's tables do.
    """
    mine = [found for found in correlations if found.post == post]
    partial = {found.pre for found in mine if found.why} if everywhere else set()
    kept = [
        found for found in mine if found.dataset == dataset and not found.why and found.pre not in partial
    ]
    return tuple(sorted(kept, key=lambda found: -found.r_squared))


def top_table(
    correlations: Sequence[Correlation], *, top: int = 5, dataset: str = ALL, everywhere: bool = False
) -> dict[str, tuple[Correlation, ...]]:
    """Return the best pre-gen scores of each post-gen score."""
    posts = dict.fromkeys(found.post for found in correlations)
    return {
        post: ranking(correlations, post=post, dataset=dataset, everywhere=everywhere)[:top] for post in posts
    }


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the images: the `index`-th of `strata`, from the lowest score to the highest."""

    strata: int
    index: int  # counted from 0, like the paper's
    images: tuple[str, ...]


def stratify(scores: Mapping[str, float], *, strata: int) -> tuple[Stratum, ...]:
    """Cut images, ordered by a post-gen score, into strata of equal size (section 3.1).

    A remainder is left out at the top, as in the paper's code; equal scores are ordered by image id.
    """
    if strata < 1 or strata > len(scores):
        raise UsageError(f"{len(scores)} images cannot be cut into {strata} strata")
    if any(math.isnan(score) for score in scores.values()):
        raise UsageError("an image's score is undefined, so it has no place in an order")
    ordered = sorted(scores, key=lambda image: (scores[image], image))
    size = len(ordered) // strata
    return tuple(
        Stratum(strata, index, tuple(ordered[size * index : size * (index + 1)])) for index in range(strata)
    )


def stratifications(scores: Mapping[str, float], *, most: int = 5) -> Iterator[Stratum]:
    """Yield the strata of 1, 2, … `most` cuts of the same images."""
    for strata in range(1, most + 1):
        yield from stratify(scores, strata=strata)


def _row_count(columns: Iterable[Floats], datasets: Sequence[str] | None) -> int:
    lengths = {len(column) for column in columns} | ({len(datasets)} if datasets is not None else set())
    if len(lengths) != 1:
        raise UsageError(f"the columns must have equally many rows, not {sorted(lengths)}")
    return lengths.pop()


def _groups(datasets: Sequence[str] | None, rows: int) -> dict[str, NDArray[np.intp]]:
    found: dict[str, list[int]] = {}
    for row, dataset in enumerate(datasets or ()):
        found.setdefault(dataset, []).append(row)
    groups = {dataset: np.array(chosen, dtype=np.intp) for dataset, chosen in found.items()}
    return groups | {ALL: np.arange(rows, dtype=np.intp)}


def _correlations(
    pre: Mapping[str, Floats], post: tuple[str, Floats], dataset: str, chosen: NDArray[np.intp]
) -> Iterator[Correlation]:
    """Yield the correlations of one post-gen column; the defined ones are computed all at once."""
    name, target = post
    columns = {key: column[chosen] for key, column in pre.items()}
    why = {key: _undefined(column) or _undefined(target) for key, column in columns.items()}
    usable = [key for key in columns if why[key] is None]
    values = iter(_coefficients([columns[key] for key in usable], target) if usable else ())
    for key in columns:
        found = (math.nan,) * 4 if why[key] else next(values)
        yield Correlation(key, name, dataset, len(target), *found, why[key])


def _undefined(column: Floats) -> Why | None:
    if len(column) < FEWEST_ROWS:
        return "few-rows"
    if not np.isfinite(column).all():
        return "not-finite"
    return "constant" if column.max() == column.min() else None


def _coefficients(columns: list[Floats], target: Floats) -> Iterator[tuple[float, float, float, float]]:
    from scipy.stats import rankdata  # heavy, and not needed to import the tool

    matrix = np.stack(columns)
    r = _pearson(matrix, target)
    rho = _pearson(rankdata(matrix, axis=1), rankdata(target))
    p = _p_values_of_r(r, len(target))
    return zip((r**2).tolist(), r.tolist(), p.tolist(), rho.tolist(), strict=True)


def _pearson(matrix: Floats, target: Floats) -> Floats:
    """Return Pearson's r of each row with the target."""
    rows = _standardised(matrix)
    return np.asarray(np.clip(rows @ _standardised(target[None, :])[0], -1.0, 1.0))


def _standardised(matrix: Floats) -> Floats:
    """Centre rows and bring them to length 1, scaled in between so that no square overflows or vanishes.

    Centring comes first: scaling would round, and some published scores vary in their last digits only.
    """
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    centred /= np.abs(centred).max(axis=1, keepdims=True)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


def _p_values_of_r(r: Floats, rows: int) -> Floats:
    """Return two-sided p of r under independence: (1 + r) / 2 is Beta(n/2 - 1, n/2 - 1)."""
    from scipy.special import betainc

    shape = rows / 2 - 1
    return np.asarray(np.minimum(1.0, 2 * betainc(shape, shape, (1 - np.abs(r)) / 2)))
