"""How varied a system's language is: lengths, types, type-token ratios and newer alternatives.

The published ratios over windows of consecutive tokens depend on the order of captions;
`rarefaction.expected_ttr` is the corresponding measure that does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import isnan, nan, sqrt

import numpy as np

from assess.engine.columns import AT_ONCE, Codes, Column, counted, last_before
from assess.errors import UsageError
from assess.measures.diversity.rarefaction import HDD_SAMPLE, expected_ttr, hdd, spread, type_token_curve
from assess.measures.diversity.tokens import TokenCorpus, check_window, ngram_codes
from assess.measures.image_sets import Novelty
from assess.measures.measure import Model, Number
from assess.measures.metric import ratio
from assess.measures.postgen.compute import ORDER, Tokens, bleu, bleu_counts, ngrams
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


class OrderShift(Model):
    """The type-token ratio in the order of a file, and that of its shuffled captions."""

    file: Number
    shuffled: Number  # mean over the shuffles
    deviation: Number  # standard deviation over the shuffles
    distorts: bool  # whether the difference is visible in published digits and exceeds chance


def order_effects(
    corpus: TokenCorpus, *, window: int = WINDOW, count: int = SHUFFLES, seed: int = 1
) -> dict[str, OrderShift]:
    """Return the effects of the file's order on the ratios of words and of word pairs, by their keys.

    If the ratio is lower in file order, captions that are close in the file are similar.
    """
    lengths = (1, 2)
    found = [
        [windowed_ttr(order, length=length, window=window) for length in lengths]
        for order in shuffles(corpus, count=count, seed=seed)
    ]
    effects = {}
    for length, shuffled in zip(lengths, zip(*found, strict=True), strict=True):
        mean, deviation = float(np.mean(shuffled)), float(np.std(shuffled))
        file = windowed_ttr(corpus, length=length, window=window)
        distorts = abs(file - mean) > max(VISIBLE, 3 * deviation)
        effects[f"ttr{length}"] = OrderShift(file=file, shuffled=mean, deviation=deviation, distorts=distorts)
    return effects


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


Numbers = dict[str, float]
"""Numbers of one system by the keys of their quantities: counts are integers, undefined ratios nan."""


def type_token_ratio(corpus: TokenCorpus, *, length: int, window: int, mode: Mode) -> float:
    """Return the TTR: over windows in file order (paper), or expected for random captions (ours)."""
    if mode == "paper":
        return windowed_ttr(corpus, length=length, window=window)
    return expected_ttr(spread(corpus, length=length), window)


def basic(corpus: TokenCorpus, *, mode: Mode = "assess", window: int = WINDOW) -> Numbers:
    """Return the five measures of Table 1 in the paper that only need tokens, and the counts behind them."""
    lengths = corpus.lengths
    captions, tokens = len(corpus), int(lengths.sum())
    # From integers, because a difference of floats would lose digits.
    deviation = sqrt(captions * int(lengths @ lengths) - tokens * tokens)
    return {
        "captions": captions,
        "empty_captions": int(np.count_nonzero(lengths == 0)),
        "tokens": tokens,
        "asl": float(ratio(tokens, captions)),
        "sdsl": float(ratio(deviation, captions)),
        "types": len(corpus.vocabulary),
        "ttr1": type_token_ratio(corpus, length=1, window=window, mode=mode),
        "ttr2": type_token_ratio(corpus, length=2, window=window, mode=mode),
    }


def diversity(
    corpus: TokenCorpus,
    *,
    mode: Mode = "assess",
    window: int = WINDOW,
    novelty: Novelty | None = None,
    seed: int = 1,
) -> Numbers:
    """Return all diversity measures of a system; `novelty` is given if there are training captions."""
    counts = counted(corpus.codes, len(corpus.vocabulary))
    return {
        **basic(corpus, mode=mode, window=window),
        "ttr3": type_token_ratio(corpus, length=3, window=window, mode=mode),
        "unique": corpus.unique,
        "unique_share": float(ratio(corpus.unique, len(corpus))),
        "hapaxes": int(np.count_nonzero(counts == 1)),
        "hdd": hdd(counts),
        "mtld": mtld(corpus.codes) if mode == "paper" else order_free_mtld(corpus, seed=seed),
        "novel": nan if novelty is None else novelty.share,
    }


def diversity_notes(numbers: Numbers, *, window: int, trained: bool) -> tuple[str, ...]:
    """Return why measures are undefined, if they are, and how empty captions count."""
    notes = []
    if not numbers["captions"]:
        notes.append("no captions: every ratio is undefined")
    if numbers["empty_captions"]:
        notes.append(f"{numbers['empty_captions']:g} empty captions count as captions of length 0")
    if short := [name for name in ("TTR1", "TTR2", "TTR3") if isnan(numbers[name.lower()])]:
        notes.append(f"{', '.join(short)} undefined: fewer than {window} n-grams (one window)")
    if not trained:
        notes.append("no training captions: novelty is undefined")
    if isnan(numbers["hdd"]):
        notes.append(f"HD-D undefined: fewer than {HDD_SAMPLE} tokens (one sample)")
    if isnan(numbers["mtld"]):
        notes.append("MTLD undefined: no word is ever repeated")
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


def mutual_bleu(images: Iterable[Sequence[Tokens]], *, captions_per_image: int) -> float:
    """Return mBLEU-4: the mean over an image's captions of BLEU against its others (Shetty et al. 2017).

    The n-th captions of all images have one BLEU score, with n-grams pooled over the corpus; the mean is over
    n. An image with a single caption counts nothing. There is no smoothing: a score is 0 without any common
    n-gram of some length, and undefined if captions are too short to have one. Lower means more diverse.
    """
    if captions_per_image < 1:
        raise UsageError(f"mBLEU needs at least one caption per image, not {captions_per_image}")
    counts = np.zeros((captions_per_image, 2 * ORDER + 2))
    for captions in images:
        if len(captions) > 1:
            for number, caption in enumerate(captions[:captions_per_image]):
                counts[number] += bleu_counts(caption, [*captions[:number], *captions[number + 1 :]])
    return float(bleu(counts).mean())


def distinct(images: Iterable[Sequence[Tokens]], *, length: int) -> float:
    """Return distinct-n (Li et al. 2016): distinct n-grams / words, mean over images with words."""
    total, described = 0.0, 0
    for captions in images:
        if tokens := sum(map(len, captions)):
            total += len({ngram for caption in captions for ngram in ngrams(caption, length)}) / tokens
            described += 1
    return float(ratio(total, described))
