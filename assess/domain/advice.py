"""Advice for a domain author: which words to add next, and to which categories."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from assess.domain.cooccurrence import CAUTION, Contexts, Features, FeatureSpace
from assess.domain.overview import categories_of_words
from assess.domain.suggestions import (
    LEAST_USES,
    MEANING,
    REFUSED,
    Kind,
    Outside,
    Suggester,
    Suggestion,
    Vectors,
    estimate_outside,
    head_chances,
    head_score,
    log_odds,
    make_suggester,
)
from assess.domain.survey import Shares, Sightings, Survey, UnreadAfter, shares, unread_labels
from assess.domain.wordnet import KindsOfHeads, WordNet
from assess.measures.coverage.compute import Examples
from assess.records import Role
from assess.taxonomy import Taxonomy
from assess.taxonomy.compose import shared_words
from assess.taxonomy.model import Entry
from assess.taxonomy.phrases import normal_form
from assess.taxonomy.words import plural_of, singular_of

_NEIGHBOURS = 25
MOST_NOUNS = 1_500
"""How many of the most common nouns are compared: each one takes some milliseconds."""

SLIP = 0.1
"""Probability that a verb which the annotator put into the chunk of a noun describes the noun, and that a
noun whose of-phrase is listed is also a head.
"""

MEANING_COUNTS = 5.0
"""How much more a shared meaning counts than a shared neighbour when words are grouped."""

NO_CATEGORY: dict[Role, float] = {"head": 0.3, "modifier": 0.2}
"""How often no category is right if nothing indicates whether a word belongs to the domain."""

# How often an unknown modifier belongs to one of the categories that are there, and how sure to be which one:
# chosen on animals and vehicles with categories and words removed, with WordNet and vectors;
# docs/writing-a-domain.md says how beliefs compare with the truth elsewhere.
_INSIDE = (-2.8, 0.5, 0.29)  # of 1, the log of the number of words, the log odds of the first category
_MOST_COUNTED = 100  # words: with more, the categories are complete
_LESS_SURE = 0.65  # power of beliefs that rest on meaning


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that may belong in the taxonomy."""

    word: str
    role: Role
    count: int  # chunks that have it
    likeness: float  # of a noun: weight of known heads among the most similar nouns; 1 for a modifier
    captions: tuple[str, ...]  # examples
    forms: tuple[str, ...] = ()  # of a noun, as they occur in captions
    chance: float | None = None  # that it belongs to the domain at all; None if unknown
    score: float | None = None  # of a noun: how much it looks like a head

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The word as entries: an of-phrase in the singular and the plural, anything else as one entry."""
        noun, of, rest = self.word.rpartition(" of")
        plural = plural_of(noun) if of and not rest and self.forms else None
        return (self.entry, Entry(word=f"{plural} of")) if plural else (self.entry,)

    @property
    def entry(self) -> Entry:
        """The word as an entry; a plural that our rules would not generate is stated."""
        plurals = [form for form in self.forms if form != self.word]
        if self.role == "head" and plurals and plural_of(self.word) not in plurals:
            return Entry(word=self.word, plural=plurals[0])
        return Entry(word=self.word)

    @property
    def gain(self) -> float:
        """How many more chunks the taxonomy would probably read; candidates are sorted by this.

        Likeness is cubed, because otherwise words as common as "street" would come first. Words that were
        seen only once or twice count less, because they may be alike by accident.
        """
        if math.isnan(self.likeness):  # no head is known
            return 0.0
        alike = self.likeness**3 if self.chance is None else self.chance
        return self.count * alike * self.count / (self.count + 2)


@dataclass(frozen=True, slots=True)
class Advice:
    """A candidate and the likeliest categories, best first, and the probability that none is right."""

    candidate: Candidate
    suggestions: tuple[Suggestion, ...]
    none: float = 0.0


def _modifiers(survey: Survey) -> Iterator[Candidate]:
    """Yield the unknown words before heads, and the unknown of-phrases."""
    for word, seen in survey.whole.unknown.items():
        slip = survey.contexts.is_slip(word)
        yield Candidate(
            word, "modifier", seen.count, 1.0, tuple(seen.captions), chance=SLIP if slip else None
        )
    yield from _openings(survey.whole.openings)


def _openings(openings: Mapping[str, Sightings]) -> Iterator[Candidate]:
    """Yield the unknown of-phrases, each with its plural: jar of, jars of."""
    nouns = {text.removesuffix(" of"): seen for text, seen in openings.items()}
    for noun, own in _by_singular(nouns).items():
        together = sum((nouns[form] for form in own), Sightings())
        forms = tuple(f"{form} of" for form in own)
        yield Candidate(f"{noun} of", "modifier", together.count, 1.0, tuple(together.captions), forms)


def compare_nouns(
    nouns: Mapping[str, Sightings],
    heads: Set[str],
    contexts: Contexts,
    *,
    least: int = 1,
    wordnet: WordNet | None = None,
) -> tuple[list[Candidate], Outside | None, list[float]]:
    """Return the nouns outside the domain, likeliest first; how much of the domain they probably make up; and
    how much known heads look like heads.

    The most common nouns in captions about people are shirts and streets. Authors need nouns that are used
    like known heads and have similar meanings, so frequency is weighted by that. Without any known heads, the
    most common nouns come first. `heads` are the known heads in all their forms.
    """
    forms = _by_singular(nouns)
    counts = {word: sum(nouns[form].count for form in own) for word, own in forms.items()}
    first = sorted(counts, key=lambda word: (-counts[word], word))[:MOST_NOUNS]
    frequent = {word: forms[word] for word in first if counts[word] >= least}
    likeness = _likeness(
        frozenset(form for own in frequent.values() for form in own), frozenset(heads), contexts
    )
    found = [_missing_head(word, own, nouns, likeness) for word, own in frequent.items()]
    known = _likeness_of_heads(heads, likeness, contexts)
    # The estimate must not depend on what happens to be installed.
    outside = estimate_outside(
        [head_score(alike) for alike in known.values()],
        [head_score(item.likeness) for item in found if item.count >= LEAST_USES],
        [item.count for item in found if item.count >= LEAST_USES],
    )
    scores: list[float] = []
    if known:
        found, scores = _with_chances(found, known, wordnet)
    return sorted(found, key=lambda head: (-head.gain, -head.count, head.word)), outside, scores


def without_openings(heads: Sequence[Candidate], taxonomy: Taxonomy) -> list[Candidate]:
    """Return nouns with those last that open a listed of-phrase: who lists "jar of" hardly means jars."""
    listed = categories_of_words(taxonomy, "modifier")
    opening = [f"{item.word} of" in listed and item.chance is not None for item in heads]
    moved = [
        replace(item, chance=min(item.chance or 0.0, SLIP), score=None) if opens else item
        for item, opens in zip(heads, opening, strict=True)
    ]
    return sorted(moved, key=lambda head: (-head.gain, -head.count, head.word))


def _with_chances(
    found: Sequence[Candidate], heads: Mapping[str, float], wordnet: WordNet | None
) -> tuple[list[Candidate], list[float]]:
    """Return candidates with the probability that each is a head, judged by use and meaning; and the scores
    of known heads, each as if it were unknown.
    """
    kinds = KindsOfHeads(wordnet, heads, (item.word for item in found)) if wordnet else None
    own = [
        head_score(alike, kinds.chance(word, known=True) if kinds else None) for word, alike in heads.items()
    ]
    others = [head_score(item.likeness, kinds.chance(item.word) if kinds else None) for item in found]
    chances = zip(head_chances(own, others), others, strict=True)
    return [
        replace(item, chance=chance, score=score)
        for item, (chance, score) in zip(found, chances, strict=True)
    ], own


def _likeness_of_heads(
    heads: Collection[str], likeness: Mapping[str, float], contexts: Contexts
) -> dict[str, float]:
    """Return how similar the use of each common one-word head, in all its forms, is to that of the others.

    Candidates are single words, and a longer head ("fire truck") is used like its last word anyway.
    """
    forms: dict[str, list[str]] = {}
    for head in sorted(heads):
        if head in likeness and " " not in head and "-" not in head:
            forms.setdefault(singular_of(head, heads), []).append(head)
    uses = {head: [contexts.uses(form) for form in own] for head, own in forms.items()}
    return {
        head: sum(likeness[form] * n for form, n in zip(own, uses[head], strict=True)) / sum(uses[head])
        for head, own in forms.items()
        if sum(uses[head]) >= LEAST_USES
    }


def _missing_head(
    word: str, forms: tuple[str, ...], nouns: Mapping[str, Sightings], likeness: Mapping[str, float]
) -> Candidate:
    together = sum((nouns[form] for form in forms), Sightings())
    alike = sum(likeness[form] * nouns[form].count for form in forms) / together.count
    return Candidate(word, "head", together.count, alike, tuple(together.captions), forms)


@lru_cache(maxsize=1)  # an author who changes modifiers changes neither heads nor nouns
def _likeness(candidates: frozenset[str], heads: frozenset[str], contexts: Contexts) -> Mapping[str, float]:
    """Return how similar the use of nouns is to that of known heads; a known head counts as unknown."""
    known = sorted(head for head in heads if contexts.knows(head))
    if not known:
        return dict.fromkeys(candidates, float("nan"))
    contexts.look_up(sorted({*candidates, *known}))
    features = {word: contexts.columns_of(word) for word in {*candidates, *known}}
    space = FeatureSpace.of_columns(features, caution=CAUTION)
    inside = np.isin(space.words, known)
    ours_at, others_at = np.flatnonzero(inside), np.flatnonzero(~inside)
    found = dict.fromkeys(candidates, 0.0)
    listed = set(space.words)
    numbers = {word: number for number, word in enumerate(space.words)}
    nouns = np.array([numbers.get(singular_of(word, listed), numbers[word]) for word in space.words])
    for places, likeness in space.among_themselves():
        votes = likeness * likeness * likeness  # the nearest words count much more than the next
        votes[nouns[places, None] == nouns] = 0  # no noun votes for itself or for its plural
        ours, others = (_largest(np.take(votes, at, axis=1)) for at in (ours_at, others_at))
        total = ours + others
        shares = np.divide(ours, total, out=np.zeros(len(places)), where=total > 0)
        # The last digits of sums depend on the order of terms, which must not affect results.
        found |= zip((space.words[place] for place in places), shares.round(9).tolist(), strict=True)
    return found


def _largest(votes: np.ndarray) -> np.ndarray:
    """Return the sum of the largest votes of each row."""
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
    """Suggests categories, using all available evidence."""

    def __init__(
        self,
        taxonomy: Taxonomy,
        contexts: Contexts,
        *,
        vectors: Vectors | None = None,
        wordnet: WordNet | None = None,
    ) -> None:
        self._contexts, self._vectors, self.wordnet = contexts, vectors, wordnet
        self.taxonomy = taxonomy
        self._suggesters: dict[tuple[Role, bool], Suggester] = {}
        self._refused: Mapping[Role, Sequence[str]] = {}
        self._apart: Mapping[tuple[str, str], Set[str]] = {}

    def learn(self, taxonomy: Taxonomy) -> None:
        """Continue with a changed taxonomy: words that were just assigned are evidence for the next one."""
        self.taxonomy = taxonomy
        self._suggesters.clear()

    def heed(self, refused: Mapping[Role, Sequence[str]], apart: Mapping[tuple[str, str], Set[str]]) -> None:
        """Continue with words that the author refused, and with words (and their roles) that do not belong to
        certain categories.
        """
        self._refused, self._apart = refused, apart
        self._suggesters.clear()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of evidence that are available."""
        return tuple(source.kind for source in self._suggester("head").evidence)

    def advise(self, candidate: Candidate, *, most: int = 3) -> Advice:
        """Return the likeliest categories of a candidate."""
        return self.advise_all((candidate,), most=most)

    def advise_all(self, members: Sequence[Candidate], *, most: int = 3) -> Advice:
        """Return the likeliest categories of candidates with similar use; the first represents them."""
        suggester = self._suggester(members[0].role)
        words = [normal_form(self.taxonomy, self.form_of(member)) for member in members]
        apart = self._apart_from(members)
        found = suggester.suggest_together(words, most=len(suggester.categories))
        inside = sum(self.chance(member) for member in members) / len(members)
        if members[0].role == "modifier" and found:
            inside = min(
                1.0,
                inside
                / (1 - NO_CATEGORY["modifier"])
                * self._inside(found[0].score if len(found) > 1 else 0.5),
            )
            found = _less_sure(found) if any(each.kind in MEANING for each in suggester.evidence) else found
        found = tuple(item for item in found if item.category not in apart)[:most]
        scaled = tuple(replace(item, score=item.score * inside) for item in found)
        return Advice(members[0], scaled, 1 - inside)

    def _inside(self, first: float) -> float:
        """Return the probability that a modifier belongs to one of the categories, given the belief in the
        first of them.

        With few words, most of the categories that a domain will have are not there yet. The words of our
        shared lists do not count, since they come all at once.
        """
        own = categories_of_words(self.taxonomy, "modifier").keys() - set().union(*shared_words())
        base, of_words, of_first = _INSIDE
        odds = base + of_words * math.log1p(min(len(own), _MOST_COUNTED)) + of_first * log_odds(first)
        return 1 / (1 + math.exp(-odds))

    def agreement(self, members: Sequence[Candidate]) -> np.ndarray:
        """Return the probability, for each pair of words of a role, that they belong to the same category."""
        if not self.taxonomy.roles[members[0].role]:  # without categories, nothing can be said
            return np.full((len(members), len(members)), 0.5)
        beliefs = np.array([list(self._beliefs(member).values()) for member in members])
        return np.asarray(beliefs @ beliefs.T)

    def _apart_from(self, members: Sequence[Candidate]) -> Set[str]:
        """Return the categories that none of the given words belongs to."""
        return frozenset.intersection(
            *(frozenset(self._apart.get((member.role, member.word), ())) for member in members)
        )

    def _beliefs(self, candidate: Candidate) -> dict[str, float]:
        """Return the belief in each category, including refusal."""
        word = normal_form(self.taxonomy, self.form_of(candidate))
        beliefs = self._suggester(candidate.role, refused=True).beliefs(word)
        apart = self._apart_from((candidate,))
        left = sum(belief for name, belief in beliefs.items() if name not in apart)
        return {name: 0.0 if name in apart else belief / left for name, belief in beliefs.items()}

    def speaks_for(self, candidate: Candidate) -> float:
        """Return how much more a candidate is like known words than like refused ones, as log odds, apart
        from how many there are of each.
        """
        usual = self._suggester(candidate.role, refused=True).usual(REFUSED)
        return log_odds(usual) - log_odds(self._beliefs(candidate).get(REFUSED, 0.0)) if usual else 0.0

    def form_of(self, candidate: Candidate) -> str:
        """Return a candidate in the form that captions use."""
        forms = (candidate.word, *candidate.forms)
        return next((form for form in forms if self._contexts.knows(form)), candidate.word)

    def features_of(self, candidate: Candidate) -> Features:
        """Return how a candidate is used and, if WordNet is installed, what it means."""
        form = self.form_of(candidate)
        features = {str(name): weight for name, weight in self._contexts.features_of(form).items()}
        if not features or self.wordnet is None:
            return features
        meaning = self.wordnet.features_of(form)
        return {**features, **{name: MEANING_COUNTS * weight for name, weight in meaning.items()}}

    def chance(self, candidate: Candidate) -> float:
        """Return the probability that some category is right."""
        return 1 - NO_CATEGORY[candidate.role] if candidate.chance is None else candidate.chance

    def _suggester(self, role: Role, *, refused: bool = False) -> Suggester:
        words = self._refused.get(role, ()) if refused else ()
        key = role, bool(words)
        if key not in self._suggesters:
            self._suggesters[key] = make_suggester(
                self.taxonomy,
                role,
                contexts=self._contexts,
                vectors=self._vectors,
                wordnet=self.wordnet,
                refused=[normal_form(self.taxonomy, word) for word in words],
            )
        return self._suggesters[key]


def _less_sure(found: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """Return all categories of a word with beliefs that are less far apart."""
    scores = [item.score**_LESS_SURE for item in found]
    return tuple(replace(item, score=score / sum(scores)) for item, score in zip(found, scores, strict=True))


@dataclass(frozen=True, slots=True)
class DomainGaps:
    """The shares of each system, and what would fill the gaps, most rewarding first."""

    systems: dict[str, Shares]
    unknown_words: Sequence[Candidate]
    missing_heads: Sequence[Candidate]
    unread: Examples  # labels whose words are all known but match no rule
    unread_after: UnreadAfter
    outside: Outside | None  # None: too few heads are known for an estimate
    head_scores: Sequence[float] = ()  # how much each known head looks like a head, as if it were unknown

    @property
    def candidates(self) -> list[Candidate]:
        """What the taxonomy lacks, most rewarding first."""
        both = (*self.unknown_words, *self.missing_heads)
        return sorted(both, key=lambda item: (-item.gain, -item.count, item.role, item.word))


def domain_gaps(survey: Survey, wordnet: WordNet | None = None) -> DomainGaps:
    """Return advice for the author, based on a survey."""
    nouns = survey.whole.nouns
    heads, outside, scores = compare_nouns(nouns, survey.heads, survey.contexts, wordnet=wordnet)
    heads = without_openings(heads, survey.taxonomy)
    words = sorted(_modifiers(survey), key=lambda item: (-item.gain, -item.count, item.word))
    return DomainGaps(
        systems={name: shares(tally, survey.analyses) for name, tally in survey.systems.items()},
        unknown_words=words,
        missing_heads=heads,
        unread=unread_labels(survey.whole, survey.analyses),
        unread_after=survey.unread_after,
        outside=outside,
        head_scores=scores,
    )
