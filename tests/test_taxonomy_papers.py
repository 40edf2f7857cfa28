"""The people papers' own grammar, imported: their analyses and their Table 2, to the digit."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assess.grammar import Parser
from assess.records import Analysis
from assess.taxonomy.cfg_import import category_id, import_cfg

pytestmark = pytest.mark.data
VERSIONS = ("1.0", "head")


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "people_grammar"


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def parser(folder: Path, version: str) -> Parser:
    text = (folder / version / "full_grammar.cfg").read_text(encoding="utf-8")
    return Parser(import_cfg(text, file="full_grammar.cfg", name="papers").taxonomy)


@pytest.fixture(scope="module")
def counts(folder: Path) -> dict[str, Counter[str]]:
    people = set((folder / "person_chunks.txt").read_text(encoding="utf-8").splitlines())
    with gzip.open(folder / "noun_chunk_counts.json.gz", "rt", encoding="utf-8") as file:
        systems = json.load(file)
    return {
        system: Counter({chunk: n for chunk, n in chunks.items() if chunk in people})
        for system, chunks in systems.items()
    }


def categories(analysis: Analysis) -> set[tuple[str, str]]:
    return {("head", name) for name in analysis.heads} | {("modifier", name) for name in analysis.modifiers}


def foreign(name: str) -> tuple[str, str]:
    """Return a symbol of the papers as (role, category)."""
    return ("head", category_id(name[:-4])) if name.endswith("Noun") else ("modifier", category_id(name))


def test_every_chunk_is_read_as_the_papers_read_it(folder: Path, version: str, parser: Parser) -> None:
    theirs = json.loads((folder / version / "analyses.json").read_text(encoding="utf-8"))
    assert len(theirs) > 700
    differing = {
        chunk: names
        for chunk, names in theirs.items()
        if categories(parser.analyse(chunk)) != {foreign(name) for name in names or ()}
    }
    assert differing == {}


def row(chunks: Counter[str], parser: Parser) -> tuple[int, int, int, int]:
    """Return labels, modifiers, modifier categories and noun categories."""
    modifiers = sum(n * len(parser.analyse(chunk).modifiers) for chunk, n in chunks.items())
    used = {name for chunk in chunks for name in parser.analyse(chunk).modifiers}
    heads = {name for chunk in chunks for name in parser.analyse(chunk).heads}
    return chunks.total(), modifiers, len(used), len(heads)


def test_table_2_comes_out_to_the_digit(
    folder: Path, version: str, parser: Parser, counts: dict[str, Counter[str]]
) -> None:
    table: dict[str, Any] = json.loads(
        (folder / "table2_from_authors_counts.json").read_text(encoding="utf-8")
    )
    if version == "1.0":
        published = {s: (n, m, c, h) for s, (n, m, _, c, h) in table["paper_table2"].items()}
        rates = {system: rate for system, (_, _, rate, _, _) in table["paper_table2"].items()}
    else:
        rows = table["HEAD"]["rows"]
        published = {s: (r["labels"], r["mods"], r["mod_cats"], r["noun_cats"]) for s, r in rows.items()}
        rates = {system: f"{r['avg_mods']:.2f}" for system, r in rows.items()}
    assert len(published) == 9
    computed = {system: row(counts[system], parser) for system in published}
    assert computed == published
    assert {system: f"{m / n:.2f}" for system, (n, m, _, _) in computed.items()} == rates
