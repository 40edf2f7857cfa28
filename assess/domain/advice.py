"""Advice for a domain author: which words to add next, and to which categories."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assess.domain.cooccurrence import CAUTION, CooccurrenceTally, FeatureSpace
from assess.domain.suggestions import Kind, Suggester, Suggestion, Vectors, WordNet, make_suggester
from assess.domain.survey import Shares, Sightings, Survey, shares, unread_labels
from assess.measures.coverage.compute import Examples
from assess.records import Role
from assess.taxonomy import Taxonomy
from assess.taxonomy.model import Entry
from assess.taxonomy.phrases import normal_form
from assess.taxonomy.words import plural_of, singular_of

_NEIGHBOURS, _SHARPNESS = 25, 3
MOST_NOUNS = 3_000
"""Nouns that are compared, the commonest: each one costs some milliseconds."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that the taxonomy may want."""

    word: str
    role: Role
    count: int  # chunks that have it
    likeness: float  # of a noun: weight of known heads among the nouns used most alike; 1 for a modifier
    captions: tuple[str, ...]  # examples
    forms: tuple[str, ...] = ()  # of a noun, as captions have it

    @property
    def entry(self) -> Entry:
        """The word as an entry; a plural that our rules would not make is stated."""
        plurals = [form for form in self.forms if form != self.word]
        if self.role == "head" and plurals and plural_of(self.word) not in plurals:
            return Entry(word=self.word, plural=plurals[0])
        return Entry(word=self.word)

    @property
    def gain(self) -> float:
        """How many more chunks the taxonomy would probably read; the order of work.

        Being alike counts three times, for streets are too common; what was seen once or twice may be alike
        by accident.
        """
        if math.isnan(self.likeness):  # no head is known
            return 0.0
        return self.count * self.likeness**3 * self.count / (self.count + 2)


@dataclass(frozen=True, slots=True)
class Advice:
    """A candidate and the likeliest categories, best first."""

    candidate: Candidate
    suggestions: tuple[Suggestion, ...]


def candidates(survey: Survey, *, role: Role | None = None, least: int = 1) -> list[Candidate]:
    """Return what the taxonomy lacks, most rewarding first."""
    found: list[Candidate] = []
    if role != "head":
        found += [
            Candidate(word, "modifier", seen.count, 1.0, tuple(seen.captions))
            for word, seen in survey.whole.unknown.items()
            if seen.count >= least
        ]
    if role != "modifier":
        found += missing_heads(survey.whole.nouns, survey.heads, survey.cooccurrence, least=least)
    return sorted(found, key=lambda item: (-item.gain, -item.count, item.role, item.word))


def missing_heads(
    nouns: Mapping[str, Sightings], heads: Collection[str], cooccurrence: CooccurrenceTally, *, least: int = 1
) -> list[Candidate]:
    """Return the nouns outside the domain, likeliest first; without any known head, commonest first.

    The commonest nouns of captions about people are shirts and streets. What an author wants are nouns that
    stand where known heads stand, so frequency is weighed by how alike a noun is used. `heads` are the known
    heads in all their forms.
    """
    forms = _by_singular(nouns)
    counts = {word: sum(nouns[form].count for form in own) for word, own in forms.items()}
    common = sorted(counts, key=lambda word: (-counts[word], word))[:MOST_NOUNS]
    frequent = {word: forms[word] for word in common if counts[word] >= least}
    likeness = _likeness({form for own in frequent.values() for form in own}, heads, cooccurrence)
    found = [_missing_head(word, own, nouns, likeness) for word, own in frequent.items()]
    return sorted(found, key=lambda head: (-head.gain, -head.count, head.word))


def _missing_head(
    word: str, forms: tuple[str, ...], nouns: Mapping[str, Sightings], likeness: Mapping[str, float]
) -> Candidate:
    together = Sightings()
    for form in forms:
        together = together + nouns[form]
    alike = sum(likeness[form] * nouns[form].count for form in forms) / together.count
    return Candidate(word, "head", together.count, alike, tuple(together.captions), forms)


def _likeness(
    candidates: Collection[str], heads: Collection[str], cooccurrence: CooccurrenceTally
) -> dict[str, float]:
    known = sorted(head for head in heads if cooccurrence.knows(head))
    if not known:
        return dict.fromkeys(candidates, float("nan"))
    features = {word: cooccurrence.features_of(word) for word in {*candidates, *known}}
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


class Adviser:
    """Suggests categories, with all the evidence that is at hand."""

    def __init__(
        self,
        taxonomy: Taxonomy,
        cooccurrence: CooccurrenceTally,
        *,
        vectors: Vectors | None = None,
        wordnet: WordNet | None = None,
    ) -> None:
        self._cooccurrence, self._vectors, self._wordnet = cooccurrence, vectors, wordnet
        self.taxonomy = taxonomy
        self._suggesters: dict[Role, Suggester] = {}

    def learn(self, taxonomy: Taxonomy) -> None:
        """Go on with a changed taxonomy: what was just assigned is evidence for the next word."""
        self.taxonomy = taxonomy
        self._suggesters.clear()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of evidence that are at hand."""
        return tuple(source.kind for source in self._suggester("head").evidence)

    def advise(self, candidate: Candidate, *, most: int = 3) -> Advice:
        """Return the likeliest categories of a candidate."""
        suggester = self._suggester(candidate.role)
        # Captions know a noun by the form that they have.
        forms = (candidate.word, *candidate.forms)
        form = next((form for form in forms if self._cooccurrence.knows(form)), candidate.word)
        return Advice(candidate, suggester.suggest(normal_form(self.taxonomy, form), most=most))

    def _suggester(self, role: Role) -> Suggester:
        if role not in self._suggesters:
            self._suggesters[role] = make_suggester(
                self.taxonomy,
                role,
                cooccurrence=self._cooccurrence,
                vectors=self._vectors,
                wordnet=self._wordnet,
            )
        return self._suggesters[role]


@dataclass(frozen=True, slots=True)
class DomainGaps:
    """The shares of each system, and what would fill the gaps, most rewarding first."""

    systems: dict[str, Shares]
    unknown_words: Sequence[Candidate]
    missing_heads: Sequence[Candidate]
    unread: Examples  # labels whose words are all known, but which no rule puts together


def domain_gaps(survey: Survey) -> DomainGaps:
    """Return what a survey tells a taxonomy's author."""
    return DomainGaps(
        systems={name: shares(tally, survey.analyses) for name, tally in survey.systems.items()},
        unknown_words=candidates(survey, role="modifier"),
        missing_heads=candidates(survey, role="head"),
        unread=unread_labels(survey.whole, survey.analyses),
    )
