"""Parts of speech, and abstract and concrete words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assess.errors import InputError
from assess.metrics.metric import Mode, ratio
from assess.metrics.recall_words import Tagged, Tagset, content_words, universal_tags


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words known to be concrete or abstract, lowercased."""

    concrete: frozenset[str]
    abstract: frozenset[str]

    def __post_init__(self) -> None:
        if both := sorted(self.concrete & self.abstract):
            raise InputError(f"{len(both)} words are listed as both concrete and abstract: {both[0]!r}")


def lexicon_of_ratings(
    ratings: Mapping[str, float], *, concrete_from: float, abstract_below: float
) -> Lexicon:
    """Return a lexicon from concreteness ratings (as of Brysbaert et al. 2014); between the two: neither."""
    if abstract_below > concrete_from:
        raise InputError(
            f"abstract below {abstract_below} and concrete from {concrete_from} overlap",
            hint="the first must not be larger than the second",
        )
    concrete = frozenset(word.lower() for word, rating in ratings.items() if rating >= concrete_from)
    abstract = frozenset(word.lower() for word, rating in ratings.items() if rating < abstract_below)
    return Lexicon(concrete, abstract)


def concreteness_counts(caption: Tagged, lexicon: Lexicon) -> tuple[int, int, int]:
    """Return how many distinct content words of a caption are abstract, concrete, and in all."""
    words = content_words(caption)
    return len(words & lexicon.abstract), len(words & lexicon.concrete), len(words)


def tags_of(caption: Tagged, *, tagset: Tagset = "fine", mode: Mode = "assess") -> tuple[str, ...]:
    """Return the part of speech of each word of a caption, in either set of tags.

    The paper counts a token of white space (two blanks in a row) as a word; ours drops it.
    """
    tags = caption.tags if tagset == "fine" else universal_tags(caption)
    if mode == "paper":
        return tags
    return tuple(tag for word, tag in zip(caption.words, tags, strict=True) if word.strip())


def tag_distribution(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the share of each part of speech, the most frequent first; empty without words."""
    total = sum(counts.values())
    ordered = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return {tag: float(ratio(counts[tag], total)) for tag in ordered}
