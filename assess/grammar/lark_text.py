"""Writing Lark: rules and terminals as readable, deterministic text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assess.grammar.lexicon import joints
from assess.taxonomy.phrases import longest_first

WIDTH = 100
EDGES = """\
// Phrases begin and end at token boundaries; the text is tokens with one space between them.
LEFT: /(?<![^ ])/
RIGHT: /(?![^ ])/
%ignore " "
"""


def comment(text: str) -> str:
    """Return text as comment lines."""
    return "\n".join("// " + line if line else "//" for line in _wrap(text.split(" "), WIDTH - 3, " "))


def rule(name: str, alternatives: Sequence[str]) -> str:
    """Return a rule with its alternatives, wrapped."""
    lines = _wrap(list(alternatives), WIDTH - 8, " | ")
    return f"{name}: " + "\n    | ".join(lines)


def phrase_terminal(name: str, phrases: Sequence[str], *, exact: bool = False) -> str:
    """Return a terminal that matches any of the phrases."""
    if not phrases:
        return f"{name}: /(?!)./ // no words: it matches nothing"
    # Lark tries alternatives in our order where their widths tie; the longest must come first.
    literals = [_literal(phrase, exact=exact) for phrase in sorted(set(phrases), key=longest_first)]
    lines = _wrap(literals, WIDTH - 8, " | ")
    return f"{name}: LEFT ( " + "\n    | ".join(lines) + " ) RIGHT"


def pattern_terminal(name: str, regex: str) -> str:
    """Return a terminal that matches a regular expression."""
    return f"{name}: LEFT /{_slashes(regex)}/ RIGHT"


def _literal(phrase: str, *, exact: bool) -> str:
    words = phrase.split(" ")
    between = joints(words, exact=exact)
    if not between:
        return '"' + phrase.replace("\\", "\\\\").replace('"', '\\"') + '"'
    regex = re.escape(words[0])
    for joint, word in zip(between, words[1:], strict=True):
        regex += ("[- ]" if "-" in joint else " ") + re.escape(word)
    return f"/{_slashes(regex)}/"


def _slashes(regex: str) -> str:
    return regex.replace("/", r"\/")


def _wrap(parts: Sequence[str], width: int, joint: str) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(joint) + len(part) <= width:
            lines[-1] += joint + part
        else:
            lines.append(part)
    return lines
