"""How varied a system's language is: lengths, types, type-token ratios and their modern relatives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import nan, sqrt

import numpy as np

from assess.errors import UsageError
from assess.measures.diversity.ordered import WINDOW, mtld, order_free_mtld, windowed_ttr
from assess.measures.diversity.tokens import (
    Spread,
    TokenCorpus,
    expected_ttr,
    hdd,
    incidence,
    spread,
    spread_of_frequencies,
)
from assess.measures.metric import Metric, ratio
from assess.measures.settings import Mode
from assess.measures.words import is_word

# The counts behind the diversity of a corpus, kept so that those of its parts add up.

Words = tuple[str, ...]
LENGTHS = (1, 2, 3)  # of the n-grams that are counted unless asked otherwise


@dataclass(frozen=True, slots=True)
class NgramTally:
    """How many n-grams there are, and in how many captions each of them is."""

    total: int
    captions: Mapping[Words, int]

    def __add__(self, other: NgramTally) -> NgramTally:
        return NgramTally(self.total + other.total, Counter(self.captions) + Counter(other.captions))


@dataclass(frozen=True, slots=True)
class DiversityTally:
    """Counts of captions, lengths, words, whole captions and n-grams. The sum of two is that of both."""

    captions: int = 0
    empty: int = 0
    tokens: int = 0
    squares: int = 0  # of the captions' lengths
    words: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[Words, int] = field(default_factory=dict)
    ngrams: Mapping[int, NgramTally] = field(default_factory=dict)

    def __add__(self, other: DiversityTally) -> DiversityTally:
        return DiversityTally(
            self.captions + other.captions,
            self.empty + other.empty,
            self.tokens + other.tokens,
            self.squares + other.squares,
            Counter(self.words) + Counter(other.words),
            Counter(self.texts) + Counter(other.texts),
            _add_ngrams(self.ngrams, other.ngrams),
        )

    def spread(self, length: int) -> Spread:
        """Return how the n-grams spread over captions, for expected type counts."""
        if length not in self.ngrams and self.captions:
            raise UsageError(f"n-grams of length {length} were not counted in this tally")
        tally = self.ngrams.get(length, NgramTally(0, {}))
        frequencies = np.fromiter(tally.captions.values(), dtype=np.int64, count=len(tally.captions))
        return spread_of_frequencies(frequencies, captions=self.captions, ngrams=tally.total)


def _add_ngrams(first: Mapping[int, NgramTally], second: Mapping[int, NgramTally]) -> dict[int, NgramTally]:
    none = NgramTally(0, {})
    return {
        length: first.get(length, none) + second.get(length, none) for length in sorted({*first, *second})
    }


def tally(corpus: TokenCorpus, *, lengths: tuple[int, ...] = LENGTHS) -> DiversityTally:
    """Return the counts of a corpus. The tallies of its parts, in any partition, add up to this one."""
    sizes = corpus.lengths
    counts = np.bincount(corpus.codes, minlength=len(corpus.vocabulary)).tolist()
    return DiversityTally(
        captions=len(corpus),
        empty=int(np.count_nonzero(sizes == 0)),
        tokens=int(sizes.sum()),
        squares=int((sizes * sizes).sum()),
        words=dict(zip(corpus.vocabulary, counts, strict=True)),
        texts=Counter(corpus.words(caption) for caption in range(len(corpus))),
        ngrams={length: _ngram_tally(corpus, length) for length in lengths},
    )


def _ngram_tally(corpus: TokenCorpus, length: int) -> NgramTally:
    found = incidence(corpus, length=length)
    words = (_words(corpus, place, length) for place in found.places.tolist())
    return NgramTally(found.ngrams, dict(zip(words, found.frequencies.tolist(), strict=True)))


def _words(corpus: TokenCorpus, place: int, length: int) -> Words:
    return tuple(corpus.vocabulary[code] for code in corpus.codes[place : place + length].tolist())


# Whether a caption is new, or one that the training captions already had.


def paper_key(text: str) -> str:
    """Return a caption as the paper compares it: lowercased, without full stops and the like at its ends.

    Its flaw: "a dog ." becomes "a dog " and so is never equal to "A dog.".
    """
    return text.lower().strip(".?!")


def token_key(words: Iterable[str]) -> Words:
    """Return a caption as we compare it: lowercased words, without tokens of punctuation or space alone."""
    return tuple(word.lower() for word in words if is_word(word))


@dataclass(frozen=True, slots=True)
class Novelty:
    """How many captions are not among the training captions. The sum of two is that of both."""

    captions: int = 0
    novel: int = 0

    def __add__(self, other: Novelty) -> Novelty:
        return Novelty(self.captions + other.captions, self.novel + other.novel)

    @property
    def share(self) -> float:
        """Novel captions of all captions, from 0 to 1; the paper prints it as a percentage."""
        return float(ratio(self.novel, self.captions))


def novelty(keys: Iterable[str] | Iterable[Words], training: Iterable[str] | Iterable[Words]) -> Novelty:
    """Return how many captions are novel; both sides are keys of the same rule, paper's or ours."""
    known = set(training)
    verdicts = [key not in known for key in keys]
    return Novelty(len(verdicts), sum(verdicts))


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
