"""The kinds of evidence about unknown words, each over the words that a taxonomy already lists."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from assess.domain.cooccurrence import CAUTION, Contexts, Features, FeatureSpace, Neighbour
from assess.domain.overview import categories_of_words, listings
from assess.domain.wordnet import WordNet
from assess.records import Role
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import PLACEHOLDER

Kind = Literal["form", "company", "vectors", "wordnet"]

REFUSED = ""
"""The category of words that an author refused, if they are used as evidence."""

NEIGHBOURS = 30
SHOWN_WORDS = 3


class Evidence(Protocol):
    """Something that finds known words similar to a word."""

    @property
    def kind(self) -> Kind:
        """Its name in results."""

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return known words (or patterns), the most similar first; nothing if there is no evidence."""


@dataclass(frozen=True, slots=True)
class Trust:
    """How much a kind of evidence is trusted.

    The values were chosen with a fifth of the people taxonomy's words hidden (seed 0); what
    `benchmarks/suggest.py` reports comes from other seeds and other domains.
    """

    weight: float  # relative to other kinds
    sharpness: float  # how much more the nearest words count than the next ones
    doubt: float  # share of its votes that any word would get
    notable: float  # least likeness of a word that is shown as a reason


TRUST: dict[Kind, Trust] = {
    "form": Trust(weight=0.5, sharpness=2, doubt=0.1, notable=0.1),
    "company": Trust(weight=0.5, sharpness=1, doubt=0.1, notable=0.03),
    "vectors": Trust(weight=1.4, sharpness=3, doubt=0.3, notable=0.3),
    "wordnet": Trust(weight=1.0, sharpness=1, doubt=0.03, notable=0.05),
}


MEANING: frozenset[Kind] = frozenset({"vectors", "wordnet"})
WITHOUT_MEANING = 1.6
"""How much beliefs are raised if form and company are the only evidence; otherwise they would be too low.

Chosen on people and vehicles with a fifth of their words hidden; `benchmarks/suggest.py` shows how beliefs
compare with the truth.
"""


@dataclass(frozen=True, slots=True)
class Reason:
    """Known words of the suggested category that are similar by one kind of evidence."""

    kind: Kind
    words: tuple[str, ...]  # most similar first


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A category for a word, its share of belief, and why."""

    category: str
    score: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class _Prior:
    """How probable categories are before any evidence, and how much a vote for each one counts."""

    usual: Mapping[str, float]
    votes: Mapping[str, float]

    @classmethod
    def of(cls, counts: Counter[str], *, power: float) -> _Prior:
        """Return the prior by the sizes of categories, raised to a power; votes are weighted to match."""
        sizes = {name: count**power for name, count in sorted(counts.items())}
        total, mean = math.fsum(sizes.values()), counts.total() / max(len(counts), 1)
        votes = {name: (mean / counts[name]) ** (1 - power) for name in sizes}
        return cls({name: size / total for name, size in sizes.items()}, votes)


class Suggester:
    """Suggests categories of one role."""

    def __init__(self, categories: Mapping[str, tuple[str, ...]], evidence: Sequence[Evidence]) -> None:
        self._categories = categories
        self.evidence = tuple(evidence)
        counts = Counter(name for names in categories.values() for name in names)
        self._counted = _Prior.of(counts, power=1.0)
        # A category of a hundred words, such as a shared list, is not a hundred times as probable for a word
        # that is in none: suggestions go by the square roots of the sizes.
        self._levelled = _Prior.of(counts, power=0.5)

    @property
    def categories(self) -> Set[str]:
        """The categories that have words."""
        return self._levelled.usual.keys()

    def limited_to(self, kinds: Iterable[Kind]) -> Suggester:
        """Return a suggester with the same words and less evidence."""
        wanted = set(kinds)
        return Suggester(self._categories, [source for source in self.evidence if source.kind in wanted])

    def suggest(self, word: str, *, most: int = 3) -> tuple[Suggestion, ...]:
        """Return the likeliest categories of a word in normal form, best first."""
        return self.suggest_together((word,), most=most)

    def suggest_together(self, words: Sequence[str], *, most: int = 3) -> tuple[Suggestion, ...]:
        """Return the likeliest categories of words that belong together; the first gives the reasons."""
        found = [
            {source.kind: source.nearest(word, most=NEIGHBOURS) for source in self.evidence} for word in words
        ]
        each = [self._weighed(neighbours, self._levelled) for neighbours in found]
        beliefs = {name: math.fsum(own[name] for own in each) / len(each) for name in self._levelled.usual}
        best = sorted(beliefs, key=lambda name: (-beliefs[name], name))[:most]
        return tuple(Suggestion(name, beliefs[name], self._reasons(name, found[0])) for name in best)

    def usual(self, category: str) -> float:
        """Return the share of a category among all words, patterns included."""
        return self._counted.usual.get(category, 0.0)

    def beliefs(self, word: str) -> dict[str, float]:
        """Return the belief that each category is that of a word in normal form.

        Here categories count by their sizes, so that refused words are comparable with the others.
        """
        found = {source.kind: source.nearest(word, most=NEIGHBOURS) for source in self.evidence}
        return self._weighed(found, self._counted)

    def _weighed(self, neighbours: Mapping[Kind, Sequence[Neighbour]], prior: _Prior) -> dict[str, float]:
        logarithms = dict.fromkeys(prior.usual, 0.0)
        informed = False
        for kind, found in neighbours.items():
            if found:
                informed = True
                for name, opinion in self._opinion(found, TRUST[kind], prior).items():
                    logarithms[name] += TRUST[kind].weight * math.log(opinion)
        if not informed:
            return dict(prior.usual)
        largest = max(logarithms.values())
        sharp = 1.0 if MEANING.intersection(neighbours) else WITHOUT_MEANING
        weights = {name: math.exp(sharp * (value - largest)) for name, value in logarithms.items()}
        total = math.fsum(weights.values())
        return {name: weight / total for name, weight in weights.items()}

    def _opinion(self, neighbours: Sequence[Neighbour], trust: Trust, prior: _Prior) -> dict[str, float]:
        votes = dict.fromkeys(prior.usual, 0.0)
        for neighbour in neighbours:
            for name in self._categories[neighbour.word]:
                votes[name] += neighbour.likeness**trust.sharpness * prior.votes[name]
        total = math.fsum(votes.values()) + trust.doubt
        return {name: (vote + trust.doubt * prior.usual[name]) / total for name, vote in votes.items()}

    def _reasons(self, category: str, neighbours: Mapping[Kind, Sequence[Neighbour]]) -> tuple[Reason, ...]:
        reasons = []
        for kind, found in neighbours.items():
            best = max((item.likeness for item in found), default=0.0)
            # A word that is much less similar than the nearest one is no reason, even if all are dissimilar.
            least = max(TRUST[kind].notable, best / 2)
            own = [item for item in found if category in self._categories[item.word]]
            words = tuple(item.word for item in own if item.likeness >= least)
            if words:
                reasons.append(Reason(kind, words[:SHOWN_WORDS]))
        return tuple(reasons)


# The kinds of evidence, each over the words that a taxonomy already lists.


def make_suggester(
    taxonomy: Taxonomy,
    role: Role,
    *,
    contexts: Contexts | None = None,
    vectors: Vectors | None = None,
    wordnet: WordNet | None = None,
    refused: Iterable[str] = (),
) -> Suggester:
    """Return a suggester for one role, with all available evidence.

    Words that an author refused are known words of a category without a name.
    """
    words = {**dict.fromkeys(refused, (REFUSED,)), **categories_of_words(taxonomy, role)}
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
    """Word vectors, such as `assess.annotate.vectors.WordVectors`."""

    def vector(self, phrase: str) -> np.ndarray | None:
        """Return a vector of length one, or None."""


class FormEvidence:
    """Words of similar form: endings, parts, and the fixed words of patterns."""

    kind: Kind = "form"

    def __init__(self, words: Iterable[str], patterns: Iterable[str]) -> None:
        features = {word: form_features(word) for word in words}
        features |= {pattern: pattern_features(pattern) for pattern in patterns}
        self._space = FeatureSpace(features)

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return the words and patterns of the most similar form."""
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
    # A placeholder matches any word, so the fixed part next to it is no beginning or end.
    missing = ("end ", "last ", "words ") if ends_open else ("begin ", "first ", "words ")
    return {name: value for name, value in features.items() if not name.startswith(missing)}


class CooccurrenceEvidence:
    """Words that occur in similar contexts in the captions."""

    kind: Kind = "company"

    def __init__(self, words: Iterable[str], contexts: Contexts) -> None:
        self._contexts = contexts
        self._space = FeatureSpace({word: contexts.features_of(word) for word in words}, caution=CAUTION)

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return the words with the most similar use."""
        features = self._contexts.features_of(word)
        return self._space.nearest(features, most=most, leave_out=word) if features else []


class VectorEvidence:
    """Words with similar vectors."""

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
    """Words with shared meanings, broader terms or related words in WordNet."""

    kind: Kind = "wordnet"

    def __init__(self, words: Iterable[str], wordnet: WordNet) -> None:
        self._wordnet = wordnet
        self._space = FeatureSpace({word: wordnet.features_of(word) for word in words})

    def nearest(self, word: str, *, most: int) -> list[Neighbour]:
        """Return the words whose meanings are nearest."""
        features: Features = self._wordnet.features_of(word)
        return self._space.nearest(features, most=most, leave_out=word) if features else []


# How much of a domain its taxonomy does not know yet: an estimate from how nouns are used.
#
# Known heads are a sample of all heads of the domain, so this is learning from positive and unlabelled
# examples (Elkan and Noto 2008). Each known head is compared as if it were unknown. Where nouns are used most
# like heads nearly all of them are heads, so the share that is known there estimates how many heads are known
# at all; how probable it is that another noun is a head follows from how often known heads are used as it is.

FEWEST_HEADS = 8
"""With fewer known heads, nothing is estimated, because they would not show how heads are used."""

LEAST_USES = 5
"""Rarer nouns are ignored: too little shows how they are used, and they make up little of a domain."""

# The weights, the bins and the rule for what is known were chosen on vehicles, animals and clothing with some
# of their heads hidden; docs/writing-a-domain.md says how often the interval held elsewhere.
_ALIKE = (-5.789, 19.086, -14.097)  # of 1, likeness and its square
_ALIKE_AND_KIND = (-6.157, 8.952, 10.241, -6.583)  # of 1, likeness, chance by WordNet, and their product
_EDGES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9)
_RESAMPLES = 200
_LEAST_IN_BIN = 10  # nouns; fewer say nothing about their kind
_LEVEL = 0.9
_RIGHT = 0.7
"""How often nouns that looked exactly like heads really were heads."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Chunks that probably belong to the domain although their head is not in the taxonomy."""

    chunks: float
    low: float
    high: float  # with `low` a 90% interval
    nouns: float  # how many of the candidates are probably heads

    def share(self, chunks: float, labels: int) -> float:
        """Return chunks outside as a share of the domain's; undefined where there are none."""
        return chunks / (chunks + labels) if chunks + labels else float("nan")


def head_score(likeness: float, kind: float | None = None) -> float:
    """Return how much a noun looks like a head, from 0 to 1, by its use and, if known, its meaning."""
    if kind is None:
        terms = zip(_ALIKE, (1.0, likeness, likeness**2), strict=True)
    else:
        terms = zip(_ALIKE_AND_KIND, (1.0, likeness, kind, likeness * kind), strict=True)
    return 1 / (1 + math.exp(-sum(weight * value for weight, value in terms)))


def estimate_outside(heads: Sequence[float], nouns: Sequence[float], counts: Sequence[int]) -> Outside | None:
    """Estimate how many chunks are outside.

    `heads` and `nouns` have the likeness of each known head and of each candidate to the other known heads;
    `counts` has the candidates' chunks. None if too little is known.
    """
    if len(heads) < FEWEST_HEADS or not len(nouns):
        return None
    own, others, weights = (np.asarray(values, dtype=float) for values in (heads, nouns, counts))
    chance = _chances(own, others)
    # Which heads and nouns occur is partly chance, so both are resampled.
    generator = np.random.default_rng(0)
    sums = []
    for _ in range(_RESAMPLES):
        again = generator.integers(len(own), size=len(own)), generator.integers(len(others), size=len(others))
        sums.append(float(_chances(own[again[0]], others[again[1]]) @ weights[again[1]]))
    low, high = np.quantile(sums, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2]).tolist()
    return Outside(float(chance @ weights), low, high, float(chance.sum()))


def head_chances(heads: Sequence[float], nouns: Sequence[float]) -> list[float]:
    """Return the probability that each noun is a head; by its score alone if few heads are known."""
    own, others = (np.asarray(values, dtype=float) for values in (heads, nouns))
    chances = others
    if len(own) >= FEWEST_HEADS and len(others):
        # The share in the bin, and the position of the noun in the bin.
        chances = (_chances(own, others) + others) / 2
    return [round(_RIGHT * chance, 9) for chance in chances.tolist()]


# The prior of a calibration: probabilities stay as they are unless several decisions disagree.
_USUAL, _DOUBT = np.array([1.0, -1.0]), np.diag([1 / 0.5**2, 1 / 1.5**2])


def calibration(right: Sequence[float], wrong: Sequence[float]) -> Callable[[float], float]:
    """Return a mapping from scores to probabilities that agree with accepted and refused words.

    Logistic regression over log odds (Platt 1999), never flatter than the scores: a word that hardly looks
    like a head must not come first only because it is common.
    """
    rows = np.array([[log_odds(score), 1.0] for score in (*right, *wrong)])
    truth = np.array([1.0] * len(right) + [0.0] * len(wrong))
    point = _USUAL
    for _ in range(20):  # Newton's method with limited steps
        chances = 1 / (1 + np.exp(-(rows @ point)))
        uphill = rows.T @ (truth - chances) - _DOUBT @ (point - _USUAL)
        curve = (rows * (chances * (1 - chances))[:, None]).T @ rows + _DOUBT
        point = point + np.clip(np.linalg.solve(curve, uphill), -1, 1)
    slope, shift = max(float(point[0]), 1.0), float(point[1])
    return lambda score: round(1 / (1 + math.exp(-slope * log_odds(score) - shift)), 9)


def log_odds(chance: float) -> float:
    """Return the log odds of a probability, always finite."""
    chance = min(max(chance, 1e-4), 1 - 1e-4)
    return math.log(chance / (1 - chance))


def _chances(heads: np.ndarray, nouns: np.ndarray) -> np.ndarray:
    """Return the probability that each noun is a head."""
    size = len(_EDGES) + 1
    bins = [np.digitize(values, _EDGES) for values in (heads, nouns)]
    known, unknown = (np.bincount(values, minlength=size).astype(float) for values in bins)
    # Add half a noun to each, because unseen kinds are not impossible. A noun that looks more like a head is
    # one at least as often.
    met = known + unknown > 0
    share = np.maximum.accumulate(np.where(met, (known + 0.5) / (known + unknown + 1), 0.0))
    enough = known + unknown >= _LEAST_IN_BIN
    listed = float(share[enough].max()) if enough.any() else float(share.max())
    odds = share / (1 - share) * (1 - listed) / max(listed, 1e-9)
    return np.asarray(np.minimum(odds, 1.0)[bins[1]])
