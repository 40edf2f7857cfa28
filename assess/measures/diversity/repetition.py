"""How much a system repeats itself: over consecutive words, files, sets of captions, and single images.

All numbers are for captions in random order, drawn from their sorted list with a seed, so that the order of a
file does not matter. Numbers that grow with the number of captions are computed over sets of equal size.
"""

from __future__ import annotations

import bz2
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from scipy import sparse

from assess.engine.columns import Codes, Column, last_before, sorted_once
from assess.measures.diversity.compute import Numbers, distinct, mutual_bleu, shuffles
from assess.measures.diversity.tokens import TokenCorpus, encode, ngram_codes, ngram_parts
from assess.measures.metric import Counts, ratio
from assess.measures.postgen.compute import ORDER, DocumentFrequencies, Tokens, bleu, ngrams

MOVING_WINDOW = 50
REPEATED = 4
SET_SIZE = 100
MOST_SETS = 20
"""The maximum number of sets: two thousand captions determine the mean over sets to about a hundredth."""

_DIGITS = 9

Caption = list[int]


def repetition(corpus: TokenCorpus, *, seed: int = 1) -> Numbers:
    """Return how much a corpus repeats itself."""
    repeated, score = self_repetition(corpus)
    [shuffled] = shuffles(corpus, count=1, seed=seed)
    sets = list(_sets(shuffled))
    return {
        "mattr": moving_average_ttr(shuffled.codes),
        "compression": compression_ratio(shuffled),
        "self_repetition": repeated,
        "self_repetition_score": score,
        "self_bleu4": self_bleu(sets),
        "vendi": float(np.mean([vendi_score(captions) for captions in sets])) if sets else float("nan"),
    }


def moving_average_ttr(codes: Column, *, window: int = MOVING_WINDOW) -> float:
    """Return the mean type-token ratio of all windows of consecutive words; `nan` without a full one."""
    windows = codes.size - window + 1
    if windows < 1:
        return float("nan")
    # A word counts in all windows that contain it and begin after its previous occurrence.
    types = 0
    for start, before in last_before(codes):
        places = np.arange(start, start + before.size)
        first = np.maximum(places - window, before) + 1
        last = np.minimum(places, windows - 1)
        types += int(np.maximum(0, last - np.maximum(first, 0) + 1).sum())
    return types / (windows * window)


def compression_ratio(corpus: TokenCorpus) -> float:
    """Return the size of all captions in bytes divided by their compressed size (bzip2).

    Unlike gzip, bzip2 gives the same output on every machine and hardly depends on the order of lines.
    """
    compressor, size, packed, said = bz2.BZ2Compressor(), 0, 0, False
    for text in _lines(corpus):
        size, packed, said = (
            size + len(text),
            packed + len(compressor.compress(text)),
            said or bool(text.strip()),
        )
    return size / (packed + len(compressor.flush())) if said else float("nan")


def _lines(corpus: TokenCorpus) -> Iterator[bytes]:
    """Yield the captions as lines of text in large blocks, without the final line ending."""
    number = len(corpus.vocabulary)
    words = [f"{word}{end}" for end in " \n" for word in corpus.vocabulary]
    table = np.array([*words, "\n"], dtype=object)
    for first in range(0, len(corpus), _LINES):
        last = min(first + _LINES, len(corpus))
        starts = corpus.starts[first : last + 1] - corpus.starts[first]
        codes = corpus.codes[corpus.starts[first] : corpus.starts[last]].astype(np.int64)
        full = np.diff(starts) > 0
        codes[starts[1:][full] - 1] += number
        codes = np.insert(codes, starts[:-1][~full], 2 * number)  # a caption without words is an empty line
        text = "".join(table[codes].tolist())
        yield (text if last < len(corpus) else text[:-1]).encode()


_LINES = 1 << 15


def self_repetition(corpus: TokenCorpus, *, length: int = REPEATED) -> tuple[float, float]:
    """Return the share of n-grams that another caption also has, and a score of mutual repetition.

    The share counts n-grams once per caption. The score is the mean over captions of log(sum
    over their n-grams of the captions that have it): Salkar et al. (2022), as in Shaib et al. (2024);
    captions that are too short do not count.
    """
    shared = total = 0
    sums = np.zeros(len(corpus))
    for codes, captions in ngram_parts(corpus, length):
        found = _occurrences(codes, captions)
        shared += int(found.frequencies[found.frequencies > 1].sum())
        total += int(found.frequencies.sum())
        sums += np.bincount(captions, weights=found.frequencies[found.types], minlength=len(corpus))
    logs = np.log(sums[sums > 0])
    return float(ratio(shared, total)), round(float(logs.mean()), _DIGITS) if logs.size else float("nan")


class Occurrences(NamedTuple):
    """The type of each n-gram and, for each type, its first n-gram and its number of captions."""

    types: Codes
    first: Codes
    frequencies: Codes


def _occurrences(codes: Codes, captions: Codes) -> Occurrences:
    _, first, types = np.unique(codes, return_index=True, return_inverse=True)
    base = max(1, first.size)
    frequencies = np.bincount(sorted_once(captions * base + types) % base, minlength=first.size)
    return Occurrences(types, first, frequencies)


def _sets(corpus: TokenCorpus) -> Iterator[list[Caption]]:
    """Yield pseudo-random sets of captions; none if there are too few captions for a set."""
    starts = corpus.starts[: MOST_SETS * SET_SIZE + 1].tolist()
    captions = [corpus.codes[start:end].tolist() for start, end in pairwise(starts)]
    for place in range(0, len(captions) - SET_SIZE + 1, SET_SIZE):
        yield captions[place : place + SET_SIZE]


def self_bleu(sets: Sequence[Sequence[Caption]]) -> float:
    """Return BLEU-4 of each caption against all others in its set, pooled; `nan` without a set."""
    if not sets:
        return float("nan")
    counts = np.zeros(2 * ORDER + 2)
    words, of_words = _flat(list(chain.from_iterable(sets)))
    # The same word in two sets gets two numbers, so that sets share no n-grams.
    of_sets = np.repeat(np.arange(len(sets)), [sum(map(len, captions)) for captions in sets])
    first = np.unique(of_sets * (words.max(initial=0) + 1) + words, return_inverse=True)[1]
    codes = first
    for length in range(1, ORDER + 1):
        if length > 1:
            codes = codes[:-1] * (first.max(initial=0) + 1) + first[length - 1 :]
            codes = np.unique(codes, return_inverse=True)[1]
        inside = of_words[: codes.size] == of_words[length - 1 :]
        counts[length - 1] = _matches(codes[inside], of_words[: codes.size][inside])
        counts[ORDER + length - 1] = np.count_nonzero(inside)
    for captions in sets:
        sizes = sorted(map(len, captions))
        closest = {size: _closest(sizes, size) for size in set(sizes)}
        counts[-2:] += sum(sizes), sum(map(closest.__getitem__, sizes))
    return float(bleu(counts))


def _flat(captions: Sequence[Caption]) -> tuple[Codes, Codes]:
    """Return the words of all captions in one array, and the caption of each word."""
    words = np.fromiter(chain.from_iterable(captions), dtype=np.int64)
    return words, np.repeat(np.arange(len(captions)), [len(caption) for caption in captions])


def _matches(ngrams: Codes, captions: Codes) -> int:
    """Return how many n-grams of each caption another caption has as often.

    In the caption that has an n-gram most often, it counts only as often as in the caption that comes second.
    """
    if not ngrams.size:
        return 0
    base = int(captions.max()) + 1
    found, numbers = np.unique(ngrams * base + captions, return_counts=True)
    of_ngrams = found // base
    order = np.lexsort((numbers, of_ngrams))
    of_ngrams, numbers = of_ngrams[order], numbers[order]
    same = np.append(of_ngrams[1:] == of_ngrams[:-1], False)  # as in the pair that follows
    most = np.flatnonzero(~same)
    second = np.where(np.append(False, same[:-1])[most], numbers[most - 1], 0)
    return int(numbers.sum() - numbers[most].sum() + second.sum())


def _closest(sizes: Sequence[int], size: int) -> int:
    """Return the length closest to a caption's own among sorted lengths, excluding its own."""
    place = bisect_left(sizes, size)
    others = [*sizes[max(0, place - 1) : place], *sizes[place + 1 : place + 2]]
    return min(others, key=lambda other: (abs(other - size), other))


def vendi_score(captions: Sequence[Caption]) -> float:
    """Return the effective number of distinct captions: exp of the entropy of the eigenvalues of K/n.

    K contains the cosines of the captions' counts of words and word pairs. Captions without words are
    identical.
    """
    words, of_words = _flat(captions)
    base, number = int(words.max(initial=0)) + 1, len(captions)
    pairs = np.flatnonzero(of_words[1:] == of_words[:-1])
    empty = np.flatnonzero(np.bincount(of_words, minlength=number) == 0)
    features = np.concatenate([words, base + words[pairs] * base + words[pairs + 1], np.full(empty.size, -1)])
    rows = np.concatenate([of_words, of_words[pairs], empty])
    # Columns are in order of first use: the last digits of a product depend on their order.
    by_row = np.argsort(rows, kind="stable")  # the words of each caption, then its pairs
    _, first, columns = np.unique(features[by_row], return_index=True, return_inverse=True)
    columns = np.argsort(np.argsort(first))[columns]
    shape = number, first.size
    matrix = np.bincount(rows[by_row] * first.size + columns, minlength=number * first.size).reshape(shape)
    matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return _effective_number(matrix @ matrix.T / number)


def _effective_number(matrix: Counts) -> float:
    """Return exp of the entropy of the eigenvalues of a symmetric matrix with trace 1."""
    values = np.linalg.eigvalsh(matrix)
    positive = values[values > 1e-12]
    # The last digits of matrix products depend on the processor and the number of threads.
    return round(float(np.exp(-(positive * np.log(positive)).sum())), _DIGITS)


# Slower measures, computed on request: the spectrum of all captions, and part-of-speech templates.

OWN_WORDS, SHARED_PLACES = 3000, 1000
TEMPLATE, MOST_TEMPLATES = 5, 100


def extended(corpus: TokenCorpus, tags: Sequence[Sequence[str]], *, seed: int = 1) -> Numbers:
    """Return the slower measures from captions and the tags of their words."""
    tagged = encode([[tag for tag in caption if tag != _SPACE] for caption in tags])
    [shuffled] = shuffles(tagged, count=1, seed=seed)
    rate, per_token = templates(tagged)
    return {
        "vendi_all": vendi_of_all(corpus),
        "pos_compression": compression_ratio(shuffled),
        "template_rate": rate,
        "templates_per_token": per_token,
    }


_SPACE = "_SP"  # the tag of white space


def vendi_of_all(corpus: TokenCorpus, *, own: int = OWN_WORDS, shared: int = SHARED_PLACES) -> float:
    """Return the effective number of all captions, based on the words that they share.

    The eigenvalues of the n x n kernel equal those of a matrix of words by words, so the cost is cubic in the
    number of words and not of captions. Words beyond the `own` most frequent ones are assigned to `shared`
    common columns.
    """
    texts = sorted(Counter(corpus.words(caption) for caption in range(len(corpus))).items())
    counts = Counter(dict.fromkeys(corpus.vocabulary, 0))
    for words, number in texts:
        counts.update({word: number * times for word, times in Counter(words).items()})
    order = sorted(counts, key=lambda word: (-counts[word], word))
    places = {word: at if at < own else own + (at - own) % shared for at, word in enumerate(order)}
    rows = np.repeat(np.arange(len(texts)), [max(1, len(words)) for words, _ in texts])
    # Captions without words are identical: they have a column of their own.
    columns = [place for words, _ in texts for place in ([places[word] for word in words] or [-1])]
    if not columns:
        return float("nan")
    found = sparse.csr_matrix((np.ones(rows.size), (rows, np.array(columns) + 1)))
    weights = np.array([number for _, number in texts]) / len(corpus)
    norms = np.asarray(found.multiply(found).sum(axis=1)).ravel()
    found = sparse.diags(np.sqrt(weights / norms)) @ found
    return _effective_number((found.T @ found).toarray())


def templates(tagged: TokenCorpus) -> tuple[float, float]:
    """Return the share of captions with a template, and templates per token.

    Templates are the most frequent tag sequences that several captions have (Shaib et al. 2024).
    """
    codes, places = ngram_codes(tagged, TEMPLATE, across_captions=False)
    captions = tagged.caption_of(places)
    found = _occurrences(codes, captions)
    several = np.flatnonzero(found.frequencies > 1)
    least = np.sort(found.frequencies[several])[::-1][:MOST_TEMPLATES].min(initial=np.iinfo(np.int64).max)
    common = several[found.frequencies[several] >= least].tolist()
    # Ties are broken alphabetically, not by the order of the file.
    common.sort(key=lambda at: (-found.frequencies[at], _sequence(tagged, int(places[found.first[at]]))))
    used = np.isin(found.types, common[:MOST_TEMPLATES])
    rate = ratio(np.unique(captions[used]).size, len(tagged))
    return float(rate), float(ratio(used.sum(), tagged.codes.size))


def _sequence(corpus: TokenCorpus, place: int) -> tuple[str, ...]:
    return tuple(corpus.vocabulary[code] for code in corpus.codes[place : place + TEMPLATE].tolist())


# Within an image, for systems with several captions per image.


ImageTexts = Sequence[Sequence[Tokens]]
"""The captions of each image, in lower case."""


def lowered(captions: Iterable[Sequence[Tokens]]) -> list[list[Tokens]]:
    """Return the captions of images in lower case."""
    return [[[word.lower() for word in words] for words in texts] for texts in captions]


def within_images(
    images: ImageTexts, *, scored: int | None = None, weights: DocumentFrequencies | None = None
) -> Numbers:
    """Return how varied the captions of the same image are; nothing without images with several captions.

    Self-CIDEr needs the `weights` of n-grams.

    By default, the number of captions that are scored is the number that all of these images have: the few
    images with more captions would otherwise determine further scores alone.
    """
    several = [texts for texts in images if len(texts) > 1]
    if not several:
        return {}
    count = scored or min(map(len, several))
    found = {
        "images_with_several": len(several),
        "captions_per_image": count,
        "mbleu4": mutual_bleu(several, captions_per_image=count),
        "distinct1": distinct(several, length=1),
        "distinct2": distinct(several, length=2),
    }
    if weights is not None:
        found["self_cider"] = self_cider([texts[:count] for texts in several], weights)
    return found


def self_cider(images: ImageTexts, weights: DocumentFrequencies) -> float:
    """Return the mean over images of how evenly the spectrum of their captions' similarities is spread.

    Similarities are those of CIDEr. For m captions, the score is -log_m(sqrt(largest eigenvalue) / sum of all
    square roots) (Wang & Chan 2019): 0 if all are identical, 1 if they share nothing. All images have the
    same number of captions.
    """
    kernel = np.mean([_cosines(images, length, weights) for length in range(1, ORDER + 1)], axis=0)
    roots = np.sqrt(np.clip(np.linalg.eigvalsh(kernel), 0, None))
    shares = ratio(roots.max(axis=1), roots.sum(axis=1))
    scores = -np.log(shares[np.isfinite(shares)]) / np.log(kernel.shape[1])
    return round(float(scores.mean()), _DIGITS) if scores.size else float("nan")


def _cosines(images: ImageTexts, length: int, weights: DocumentFrequencies) -> Counts:
    """Return the cosines of the weighted n-grams of each pair of captions, for all images."""
    each = len(images[0])
    places: dict[tuple[str, ...], int] = {}
    starts, columns, values = [0], list[int](), list[float]()
    for words in chain.from_iterable(images):
        for ngram, number in Counter(ngrams(words, length)).items():
            columns.append(places.setdefault(ngram, len(places)))
            values.append(number * weights.weight(ngram))
        starts.append(len(columns))
    found = sparse.csr_matrix((values, columns, starts), shape=(len(starts) - 1, max(1, len(places))))
    norms = np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel())
    found = sparse.diags(np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)) @ found
    kernel = np.zeros((len(images), each, each))
    rows = np.arange(0, found.shape[0], each)
    for one in range(each):
        for other in range(one, each):
            cosines = np.asarray(found[rows + one].multiply(found[rows + other]).sum(axis=1)).ravel()
            kernel[:, one, other] = kernel[:, other, one] = cosines
    return kernel
