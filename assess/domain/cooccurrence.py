"""Words by what they occur with: what stands beside them in captions, and what they depend on.

Words that are used alike tend to mean alike (Harris 1954), also in a few thousand captions. A word is a
bundle of weighted features, and two words are alike as far as they share rare ones.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from assess.records import Annotation
from assess.taxonomy.words import Token, tokenise

Features = Mapping[str, float]

MOST_USES = 300
"""Uses of one word that are looked at: what a common word adds after these is no news."""

_LONGEST = 4  # words of a phrase
_BEFORE, _AFTER = "^", "$"  # the edges of a caption
_WEIGHTS = {"tag": 1.5, "capital": 2.0, "far": 0.6}

CAUTION = 5.0
"""How often a word must have been seen before it is taken for like another: see `FeatureSpace`."""


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


@dataclass(slots=True)
class CooccurrenceTally:
    """What stands around each word and each known phrase. Two tallies of different texts add."""

    phrases: frozenset[str] = frozenset()  # normal forms of several words, to be taken as one
    uses: Counter[str] = field(default_factory=Counter)
    features: dict[str, Counter[str]] = field(default_factory=dict)

    def add_text(self, text: str, annotation: Annotation) -> None:
        """Count what stands around all words of one text."""
        tokens = tokenise(text)
        index = {offset: number for number, offset in enumerate(annotation.offsets)}
        words = [_BEFORE, _BEFORE, *(token.text for token in tokens), _AFTER, _AFTER]
        for start, end, phrase in self._phrases_of(tokens):
            self.uses[phrase] += 1
            if self.uses[phrase] <= MOST_USES:
                own = self.features.setdefault(phrase, Counter())
                own.update(_neighbours(words, start + 2, end + 2))
                own.update(_grammar(text, tokens[start], tokens[end - 1], annotation, index))

    def _phrases_of(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
        forms = [token.text.replace("-", " ") for token in tokens]
        for start, form in enumerate(forms):
            yield start, start + 1, form
            for end in range(start + 2, min(len(forms), start + _LONGEST) + 1):
                phrase = " ".join(forms[start:end])
                if phrase in self.phrases:
                    yield start, end, phrase

    def knows(self, word: str) -> bool:
        """Whether a word was seen, with hyphens or without."""
        return word.replace("-", " ") in self.features

    def features_of(self, word: str) -> Features:
        """Return what a word occurs with, as weighted features; none for a word that was not seen."""
        own = self.features.get(word.replace("-", " "), Counter[str]())
        return {
            name: _WEIGHTS.get(name.split(" ")[0], 1.0) * math.log1p(count) for name, count in own.items()
        }


def _neighbours(words: Sequence[str], start: int, end: int) -> Iterator[str]:
    yield f"left {words[start - 1]}"
    yield f"right {words[end]}"
    yield f"far left {words[start - 2]}"
    yield f"far right {words[end + 1]}"


def _grammar(
    text: str, first: Token, last: Token, annotation: Annotation, index: dict[int, int]
) -> Iterator[str]:
    # A hyphenated word of ours is several words of the annotator's; its last part carries the tag.
    position = index.get(last.start)
    if position is None:
        return
    while position + 1 < len(annotation.offsets) and annotation.offsets[position + 1] < last.end:
        position += 1
    yield f"tag {annotation.tags[position]}"
    if annotation.heads:
        head = annotation.words[annotation.heads[position]].lower()
        yield f"depends {annotation.deps[position]} {head}"
    if first.start > 0 and text[first.start].isupper():
        yield "capital"
