"""The papers' grammars by way of our files: imported, written as YAML, read, exported to NLTK."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assess.domain.command import exported
from assess.grammar import Parser
from assess.records import Analysis
from assess.taxonomy import Taxonomy, load_taxonomy
from assess.taxonomy.cfg_import import category_id, import_cfg
from tests.commands import assess

pytestmark = pytest.mark.data
SAMPLE = 25  # phrases for NLTK's chart parser, which takes about a second for each
LONGEST = 5  # words


@pytest.fixture(scope="module", params=["1.0", "head"])
def folder(request: pytest.FixtureRequest, shared_data: Path) -> Path:
    return shared_data / "people_grammar" / str(request.param)


@pytest.fixture(scope="module")
def written(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the YAML that the command writes."""
    out = tmp_path_factory.mktemp("papers") / "papers.yaml"
    done = assess("domain", "import", str(folder / "full_grammar.cfg"), "--out", str(out))
    assert done.code == 0, done.stderr
    assert "can never apply" in done.stderr
    return out


@pytest.fixture(scope="module")
def taxonomy(written: Path) -> Taxonomy:
    return load_taxonomy(str(written))


@pytest.fixture(scope="module")
def theirs(folder: Path) -> dict[str, set[str]]:
    found = json.loads((folder / "analyses.json").read_text(encoding="utf-8"))
    return {phrase: set(names or ()) for phrase, names in found.items()}


def symbols(analysis: Analysis) -> set[tuple[str, str]]:
    return {("head", name) for name in analysis.heads} | {("modifier", name) for name in analysis.modifiers}


def ours(name: str) -> tuple[str, str]:
    return ("head", category_id(name[:-4])) if name.endswith("Noun") else ("modifier", category_id(name))


def test_the_file_says_what_the_grammar_says(folder: Path, taxonomy: Taxonomy) -> None:
    text = (folder / "full_grammar.cfg").read_text(encoding="utf-8")
    direct = import_cfg(text, file="full_grammar.cfg", name="papers").taxonomy
    assert taxonomy.model_copy(update={"description": direct.description}) == direct
    assert taxonomy.digest == direct.digest


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_the_file_reads_every_phrase_as_the_papers_do(
    taxonomy: Taxonomy, theirs: dict[str, set[str]], engine: str
) -> None:
    parser = Parser(taxonomy, engine="reference" if engine == "reference" else "fast")
    phrases = list(theirs) if engine == "fast" else list(theirs)[::8]
    differing = [
        phrase
        for phrase in phrases
        if symbols(parser.analyse(phrase)) != {ours(name) for name in theirs[phrase]}
    ]
    assert len(phrases) > 80
    assert differing == []


def test_the_export_imported_again_reads_every_phrase_alike(
    taxonomy: Taxonomy, theirs: dict[str, set[str]]
) -> None:
    again = import_cfg(exported(taxonomy, "cfg"), file="again.cfg", name="papers").taxonomy
    before, after = Parser(taxonomy), Parser(again)
    assert len(theirs) > 700
    for phrase in theirs:
        left, right = before.analyse(phrase), after.analyse(phrase)
        assert symbols(left) == symbols(right), phrase
        assert left.in_domain == right.in_domain, phrase


def test_nltk_reads_the_export_as_the_papers_do(taxonomy: Taxonomy, theirs: dict[str, set[str]]) -> None:
    from nltk import CFG, ChartParser

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
        function = {"Det", "Conj", "Consist", "Contrast", "Degree", "Particle", "Poss", "Prep"}
        assert found - function == {name for name in theirs[phrase] if name not in function}, phrase
