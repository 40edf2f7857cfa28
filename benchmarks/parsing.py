"""Time our two engines and NLTK's chart parser with one grammar on the same chunks.

Run: python benchmarks/parsing.py [HOW_MANY_CHUNKS]
The papers' own grammar is used where ../shared/data has it; else the shipped people domain.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import nltk

from assess.grammar import Parser
from assess.grammar.nltk_export import nltk_productions
from assess.taxonomy import Taxonomy, load_taxonomy
from assess.taxonomy.cfg_import import import_cfg

PAPERS = Path(__file__).resolve().parents[2] / "shared" / "data" / "people_grammar"
MADE = ("a man", "a young woman", "two little boys", "a tall old man", "the happy girl", "three people")


def setup() -> tuple[str, Taxonomy, str, list[str]]:
    """Return the grammar's name, its taxonomy, its text in NLTK's notation, and chunks that it reads."""
    if PAPERS.is_dir():
        text = (PAPERS / "1.0" / "full_grammar.cfg").read_text(encoding="utf-8")
        chunks = (PAPERS / "person_chunks.txt").read_text(encoding="utf-8").split("\n")
        return "the papers' grammar", import_cfg(text, file="cfg", name="papers").taxonomy, text, chunks
    taxonomy = load_taxonomy("people")
    return "the people domain", taxonomy, nltk_productions(Parser(taxonomy).grammar), list(MADE)


def measure(count: int) -> tuple[str, dict[str, float]]:
    """Return what was parsed, and the processor seconds a chunk of each engine."""
    name, taxonomy, text, chunks = setup()
    fast, reference = Parser(taxonomy), Parser(taxonomy, engine="reference")
    theirs = nltk.ChartParser(nltk.CFG.fromstring(text))
    known = [chunk for chunk in chunks if chunk and fast.analyse(chunk).covered and len(chunk.split()) < 9]
    chosen = random.Random(1).sample(known, min(count, len(known)))
    ways: dict[str, tuple[Callable[[str], object], Sequence[str]]] = {
        "fast": (Parser(fast.grammar).analyse, chosen),
        "Lark Earley": (reference.analyse, chosen),
        "NLTK ChartParser": (lambda chunk: list(theirs.parse(chunk.split())), chosen),
    }
    times = {way: _seconds(parse, part) / len(part) for way, (parse, part) in ways.items()}
    return f"{len(chosen)} distinct chunks, {name}", times


def _seconds(parse: Callable[[str], object], chunks: Sequence[str]) -> float:
    start = time.process_time()
    for chunk in chunks:
        parse(chunk)
    return time.process_time() - start


def main() -> int:
    what, times = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
    print(what)
    for way, seconds in times.items():
        ratio = times["NLTK ChartParser"] / seconds
        print(f"{way:20} {seconds * 1e3:9.3f} ms a chunk   {ratio:8.1f} times NLTK's speed")
    return 0 if times["NLTK ChartParser"] >= 20 * times["fast"] else 1


if __name__ == "__main__":
    sys.exit(main())
