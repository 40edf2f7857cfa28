"""Recall of words over all images, and omitted words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, nan

from assess.errors import UsageError
from assess.measures.bias.tables import ratio
from assess.measures.recall.local import WordMisses
from assess.measures.settings import Mode
from assess.measures.words import is_word

# Global recall: how much of the vocabulary that a system could have learned it ever uses.


@dataclass(frozen=True, slots=True)
class GlobalRecall:
    """Recall of learnable words: those that occur both in evaluation and in training captions."""

    mode: Mode
    evaluation: int  # types in the evaluation captions
    learnable: int | None  # None without training captions
    recalled: int | None  # None if nothing was described
    coverage: float  # recalled / learnable
    limit: float  # learnable / evaluation: the share that any system could recall
    deciles: tuple[float, ...]  # coverage by frequency in the evaluation captions, most frequent first
    notes: tuple[str, ...]


def global_recall(
    generated: Iterable[str] | None,
    evaluation: Mapping[str, int],
    *,
    training: Mapping[str, int] | None = None,
    mode: Mode = "assess",
    parts: int = 10,
) -> GlobalRecall:
    """Return global recall of generated words (van Miltenburg et al. 2018, section 4).

    Words are lowercased tokens with their counts. In paper mode, punctuation counts as words, and deciles are
    over all evaluation types, including unlearnable ones. In our mode, only words count, and deciles are over
    learnable ones. The result only depends on additive word counts. If there are no captions of the evaluated
    images (as opposed to empty captions), `generated` is None and recall is undefined.
    """
    if parts < 1:
        raise UsageError(f"frequencies must be split into at least one part, not {parts}")
    counted = {word: count for word, count in evaluation.items() if mode == "paper" or is_word(word)}
    learnable = counted.keys() if training is None else counted.keys() & training.keys()
    recalled = None if generated is None else learnable & set(generated)
    target = counted if mode == "paper" else learnable
    ordered = by_frequency({word: counted[word] for word in target})
    known = training is not None
    return GlobalRecall(
        mode=mode,
        evaluation=len(counted),
        learnable=len(learnable) if known else None,
        recalled=None if recalled is None else len(recalled),
        coverage=_share(learnable, recalled) if known else nan,
        limit=ratio(len(learnable), len(counted)) if known else nan,
        deciles=tuple(_share(part, recalled) for part in _split(ordered, parts, mode)),
        notes=_global_notes(counted, learnable, known=known, parts=parts),
    )


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """Return words from most to least frequent; ties are in alphabetical order."""
    return sorted(sorted(counts), key=counts.__getitem__, reverse=True)


def _split(words: Sequence[str], parts: int, mode: Mode) -> list[Sequence[str]]:
    """Return consecutive parts: of the same size with a shorter last one (paper), or of nearly equal size."""
    if mode == "paper":
        size = max(1, ceil(len(words) / parts))
        edges = [min(len(words), size * part) for part in range(parts + 1)]
    else:
        edges = [len(words) * part // parts for part in range(parts + 1)]
    return [words[start:end] for start, end in pairwise(edges)]


def _share(words: Collection[str], recalled: Collection[str] | None) -> float:
    if recalled is None:
        return nan
    return ratio(sum(word in recalled for word in words), len(words))


def _global_notes(
    evaluation: Mapping[str, int], learnable: Iterable[str], *, known: bool, parts: int
) -> tuple[str, ...]:
    notes = []
    if not known:
        notes.append(
            "no training captions: coverage and its limit are undefined, and parts include all words"
        )
    elif not list(learnable):
        notes.append("training and evaluation captions share no word: coverage is undefined")
    if len(evaluation) < parts:
        notes.append(f"fewer than {parts} words: some parts by frequency are empty and undefined")
    return tuple(notes)


# Omitted words: rankings over the whole vocabulary, and image by image.


def omitted_words(
    generated: Iterable[str], ranking: Mapping[str, int], *, learnable: Iterable[str]
) -> tuple[tuple[str, int], ...]:
    """Return learnable words that are never generated, by frequency in `ranking` (training or evaluation).

    For several systems together, `generated` contains all their words. Punctuation is not an omission.
    """
    omitted = {word for word in learnable if is_word(word)} - set(generated)
    counts = {word: ranking.get(word, 0) for word in omitted}
    return tuple((word, counts[word]) for word in by_frequency(counts))


@dataclass(frozen=True, slots=True)
class Omission:
    """A word in one importance class, and how often it was missed."""

    word: str
    missed: int
    occurrences: int

    @property
    def miss_ratio(self) -> float:
        """The share of the word's occurrences that were missed (the paper's MissRatio)."""
        return ratio(self.missed, self.occurrences)


def by_count(misses: WordMisses, importance: int) -> tuple[Omission, ...]:
    """Return missed words of a class, most often missed first: the paper's absolute ranking.

    Ties are ordered by the share of missed occurrences, then alphabetically.
    """
    return _ranked(misses, importance, lambda omission: (-omission.missed, omission.occurrences))


def by_miss_ratio(misses: WordMisses, importance: int, *, least: int = 1) -> tuple[Omission, ...]:
    """Return missed words of a class by MissRatio; ties are ordered by frequency, then alphabetically.

    `least` is the minimum number of occurrences: the paper's relative ranking with a threshold requires ten
    per system, i.e. ninety for its nine systems together. (Its code requires *more than* ninety.)
    """
    ranked = _ranked(misses, importance, lambda omission: (-omission.miss_ratio, -omission.occurrences))
    return tuple(omission for omission in ranked if omission.occurrences >= least)


def _ranked(
    misses: WordMisses, importance: int, key: Callable[[Omission], tuple[float, float]]
) -> tuple[Omission, ...]:
    omissions = [
        Omission(word, missed, missed + misses.said.get((importance, word), 0))
        for (of_class, word), missed in misses.missed.items()
        if of_class == importance
    ]
    return tuple(sorted(omissions, key=lambda omission: (*key(omission), omission.word)))
