"""The kinds of evidence about unknown words, each over the words that a taxonomy already lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

import numpy as np

from assess.metrics.company import CAUTION, CompanyTally
from assess.metrics.feature_space import Features, FeatureSpace, Neighbour
from assess.metrics.suggestions import Evidence, Kind, Suggester
from assess.metrics.word_forms import form_features, pattern_features
from assess.metrics.wordnet import WordNet
from assess.records import Role
from assess.taxonomy.listing import categories_of_words, listings
from assess.taxonomy.model import Taxonomy


class Vectors(Protocol):
    """Directions of words, such as `assess.annotate.vectors.WordVectors`."""

    def vector(self, phrase: str) -> np.ndarray | None:
        """Return a direction of length one, or None."""


class FormEvidence:
    """Words made alike: endings, parts, and the fixed words of patterns."""

    kind: Kind = "form"

    def __init__(self, words: Iterable[str], patterns: Iterable[str]) -> None:
        features = {word: form_features(word) for word in words}
        features |= {pattern: pattern_features(pattern) for pattern in patterns}
        self._space = FeatureSpace(features)

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return the words and patterns that are made most alike."""
        return self._space.nearest(form_features(word), most=most, leave_out=word)


class CompanyEvidence:
    """Words that stand in the same places of the captions at hand."""

    kind: Kind = "company"

    def __init__(self, words: Iterable[str], tally: CompanyTally) -> None:
        self._tally = tally
        self._space = FeatureSpace({word: tally.features_of(word) for word in words}, caution=CAUTION)

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return the words that keep the most similar company."""
        features = self._tally.features_of(word)
        return self._space.nearest(features, most=most, leave_out=word) if features else []


class WordNetEvidence:
    """Words with shared meanings, broader terms or kin in WordNet."""

    kind: Kind = "wordnet"

    def __init__(self, words: Iterable[str], wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self._space = FeatureSpace({word: wordnet.features_of(word) for word in words})

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return the words whose meanings are nearest."""
        features: Features = self._wordnet.features_of(word)
        return self._space.nearest(features, most=most, leave_out=word) if features else []


class VectorEvidence:
    """Words whose vectors point the same way."""

    kind: Kind = "vectors"

    def __init__(self, words: Iterable[str], vectors: Vectors) -> None:
        self._vectors = vectors
        found = {word: vector for word in sorted(words) if (vector := vectors.vector(word)) is not None}
        self._words = list(found)
        self._matrix = np.array(list(found.values()))

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return the words with the smallest angle."""
        vector = self._vectors.vector(word)
        if vector is None or not self._words:
            return []
        likeness = (self._matrix @ vector).round(9)
        order = np.lexsort((np.arange(len(likeness)), -likeness))[: most + 1]
        found = [Neighbour(self._words[i], min(1.0, float(likeness[i]))) for i in order if likeness[i] > 0]
        return [neighbour for neighbour in found if neighbour.word != word][:most]


def make_suggester(
    taxonomy: Taxonomy,
    role: Role,
    *,
    company: CompanyTally | None = None,
    vectors: Vectors | None = None,
    wordnet: WordNet | None = None,
) -> Suggester:
    """Return a suggester for one role, with all the evidence that is at hand."""
    words = categories_of_words(taxonomy, role)
    patterns = _categories_of_patterns(taxonomy, role)
    evidence: list[Evidence] = [FormEvidence(words, patterns)]
    if company is not None:
        evidence.append(CompanyEvidence(words, company))
    if vectors is not None:
        evidence.append(VectorEvidence(words, vectors))
    if wordnet is not None:
        evidence.append(WordNetEvidence(words, wordnet))
    return Suggester({**patterns, **words}, evidence)


def _categories_of_patterns(taxonomy: Taxonomy, role: Role) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for listing in listings(taxonomy):
        if listing.role == role:
            for pattern in listing.patterns:
                found[pattern] = (*found.get(pattern, ()), listing.category)
    return found
