"""What captions teach beyond a taxonomy's words: a model of its categories, learnt from the words it has.

An example is a word, not a phrase: what stands beside it in all captions, its letters, and its meaning where
vectors or WordNet are installed. Words of the taxonomy are examples of their categories; the other words of
captions are examples of "none of these", which some of them are not. So no word is ever judged by a
model that learnt from that very word: leaving one out has a closed form (ridge regression with kernels). How
many words the taxonomy lacks follows from how the words it has are judged (Elkan and Noto 2008).

What is learnt are combinations of categories ("man" tells gender and age), so that a word gets all categories
that words like it have together.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from assess.corpus.files import check_regular
from assess.domain.advice import Candidate
from assess.domain.cooccurrence import WordContexts
from assess.domain.overview import categories_of_words
from assess.domain.suggestions import Kind, Vectors, form_features
from assess.domain.wordnet import WordNet
from assess.errors import AssessError, InputError, MissingPartError, Place, UsageError
from assess.limits import FILE_SIZE
from assess.records import Role
from assess.taxonomy.compose import find_taxonomy, known_domains
from assess.taxonomy.model import Entry, Taxonomy
from assess.taxonomy.phrases import normal_form
from assess.whole_files import write_whole

MOST_WORDS = 2_000
"""Words of a taxonomy, and as many others, that a model learns from: those that captions have most often."""

SURE = 0.15
"""Belief from which on a word is labelled."""

TOGETHER = 0.6
"""Share of what speaks for a category that must speak for another one too, so that both are named."""

_HYPERNYMS = 8  # levels of WordNet: so many lead from "zebra" to "animal"
ENDING = ".model.npz"
_WEIGHTS: dict[Kind, float] = {"form": 0.3, "company": 1.0, "vectors": 3.0, "wordnet": 1.5}
_CAUTION: dict[Kind, float] = {"form": 0.0, "company": 5.0, "vectors": 0.0, "wordnet": 0.0}
_RIDGE, _RIDGE_UNSEEN = 0.5, 1.0  # a word that captions do not have tells less
_FEWEST = 20  # words that captions have: fewer teach nothing
_FORM = "domain model 2"


class Labelled(NamedTuple):
    """A word that a model would label, and how far that is to be believed."""

    candidate: Candidate
    categories: tuple[str, ...]  # the likeliest first
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
class _Block:
    """Features of one kind: what each weighs, and what it says for each category."""

    columns: dict[str, int]
    rarity: np.ndarray
    weights: np.ndarray  # a row for each feature, a column for each combination and one for none

    @classmethod
    def of(cls, kind: Kind, rows: Sequence[Mapping[str, float]]) -> tuple[_Block, sparse.csr_matrix]:
        """Return the features that several words have, and the words as rows."""
        shared: dict[str, int] = {}
        for row in rows:
            for name in row:
                shared[name] = shared.get(name, 0) + 1
        names = sorted(name for name, number in shared.items() if number > 1)
        numbers = np.array([shared[name] for name in names], dtype=float)
        # Every dimension of a vector counts alike; elsewhere a feature of few words weighs more.
        rarity = np.ones(len(names)) if kind == "vectors" else np.log((len(rows) + 1) / (numbers + 0.5))
        self = cls({name: column for column, name in enumerate(names)}, rarity, np.zeros((len(names), 0)))
        return self, sparse.vstack([self.row(kind, row) for row in rows]).tocsr()

    def row(self, kind: Kind, features: Mapping[str, float]) -> sparse.csr_matrix:
        """Return a word: of length one, or less where little is known of it."""
        found = [(self.columns[name], value) for name, value in features.items() if name in self.columns]
        found.sort()
        columns = np.array([column for column, _ in found], dtype=np.int32)
        values = np.array([value for _, value in found]) * self.rarity[columns] if found else np.empty(0)
        length = float(np.sqrt(values @ values)) + _CAUTION[kind]
        shape = (1, len(self.columns))
        return sparse.csr_matrix((values / (length or 1.0), columns, [0, len(columns)]), shape=shape)


Judgement = tuple[tuple[str, ...], float]  # categories, the likeliest first, and the belief in that one


@dataclass(frozen=True)
class RoleModel:
    """What was learnt of one role."""

    combinations: tuple[tuple[str, ...], ...]  # of categories that words have together, most of them of one
    blocks: dict[Kind, _Block]
    usual: np.ndarray  # the share of each combination, and of none, among the words that were learnt from
    sharpness: float
    none: float  # what is added for none of these
    listed: float  # share of the domain's words that the taxonomy has, by this model
    judged: dict[str, Judgement]  # the other words of the captions, each without itself

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """All categories, sorted."""
        return tuple(sorted({name for names in self.combinations for name in names}))

    @cached_property
    def shared(self) -> np.ndarray:
        """What each combination says for each category; none for itself."""
        table = np.zeros((len(self.combinations) + 1, len(self.categories) + 1))
        for row, names in enumerate(self.combinations):
            table[row, [self.categories.index(name) for name in names]] = 1 / len(names)
        table[-1, -1] = 1
        return table

    def judge(self, word: str, sources: WordSources) -> Judgement:
        """Return the likeliest categories of a word, and how far the first is to be believed."""
        if word in self.judged:
            return self.judged[word]
        scores = self.usual.copy()
        for kind, block in self.blocks.items():
            scores += np.asarray(block.row(kind, sources.kinds[kind](word)) @ block.weights).ravel()
        return self.judgements(scores[None, :])[0]

    def judgements(self, scores: np.ndarray) -> list[Judgement]:
        """Return what each row of scores says."""
        shares = _shares(scores @ self.shared, self.sharpness, self.none)
        known = 1 - shares[:, -1]
        # Of words that look like this one, some are listed: the others are what the taxonomy lacks.
        lacking = (1 - self.listed) / self.listed * known / np.maximum(1 - known, 1e-9)
        best = shares[:, :-1].argmax(axis=1)
        certain = shares[np.arange(len(shares)), best] / np.maximum(known, 1e-9) * np.minimum(lacking, 1.0)
        rows = zip(best.tolist(), certain.tolist(), scores, strict=True)
        return [(self._with_others(column, row), round(value, 6)) for column, value, row in rows]

    def _with_others(self, column: int, scores: np.ndarray) -> tuple[str, ...]:
        """Return a category and those that words like this one mostly have together with it."""
        present = self.shared[:-1] > 0
        weights = np.maximum(scores[:-1], 0) * present[:, column]
        together = weights @ present[:, :-1] / max(float(weights.sum()), 1e-9)
        others = [
            place for place in np.flatnonzero(together.round(9) >= TOGETHER).tolist() if place != column
        ]
        return tuple(self.categories[place] for place in (column, *others))


def _shares(scores: np.ndarray, sharpness: float, none: float) -> np.ndarray:
    raised = scores * sharpness
    raised[:, -1] += none
    raised = np.exp(raised - raised.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class DomainModel:
    """What was learnt of a domain, from a taxonomy and captions."""

    taxonomy: str  # its identity
    captions: int
    vectors: str | None  # their name, where they were used
    roles: dict[Role, RoleModel]
    identity: str = ""

    def labels(
        self, taxonomy: Taxonomy, candidates: Iterable[Candidate], sources: WordSources
    ) -> list[Labelled]:
        """Return what the model would label among words that a taxonomy lacks, in their order."""
        lacking = {kind for model in self.roles.values() for kind in model.blocks} - set(sources.kinds)
        if lacking:
            raise MissingPartError(
                f"the model was trained with {' and '.join(sorted(lacking))}, which is not available here",
                hint="run assess doctor to see what to install, or train the model again",
            )
        found = []
        for candidate in candidates:
            model = self.roles.get(candidate.role)
            if model is not None:
                categories, belief = model.judge(normal_form(taxonomy, candidate.word), sources)
                there = tuple(name for name in categories if name in taxonomy.roles[candidate.role])
                if belief >= SURE and categories[0] in there:
                    found.append(Labelled(candidate, there, belief))
        return found

    def save(self, path: Path) -> None:
        """Write the model: arrays and texts, which say how to check them."""
        arrays: dict[str, np.ndarray] = {}
        about: dict[str, Any] = {"form": _FORM, "taxonomy": self.taxonomy, "captions": self.captions}
        about |= {"vectors": self.vectors, "roles": {}}
        for role, model in self.roles.items():
            about["roles"][role] = {
                "combinations": model.combinations,
                "numbers": [model.sharpness, model.none, model.listed],
                "judged": model.judged,
                "blocks": {kind: list(block.columns) for kind, block in model.blocks.items()},
            }
            arrays[f"{role} usual"] = model.usual
            for kind, block in model.blocks.items():
                arrays[f"{role} {kind} rarity"] = block.rarity
                arrays[f"{role} {kind} weights"] = block.weights.astype(np.float32)
        text = json.dumps(about, sort_keys=True).encode()
        arrays["about"] = np.frombuffer(text, dtype=np.uint8)
        arrays["sha256"] = np.frombuffer(_digest(arrays), dtype=np.uint8)
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        write_whole(path, file.getvalue())


def model_path(domain: str) -> Path | None:
    """Return where the model of an author's own taxonomy is kept; None for one that comes with a package."""
    if any(known.name == domain for known in known_domains()):
        return None
    return find_taxonomy(domain).with_suffix(ENDING)


def _digest(arrays: Mapping[str, np.ndarray]) -> bytes:
    digest = hashlib.sha256()
    for name in sorted(arrays.keys() - {"sha256"}):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.digest()


def load_model(path: Path) -> DomainModel:
    """Read a model; a file that is damaged, or no model, is an error."""
    if not path.exists():
        raise UsageError("the model does not exist", place=Place(str(path)), hint="assess domain train")
    check_regular(path, "a model")
    try:
        return _read_model(path)
    except AssessError:
        raise
    # The header of an array is read as Python, so it can be wrong in any way that Python can.
    except Exception as error:
        raise InputError(
            "this is not a model, or it is damaged",
            place=Place(str(path)),
            hint="write it again with assess domain train",
        ) from error


def _read_model(path: Path) -> DomainModel:
    with zipfile.ZipFile(path) as packed:
        size = sum(part.file_size for part in packed.infolist())
        FILE_SIZE.check(size, "the model is too large", Place(str(path)))
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    digest = _digest(arrays)
    if arrays["sha256"].tobytes() != digest:
        raise ValueError("damaged")
    return _model_of(json.loads(arrays["about"].tobytes()), arrays, digest.hex()[:12])


def _model_of(about: Mapping[str, Any], arrays: Mapping[str, np.ndarray], identity: str) -> DomainModel:
    if about["form"] != _FORM:
        raise ValueError("another form")
    roles: dict[Role, RoleModel] = {}
    for role, told in about["roles"].items():
        blocks: dict[Kind, _Block] = {}
        combinations = tuple(tuple(map(str, names)) for names in told["combinations"])
        for kind, names in told["blocks"].items():
            rarity, weights = (arrays[f"{role} {kind} {name}"] for name in ("rarity", "weights"))
            if weights.shape != (len(names), len(combinations) + 1) or rarity.shape != (len(names),):
                raise ValueError("columns of different lengths")
            blocks[kind] = _Block({name: column for column, name in enumerate(names)}, rarity, weights)
        judged = {
            word: (tuple(map(str, names)), float(belief)) for word, (names, belief) in told["judged"].items()
        }
        sharpness, none, listed = map(float, told["numbers"])
        usual = arrays[f"{role} usual"]
        if usual.shape != (len(combinations) + 1,) or not all(combinations):
            raise ValueError("a share for each combination, and one for none")
        roles[role] = RoleModel(combinations, blocks, usual, sharpness, none, listed, judged)
    return DomainModel(about["taxonomy"], about["captions"], about["vectors"], roles, identity)


def learn_domain(
    taxonomy: Taxonomy,
    candidates: Iterable[Candidate],
    sources: WordSources,
    *,
    captions: int,
    vectors: str | None = None,
    refused: Callable[[Candidate], bool] = lambda _: False,
) -> DomainModel:
    """Learn from the words of a taxonomy and the words of captions that it lacks.

    What an author refused is none of the categories for certain, and is never labelled.
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
    blocks, kernel, matrices = _compared(words, sources)
    usual = truth.mean(axis=0)
    rows = np.arange(len(words))
    met = np.array([row >= len(words) - len(others) or sources.uses(words[row]) > 0 for row in rows])
    kernel[rows, rows] += np.where(met, _RIDGE, _RIDGE_UNSEEN)
    inverse = np.linalg.inv(kernel)
    dual = inverse @ (truth - usual)
    without = truth - dual / np.diag(inverse)[:, None]
    shared = RoleModel(combinations, {}, usual, 1.0, 0.0, 1.0, {}).shared
    sharpness, none = _calibrated(without[met] @ shared, truth[met] @ shared)
    inside = 1 - _shares(without[met] @ shared, sharpness, none)[:, -1]
    listed = float(np.clip(inside[truth[met][:, -1] == 0].mean(), 0.05, 0.95))
    weighed = {
        kind: _Block(block.columns, block.rarity, _WEIGHTS[kind] * np.asarray(matrices[kind].T @ dual))
        for kind, block in blocks.items()
    }
    model = RoleModel(combinations, weighed, usual, sharpness, none, listed, {})
    judged = dict(zip(others, model.judgements(without[len(words) - len(others) :]), strict=True))
    judged |= {word: (judged[word][0], 0.0) for word in others if refused(lacking[word])}
    model.judged.update(judged)
    return model


def _chosen(known: Mapping[str, object], sources: WordSources) -> list[str]:
    """Return the words of a taxonomy to learn from: what captions have, and some more where these are few."""
    uses = {word: sources.uses(word) for word in known}
    order = sorted(known, key=lambda word: (-uses[word], hashlib.sha256(word.encode()).digest()))
    seen = sum(number > 0 for number in uses.values())
    return order[: min(MOST_WORDS, max(seen, MOST_WORDS // 2))]


def _compared(
    words: Sequence[str], sources: WordSources
) -> tuple[dict[Kind, _Block], np.ndarray, dict[Kind, sparse.csr_matrix]]:
    """Return the features of words, and how alike the words are."""
    blocks: dict[Kind, _Block] = {}
    matrices: dict[Kind, sparse.csr_matrix] = {}
    kernel = np.zeros((len(words), len(words)))
    for kind, features_of in sources.kinds.items():
        rows = [features_of(word) for word in words]
        blocks[kind], matrices[kind] = _Block.of(kind, rows)
        if kind == "vectors":
            full = matrices[kind].toarray()
            kernel += _WEIGHTS[kind] * (full @ full.T)
        else:
            kernel += _WEIGHTS[kind] * (matrices[kind] @ matrices[kind].T).toarray()
    return blocks, kernel, matrices


def _calibrated(scores: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """Return how sharp scores must be made, and what to add for none, so that beliefs come true."""
    from scipy.optimize import minimize

    right = truth > 0

    def surprise(point: np.ndarray) -> float:
        shares = _shares(scores, float(np.exp(point[0])), float(point[1]))
        return float(-np.log(np.maximum((shares * right).sum(axis=1), 1e-9)).mean())

    found = minimize(surprise, [1.6, 0.0], method="Nelder-Mead", options={"maxiter": 80})
    return float(np.exp(found.x[0])), float(found.x[1])


def extended(taxonomy: Taxonomy, labels: Iterable[Labelled]) -> Taxonomy:
    """Return a taxonomy that has the words which a model labelled, too."""
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
