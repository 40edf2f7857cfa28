"""Words as bundles of weighted features: two words are alike as far as they share rare ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

Features = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A known word and how alike it is: 1 is the same, 0 has nothing in common."""

    word: str
    likeness: float


class FeatureSpace:
    """Known words and their features. Likeness is the cosine; a feature of few words weighs more.

    `caution` is added to the length of each known word: one that was seen only once or twice shares most of
    its few features with anything, and must not look like it.
    """

    def __init__(self, features: Mapping[str, Features], *, caution: float = 0.0) -> None:
        self.words = sorted(word for word, own in features.items() if own)
        names = sorted({name for word in self.words for name in features[word]})
        self._columns = {name: column for column, name in enumerate(names)}
        counts = self._matrix([features[word] for word in self.words])
        shared = np.bincount(counts.indices, minlength=len(names))
        # A feature that every word has would weigh nothing; it still weighs a little.
        self._rarity = np.log((len(self.words) + 1) / (shared + 0.5))
        self._rarest = float(np.log((len(self.words) + 1) / 0.5))
        self._known = _normalised(self._weighted(counts), caution)

    def _matrix(self, rows: Sequence[Features]) -> sparse.csr_matrix:
        values, columns, ends = [], [], [0]
        for row in rows:
            for name in sorted(row.keys() & self._columns.keys()):
                columns.append(self._columns[name])
                values.append(row[name])
            ends.append(len(columns))
        shape = (len(rows), len(self._columns))
        return sparse.csr_matrix((np.asarray(values, dtype=np.float64), columns, ends), shape=shape)

    def _weighted(self, counts: sparse.csr_matrix) -> sparse.csr_matrix:
        values = counts.data * self._rarity[counts.indices]
        return sparse.csr_matrix((values, counts.indices, counts.indptr), shape=counts.shape)

    def likeness(self, features: Features) -> np.ndarray:
        """Return how alike each known word is, in the order of `words`."""
        row = self._weighted(self._matrix([features]))
        strange = sum(value**2 for name, value in features.items() if name not in self._columns)
        length = float(np.sqrt((row.data**2).sum() + strange * self._rarest**2))
        if not length:
            return np.zeros(len(self.words))
        return np.asarray(self._known @ row.toarray().ravel()) / length

    def nearest(self, features: Features, *, most: int, leave_out: str | None = None) -> list[Neighbour]:
        """Return the words that are most alike; equal ones go by their text, so the choice never varies."""
        likeness = self.likeness(features).round(12)
        order = np.lexsort((np.arange(len(self.words)), -likeness))[: most + 1]
        found = [Neighbour(self.words[i], float(likeness[i])) for i in order if likeness[i] > 0]
        return [neighbour for neighbour in found if neighbour.word != leave_out][:most]


def _normalised(matrix: sparse.csr_matrix, caution: float) -> sparse.csr_matrix:
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()) + caution
    lengths[lengths == 0] = 1
    return sparse.diags(1 / lengths) @ matrix
