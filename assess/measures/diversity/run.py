"""Diversity of caption files: all numbers of every system, and of references as a system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from assess.annotate.model import ModelIdentity
from assess.corpus import CorpusSummary, check_names
from assess.engine.captions import SourceCaptions, measure_signature
from assess.engine.columns import Column, DistinctTexts, Words
from assess.errors import UsageError, visible
from assess.measures.diversity.compute import (
    Numbers,
    curve_grid,
    curve_types,
    diversity,
    diversity_notes,
    interval_notes,
    order_effects,
)
from assess.measures.diversity.quantities import (
    Curve,
    DiversityResult,
    Measured,
    SystemDiversity,
    quantities,
)
from assess.measures.diversity.rarefaction import ttr_statistics
from assess.measures.diversity.repetition import SET_SIZE, extended, lowered, repetition, within_images
from assess.measures.diversity.tokens import TokenCorpus, encode_columns
from assess.measures.image_sets import (
    NOTHING_SHARED,
    Training,
    caption_keys,
    described_images,
    left_out,
    novelty,
    read_inputs,
    set_notes,
    unequal_sets,
)
from assess.measures.intervals import (
    Intervals,
    Paired,
    Resampling,
    Statistic,
    pair_rows,
    paired_intervals,
    tally_statistics,
)
from assess.measures.measure import Inputs
from assess.measures.metric import Counts, ratio
from assess.measures.postgen.compute import DocumentFrequencies, document_frequencies
from assess.measures.settings import DiversitySettings, Mode
from assess.records import Depth
from assess.report.quantity import values_of

# References as a system: parallel sets of descriptions, as many as every image can fill.


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceSets:
    """The references of the images that systems describe, as parallel sets of text numbers."""

    summaries: tuple[CorpusSummary, ...]
    store: DistinctTexts
    corpora: tuple[TokenCorpus, ...]
    by_image: Mapping[str, Sequence[int]]
    notes: tuple[str, ...]
    image_notes: tuple[str, ...]

    def numbers(self, place: int) -> list[int]:
        """Return the texts of a set."""
        return [texts[place] for texts in self.by_image.values()]

    def words_by_image(self) -> dict[str, list[Words]]:
        """Return the words of each image's descriptions."""
        return {image: [self.store.words(text) for text in texts] for image, texts in self.by_image.items()}


def reference_sets(
    references: Sequence[SourceCaptions], systems: Mapping[str, SourceCaptions], mode: Mode
) -> ReferenceSets | None:
    """Return the parallel sets of all reference files together; None if there are no captions.

    Images that no system describes are left out, because types grow with the number of captions. If no image
    is shared (the ids in plain text are line numbers), all are kept, and a note says so.
    """
    everything: dict[str, list[int]] = {}
    for corpus in references:
        for image, text in zip(corpus.images, corpus.numbers, strict=True):
            everything.setdefault(image, []).append(text)
    shared = described_images({name: corpus.images for name, corpus in systems.items()}) & everything.keys()
    kept = {image: texts for image, texts in everything.items() if image in shared} or everything
    if not kept:
        return None
    store, count = references[0].store, min(map(len, kept.values()))
    columns = (store.columns(np.array([texts[place] for texts in kept.values()])) for place in range(count))
    corpora = tuple(encode_columns(each, mode=mode) for each in columns)
    return ReferenceSets(
        summaries=tuple(corpus.summary for corpus in references),
        store=store,
        corpora=corpora,
        by_image=kept,
        notes=set_notes([len(texts) for texts in kept.values()], len(corpora)),
        image_notes=left_out(everything, kept) if shared else (NOTHING_SHARED,),
    )


# Bootstrap intervals of the diversity measures with additive tallies.

LENGTHS = {"ttr1": 1, "ttr2": 2}


def diversity_intervals(
    systems: Mapping[str, SourceCaptions],
    corpora: Mapping[str, TokenCorpus],
    known: Training | None,
    settings: DiversitySettings,
) -> Intervals:
    """Return intervals on the images that all systems describe.

    Type-token ratios only have an interval in free order: windows of a file cannot be resampled. Numbers of
    types have none, because a resample always has fewer.
    """
    paired = pair_rows(
        {
            name: (corpus.images, _tallies(corpora[name], _novel(corpus, known, settings)))
            for name, corpus in systems.items()
        }
    )
    statistics = {
        name: _statistics(paired, name, corpora[name], known is not None, settings) for name in systems
    }
    return paired_intervals(
        paired.images,
        statistics,
        left_out=paired.left_out,
        resampling=Resampling(settings.resamples, seed=settings.seed),
        centred=LENGTHS,
    )


def _novel(corpus: SourceCaptions, known: Training | None, settings: DiversitySettings) -> list[bool] | None:
    if known is None:
        return None
    keys = caption_keys(corpus.store, corpus.numbers, settings.mode)
    return [key not in known.keys for key in keys]


def _tallies(tokens: TokenCorpus, novel: Sequence[bool] | None) -> Column:
    """Return, for each caption, 1, its tokens, the square of its length, and whether it is novel."""
    lengths = tokens.lengths
    # Four bytes are enough unless captions are many and long: no sum exceeds that of all captions.
    small = int(lengths @ lengths) <= np.iinfo(np.int32).max
    tallies = np.ones((len(lengths), 3 if novel is None else 4), dtype=np.int32 if small else np.int64)
    tallies[:, 1] = lengths
    tallies[:, 2] = lengths**2
    if novel is not None:
        tallies[:, 3] = novel
    return tallies


def _statistics(
    paired: Paired, name: str, corpus: TokenCorpus, with_novelty: bool, settings: DiversitySettings
) -> dict[str, Statistic]:
    values = {"asl": _asl, "sdsl": _sdsl, **({"novel": _share} if with_novelty else {})}
    found = tally_statistics(paired.tallies[name], values)
    if settings.reading == "free":
        ratios = ttr_statistics(
            corpus,
            paired.places[name],
            images=paired.images,
            lengths=LENGTHS.values(),
            window=settings.window,
        )
        found |= {measure: ratios[length] for measure, length in LENGTHS.items()}
    return {measure: found[measure] for measure in ("asl", "sdsl", *LENGTHS, "novel") if measure in found}


def _asl(counts: Counts) -> Counts:
    return np.asarray(ratio(counts[..., 1], counts[..., 0]))


def _sdsl(counts: Counts) -> Counts:
    variance = ratio(counts[..., 2], counts[..., 0]) - _asl(counts) ** 2
    return np.asarray(np.sqrt(np.maximum(0.0, variance)))


def _share(counts: Counts) -> Counts:
    return np.asarray(ratio(counts[..., 3], counts[..., 0]))


def run_diversity(inputs: Inputs, settings: DiversitySettings) -> DiversityResult:
    """Measure the diversity of captions."""
    check_names(inputs.all_sources)
    depth = Depth.TAGS if settings.extended else Depth.WORDS
    read = read_inputs(inputs, mode=settings.mode, depth=depth)
    return measure_diversity(*read, settings, model=inputs.model)


def measure_diversity(
    systems: Mapping[str, SourceCaptions],
    humans: Sequence[SourceCaptions],
    known: Training | None,
    settings: DiversitySettings,
    *,
    model: ModelIdentity,
) -> DiversityResult:
    """Measure the diversity of systems whose captions have been read."""
    corpora = {name: encoded(corpus, settings) for name, corpus in systems.items()}
    sets = reference_sets(humans, systems, settings.mode) if humans else None
    grid = curve_grid([*corpora.values(), *(sets.corpora if sets else ())])
    summaries = [corpus.summary for corpus in (*systems.values(), *humans)]
    several = any(corpus.summary.repeated for corpus in systems.values())
    weights = _weights(systems, sets) if several and settings.extended else None
    frame = _Frame(known, grid, settings, weights)
    rows = {name: _system(corpus, corpora[name], frame) for name, corpus in systems.items()}
    if sets:
        name = " + ".join(summary.name for summary in sets.summaries)
        rows[name] = _references(sets, frame, within=several)
    intervals = diversity_intervals(systems, corpora, known, settings) if settings.intervals else None
    unequal = unequal_sets({name: corpus.images for name, corpus in systems.items()})
    order = order_warnings(rows, settings)
    return DiversityResult(
        signature=measure_signature(
            model, [*summaries, *(known.summaries if known else ())], _recorded(settings, known)
        ),
        systems=rows,
        notes=(
            *unequal,
            *order,
            *(sets.image_notes if sets else ()),
            *(interval_notes(settings) if intervals and intervals.enough else ()),
        ),
        intervals=intervals,
        warnings=(*(order if settings.reading == "file" else ()), *unequal),
    )


def encoded(corpus: SourceCaptions, settings: DiversitySettings) -> TokenCorpus:
    """Return captions as the diversity measures need them."""
    return encode_columns(corpus.columns(), mode=settings.mode)


def _recorded(
    settings: DiversitySettings, known: Training | None
) -> dict[str, str | int | float | bool | None]:
    return {
        "mode": settings.mode,
        "order": settings.reading,
        "window": settings.window,
        "seed": settings.seed,
        "extended": settings.extended or None,
        "curve": settings.curve if settings.curve != "exact" else None,
        "train": ",".join(summary.name for summary in known.summaries) if known else None,
        "resamples": settings.resamples if settings.intervals else None,
    }


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all systems are measured with."""

    known: Training | None
    grid: tuple[int, ...]
    settings: DiversitySettings
    weights: DocumentFrequencies | None  # of n-grams, if self-CIDEr was requested


def _weights(systems: Mapping[str, SourceCaptions], sets: ReferenceSets | None) -> DocumentFrequencies:
    """Return the weights of n-grams for all systems: from the references, or otherwise from all captions."""
    if sets:
        return document_frequencies(lowered(sets.words_by_image().values()))
    everything: dict[str, list[Words]] = {}
    for corpus in systems.values():
        for image, captions in corpus.words_by_image().items():
            everything.setdefault(image, []).extend(captions)
    return document_frequencies(lowered(everything.values()))


def _numbers(found: Measured, settings: DiversitySettings) -> dict[str, float | None]:
    return values_of(quantities(extended=settings.extended), found)


def _measured(
    tokens: TokenCorpus,
    texts: tuple[DistinctTexts, Sequence[int]],
    images: int,
    within: Numbers,
    frame: _Frame,
) -> Measured:
    """Return the measurements of captions, given as tokens and as numbers of their texts in a store."""
    settings, known = frame.settings, frame.known
    new = None if known is None else novelty(caption_keys(*texts, settings.mode), known.keys)
    found = diversity(
        tokens, mode=settings.order_mode, window=settings.window, novelty=new, seed=settings.seed
    )
    found |= repetition(tokens, seed=settings.seed)
    if settings.extended:
        store, numbers = texts
        found |= extended(tokens, [store.tags(number) for number in numbers], seed=settings.seed)
    return Measured(tokens, {"images": images, **found, **within})


def _system(corpus: SourceCaptions, tokens: TokenCorpus, frame: _Frame) -> SystemDiversity:
    settings, within = frame.settings, {}
    if corpus.summary.repeated:
        within = within_images(lowered(corpus.words_by_image().values()), weights=frame.weights)
    found = _measured(tokens, (corpus.store, corpus.numbers), corpus.summary.images, within, frame)
    return SystemDiversity(
        reference=False,
        curve=Curve(tokens=frame.grid, types=curve_types(tokens, frame.grid, settings)),
        order=order_effects(tokens, window=settings.window, seed=settings.seed),
        notes=tuple(_notes(found.numbers, frame)),
        **_numbers(found, settings),
    )


def _notes(numbers: Numbers, frame: _Frame) -> Iterator[str]:
    """Yield why measures are undefined, if they are."""
    yield from diversity_notes(numbers, window=frame.settings.window, trained=frame.known is not None)
    if isnan(numbers["vendi"]):
        yield f"self-BLEU and Vendi undefined: fewer than {SET_SIZE} captions (one set)"


def _references(sets: ReferenceSets, frame: _Frame, *, within: bool) -> SystemDiversity:
    """Return the references' row: each parallel set is measured separately, and the numbers are averaged.

    `within` is set if some system has several captions per image to compare with.
    """
    if not sets.corpora:
        hint = "some image has no description: remove it"
        raise UsageError("the references do not contain a complete set to measure", hint=hint)
    settings = frame.settings
    count = len(sets.corpora)
    several: Numbers = {}
    if within:
        several = within_images(lowered(sets.words_by_image().values()), scored=count, weights=frame.weights)
    found = [
        _measured(corpus, (sets.store, sets.numbers(place)), len(sets.by_image), several, frame)
        for place, corpus in enumerate(sets.corpora)
    ]
    curves = np.array([curve_types(corpus, frame.grid, settings) for corpus in sets.corpora])
    notes = dict.fromkeys(note for each in found for note in _notes(each.numbers, frame))
    return SystemDiversity(
        reference=True,
        curve=Curve(tokens=frame.grid, types=tuple(curves.mean(axis=0).tolist())),
        order=order_effects(sets.corpora[0], window=settings.window, seed=settings.seed),
        notes=(*notes, *sets.notes),
        sets=len(sets.corpora),
        total_types=len({word for corpus in sets.corpora for word in corpus.vocabulary}),
        total_tokens=sum(corpus.codes.size for corpus in sets.corpora),
        **_means([_numbers(each, settings) for each in found]),
    )


_OF_ALL_SETS = {"images"} | {
    quantity.key for quantity in quantities(extended=True) if quantity.table == "within_images"
}


def _means(rows: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """Return the mean of each number over sets, except for those that concern all sets together."""
    means: dict[str, float | None] = {}
    for key, first in rows[0].items():
        values = [row[key] for row in rows]
        same = first is None or key in _OF_ALL_SETS
        means[key] = first if same else float(np.mean([value for value in values if value is not None]))
    return means


def order_warnings(rows: Mapping[str, SystemDiversity], settings: DiversitySettings) -> list[str]:
    """Return warnings if the order of a file changes its type-token ratios."""
    names = [visible(name, 40) for name, row in rows.items() if row.distorted]
    if not names:
        return []
    advice = (
        "these ratios are not comparable with those of other files; use --order free for comparable ratios"
        if settings.reading == "file"
        else "ratios published in file order are not comparable with these"
    )
    return [f"the order of the file affects the ratios of {', '.join(names)}: {advice}"]
