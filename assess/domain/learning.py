"""A model that learns a taxonomy's categories from its words, and labels words that the taxonomy lacks.

The training examples are words, not phrases. Their features are the words around them in all captions, their
spelling, and their meaning if vectors or WordNet are installed. Words of the taxonomy are examples of their
categories; all other words of the captions are examples of "none of these", although some of them are merely
missing from the taxonomy. So no word is judged by a model that learned from that very word: leaving one
example out has a closed form (kernel ridge regression). How many words the taxonomy lacks is estimated from
how the words it has are judged (Elkan and Noto 2008).

The kernel is a sum of two. The linear one says what kind of word belongs to the domain at all. The Gaussian
one lets the few most similar words decide among the categories: a zebra is hardly more like a horse than like
other animals by what surrounds both, but its nearest neighbors are giraffes and elephants.

The model predicts combinations of categories ("man" tells gender and age), so that a word gets all the
categories that similar words have together.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from assess.domain.advice import Candidate
from assess.domain.cooccurrence import WordContexts
from assess.domain.overview import categories_of_words
from assess.domain.suggestions import Kind, Vectors, form_features
from assess.domain.wordnet import WordNet
from assess.errors import MissingPartError, UsageError
from assess.records import Role
from assess.taxonomy.model import Entry, Taxonomy
from assess.taxonomy.phrases import normal_form

MOST_WORDS = 2_000
"""How many words of a taxonomy, and how many other words, a model learns from: the most frequent ones."""

SURE = 0.1
"""Lowest belief with which a word is labelled."""

TOGETHER = 0.6
"""Share of the support for a category that must also support another one, so that both are named."""

_HYPERNYMS = 8  # levels of WordNet: from "zebra" to "animal"
WEIGHTS: dict[Kind, float] = {"form": 0.3, "company": 1.0, "vectors": 3.0, "wordnet": 1.5}
_CAUTION: dict[Kind, float] = {"form": 0.0, "company": 5.0, "vectors": 0.0, "wordnet": 0.0}
_GAUSSIAN, _NARROW = 8.0, 6.0  # weight of the Gaussian kernel, and how fast it falls with the cosine
_RIDGE, _RIDGE_UNSEEN = 0.5, 1.0  # words that do not occur in the captions count less
_AT_ONCE = 256  # words that are judged at a time, to save memory
_FEWEST = 20  # words of the taxonomy that must occur in the captions


class Labelled(NamedTuple):
    """A word that a model would label, with its categories and a belief."""

    candidate: Candidate
    categories: tuple[str, ...]  # the most probable first
    belief: float


class WordSources:
    """Where the features of words come from."""

    def __init__(
        self, contexts: WordContexts, vectors: Vectors | None = None, wordnet: WordNet | None = None
    ) -> None:
        self._contexts = contexts
        self.kinds: dict[Kind, Callable[[str], Mapping[Any, float]]] = {
            "form": form_features,
            "company": contexts.named_features_of,
        }
        if vectors is not None:
            self.kinds["vectors"] = lambda word: _dimensions(vectors.vector(word))
        if wordnet is not None:
            self.kinds["wordnet"] = lambda word: wordnet.features_of(word, levels=_HYPERNYMS)

    def uses(self, word: str) -> int:
        """Return how often captions have a word."""
        return self._contexts.uses(word)


def _dimensions(vector: np.ndarray | None) -> dict[str, float]:
    return {} if vector is None else {str(number): value for number, value in enumerate(vector.tolist())}


@dataclass(frozen=True)
class Block:
    """The features of one kind, and those of the words that a model learned from."""

    columns: dict[str, int]
    rarity: np.ndarray  # the weight of each feature
    rows: sparse.csr_matrix  # one for each word

    @classmethod
    def of(cls, kind: Kind, words: Sequence[Mapping[str, float]]) -> Block:
        """Return the features that at least two words share."""
        shared = Counter(name for word in words for name in word)
        names = sorted(name for name, number in shared.items() if number > 1)
        numbers = np.array([shared[name] for name in names], dtype=float)
        # All dimensions of a vector count the same; elsewhere, a feature of few words counts more.
        rarity = np.ones(len(names)) if kind == "vectors" else np.log((len(words) + 1) / (numbers + 0.5))
        empty = cls({name: column for column, name in enumerate(names)}, rarity, sparse.csr_matrix((0, 0)))
        return replace(empty, rows=sparse.vstack([empty.row(kind, word) for word in words]).tocsr())

    def row(self, kind: Kind, features: Mapping[str, float]) -> sparse.csr_matrix:
        """Return the features of a word as a row of length one, or less where little is known of the word."""
        found = [(self.columns[name], value) for name, value in features.items() if name in self.columns]
        found.sort()
        columns = np.array([column for column, _ in found], dtype=np.int32)
        values = np.array([value for _, value in found]) * self.rarity[columns] if found else np.empty(0)
        length = float(np.sqrt(values @ values)) + _CAUTION[kind]
        shape = (1, len(self.columns))
        return sparse.csr_matrix((values / (length or 1.0), columns, [0, len(columns)]), shape=shape)


def _kernel(alike: np.ndarray, lengths: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the kernel of words from their inner products and their lengths."""
    cosines = alike / np.maximum(lengths[:, None] * others[None, :], 1e-9)
    return np.asarray(alike + _GAUSSIAN * np.exp(_NARROW * (cosines - 1)))


Judgement = tuple[tuple[str, ...], float]  # categories, the most probable first, and the belief in that one


@dataclass(frozen=True)
class RoleModel:
    """What was learned about one role."""

    combinations: tuple[tuple[str, ...], ...]  # of categories that words have together; most have only one
    blocks: dict[Kind, Block]
    dual: np.ndarray  # a row for each word, a column for each combination and one for none
    usual: np.ndarray  # the share of each combination, and of none, among the words
    sharpness: float
    none: float  # what is added to the score of none
    listed: float  # estimated share of the domain's words that the taxonomy has
    judged: dict[str, Judgement]  # the other words of the captions, each left out in turn

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """All categories, sorted."""
        return tuple(sorted({name for names in self.combinations for name in names}))

    @cached_property
    def shared(self) -> np.ndarray:
        """How much each combination counts for each category; none counts for itself."""
        table = np.zeros((len(self.combinations) + 1, len(self.categories) + 1))
        for row, names in enumerate(self.combinations):
            table[row, [self.categories.index(name) for name in names]] = 1 / len(names)
        table[-1, -1] = 1
        return table

    @cached_property
    def lengths(self) -> np.ndarray:
        """The length of each word that was learned from, over all kinds of features."""
        return _lengths({kind: block.rows for kind, block in self.blocks.items()})

    def judge(self, words: Iterable[str], sources: WordSources) -> dict[str, Judgement]:
        """Return the most probable categories of each word, and the belief in the first."""
        words = tuple(dict.fromkeys(words))
        new = [word for word in words if word not in self.judged]
        found = dict(self.judged)
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            rows = {
                kind: sparse.vstack([block.row(kind, sources.kinds[kind](word)) for word in part]).tocsr()
                for kind, block in self.blocks.items()
            }
            alike = np.zeros((len(part), len(self.dual)))
            for kind, own in rows.items():
                alike += WEIGHTS[kind] * (own @ self.blocks[kind].rows.T).toarray()
            kernel = _kernel(alike, _lengths(rows), self.lengths)
            found |= zip(part, self.judgements(self.usual + kernel @ self.dual), strict=True)
        return {word: found[word] for word in words}

    def judgements(self, scores: np.ndarray) -> list[Judgement]:
        """Return the judgement for each row of scores."""
        shares = _shares(scores @ self.shared, self.sharpness, self.none)
        known = 1 - shares[:, -1]
        # Of the words that look like this one, some are listed; the others are missing from the taxonomy.
        lacking = (1 - self.listed) / self.listed * known / np.maximum(1 - known, 1e-9)
        best = shares[:, :-1].argmax(axis=1)
        certain = shares[np.arange(len(shares)), best] / np.maximum(known, 1e-9) * np.minimum(lacking, 1.0)
        rows = zip(best.tolist(), certain.tolist(), scores, strict=True)
        return [(self._with_others(column, row), round(value, 6)) for column, value, row in rows]

    def _with_others(self, column: int, scores: np.ndarray) -> tuple[str, ...]:
        """Return a category, and those that similar words mostly have together with it."""
        present = self.shared[:-1] > 0
        weights = np.maximum(scores[:-1], 0) * present[:, column]
        together = weights @ present[:, :-1] / max(float(weights.sum()), 1e-9)
        others = [
            place for place in np.flatnonzero(together.round(9) >= TOGETHER).tolist() if place != column
        ]
        return tuple(self.categories[place] for place in (column, *others))


def _lengths(rows: Mapping[Kind, sparse.csr_matrix]) -> np.ndarray:
    squares = (
        WEIGHTS[kind] * np.asarray(own.multiply(own).sum(axis=1)).ravel() for kind, own in rows.items()
    )
    return np.asarray(np.sqrt(sum(squares)))


def _shares(scores: np.ndarray, sharpness: float, none: float) -> np.ndarray:
    raised = scores * sharpness
    raised[:, -1] += none
    raised = np.exp(raised - raised.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class DomainModel:
    """What was learned about a domain, from a taxonomy and captions."""

    taxonomy: str  # its identity
    captions: int
    vectors: str | None  # the name of the vectors, if any were used
    roles: dict[Role, RoleModel]
    identity: str = ""

    def labels(
        self, taxonomy: Taxonomy, candidates: Iterable[Candidate], sources: WordSources
    ) -> list[Labelled]:
        """Return the words that the model would label, in the order of the candidates."""
        lacking = {kind for model in self.roles.values() for kind in model.blocks} - set(sources.kinds)
        if lacking:
            raise MissingPartError(
                f"the model was trained with {' and '.join(sorted(lacking))}, which is not available here",
                hint="run assess doctor to see what to install, or train the model again",
            )
        words = [(candidate, normal_form(taxonomy, candidate.word)) for candidate in candidates]
        judged = {
            role: model.judge((word for candidate, word in words if candidate.role == role), sources)
            for role, model in self.roles.items()
        }
        found = []
        for candidate, word in words:
            if candidate.role in judged:
                categories, belief = judged[candidate.role][word]
                there = tuple(name for name in categories if name in taxonomy.roles[candidate.role])
                if belief >= SURE and categories[0] in there:
                    found.append(Labelled(candidate, there, belief))
        return found


def learn_domain(
    taxonomy: Taxonomy,
    candidates: Iterable[Candidate],
    sources: WordSources,
    *,
    captions: int,
    vectors: str | None = None,
    refused: Callable[[Candidate], bool] = lambda _: False,
) -> DomainModel:
    """Learn from the words of a taxonomy, and from the words of captions that it lacks.

    Words that an author refused certainly belong to none of the categories, and are never labelled.
    """
    lacking = list(candidates)
    roles: dict[Role, RoleModel] = {}
    for role in taxonomy.roles:
        own = {normal_form(taxonomy, item.word): item for item in lacking if item.role == role}
        model = _learn_role(categories_of_words(taxonomy, role), own, sources, refused)
        if model is not None:
            roles[role] = model
    if not roles:
        raise UsageError(
            f"there is too little training data: the captions contain fewer than {_FEWEST} words of"
            " the taxonomy",
            hint="add words with assess domain assign",
        )
    return DomainModel(taxonomy.identity, captions, vectors, roles)


def _learn_role(
    known: Mapping[str, tuple[str, ...]],
    lacking: Mapping[str, Candidate],
    sources: WordSources,
    refused: Callable[[Candidate], bool],
) -> RoleModel | None:
    words = _chosen(known, sources)
    seen = sum(sources.uses(word) > 0 for word in words)
    if seen < _FEWEST:
        return None
    others = sorted(lacking.keys() - known.keys(), key=lambda word: (-lacking[word].count, word))[:MOST_WORDS]
    words += others
    combinations = tuple(sorted({tuple(sorted(known[word])) for word in words if word in known}))
    columns = {names: column for column, names in enumerate(combinations)}
    truth = np.zeros((len(words), len(combinations) + 1))
    for row, word in enumerate(words):
        truth[row, columns[tuple(sorted(known[word]))] if word in known else -1] = 1
    blocks, kernel = _compared(words, sources)
    usual = truth.mean(axis=0)
    rows = np.arange(len(words))
    met = np.array([row >= len(words) - len(others) or sources.uses(words[row]) > 0 for row in rows])
    kernel[rows, rows] += np.where(met, _RIDGE, _RIDGE_UNSEEN)
    inverse = np.linalg.inv(kernel)
    dual = inverse @ (truth - usual)
    without = truth - dual / np.diag(inverse)[:, None]
    shared = RoleModel(combinations, {}, dual, usual, 1.0, 0.0, 1.0, {}).shared
    sharpness, none = _calibrated(without[met] @ shared, truth[met] @ shared)
    inside = 1 - _shares(without[met] @ shared, sharpness, none)[:, -1]
    listed = float(np.clip(inside[truth[met][:, -1] == 0].mean(), 0.05, 0.95))
    model = RoleModel(combinations, blocks, dual, usual, sharpness, none, listed, {})
    judged = dict(zip(others, model.judgements(without[len(words) - len(others) :]), strict=True))
    judged |= {word: (judged[word][0], 0.0) for word in others if refused(lacking[word])}
    model.judged.update(judged)
    return model


def _chosen(known: Mapping[str, object], sources: WordSources) -> list[str]:
    """Return the words of a taxonomy to learn from: those in the captions, and some more if these are few."""
    uses = {word: sources.uses(word) for word in known}
    order = sorted(known, key=lambda word: (-uses[word], hashlib.sha256(word.encode()).digest()))
    seen = sum(number > 0 for number in uses.values())
    return order[: min(MOST_WORDS, max(seen, MOST_WORDS // 2))]


def _compared(words: Sequence[str], sources: WordSources) -> tuple[dict[Kind, Block], np.ndarray]:
    """Return the features of words, and the kernel of each two words."""
    blocks = {
        kind: Block.of(kind, [features_of(word) for word in words])
        for kind, features_of in sources.kinds.items()
    }
    alike = np.zeros((len(words), len(words)))
    for kind, block in blocks.items():
        rows = block.rows.toarray() if kind == "vectors" else block.rows  # faster, and they are full
        product = rows @ rows.T
        alike += WEIGHTS[kind] * (product if kind == "vectors" else product.toarray())
    lengths = np.sqrt(np.diag(alike))
    return blocks, _kernel(alike, lengths, lengths)


def _calibrated(scores: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Return how much to sharpen scores, and what to add to that of none, so that beliefs are calibrated."""
    from scipy.optimize import minimize

    right = truth > 0

    def surprise(point: np.ndarray) -> float:
        shares = _shares(scores, float(np.exp(point[0])), float(point[1]))
        return float(-np.log(np.maximum((shares * right).sum(axis=1), 1e-9)).mean())

    found = minimize(surprise, [1.6, 0.0], method="Nelder-Mead", options={"maxiter": 80})
    return float(np.exp(found.x[0])), float(found.x[1])


def extended(taxonomy: Taxonomy, labels: Iterable[Labelled]) -> Taxonomy:
    """Return a taxonomy that also contains the words which a model labelled."""
    more: dict[tuple[Role, str], list[Entry]] = {}
    for label in labels:
        first, *others = label.categories
        entries = [entry.model_copy(update={"also": tuple(others)}) for entry in label.candidate.entries]
        more.setdefault((label.candidate.role, first), []).extend(entries)
    changed = {
        f"{role}s": {
            name: category.model_copy(
                update={"words": tuple(_joined(category.words, more.get((role, name), ())))}
            )
            for name, category in categories.items()
        }
        for role, categories in taxonomy.roles.items()
    }
    return taxonomy.model_copy(update=changed)


def _joined(listed: Sequence[Entry], more: Iterable[Entry]) -> Iterator[Entry]:
    yield from listed
    words = {entry.word for entry in listed}
    for entry in more:
        if entry.word not in words:
            words.add(entry.word)
            yield entry
