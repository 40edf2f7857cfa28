"""The one tokeniser that taxonomy phrases and caption chunks share.

Words keep their hyphens ("red-haired" is one token, so that "one-man" is never read as "one man"),
the possessive is a token of its own, and quotes, brackets and full stops are passed over.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

POSSESSIVE = "'s"

_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´", "'"))
_LONE_APOSTROPHES = frozenset("'’‘ʼ`´")
_HYPHENS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_PIECE = re.compile(r"<[^\s<>]+>|[,&/]|[^\s,&/;:!?\"()\[\]{}<>…“”„«»‹›|*~^=+\\\x00-\x1f]+")
_PLAIN = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
_EDGES = ".'-_"


class Token(NamedTuple):
    """A normalised word and the characters it stands for."""

    text: str
    start: int
    end: int


def tokenise(text: str) -> tuple[Token, ...]:
    """Split text into normalised tokens with character offsets."""
    if _PLAIN.fullmatch(text):
        return _plain_tokens(text)
    tokens: list[Token] = []
    for match in _PIECE.finditer(text):
        piece, at = match.group(), match.start()
        if piece in _LONE_APOSTROPHES and tokens and tokens[-1].text.endswith("s"):
            tokens.append(Token(POSSESSIVE, at, at + 1))
        else:
            tokens += [Token(word, at + start, at + end) for word, start, end in _tokens_of_piece(piece)]
    return tuple(tokens)


def words_of(text: str) -> tuple[str, ...]:
    """Return the normalised tokens of a phrase, without offsets."""
    return tuple(token.text for token in tokenise(text))


def _plain_tokens(text: str) -> tuple[Token, ...]:
    """Split text that is normal already: most labels are."""
    tokens, at = [], 0
    for word in text.split(" "):
        end = at + len(word)
        tokens.append(Token(word, at, end))
        at = end + 1
    return tuple(tokens)


@lru_cache(maxsize=1 << 16)  # captions have few distinct words, again and again
def _tokens_of_piece(piece: str) -> tuple[Token, ...]:
    """Return the tokens of a piece without white space, as if the text began with it."""
    # Lower-casing may change a word's length, so offsets are settled before it.
    folded = piece.translate(_APOSTROPHES).translate(_HYPHENS)
    if folded in {",", "&", "/"} or folded.startswith("<"):
        return (Token(folded.lower(), 0, len(piece)),)
    if folded in {"'s", "'S"}:
        return (Token(POSSESSIVE, 0, len(piece)),)
    stem, mark, mark_end = _split_possessive(folded)
    inner = stem.lstrip(_EDGES)
    if not inner:
        return ()
    begin = len(stem) - len(inner)
    token = Token(inner.lower(), begin, begin + len(inner))
    return (token, Token(POSSESSIVE, mark_end - len(mark), mark_end)) if mark else (token,)


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
