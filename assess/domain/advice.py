"""Advice for a domain author: which words to add next, and to which categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assess.domain.cooccurrence import CompanyTally
from assess.domain.evidence import Vectors, WordNet, make_suggester
from assess.domain.suggestions import Kind, Suggester, Suggestion, gain, missing_heads
from assess.domain.survey import Shares, Survey, shares, unknown_words, unread_labels
from assess.measures.coverage.compute import Examples
from assess.records import Role
from assess.taxonomy import Taxonomy
from assess.taxonomy.model import Entry
from assess.taxonomy.phrases import normal_form
from assess.taxonomy.words import plural_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that the taxonomy may want."""

    word: str
    role: Role
    count: int  # chunks that have it
    likeness: float  # of a noun: how much it is used like known heads; 1 for a modifier
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
        """How many more chunks the taxonomy would probably read; the order of work."""
        return gain(self.count, self.likeness)


@dataclass(frozen=True, slots=True)
class Advice:
    """A candidate and the likeliest categories, best first."""

    candidate: Candidate
    suggestions: tuple[Suggestion, ...]


def candidates(survey: Survey, *, role: Role | None = None, least: int = 1) -> list[Candidate]:
    """Return what the taxonomy lacks, most rewarding first."""
    found: list[Candidate] = []
    if role != "head":
        found += _modifiers(survey, least)
    if role != "modifier":
        found += _heads(survey, least)
    return sorted(found, key=lambda item: (-item.gain, -item.count, item.role, item.word))


def _modifiers(survey: Survey, least: int) -> Iterator[Candidate]:
    for item in unknown_words(survey.whole):
        if item.labels >= least:
            yield Candidate(item.word, "modifier", item.labels, 1.0, item.captions)


def _heads(survey: Survey, least: int) -> Iterator[Candidate]:
    for head in missing_heads(survey.whole.nouns, survey.heads, survey.company, least=least):
        yield Candidate(head.word, "head", head.chunks, head.likeness, head.captions, head.forms)


class Adviser:
    """Suggests categories, with all the evidence that is at hand."""

    def __init__(
        self,
        taxonomy: Taxonomy,
        company: CompanyTally,
        *,
        vectors: Vectors | None = None,
        wordnet: WordNet | None = None,
    ) -> None:
        self._company, self._vectors, self._wordnet = company, vectors, wordnet
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
        form = next((form for form in forms if self._company.knows(form)), candidate.word)
        return Advice(candidate, suggester.suggest(normal_form(self.taxonomy, form), most=most))

    def _suggester(self, role: Role) -> Suggester:
        if role not in self._suggesters:
            self._suggesters[role] = make_suggester(
                self.taxonomy, role, company=self._company, vectors=self._vectors, wordnet=self._wordnet
            )
        return self._suggesters[role]


# What a taxonomy covers of some captions, and what it lacks.


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
