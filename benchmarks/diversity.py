"""Time the five basic measures against plain counters and slices, side by side, on made-up captions.

Run: python benchmarks/diversity.py [captions]
Both start from the same lists of lowercased words and must come to the same values.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from math import isclose, sqrt

import numpy as np

from assess.measures.diversity.compute import basic
from assess.measures.diversity.tokens import encode

WINDOW = 1000
REQUIRED = 2.5  # times as fast
ROUNDS = 15
Captions = Sequence[Sequence[str]]
Five = tuple[float, float, float, float, float]


def made_up_captions(count: int, *, vocabulary: int = 2000, seed: int = 7) -> list[tuple[str, ...]]:
    """Return captions of about ten words with frequencies as in language (Zipf)."""
    generator = np.random.default_rng(seed)
    weights = 1 / np.arange(1, vocabulary + 1)
    lengths = np.clip(generator.normal(10, 1.5, size=count).round().astype(int), 1, None)
    words = generator.choice(vocabulary, size=int(lengths.sum()), p=weights / weights.sum())
    names = np.array([f"word{number}" for number in range(vocabulary)])[words].tolist()
    ends = np.cumsum(lengths).tolist()
    return [tuple(names[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]


def plain(captions: Captions) -> Five:
    """Return the measures the plain way: lists, sets and slices."""
    lengths = [len(caption) for caption in captions]
    mean = sum(lengths) / len(lengths)
    deviation = sqrt(sum((length - mean) ** 2 for length in lengths) / len(lengths))
    words = list(chain.from_iterable(captions))
    pairs = list(pairwise(words))
    return mean, deviation, len(set(words)), plain_ratio(words), plain_ratio(pairs)


def plain_ratio(units: Sequence[object]) -> float:
    starts = range(0, len(units) - WINDOW + 1, WINDOW)
    ratios = [len(set(units[start : start + WINDOW])) / WINDOW for start in starts]
    return sum(ratios) / len(ratios)


def ours(captions: Captions) -> Five:
    """Return the measures our way, from words to numbers."""
    measures = basic(encode(captions, mode="paper"), mode="paper", window=WINDOW)
    return measures["asl"], measures["sdsl"], measures["types"], measures["ttr1"], measures["ttr2"]


def best_times(captions: Captions, *functions: Callable[[Captions], Five]) -> list[float]:
    """Return the least processor time of several runs of each, in turns.

    Processor time, because both run on one core and other programs must not decide who wins.
    """
    best = [float("inf")] * len(functions)
    for _ in range(ROUNDS):
        for place, function in enumerate(functions):
            start = time.process_time()
            function(captions)
            best[place] = min(best[place], time.process_time() - start)
    return best


def main() -> int:
    captions = made_up_captions(int(sys.argv[1]) if len(sys.argv) > 1 else 40_504)
    expected, found = plain(captions), ours(captions)
    if not all(isclose(one, other, rel_tol=1e-9) for one, other in zip(expected, found, strict=True)):
        print(f"the two ways differ: {expected} and {found}", file=sys.stderr)
        return 1
    slow, fast = best_times(captions, plain, ours)
    tokens = sum(map(len, captions))
    print(f"{len(captions):,} captions, {tokens:,} tokens; processor time, best of {ROUNDS} runs")
    print(f"counters and slices  {slow * 1000:7.1f} ms")
    print(f"assess               {fast * 1000:7.1f} ms   {slow / fast:.1f} times as fast")
    print(f"aim: {REQUIRED} times as fast")
    return 0


if __name__ == "__main__":
    sys.exit(main())
