"""Syntax of caption files: compounds, prepositional phrases, parts of speech, complexity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from assess.corpus import CorpusSummary, Source, check_names
from assess.engine.annotating import AnnotationService
from assess.engine.corpora import (
    AnnotatedCaption,
    Progress,
    TaggedCorpus,
    TaggedReader,
    descriptions,
    measure_signature,
)
from assess.measures.image_sets import NOTHING_SHARED, described_images, left_out, set_notes, unequal_sets
from assess.measures.intervals import Intervals, Resampling, pair, paired_intervals, tally_statistic
from assess.measures.metric import Counts, Mode
from assess.measures.syntax.compute import (
    COUNTS,
    MEASURES,
    Phrases,
    Syntax,
    analyse,
    syntax,
    syntax_counts,
    syntax_tally,
)
from assess.measures.syntax.words import Lexicon
from assess.measures.words import Tagset
from assess.signature import Signature


@dataclass(frozen=True, slots=True)
class SyntaxSettings:
    """What a caller may choose and what changes a number."""

    mode: Mode = "assess"
    tagset: Tagset = "fine"
    lexicon: Lexicon | None = None
    lexicon_name: str | None = None
    model: str | None = None
    resampling: Resampling | None = None  # None: no intervals


@dataclass(frozen=True, slots=True)
class SystemSyntax:
    """The syntax of one system, or of references as the mean over their parallel sets."""

    summaries: tuple[CorpusSummary, ...]
    syntax: Syntax
    sets: int  # parallel sets of references; 1 for a system
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SyntaxRun:
    """The syntax of all systems, and of references where there are some."""

    signature: Signature
    settings: SyntaxSettings
    systems: Mapping[str, SystemSyntax]
    references: SystemSyntax | None
    intervals: Intervals | None
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def run_syntax(
    sources: Sequence[Source],
    *,
    references: Sequence[Source] = (),
    settings: SyntaxSettings | None = None,
    annotations: AnnotationService | None = None,
    progress: Progress | None = None,
) -> SyntaxRun:
    """Measure the syntax of all sources.

    `annotations` may bring a cache and several processes; without it, all is done here and now.
    """
    settings = settings or SyntaxSettings()
    check_names([*sources, *references])
    reader = TaggedReader(annotations or AnnotationService(settings.model, processes=1, cache=False))
    systems = {source.name: reader.read(source, progress=progress) for source in sources}
    humans = [reader.read(source, progress=progress) for source in references]
    images = {name: set(corpus.images) for name, corpus in systems.items()}
    everything = descriptions(humans)
    shared = described_images(images) & everything.keys()
    kept = {image: texts for image, texts in everything.items() if image in shared} or everything
    summaries = [corpus.summary for corpus in (*systems.values(), *humans)]
    return SyntaxRun(
        signature=measure_signature(reader.identity, summaries, _recorded(settings)),
        settings=settings,
        systems={name: _system(corpus, settings) for name, corpus in systems.items()},
        references=reference_syntax(humans, kept, settings) if kept else None,
        intervals=_intervals(systems, settings) if settings.resampling else None,
        warnings=unequal_sets(images),
        notes=left_out(everything, kept) if shared or not everything else (NOTHING_SHARED,),
    )


def _recorded(settings: SyntaxSettings) -> dict[str, str | int | float | bool | None]:
    resampling = settings.resampling
    return {
        "mode": settings.mode,
        "tagset": settings.tagset,
        "lexicon": settings.lexicon_name,
        "resamples": resampling.resamples if resampling else None,
        "seed": resampling.seed if resampling else None,
    }


def caption_syntax(captions: Sequence[AnnotatedCaption], settings: SyntaxSettings) -> Syntax:
    """Return the syntax of captions."""
    tally = syntax_tally(captions, mode=settings.mode, tagset=settings.tagset, lexicon=settings.lexicon)
    return syntax(tally, mode=settings.mode)


def _system(corpus: TaggedCorpus, settings: SyntaxSettings) -> SystemSyntax:
    found = caption_syntax(corpus.captions, settings)
    return SystemSyntax((corpus.summary,), found, 1, _notes(found, settings))


def _notes(found: Syntax, settings: SyntaxSettings) -> tuple[str, ...]:
    """Return the notes of a result; without a lexicon nobody expects the ratio of its words."""
    if settings.lexicon is not None:
        return found.notes
    return tuple(note for note in found.notes if "lexicon" not in note)


def reference_syntax(
    humans: Sequence[TaggedCorpus],
    references: Mapping[str, Sequence[AnnotatedCaption]],
    settings: SyntaxSettings,
) -> SystemSyntax:
    """Return the mean syntax of as many parallel sets of descriptions as every image can fill."""
    count = min(map(len, references.values()))
    sets = [
        caption_syntax([texts[number] for texts in references.values()], settings) for number in range(count)
    ]
    mean = _mean(sets)
    notes = (*_notes(mean, settings), *set_notes([len(texts) for texts in references.values()], count))
    return SystemSyntax(tuple(corpus.summary for corpus in humans), mean, count, notes)


def _mean(sets: Sequence[Syntax]) -> Syntax:
    tags = sorted({tag for one in sets for tag in one.tags})
    shares = {tag: fmean(one.tags.get(tag, 0.0) for one in sets) for tag in tags}
    return replace(
        sets[0],
        compounds=_mean_phrases([one.compounds for one in sets]),
        phrases=_mean_phrases([one.phrases for one in sets]),
        tags=dict(sorted(shares.items(), key=lambda item: (-item[1], item[0]))),
        yngve=fmean(one.yngve for one in sets),
        yngve_deepest=fmean(one.yngve_deepest for one in sets),
        frazier=fmean(one.frazier for one in sets),
        frazier_hardest=fmean(one.frazier_hardest for one in sets),
        abstract_ratio=fmean(one.abstract_ratio for one in sets),
        lexicon_coverage=fmean(one.lexicon_coverage for one in sets),
        notes=tuple(dict.fromkeys(note for one in sets for note in one.notes)),
    )


def _mean_phrases(sets: Sequence[Phrases]) -> Phrases:
    """Return mean counts, rounded, as the paper prints them."""
    return Phrases(
        total=round(fmean(one.total for one in sets)),
        ratio=fmean(one.ratio for one in sets),
        sizes=_mean_counts([one.sizes for one in sets]),
        types=_mean_counts([one.types for one in sets]),
    )


def _mean_counts(counts: Sequence[Mapping[int, int]]) -> dict[int, int]:
    total: Counter[int] = Counter()
    for one in counts:
        total.update(one)
    return {size: round(total[size] / len(counts)) for size in sorted(total)}


def _intervals(systems: Mapping[str, TaggedCorpus], settings: SyntaxSettings) -> Intervals:
    paired = pair({name: _tallies(corpus, settings) for name, corpus in systems.items()})
    names = [name for name in MEASURES if settings.lexicon or name not in _OF_LEXICON]
    statistics = {
        system: {name: tally_statistic(tallies, MEASURES[name].value) for name in names}
        for system, tallies in paired.tallies.items()
    }
    return paired_intervals(
        paired.images,
        statistics,
        left_out=paired.left_out,
        resampling=settings.resampling or Resampling(),
    )


_OF_LEXICON = frozenset({"abstract_ratio", "lexicon_coverage"})


def _tallies(corpus: TaggedCorpus, settings: SyntaxSettings) -> dict[str, Counts]:
    counted: dict[int, Counts] = {}
    tallies: dict[str, Counts] = {}
    for image, caption in zip(corpus.images, corpus.captions, strict=True):
        if caption.number not in counted:
            found = analyse(caption, mode=settings.mode, lexicon=settings.lexicon)
            counted[caption.number] = syntax_counts(found)
        tallies[image] = tallies.get(image, np.zeros(len(COUNTS))) + counted[caption.number]
    return tallies
