"""Heads that a taxonomy may lack: nouns outside the domain that are used like the heads inside it.

The commonest nouns of captions about people are shirts and streets. What an author wants are nouns that
stand where known heads stand, so frequency is weighed by how alike a noun's company is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from assess.metrics.company import CAUTION, CompanyTally
from assess.metrics.domain_coverage import Sightings
from assess.metrics.feature_space import FeatureSpace
from assess.taxonomy.singulars import singular_of

_NEIGHBOURS, _SHARPNESS = 25, 3
MOST = 3_000
"""Nouns that are compared, the commonest: each one costs some milliseconds."""


@dataclass(frozen=True, slots=True)
class MissingHead:
    """A noun that may be a head of the domain."""

    word: str  # in the singular, as far as we can tell
    forms: tuple[str, ...]  # as captions have it
    chunks: int
    likeness: float  # weight of known heads among the nouns used most alike; undefined where none is known
    captions: tuple[str, ...]  # examples


def missing_heads(
    nouns: Mapping[str, Sightings], heads: Collection[str], company: CompanyTally, *, least: int = 1
) -> tuple[MissingHead, ...]:
    """Return the nouns outside the domain, likeliest first; without any known head, commonest first.

    `heads` are the known heads in all their forms.
    """
    forms = _by_singular(nouns)
    counts = {word: sum(nouns[form].count for form in own) for word, own in forms.items()}
    common = sorted(counts, key=lambda word: (-counts[word], word))[:MOST]
    kept = {word: forms[word] for word in common if counts[word] >= least}
    candidates = {form for own in kept.values() for form in own}
    likeness = _likeness(candidates, set(heads), company)
    found = [_missing_head(word, own, nouns, likeness) for word, own in kept.items()]
    return tuple(sorted(found, key=lambda head: (-gain(head.chunks, head.likeness), -head.chunks, head.word)))


def gain(chunks: int, likeness: float) -> float:
    """Return how rewarding a noun is.

    Being alike counts three times, for streets are too common; what was seen once or twice may be alike by
    accident.
    """
    return 0.0 if math.isnan(likeness) else chunks * likeness**3 * chunks / (chunks + 2)


def _missing_head(
    word: str, forms: tuple[str, ...], nouns: Mapping[str, Sightings], likeness: Mapping[str, float]
) -> MissingHead:
    together = Sightings()
    for form in forms:
        together = together + nouns[form]
    alike = sum(likeness[form] * nouns[form].count for form in forms) / together.count
    return MissingHead(word, forms, together.count, alike, tuple(together.captions))


def _likeness(candidates: Collection[str], heads: Collection[str], company: CompanyTally) -> dict[str, float]:
    known = sorted(head for head in heads if company.knows(head))
    if not known:
        return dict.fromkeys(candidates, float("nan"))
    features = {word: company.features_of(word) for word in {*candidates, *known}}
    space = FeatureSpace(features, caution=CAUTION)
    inside = np.isin(space.words, known)
    found = dict.fromkeys(candidates, 0.0)
    for place, word in enumerate(space.words):
        if word in found:
            votes = space.likeness(features[word]) ** _SHARPNESS
            votes[place] = 0
            found[word] = _share(
                np.sort(votes[inside])[-_NEIGHBOURS:], np.sort(votes[~inside])[-_NEIGHBOURS:]
            )
    return found


def _share(inside: np.ndarray, outside: np.ndarray) -> float:
    """Return what the nearest known heads weigh against the nearest other nouns."""
    total = float(inside.sum() + outside.sum())
    return float(inside.sum()) / total if total else 0.0


def _by_singular(nouns: Mapping[str, Sightings]) -> dict[str, tuple[str, ...]]:
    """Return the forms of each noun, under its singular."""
    forms: dict[str, list[str]] = {}
    for word in sorted(nouns):
        forms.setdefault(singular_of(word, nouns), []).append(word)
    return {word: tuple(own) for word, own in forms.items()}
