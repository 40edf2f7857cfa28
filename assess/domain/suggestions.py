"""Suggestions for unknown words: the known words that one is like vote for their categories.

Every kind of evidence answers the same question, which known words is this one like: by its form, by the
words that it occurs with in captions, by word vectors, by WordNet. The answers are combined as independent
opinions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from assess.domain.cooccurrence import Neighbour

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
