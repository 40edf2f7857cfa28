"""`assess parse`: how the grammar reads a phrase."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from assess.cli import options


def parse(
    phrases: Annotated[list[str], typer.Argument(metavar="TEXT...", help="Phrases; - reads one a line.")],
    domain: options.Domain = "people",
    engine: Annotated[str, typer.Option("--engine", help="fast, or reference (stock Lark).")] = "fast",
    as_json: options.AsJson = False,
) -> None:
    """Draw the readings of a phrase.

    Example: assess parse "a tall happy toddler"
    """
    from assess.cli.console import output
    from assess.errors import UsageError
    from assess.grammar import Parser
    from assess.report.analysis import analysis_tree, parse_shape
    from assess.report.files import dump
    from assess.signature import Signature
    from assess.taxonomy import load_taxonomy
    from assess.taxonomy.notes import WordNotes

    if engine not in ("fast", "reference"):
        raise UsageError(f"no engine is called {engine!r}", hint="--engine fast or --engine reference")
    texts = [text for phrase in phrases for text in (_lines() if phrase == "-" else [phrase])]
    parser = Parser(load_taxonomy(domain), engine="reference" if engine == "reference" else "fast")
    analyses = [parser.analyse(text) for text in texts]
    notes = WordNotes(parser.grammar.taxonomy)
    console = output()
    if as_json:
        signature = Signature(taxonomy=parser.grammar.taxonomy.identity, settings={"engine": engine})
        console.file.write(dump(parse_shape(signature, analyses, notes)) + "\n")
        return
    for analysis in analyses:
        console.print(analysis_tree(analysis, notes))


def _lines() -> list[str]:
    text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
    return [line for line in text.splitlines() if line.strip()]
