"""Pre-gen metrics of a file of word probabilities, for all images and for strata."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field, PlainSerializer

from assess.corpus.fields import image_of
from assess.corpus.json_input import Item, described, object_items
from assess.corpus.source import Source
from assess.engine.jobs import in_this_process
from assess.errors import InputError, Place, UsageError, some, visible
from assess.grammar import Grammar, Parser, load_grammar
from assess.measures.coverage.compute import category_keys
from assess.measures.measure import Model, Number, Result, Row
from assess.measures.metric import ratio
from assess.measures.pregen.compute import MEMORY_LIMIT, PregenTotals, Stratum, pregen_scores, stratifications
from assess.measures.pregen.input import ImageProbabilities, read_probabilities
from assess.measures.pregen.tiers import BY_PAPER_FILTER, PUBLISHED, PregenName, pregen_name
from assess.measures.settings import PregenSettings
from assess.records import Annotation
from assess.report.quantity import Quantity, values_of
from assess.report.text import count, decimals, percent
from assess.signature import InputIdentity, Signature
from assess.taxonomy.words import tokenise


def _as_texts(scores: dict[str, float]) -> dict[str, float | str]:
    """Return scores as in this JSON: infinite and undefined ones are texts."""
    return {name: "nan" if math.isnan(score) else score for name, score in scores.items()}


PostScores = Mapping[str, Mapping[str, float]]
"""Post-gen scores by name, then by image."""
Scores = Annotated[dict[str, Number], PlainSerializer(_as_texts)]


class StratumScores(Model):
    """Pre-gen scores of one stratum, and the means of its images' post-gen scores."""

    num_strata: int
    stratum: int
    images: int
    post: dict[str, Number]
    scores: Scores


class PregenResult(Result):
    """Pre-gen scores of all images and, on request, of strata."""

    measure: ClassVar[str] = "pregen"

    images: int
    captions: int
    words: int
    scores: Scores
    by: str | None = None  # the score that defines the strata
    strata: tuple[StratumScores, ...] | None = None
    categories: dict[str, Row] | None = None  # by category of the references' words, if a domain was given
    every: bool = Field(default=False, exclude=True)  # whether the terminal shows all scores

    @property
    def name(self) -> str:
        """The name of the system."""
        return self.signature.inputs[0].name


# Metrics of a file, which is streamed once for all images and for strata.

_BATCH_IMAGES = 256  # of one stratum; the batches of all strata are in memory at the same time


def run_pregen(source: Source, settings: PregenSettings) -> PregenResult:
    """Compute pre-gen metrics of a file of word probabilities in one pass."""
    metrics = _metrics(settings)
    scores = read_image_scores(settings.scores) if settings.scores is not None else None
    images = _Hashed(read_probabilities(Path(source.path), format=settings.format))
    strata = _Strata(scores, settings, metrics, source.file) if scores is not None else None
    grammar = load_grammar(settings.domain) if settings.domain else None
    sorted_words = CategoryTotals(grammar, source.file) if grammar else None
    passed: Iterable[ImageProbabilities] = sorted_words.passed(images) if sorted_words else images
    try:
        found = pregen_scores(strata.passed(passed) if strata else passed, metrics)
        of_strata = strata.scores() if strata else None
    finally:
        if strata:
            strata.close()
    inputs = [InputIdentity(source.name, found.captions, images.sha256)]
    if scores is not None:
        inputs.append(_scores_identity(scores, settings.by))
    return PregenResult(
        signature=Signature(
            taxonomy=grammar.identity if grammar else None,
            model=sorted_words.model if sorted_words else None,
            inputs=tuple(inputs),
            settings={
                "metrics": len(metrics),
                "by": settings.by if strata else None,
                "strata": settings.strata if strata else None,
            },
        ),
        images=found.images,
        captions=found.captions,
        words=found.words,
        scores=found.scores,
        by=settings.by if strata else None,
        strata=of_strata,
        categories=sorted_words.rows() if sorted_words else None,
        every=settings.every,
    )


def _metrics(settings: PregenSettings) -> tuple[PregenName, ...]:
    if settings.metric:
        return tuple(dict.fromkeys(pregen_name(name) for name in settings.metric))
    return (*PUBLISHED, *BY_PAPER_FILTER) if settings.paper_filter else PUBLISHED


def _scores_identity(found: PostScores, by: str) -> InputIdentity:
    parts = repr(sorted((name, sorted(scores.items())) for name, scores in found.items()))
    digest = hashlib.sha256(parts.encode("utf-8", errors="surrogatepass")).hexdigest()
    return InputIdentity("scores", len(found[by]), digest)


class _Hashed:
    """Passes images on and hashes their contents, so that any format needs only one pass."""

    def __init__(self, images: Iterable[ImageProbabilities]) -> None:
        self._images = images
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """The hash of the images so far."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[ImageProbabilities]:
        for image in self._images:
            self._hash.update(f"{image.image}\n".encode("utf-8", errors="surrogatepass"))
            for part in (image.lengths, image.probabilities, image.argmax):
                self._hash.update(part.tobytes())
            if image.words is not None:
                self._hash.update("\n".join(image.words).encode("utf-8", errors="surrogatepass"))
            yield image


class _Strata:
    """Running pre-gen scores of each stratum, updated by the same stream as those of all images."""

    def __init__(
        self, scores: PostScores, settings: PregenSettings, metrics: Sequence[PregenName], file: str
    ) -> None:
        self._scores = scores
        self._by = settings.by
        self._file = file
        self._strata = _cut(scores, settings)
        limit = MEMORY_LIMIT // len(self._strata)
        self._totals = [PregenTotals(metrics, memory_limit=limit) for _ in self._strata]
        self._waiting: list[list[ImageProbabilities]] = [[] for _ in self._strata]
        self._places = _places(self._strata)
        self._seen: set[str] = set()

    def passed(self, images: Iterable[ImageProbabilities]) -> Iterator[ImageProbabilities]:
        """Pass images on, adding each to its strata."""
        known = self._scores[self._by]
        for record, image in enumerate(images, start=1):
            if image.image not in known or image.image in self._seen:
                why = "comes twice" if image.image in self._seen else f"has no {self._by}"
                place = Place(self._file, record=record)
                raise InputError(f"image {visible(image.image, 60)} {why}", place=place)
            self._seen.add(image.image)
            for at in self._places.get(image.image, ()):
                self._waiting[at].append(image)
                if len(self._waiting[at]) >= _BATCH_IMAGES:
                    self._flush(at)
            yield image

    def scores(self) -> tuple[StratumScores, ...]:
        """Return the scores of all strata; every image with a post-gen score must have been added."""
        missing = [image for image in self._scores[self._by] if image not in self._seen]
        if missing:
            images = some(len(missing), "image")
            message = f"no probabilities for {images} with a {self._by}: {missing[0]}, …"
            raise InputError(message, place=Place(self._file), hint="give the scores of the same images")
        for at in range(len(self._strata)):
            self._flush(at)
        return tuple(
            StratumScores(
                num_strata=stratum.strata,
                stratum=stratum.index,
                images=len(stratum.images),
                post=self._post(stratum),
                scores=totals.scores().scores,
            )
            for stratum, totals in zip(self._strata, self._totals, strict=True)
        )

    def close(self) -> None:
        """Release the memory of the totals."""
        for totals in self._totals:
            totals.close()

    def _flush(self, at: int) -> None:
        if self._waiting[at]:
            self._totals[at].add(self._waiting[at])
            self._waiting[at] = []

    def _post(self, stratum: Stratum) -> dict[str, float]:
        return {
            name: fmean(scores[image] for image in stratum.images) for name, scores in self._scores.items()
        }


def _cut(scores: PostScores, settings: PregenSettings) -> tuple[Stratum, ...]:
    """Divide images into 1, 2, … strata by one of their post-gen scores (Tanti et al. 2018, section 3.1)."""
    if settings.by not in scores:
        hint = f"the scores are {', '.join(scores)}" if scores else None
        raise UsageError(f"images have no score '{visible(settings.by)}'", hint=hint)
    return tuple(stratifications(scores[settings.by], most=settings.strata))


def _places(strata: Sequence[Stratum]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, stratum in enumerate(strata):
        for image in stratum.images:
            found.setdefault(image, []).append(at)
    return found


# Post-gen scores of images, with one record per image: `{"image_id": 1, "CIDEr": 0.9, …}`.

_IMAGE = "image_id"
_LARGEST_SCORE = 1e100  # sums of larger numbers may exceed the range of floating point


def read_image_scores(path: Path) -> dict[str, dict[str, float]]:
    """Read the scores of images, by name and then by image; all images must have the same scores."""
    found: dict[str, dict[str, float]] = {}
    for item in object_items(str(path)):
        image, scores = image_of(item, _IMAGE), _scores(item)
        if found and found.keys() != scores.keys():
            message = (
                f"the image's scores are {', '.join(scores)}, but those of earlier images are"
                f" {', '.join(found)}"
            )
            raise InputError(message, place=item.record_place)
        for name, score in scores.items():
            if image in found.setdefault(name, {}):
                raise InputError(f"image {image} occurs twice", place=item.record_place)
            found[name][image] = score
    return found


def _scores(item: Item) -> dict[str, float]:
    assert isinstance(item.value, dict)  # object_items only yields objects
    values = {name: value for name, value in item.value.items() if name != _IMAGE}
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            message = f"'{name}' must be a number, not {described(value)}"
            raise InputError(message, place=item.record_place)
        if not abs(value) <= _LARGEST_SCORE:  # not a number either
            message = f"'{name}' must be a finite number of at most {_LARGEST_SCORE:g}"
            raise InputError(message, place=item.record_place)
    if not values:
        raise InputError("the image has no scores", place=item.record_place)
    return {name: float(value) for name, value in values.items()}


# The probabilities of words in the categories of a domain, in the references.
#
# Captions are reassembled, and the best readings of their noun phrases determine the categories of words; all
# other words are "other".

OTHER = "other"
_BATCH = 256  # images whose captions are annotated at once
_PAPER = "tanti2018pregen"


@dataclass(slots=True)
class WordTally:
    """Counts of words, their probabilities and bits, and the number of words that were the first choice."""

    words: int = 0
    probability: float = 0.0
    bits: float = 0.0  # -log2 p; infinite if any p is 0
    first: int = 0

    def add(self, p: float, first: bool) -> None:
        """Count one word."""
        self.words += 1
        self.probability += p
        self.bits += -math.log2(p) if p else math.inf
        self.first += first


QUANTITIES: list[Quantity[WordTally]] = [
    Quantity("words", "words", lambda found: found.words, count, "words of the category", table="categories"),
    Quantity(
        "mean_p",
        "mean p",
        lambda found: float(ratio(found.probability, found.words)),
        decimals(3),
        "sum of p / words",
        direction="higher",
        undefined="no words",
        table="categories",
    ),
    Quantity(
        "perplexity",
        "perplexity",
        lambda found: 2 ** (found.bits / found.words) if found.words else math.nan,
        decimals(1),
        "2^(-mean log2 p) of the words",
        _PAPER,
        "lower",
        "no words",
        table="categories",
    ),
    Quantity(
        "first_choice",
        "first choice",
        lambda found: float(ratio(found.first, found.words)),
        percent,
        "words that were the model's first choice / words",
        _PAPER,
        "higher",
        "no words",
        table="categories",
    ),
]


class CategoryTotals:
    """Running counts of the words in each category, updated by the stream of images."""

    def __init__(self, grammar: Grammar, file: str) -> None:
        self._parser = Parser(grammar)
        self._file = file
        self._annotations = in_this_process().annotations
        self._tallies = {f"{role}.{name}": WordTally() for role, name in category_keys(grammar)}
        self._tallies[OTHER] = WordTally()
        self._waiting: list[ImageProbabilities] = []

    @property
    def model(self) -> str:
        """The model that finds noun phrases."""
        found = self._annotations.identity
        return f"{found.name} {found.version} (spaCy {found.spacy_version})"

    def passed(self, images: Iterable[ImageProbabilities]) -> Iterator[ImageProbabilities]:
        """Pass images on, counting their words."""
        for record, image in enumerate(images, start=1):
            if image.words is None:
                hint = 'give each word as {"p": 0.7, "rank": 0, "word": "young"}; only JSON has words'
                message = f"image {image.image} has no words, which --domain needs"
                raise InputError(message, place=Place(self._file, record=record), hint=hint)
            self._waiting.append(image)
            if len(self._waiting) == _BATCH:
                self._flush()
            yield image
        self._flush()

    def rows(self) -> dict[str, Row]:
        """Return the numbers of each category that has words."""
        return {
            name: Row(**values_of(QUANTITIES, tally)) for name, tally in self._tallies.items() if tally.words
        }

    def _flush(self) -> None:
        captions = [caption for image in self._waiting for caption in _captions(image)]
        texts = [_joined(words) for words, _, _ in captions]
        distinct = list(dict.fromkeys(text for text, _ in texts))
        found = dict(zip(distinct, self._annotations.annotate(distinct), strict=True))
        for (text, places), (_, probabilities, first) in zip(texts, captions, strict=True):
            named = self._named(text, found[text], places)
            for categories, p, best in zip(named, probabilities, first, strict=True):
                for category in categories or {OTHER}:
                    self._tallies[category].add(p, best)
        self._waiting.clear()

    def _named(self, text: str, annotation: Annotation, places: Sequence[tuple[int, int]]) -> list[set[str]]:
        """Return the categories of each word, given its character range."""
        named: list[set[str]] = [set() for _ in places]
        for chunk in annotation.chunks:
            phrase = text[chunk.start : chunk.end]
            tokens = tokenise(phrase)
            for span in self._parser.analyse(phrase).best.spans:
                start = chunk.start + tokens[span.start].start
                end = chunk.start + tokens[span.end - 1].end
                for categories, (first, last) in zip(named, places, strict=True):
                    if first < end and last > start:
                        categories.add(f"{span.role}.{span.category}")
        return named


def _captions(image: ImageProbabilities) -> Iterator[tuple[Sequence[str], list[float], list[bool]]]:
    ends = np.cumsum(image.lengths).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        assert image.words is not None
        yield (
            image.words[start:end],
            image.probabilities[start:end].tolist(),
            image.argmax[start:end].tolist(),
        )


def _joined(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return a caption as lowercased text, and the character range of each of its words.

    "##" continues the previous word; words in angle brackets, such as the end token, are not part of the
    text.
    """
    text, places = "", []
    for word in words:
        piece = word.strip().lower()
        if not piece or (piece.startswith("<") and piece.endswith(">")):
            places.append((len(text), len(text)))
            continue
        if piece.startswith("##"):
            piece = piece.removeprefix("##")
        elif text:
            text += " "
        places.append((len(text), len(text) + len(piece)))
        text += piece
    return text, places
