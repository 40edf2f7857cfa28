"""Limits on what is read: their defaults, the environment variables that raise them, and errors.

Inputs are untrusted, or come from models that repeat themselves. Anything beyond a limit would take hours or
all memory; users who need it can set an environment variable.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from assess.errors import InputError, Place, UsageError, visible


@dataclass(frozen=True, slots=True)
class Limit:
    """The maximum of something, which an environment variable can change."""

    variable: str
    default: int
    what: str  # for the documentation, and after the number in messages

    @property
    def most(self) -> int:
        """The limit in effect."""
        chosen = os.environ.get(self.variable)
        if not chosen:
            return self.default
        if not (chosen.isascii() and chosen.isdigit() and 0 < int(chosen[:19]) < 10**18):
            message = f"{self.variable} must be a positive integer, not '{visible(chosen, 40)}'"
            raise UsageError(message, hint=f"the default is {self.default}")
        return int(chosen)

    def check(self, number: int, message: str, place: Place | None = None) -> None:
        """Raise an error that begins with `message` if a number exceeds the limit."""
        if number > self.most:
            raise self.exceeded(message, place)

    def exceeded(self, message: str, place: Place | None = None) -> InputError:
        """Return the error for something beyond the limit, which says how to raise it."""
        hint = f"if this size is intended, raise {self.variable}"
        return InputError(f"{message} (at most {self.most:,} {self.what})", place=place, hint=hint)


SENTENCE_WORDS = Limit("ASSESS_MAX_SENTENCE_WORDS", 300, "words in a sentence of a caption")
CAPTION_WORDS = Limit("ASSESS_MAX_CAPTION_WORDS", 10_000, "words in a caption")
RECORD_SIZE = Limit("ASSESS_MAX_RECORD", 64_000_000, "characters in a line or record")
FILE_SIZE = Limit("ASSESS_MAX_FILE", 256_000_000, "bytes in a file that is read as a whole")
EXPANSION = Limit("ASSESS_MAX_EXPANSION", 200, "times its size, if that is more than 256 MB")
SYSTEMS = Limit("ASSESS_MAX_SYSTEMS", 250, "caption files in one run")
CATEGORIES = Limit("ASSESS_MAX_CATEGORIES", 1_000, "categories in a taxonomy")
PATTERN_COST = Limit("ASSESS_MAX_PATTERN", 100_000, "ways to match a pattern of a taxonomy")

ALL = tuple(limit for limit in tuple(vars().values()) if isinstance(limit, Limit))

EXPANDED = 256_000_000
"""Size in bytes up to which a compressed file is always unpacked."""


# Captions that are too long to analyse.
#
# Such a caption almost always comes from a model that repeats itself. Its tree would be hundreds of words
# deep, and the time for analysing trees is quadratic in the length of a sentence. The decision depends only
# on the text, so that all measures, engines and models leave out the same captions.

# A sentence ends in a full stop and white space, or at the end of a line. A very long word counts as several.
_TOKEN = re.compile(r"([.!?](?=\s|$)|\n)|\w{1,100}|[^\w\s]")


def overlong() -> Callable[[str], bool]:
    """Return a function that tests whether a text is too long to analyse, with the limits now in effect."""
    sentence_words, caption_words = SENTENCE_WORDS.most, CAPTION_WORDS.most
    shortest = min(sentence_words, caption_words)

    def is_overlong(text: str) -> bool:
        if len(text) <= shortest:  # a word has at least one character
            return False
        in_sentence = 0
        for words, token in enumerate(_TOKEN.finditer(text), start=1):
            in_sentence = 0 if token[1] else in_sentence + 1
            if in_sentence > sentence_words or words > caption_words:
                return True
        return False

    return is_overlong


def sentence_ends(text: str) -> list[int]:
    """Return where sentences end, as offsets of the following text."""
    return [token.end() for token in _TOKEN.finditer(text) if token[1]]


def chosen_limits() -> dict[str, int]:
    """Return the limits that can change numbers and differ from their defaults, for signatures."""
    named = {"max_sentence_words": SENTENCE_WORDS, "max_caption_words": CAPTION_WORDS}
    return {name: limit.most for name, limit in named.items() if limit.most != limit.default}
