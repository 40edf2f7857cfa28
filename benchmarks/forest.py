"""Time our engine and Lark's Earley parser on ambiguous grammars over words.

Run: python benchmarks/forest.py [SECONDS]
The grammars are of the kinds that users of Lark report as slow (its issues 21, 38, 1402 and 1492), written
anew: lists of names in which a comma may mean two things, words that may be grouped in any way, phrases that
may hang on each other. Texts grow until a parser takes more than SECONDS (2 by default) of processor time;
the time for its longest text is shown. Lark makes a packed forest (`forest`), or all trees at once
(`explicit`); we count all readings, and make the best one and the first. One process after the other.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from lark import Lark

from assess.grammar import WordGrammar

NAMES = """
start: author (separator author)*
author: NAME | NAME "," NAME
separator: "," | "and" | "," "and"
NAME: /[a-z]+(?: [a-z]+)*/
"""
GRAMMARS: dict[str, tuple[str, Callable[[int], str]]] = {
    "any grouping": ('start: group\ngroup: group group | "a"\n', lambda n: " ".join(["a"] * n)),
    "runs of one to three": (
        'start: run+\nrun: one | two | three\none: "a"\ntwo: "a" "a"\nthree: "a" "a" "a"\n',
        lambda n: " ".join(["a"] * n),
    ),
    "attachment": (
        'start: phrase\nphrase: noun | phrase place | phrase "and" phrase\nplace: "on" phrase\n'
        'noun: "hat" | "man"\n',
        lambda n: " ".join((["man", "on", "hat", "and"] * n)[: n - 1 + n % 2]),
    ),
    "lists of names": (
        NAMES,
        lambda n: " ".join((["lee", "kim", ",", "j", "k", "and", "ann", "lee", ","] * n)[: n - n % 9 + 5]),
    ),
}
LENGTHS = (10, 20, 30, 40, 60)


def forest_of(text: str, ambiguity: str) -> Callable[[str], object]:
    """Return Lark's parser; this lexer is the one that finds all readings."""
    lark = Lark(text + '%ignore " "\n', parser="earley", ambiguity=ambiguity, lexer="dynamic_complete")
    return lark.parse


def ours(text: str) -> Callable[[str], object]:
    """Return our parser, with all that it can tell."""
    grammar = WordGrammar(text)

    def parse(words: str) -> object:
        forest = grammar.parse(words)
        return forest.count, forest.best, next(iter(forest))

    return parse


def longest(parse: Callable[[str], object], made: Callable[[int], str], seconds: float) -> str:
    """Return how long a text a parser reads in time, and how long that takes."""
    shown = "none"
    for length in LENGTHS:
        text = made(length)
        begin = time.process_time()
        parse(text)
        spent = time.process_time() - begin
        shown = f"{len(text.split())} words in {spent:.3f} s"
        if spent > seconds / 4:  # the next one takes several times as long
            return shown
    return shown


def main() -> None:
    """Print one line for each grammar and parser."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
    for name, (text, made) in GRAMMARS.items():
        readings = WordGrammar(text).parse(made(LENGTHS[-1])).count
        print(f"{name} ({readings:.3g} readings of {len(made(LENGTHS[-1]).split())} words)")
        print(f"  ours            {longest(ours(text), made, seconds)}")
        for ambiguity in ("forest", "explicit"):
            print(f"  Lark {ambiguity:<10} {longest(forest_of(text, ambiguity), made, seconds)}")


if __name__ == "__main__":
    main()
