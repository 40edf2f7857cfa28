"""WordNet as evidence, where NLTK finds its data. Nothing is ever downloaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assess.metrics.feature_space import Features

_HYPERNYMS = 4  # levels up: beyond these everything is an entity
_SENSES = 4  # per word; WordNet has the commonest first


class WordNet:
    """The meanings of words: synonyms, broader terms and kin, as features."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def features_of(self, phrase: str) -> Features:
        """Return a phrase's features; none where WordNet does not know it."""
        features: dict[str, float] = {}
        for sense in self._reader.synsets(phrase.replace(" ", "_"))[:_SENSES]:
            for name, weight in _features(sense):
                features[name] = max(weight, features.get(name, 0.0))
        return features


def find_wordnet() -> WordNet | None:
    """Return WordNet if NLTK is installed and finds its data."""
    from nltk.corpus import wordnet  # imported here: it takes a while

    try:
        wordnet.synsets("dog")
    except LookupError:
        return None
    return WordNet(wordnet)


def _features(sense: Any) -> Iterator[tuple[str, float]]:
    yield f"sense {sense.name()}", 1.0
    yield f"field {sense.lexname()}", 1.0
    for similar in (*sense.similar_tos(), *sense.also_sees(), *sense.attributes()):
        yield f"sense {similar.name()}", 0.7
    for lemma in sense.lemmas():
        kin = (*lemma.pertainyms(), *lemma.derivationally_related_forms(), *lemma.antonyms())
        for relative in kin:
            yield f"sense {relative.synset().name()}", 0.7
    level, weight = [sense], 1.0
    for _ in range(_HYPERNYMS):
        level = [
            broader for narrow in level for broader in (*narrow.hypernyms(), *narrow.instance_hypernyms())
        ]
        weight *= 0.8
        for broader in level:
            yield f"sense {broader.name()}", weight
