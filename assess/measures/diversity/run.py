"""What a diversity run is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isnan
from statistics import fmean
from typing import Literal

import numpy as np

from assess.annotate.model import ModelIdentity
from assess.corpus import CorpusSummary, Source, check_names
from assess.engine.corpora import Progress, WordCorpus, WordReader, Words, measure_signature
from assess.measures.diversity.compute import (
    Diversity,
    Novelty,
    ReferenceDiversity,
    diversity,
    novelty,
    reference_diversity,
)
from assess.measures.diversity.ordered import WINDOW, OrderEffect, order_effects
from assess.measures.diversity.tokens import (
    HDD_SAMPLE,
    TokenCorpus,
    encode,
    parallel,
    spread,
    ttr_statistic,
    type_token_curve,
)
from assess.measures.diversity.within_images import set_metrics
from assess.measures.image_sets import (
    NOTHING_SHARED,
    Training,
    caption_keys,
    described_images,
    left_out,
    read_training,
    set_notes,
    unequal_sets,
)
from assess.measures.intervals import (
    Paired,
    PairedIntervals,
    Resampling,
    Statistic,
    pair,
    paired_intervals,
    tally_statistic,
)
from assess.measures.metric import Counts, Mode, ratio
from assess.signature import Signature

Order = Literal["free", "file"]


@dataclass(frozen=True, slots=True)
class DiversitySettings:
    """What a caller may choose and what changes a number.

    The mode decides what a token is and when two captions are the same; the order decides whether
    ratios are read in the order of the file, as published, or for captions in any order.
    """

    mode: Mode = "assess"
    order: Order | None = None  # None: free in our mode, the file's in the paper's
    window: int = WINDOW
    model: str | None = None
    seed: int = 1
    resampling: Resampling | None = None  # None: no intervals

    @property
    def reading(self) -> Order:
        """The order that is used."""
        return self.order or ("file" if self.mode == "paper" else "free")

    @property
    def order_mode(self) -> Mode:
        """The order that is used, as the metrics name it."""
        return "paper" if self.reading == "file" else "assess"


@dataclass(frozen=True, slots=True)
class WithinImages:
    """How varied the captions of one image are, where there are several."""

    images: int  # with several captions
    captions_per_image: int  # that are scored
    mbleu4: float
    distinct1: float
    distinct2: float


@dataclass(frozen=True, slots=True)
class Curve:
    """Expected number of types after so many tokens; `nan` beyond the last token."""

    tokens: tuple[int, ...]
    types: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SystemDiversity:
    """The diversity of one system, or of references as the mean over their parallel sets."""

    summaries: tuple[CorpusSummary, ...]  # one file for a system; references may come from several
    images: int
    diversity: Diversity
    curve: Curve
    within: WithinImages | None
    order: tuple[OrderEffect, ...]  # of one and of two words; of references: in their first set
    references: ReferenceDiversity | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiversityRun:
    """The diversity of all systems, and of references where there are some."""

    signature: Signature
    settings: DiversitySettings
    systems: Mapping[str, SystemDiversity]
    references: SystemDiversity | None
    intervals: PairedIntervals | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


# References as a system: as many parallel sets of descriptions as every image can fill.

Description = tuple[str, Words]  # its text and its words


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceSets:
    """The references of images that systems describe, as parallel sets."""

    summaries: tuple[CorpusSummary, ...]
    images: int
    corpora: tuple[TokenCorpus, ...]
    captions: tuple[tuple[tuple[str, ...], tuple[Words, ...]], ...]  # texts and words of each set
    by_image: Mapping[str, Sequence[Words]]
    notes: tuple[str, ...]
    image_notes: tuple[str, ...]


def reference_sets(
    references: Sequence[WordCorpus], systems: Mapping[str, WordCorpus], mode: Mode
) -> ReferenceSets | None:
    """Return the parallel sets of all reference files together; None where there is no caption.

    Images that no system describes are left out: types grow with the number of captions. Where no
    image is in common (plain text has line numbers for ids), all are kept, and a note says so.
    """
    everything = _descriptions(references)
    shared = described_images({name: corpus.images for name, corpus in systems.items()}) & everything.keys()
    kept = {image: texts for image, texts in everything.items() if image in shared} or everything
    if not kept:
        return None
    words = {image: [words for _, words in texts] for image, texts in kept.items()}
    corpora = parallel(words, mode=mode)
    return ReferenceSets(
        summaries=tuple(corpus.summary for corpus in references),
        images=len(kept),
        corpora=corpora,
        captions=tuple(_set(kept, number) for number in range(len(corpora))),
        by_image=words,
        notes=set_notes([len(texts) for texts in kept.values()], len(corpora)),
        image_notes=left_out(everything, kept) if shared else (NOTHING_SHARED,),
    )


def _descriptions(references: Sequence[WordCorpus]) -> dict[str, list[Description]]:
    found: dict[str, list[Description]] = {}
    rows = (zip(corpus.images, corpus.texts, corpus.words, strict=True) for corpus in references)
    for image, text, words in chain.from_iterable(rows):
        found.setdefault(image, []).append((text, words))
    return found


def _set(kept: Mapping[str, Sequence[Description]], number: int) -> tuple[tuple[str, ...], tuple[Words, ...]]:
    texts, words = zip(*(descriptions[number] for descriptions in kept.values()), strict=True)
    return texts, words


# Bootstrap intervals of the diversity measures whose tallies add.

LENGTHS = {"ttr1": 1, "ttr2": 2}


def diversity_intervals(
    systems: Mapping[str, WordCorpus],
    corpora: Mapping[str, TokenCorpus],
    known: Training | None,
    settings: DiversitySettings,
) -> PairedIntervals:
    """Return intervals on the images that all systems describe.

    Type-token ratios have one in free order only: windows of a file cannot be resampled. Numbers of
    types have none, as a resample always has fewer.
    """
    paired = pair(
        {
            name: _tallies(systems[name], corpora[name], _novel(systems[name], known, settings))
            for name in systems
        }
    )
    statistics = {
        name: _statistics(paired, name, corpora[name], known is not None, settings) for name in systems
    }
    return paired_intervals(
        paired.images,
        statistics,
        left_out=paired.left_out,
        resampling=settings.resampling or Resampling(),
        centred=LENGTHS,
    )


def _novel(corpus: WordCorpus, known: Training | None, settings: DiversitySettings) -> Counts:
    if known is None:
        return np.zeros(len(corpus.texts))
    keys = caption_keys(corpus.texts, corpus.words, settings.mode)
    return np.array([key not in known.keys for key in keys], dtype=float)


def _tallies(corpus: WordCorpus, tokens: TokenCorpus, novel: Counts) -> dict[str, Counts]:
    """Return captions, tokens, squares of lengths and novel captions of each image."""
    lengths = tokens.lengths.astype(float)
    rows = np.stack([np.ones_like(lengths), lengths, lengths**2, novel], axis=1)
    tallies: dict[str, Counts] = {}
    for image, row in zip(corpus.images, rows, strict=True):
        tallies[image] = tallies[image] + row if image in tallies else row
    return tallies


def _statistics(
    paired: Paired, name: str, corpus: TokenCorpus, with_novelty: bool, settings: DiversitySettings
) -> dict[str, Statistic]:
    tallies = paired.tallies[name]
    found = {"asl": tally_statistic(tallies, _asl), "sdsl": tally_statistic(tallies, _sdsl)}
    if settings.reading == "free":
        for measure, length in LENGTHS.items():
            found[measure] = ttr_statistic(corpus, paired.images, length=length, window=settings.window)
    if with_novelty:
        found["novel"] = tally_statistic(tallies, _share)
    return found


def _asl(counts: Counts) -> Counts:
    return np.asarray(ratio(counts[..., 1], counts[..., 0]))


def _sdsl(counts: Counts) -> Counts:
    variance = ratio(counts[..., 2], counts[..., 0]) - _asl(counts) ** 2
    return np.asarray(np.sqrt(np.maximum(0.0, variance)))


def _share(counts: Counts) -> Counts:
    return np.asarray(ratio(counts[..., 3], counts[..., 0]))


# Diversity of caption files: every measure of every system, and of references as a system.

CURVE_POINTS = 32
SHUFFLES = 10  # to see whether the file's order distorts


def run_diversity(
    sources: Sequence[Source],
    *,
    references: Sequence[Source] = (),
    training: Sequence[Source] = (),
    settings: DiversitySettings | None = None,
    progress: Progress | None = None,
    words: WordReader | None = None,
) -> DiversityRun:
    """Measure the diversity of the captions of all sources; `words` may read them elsewhere."""
    settings = settings or DiversitySettings()
    check_names([*sources, *references, *training])
    reader = words or WordReader(settings.model)
    known = read_training(reader, training, mode=settings.mode, progress=progress)
    systems = {source.name: reader.read(source, progress=progress) for source in sources}
    humans = [reader.read(source, progress=progress) for source in references]
    return measure_diversity(systems, humans, known, settings, model=reader.identity)


def measure_diversity(
    systems: Mapping[str, WordCorpus],
    humans: Sequence[WordCorpus],
    known: Training | None,
    settings: DiversitySettings,
    *,
    model: ModelIdentity,
) -> DiversityRun:
    """Measure the diversity of systems that were read already."""
    corpora = {name: encoded(corpus, settings) for name, corpus in systems.items()}
    sets = reference_sets(humans, systems, settings.mode) if humans else None
    grid = _grid([*corpora.values(), *(sets.corpora if sets else ())])
    summaries = [corpus.summary for corpus in (*systems.values(), *humans)]
    return DiversityRun(
        signature=measure_signature(
            model, [*summaries, *(known.summaries if known else ())], _recorded(settings, known)
        ),
        settings=settings,
        systems={
            name: _system(corpus, corpora[name], known, grid, settings) for name, corpus in systems.items()
        },
        references=_references(
            sets, known, grid, settings, within=any(c.summary.repeated for c in systems.values())
        )
        if sets
        else None,
        intervals=diversity_intervals(systems, corpora, known, settings) if settings.resampling else None,
        warnings=unequal_sets({name: corpus.images for name, corpus in systems.items()}),
        notes=sets.image_notes if sets else (),
    )


def encoded(corpus: WordCorpus, settings: DiversitySettings) -> TokenCorpus:
    """Return captions as the diversity measures read them."""
    return encode(corpus.words, images=corpus.images, mode=settings.mode)


def _recorded(
    settings: DiversitySettings, known: Training | None
) -> dict[str, str | int | float | bool | None]:
    resampling = settings.resampling
    return {
        "mode": settings.mode,
        "order": settings.reading,
        "window": settings.window,
        "seed": settings.seed,
        "train": ",".join(summary.name for summary in known.summaries) if known else None,
        "resamples": resampling.resamples if resampling else None,
    }


def _grid(corpora: Sequence[TokenCorpus]) -> tuple[int, ...]:
    """Return the numbers of tokens at which curves are drawn: even steps to the end of the largest."""
    largest = max((corpus.codes.size for corpus in corpora), default=0)
    points = min(CURVE_POINTS, largest)
    return tuple(sorted({largest * point // points for point in range(1, points + 1)})) if points else ()


def _system(
    corpus: WordCorpus,
    tokens: TokenCorpus,
    known: Training | None,
    grid: tuple[int, ...],
    settings: DiversitySettings,
) -> SystemDiversity:
    found = diversity(
        tokens,
        mode=settings.order_mode,
        window=settings.window,
        novelty=_novelty(corpus.texts, corpus.words, known, settings),
        seed=settings.seed,
    )
    return SystemDiversity(
        summaries=(corpus.summary,),
        images=corpus.summary.images,
        diversity=found,
        curve=Curve(grid, type_token_curve(spread(tokens), grid)),
        within=within_images(corpus.by_image()) if corpus.summary.repeated else None,
        order=order_effects(tokens, window=settings.window, count=SHUFFLES, seed=settings.seed),
        references=None,
        notes=(*found.notes, *undefined_notes(found)),
    )


def _novelty(
    texts: Sequence[str], words: Sequence[Words], known: Training | None, settings: DiversitySettings
) -> Novelty | None:
    if known is None:
        return None
    return novelty(caption_keys(texts, words, settings.mode), known.keys)


def undefined_notes(found: Diversity) -> tuple[str, ...]:
    """Return why the modern measures are undefined, where they are."""
    notes = []
    if isnan(found.hdd):
        notes.append(f"HD-D undefined: fewer than {HDD_SAMPLE} tokens, which is one sample")
    if isnan(found.mtld):
        notes.append("MTLD undefined: no word is ever repeated")
    return tuple(notes)


def within_images(
    captions: Mapping[str, Sequence[Words]], *, scored: int | None = None
) -> WithinImages | None:
    """Return mBLEU and distinct-n of images with several captions; None where no image has several.

    As many captions of each image are scored as all of these have, unless said otherwise: the few
    images that have more would make scores of their own.
    """
    several = {image: texts for image, texts in captions.items() if len(texts) > 1}
    if not several:
        return None
    count = scored or min(map(len, several.values()))
    values = {
        name: metric.of(several.values()) for name, metric in set_metrics(captions_per_image=count).items()
    }
    return WithinImages(len(several), count, **values)


def _references(
    sets: ReferenceSets,
    known: Training | None,
    grid: tuple[int, ...],
    settings: DiversitySettings,
    *,
    within: bool,
) -> SystemDiversity:
    """Return the references' row; `within` where some system has several captions to compare them with."""
    found = reference_diversity(
        sets.corpora, mode=settings.order_mode, window=settings.window, seed=settings.seed
    )
    mean = found.mean
    if known is not None:
        shares = [_novelty(texts, words, known, settings) for texts, words in sets.captions]
        mean = replace(
            mean,
            novel=fmean(share.share for share in shares if share is not None),
            # The sets were measured without training captions; the mean is not.
            notes=tuple(note for note in mean.notes if "novelty" not in note),
        )
    curves = np.array([type_token_curve(spread(corpus), grid) for corpus in sets.corpora])
    return SystemDiversity(
        summaries=sets.summaries,
        images=sets.images,
        diversity=mean,
        curve=Curve(grid, tuple(curves.mean(axis=0).tolist())),
        within=within_images(sets.by_image, scored=len(sets.corpora)) if within else None,
        order=order_effects(sets.corpora[0], window=settings.window, count=SHUFFLES, seed=settings.seed),
        references=found,
        notes=(*mean.notes, *undefined_notes(mean), *sets.notes),
    )
