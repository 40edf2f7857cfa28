"""Diversity of caption files: every measure of every system, and of references as a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan
from statistics import fmean

import numpy as np

from assess.annotate.model import ModelIdentity
from assess.corpus import Source, check_names
from assess.engine.corpora import Progress, WordCorpus, WordReader, Words, measure_signature
from assess.engine.diversity_intervals import diversity_intervals
from assess.engine.diversity_references import ReferenceSets, reference_sets
from assess.engine.diversity_result import (
    Curve,
    DiversityRun,
    DiversitySettings,
    SystemDiversity,
    WithinImages,
)
from assess.engine.image_sets import unequal_sets
from assess.engine.training import Training, caption_keys, read_training
from assess.metrics.diversity import Diversity, diversity, reference_diversity
from assess.metrics.diversity_corpus import TokenCorpus, encode
from assess.metrics.diversity_expected import HDD_SAMPLE, spread, type_token_curve
from assess.metrics.diversity_novelty import Novelty, novelty
from assess.metrics.diversity_sets import set_metrics
from assess.metrics.diversity_windows import order_effects

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
