"""Captions as arrays of word codes, which every diversity measure reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assess.engine.captions import WordColumns, columns_in_order, starts_of
from assess.errors import InputError, UsageError
from assess.measures.intervals import Statistic, latest
from assess.measures.metric import Counts, ratio
from assess.measures.settings import Mode

Codes = NDArray[np.int64]
Words = NDArray[np.int32]

AT_ONCE = 1 << 19
"""Tokens that are worked on at once, where they do not depend on others: some 30 MB of memory."""


@dataclass(frozen=True, eq=False)  # no slots: cached properties need a __dict__
class TokenCorpus:
    """The lowercased tokens of captions in file order, coded by their place in the vocabulary."""

    vocabulary: tuple[str, ...]
    codes: Words  # of every token of every caption
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

    def caption_of(self, places: Codes) -> Codes:
        """Return the indices of the captions that tokens are in, given by their places."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def words(self, caption: int) -> tuple[str, ...]:
        """Return the words of one caption."""
        start, end = self.starts[caption], self.starts[caption + 1]
        return tuple(self.vocabulary[code] for code in self.codes[start:end])

    def reordered(self, order: Codes) -> TokenCorpus:
        """Return the same captions in another order, given as caption indices, without their image ids."""
        codes, starts = columns_in_order(self.codes, self.starts, order)
        return TokenCorpus(self.vocabulary, codes, starts)

    @cached_property
    def distinct(self) -> tuple[TokenCorpus, Codes]:
        """Each distinct caption once, as systems repeat themselves, and the number of each caption."""
        order, new = self._sorted
        if new.all():
            return self, np.arange(len(self))
        numbers = np.empty(len(self), dtype=np.int64)
        numbers[order] = np.cumsum(new) - 1
        return self.reordered(order[new]), numbers

    @cached_property
    def spreads(self) -> dict[int, Spread]:
        """How n-grams spread over captions, by their length, as far as that was asked for."""
        return {}

    @property
    def canonical_order(self) -> Codes:
        """The captions sorted by their words, so that a seeded shuffle forgets the file's order."""
        return self._sorted[0]

    @cached_property
    def _sorted(self) -> tuple[Codes, NDArray[np.bool_]]:
        """The captions sorted by their words, and whether each differs from the one before.

        Word by word: captions that begin alike stay together, and only these are looked at further.
        """
        rank = np.empty(len(self.vocabulary) + 1, dtype=np.int64)
        rank[sorted(range(len(rank) - 1), key=self.vocabulary.__getitem__)] = np.arange(1, len(rank))
        order, new = np.arange(len(self)), np.ones(len(self), dtype=np.bool_)
        alike, group = order.copy(), np.zeros(len(self), dtype=np.int64)  # places, and which are alike so far
        depth = 0
        while alike.size:
            captions = order[alike]
            inside = self.lengths[captions] > depth
            word = np.zeros(alike.size, dtype=np.int64)  # 0: the caption is at its end, and comes first
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
        raise UsageError(f"there are {len(captions)} captions but {len(names)} image ids")
    vocabulary = _Vocabulary(keep_spaces=mode == "paper")
    starts = starts_of(np.fromiter(map(len, captions), dtype=np.int64, count=len(captions)))
    words = map(vocabulary.__getitem__, chain.from_iterable(captions))
    codes = np.fromiter(words, dtype=np.int32, count=int(starts[-1]))
    if -1 in vocabulary.values():
        kept = codes >= 0
        codes, starts = codes[kept], starts_of(kept)[starts]
    return TokenCorpus(tuple(vocabulary.codes), codes, starts, names)


def encode_columns(
    columns: WordColumns, *, images: Sequence[str] | None = None, mode: Mode = "assess"
) -> TokenCorpus:
    """Return captions, given as columns, as `encode` does."""
    vocabulary, codes, starts = columns
    lowered = _Vocabulary(keep_spaces=mode == "paper")
    table = np.array([lowered[word] for word in vocabulary], dtype=np.int32)
    codes = table[codes] if table.size else codes
    if -1 in lowered.values():
        kept = codes >= 0
        codes, starts = codes[kept], starts_of(kept)[starts]
    # Words are numbered as they come, and those of other captions have no number.
    first = np.full(len(lowered.codes), codes.size, dtype=np.int64)
    first[codes[::-1]] = np.arange(codes.size)[::-1]
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < codes.size)]
    number = np.zeros(len(first), dtype=np.int32)
    number[order] = np.arange(order.size)
    words = list(lowered.codes)
    used = tuple([words[code] for code in order.tolist()])
    return TokenCorpus(used, number[codes], starts, None if images is None else tuple(images))


def check_window(window: int) -> None:
    """Raise an error where a window could not hold a token."""
    if window < 1:
        raise UsageError(f"a window must have at least one token, not {window}")


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


def ngram_codes(
    corpus: TokenCorpus, length: int, *, across_captions: bool, within: tuple[int, int] | None = None
) -> tuple[Codes, Codes]:
    """Return a code for each n-gram in order, and the place of its first token.

    The paper's n-grams run on from one caption into the next; ours stay within a caption. With
    `within`, only a stretch of tokens is read. Codes of one call compare.
    """
    if length < 1:
        raise UsageError(f"an n-gram must have at least one word, not {length}")
    tokens, base = corpus.codes[slice(*within or (None,))], max(1, len(corpus.vocabulary))
    codes = tokens.astype(np.int64)
    for offset in range(1, length):
        if codes.size and codes.max() >= np.iinfo(np.int64).max // base - 1:
            codes = np.unique(codes, return_inverse=True)[1]  # dense again, before it overflows
        codes = codes[:-1] * base + tokens[offset:]
    places = np.arange(codes.size, dtype=np.int64) + (within[0] if within else 0)
    if across_captions or length == 1:
        return codes, places
    ends = np.repeat(corpus.starts[1:], corpus.lengths)[places]
    inside = places + length <= ends
    return codes[inside], places[inside]


def last_before(codes: Words | Codes) -> Codes:
    """Return where each word last stood before; -1 where it did not."""
    # Numbers of two bytes are sorted in one pass.
    few = codes.astype(np.uint16) if codes.size and codes.max() <= np.iinfo(np.uint16).max else codes
    order = np.argsort(few, kind="stable")
    before = np.full(codes.size, -1, dtype=np.int64)
    same = codes[order][1:] == codes[order][:-1]
    before[order[1:][same]] = order[:-1][same]
    return before


# Type counts that do not depend on order: exact expectations over random samples.
#
# The published type-token ratio reads 1000 tokens at a time, that is about a hundred captions, in file
# order. Ours asks what it would be for captions drawn at random, and answers exactly: a type that is in d
# of N captions is missed by a sample of m captions with the probability C(N-d, m) / C(N, m). Ecologists
# call this sample-based rarefaction (Hurlbert 1971; Colwell et al. 2004). It was chosen over the two
# alternatives because - drawing single tokens (as HD-D does) forgets that the words of one caption come
# together, and so comes out too high by up to .008 on the paper's nine systems, where captions agree with
# the mean of twenty shuffles within .0001; - shuffling needs a seed and many repetitions, and its result
# cannot be merged, while the numbers of captions that have a type add up over any partition of the
# captions. N-grams stay within a caption here: a pair of words across two shuffled captions is not
# language.

HDD_SAMPLE = 42  # tokens; the customary sample of HD-D


@dataclass(frozen=True, slots=True)
class Spread:
    """How n-grams spread over captions: all that an expected type count depends on."""

    captions: int
    ngrams: int
    # Number of captions with a type -> number of such types. Parts do not add: a type can be in both.
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


def _histogram(frequencies: Codes) -> tuple[Codes, Codes]:
    """Return the numbers of captions that types are in, and how many types; types in none do not count."""
    return _without_zeros(np.bincount(frequencies))


def _without_zeros(types: Codes) -> tuple[Codes, Codes]:
    found = np.flatnonzero(types[1:]) + 1
    return found, types[found]


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Which captions have which types of n-gram: the captions of the first type, of the second, and so on."""

    captions: NDArray[np.int32]
    starts: Codes  # where each type starts, and the end of the last one

    @property
    def frequencies(self) -> Codes:
        """How many captions have each type."""
        return np.diff(self.starts)


def incidences(corpus: TokenCorpus, *, length: int = 1) -> Iterator[Incidence]:
    """Yield which n-grams are in which captions of a corpus, some types at a time."""
    captions = max(1, len(corpus))
    for codes, of_ngrams in ngram_parts(corpus, length):
        if codes.size and codes.max() >= np.iinfo(np.int64).max // captions - 1:
            codes = np.unique(codes, return_inverse=True)[1]
        # One sort of plain numbers does it all: by n-gram, then by caption, each pair once.
        found, of_pairs = np.divmod(np.unique(codes * captions + of_ngrams), captions)
        starts = np.flatnonzero(np.diff(found, prepend=-1))
        yield Incidence(of_pairs.astype(np.int32), np.append(starts, found.size))


def ngram_parts(corpus: TokenCorpus, length: int) -> Iterator[tuple[Codes, Codes]]:
    """Yield n-grams within captions and the caption of each, in parts; equal n-grams are in the same part."""
    if corpus.codes.size <= AT_ONCE:
        codes, places = ngram_codes(corpus, length, across_captions=False)
        yield codes, corpus.caption_of(places)
        return
    # Equal n-grams have the same first word.
    part_of_word = np.cumsum(np.bincount(corpus.codes)) // AT_ONCE
    for part in np.unique(part_of_word).tolist():
        places = np.flatnonzero((part_of_word == part)[corpus.codes])
        captions = corpus.caption_of(places)
        inside = places + length <= corpus.starts[captions + 1]
        places = places[inside]
        rows = np.stack([corpus.codes[places + offset] for offset in range(length)], axis=1)
        stretch = TokenCorpus(corpus.vocabulary, rows.ravel(), np.arange(len(rows) + 1) * length)
        yield ngram_codes(stretch, length, across_captions=False)[0], captions[inside]


def spread(corpus: TokenCorpus, *, length: int = 1) -> Spread:
    """Return how the n-grams of a corpus spread over its captions."""
    if length not in corpus.spreads:
        once, numbers = corpus.distinct
        captions = np.bincount(numbers, minlength=len(once))  # with the same words
        types = np.zeros(len(corpus) + 1, dtype=np.int64)  # by the number of captions that have them
        for found in incidences(once, length=length):
            if found.captions.size:
                sums = np.add.reduceat(captions[found.captions], found.starts[:-1])
                types += np.bincount(sums, minlength=types.size)
        histogram = (column.tolist() for column in _without_zeros(types))
        ngrams = int(np.maximum(0, corpus.lengths - length + 1).sum())
        corpus.spreads[length] = Spread(len(corpus), ngrams, tuple(zip(*histogram, strict=True)))
    return corpus.spreads[length]


@lru_cache(maxsize=16)  # thousands of resamples ask for the same
def log_factorials(most: int) -> Counts:
    """Return log(0!), log(1!), ..., log(most!)."""
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, most + 1, dtype=float)))))


def expected_found(frequencies: Codes, population: int, sample: int, logs: Counts) -> Counts:
    """Return the probability that a sample without replacement finds a type of each frequency."""
    spare = population - frequencies - sample
    possible = spare >= 0  # otherwise the sample is too large to miss the type
    missed = np.zeros(len(frequencies))
    held = frequencies[possible]
    choices = logs[population - held] - logs[spare[possible]]
    missed[possible] = np.exp(choices - logs[population] + logs[population - sample])
    return np.asarray(1.0 - missed)


def expected_types(spread: Spread, captions: float) -> float:
    """Return the expected number of types in that many random captions.

    Between two whole numbers of captions: the mixture of both that has the asked mean.
    """
    return _expected_types(*spread.columns, spread.captions, captions)


def _expected_types(frequencies: Codes, types: Codes, population: int, captions: float) -> float:
    if not 0 <= captions <= population:
        return float("nan")
    if not types.size:
        return 0.0
    logs = log_factorials(population)
    low = int(captions)
    high = min(low + 1, population)
    found = [float(types @ expected_found(frequencies, population, sample, logs)) for sample in (low, high)]
    return found[0] + (captions - low) * (found[1] - found[0])


def expected_ttr(spread: Spread, window: int) -> float:
    """Return the expected type-token ratio in a random sample of captions with `window` n-grams on average.

    `nan` where there are fewer n-grams than a window holds.
    """
    check_window(window)
    return _ttr(spread.columns, spread.captions, spread.ngrams, window=window)


def type_token_curve(spread: Spread, tokens: Sequence[int]) -> tuple[float, ...]:
    """Return the expected number of types at each number of tokens (Youmans 1990, without an order)."""
    samples = ratio([count * spread.captions for count in tokens], spread.ngrams)
    return tuple(expected_types(spread, sample) for sample in samples.tolist())


def hdd(counts: Codes, *, sample: int = HDD_SAMPLE) -> float:
    """Return HD-D: the expected type-token ratio of a random sample of tokens (McCarthy & Jarvis 2010)."""
    frequencies = np.sort(counts)
    total = int(frequencies.sum())
    if total < sample:
        return float("nan")
    found = expected_found(frequencies, total, sample, log_factorials(total))
    return float(found.sum()) / sample


# Bootstrap statistics of the order-free type-token ratio, whose tally is as wide as the vocabulary.


def ttr_statistics(
    corpus: TokenCorpus, images: Sequence[str], *, lengths: Iterable[int], window: int
) -> dict[int, Statistic]:
    """Return the expected type-token ratio of n-grams of each length as a function of the weights of images.

    A system's images by types would be a matrix of millions of cells; only those that are not 0 are kept.
    Captions with the same words are one, which is most of the work of systems that repeat themselves.
    Captions of images that are not listed do not count.
    """
    check_window(window)
    once, text_of_caption = corpus.distinct
    columns = _image_indices(corpus, images)
    listed = columns < len(images)
    # Whole numbers this small are exact in single precision, which is twice as fast.
    ones = partial(np.ones, dtype=np.float32)
    places = (text_of_caption[listed], columns[listed])
    images_of_texts = sparse.csr_array((ones(places[0].size), places), shape=(len(once), len(images)))
    text_weights = latest(lambda weights: images_of_texts @ weights.T.astype(np.float32, order="C"))

    def statistic(length: int) -> Statistic:
        parts = list(incidences(once, length=length))
        texts = np.concatenate([part.captions for part in parts])
        starts = starts_of(np.concatenate([part.frequencies for part in parts]))
        cells = ones(texts.size), texts, starts.astype(np.int32)
        texts_of_types = sparse.csr_array(cells, shape=(len(starts) - 1, len(once)))
        sizes = np.stack([np.ones(len(corpus)), np.maximum(0, corpus.lengths - length + 1)], axis=1)[listed]
        totals = np.zeros((len(images), 2))
        np.add.at(totals, columns[listed], sizes)

        def values(weights: Counts) -> Counts:
            frequencies = (texts_of_types @ text_weights(weights)).T.astype(np.int64, order="C")
            drawn = (weights @ totals).astype(np.int64).T.tolist()
            rows = zip(map(_histogram, frequencies), *drawn, strict=True)
            return np.array([_ttr(*row, window=window) for row in rows])

        return values

    return {length: statistic(length) for length in lengths}


def _image_indices(corpus: TokenCorpus, images: Sequence[str]) -> Codes:
    index = {image: place for place, image in enumerate(images)}
    if len(index) != len(images):
        raise InputError("an image is listed twice among the images to resample")
    return np.array([index.get(image, len(images)) for image in corpus.images], dtype=np.int64)


def _ttr(histogram: tuple[Codes, Codes], captions: int, ngrams: int, *, window: int) -> float:
    if ngrams < window:
        return float("nan")
    return _expected_types(*histogram, captions, window * captions / ngrams) / window
