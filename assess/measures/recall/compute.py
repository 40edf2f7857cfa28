"""Recall of words over all images, and the words that are left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, nan

from assess.errors import UsageError
from assess.measures.metric import ratio
from assess.measures.recall.local import WordMisses
from assess.measures.settings import Mode
from assess.measures.words import is_word

# Global recall: how much of the vocabulary that a system could have learned does it ever use?


@dataclass(frozen=True, slots=True)
class GlobalRecall:
    """Recall of the learnable words: those of the evaluation captions that training captions have too."""

    mode: Mode
    evaluation: int  # types of the evaluation captions
    learnable: int | None  # None where training captions are not known
    recalled: int | None  # None where nothing was described
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

    Words are lowercased tokens, with their counts. Paper: punctuation counts as a word, and deciles
    are of all evaluation types, those that no system can learn included. Ours: words only, and
    deciles of the learnable ones. A function of word counts alone, and those add. Without captions of
    the evaluated images, which is not the same as empty ones, `generated` is None and recall undefined.
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
        limit=float(ratio(len(learnable), len(counted))) if known else nan,
        deciles=tuple(_share(part, recalled) for part in _split(ordered, parts, mode)),
        notes=_global_notes(counted, learnable, known=known, parts=parts),
    )


def by_frequency(counts: Mapping[str, int]) -> list[str]:
    """Return words from the most to the least frequent; equals are in alphabetical order."""
    return sorted(counts, key=lambda word: (-counts[word], word))


def _split(words: Sequence[str], parts: int, mode: Mode) -> list[Sequence[str]]:
    """Return consecutive parts: of the same size and a shorter last one (paper), or as equal as can be."""
    if mode == "paper":
        size = max(1, ceil(len(words) / parts))
        edges = [min(len(words), size * part) for part in range(parts + 1)]
    else:
        edges = [len(words) * part // parts for part in range(parts + 1)]
    return [words[start:end] for start, end in pairwise(edges)]


def _share(words: Collection[str], recalled: Collection[str] | None) -> float:
    if recalled is None:
        return nan
    return float(ratio(sum(word in recalled for word in words), len(words)))


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


# Which words systems leave out: rankings over the whole vocabulary, and image by image.


def omitted_words(
    generated: Iterable[str], ranking: Mapping[str, int], *, learnable: Iterable[str]
) -> tuple[tuple[str, int], ...]:
    """Return learnable words that are never generated, by frequency in `ranking` (training or evaluation).

    For several systems at once, `generated` is all their words. Punctuation is no omission.
    """
    omitted = {word for word in learnable if is_word(word)} - set(generated)
    counts = {word: ranking.get(word, 0) for word in omitted}
    return tuple((word, counts[word]) for word in by_frequency(counts))


@dataclass(frozen=True, slots=True)
class Omission:
    """A word of one importance class, and how often it was missed."""

    word: str
    missed: int
    occurrences: int

    @property
    def miss_ratio(self) -> float:
        """The share of the word's occurrences that were missed (the paper's MissRatio)."""
        return float(ratio(self.missed, self.occurrences))


def by_count(misses: WordMisses, importance: int) -> tuple[Omission, ...]:
    """Return missed words of a class, the most often missed first: the paper's absolute ranking.

    Of words missed as often, the one missed in a larger share comes first; then the alphabet decides.
    """
    return _ranked(misses, importance, lambda omission: (-omission.missed, omission.occurrences))


def by_miss_ratio(misses: WordMisses, importance: int, *, least: int = 1) -> tuple[Omission, ...]:
    """Return missed words of a class by MissRatio, ties to the more frequent word, then the alphabet.

    `least` is the number of occurrences a word must have: the paper's relative ranking with threshold
    asks for ten a system, so ninety for its nine systems added. (Its code asks for *more than* ninety.)
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
