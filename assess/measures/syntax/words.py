"""Parts of speech, and abstract and concrete words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from assess.errors import InputError, Place, visible
from assess.measures.correlation.input import ScoreTable, read_score_table
from assess.measures.metric import Mode, ratio
from assess.measures.settings import Tagset
from assess.measures.words import Tagged, content_words, universal_tags


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


# A lexicon of abstract and concrete words, from a table of words with ratings or with classes.

_WORDS = ("word", "words", "lemma", "term")
_RATINGS = ("conc.m", "concreteness", "rating", "mean", "score")
_CLASSES = ("class", "kind", "category", "label")
_HINT = "a table with a first row such as word,rating or word,class"
MIDDLE = 3.0  # of a scale from 1 to 5, which is that of Brysbaert et al. (2014)


@dataclass(frozen=True, slots=True)
class Cut:
    """From which rating a word is concrete, and below which it is abstract; between them it is neither."""

    concrete_from: float = MIDDLE
    abstract_below: float = MIDDLE


@dataclass(frozen=True, slots=True)
class NamedLexicon:
    """A lexicon, and what identifies it in a signature."""

    words: Lexicon
    identity: str


def read_lexicon(path: Path, *, cut: Cut | None = None) -> NamedLexicon:
    """Read a table with a column of words and one of ratings, or of `abstract` and `concrete`."""
    cut = cut or Cut()
    table = read_score_table(path)
    names = _column(table.labels, _WORDS) or next(iter(table.labels), None)
    if names is None:
        raise InputError("the lexicon has no column of words", place=Place(str(path)), hint=_HINT)
    words = table.labels[names]
    if classes := _column(table.labels, _CLASSES):
        return _named(_of_classes(words, table.labels[classes], path), path.stem)
    ratings = dict(zip(words, _ratings(table, path), strict=True))
    found = lexicon_of_ratings(ratings, concrete_from=cut.concrete_from, abstract_below=cut.abstract_below)
    return _named(found, f"{path.stem} concrete>={cut.concrete_from:g} abstract<{cut.abstract_below:g}")


def _ratings(table: ScoreTable, path: Path) -> list[float]:
    name = _column(table.scores, _RATINGS) or next(iter(table.scores), None)
    if name is None:
        raise InputError("the lexicon has no column of ratings", place=Place(str(path)), hint=_HINT)
    ratings: list[float] = table.scores[name].tolist()
    return ratings


def _column(columns: Iterable[str], names: tuple[str, ...]) -> str | None:
    """Return the first of the usual names that is a column, as the file spells it."""
    folded = {name.strip().lower(): name for name in columns}
    return next((folded[name] for name in names if name in folded), None)


def _of_classes(words: tuple[str, ...], classes: tuple[str, ...], path: Path) -> Lexicon:
    found: dict[str, set[str]] = {"abstract": set(), "concrete": set()}
    for row, (word, kind) in enumerate(zip(words, classes, strict=True), start=1):
        if kind.strip().lower() not in found:
            message = f"a word is abstract or concrete, not '{visible(kind, 40)}'"
            raise InputError(message, place=Place(str(path), record=row))
        found[kind.strip().lower()].add(word.lower())
    return Lexicon(frozenset(found["concrete"]), frozenset(found["abstract"]))


def _named(words: Lexicon, name: str) -> NamedLexicon:
    """Return a lexicon with its name and a hash of its words, whatever the file looks like."""
    content = "\n".join([*sorted(words.abstract), "", *sorted(words.concrete)])
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return NamedLexicon(words, f"{name}#{digest[:12]}")
