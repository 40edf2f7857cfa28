"""Captions as arrays of word codes, the input of all diversity measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from assess.engine.columns import (
    AT_ONCE,
    Codes,
    Column,
    WordColumns,
    columns_in_order,
    places_of,
    smallest,
    starts_of,
    stretches,
    translated,
)
from assess.errors import UsageError
from assess.measures.settings import Mode


@dataclass(frozen=True, slots=True)
class Spread:
    """How n-grams are spread over captions, which determines expected type counts."""

    captions: int
    ngrams: int
    # Number of captions with a type -> number of such types. Parts cannot be added: they may share types.
    histogram: tuple[tuple[int, int], ...]

    @property
    def types(self) -> int:
        """The number of distinct n-grams."""
        return sum(types for _, types in self.histogram)

    @property
    def columns(self) -> tuple[Codes, Codes]:
        """The two columns of the histogram."""
        frequencies, types = np.array(self.histogram, dtype=np.int64).reshape(-1, 2).T
        return frequencies, types


FEW_REPEATED = 0.75  # share of distinct captions


@dataclass(frozen=True, eq=False)  # no slots: cached properties need a __dict__
class TokenCorpus:
    """The lowercased tokens of captions in file order, coded by their index in the vocabulary."""

    vocabulary: tuple[str, ...]
    codes: Column  # of every token of every caption
    starts: Codes  # where each caption starts in `codes`, followed by the end of the last one

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def lengths(self) -> Codes:
        """The number of tokens in each caption."""
        return np.diff(self.starts)

    def caption_of(self, places: Codes) -> Codes:
        """Return the indices of the captions that contain the tokens at these positions."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def words(self, caption: int) -> tuple[str, ...]:
        """Return the words of one caption."""
        start, end = self.starts[caption], self.starts[caption + 1]
        return tuple(self.vocabulary[code] for code in self.codes[start:end])

    def reordered(self, order: Codes) -> TokenCorpus:
        """Return the same captions in another order, given as caption indices."""
        codes, starts = columns_in_order(self.codes, self.starts, order)
        return TokenCorpus(self.vocabulary, codes, starts)

    @property
    def unique(self) -> int:
        """The number of distinct captions."""
        return int(np.count_nonzero(self._sorted[1]))

    @cached_property
    def distinct(self) -> tuple[TokenCorpus, NDArray[np.int32]]:
        """The distinct captions, since systems repeat themselves, and the number of each caption.

        If few are repeated, all captions are returned: a copy would take memory and save little work.
        """
        order, new = self._sorted
        if self.unique > FEW_REPEATED * len(self):
            return self, np.arange(len(self), dtype=np.int32)
        numbers = np.empty(len(self), dtype=np.int32)
        numbers[order] = np.cumsum(new) - 1
        return self.reordered(order[new]), numbers

    @cached_property
    def spreads(self) -> dict[int, Spread]:
        """How n-grams are spread over captions, by their length, for the lengths requested so far."""
        return {}

    @property
    def canonical_order(self) -> Codes:
        """The captions sorted by their words, which makes seeded shuffles independent of the file's order."""
        return self._sorted[0]

    @cached_property
    def _sorted(self) -> tuple[Codes, NDArray[np.bool_]]:
        """The captions sorted by their words, and whether each differs from the previous one.

        Sorted word by word: only captions with the same beginning are compared further.
        """
        rank = np.empty(len(self.vocabulary) + 1, dtype=np.int64)
        rank[sorted(range(len(rank) - 1), key=self.vocabulary.__getitem__)] = np.arange(1, len(rank))
        order, new = np.arange(len(self)), np.ones(len(self), dtype=np.bool_)
        # positions, and the number of their group of equal prefixes
        alike, group = order.copy(), np.zeros(len(self), dtype=np.int64)
        depth = 0
        while alike.size:
            captions = order[alike]
            inside = self.lengths[captions] > depth
            word = np.zeros(alike.size, dtype=np.int64)  # 0: the caption has ended and comes first
            word[inside] = rank[self.codes[self.starts[captions[inside]] + depth]]
            key = group * len(rank) + word
            by_key = np.argsort(key, kind="stable")
            order[alike], key = captions[by_key], key[by_key]
            again = np.diff(key, prepend=-1) == 0
            group = np.cumsum(~again)
            ended = key % len(rank) == 0
            new[alike[again & ended]] = False
            left = (np.bincount(group)[group] > 1) & ~ended
            alike, group, depth = alike[left], group[left], depth + 1
        return order, new


class _Vocabulary(dict[str, int]):
    """Maps words to codes, lowercasing each distinct word once; words that are dropped have code -1."""

    def __init__(self, *, keep_spaces: bool) -> None:
        super().__init__()
        self.codes: dict[str, int] = {}
        self._keep_spaces = keep_spaces

    def __missing__(self, word: str) -> int:
        kept = self._keep_spaces or bool(word.strip())
        code = self.codes.setdefault(word.lower(), len(self.codes)) if kept else -1
        self[word] = code
        return code


def encode(captions: Sequence[Sequence[str]], *, mode: Mode = "assess") -> TokenCorpus:
    """Return captions, given as words, as a corpus of codes.

    The paper counts a token of white space (two blanks in a row) as a word; ours drops it.
    """
    vocabulary = _Vocabulary(keep_spaces=mode == "paper")
    starts = starts_of(np.fromiter(map(len, captions), dtype=np.int64, count=len(captions)))
    words = map(vocabulary.__getitem__, chain.from_iterable(captions))
    codes = np.fromiter(words, dtype=np.int32, count=int(starts[-1]))
    if -1 in vocabulary.values():
        kept = codes >= 0
        codes, starts = codes[kept], starts_of(kept)[starts]
    return TokenCorpus(tuple(vocabulary.codes), codes.astype(smallest(len(vocabulary.codes))), starts)


def encode_columns(columns: WordColumns, *, mode: Mode = "assess") -> TokenCorpus:
    """Return captions, given as columns, like `encode`."""
    vocabulary, words, starts = columns
    lowered = _Vocabulary(keep_spaces=mode == "paper")
    table = np.array([lowered[word] for word in vocabulary], dtype=np.int64)
    # Words are numbered in order of use; words of other captions have no number.
    first = np.full(len(vocabulary), words.size, dtype=np.int64)
    for part in reversed(list(stretches(words.size))):
        first[words[part][::-1]] = np.arange(part.stop - 1, part.start - 1, -1)
    used = np.flatnonzero(first < words.size)
    if (spaces := used[table[used] < 0]).size:
        dropped = places_of(words, np.isin(np.arange(len(vocabulary)), spaces))
        words, starts = np.delete(words, dropped), starts - np.searchsorted(dropped, starts)
    used = used[table[used] >= 0]
    firsts = np.full(len(lowered.codes), first.max(initial=0), dtype=np.int64)
    np.minimum.at(firsts, table[used], first[used])
    order = np.unique(table[used])
    order = order[np.argsort(firsts[order])]
    number = np.zeros(len(firsts), dtype=smallest(order.size))
    number[order] = np.arange(order.size)
    names = list(lowered.codes)
    codes = translated(words, number[table]) if words.size else words
    return TokenCorpus(tuple([names[code] for code in order.tolist()]), codes, starts)


def check_window(window: int) -> None:
    """Raise an error if a window could not hold a token."""
    if window < 1:
        raise UsageError(f"a window must have at least one token, not {window}")


def parallel(
    captions: Mapping[str, Sequence[Sequence[str]]], *, sets: int | None = None, mode: Mode = "assess"
) -> tuple[TokenCorpus, ...]:
    """Return the n-th descriptions of all images as one corpus, for each n: references as systems.

    By default, there are as many sets as every image can fill, as in the paper. If more sets are requested,
    images with fewer descriptions are missing from the later ones.
    """
    count = min((len(texts) for texts in captions.values()), default=0) if sets is None else sets
    return tuple(_parallel_set(captions, number, mode) for number in range(count))


def _parallel_set(captions: Mapping[str, Sequence[Sequence[str]]], number: int, mode: Mode) -> TokenCorpus:
    present = {image: texts[number] for image, texts in captions.items() if number < len(texts)}
    return encode(list(present.values()), mode=mode)


def ngram_codes(
    corpus: TokenCorpus, length: int, *, across_captions: bool, within: tuple[int, int] | None = None
) -> tuple[Codes, Codes]:
    """Return a code for each n-gram in order, and the position of its first token.

    The paper's n-grams continue from one caption into the next; ours stay within a caption. With `within`,
    only a range of tokens is used. Codes from the same call can be compared.
    """
    if length < 1:
        raise UsageError(f"an n-gram must have at least one word, not {length}")
    tokens, base = corpus.codes[slice(*within or (None,))], max(1, len(corpus.vocabulary))
    codes = tokens.astype(np.int64)
    for offset in range(1, length):
        if codes.size and codes.max() >= np.iinfo(np.int64).max // base - 1:
            codes = np.unique(codes, return_inverse=True)[1]  # compact codes again, before they overflow
        codes = codes[:-1] * base + tokens[offset:]
    places = np.arange(codes.size, dtype=np.int64) + (within[0] if within else 0)
    if across_captions or length == 1:
        return codes, places
    ends = np.repeat(corpus.starts[1:], corpus.lengths)[places]
    inside = places + length <= ends
    return codes[inside], places[inside]


def caption_ngrams(corpus: TokenCorpus, length: int) -> Iterator[tuple[slice, Codes, Codes]]:
    """Yield some captions, their n-grams, and the caption of each n-gram. All codes can be compared."""
    base = max(1, len(corpus.vocabulary))
    if base**length > np.iinfo(np.int64).max:
        raise UsageError(f"there are too many words for intervals of n-grams of {length} words")
    ends = np.searchsorted(corpus.starts, np.arange(AT_ONCE, corpus.codes.size, AT_ONCE))
    for first, last in pairwise(np.unique([0, *ends.tolist(), len(corpus)]).tolist()):
        words = corpus.codes[corpus.starts[first] : corpus.starts[last]].astype(np.int64)
        captions = np.repeat(np.arange(first, last), corpus.lengths[first:last])
        number = max(0, words.size - length + 1)
        codes = np.zeros(number, dtype=np.int64)
        for offset in range(length):
            codes = codes * base + words[offset : offset + number]
        inside = captions[:number] == captions[words.size - number :]
        yield slice(first, last), codes[inside], captions[:number][inside]


def ngram_parts(corpus: TokenCorpus, length: int) -> Iterator[tuple[Codes, Codes]]:
    """Yield n-grams within captions and the caption of each, in parts; equal n-grams are in the same part."""
    if corpus.codes.size <= AT_ONCE:
        codes, places = ngram_codes(corpus, length, across_captions=False)
        yield codes, corpus.caption_of(places)
        return
    parts = _parts_of_ngrams(corpus, length)
    for part in range(int(parts.max()) + 1):
        places = np.flatnonzero(parts == part)
        captions = corpus.caption_of(places)
        inside = places + length <= corpus.starts[captions + 1]
        places = places[inside]
        rows = np.stack([corpus.codes[places + offset] for offset in range(length)], axis=1)
        stretch = TokenCorpus(corpus.vocabulary, rows.ravel(), np.arange(len(rows) + 1) * length)
        yield ngram_codes(stretch, length, across_captions=False)[0], captions[inside]


def _parts_of_ngrams(corpus: TokenCorpus, length: int) -> Column:
    """Return a part for each n-gram, based on all of its words: equal n-grams have the same part."""
    number = min(corpus.codes.size // AT_ONCE + 1, 1 << 16)
    parts: Column = np.empty(corpus.codes.size, dtype=smallest(number))
    for part in stretches(corpus.codes.size):
        mixed = np.zeros(part.stop - part.start, dtype=np.int64)
        for offset in range(length):
            words = corpus.codes[part.start + offset : part.stop + offset]
            mixed[: words.size] = (mixed[: words.size] * _FACTOR + words) % number
        parts[part] = mixed
    return parts


_FACTOR = 31_337  # a prime, so that it has no common divisor with most numbers of parts
