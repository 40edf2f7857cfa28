"""A compiled grammar in NLTK's notation: for other tools, and as an independent check of our engines."""

from __future__ import annotations

from collections.abc import Iterable

from assess.grammar.earley import compiled_rules
from assess.grammar.symbols import Grammar


def nltk_productions(grammar: Grammar, spellings: Iterable[tuple[str, str]] | None = None) -> str:
    """Return the grammar as NLTK productions, `start` first; terminals become symbols with words.

    `spellings` are (terminal, text) pairs to write; by default all of the lexicon. NLTK has no regular
    expressions, so terminals with open patterns need their spellings from the caller.
    """
    rules = compiled_rules(grammar.rules, grammar.terminals)
    lines = sorted({f"{left} -> {' '.join(right)}" for left, right in rules})
    lines.sort(key=lambda line: not line.startswith("start "))
    for terminal, text in sorted(set(grammar.lexicon.spellings() if spellings is None else spellings)):
        lines.append(f"{terminal} -> " + " ".join(_quoted(word) for word in text.split(" ")))
    return "\n".join(lines) + "\n"


def _quoted(word: str) -> str:
    return f'"{word}"' if "'" in word else f"'{word}'"
