"""Tier 4 of pre-gen metrics: from the scores of images to one number a score, as images come in."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from assess.metrics.pregen_captions import Floats
from assess.metrics.pregen_medians import MEMORY_LIMIT, RowMedians


class DatasetTotals:
    """Running aggregates of rows of scores. Only what the wanted aggregates need is computed."""

    def __init__(self, rows: int, aggregates: Collection[str], *, memory_limit: int = MEMORY_LIMIT) -> None:
        self.aggregates = frozenset(aggregates)
        self._length = 0
        self._sum = np.zeros(rows)
        self._logarithms = np.zeros(rows)
        self._max = np.full(rows, -np.inf)
        self._min = np.full(rows, np.inf)
        self._medians = RowMedians(rows, memory_limit=memory_limit)

    def add(self, scores: Floats, logarithms: Callable[[], Floats]) -> None:
        """Add the scores of further images; their logarithms are asked for where they are needed."""
        self._length += scores.shape[1]
        if self.aggregates & {"sum", "mean"}:
            self._sum += np.add.reduce(scores, axis=1)
        if "max" in self.aggregates:
            np.maximum(self._max, np.maximum.reduce(scores, axis=1), out=self._max)
        if self.aggregates & {"min", "geomean"}:
            np.minimum(self._min, np.minimum.reduce(scores, axis=1), out=self._min)
        if "geomean" in self.aggregates:
            with np.errstate(invalid="ignore"):
                self._logarithms += np.add.reduce(logarithms(), axis=1)
        if "median" in self.aggregates:
            self._medians.add(scores)

    def result(self, aggregate: str) -> Floats:
        """Return one of the wanted aggregates of every row."""
        if aggregate == "mean":
            return self._sum / self._length
        if aggregate == "median":
            return self._medians.result()
        if aggregate == "geomean":
            return self._geometric_means()
        return {"sum": self._sum, "max": self._max, "min": self._min}[aggregate]

    def close(self) -> None:
        """Give back what the medians hold."""
        self._medians.close()

    def _geometric_means(self) -> Floats:
        """Return geometric means; one with a zero is 0, also beside an infinity."""
        with np.errstate(over="ignore", invalid="ignore"):
            means = np.exp2(self._logarithms / self._length)
        return np.where(self._min == 0, 0.0, means)
