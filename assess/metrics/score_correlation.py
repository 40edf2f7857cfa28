"""How well one score predicts another across systems: R², R, p and Spearman's rho, by data set.

After Tanti et al. (2018): pre-gen scores against post-gen scores, each row of a table
being a model or a stratum of one model's images.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError

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
    r_squared: float
    r: float  # Pearson
    p: float  # two-sided, of Pearson's r
    rho: float  # Spearman
    why: Why | None = None


def correlate(
    pre: Mapping[str, Floats],
    post: Mapping[str, Floats],
    *,
    datasets: Sequence[str] | None = None,
    together: bool = True,
) -> tuple[Correlation, ...]:
    """Correlate every pre-gen with every post-gen column, by data set and in all of them together.

    `datasets` names the data set of each row. A column that is not finite or does not vary in a
    data set has no correlation there, and the result says why.
    """
    rows = _row_count([*pre.values(), *post.values()], datasets)
    groups = _groups(datasets, rows, together=together)
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


def _groups(datasets: Sequence[str] | None, rows: int, *, together: bool) -> dict[str, NDArray[np.intp]]:
    found: dict[str, list[int]] = {}
    for row, dataset in enumerate(datasets or ()):
        found.setdefault(dataset, []).append(row)
    groups = {dataset: np.array(chosen, dtype=np.intp) for dataset, chosen in found.items()}
    if together or not groups:
        groups[ALL] = np.arange(rows, dtype=np.intp)
    return groups


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
    p = _p_values(r, len(target))
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


def _p_values(r: Floats, rows: int) -> Floats:
    """Return two-sided p of r under independence: (1 + r) / 2 is Beta(n/2 - 1, n/2 - 1)."""
    from scipy.special import betainc

    shape = rows / 2 - 1
    return np.asarray(np.minimum(1.0, 2 * betainc(shape, shape, (1 - np.abs(r)) / 2)))
