"""The one tokeniser that taxonomy phrases and caption chunks share.

Words keep their hyphens ("red-haired" is one token, so that "one-man" is never read as "one man"),
the possessive is a token of its own, and quotes, brackets and full stops are passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

POSSESSIVE = "'s"

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´", "'"))
_HYPHENS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_PIECE = re.compile(r"<[^\s<>]+>|[,&/]|[^\s,&/;:!?\"()\[\]{}<>…“”„«»‹›|*~^=+\\\x00-\x1f]+")
_EDGES = ".'-_"


@dataclass(frozen=True, slots=True)
class Token:
    """A normalised word and the characters it stands for."""

    text: str
    start: int
    end: int


def tokenise(text: str) -> tuple[Token, ...]:
    """Split text into normalised tokens with character offsets."""
    tokens: list[Token] = []
    for match in _PIECE.finditer(text):
        tokens.extend(_tokens_of_piece(match.group(), match.start(), tokens))
    return tuple(tokens)


def words_of(text: str) -> tuple[str, ...]:
    """Return the normalised tokens of a phrase, without offsets."""
    return tuple(token.text for token in tokenise(text))


def _tokens_of_piece(piece: str, start: int, before: list[Token]) -> list[Token]:
    if piece in {",", "&", "/"} or piece.startswith("<"):
        return [Token(piece.lower(), start, start + len(piece))]
    # Lower-casing may change a word's length, so offsets are settled before it.
    folded = piece.translate(_APOSTROPHES).translate(_HYPHENS)
    if folded in {"'s", "'S"} or (folded == "'" and before and before[-1].text.endswith("s")):
        return [Token(POSSESSIVE, start, start + len(piece))]
    stem, mark, mark_end = _split_possessive(folded)
    inner = stem.lstrip(_EDGES)
    begin = start + len(stem) - len(inner)
    tokens = [Token(inner.lower(), begin, begin + len(inner))] if inner else []
    if mark and tokens:
        tokens.append(Token(POSSESSIVE, start + mark_end - len(mark), start + mark_end))
    return tokens


def _split_possessive(word: str) -> tuple[str, str, int]:
    """Split "man's", "boys'" and "man's." into the word, its possessive mark and where that ends."""
    core = word.rstrip(_EDGES)
    stem = core
    while len(stem) > 2 and stem[-2:] in {"'s", "'S"}:
        stem = stem[:-2].rstrip(_EDGES)
    if stem != core:
        return stem, core[-2:], len(core)
    # An apostrophe before it would make it a closing quote: 'boys'.
    if len(core) > 1 and core[-1] in "sS" and word[len(core) :].startswith("'") and "'" not in core:
        return core, "'", len(core) + 1
    return core, "", len(core)
