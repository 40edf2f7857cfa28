"""Compare the speed of annotation with plain uses of spaCy, on the same distinct captions.

Run: python benchmarks/annotation.py [CAPTIONS [HOW_MANY]]
All ways must find the same noun chunks. The loop is timed on a part of the captions, because it is slow.
"""

from __future__ import annotations

import os

# One thread for all, as in a pool of workers; set before numpy is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gc
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import spacy

from assess.annotate import Annotator, choose_model
from assess.corpus import parse_source, read_captions
from assess.grammar.labels import LabelFinder
from assess.grammar.load import load_grammar
from assess.grammar.parser import Parser

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "captions" / "references.json"
ROUNDS = 3
LOOPED = 10  # the loop sees every tenth caption
Chunks = list[tuple[tuple[int, int], ...]]


def reading_share(texts: Sequence[str]) -> tuple[float, float]:
    """Return processor seconds of annotating texts and of reading them; all but model and grammar is new."""
    # As on the command line: with default settings, collections of garbage, which visit everything that spaCy
    # keeps, would be counted as reading.
    gc.set_threshold(100_000, 50, 50)
    annotator, grammar = Annotator(), load_grammar("people")
    begin = time.process_time()
    annotations = annotator.annotate_distinct(texts)
    annotated = time.process_time()
    finder = LabelFinder(Parser(grammar))
    for text, annotation in annotations.items():
        finder.labels(text, annotation)
    return annotated - begin, time.process_time() - annotated


def main() -> int:
    texts = distinct_texts(sys.argv[1] if len(sys.argv) > 1 else str(EXAMPLE))
    texts = texts[: int(sys.argv[2]) if len(sys.argv) > 2 else 2000]
    ways = all_ways()
    expected = ways["spaCy, all components, one stream"](texts)
    for name, chunks in ways.items():
        part = part_for(name, texts)
        if chunks(part) != part_for(name, expected):
            print(f"other noun chunks: {name}", file=sys.stderr)
            return 1
    speeds = best_speeds(texts, ways)
    print(f"{len(texts):,} distinct captions, equal noun chunks; best of {ROUNDS} runs, in turns")
    for name, speed in speeds.items():
        print(f"{name:45} {speed:8,.0f} captions/s   assess is {speeds['assess'] / speed:5.2f} times as fast")
    return 0


def distinct_texts(path: str) -> list[str]:
    return list(dict.fromkeys(caption.text for caption in read_captions(parse_source(path))))


def all_ways() -> dict[str, Callable[[Sequence[str]], Chunks]]:
    annotator = Annotator()
    everything = spacy.load(choose_model())
    needed = spacy.load(choose_model(), exclude=["lemmatizer", "ner"])
    return {
        "assess": lambda texts: [
            tuple((chunk.start, chunk.end) for chunk in annotation.chunks)
            for annotation in annotator.annotate(texts)
        ],
        "spaCy, tagger, parser and ruler, one stream": lambda texts: list(map(chunks_of, needed.pipe(texts))),
        "spaCy, tagger, parser and ruler, a loop": lambda texts: [chunks_of(needed(text)) for text in texts],
        "spaCy, all components, one stream": lambda texts: list(map(chunks_of, everything.pipe(texts))),
    }


def chunks_of(doc: Any) -> tuple[tuple[int, int], ...]:
    return tuple((chunk.start_char, chunk.end_char) for chunk in doc.noun_chunks)


def part_for(name: str, items: Sequence[Any]) -> Sequence[Any]:
    return items[::LOOPED] if name.endswith("a loop") else items


def best_speeds(texts: Sequence[str], ways: dict[str, Callable[[Sequence[str]], Chunks]]) -> dict[str, float]:
    """Return captions per processor second of each way: its best run, which others disturbed least."""
    speeds = dict.fromkeys(ways, 0.0)
    for _ in range(ROUNDS):
        for name, chunks in ways.items():
            part = part_for(name, texts)
            start = time.process_time()
            chunks(part)
            speeds[name] = max(speeds[name], len(part) / (time.process_time() - start))
    return speeds


if __name__ == "__main__":
    sys.exit(main())
