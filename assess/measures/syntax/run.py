"""Syntax of caption files: compounds, prepositional phrases, parts of speech, complexity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

import numpy as np

from assess.corpus import check_names
from assess.engine.captions import (
    AnnotatedCaption,
    SourceCaptions,
    descriptions,
    measure_signature,
    read_systems,
)
from assess.engine.jobs import Engine, Progress, in_this_process
from assess.measures.image_sets import NOTHING_SHARED, described_images, left_out, set_notes, unequal_sets
from assess.measures.intervals import Intervals, Resampling, pair, paired_intervals, tally_statistics
from assess.measures.measure import Inputs, Number, Result, Row
from assess.measures.metric import Counts
from assess.measures.settings import Mode, SyntaxSettings, Tagset
from assess.measures.syntax.caption import Lexicon, NamedLexicon, RatingBounds, read_lexicon
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
from assess.measures.syntax.quantities import OF_LEXICON, QUANTITIES
from assess.records import Depth
from assess.report.quantity import values_of


class SystemSyntax(Row):
    """The syntax of one system, or of references as the mean over their parallel sets."""

    reference: bool
    compounds: Phrases
    prepositional_phrases: Phrases
    tags: dict[str, Number]  # share of each part of speech, the most frequent first
    yngve: Number
    yngve_deepest: Number
    frazier: Number
    frazier_hardest: Number
    abstract_ratio: Number
    lexicon_coverage: Number
    notes: tuple[str, ...]


class SyntaxResult(Result):
    """The syntax of all systems, and of references where there are some."""

    measure: ClassVar[str] = "syntax"

    systems: dict[str, SystemSyntax]
    notes: tuple[str, ...]
    intervals: Intervals | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides how a caption is counted."""

    mode: Mode = "assess"
    tagset: Tagset = "fine"
    lexicon: Lexicon | None = None


def run_syntax(
    inputs: Inputs,
    settings: SyntaxSettings | None = None,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> SyntaxResult:
    """Measure the syntax of captions.

    Without an engine, all is done here and now.
    """
    settings = settings or SyntaxSettings()
    lexicon = _lexicon(settings)
    rules = Rules(settings.mode, settings.tagset, lexicon.words if lexicon else None)
    check_names([*inputs.systems, *inputs.references])
    engine = engine or in_this_process(settings.model)
    systems, humans = read_systems(
        engine, inputs.systems, inputs.references, depth=Depth.TREE, progress=progress
    )
    images = {name: set(corpus.images) for name, corpus in systems.items()}
    everything = descriptions(humans)
    shared = described_images(images) & everything.keys()
    kept = {image: texts for image, texts in everything.items() if image in shared} or everything
    summaries = [corpus.summary for corpus in (*systems.values(), *humans)]
    rows = {name: _row(caption_syntax(corpus.captions, rules), rules) for name, corpus in systems.items()}
    if kept:
        rows[" + ".join(corpus.summary.name for corpus in humans)] = _references(kept, rules)
    warnings = unequal_sets(images)
    return SyntaxResult(
        signature=measure_signature(engine.annotations.identity, summaries, _recorded(settings, lexicon)),
        systems=rows,
        notes=(
            *warnings,
            *(left_out(everything, kept) if shared or not everything else (NOTHING_SHARED,)),
        ),
        intervals=_intervals(systems, rules, settings) if settings.intervals else None,
        warnings=warnings,
    )


def _lexicon(settings: SyntaxSettings) -> NamedLexicon | None:
    if settings.lexicon is None:
        return None
    return read_lexicon(
        Path(settings.lexicon), bounds=RatingBounds(settings.concrete_from, settings.abstract_below)
    )


def _recorded(
    settings: SyntaxSettings, lexicon: NamedLexicon | None
) -> dict[str, str | int | float | bool | None]:
    return {
        "mode": settings.mode,
        "tagset": settings.tagset,
        "lexicon": lexicon.identity if lexicon else None,
        "resamples": settings.resamples if settings.intervals else None,
        "seed": settings.seed if settings.intervals else None,
    }


def caption_syntax(captions: Sequence[AnnotatedCaption], rules: Rules) -> Syntax:
    """Return the syntax of captions."""
    tally = syntax_tally(captions, mode=rules.mode, tagset=rules.tagset, lexicon=rules.lexicon)
    return syntax(tally, mode=rules.mode)


def _row(found: Syntax, rules: Rules, *, reference: bool = False, notes: Sequence[str] = ()) -> SystemSyntax:
    # Without a lexicon nobody expects the ratio of its words.
    own = [note for note in found.notes if rules.lexicon is not None or "lexicon" not in note]
    return SystemSyntax(
        reference=reference,
        compounds=found.compounds,
        prepositional_phrases=found.phrases,
        tags=found.tags,
        notes=(*own, *notes),
        **values_of(QUANTITIES, found),
    )


def _references(references: Mapping[str, Sequence[AnnotatedCaption]], rules: Rules) -> SystemSyntax:
    sizes = [len(texts) for texts in references.values()]
    notes = set_notes(sizes, min(sizes))
    return _row(reference_syntax(references, rules), rules, reference=True, notes=notes)


def reference_syntax(references: Mapping[str, Sequence[AnnotatedCaption]], rules: Rules) -> Syntax:
    """Return the mean syntax of as many parallel sets of descriptions as every image can fill."""
    count = min(map(len, references.values()))
    return _mean(
        [caption_syntax([texts[number] for texts in references.values()], rules) for number in range(count)]
    )


def _mean(sets: Sequence[Syntax]) -> Syntax:
    tags = sorted({tag for one in sets for tag in one.tags})
    shares = {tag: fmean(one.tags.get(tag, 0.0) for one in sets) for tag in tags}
    keys = [quantity.key for quantity in QUANTITIES if quantity.table == "complexity"]
    means: dict[str, Any] = {key: fmean(getattr(one, key) for one in sets) for key in keys}
    return replace(
        sets[0],
        compounds=_mean_phrases([one.compounds for one in sets]),
        phrases=_mean_phrases([one.phrases for one in sets]),
        tags=dict(sorted(shares.items(), key=lambda item: (-item[1], item[0]))),
        notes=tuple(dict.fromkeys(note for one in sets for note in one.notes)),
        **means,
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


def _intervals(systems: Mapping[str, SourceCaptions], rules: Rules, settings: SyntaxSettings) -> Intervals:
    paired = pair({name: _tallies(corpus, rules) for name, corpus in systems.items()})
    names = [name for name in MEASURES if rules.lexicon or name not in OF_LEXICON]
    statistics = {
        system: tally_statistics(tallies, {name: MEASURES[name].value for name in names})
        for system, tallies in paired.tallies.items()
    }
    return paired_intervals(
        paired.images,
        statistics,
        left_out=paired.left_out,
        resampling=Resampling(settings.resamples, seed=settings.seed),
    )


def _tallies(corpus: SourceCaptions, rules: Rules) -> dict[str, Counts]:
    counted: dict[int, Counts] = {}
    tallies: dict[str, Counts] = {}
    for image, caption in zip(corpus.images, corpus.captions, strict=True):
        if caption.number not in counted:
            found = analyse(caption, mode=rules.mode, lexicon=rules.lexicon)
            counted[caption.number] = syntax_counts(found)
        tallies[image] = tallies.get(image, np.zeros(len(COUNTS))) + counted[caption.number]
    return tallies
