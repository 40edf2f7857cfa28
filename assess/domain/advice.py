"""Advice for a domain author: which words to add next, and to which categories."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from assess.domain.cooccurrence import CAUTION, Contexts, FeatureSpace
from assess.domain.outside import LEAST_USES, Outside, estimate_outside
from assess.domain.suggestions import Kind, Suggester, Suggestion, Vectors, WordNet, make_suggester
from assess.domain.survey import Shares, Sightings, Survey, UnreadAfter, shares, unread_labels
from assess.measures.coverage.compute import Examples
from assess.records import Role
from assess.taxonomy import Taxonomy
from assess.taxonomy.model import Entry
from assess.taxonomy.phrases import normal_form
from assess.taxonomy.words import plural_of, singular_of

_NEIGHBOURS, _SHARPNESS = 25, 3
MOST_NOUNS = 2_000
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
    def entries(self) -> tuple[Entry, ...]:
        """The word as entries: an of-phrase in the singular and the plural, anything else as one."""
        noun, of, rest = self.word.rpartition(" of")
        plural = plural_of(noun) if of and not rest and self.forms else None
        return (self.entry, Entry(word=f"{plural} of")) if plural else (self.entry,)

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
        found += _openings(survey.whole.openings, least)
    if role != "modifier":
        found += missing_heads(survey.whole.nouns, survey.heads, survey.contexts, least=least)
    return sorted(found, key=lambda item: (-item.gain, -item.count, item.role, item.word))


def _openings(openings: Mapping[str, Sightings], least: int) -> Iterator[Candidate]:
    """Yield the unknown of-phrases, each with its plural: jar of, jars of."""
    nouns = {text.removesuffix(" of"): seen for text, seen in openings.items()}
    for noun, own in _by_singular(nouns).items():
        together = sum((nouns[form] for form in own), Sightings())
        if together.count >= least:
            forms = tuple(f"{form} of" for form in own)
            yield Candidate(f"{noun} of", "modifier", together.count, 1.0, tuple(together.captions), forms)


def missing_heads(
    nouns: Mapping[str, Sightings], heads: Set[str], contexts: Contexts, *, least: int = 1
) -> list[Candidate]:
    """Return the nouns outside the domain, likeliest first; without any known head, commonest first.

    The commonest nouns of captions about people are shirts and streets. What an author wants are nouns that
    stand where known heads stand, so frequency is weighed by how alike a noun is used. `heads` are the known
    heads in all their forms.
    """
    return compare_nouns(nouns, heads, contexts, least=least)[0]


def compare_nouns(
    nouns: Mapping[str, Sightings], heads: Set[str], contexts: Contexts, *, least: int = 1
) -> tuple[list[Candidate], Outside | None]:
    """Return the nouns outside the domain, and how much of the domain they probably are."""
    forms = _by_singular(nouns)
    counts = {word: sum(nouns[form].count for form in own) for word, own in forms.items()}
    first = sorted(counts, key=lambda word: (-counts[word], word))[:MOST_NOUNS]
    frequent = {word: forms[word] for word in first if counts[word] >= least}
    likeness = _likeness({form for own in frequent.values() for form in own}, heads, contexts)
    found = [_missing_head(word, own, nouns, likeness) for word, own in frequent.items()]
    common = [item for item in found if item.count >= LEAST_USES]
    outside = estimate_outside(
        _likeness_of_heads(heads, likeness, contexts),
        [item.likeness for item in common],
        [item.count for item in common],
    )
    return sorted(found, key=lambda head: (-head.gain, -head.count, head.word)), outside


def _likeness_of_heads(
    heads: Collection[str], likeness: Mapping[str, float], contexts: Contexts
) -> list[float]:
    """Return how alike each common head of one word is used to the others, all its forms together.

    Candidates are single words, and a longer head ("fire truck") is used like its last word anyway.
    """
    forms: dict[str, list[str]] = {}
    for head in sorted(heads):
        if head in likeness and " " not in head and "-" not in head:
            forms.setdefault(singular_of(head, heads), []).append(head)
    uses = {head: [contexts.uses(form) for form in own] for head, own in forms.items()}
    return [
        sum(likeness[form] * number for form, number in zip(own, uses[head], strict=True)) / sum(uses[head])
        for head, own in forms.items()
        if sum(uses[head]) >= LEAST_USES
    ]


def _missing_head(
    word: str, forms: tuple[str, ...], nouns: Mapping[str, Sightings], likeness: Mapping[str, float]
) -> Candidate:
    together = sum((nouns[form] for form in forms), Sightings())
    alike = sum(likeness[form] * nouns[form].count for form in forms) / together.count
    return Candidate(word, "head", together.count, alike, tuple(together.captions), forms)


def _likeness(candidates: Collection[str], heads: Collection[str], contexts: Contexts) -> dict[str, float]:
    """Return how alike nouns are used to known heads: of candidates, and of known heads as if unknown."""
    known = sorted(head for head in heads if contexts.knows(head))
    if not known:
        return dict.fromkeys(candidates, float("nan"))
    features = {word: contexts.features_of(word) for word in {*candidates, *known}}
    space = FeatureSpace(features, caution=CAUTION)
    inside = np.isin(space.words, known)
    found = dict.fromkeys(candidates, 0.0)
    listed = set(space.words)
    numbers = {word: number for number, word in enumerate(space.words)}
    nouns = np.array([numbers.get(singular_of(word, listed), numbers[word]) for word in space.words])
    for places, likeness in space.among_themselves():
        votes = likeness**_SHARPNESS
        votes[nouns[places, None] == nouns] = 0  # no noun speaks for itself, or for its plural
        ours, others = _largest(votes[:, inside]), _largest(votes[:, ~inside])
        total = ours + others
        shares = np.divide(ours, total, out=np.zeros(len(places)), where=total > 0)
        # Sums depend on their order in the last digits, which must not reach results.
        found |= zip((space.words[place] for place in places), shares.round(9).tolist(), strict=True)
    return found


def _largest(votes: np.ndarray) -> np.ndarray:
    """Return what the largest votes of each row weigh together."""
    if votes.shape[1] > _NEIGHBOURS:
        votes = np.partition(votes, -_NEIGHBOURS, axis=1)[:, -_NEIGHBOURS:]
    return np.asarray(np.sort(votes, axis=1).sum(axis=1))


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
        contexts: Contexts,
        *,
        vectors: Vectors | None = None,
        wordnet: WordNet | None = None,
    ) -> None:
        self._contexts, self._vectors, self._wordnet = contexts, vectors, wordnet
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
        form = next((form for form in forms if self._contexts.knows(form)), candidate.word)
        return Advice(candidate, suggester.suggest(normal_form(self.taxonomy, form), most=most))

    def _suggester(self, role: Role) -> Suggester:
        if role not in self._suggesters:
            self._suggesters[role] = make_suggester(
                self.taxonomy,
                role,
                contexts=self._contexts,
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
    unread_after: UnreadAfter
    outside: Outside | None  # None: too few heads are known to tell


def domain_gaps(survey: Survey) -> DomainGaps:
    """Return what a survey tells a taxonomy's author."""
    heads, outside = compare_nouns(survey.whole.nouns, survey.heads, survey.contexts)
    return DomainGaps(
        systems={name: shares(tally, survey.analyses) for name, tally in survey.systems.items()},
        unknown_words=candidates(survey, role="modifier"),
        missing_heads=heads,
        unread=unread_labels(survey.whole, survey.analyses),
        unread_after=survey.unread_after,
        outside=outside,
    )
