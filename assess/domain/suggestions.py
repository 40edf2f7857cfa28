"""The kinds of evidence about unknown words, each over the words that a taxonomy already lists."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from assess.domain.cooccurrence import CAUTION, Contexts, Features, FeatureSpace, Neighbour
from assess.domain.overview import categories_of_words, listings
from assess.records import Role
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import PLACEHOLDER

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


# The kinds of evidence, each over the words that a taxonomy already lists.


SHORTEST_ENDING = 3  # letters; "-ed" alone says too little to be shown as a reason
SHORTEST_BEGINNING = 4
_HYPERNYMS = 4  # levels up: beyond these everything is an entity
_SENSES = 4  # per word; WordNet has the commonest first


def make_suggester(
    taxonomy: Taxonomy,
    role: Role,
    *,
    contexts: Contexts | None = None,
    vectors: Vectors | None = None,
    wordnet: WordNet | None = None,
) -> Suggester:
    """Return a suggester for one role, with all the evidence that is at hand."""
    words = categories_of_words(taxonomy, role)
    patterns = _categories_of_patterns(taxonomy, role)
    evidence: list[Evidence] = [FormEvidence(words, patterns)]
    if contexts is not None:
        evidence.append(CooccurrenceEvidence(words, contexts))
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


def form_features(text: str) -> Features:
    """Return the parts of a phrase in normal form: whole words, endings, beginnings, letter sequences."""
    words = text.split(" ")
    features: Counter[str] = Counter({f"word {word}" for word in words})
    features[f"last {words[-1]}"] += 1
    features[f"first {words[0]}"] += 1
    features[f"words {min(len(words), 3)}"] += 1
    edged = f"^{text}$"
    for length in (2, 3, 4, 5):
        if len(edged) > length:
            features[f"end {edged[-length:]}"] += 1
            features[f"begin {edged[:length]}"] += 1
    features.update({edged[i : i + n] for n in (3, 4, 5) for i in range(len(edged) - n + 1)})
    return features


def pattern_features(pattern: str) -> Features:
    """Return the features of a pattern's fixed words: what "-haired" shares with "{color}-haired"."""
    fixed = " ".join(PLACEHOLDER.sub(" ", pattern).replace("-", " ").lower().split())
    ends_open = pattern.endswith("}")
    features = dict(form_features(fixed)) if fixed else {}
    # Where a placeholder stands there may be any word: the fixed part is no beginning, or no end.
    missing = ("end ", "last ", "words ") if ends_open else ("begin ", "first ", "words ")
    return {name: value for name, value in features.items() if not name.startswith(missing)}


def shared_ending(word: str, other: str) -> str | None:
    """Return the longest ending that two words share, if it is long enough to mention."""
    ending = word
    while not other.endswith(ending):
        ending = ending[1:]
    ending = ending.strip()
    return ending if len(ending) >= SHORTEST_ENDING else None


def shares_part(word: str, other: str) -> bool:
    """Whether a person sees what two words or patterns have in common: a whole word, or the beginning."""
    words, others = (set(PLACEHOLDER.sub(" ", text).replace("-", " ").split()) for text in (word, other))
    return bool(words & others) or word[:SHORTEST_BEGINNING] == other[:SHORTEST_BEGINNING]


class CooccurrenceEvidence:
    """Words that stand in the same places of the captions at hand."""

    kind: Kind = "company"

    def __init__(self, words: Iterable[str], contexts: Contexts) -> None:
        self._contexts = contexts
        self._space = FeatureSpace({word: contexts.features_of(word) for word in words}, caution=CAUTION)

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return the words that are used most alike."""
        features = self._contexts.features_of(word)
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
    """Return WordNet if NLTK finds its data. Nothing is ever downloaded."""
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
