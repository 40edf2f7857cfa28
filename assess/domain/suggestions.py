"""Suggestions for unknown words: the known words that one is like vote for their categories.

Every kind of evidence answers the same question, which known words is this one like: by its form, by the
company it keeps in captions, by word vectors, by WordNet. The answers are combined as independent opinions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from assess.domain.cooccurrence import CAUTION, CompanyTally, FeatureSpace, Neighbour
from assess.domain.survey import Sightings
from assess.taxonomy.words import singular_of

Kind = Literal["form", "company", "vectors", "wordnet"]

NEIGHBOURS = 30
SHOWN_WORDS = 3


class Evidence(Protocol):
    """Something that can tell which known words a word is like."""

    @property
    def kind(self) -> Kind:
        """Its name in results."""

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return known words (or patterns), the most alike first; nothing where it cannot tell."""


@dataclass(frozen=True, slots=True)
class Trust:
    """How far a kind of evidence is believed.

    The values were chosen with a fifth of the people taxonomy's words hidden (seed 0); what
    `benchmarks/suggest.py` reports comes from other seeds and other domains.
    """

    weight: float  # of its opinion among the others
    sharpness: float  # how much more the nearest words count than the next ones
    doubt: float  # how much of its opinion is what any word would get
    notable: float  # likeness from which on a word is worth showing as a reason


TRUST: dict[Kind, Trust] = {
    "form": Trust(weight=0.5, sharpness=2, doubt=0.1, notable=0.1),
    "company": Trust(weight=0.5, sharpness=1, doubt=0.1, notable=0.03),
    "vectors": Trust(weight=1.4, sharpness=3, doubt=0.3, notable=0.3),
    "wordnet": Trust(weight=1.0, sharpness=1, doubt=0.03, notable=0.05),
}


@dataclass(frozen=True, slots=True)
class Reason:
    """Known words of the suggested category that one kind of evidence finds alike."""

    kind: Kind
    words: tuple[str, ...]  # most alike first


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A category for a word, its share of belief, and why."""

    category: str
    score: float
    reasons: tuple[Reason, ...]


class Suggester:
    """Suggests categories of one role."""

    def __init__(self, categories: Mapping[str, tuple[str, ...]], evidence: Sequence[Evidence]) -> None:
        self._categories = categories
        self.evidence = tuple(evidence)
        counts = Counter(name for names in categories.values() for name in names)
        self._usual = {name: count / counts.total() for name, count in sorted(counts.items())}

    def limited_to(self, kinds: Iterable[Kind]) -> Suggester:
        """Return a suggester that knows the same words and uses less evidence."""
        wanted = set(kinds)
        return Suggester(self._categories, [source for source in self.evidence if source.kind in wanted])

    def suggest(self, word: str, *, most: int = 3) -> tuple[Suggestion, ...]:
        """Return the likeliest categories of a word in normal form, best first."""
        neighbours = {source.kind: source.nearest(word, most=NEIGHBOURS) for source in self.evidence}
        beliefs = self._beliefs(neighbours)
        best = sorted(beliefs, key=lambda name: (-beliefs[name], name))[:most]
        return tuple(Suggestion(name, beliefs[name], self._reasons(name, neighbours)) for name in best)

    def _beliefs(self, neighbours: Mapping[Kind, Sequence[Neighbour]]) -> dict[str, float]:
        logarithms = dict.fromkeys(self._usual, 0.0)
        informed = False
        for kind, found in neighbours.items():
            if found:
                informed = True
                for name, opinion in self._opinion(found, TRUST[kind]).items():
                    logarithms[name] += TRUST[kind].weight * math.log(opinion)
        if not informed:
            return dict(self._usual)
        largest = max(logarithms.values())
        weights = {name: math.exp(value - largest) for name, value in logarithms.items()}
        total = math.fsum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    def _opinion(self, neighbours: Sequence[Neighbour], trust: Trust) -> dict[str, float]:
        votes = dict.fromkeys(self._usual, 0.0)
        for neighbour in neighbours:
            for name in self._categories[neighbour.word]:
                votes[name] += neighbour.likeness**trust.sharpness
        total = math.fsum(votes.values()) + trust.doubt
        return {name: (vote + trust.doubt * self._usual[name]) / total for name, vote in votes.items()}

    def _reasons(self, category: str, neighbours: Mapping[Kind, Sequence[Neighbour]]) -> tuple[Reason, ...]:
        reasons = []
        for kind, found in neighbours.items():
            best = max((item.likeness for item in found), default=0.0)
            # What is much less alike than the nearest word is no reason, however little is alike here.
            least = max(TRUST[kind].notable, best / 2)
            own = [item for item in found if category in self._categories[item.word]]
            words = tuple(item.word for item in own if item.likeness >= least)
            if words:
                reasons.append(Reason(kind, words[:SHOWN_WORDS]))
        return tuple(reasons)


# Heads that a taxonomy may lack: nouns outside the domain that are used like the heads inside it.
#
# The commonest nouns of captions about people are shirts and streets. What an author wants are nouns that
# stand where known heads stand, so frequency is weighed by how alike a noun's company is.

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
