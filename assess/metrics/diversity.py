"""How varied a system's language is: lengths, types, type-token ratios and their modern relatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import nan, sqrt

import numpy as np

from assess.errors import UsageError
from assess.metrics.diversity_corpus import TokenCorpus
from assess.metrics.diversity_expected import expected_ttr, hdd, spread
from assess.metrics.diversity_mtld import mtld, order_free_mtld
from assess.metrics.diversity_novelty import Novelty
from assess.metrics.diversity_tally import DiversityTally, tally
from assess.metrics.diversity_windows import WINDOW, windowed_ttr
from assess.metrics.metric import Metric, Mode, ratio


@dataclass(frozen=True, slots=True)
class Basic:
    """The five measures of the paper's Table 1 that need tokens only, and what they were counted on."""

    captions: float  # counts are whole numbers for a system, and means for several sets of references
    empty: float
    tokens: float
    asl: float
    sdsl: float
    types: float
    ttr1: float
    ttr2: float


@dataclass(frozen=True, slots=True)
class Diversity:
    """All diversity measures of one system, and what there is to say about those that are undefined."""

    mode: Mode
    window: int
    basic: Basic
    ttr3: float
    unique: float  # distinct captions
    hapaxes: float  # types that occur once
    hdd: float
    mtld: float
    novel: float
    notes: tuple[str, ...]


def sentence_length(captions: int, tokens: int) -> float:
    """Return ASL: the mean number of tokens of a caption."""
    return float(ratio(tokens, captions))


def sentence_length_deviation(captions: int, tokens: int, squares: int) -> float:
    """Return SDSL: the population standard deviation of lengths, from the sum of their squares."""
    # The difference is taken in whole numbers: in floating point it would lose digits.
    return float(ratio(sqrt(captions * squares - tokens * tokens), captions))


def type_token_ratio(corpus: TokenCorpus, *, length: int, window: int, mode: Mode) -> float:
    """Return TTR: over windows in file order (paper), or expected for random captions (ours)."""
    if mode == "paper":
        return windowed_ttr(corpus, length=length, window=window)
    return expected_ttr(spread(corpus, length=length), window)


def basic(corpus: TokenCorpus, *, mode: Mode = "assess", window: int = WINDOW) -> Basic:
    """Return the five basic measures of a corpus (van Miltenburg et al. 2018, Table 1)."""
    lengths = corpus.lengths
    captions, tokens = len(corpus), int(lengths.sum())
    return Basic(
        captions=captions,
        empty=int(np.count_nonzero(lengths == 0)),
        tokens=tokens,
        asl=sentence_length(captions, tokens),
        sdsl=sentence_length_deviation(captions, tokens, int(lengths @ lengths)),
        types=len(corpus.vocabulary),
        ttr1=type_token_ratio(corpus, length=1, window=window, mode=mode),
        ttr2=type_token_ratio(corpus, length=2, window=window, mode=mode),
    )


def diversity(
    corpus: TokenCorpus,
    *,
    mode: Mode = "assess",
    window: int = WINDOW,
    novelty: Novelty | None = None,
    seed: int = 1,
) -> Diversity:
    """Return all diversity measures of a system's captions; `novelty` where training captions are known."""
    counts = tally(corpus, lengths=())
    return Diversity(
        mode=mode,
        window=window,
        basic=(measures := basic(corpus, mode=mode, window=window)),
        ttr3=(ttr3 := type_token_ratio(corpus, length=3, window=window, mode=mode)),
        unique=len(counts.texts),
        hapaxes=_hapaxes(counts),
        hdd=hdd(counts.words),
        mtld=mtld(corpus.codes) if mode == "paper" else order_free_mtld(corpus, seed=seed),
        novel=nan if novelty is None else novelty.share,
        notes=_notes(measures, ttr3, window, novelty),
    )


def _hapaxes(counts: DiversityTally) -> int:
    return sum(count == 1 for count in counts.words.values())


def _notes(measures: Basic, ttr3: float, window: int, novelty: Novelty | None) -> tuple[str, ...]:
    notes = []
    if not measures.captions:
        notes.append("no captions: every ratio is undefined")
    if measures.empty:
        notes.append(f"{measures.empty:g} empty captions count as captions of length 0")
    ratios = {"TTR1": measures.ttr1, "TTR2": measures.ttr2, "TTR3": ttr3}
    if short := [name for name, value in ratios.items() if np.isnan(value)]:
        notes.append(f"{', '.join(short)} undefined: fewer than {window} n-grams, which is one window")
    if novelty is None:
        notes.append("no training captions: novelty is undefined")
    return tuple(notes)


@dataclass(frozen=True, slots=True)
class ReferenceDiversity:
    """References as a system: the mean over parallel sets of descriptions, as in the paper."""

    mean: Diversity
    sets: tuple[Diversity, ...]
    types: int  # distinct words of all sets together, which the paper prints for its validation row
    tokens: int  # of all sets together


def reference_diversity(
    corpora: Sequence[TokenCorpus], *, mode: Mode = "assess", window: int = WINDOW, seed: int = 1
) -> ReferenceDiversity:
    """Return the diversity of parallel sets of descriptions, each measured alone and then averaged."""
    if not corpora:
        raise UsageError(
            "there is no full set of references to measure",
            hint="some image has no description: leave it out, or say how many sets to form",
        )
    sets = tuple(diversity(corpus, mode=mode, window=window, seed=seed) for corpus in corpora)
    types = len({word for corpus in corpora for word in corpus.vocabulary})
    return ReferenceDiversity(_mean(sets), sets, types, sum(corpus.codes.size for corpus in corpora))


def _mean(sets: Sequence[Diversity]) -> Diversity:
    basics = [one.basic for one in sets]
    mean_basic = Basic(*(_mean_field(basics, each.name) for each in fields(Basic)))
    means = {name: _mean_field(sets, name) for name in ("ttr3", "unique", "hapaxes", "hdd", "mtld", "novel")}
    notes = tuple(dict.fromkeys(note for one in sets for note in one.notes))
    return Diversity(mode=sets[0].mode, window=sets[0].window, basic=mean_basic, notes=notes, **means)


def _mean_field(results: Sequence[Basic] | Sequence[Diversity], name: str) -> float:
    return float(np.mean([getattr(result, name) for result in results]))


def _expected_ttr_metric(length: int) -> Metric[TokenCorpus, DiversityTally]:
    return Metric(
        f"ttr{length}",
        f"E[distinct {length}-grams in random captions with {WINDOW} of them on average] / {WINDOW}",
        "colwell2004interpolating",
        "higher",
        tally,
        lambda counts: expected_ttr(counts.spread(length), WINDOW),
        undefined=f"fewer than {WINDOW} n-grams, which is one window",
    )


# The measures whose tallies add. MTLD and the windowed ratios read captions in an order and are
# functions only; novelty and the measures within an image have tallies of their own.
METRICS: dict[str, Metric[TokenCorpus, DiversityTally]] = {
    metric.name: metric
    for metric in (
        Metric(
            "asl",
            "tokens / captions",
            "vanmiltenburg2018measuring",
            "neither",
            tally,
            lambda counts: sentence_length(counts.captions, counts.tokens),
            undefined="no captions",
        ),
        Metric(
            "sdsl",
            "sqrt(mean(length²) - mean(length)²)",
            "vanmiltenburg2018measuring",
            "higher",
            tally,
            lambda counts: sentence_length_deviation(counts.captions, counts.tokens, counts.squares),
            undefined="no captions",
        ),
        Metric(
            "types",
            "distinct words",
            "vanmiltenburg2018measuring",
            "higher",
            tally,
            lambda counts: len(counts.words),
            undefined="",
        ),
        *(_expected_ttr_metric(length) for length in (1, 2, 3)),
        Metric(
            "unique",
            "distinct captions",
            "vanmiltenburg2018measuring",
            "higher",
            tally,
            lambda counts: len(counts.texts),
            undefined="",
        ),
        Metric(
            "hapaxes",
            "words that occur once",
            "youmans1990measuring",
            "higher",
            tally,
            _hapaxes,
            undefined="",
        ),
        Metric(
            "hdd",
            "E[distinct words in 42 random tokens] / 42",
            "mccarthy2010mtld",
            "higher",
            tally,
            lambda counts: hdd(counts.words),
            undefined="fewer than 42 tokens",
        ),
    )
}
