"""How varied a system's language is: lengths, types, type-token ratios and newer alternatives.

The published ratios over windows of consecutive tokens depend on the order of captions;
`rarefaction.expected_ttr` is the corresponding measure that does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from math import nan, sqrt

import numpy as np

from assess.engine.columns import AT_ONCE, Codes, Column, counted, last_before
from assess.errors import UsageError
from assess.measures.diversity.rarefaction import expected_ttr, hdd, spread, type_token_curve
from assess.measures.diversity.tokens import TokenCorpus, check_window, ngram_codes
from assess.measures.image_sets import Novelty
from assess.measures.metric import Counts, Metric, ratio
from assess.measures.settings import DiversitySettings, Mode

Words = tuple[str, ...]
WINDOW = 1000  # the paper's window, in tokens or n-grams
# The published tables have two digits, so smaller changes than half a digit are not visible.
VISIBLE = 0.005
SHUFFLES = 10  # as in the paper
CURVE_POINTS = 32


def window_types(codes: Column, window: int) -> Codes:
    """Return the number of distinct codes in each full window; a final partial window is dropped."""
    check_window(window)
    count = codes.size // window
    if codes.size and codes.max() <= np.iinfo(np.int32).max:
        codes = codes.astype(np.int32)  # twice as fast to sort
    windows = np.sort(codes[: count * window].reshape(count, window), axis=1)
    changes: Codes = np.count_nonzero(windows[:, 1:] != windows[:, :-1], axis=1)
    return changes + 1


def windowed_ttr(corpus: TokenCorpus, *, length: int = 1, window: int = WINDOW) -> float:
    """Return the mean type-token ratio of n-grams over windows in file order (van Miltenburg et al. 2018).

    `nan` if there are fewer n-grams than a window holds.
    """
    check_window(window)
    windows = max(0, corpus.codes.size - length + 1) // window
    block = max(1, AT_ONCE // window) * window
    types = 0
    for start in range(0, windows * window, block):
        end = min(start + block, windows * window)
        codes, _ = ngram_codes(corpus, length, across_captions=True, within=(start, end + length - 1))
        types += int(window_types(codes, window).sum())
    return float(ratio(types, windows * window))


def shuffles(corpus: TokenCorpus, *, count: int, seed: int) -> Iterator[TokenCorpus]:
    """Yield the captions in seeded random orders, which do not depend on their original order."""
    if count < 1:
        raise UsageError(f"the number of shuffles must be at least 1, not {count}")
    generator = np.random.default_rng(seed)
    for _ in range(count):
        yield corpus.reordered(corpus.canonical_order[generator.permutation(len(corpus))])


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """The difference between the type-token ratio of a file and that of its shuffled captions."""

    length: int  # length of the n-grams
    window: int
    in_file_order: float
    shuffled: float  # mean over the shuffles
    deviation: float  # standard deviation over the shuffles
    shuffles: int
    seed: int

    @property
    def difference(self) -> float:
        """File order minus shuffled: negative if captions that are close in the file are similar."""
        return self.in_file_order - self.shuffled

    @property
    def distorts(self) -> bool:
        """Whether the difference is visible in published digits and exceeds chance."""
        return abs(self.difference) > max(VISIBLE, 3 * self.deviation)


def order_effects(
    corpus: TokenCorpus,
    *,
    lengths: tuple[int, ...] = (1, 2),
    window: int = WINDOW,
    count: int = 10,
    seed: int = 1,
) -> tuple[OrderEffect, ...]:
    """Return, for each length of n-grams, the ratio in file order and the mean over seeded shuffles."""
    ratios: dict[int, list[float]] = {length: [] for length in lengths}
    for order in shuffles(corpus, count=count, seed=seed):
        for length, found in ratios.items():
            found.append(windowed_ttr(order, length=length, window=window))
    effects = []
    for length, shuffled in ratios.items():
        mean, deviation = float(np.mean(shuffled)), float(np.std(shuffled))
        in_file_order = windowed_ttr(corpus, length=length, window=window)
        effects.append(OrderEffect(length, window, in_file_order, mean, deviation, count, seed))
    return tuple(effects)


# MTLD: the number of words before a text starts to repeat itself.

THRESHOLD = 0.72  # the type-token ratio at which a segment ends, as defined by the authors


def mtld(codes: Column, *, threshold: float = THRESHOLD) -> float:
    """Return the mean length of segments above a type-token ratio (McCarthy & Jarvis 2010).

    It is the mean of both directions, and `nan` if no word is ever repeated: no segment ends then.
    """
    if not 0 < threshold < 1:
        raise UsageError(f"the MTLD threshold must be between 0 and 1, not {threshold}")
    if not codes.size:
        return float("nan")
    stretches = [_factors(direction, threshold) for direction in (codes, codes[::-1])]
    return float(np.mean([ratio(codes.size, factors) for factors in stretches]))


def _factors(codes: Column, threshold: float, *, longest: int = 512) -> float:
    """Return the number of segments; the unfinished last segment counts as a fraction.

    A segment can only end at a word that it already contains. Such words are searched for within `longest`
    words, and further away only if a segment turns out to be longer.
    """
    ends = _repeats_that_end(longest, threshold)
    factors, start, repeats = 0, 0, 0
    for first, before in last_before(codes):
        near = np.flatnonzero((before >= 0) & (np.arange(first, first + before.size) - before < longest))
        for place, previous in zip((first + near).tolist(), before[near].tolist(), strict=True):
            if previous >= start:
                repeats += 1
                count = place - start + 1
                if count > longest:
                    return _factors(codes, threshold, longest=4 * longest)
                if repeats >= ends[count]:
                    factors, start, repeats = factors + 1, place + 1, 0
    count = codes.size - start
    if count > longest:
        return _factors(codes, threshold, longest=4 * longest)
    current = (count - repeats) / count if count else 1.0
    return factors + (1 - current) / (1 - threshold)


@lru_cache(maxsize=8)
def _repeats_that_end(longest: int, threshold: float) -> list[int]:
    """Return how many repeated words end a segment of each length up to the longest."""
    ends, repeats = [0], 0
    for count in range(1, longest + 1):
        while (count - repeats) / count > threshold:
            repeats += 1
        ends.append(repeats)
    return ends


def order_free_mtld(
    corpus: TokenCorpus, *, count: int = 3, seed: int = 1, threshold: float = THRESHOLD
) -> float:
    """Return the mean MTLD of the captions in seeded random orders."""
    values = [mtld(order.codes, threshold=threshold) for order in shuffles(corpus, count=count, seed=seed)]
    return float(np.mean(values))


@dataclass(frozen=True, slots=True)
class Basic:
    """The five measures of Table 1 in the paper that only need tokens, and the counts behind them."""

    captions: float  # counts are integers for a system, and means for several sets of references
    empty: float
    tokens: float
    asl: float
    sdsl: float
    types: float
    ttr1: float
    ttr2: float


@dataclass(frozen=True, slots=True)
class Diversity:
    """All diversity measures of one system, with notes on undefined ones."""

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
    """Return ASL: the mean number of tokens per caption."""
    return float(ratio(tokens, captions))


def sentence_length_deviation(captions: int, tokens: int, squares: int) -> float:
    """Return SDSL: the population standard deviation of lengths, from the sum of their squares."""
    # Integers, because a difference of floats would lose digits.
    return float(ratio(sqrt(captions * squares - tokens * tokens), captions))


def type_token_ratio(corpus: TokenCorpus, *, length: int, window: int, mode: Mode) -> float:
    """Return the TTR: over windows in file order (paper), or expected for random captions (ours)."""
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
    """Return all diversity measures of a system; `novelty` is given if there are training captions."""
    counts = counted(corpus.codes, len(corpus.vocabulary))
    return Diversity(
        mode=mode,
        window=window,
        basic=(measures := basic(corpus, mode=mode, window=window)),
        ttr3=(ttr3 := type_token_ratio(corpus, length=3, window=window, mode=mode)),
        unique=corpus.unique,
        hapaxes=int(np.count_nonzero(counts == 1)),
        hdd=hdd(counts),
        mtld=mtld(corpus.codes) if mode == "paper" else order_free_mtld(corpus, seed=seed),
        novel=nan if novelty is None else novelty.share,
        notes=_notes(measures, ttr3, window, novelty),
    )


def _notes(measures: Basic, ttr3: float, window: int, novelty: Novelty | None) -> tuple[str, ...]:
    notes = []
    if not measures.captions:
        notes.append("no captions: every ratio is undefined")
    if measures.empty:
        notes.append(f"{measures.empty:g} empty captions count as captions of length 0")
    ratios = {"TTR1": measures.ttr1, "TTR2": measures.ttr2, "TTR3": ttr3}
    if short := [name for name, value in ratios.items() if np.isnan(value)]:
        notes.append(f"{', '.join(short)} undefined: fewer than {window} n-grams (one window)")
    if novelty is None:
        notes.append("no training captions: novelty is undefined")
    return tuple(notes)


def curve_grid(corpora: Sequence[TokenCorpus]) -> tuple[int, ...]:
    """Return the numbers of tokens at which curves are drawn: equal steps up to the largest corpus."""
    largest = max((corpus.codes.size for corpus in corpora), default=0)
    points = min(CURVE_POINTS, largest)
    return tuple(sorted({largest * point // points for point in range(1, points + 1)})) if points else ()


def curve_types(corpus: TokenCorpus, tokens: Sequence[int], settings: DiversitySettings) -> tuple[float, ...]:
    """Return the types after so many tokens: expected over all orders, or averaged over ten shuffles."""
    if settings.curve == "exact":
        return type_token_curve(spread(corpus), tokens)
    seen = []
    for order in shuffles(corpus, count=SHUFFLES, seed=settings.seed):
        firsts = np.concatenate([part + np.flatnonzero(last < 0) for part, last in last_before(order.codes)])
        # types whose first occurrence is before
        found = np.searchsorted(firsts, np.array(tokens)).astype(float)
        seen.append(np.where(np.array(tokens) > order.codes.size, nan, found))
    return tuple(np.mean(seen, axis=0).tolist())


def interval_notes(settings: DiversitySettings) -> list[str]:
    """Return which measures have no interval, and why."""
    notes = ["types, unique captions and hapaxes have no interval: resamples always have fewer of them"]
    if settings.reading == "file":
        notes.append("TTR has no interval in file order: the windows of a file cannot be resampled")
    else:
        notes.append(
            "intervals of TTR are centred on their estimates: resamples repeat images, which lowers them"
        )
    return notes


# Comparing the captions of an image with each other, for systems with several captions per image.

Tokens = Sequence[str]
ORDER = 4  # of BLEU
_WIDTH = 2 * ORDER + 2  # matches and totals of each length, and the lengths of captions and references


def ngrams(words: Tokens, length: int) -> list[tuple[str, ...]]:
    """Return the n-grams of a caption in lower case."""
    lowered = [word.lower() for word in words]
    return list(zip(*(lowered[start:] for start in range(length)), strict=False))


def mutual_bleu_tally(captions: Sequence[Tokens], *, captions_per_image: int) -> Counts:
    """Return a vector of counts that compare each of an image's captions with the others.

    An image with a single caption counts nothing.
    """
    if captions_per_image < 1:
        raise UsageError(f"mBLEU needs at least one caption per image, not {captions_per_image}")
    counts = np.zeros((captions_per_image, _WIDTH))
    if len(captions) > 1:
        for number, caption in enumerate(captions[:captions_per_image]):
            others = [other for place, other in enumerate(captions) if place != number]
            counts[number] = _bleu_counts(caption, others)
    return counts.ravel()


def _bleu_counts(caption: Tokens, others: Sequence[Tokens]) -> Counts:
    counts = np.zeros(_WIDTH)
    for length in range(1, ORDER + 1):
        found = Counter(ngrams(caption, length))
        allowed: Counter[tuple[str, ...]] = Counter()
        for other in others:
            allowed |= Counter(ngrams(other, length))
        counts[length - 1] = (found & allowed).total()
        counts[ORDER + length - 1] = found.total()
    sizes = [len(other) for other in others]
    counts[-2:] = len(caption), min(sizes, key=lambda size: (abs(size - len(caption)), size))
    return counts


def mutual_bleu(counts: Counts) -> Counts:
    """Return mBLEU-4: the mean over an image's captions of BLEU against its others (Shetty et al. 2017).

    The n-th captions of all images have one BLEU score, with n-grams pooled over the corpus; the mean is over
    n. There is no smoothing: a score is 0 without any common n-gram of some length, and undefined if captions
    are too short to have one. Lower means more diverse.
    """
    return np.asarray(bleu_of_counts(counts.reshape(*counts.shape[:-1], -1, _WIDTH)).mean(axis=-1))


def bleu_of_counts(rows: Counts) -> Counts:
    """Return BLEU-4 from matches and totals of each length, and the lengths of captions and references."""
    precisions = ratio(rows[..., :ORDER], rows[..., ORDER : 2 * ORDER])
    with np.errstate(divide="ignore"):
        mean_log = np.log(precisions).mean(axis=-1)
    brevity = np.minimum(0.0, 1.0 - ratio(rows[..., -1], rows[..., -2]))
    return np.asarray(np.exp(mean_log + brevity))


def distinct_tally(captions: Sequence[Tokens], *, length: int) -> Counts:
    """Return an image's distinct n-grams divided by its words, and 1 for the image; 0, 0 without words."""
    tokens = sum(map(len, captions))
    if not tokens:
        return np.zeros(2)
    found = set(chain.from_iterable(ngrams(caption, length) for caption in captions))
    return np.array([len(found) / tokens, 1.0])


def distinct(counts: Counts) -> Counts:
    """Return distinct-n (Li et al. 2016) within an image, averaged over images, from summed tallies."""
    return np.asarray(ratio(counts[..., 0], counts[..., 1]))


def set_metrics(*, captions_per_image: int) -> dict[str, Metric[Sequence[Tokens], Counts]]:
    """Return mBLEU-4, distinct-1 and distinct-2 as metrics of images, for several captions per image."""
    bleu: Metric[Sequence[Tokens], Counts] = Metric(
        "mbleu4",
        "mean over n of BLEU-4 of the n-th captions against the others of their image",
        "shetty2017speaking",
        "lower",
        partial(mutual_bleu_tally, captions_per_image=captions_per_image),
        mutual_bleu,
        undefined="no image with several captions",
    )
    return {"mbleu4": bleu, "distinct1": _distinct_metric(1), "distinct2": _distinct_metric(2)}


def _distinct_metric(length: int) -> Metric[Sequence[Tokens], Counts]:
    formula = f"mean over images of distinct {length}-grams / words"
    tally = partial(distinct_tally, length=length)
    return Metric(
        f"distinct{length}",
        formula,
        "li2016diversity",
        "higher",
        tally,
        distinct,
        undefined="no image with several captions",
    )
