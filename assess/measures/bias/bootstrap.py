"""Intervals that resample images, because the labels of one image are not independent.

A tally of an image holds, for each group, the labels with the category and all labels. Images with equal
tallies are interchangeable, so one multinomial draw over the *distinct* tallies is the same as drawing
images one by one, and does not depend on the order of the images.

Spread over several groups is never shown as the largest rate less the smallest: that number cannot be
negative, so its interval never covers 0. Contrasts between two groups are used instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from assess.errors import UsageError
from assess.measures.bias.tables import Estimate, check_level

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
BLOCK = 4_000_000
"""So many weights are in memory at once."""


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A contrast of rates with its percentile interval.

    `defined` says in how many of the samples the contrast existed: a rare group can miss in a sample.
    """

    estimate: Estimate
    samples: int
    defined: int


def bootstrap_contrasts(
    tallies: ArrayLike,
    contrasts: Sequence[Sequence[float]],
    *,
    samples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[BootstrapInterval, ...]:
    """Return contrasts of rates from per-image tallies (images x groups x yes, labels).

    A contrast has a weight for each group: (1, -1) is a risk difference, (1, -1, -1, 1) the difference of
    two. The groups may also be systems on the same images; then the intervals are paired ones.
    """
    check_level(level)
    counts = _checked(tallies, contrasts, samples)
    observed = _rates(counts.sum(axis=0)[np.newaxis])
    replicates = np.concatenate(list(_replicates(counts, samples, seed)))
    return tuple(
        _percentiles(float(_contrast(observed, contrast)[0]), _contrast(replicates, contrast), samples, level)
        for contrast in contrasts
    )


def _checked(tallies: ArrayLike, contrasts: Sequence[Sequence[float]], samples: int) -> Floats:
    counts = np.asarray(tallies, dtype=np.float64)
    if counts.ndim != 3 or counts.shape[2] != 2 or not counts.size:
        raise UsageError(f"tallies of shape {counts.shape} are not images x groups x (yes, labels)")
    if (counts[..., 0] > counts[..., 1]).any() or (counts < 0).any():
        raise UsageError("a tally has more labels with the category than labels, or fewer than none")
    if any(len(contrast) != counts.shape[1] for contrast in contrasts):
        raise UsageError(f"a contrast of {counts.shape[1]} groups needs as many weights")
    if samples < 1:
        raise UsageError("a bootstrap needs at least one sample")
    return counts


def _replicates(counts: Floats, samples: int, seed: int) -> Iterator[Floats]:
    """Draw images with replacement, block by block, and yield the rates of the groups (samples x groups)."""
    images, groups, _ = counts.shape
    distinct, frequencies = distinct_rows(counts.reshape(images, groups * 2))
    generator = np.random.Generator(np.random.PCG64(seed))
    block = max(1, BLOCK // len(distinct))
    for start in range(0, samples, block):
        size = min(block, samples - start)
        drawn = generator.multinomial(images, frequencies / images, size=size)
        yield _rates((drawn.astype(np.float64) @ distinct).reshape(size, groups, 2))


def distinct_rows(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the distinct rows in order, and how often each occurs.

    Rows of small whole numbers are compared as one number each, which is many times faster.
    """
    base = float(rows.max()) + 1
    if base ** rows.shape[1] > 2**52:
        distinct, frequencies = np.unique(rows, axis=0, return_counts=True)
        return distinct, frequencies
    codes = rows @ base ** np.arange(rows.shape[1] - 1, -1, -1, dtype=np.float64)
    _, first, frequencies = np.unique(codes, return_index=True, return_counts=True)
    return rows[first], frequencies


def _rates(totals: Floats) -> Floats:
    """Return yes / labels of (samples x groups x 2); nan where a group has no labels."""
    rates = np.full(totals.shape[:2], math.nan)
    np.divide(totals[..., 0], totals[..., 1], out=rates, where=totals[..., 1] > 0)
    return rates


def _contrast(rates: Floats, contrast: Sequence[float]) -> Floats:
    """Return the weighted sum of the rates; a group with weight 0 may be undefined."""
    used = [place for place, weight in enumerate(contrast) if weight]
    total: Floats = rates[:, used] @ np.array([contrast[place] for place in used], dtype=np.float64)
    return total


def _percentiles(observed: float, replicates: Floats, samples: int, level: float) -> BootstrapInterval:
    defined = int(np.count_nonzero(~np.isnan(replicates)))
    return BootstrapInterval(percentiles(observed, replicates, level=level), samples, defined)


def percentiles(observed: float, replicates: Floats, *, level: float) -> Estimate:
    """Return an estimate with its percentile interval over the resamples that have a value."""
    defined = replicates[~np.isnan(replicates)]
    if math.isnan(observed) or not defined.size:
        return Estimate(float(observed), math.nan, math.nan)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(observed), float(low), float(high))


def resampled_sums(
    sources: Sequence[tuple[Integers, Integers]],
    columns: Sequence[int],
    images: int,
    *,
    samples: int,
    seed: int,
) -> list[Floats]:
    """Return the column sums of each source: as observed in the first row, then in every resample of images.

    A source is given by the column and the image of everything that counts in it; it has so many columns.
    All sources are resampled together. Most columns are about few images, so the product is a sparse one.
    """
    starts = np.cumsum([0, *columns])
    places = np.concatenate([column + start for (column, _), start in zip(sources, starts, strict=False)])
    used, counted = np.unique(np.concatenate([image for _, image in sources]), return_inverse=True)
    # Whole numbers below 2^24 are exact in half the width, and a resample of everything stays below it.
    kind = np.float32 if 4 * len(places) < 2**24 else np.float64
    sparse = csr_array((np.ones(len(places), kind), (places, counted)), shape=(int(starts[-1]), len(used)))
    rows = [np.asarray(sparse.sum(axis=1), dtype=np.float64)[np.newaxis]]
    for weights in _weights(images, len(used), samples, seed):
        rows.append((sparse @ weights.astype(kind)).T.astype(np.float64))
    return np.split(np.concatenate(rows), starts[1:-1], axis=1)


def _weights(images: int, used: int, samples: int, seed: int) -> Iterator[Integers]:
    """Yield how often each of the images that are used at all is drawn: images x samples, in blocks.

    Of as many draws as there are images, those that fall on the others need not be told apart.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    block = max(1, BLOCK // max(1, used))
    for start in range(0, samples, block):
        size = min(block, samples - start)
        weights = np.empty((used, size), dtype=np.int64)
        for sample, draws in enumerate(generator.binomial(images, used / images if images else 0, size=size)):
            weights[:, sample] = np.bincount(generator.integers(used, size=draws), minlength=used)
        yield weights
