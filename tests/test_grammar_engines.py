"""The engines agree: our chart, Lark's forest, and NLTK's chart parser as an oracle from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from nltk import CFG
from nltk.parse import ChartParser

from assess.grammar import Grammar, Parser
from assess.grammar.earley import make_lark
from assess.grammar.export import nltk_productions
from assess.taxonomy import Taxonomy, load_taxonomy, shipped_taxonomies
from assess.taxonomy.cfg_import import import_cfg
from assess.taxonomy.words import words_of
from tests.properties import examples
from tests.strategies import taxonomies_with_texts

Spans = set[tuple[str, str, int, int]]
"""(role, category, start, end)"""


def both(taxonomy: Taxonomy) -> tuple[Parser, Parser]:
    fast = Parser(taxonomy)
    return fast, Parser(fast.grammar, engine="reference")


def differing(parsers: tuple[Parser, Parser], texts: list[str]) -> list[str]:
    """Return the texts on which the engines differ in anything: labels, spans, best, unknown, why."""
    fast, reference = parsers
    return [text for text in texts if fast.analyse(text) != reference.analyse(text)]


@examples(35)
@given(taxonomies_with_texts())
def test_the_engines_agree_on_generated_taxonomies(drawn: tuple[Taxonomy, list[str]]) -> None:
    taxonomy, texts = drawn
    assert differing(both(taxonomy), texts) == []


PHRASES = (
    """\
a tall happy toddler|a large group of young men|the man's young daughter|a big crowd|two very old women
a middle-aged man|a 20-year-old tennis player|a little girl|little league players|a zorbish man|a teddy bear
a red-haired boy and a blonde girl|three smiling, well dressed kids|a pretty woman|a pretty old man
a couple of firefighters|young asian american students|all the other people|a man in black|men and women
half naked muscular swimmers|my elderly mother's doctor|a crowd of cheering fans|an old, fat and bald guy
a statue of a young woman|a five year old child|people|the bride and groom|a bearded skateboarder
two women's basketball players|a snowman|her best friend|a very very tall man|blue-eyed blonde babies
the u.s. soldier|several business people|a man, a woman and a child|some homeless people|a one-legged man
an african american lady|a 5 or 6 year old kid|a dark haired female singer|a lone surfer|a soccer team
the hand of a woman|both of the girls|pregnant women|a shirtless male|a man's|young old big small people
a professional photographer|a cowboy hat|a traffic cop|a ninety-nine year old grandmother|a drunk sailor
a <unk> person|“tough” guys|a woman/man|wheelchair users|a group of three friends|each tired, hungry worker
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


@pytest.fixture(scope="module")
def people() -> tuple[Parser, Parser]:
    return both(load_taxonomy("people"))


def test_the_engines_agree_on_phrases_about_people(people: tuple[Parser, Parser]) -> None:
    assert len(PHRASES) >= 60
    assert differing(people, PHRASES) == []
    # The list would prove little if nothing in it were read.
    whys = {people[0].analyse(text).why for text in PHRASES}
    assert whys >= {None, "unknown-word", "no-head"}
    assert sum(bool(people[0].analyse(text).modifiers) for text in PHRASES) > 30


@pytest.mark.parametrize("name", [name for name in shipped_taxonomies() if name != "people"])
def test_the_engines_agree_on_the_examples_of_other_domains(name: str) -> None:
    taxonomy = load_taxonomy(name)
    assert differing(both(taxonomy), [example.text for example in taxonomy.examples][::3]) == []


@pytest.mark.data
@pytest.mark.parametrize("version", ["1.0", "head"])
def test_the_engines_agree_on_real_chunks_with_the_papers_grammar(shared_data: Path, version: str) -> None:
    folder = shared_data / "people_grammar"
    chunks = (folder / "person_chunks.txt").read_text(encoding="utf-8").split("\n")
    text = (folder / version / "full_grammar.cfg").read_text(encoding="utf-8")
    parsers = both(import_cfg(text, file="full_grammar.cfg", name="papers").taxonomy)
    assert len(chunks) > 600
    assert differing(parsers, chunks) == []


@pytest.mark.data
def test_the_engines_agree_on_real_chunks_about_people(
    shared_data: Path, people: tuple[Parser, Parser]
) -> None:
    chunks = (shared_data / "people_grammar" / "person_chunks.txt").read_text(encoding="utf-8").splitlines()
    assert differing(people, chunks[::40]) == []


def patterns_of(grammar: Grammar) -> dict[str, re.Pattern[str]]:
    """Return the terminals as the `.lark` text alone defines them."""
    terminals = make_lark(grammar.text).terminals
    return {t.name: re.compile(t.pattern.to_regexp()) for t in terminals if t.name in grammar.terminals}


def spellings(patterns: dict[str, re.Pattern[str]], words: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield (terminal, text) for all that stands in a text."""
    for start, end in combinations(range(len(words) + 1), 2):
        text = " ".join(words[start:end])
        yield from ((name, text) for name, pattern in patterns.items() if pattern.fullmatch(text))


def oracle(grammar: Grammar, patterns: dict[str, re.Pattern[str]], words: tuple[str, ...]) -> Spans:
    """Return what NLTK finds over all trees of a text, none of its words taken as unknown."""
    written = set(spellings(patterns, words))
    if not set(words) <= {word for _, text in written for word in text.split(" ")}:
        return set()
    parser = ChartParser(CFG.fromstring(nltk_productions(grammar, written)))
    return {span for tree in parser.parse(list(words)) for span in spans_of(tree, grammar)}


def spans_of(tree: Any, grammar: Grammar, start: int = 0) -> Iterator[tuple[str, str, int, int]]:
    terminal = grammar.terminals.get(tree.label())
    if terminal is not None:
        if terminal.category:
            yield terminal.kind, terminal.category, start, start + len(tree.leaves())
            yield from (("modifier", name, start, start + len(tree.leaves())) for name in terminal.says)
        return
    for child in tree:
        yield from spans_of(child, grammar, start)
        start += len(child.leaves())


@examples(25)
@given(taxonomies_with_texts(longest=3))
def test_nltk_finds_the_same_categories_at_the_same_places(drawn: tuple[Taxonomy, list[str]]) -> None:
    taxonomy, texts = drawn
    parser = Parser(taxonomy)
    patterns = patterns_of(parser.grammar)
    for text in texts:
        analysis = parser.analyse(text)
        if not analysis.in_domain or len(analysis.tokens) > 7:
            continue
        found = oracle(parser.grammar, patterns, words_of(text))
        ours = {(span.role, span.category, span.start, span.end) for span in analysis.spans}
        assert found == (set() if analysis.unknown or analysis.why == "no-rule" else ours), text


def test_the_export_for_nltk_holds_the_whole_lexicon_by_default() -> None:
    grammar = Parser(load_taxonomy(str(Path(__file__).parent / "golden" / "tiny.yaml"))).grammar
    exported = CFG.fromstring(nltk_productions(grammar))
    assert str(exported.start()) == "start"
    parser = ChartParser(exported)
    for text in ("the pretty women", "a middle-aged woman", "a group of big cooks"):
        (tree, *_) = parser.parse(text.split())
        assert tree.label() == "start"
