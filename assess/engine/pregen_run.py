"""Pre-gen metrics of a file: streamed once, for all images and for strata of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean

from assess.corpus.pregen_images import ImageProbabilities
from assess.corpus.pregen_input import ProbabilityFormat, read_probabilities
from assess.corpus.source import Source
from assess.engine.pregen_result import PregenRun, Stratification, StratumScores
from assess.errors import InputError, Place, UsageError, visible
from assess.metrics.pregen import PregenTotals, pregen_scores
from assess.metrics.pregen_medians import MEMORY_LIMIT
from assess.metrics.pregen_names import PUBLISHED, PregenName
from assess.metrics.score_correlation import Stratum, stratifications
from assess.signature import InputIdentity, Signature

_BATCH_IMAGES = 256  # of one stratum; all strata wait for their batches at the same time


def run_pregen(
    source: Source,
    metrics: Sequence[PregenName] = PUBLISHED,
    *,
    format_: ProbabilityFormat | None = None,
    stratification: Stratification | None = None,
) -> PregenRun:
    """Compute pre-gen metrics of a file of word probabilities, in one pass."""
    images = _Hashed(read_probabilities(Path(source.path), format=format_))
    strata = _Strata(stratification, metrics, source.file) if stratification else None
    try:
        scores = pregen_scores(strata.passed(images) if strata else images, metrics)
        found = strata.scores() if strata else ()
    finally:
        if strata:
            strata.close()
    inputs = [InputIdentity(source.name, scores.captions, images.sha256)]
    if stratification:
        inputs.append(_scores_identity(stratification))
    settings = {
        "metrics": len(metrics),
        "by": stratification.by if stratification else None,
        "strata": stratification.most if stratification else None,
    }
    signature = Signature(inputs=tuple(inputs), settings=dict(settings))
    by = stratification.by if stratification else None
    return PregenRun(signature, source.name, tuple(metrics), scores, by, found)


def _scores_identity(wanted: Stratification) -> InputIdentity:
    parts = repr(sorted((name, sorted(scores.items())) for name, scores in wanted.scores.items()))
    digest = hashlib.sha256(parts.encode("utf-8", errors="surrogatepass")).hexdigest()
    return InputIdentity("scores", len(wanted.scores[wanted.by]), digest)


class _Hashed:
    """Passes images on and hashes what they hold, so that one stream of any format is enough."""

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
            yield image


class _Strata:
    """Running pre-gen scores of each stratum, fed by the same stream as those of all images."""

    def __init__(self, wanted: Stratification, metrics: Sequence[PregenName], file: str) -> None:
        self._wanted = wanted
        self._file = file
        self._strata = _cut(wanted)
        limit = MEMORY_LIMIT // len(self._strata)
        self._totals = [PregenTotals(metrics, memory_limit=limit) for _ in self._strata]
        self._waiting: list[list[ImageProbabilities]] = [[] for _ in self._strata]
        self._places = _places(self._strata)
        self._seen: set[str] = set()

    def passed(self, images: Iterable[ImageProbabilities]) -> Iterator[ImageProbabilities]:
        """Pass images on, and add each to its strata on the way."""
        known = self._wanted.scores[self._wanted.by]
        for record, image in enumerate(images, start=1):
            if image.image not in known or image.image in self._seen:
                why = "comes twice" if image.image in self._seen else f"has no {self._wanted.by}"
                place = Place(self._file, record=record)
                raise InputError(f"image {visible(image.image, 60)} {why}", place=place)
            self._seen.add(image.image)
            for at in self._places.get(image.image, ()):
                self._waiting[at].append(image)
                if len(self._waiting[at]) >= _BATCH_IMAGES:
                    self._flush(at)
            yield image

    def scores(self) -> tuple[StratumScores, ...]:
        """Return the scores of all strata; every image with a post-gen score must have come."""
        missing = [image for image in self._wanted.scores[self._wanted.by] if image not in self._seen]
        if missing:
            message = f"{len(missing)} images with a {self._wanted.by} have no probabilities: {missing[0]}, …"
            raise InputError(message, place=Place(self._file), hint="give the scores of the same images")
        for at in range(len(self._strata)):
            self._flush(at)
        return tuple(
            StratumScores(stratum, self._post(stratum), totals.scores())
            for stratum, totals in zip(self._strata, self._totals, strict=True)
        )

    def close(self) -> None:
        """Give back what the totals hold."""
        for totals in self._totals:
            totals.close()

    def _flush(self, at: int) -> None:
        if self._waiting[at]:
            self._totals[at].add(self._waiting[at])
            self._waiting[at] = []

    def _post(self, stratum: Stratum) -> dict[str, float]:
        return {
            name: fmean(scores[image] for image in stratum.images)
            for name, scores in self._wanted.scores.items()
        }


def _cut(wanted: Stratification) -> tuple[Stratum, ...]:
    if wanted.by not in wanted.scores:
        hint = f"there are {', '.join(wanted.scores)}" if wanted.scores else None
        raise UsageError(f"images have no score '{visible(wanted.by)}'", hint=hint)
    return tuple(stratifications(wanted.scores[wanted.by], most=wanted.most))


def _places(strata: Sequence[Stratum]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, stratum in enumerate(strata):
        for image in stratum.images:
            found.setdefault(image, []).append(at)
    return found
