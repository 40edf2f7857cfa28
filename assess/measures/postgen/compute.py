"""Comparing captions with references: pairing by image, and BLEU (Papineni et al. 2002).

All scores take tokens; the caller decides whether these are lowercased. CIDEr-D, word mover's distance, and
METEOR and SPICE with the COCO tools follow below.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, Protocol

import numpy as np

from assess.errors import InputError, MissingPartError, UsageError, install_extra, some
from assess.measures.metric import Counts, ratio

Tokens = Sequence[str]
Ngram = tuple[str, ...]
ORDER = 4


@dataclass(frozen=True, slots=True)
class ScoredImage:
    """A caption and the references of its image, as tokens."""

    image: str
    caption: Tokens
    references: Sequence[Tokens]


@dataclass(frozen=True, slots=True)
class ImageScores:
    """A metric's score of the corpus (`nan` without images) and of each image."""

    score: float
    scores: Mapping[str, float]


def pair_captions(
    captions: Mapping[str, Tokens], references: Mapping[str, Sequence[Tokens]]
) -> tuple[ScoredImage, ...]:
    """Pair captions with references by image id, sorted by id; each caption needs a reference."""
    missing = sorted(image for image in captions if not references.get(image))
    if missing:
        which = f"{len(missing):,} of {some(len(captions), 'image')}"
        message = f"no references for {which}: {', '.join(missing[:5])}"
        raise InputError(message, hint="scores against references need a reference for every image")
    return tuple(ScoredImage(image, captions[image], references[image]) for image in sorted(captions))


def ngrams(words: Tokens, length: int) -> list[Ngram]:
    """Return the n-grams of a text in order."""
    return list(zip(*(words[start:] for start in range(length)), strict=False))


def bleu_counts(caption: Tokens, references: Sequence[Tokens]) -> Counts:
    """Return matches and totals of each n-gram length, and the lengths of caption and closest reference.

    The counts of several captions can be added.
    """
    counts = np.zeros(2 * ORDER + 2)
    for length in range(1, ORDER + 1):
        found, allowed = Counter(ngrams(caption, length)), Counter[Ngram]()
        for reference in references:
            allowed |= Counter(ngrams(reference, length))
        counts[length - 1] = (found & allowed).total()
        counts[ORDER + length - 1] = found.total()
    sizes = map(len, references)
    counts[-2:] = len(caption), min(sizes, key=lambda size: (abs(size - len(caption)), size))
    return counts


def bleu_tally(image: ScoredImage) -> Counts:
    """Return the counts of one image."""
    return bleu_counts(image.caption, image.references)


def bleu(counts: Counts, *, order: int = ORDER) -> Counts:
    """Return unsmoothed BLEU of summed tallies: 0 without matches of some length, `nan` without n-grams."""
    precisions = ratio(counts[..., :order], counts[..., ORDER : ORDER + order])
    with np.errstate(divide="ignore"):
        mean_log = np.log(precisions).mean(axis=-1)
    brevity = np.minimum(0.0, 1.0 - ratio(counts[..., -1], counts[..., -2]))
    return np.asarray(np.exp(mean_log + brevity))


def corpus_bleu(paired: Sequence[ScoredImage]) -> dict[int, float]:
    """Return BLEU-1 to BLEU-4 of a corpus; all `nan` if it is empty."""
    total = np.sum([bleu_tally(image) for image in paired] or [np.zeros(2 * ORDER + 2)], axis=0)
    return {order: float(bleu(total, order=order)) for order in range(1, ORDER + 1)}


# CIDEr-D: whether captions say what people agree on (Vedantam et al. 2015, as implemented by the COCO
# server).
#
# N-grams of one to four words are weighted by their rarity over the references of all images. A caption's
# counts are clipped to the reference's, and a Gaussian penalises differences in length. The score is ten
# times the mean similarity over lengths of n-grams and over references.

SIGMA = 6.0  # of the length penalty, in words
SCALE = 10.0

Vector = dict[Ngram, float]


@dataclass(frozen=True, slots=True)
class DocumentFrequencies:
    """The number of images whose references contain each n-gram, and the number of images."""

    images: int
    counts: Mapping[Ngram, int]

    def weight(self, ngram: Ngram) -> float:
        """Return the inverse document frequency; an n-gram without references counts as one of one image."""
        return math.log(self.images) - math.log(max(1, self.counts.get(ngram, 0)))


def document_frequencies(references: Iterable[Sequence[Tokens]]) -> DocumentFrequencies:
    """Count n-grams over images; each image's references are one document."""
    counts: Counter[Ngram] = Counter()
    images = 0
    for image_references in references:
        images += 1
        counts.update({ngram for words in image_references for ngram in _ngrams(words)})
    return DocumentFrequencies(images, counts)


def cider_d(paired: Sequence[ScoredImage], *, frequencies: DocumentFrequencies | None = None) -> ImageScores:
    """Score captions with CIDEr-D. By default, frequencies come from the references themselves.

    With a single image, every n-gram occurs in all documents and weighs nothing; use the `frequencies` of a
    larger corpus then.
    """
    found = frequencies or document_frequencies(image.references for image in paired)
    scores = {image.image: _score(image, found) for image in paired}
    return ImageScores(_mean(scores), scores)


def _mean(scores: Mapping[str, float]) -> float:
    """Return the mean over images with a score; `nan` if there are none."""
    defined = [score for score in scores.values() if not math.isnan(score)]
    return fmean(defined) if defined else math.nan


def _score(image: ScoredImage, frequencies: DocumentFrequencies) -> float:
    caption = _vectors(image.caption, frequencies)
    similarities = [
        _similarity(caption, _vectors(reference, frequencies)) * _length_penalty(image.caption, reference)
        for reference in image.references
    ]
    return SCALE * fmean(similarities)


def _similarity(caption: Sequence[Vector], reference: Sequence[Vector]) -> float:
    """Return the mean over n of the clipped cosine, which is 0 if either side has no weight."""
    return fmean(_clipped_cosine(mine, theirs) for mine, theirs in zip(caption, reference, strict=True))


def _clipped_cosine(caption: Vector, reference: Vector) -> float:
    lengths = _norm(caption) * _norm(reference)
    if not lengths:
        return 0.0
    shared = (ngram for ngram in caption if ngram in reference)
    return sum(min(caption[ngram], reference[ngram]) * reference[ngram] for ngram in shared) / lengths


def _length_penalty(caption: Tokens, reference: Tokens) -> float:
    # The COCO server counts bigrams, so captions of one word are as long as empty ones.
    difference = max(0, len(caption) - 1) - max(0, len(reference) - 1)
    return math.exp(-(difference**2) / (2 * SIGMA**2))


def _vectors(words: Tokens, frequencies: DocumentFrequencies) -> list[Vector]:
    """Return the weighted counts of n-grams, one vector for each n."""
    vectors: list[Vector] = [{} for _ in range(ORDER)]
    for ngram, count in Counter(_ngrams(words)).items():
        vectors[len(ngram) - 1][ngram] = count * frequencies.weight(ngram)
    return vectors


def _ngrams(words: Tokens) -> list[Ngram]:
    return [ngram for length in range(1, ORDER + 1) for ngram in ngrams(words, length)]


def _norm(vector: Vector) -> float:
    return math.sqrt(sum(value**2 for value in vector.values()))


# Word mover's distance (Kusner et al. 2015): the cost of moving the words of a caption to those of a
# reference.


class Vectors(Protocol):
    """Word vectors, such as `assess.annotate.vectors.WordVectors`."""

    name: str

    def vector(self, phrase: str) -> np.ndarray | None:
        """Return a vector of length one, or None if the word has none."""


class WordBag:
    """The distinct words of a text that have a vector, with the share of each in the text."""

    def __init__(self, words: Tokens, vectors: Vectors) -> None:
        found = {word: vectors.vector(word) for word in dict.fromkeys(words)}
        directions = {word: vector for word, vector in found.items() if vector is not None}
        counts = Counter(word for word in words if word in directions)
        self.shares = np.array([counts[word] for word in directions], dtype=float)
        self.shares /= self.shares.sum() or 1.0
        self.directions = np.array(list(directions.values()))


def word_mover_distance(first: WordBag, second: WordBag) -> float:
    """Return the minimum cost of moving all shares, each over the distance between its words.

    Undefined if one of the texts has no word with a vector.
    """
    from scipy.optimize import linprog  # slow to import

    if not (len(first.shares) and len(second.shares)):
        return math.nan
    costs = _distances(first, second)
    rows, columns = costs.shape
    leaves = np.kron(np.eye(rows), np.ones(columns))  # what leaves each word of the first text ...
    arrives = np.kron(np.ones(rows), np.eye(columns))  # ... and arrives at each word of the second
    moved = linprog(
        costs.ravel(), A_eq=np.vstack([leaves, arrives]), b_eq=np.concatenate([first.shares, second.shares])
    )
    return float(moved.fun)


def _distances(first: WordBag, second: WordBag) -> np.ndarray:
    differences = first.directions[:, None, :] - second.directions[None, :, :]
    found: np.ndarray = np.linalg.norm(differences, axis=2)
    return found


def _least_cost(caption: WordBag, references: Sequence[WordBag]) -> float:
    """Return the distance to the closest reference. Lower bounds avoid most exact computations.

    Every word moves at least as far as to its nearest word (the relaxed distance in the same paper).
    """
    if not len(caption.shares):
        return math.nan
    references = [reference for reference in references if len(reference.shares)]
    bounds = [float(caption.shares @ _distances(caption, one).min(axis=1)) for one in references]
    nearest = math.inf
    for bound, reference in sorted(zip(bounds, references, strict=True), key=lambda pair: pair[0]):
        if bound >= nearest:
            break
        nearest = min(nearest, word_mover_distance(caption, reference))
    return nearest if references else math.nan


def word_mover_scores(paired: Sequence[ScoredImage], vectors: Vectors) -> ImageScores:
    """Return exp(-distance to the closest reference) of each image, and the mean over defined ones.

    This is how Kilickaya et al. (2017) turn the distance into a score. A caption without word vectors scores
    0; if no reference has word vectors, the score is undefined.
    """
    scores = {}
    for image in paired:
        references = [WordBag(words, vectors) for words in image.references]
        cost = _least_cost(WordBag(image.caption, vectors), references)
        comparable = any(len(reference.shares) for reference in references)
        scores[image.image] = math.exp(-cost) if not math.isnan(cost) else (0.0 if comparable else math.nan)
    return ImageScores(_mean(scores), scores)


# METEOR and SPICE with the COCO caption tools (pycocoevalcap), an optional part that needs Java.
#
# Nothing is downloaded: SPICE needs the Stanford CoreNLP files, which pycocoevalcap would otherwise fetch on
# first use. If they are missing, the error explains how to get them.

CocoMetric = Literal["METEOR", "SPICE"]

_PACKAGE = "pycocoevalcap"
_SCORERS = {"METEOR": ("meteor.meteor", "Meteor"), "SPICE": ("spice.spice", "Spice")}
_STANFORD = ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar")


def coco_scores(paired: Sequence[ScoredImage], metric: CocoMetric) -> ImageScores:
    """Score captions with METEOR or SPICE; tokens are joined by spaces."""
    if not paired:
        raise UsageError(f"{metric} needs at least one image")
    require_coco(metric)
    references = {image.image: [_text(words) for words in image.references] for image in paired}
    captions = {image.image: [_text(image.caption)] for image in paired}
    scorer = _scorer(metric)
    try:
        score, each = scorer.compute_score(references, captions)
    finally:
        _close_pipes(scorer)
    # SPICE returns scores in the order of sorted ids, METEOR in the order of the references.
    images = sorted(references) if metric == "SPICE" else list(references)
    values = [float(value["All"]["f"]) if isinstance(value, dict) else float(value) for value in each]
    return ImageScores(float(score), dict(zip(images, values, strict=True)))


def require_coco(metric: CocoMetric) -> None:
    """Raise a `MissingPartError` that states what to install if something is missing."""
    if shutil.which("java") is None:
        raise MissingPartError(f"{metric} needs Java", hint="install a Java runtime (8 or later)")
    found = importlib.util.find_spec(_PACKAGE)
    if found is None:
        raise MissingPartError(f"{metric} needs {_PACKAGE}", hint=install_extra("coco"))
    if metric == "SPICE":
        _require_stanford([Path(folder) for folder in found.submodule_search_locations or ()])


def _require_stanford(folders: list[Path]) -> None:
    for folder in folders:
        if all((folder / "spice" / "lib" / name).is_file() for name in _STANFORD):
            return
    hint = f"run `python -m {_PACKAGE}.spice.get_stanford_models` once; it downloads them"
    raise MissingPartError("SPICE needs the Stanford CoreNLP 3.6.0 files", hint=hint)


def _scorer(metric: CocoMetric) -> Any:
    module, name = _SCORERS[metric]
    return getattr(importlib.import_module(f"{_PACKAGE}.{module}"), name)()


def _close_pipes(scorer: Any) -> None:
    """Close the pipes of METEOR's process, which the scorer ends without closing them."""
    process = getattr(scorer, "meteor_p", None)
    for pipe in (process.stdout, process.stderr) if process is not None else ():
        pipe.close()


def _text(words: Tokens) -> str:
    """Join tokens by single spaces, without the bars that METEOR reads as ends of sentences."""
    return " ".join(" ".join(words).replace("|||", " ").split())
