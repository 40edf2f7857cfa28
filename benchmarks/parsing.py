"""Time our two engines and NLTK's chart parser with one grammar on the same chunks.

Run: python benchmarks/parsing.py [ROUNDS]
The papers' own grammar is used where ../shared/data has it; else the shipped people domain. Every engine
gives the categories of each chunk and where they stand: NLTK's are collected from its trees. Rounds are
interleaved, each begins with nothing remembered, and the best round of each engine counts.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import nltk

from assess.grammar import Parser
from assess.grammar.export import nltk_productions
from assess.taxonomy import Taxonomy, load_taxonomy
from assess.taxonomy.syntax import import_cfg

PAPERS = Path(__file__).resolve().parents[2] / "shared" / "data" / "people_grammar"
MADE = ("a man", "a young woman", "two little boys", "a tall old man", "the happy girl", "three people")
EARLEY_CHUNKS = 60  # stock Lark is a check, not a competitor: a part of the chunks is enough

Parse = Callable[[str], object]


def setup() -> tuple[str, Taxonomy, str, list[str]]:
    """Return the grammar's name, its taxonomy, its text in NLTK's notation, and chunks."""
    if PAPERS.is_dir():
        text = (PAPERS / "1.0" / "full_grammar.cfg").read_text(encoding="utf-8")
        chunks = (PAPERS / "person_chunks.txt").read_text(encoding="utf-8").split("\n")
        name, taxonomy = "the papers' grammar", import_cfg(text, file="cfg", name="papers").taxonomy
        return name, taxonomy, text, [chunk for chunk in chunks if chunk]
    taxonomy = load_taxonomy("people")
    return "the people domain", taxonomy, nltk_productions(Parser(taxonomy).grammar), list(MADE)


def measure(rounds: int) -> tuple[str, dict[str, float]]:
    """Return what was parsed, and the processor seconds a chunk of each engine."""
    name, taxonomy, text, chunks = setup()
    grammar = Parser(taxonomy).grammar
    theirs = nltk.ChartParser(nltk.CFG.fromstring(text))
    some = random.Random(1).sample(chunks, min(EARLEY_CHUNKS, len(chunks)))
    gc.set_threshold(100_000, 50, 50)  # as the command line does, for all engines alike
    best: dict[str, float] = {}
    for _ in range(rounds):
        ways: dict[str, tuple[Parse, Sequence[str]]] = {
            "fast": (Parser(grammar).analyse, chunks),
            "NLTK ChartParser": (lambda chunk: categories(theirs, chunk), chunks),
            "NLTK ChartParser, trees only": (lambda chunk: trees(theirs, chunk), chunks),
            "Lark Earley": (Parser(grammar, engine="reference").analyse, some),
        }
        for way, (parse, part) in ways.items():
            seconds = _seconds(parse, part) / len(part)
            best[way] = min(best.get(way, seconds), seconds)
    return f"{len(chunks)} distinct chunks, {name}", best


def trees(parser: nltk.ChartParser, chunk: str) -> list[nltk.Tree]:
    """Return the trees of a chunk; none where it has a word that the grammar lacks."""
    try:
        return list(parser.parse(chunk.split()))
    except ValueError:
        return []


def categories(parser: nltk.ChartParser, chunk: str) -> set[tuple[str, int, int]]:
    """Return the categories in any tree of a chunk, each with its first and last token."""
    found: set[tuple[str, int, int]] = set()
    for tree in trees(parser, chunk):
        position = 0
        for leaf in tree.subtrees(lambda part: part.height() == 2):
            found.add((leaf.label(), position, position + len(leaf)))
            position += len(leaf)
    return found


def _seconds(parse: Parse, chunks: Sequence[str]) -> float:
    start = time.process_time()
    for chunk in chunks:
        parse(chunk)
    return time.process_time() - start


def main() -> None:
    what, times = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    print(what)
    for way, seconds in times.items():
        ratio = times["NLTK ChartParser"] / seconds
        print(f"{way:30} {seconds * 1e3:9.3f} ms a chunk   {ratio:8.1f} times NLTK's speed")


if __name__ == "__main__":
    main()
