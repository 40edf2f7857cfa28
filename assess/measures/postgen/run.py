"""Post-gen scores of caption files: BLEU and CIDEr-D, and with extras METEOR, SPICE and WMD."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from assess.annotate.vectors import load_vectors
from assess.corpus import check_names
from assess.engine.captions import SourceCaptions, measure_signature
from assess.engine.columns import Words
from assess.errors import InputError, Place, some, visible
from assess.measures.image_sets import read_captions
from assess.measures.measure import Inputs, Result, Row
from assess.measures.postgen import compute
from assess.measures.postgen.compute import ImageScores, ScoredImage, Vectors
from assess.measures.registry import Measure
from assess.measures.settings import PostgenSettings, PostMetric
from assess.measures.words import is_word
from assess.records import Depth
from assess.report.quantity import Quantity, by_key, number_charts, quantity_table
from assess.report.section import BarChart, Note, Part, Section
from assess.report.text import count, decimals, number
from assess.whole_files import whole_file

TOKENS = "spaCy's, lowercased, without punctuation"


@dataclass(frozen=True, slots=True)
class Scores:
    """A system's numbers by the keys of their quantities, and the scores of single images."""

    numbers: Mapping[str, float]
    of_images: Mapping[str, Mapping[str, float]]  # name of the score -> image -> score


class PostgenResult(Result):
    """The post-gen scores of all systems."""

    measure: ClassVar[str] = "postgen"

    systems: dict[str, Row]
    notes: tuple[str, ...]
    # system -> score -> image. Stored in separate files, because they are as many as the captions.
    of_images: dict[str, dict[str, dict[str, float]]] = Field({}, exclude=True)

    def urgent_notes(self) -> tuple[str, ...]:
        """Return all notes."""
        return self.notes


def _score(
    name: str, formula: str, reference: str, meaning: str = "", undefined: str = "no images"
) -> Quantity[Any]:
    return by_key(
        name,
        name,
        decimals(3),
        formula,
        reference,
        "higher",
        undefined,
        table="scores",
        chart=name if meaning else "",
        meaning=meaning,
        highest=None if name == "CIDEr" else 1,
    )


def _bleu(order: int) -> Quantity[Any]:
    formula = (
        f"brevity penalty x geometric mean of modified precisions of n-grams up to {order}, over the corpus,"
        " unsmoothed"
    )
    meaning = "Sequences of up to four words that a reference contains too." if order == compute.ORDER else ""
    undefined = "no caption with an n-gram of some length"
    return _score(f"BLEU-{order}", formula, "papineni2002bleu", meaning, undefined)


_BY_COCO = "by the COCO tools (extra `coco`, Java)"
QUANTITIES: list[Quantity[Any]] = [
    by_key("images", "images", count, "images with a caption", table="scores"),
    *map(_bleu, range(1, compute.ORDER + 1)),
    _score(
        "CIDEr",
        "CIDEr-D: mean over n of clipped TF-IDF cosines with a Gaussian length penalty, x 10",
        "vedantam2015cider",
        "Words that people agree on, from 0 to 10.",
    ),
    _score("METEOR", _BY_COCO, "denkowski2014meteor", "Words and synonyms that a reference contains too."),
    _score(
        "SPICE",
        _BY_COCO,
        "anderson2016spice",
        "Objects, attributes and relations that references contain too.",
    ),
    _score(
        "WMD",
        "exp(−word mover's distance to the nearest reference), mean over images; distances between word"
        " vectors of length one (extra `vectors`)",
        "kusner2015word",
        "How similar in meaning the words are to those of the nearest reference: 1 means the same words.",
        "no reference with a word that has a vector",
    ),
]


def run_postgen(inputs: Inputs, settings: PostgenSettings) -> PostgenResult:
    """Score captions against references, paired by image id."""
    check_names([*inputs.systems, *inputs.references])
    for metric in settings.metrics:
        if metric in ("METEOR", "SPICE"):
            compute.require_coco(metric)  # before any work is done
    vectors = load_vectors() if "WMD" in settings.metrics else None
    captions = read_captions(inputs, inputs.systems, depth=Depth.WORDS)
    systems = {found.corpus.system: found for found in captions}
    described = frozenset(image for found in captions for image in found.images)
    humans = read_captions(inputs, inputs.references, depth=Depth.WORDS, images=described)
    wanted = _by_image(humans)
    paired = {
        source.name: compute.pair_captions(_captions(systems[source.name], source.file), wanted)
        for source in inputs.systems
    }
    summaries = [corpus.summary for corpus in (*systems.values(), *humans)]
    recorded = {"metrics": ",".join(settings.metrics), "tokens": TOKENS}
    if vectors is not None:
        recorded["vectors"] = vectors.name
    scored = {name: system_scores(images, settings.metrics, vectors) for name, images in paired.items()}
    return PostgenResult(
        signature=measure_signature(inputs.model, summaries, dict(recorded)),
        systems={name: Row(**found.numbers) for name, found in scored.items()},
        notes=(*_notes(systems), *_undefined(scored)),
        of_images={name: found.of_images for name, found in scored.items()},
    )


def system_scores(
    paired: Sequence[ScoredImage], metrics: Sequence[PostMetric], vectors: Vectors | None = None
) -> Scores:
    """Score one system; WMD needs word vectors."""
    scores: dict[str, float] = {"images": len(paired)}
    of_images: dict[str, Mapping[str, float]] = {}
    for metric in metrics:
        if metric == "BLEU":
            scores |= {f"BLEU-{order}": value for order, value in compute.corpus_bleu(paired).items()}
        else:
            found = _scored(paired, metric, vectors)
            scores[metric], of_images[metric] = found.score, found.scores
    ordered = {quantity.key: scores[quantity.key] for quantity in QUANTITIES if quantity.key in scores}
    return Scores(ordered, of_images)


def _scored(paired: Sequence[ScoredImage], metric: PostMetric, vectors: Vectors | None) -> ImageScores:
    if metric == "METEOR" or metric == "SPICE":
        return compute.coco_scores(paired, metric)
    if metric == "CIDEr":
        return compute.cider_d(paired)
    assert vectors is not None
    return compute.word_mover_scores(paired, vectors)


def _captions(corpus: SourceCaptions, file: str) -> dict[str, Words]:
    found: dict[str, Words] = {}
    for record, (image, words) in enumerate(zip(corpus.images, corpus.words, strict=True), start=1):
        if image in found:
            message = f"image {visible(image, 60)} already has a caption"
            hint = "these scores compare one caption per image with its references"
            raise InputError(message, place=Place(file, record=record), hint=hint)
        found[image] = scored_tokens(words)
    return found


def _by_image(corpora: Iterable[SourceCaptions]) -> dict[str, list[Words]]:
    found: dict[str, list[Words]] = {}
    for corpus in corpora:
        for image, words in zip(corpus.images, corpus.words, strict=True):
            found.setdefault(image, []).append(scored_tokens(words))
    return found


def scored_tokens(words: Iterable[str]) -> Words:
    """Return words as the scores compare them: lowercased, and only those with a letter or a digit."""
    return tuple(word.lower() for word in words if is_word(word))


def _undefined(systems: Mapping[str, Scores]) -> Iterator[str]:
    """Yield why scores are undefined, if any are."""
    for name, system in systems.items():
        missing = [score for score, value in system.numbers.items() if isnan(value)]
        if not system.numbers["images"]:
            yield f"{visible(name, 40)}: no captions: every score is undefined"
        elif missing:
            yield f"{visible(name, 40)}: {', '.join(missing)} undefined: no caption has that many words"


def _notes(systems: Mapping[str, SourceCaptions]) -> tuple[str, ...]:
    empty = {name: corpus.summary.empty for name, corpus in systems.items() if corpus.summary.empty}
    notes = [
        f"{visible(name, 40)}: {some(number, 'empty caption')}, scored 0" for name, number in empty.items()
    ]
    if any(corpus.summary.images == 1 for corpus in systems.values()):
        notes.append("CIDEr-D of a single image is 0, because all references contain each of its words")
    if len({frozenset(corpus.images) for corpus in systems.values()}) > 1:
        notes.append("the systems describe different images, so their scores are not comparable")
    return tuple(notes)


# Presentation: a table, bars, and files with the scores of each image.


def postgen_sections(result: PostgenResult) -> list[Section]:
    """Return the sections on post-gen scores."""
    explained = "How similar captions are to the references of the same images."
    used = [quantity for quantity in QUANTITIES if _known(result, quantity.key)]
    notes = ["CIDEr is CIDEr-D, from 0 to 10; all others are from 0 to 1"] if _known(result, "CIDEr") else []
    table = quantity_table(
        "scores", "Captions against references", used, result.systems, notes=notes, brief=True
    )
    charts = number_charts(used, result.systems)
    parts: tuple[Part, ...] = (*charts, table, *_plots(result), *map(Note, result.notes))
    return [Section("postgen", "Post-gen scores", parts, explained)]


def _known(result: PostgenResult, key: str) -> bool:
    return any(hasattr(row, key) for row in result.systems.values())


def _plots(result: PostgenResult) -> Iterator[BarChart]:
    """Yield the scores from 0 to 1 side by side, and CIDEr-D on its own scale."""
    scores = [quantity.key for quantity in QUANTITIES if quantity.key != "images"]
    known = [key for key in scores if _known(result, key)]
    for name, title, keys in (
        ("scores", "Captions against references", [key for key in known if key != "CIDEr"]),
        ("cider", "CIDEr-D", [key for key in known if key == "CIDEr"]),
    ):
        if keys:
            bars = {system: [number(row.get(key)) for key in keys] for system, row in result.systems.items()}
            yield BarChart(name, title, "", "score", tuple(keys), bars)


def write_image_scores(result: PostgenResult, folder: Path) -> None:
    """Write the scores of each image, one file per system and one record per image."""
    for name, scores in result.of_images.items():
        if scores:
            _write_images(folder / f"{_file_name(name)}-images.jsonl", scores)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip(".-") or "system"


def _write_images(path: Path, scores: Mapping[str, Mapping[str, float]]) -> None:
    with whole_file(path) as file:
        for image in next(iter(scores.values())):
            of_image = {name: of_images[image] for name, of_images in scores.items()}
            file.write(json.dumps({"image_id": image, **of_image}, ensure_ascii=False) + "\n")


MEASURE = Measure(
    name="postgen",
    title="Post-gen scores",
    result=PostgenResult,
    sections=postgen_sections,
    quantities=lambda: {"Post-gen scores": QUANTITIES},
    settings=PostgenSettings,
    run=run_postgen,
    write_details=write_image_scores,
)
