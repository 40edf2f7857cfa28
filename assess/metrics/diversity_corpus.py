"""Captions as arrays of word codes, which every diversity measure reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from assess.errors import UsageError
from assess.metrics.metric import Mode

Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)  # no slots: cached properties need a __dict__
class TokenCorpus:
    """The lowercased tokens of captions in file order, coded by their place in the vocabulary."""

    vocabulary: tuple[str, ...]
    codes: Codes  # of every token of every caption
    starts: Codes  # where each caption starts in `codes`, and the end of the last one
    given_images: tuple[str, ...] | None = None  # of each caption; None: each has one of its own

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def images(self) -> tuple[str, ...]:
        """The image id of each caption; where none were given, its number from 1."""
        # Made when asked for: the basic measures do not need ids, and naming them takes its time.
        return self.given_images or tuple(map(str, range(1, len(self) + 1)))

    @cached_property
    def lengths(self) -> Codes:
        """The number of tokens of each caption."""
        return np.diff(self.starts)

    @cached_property
    def caption_of_token(self) -> Codes:
        """The index of the caption that each token is in."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    def words(self, caption: int) -> tuple[str, ...]:
        """Return the words of one caption."""
        start, end = self.starts[caption], self.starts[caption + 1]
        return tuple(self.vocabulary[code] for code in self.codes[start:end])

    def reordered(self, order: Codes) -> TokenCorpus:
        """Return the same captions in another order, given as caption indices."""
        lengths = self.lengths[order]
        starts = _starts(lengths)
        places = np.repeat(self.starts[order] - starts[:-1], lengths) + np.arange(starts[-1])
        images = tuple(self.images[caption] for caption in order)
        return TokenCorpus(self.vocabulary, self.codes[places], starts, images)

    def canonical(self) -> TokenCorpus:
        """Return the captions sorted by their words, so that a seeded shuffle forgets the file's order."""
        rank = np.empty(len(self.vocabulary), dtype=np.int64)
        rank[sorted(range(len(rank)), key=self.vocabulary.__getitem__)] = np.arange(len(rank))
        ranks, starts = rank[self.codes].tolist(), self.starts.tolist()
        order = sorted(range(len(self)), key=lambda caption: ranks[starts[caption] : starts[caption + 1]])
        return self.reordered(np.array(order, dtype=np.int64))


class _Vocabulary(dict[str, int]):
    """Word to code, lowercasing each distinct word once; a word that is not kept has code -1."""

    def __init__(self, *, keep_spaces: bool) -> None:
        super().__init__()
        self.codes: dict[str, int] = {}
        self._keep_spaces = keep_spaces

    def __missing__(self, word: str) -> int:
        kept = self._keep_spaces or bool(word.strip())
        code = self.codes.setdefault(word.lower(), len(self.codes)) if kept else -1
        self[word] = code
        return code


def encode(
    captions: Sequence[Sequence[str]], *, images: Sequence[str] | None = None, mode: Mode = "assess"
) -> TokenCorpus:
    """Return captions, given as words, as a corpus of codes; without images each caption has its own.

    The paper counts a token of white space (two blanks in a row) as a word; ours drops it.
    """
    names = None if images is None else tuple(images)
    if names is not None and len(names) != len(captions):
        raise UsageError(f"{len(captions)} captions came with {len(names)} image ids; each needs one")
    vocabulary = _Vocabulary(keep_spaces=mode == "paper")
    starts = _starts(np.fromiter(map(len, captions), dtype=np.int64, count=len(captions)))
    words = map(vocabulary.__getitem__, chain.from_iterable(captions))
    codes = np.fromiter(words, dtype=np.int64, count=int(starts[-1]))
    if -1 in vocabulary.values():
        kept = codes >= 0
        codes, starts = codes[kept], _starts(kept)[starts]
    return TokenCorpus(tuple(vocabulary.codes), codes, starts, names)


def _starts(lengths: NDArray[np.int64] | NDArray[np.bool_]) -> Codes:
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def check_window(window: int) -> None:
    """Raise an error where a window could not hold a token."""
    if window < 1:
        raise UsageError(f"a window has at least one token, not {window}")


def parallel(
    captions: Mapping[str, Sequence[Sequence[str]]], *, sets: int | None = None, mode: Mode = "assess"
) -> tuple[TokenCorpus, ...]:
    """Return the n-th descriptions of all images as one corpus, for each n: references as systems.

    By default as many sets as every image can fill, as in the paper. With more sets asked for, an
    image with fewer descriptions is missing from the later ones.
    """
    count = min((len(texts) for texts in captions.values()), default=0) if sets is None else sets
    return tuple(_parallel_set(captions, number, mode) for number in range(count))


def _parallel_set(captions: Mapping[str, Sequence[Sequence[str]]], number: int, mode: Mode) -> TokenCorpus:
    present = {image: texts[number] for image, texts in captions.items() if number < len(texts)}
    return encode(list(present.values()), images=list(present), mode=mode)


def ngram_codes(corpus: TokenCorpus, length: int, *, across_captions: bool) -> tuple[Codes, Codes]:
    """Return a code for each n-gram in order, and the place of its first token.

    The paper's n-grams run on from one caption into the next; ours stay within a caption.
    """
    if length < 1:
        raise UsageError(f"an n-gram has at least one word, not {length}")
    codes, base = corpus.codes, max(1, len(corpus.vocabulary))
    for offset in range(1, length):
        if codes.size and codes.max() >= np.iinfo(np.int64).max // base - 1:
            codes = np.unique(codes, return_inverse=True)[1]  # dense again, before it overflows
        codes = codes[:-1] * base + corpus.codes[offset:]
    places = np.arange(codes.size, dtype=np.int64)
    if across_captions or length == 1:
        return codes, places
    captions = corpus.caption_of_token
    inside = captions[places] == captions[places + length - 1]
    return codes[inside], places[inside]
