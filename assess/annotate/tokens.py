"""Tokenise with spaCy, in bounded time whatever the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

LONGEST_RUN = 500
"""Characters without a space that spaCy gets to see at once.

Its tokeniser needs time quadratic in the length of a run of punctuation or emoji: half a minute for
10,000 exclamation marks, days for a million. No word is this long, so cutting one harms nothing.
"""

LONG_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")

SURROGATE = re.compile("[\ud800-\udfff]")


def tokenise(pipeline: Any, text: str) -> Any:
    """Return a Doc with spaCy's tokens of a text; lone surrogates, no characters, become U+FFFD."""
    text = SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    if not LONG_RUN.search(text):
        return pipeline.make_doc(text)
    docs = [pipeline.make_doc(piece) for piece in _pieces(text)]
    return type(docs[0]).from_docs(docs, ensure_whitespace=False)


def _pieces(text: str) -> Iterator[str]:
    """Yield the text cut inside its long runs, and nowhere else."""
    start = 0
    for run in LONG_RUN.finditer(text):
        for cut in range(run.start() + LONGEST_RUN, run.end(), LONGEST_RUN):
            yield text[start:cut]
            start = cut
    yield text[start:]
