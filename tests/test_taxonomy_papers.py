"""The grammar of the people paper: imported, written as YAML, exported to NLTK; analyses and Table 2."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from nltk import CFG, ChartParser

from assess.domain.command import exported
from assess.grammar import Parser
from assess.grammar.parser import Engine
from assess.records import Analysis
from assess.taxonomy import Taxonomy, load_taxonomy
from assess.taxonomy.syntax import category_id, import_cfg
from tests.commands import assess

pytestmark = pytest.mark.data
SAMPLE = 25  # phrases for NLTK's chart parser, which takes about a second for each
LONGEST = 5  # words
FUNCTION_WORDS = {"Det", "Conj", "Consist", "Contrast", "Degree", "Particle", "Poss", "Prep"}


@pytest.fixture(scope="module")
def data(shared_data: Path) -> Path:
    return shared_data / "people_grammar"


@pytest.fixture(scope="module", params=["1.0", "head"])
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def taxonomy(data: Path, version: str, tmp_path_factory: pytest.TempPathFactory) -> Taxonomy:
    """Return what the YAML says that the command writes."""
    out = tmp_path_factory.mktemp("papers") / "papers.yaml"
    done = assess("domain", "import", str(data / version / "full_grammar.cfg"), "--out", str(out))
    assert done.code == 0, done.stderr
    assert "can never apply" in done.stderr
    return load_taxonomy(str(out))


@pytest.fixture(scope="module")
def theirs(data: Path, version: str) -> dict[str, set[str]]:
    found = json.loads((data / version / "analyses.json").read_text(encoding="utf-8"))
    assert len(found) > 700
    return {phrase: set(names or ()) for phrase, names in found.items()}


def symbols(analysis: Analysis) -> set[tuple[str, str]]:
    return {("head", name) for name in analysis.heads} | {("modifier", name) for name in analysis.modifiers}


def ours(name: str) -> tuple[str, str]:
    """Return a symbol of the papers as (role, category)."""
    return ("head", category_id(name[:-4])) if name.endswith("Noun") else ("modifier", category_id(name))


def test_the_file_says_what_the_grammar_says(data: Path, version: str, taxonomy: Taxonomy) -> None:
    text = (data / version / "full_grammar.cfg").read_text(encoding="utf-8")
    direct = import_cfg(text, file="full_grammar.cfg", name="papers").taxonomy
    assert taxonomy.model_copy(update={"description": direct.description}) == direct
    assert taxonomy.digest == direct.digest


@pytest.mark.parametrize(("engine", "step"), [("fast", 1), ("reference", 8)])
def test_every_phrase_is_read_as_the_papers_read_it(
    taxonomy: Taxonomy, theirs: dict[str, set[str]], engine: Engine, step: int
) -> None:
    parser = Parser(taxonomy, engine=engine)
    for phrase in list(theirs)[::step]:
        assert symbols(parser.analyse(phrase)) == {ours(name) for name in theirs[phrase]}, phrase


def test_the_export_imported_again_reads_every_phrase_alike(
    taxonomy: Taxonomy, theirs: dict[str, set[str]]
) -> None:
    again = import_cfg(exported(taxonomy, "cfg"), file="again.cfg", name="papers").taxonomy
    before, after = Parser(taxonomy), Parser(again)
    for phrase in theirs:
        left, right = before.analyse(phrase), after.analyse(phrase)
        assert (symbols(left), left.in_domain) == (symbols(right), right.in_domain), phrase


def test_nltk_reads_the_export_as_the_papers_do(taxonomy: Taxonomy, theirs: dict[str, set[str]]) -> None:
    grammar = CFG.fromstring(exported(taxonomy, "cfg"))
    parser = ChartParser(grammar)
    known = {
        word for production in grammar.productions() for word in production.rhs() if isinstance(word, str)
    }
    short = [phrase for phrase in theirs if len(phrase.split()) <= LONGEST and set(phrase.split()) <= known]
    sample = short[:: max(1, len(short) // SAMPLE)]
    assert len(sample) >= SAMPLE
    for phrase in sample:
        trees = list(parser.parse(phrase.split()))
        # Lower-case symbols are rules of ours; the others stand for words.
        found = {tree.label() for top in trees for tree in top.subtrees() if tree.label()[0].isupper()}
        assert found - FUNCTION_WORDS == theirs[phrase] - FUNCTION_WORDS, phrase


def row(chunks: Counter[str], parser: Parser) -> tuple[int, int, int, int]:
    """Return labels, modifiers, modifier categories and noun categories."""
    modifiers = sum(n * len(parser.analyse(chunk).modifiers) for chunk, n in chunks.items())
    used = {name for chunk in chunks for name in parser.analyse(chunk).modifiers}
    heads = {name for chunk in chunks for name in parser.analyse(chunk).heads}
    return chunks.total(), modifiers, len(used), len(heads)


def test_table_2_comes_out_to_the_digit(data: Path, version: str, taxonomy: Taxonomy) -> None:
    people = set((data / "person_chunks.txt").read_text(encoding="utf-8").splitlines())
    with gzip.open(data / "noun_chunk_counts.json.gz", "rt", encoding="utf-8") as file:
        counts: dict[str, dict[str, int]] = json.load(file)
    table: dict[str, Any] = json.loads((data / "table2_from_authors_counts.json").read_text(encoding="utf-8"))
    if version == "1.0":
        published = {s: (n, m, c, h) for s, (n, m, _, c, h) in table["paper_table2"].items()}
        rates = {system: rate for system, (_, _, rate, _, _) in table["paper_table2"].items()}
    else:
        rows = table["HEAD"]["rows"]
        published = {s: (r["labels"], r["mods"], r["mod_cats"], r["noun_cats"]) for s, r in rows.items()}
        rates = {system: f"{r['avg_mods']:.2f}" for system, r in rows.items()}
    assert len(published) == 9
    parser = Parser(taxonomy)
    chunks = {s: Counter({chunk: n for chunk, n in counts[s].items() if chunk in people}) for s in published}
    computed = {system: row(chunks[system], parser) for system in published}
    assert computed == published
    assert {system: f"{m / n:.2f}" for system, (n, m, _, _) in computed.items()} == rates
