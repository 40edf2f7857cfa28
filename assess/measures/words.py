"""Which words of a caption carry its content, by part of speech."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import compress
from typing import Protocol

from assess.errors import UsageError
from assess.measures.settings import Tagset

# fine: the annotator's Penn Treebank tags; universal: the tags of Universal Dependencies.

_CONTENT_PREFIXES = ("JJ", "NN", "VB", "RB")  # adjectives, nouns, verbs, adverbs, as in the paper
_CONTENT_UNIVERSAL = frozenset({"ADJ", "NOUN", "PROPN", "VERB", "ADV"})

_UNIVERSAL = {
    "AFX": "ADJ",
    "CC": "CCONJ",
    "CD": "NUM",
    "DT": "DET",
    "EX": "PRON",
    "FW": "X",
    "IN": "ADP",
    "JJ": "ADJ",
    "JJR": "ADJ",
    "JJS": "ADJ",
    "MD": "AUX",
    "NN": "NOUN",
    "NNS": "NOUN",
    "NNP": "PROPN",
    "NNPS": "PROPN",
    "PDT": "DET",
    "POS": "PART",
    "PRP": "PRON",
    "PRP$": "PRON",
    "RB": "ADV",
    "RBR": "ADV",
    "RBS": "ADV",
    "RP": "ADP",
    "SYM": "SYM",
    "TO": "PART",
    "UH": "INTJ",
    "VB": "VERB",
    "VBD": "VERB",
    "VBG": "VERB",
    "VBN": "VERB",
    "VBP": "VERB",
    "VBZ": "VERB",
    "WDT": "PRON",
    "WP": "PRON",
    "WP$": "DET",
    "WRB": "SCONJ",
    "_SP": "SPACE",
    "$": "SYM",
    **dict.fromkeys(["''", "``", ",", ".", ":", "-LRB-", "-RRB-", "HYPH", "NFP"], "PUNCT"),
}
_BE = frozenset({"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"})
_NEGATIONS = frozenset({"not", "n't"})


class Tagged(Protocol):
    """A caption as words with a part-of-speech tag each; `records.Annotation` is one."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words, in order."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The fine tag of each word."""


class Parsed(Tagged, Protocol):
    """A tagged caption with its dependency tree; `records.Annotation` is one."""

    @property
    def heads(self) -> tuple[int, ...]:
        """The index of each word's head; a root is its own head."""

    @property
    def deps(self) -> tuple[str, ...]:
        """The relation of each word to its head."""


def universal_tag(word: str, tag: str, dep: str = "") -> str:
    """Return the universal tag of a word from its fine tag, and from its relation where that decides.

    The fine tags do not tell auxiliaries from verbs: forms of *be*, and anything related to its head
    as an auxiliary, are AUX. An unknown tag is X.
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
    """Return the universal tag of each word; relations are used where the caption has them."""
    deps: Sequence[str] = getattr(caption, "deps", ()) or ("",) * len(caption.words)
    return tuple(
        universal_tag(word, tag, dep)
        for word, tag, dep in zip(caption.words, caption.tags, deps, strict=True)
    )


def content_words(caption: Tagged, *, tagset: Tagset = "fine") -> set[str]:
    """Return the distinct content words of a caption, lowercased."""
    if tagset not in ("fine", "universal"):
        raise UsageError(f"there is no tag set {tagset!r}", hint="choose fine or universal")
    universal = tagset == "universal"
    tags, chosen = (universal_tags(caption), _is_universal) if universal else (caption.tags, _is_content)
    return {word.lower() for word in compress(caption.words, map(chosen, tags))}


@cache  # there are some fifty tags
def _is_content(tag: str) -> bool:
    return tag.startswith(_CONTENT_PREFIXES)


_is_universal = _CONTENT_UNIVERSAL.__contains__


def is_word(token: str) -> bool:
    """Return whether a token has a letter or digit: not punctuation or space alone."""
    # The first test settles nearly all tokens, and faster.
    return token.isalnum() or any(character.isalnum() for character in token)
