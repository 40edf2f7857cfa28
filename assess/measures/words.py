"""Content words of captions, and words that a system over- or underuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from math import inf, log, log2
from typing import Literal, Protocol

from assess.errors import UsageError
from assess.measures.settings import Tagset

# fine: the annotator's Penn Treebank tags; universal: the tags of Universal Dependencies.

_CONTENT_PREFIXES = ("JJ", "NN", "VB", "RB")  # adjectives, nouns, verbs, adverbs, as in the paper
_CONTENT_UNIVERSAL = frozenset({"ADJ", "NOUN", "PROPN", "VERB", "ADV"})

_TAGS = {
    "ADJ": "AFX JJ JJR JJS",
    "CCONJ": "CC",
    "NUM": "CD",
    "DET": "DT PDT WP$",
    "PRON": "EX PRP PRP$ WDT WP",
    "X": "FW",
    "ADP": "IN RP",
    "AUX": "MD",
    "NOUN": "NN NNS",
    "PROPN": "NNP NNPS",
    "PART": "POS TO",
    "ADV": "RB RBR RBS",
    "SYM": "SYM $",
    "INTJ": "UH",
    "VERB": "VB VBD VBG VBN VBP VBZ",
    "SCONJ": "WRB",
    "SPACE": "_SP",
    "PUNCT": "'' `` , . : -LRB- -RRB- HYPH NFP",
}
_UNIVERSAL = {tag: universal for universal, tags in _TAGS.items() for tag in tags.split()}
_BE = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"})
_NEGATIONS = frozenset({"not", "n't"})


class Tagged(Protocol):
    """A caption as words, each with a part-of-speech tag, such as `records.Annotation`."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words, in order."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The fine tag of each word."""


class Parsed(Tagged, Protocol):
    """A tagged caption with its dependency tree, such as `records.Annotation`."""

    @property
    def heads(self) -> tuple[int, ...]:
        """The index of each word's head; a root is its own head."""

    @property
    def deps(self) -> tuple[str, ...]:
        """The relation of each word to its head."""


def universal_tag(word: str, tag: str, dep: str = "") -> str:
    """Return the universal tag of a word from its fine tag and, if necessary, its relation.

    Fine tags do not distinguish auxiliaries from verbs: forms of *be*, and everything that is related to its
    head as an auxiliary, are AUX. An unknown tag is X.
    """
    lowered = word.lower()
    if tag.startswith("VB") and (lowered in _BE or dep in {"aux", "auxpass"}):
        return "AUX"
    if tag == "RB" and lowered in _NEGATIONS:
        return "PART"
    if tag == "IN" and dep == "mark":
        return "SCONJ"
    return _UNIVERSAL.get(tag, "X")


def universal_tags(caption: Tagged) -> tuple[str, ...]:
    """Return the universal tag of each word; relations are used if the caption has them."""
    deps: Sequence[str] = getattr(caption, "deps", ()) or ("",) * len(caption.words)
    return tuple(
        universal_tag(word, tag, dep)
        for word, tag, dep in zip(caption.words, caption.tags, deps, strict=True)
    )


def content_words(caption: Tagged, *, tagset: Tagset = "fine") -> set[str]:
    """Return the distinct content words of a caption, lowercased."""
    return {word.lower() for word in compress(caption.words, content_flags(caption, tagset=tagset))}


def content_flags(caption: Tagged, *, tagset: Tagset = "fine") -> Iterator[bool]:
    """Return, for each word of a caption, whether it is a content word."""
    if tagset not in ("fine", "universal"):
        raise UsageError(f"there is no tag set {tagset!r}", hint="choose fine or universal")
    return (
        map(_is_universal, universal_tags(caption))
        if tagset == "universal"
        else map(is_content, caption.tags)
    )


@cache  # there are about fifty tags
def is_content(tag: str) -> bool:
    """Return whether words with a fine tag are content words."""
    return tag.startswith(_CONTENT_PREFIXES)


_is_universal = _CONTENT_UNIVERSAL.__contains__


def is_word(token: str) -> bool:
    """Return whether a token contains a letter or digit, unlike punctuation and white space."""
    # The first test is faster and decides nearly all tokens.
    return token.isalnum() or any(character.isalnum() for character in token)


# Words that a system uses more or less than the references do.

Use = Literal["over", "under", "equal"]


@dataclass(frozen=True, slots=True)
class WordUse:
    """How often a system and its references use a word, and how unlikely that is by chance."""

    word: str
    count: int
    reference_count: int
    log_likelihood: float  # G²; with one degree of freedom, 3.84 is p = .05 for a single word
    log_ratio: float  # log2 of the ratio of relative frequencies; infinite if one side lacks the word

    @property
    def use(self) -> Use:
        """Whether the word is used more or less than in the references."""
        return "over" if self.log_ratio > 0 else "under" if self.log_ratio < 0 else "equal"


def word_uses(
    counts: Mapping[str, int], references: Mapping[str, int], *, least: int = 5
) -> tuple[WordUse, ...]:
    """Return words by log-likelihood (Dunning 1993; Rayson & Garside 2000), highest first.

    Words with fewer than `least` occurrences on both sides together are omitted. The result is exploratory:
    there are thousands of words, so single p-values mean little. It is empty if one side has no words.
    """
    total, reference_total = sum(counts.values()), sum(references.values())
    if not total or not reference_total:
        return ()
    pairs = {word: (counts.get(word, 0), references.get(word, 0)) for word in {*counts, *references}}
    uses = [
        _word_use(word, pair, (total, reference_total)) for word, pair in pairs.items() if sum(pair) >= least
    ]
    return tuple(sorted(uses, key=lambda use: (-use.log_likelihood, use.word)))


def _word_use(word: str, observed: tuple[int, int], totals: tuple[int, int]) -> WordUse:
    expected = [total * sum(observed) / sum(totals) for total in totals]
    terms = (count * log(count / mean) for count, mean in zip(observed, expected, strict=True) if count)
    difference = observed[0] * totals[1] - observed[1] * totals[0]  # integers, so that equality is exact
    likelihood = max(0.0, 2 * sum(terms)) if difference else 0.0
    return WordUse(word, *observed, likelihood, _log_ratio(observed, totals))


def _log_ratio(observed: tuple[int, int], totals: tuple[int, int]) -> float:
    if not observed[1]:
        return inf
    if not observed[0]:
        return -inf
    return log2((observed[0] * totals[1]) / (observed[1] * totals[0]))
