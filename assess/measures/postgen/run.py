"""Post-gen scores of caption files: BLEU and CIDEr-D, and METEOR and SPICE with the `coco` extra."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal, get_args

from assess.corpus import Source, check_names
from assess.engine.corpora import Progress, WordCorpus, WordReader, Words, measure_signature
from assess.errors import InputError, Place, visible
from assess.measures.postgen.coco import coco_scores, require_coco
from assess.measures.postgen.compute import ScoredImage, cider_d, corpus_bleu, pair_captions
from assess.signature import Signature

PostMetric = Literal["BLEU", "CIDEr", "METEOR", "SPICE"]
METRICS: tuple[PostMetric, ...] = get_args(PostMetric)
TOKENS = "spaCy's, lowercased, without punctuation"


@dataclass(frozen=True, slots=True)
class SystemScores:
    """A system's scores of all its images together, and those that images have on their own."""

    images: int
    scores: Mapping[str, float]
    of_images: Mapping[str, Mapping[str, float]]  # by name of the score, then by image


@dataclass(frozen=True, slots=True)
class ScoresRun:
    """The post-gen scores of all systems."""

    signature: Signature
    systems: Mapping[str, SystemScores]
    notes: tuple[str, ...]


def run_scores(
    sources: Sequence[Source],
    references: Sequence[Source],
    *,
    metrics: Sequence[PostMetric] = ("BLEU", "CIDEr"),
    model: str | None = None,
    progress: Progress | None = None,
) -> ScoresRun:
    """Score captions against references, paired by image id."""
    check_names([*sources, *references])
    for metric in metrics:
        if metric in ("METEOR", "SPICE"):
            require_coco(metric)  # before any work
    reader = WordReader(model)
    systems = {source.name: reader.read(source, progress=progress) for source in sources}
    described = {image for corpus in systems.values() for image in corpus.images}
    humans = [reader.read(source, keep=described.__contains__, progress=progress) for source in references]
    wanted = _by_image(humans)
    paired = {
        source.name: pair_captions(_captions(systems[source.name], source.file), wanted) for source in sources
    }
    summaries = [corpus.summary for corpus in (*systems.values(), *humans)]
    settings = {"metrics": ",".join(metrics), "tokens": TOKENS}
    scored = {name: system_scores(images, metrics) for name, images in paired.items()}
    return ScoresRun(
        measure_signature(reader.identity, summaries, dict(settings)),
        scored,
        (*_notes(systems), *_undefined(scored)),
    )


def system_scores(paired: Sequence[ScoredImage], metrics: Sequence[PostMetric]) -> SystemScores:
    """Score one system."""
    scores: dict[str, float] = {}
    of_images: dict[str, Mapping[str, float]] = {}
    for metric in metrics:
        if metric == "BLEU":
            scores |= {f"BLEU-{order}": value for order, value in corpus_bleu(paired).items()}
        elif metric == "CIDEr":
            cider = cider_d(paired)
            scores[metric], of_images[metric] = cider.mean, cider.scores
        else:
            found = coco_scores(paired, metric)
            scores[metric], of_images[metric] = found.score, found.scores
    return SystemScores(len(paired), scores, of_images)


def _captions(corpus: WordCorpus, file: str) -> dict[str, Words]:
    found: dict[str, Words] = {}
    for record, (image, words) in enumerate(zip(corpus.images, corpus.words, strict=True), start=1):
        if image in found:
            message = f"image {visible(image, 60)} has a caption already"
            hint = "these scores compare one caption an image with its references"
            raise InputError(message, place=Place(file, record=record), hint=hint)
        found[image] = scored_tokens(words)
    return found


def _by_image(corpora: Iterable[WordCorpus]) -> dict[str, list[Words]]:
    found: dict[str, list[Words]] = {}
    for corpus in corpora:
        for image, words in zip(corpus.images, corpus.words, strict=True):
            found.setdefault(image, []).append(scored_tokens(words))
    return found


def scored_tokens(words: Iterable[str]) -> Words:
    """Return words as the scores compare them: lowercased, and only those with a letter or a digit."""
    return tuple(word.lower() for word in words if any(character.isalnum() for character in word))


def _undefined(systems: Mapping[str, SystemScores]) -> Iterator[str]:
    """Yield why scores are undefined, where some are."""
    for name, system in systems.items():
        missing = [score for score, value in system.scores.items() if isnan(value)]
        if not system.images:
            yield f"{visible(name, 40)}: no captions: every score is undefined"
        elif missing:
            yield f"{visible(name, 40)}: {', '.join(missing)} undefined: no caption has that many words"


def _notes(systems: Mapping[str, WordCorpus]) -> tuple[str, ...]:
    empty = {name: corpus.summary.empty for name, corpus in systems.items() if corpus.summary.empty}
    notes = [
        f"{visible(name, 40)}: {number:,} captions are empty and score 0" for name, number in empty.items()
    ]
    if any(corpus.summary.images == 1 for corpus in systems.values()):
        notes.append("CIDEr-D of a single image is 0: each of its words is in all references there are")
    if len({frozenset(corpus.images) for corpus in systems.values()}) > 1:
        notes.append("the systems describe different images, so their scores do not compare")
    return tuple(notes)
