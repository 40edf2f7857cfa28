"""Type-token ratio over windows of consecutive tokens: the published definition, and what order does to it.

These measures read captions in an order, so they have no tally that adds: the windows of a part do
not line up with the windows of the whole. `tokens.expected_ttr` is the order-free counterpart, which does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError
from assess.measures.diversity.tokens import Codes, TokenCorpus, check_window, ngram_codes
from assess.measures.metric import ratio

WINDOW = 1000  # the paper's window, in tokens or n-grams
# The published tables have two digits: a change below half a digit of these cannot be seen.
VISIBLE = 0.005


def window_types(codes: Codes | NDArray[np.int32], window: int) -> Codes:
    """Return the number of distinct codes in each full window; a last partial window is dropped."""
    check_window(window)
    count = codes.size // window
    if codes.size and codes.max() <= np.iinfo(np.int32).max:
        codes = codes.astype(np.int32)  # sorts twice as fast
    windows = np.sort(codes[: count * window].reshape(count, window), axis=1)
    changes: Codes = np.count_nonzero(windows[:, 1:] != windows[:, :-1], axis=1)
    return changes + 1


def windowed_ttr(corpus: TokenCorpus, *, length: int = 1, window: int = WINDOW) -> float:
    """Return the mean type-token ratio of n-grams over windows in file order (van Miltenburg et al. 2018).

    `nan` where there are fewer n-grams than a window holds.
    """
    codes, _ = ngram_codes(corpus, length, across_captions=True)
    types = window_types(codes, window)
    return float(ratio(types.sum(), types.size * window))


def shuffles(corpus: TokenCorpus, *, count: int, seed: int) -> Iterator[TokenCorpus]:
    """Yield the captions in seeded random orders that do not depend on the order they came in."""
    if count < 1:
        raise UsageError(f"shuffling needs at least one shuffle, not {count}")
    canonical = corpus.canonical
    generator = np.random.default_rng(seed)
    for _ in range(count):
        yield canonical.reordered(generator.permutation(len(canonical)))


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """How far the order of a file moves its type-token ratio from that of its captions shuffled."""

    length: int  # of the n-grams
    window: int
    in_file_order: float
    shuffled: float  # mean over the shuffles
    deviation: float  # standard deviation over the shuffles
    shuffles: int
    seed: int

    @property
    def difference(self) -> float:
        """File order minus shuffled: negative where neighbours in the file are alike."""
        return self.in_file_order - self.shuffled

    @property
    def distorts(self) -> bool:
        """Whether order shows in the digits that get published, and is more than chance."""
        return abs(self.difference) > max(VISIBLE, 3 * self.deviation)


def order_effects(
    corpus: TokenCorpus,
    *,
    lengths: tuple[int, ...] = (1, 2),
    window: int = WINDOW,
    count: int = 10,
    seed: int = 1,
) -> tuple[OrderEffect, ...]:
    """Return, for each length of n-gram, the ratio in file order beside that of seeded shuffles."""
    orders = list(shuffles(corpus, count=count, seed=seed))
    effects = []
    for length in lengths:
        shuffled = [windowed_ttr(order, length=length, window=window) for order in orders]
        mean, deviation = float(np.mean(shuffled)), float(np.std(shuffled))
        in_file_order = windowed_ttr(corpus, length=length, window=window)
        effects.append(OrderEffect(length, window, in_file_order, mean, deviation, count, seed))
    return tuple(effects)


# MTLD: how many words a text goes on for before it starts to repeat itself.

THRESHOLD = 0.72  # the type-token ratio at which a stretch ends, as its authors set it


def mtld(codes: Codes, *, threshold: float = THRESHOLD) -> float:
    """Return the mean stretch of words above a type-token ratio (McCarthy & Jarvis 2010), both directions.

    `nan` where no word is ever repeated: there is then no stretch to measure.
    """
    if not 0 < threshold < 1:
        raise UsageError(f"the threshold of MTLD is between 0 and 1, not {threshold}")
    tokens = codes.tolist()
    if not tokens:
        return float("nan")
    stretches = [_factors(direction, threshold) for direction in (tokens, reversed(tokens))]
    return float(np.mean([ratio(len(tokens), factors) for factors in stretches]))


def _factors(tokens: Iterable[int], threshold: float) -> float:
    """Return the number of stretches, the last and unfinished one as the part of its way that it went."""
    factors, count, current = 0.0, 0, 1.0
    seen: set[int] = set()
    for token in tokens:
        count += 1
        seen.add(token)
        current = len(seen) / count
        if current <= threshold:
            factors, count, current = factors + 1, 0, 1.0
            seen.clear()
    return factors + (1 - current) / (1 - threshold)


def order_free_mtld(
    corpus: TokenCorpus, *, count: int = 3, seed: int = 1, threshold: float = THRESHOLD
) -> float:
    """Return the mean MTLD of the captions in seeded random orders."""
    values = [mtld(order.codes, threshold=threshold) for order in shuffles(corpus, count=count, seed=seed)]
    return float(np.mean(values))
