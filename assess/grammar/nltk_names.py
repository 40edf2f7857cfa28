"""NLTK productions under the names that import reads: `AgeNoun` for a head category, `Age` for a modifier."""

from __future__ import annotations

from assess.grammar.nltk_export import nltk_productions
from assess.grammar.symbols import Grammar, Terminal, rule_name


def named_productions(grammar: Grammar) -> str:
    """Return a grammar as NLTK productions.

    A grammar with a phrase structure of its own gets names that `assess domain import` takes back. The
    built-in structure splits categories by constraints, so there the names stay those of the `.lark` file.
    """
    names = _names(grammar) if grammar.taxonomy.syntax is not None else {}
    lines = []
    for line in nltk_productions(grammar).splitlines():
        left, _, right = line.partition(" -> ")
        # A production has words or symbols on its right; words are in quotes.
        symbols = right if right[:1] in "'\"" else " ".join(names.get(part, part) for part in right.split())
        lines.append(f"{names.get(left, left)} -> {symbols}")
    return "\n".join(lines) + "\n"


def _names(grammar: Grammar) -> dict[str, str]:
    kinds = {f"WORD_{rule_name(name).upper()}": name for name in grammar.taxonomy.function_words}
    wanted = {name: _name(terminal, kinds) for name, terminal in grammar.terminals.items()}
    # Parts of one category (nouns that say more, open patterns) share its name; two categories may not.
    owners: dict[str, set[tuple[str, str]]] = {}
    for name, other in wanted.items():
        terminal = grammar.terminals[name]
        owners.setdefault(other, set()).add((terminal.kind, terminal.category or name))
    return {name: other for name, other in wanted.items() if len(owners[other]) == 1}


def _name(terminal: Terminal, kinds: dict[str, str]) -> str:
    if terminal.kind in ("head", "modifier"):
        return _capitals(terminal.category) + ("Noun" if terminal.kind == "head" else "")
    return _capitals(kinds[terminal.name]) if terminal.name in kinds else terminal.name


def _capitals(identifier: str) -> str:
    return "".join(part.capitalize() for part in identifier.split("-"))
