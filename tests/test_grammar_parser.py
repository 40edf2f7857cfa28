"""The parser: structure, unknown words, what is out of the domain, and very long chunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.grammar import Parser
from assess.grammar.parser import LONGEST_CHUNK, Engine
from assess.records import Analysis
from assess.taxonomy import Taxonomy, parse_taxonomy
from tests.properties import examples

ENGINES: tuple[Engine, ...] = ("fast", "reference")
TAXONOMY = """\
taxonomy: cooks
version: 1.0.0
description: Cooks.
plurals_are: many
heads:
  person: {description: P., words: [cook, woman: women, snow sculptor, traffic cop, cop]}
  many: {description: M., words: [crowd: null]}
modifiers:
  age: {description: A., evidence: visible, sensitivity: none, words: [old, middle aged, ice cold]}
  mood: {description: M., evidence: inferred, sensitivity: none, words: [happy, sad, women's]}
  group: {description: G., evidence: visible, sensitivity: none, words: [group of, pair of]}
  look:
    {description: L., evidence: visible, sensitivity: none, patterns: ["{word}-clad", "{number} feet tall"]}
excluded: [snow woman, pressure cook]
"""
AMBIGUOUS = """\
taxonomy: wide
version: 1.0.0
description: Everything is in three categories.
heads: {h: {description: H., words: [man]}}
modifiers:
  m0: &FRAME
  m1: &FRAME
  m2: &FRAME
""".replace(
    "&FRAME",
    "{description: M., evidence: visible, sensitivity: none, words: [ba, be, ba be, be ba, ba be ba]}",
)


def taxonomy() -> Taxonomy:
    return parse_taxonomy(TAXONOMY, "cooks.yaml")[0]


FAST = Parser(taxonomy())


@pytest.fixture(scope="module", params=ENGINES)
def parser(request: pytest.FixtureRequest) -> Parser:
    return Parser(taxonomy(), engine=request.param)


def seen(analysis: Analysis) -> tuple[list[str], list[str], list[str]]:
    """Return heads, modifiers and unknown words."""
    return list(analysis.heads), list(analysis.modifiers), list(analysis.unknown)


@pytest.mark.parametrize(
    ("text", "heads", "modifiers"),
    [
        ("cook", ["person"], []),
        ("The Old Cook", ["person"], ["age"]),
        ("all the old cooks", ["many", "person"], ["age"]),
        ("a very happy old cook", ["person"], ["age", "mood"]),
        ("a very very happy cook", ["person"], ["mood"]),
        ("an old, sad and middle-aged cook", ["person"], ["age", "mood"]),
        ("an old, and sad cook", ["person"], ["age", "mood"]),
        ("a happy woman and a sad cook", ["person"], ["mood"]),
        ("a happy cook, a cook and an old crowd", ["many", "person"], ["age", "mood"]),
        ("the neighbour's old cook", ["person"], ["age"]),
        ("all the other people's cooks", ["many", "person"], []),
        ("my cook", ["person"], []),
        ("a sad group of happy old women", ["many", "person"], ["age", "group", "mood"]),
        ("a pair of a group of cooks", ["many", "person"], ["group"]),
        ("a women's cook", ["person"], ["mood"]),
        ("a fur-clad cook", ["person"], ["look"]),
        ("a six feet tall cook", ["person"], ["look"]),
        ("a 6-feet-tall cook", ["person"], ["look"]),
        ("a traffic-cop", ["person"], []),
        ("traffic cops", ["many", "person"], []),
        ("“old” cook…", ["person"], ["age"]),
    ],
)
def test_noun_phrases_are_read(parser: Parser, text: str, heads: list[str], modifiers: list[str]) -> None:
    analysis = parser.analyse(text)
    assert seen(analysis) == (heads, modifiers, [])
    assert (analysis.in_domain, analysis.why, analysis.covered) == (True, None, True)


@pytest.mark.parametrize(
    ("text", "unknown", "modifiers"),
    [
        ("a zorb cook", ["zorb"], []),
        ("a zorb old flim cook", ["zorb", "flim"], ["age"]),
        ("an old zorb, happy cook", ["zorb"], ["age", "mood"]),
        ("an ice cook", ["ice"], []),
        ("a cold zorb cook", ["cold", "zorb"], []),
        ("a woman cook", ["woman"], []),
        ("an old woman cook", ["woman"], ["age"]),
        ("a zorb group of happy cooks", ["zorb"], ["group", "mood"]),
    ],
)
def test_unknown_words_before_a_head_are_named_and_the_rest_counts(
    parser: Parser, text: str, unknown: list[str], modifiers: list[str]
) -> None:
    analysis = parser.analyse(text)
    assert (list(analysis.unknown), list(analysis.modifiers)) == (unknown, modifiers)
    assert (analysis.in_domain, analysis.why) == (True, "unknown-word")
    assert "person" in analysis.heads


@pytest.mark.parametrize(
    ("text", "in_domain", "why"),
    [
        ("", False, "no-head"),
        ("...", False, "no-head"),
        ("a pan", False, "no-head"),
        ("the cook's pan", False, "no-head"),
        ("a cook's", False, "no-head"),
        ("the hand of a cook", False, "no-head"),
        ("a snow woman", False, "no-head"),
        ("two snow-women", False, "no-head"),
        ("a happy pressure cook", False, "no-head"),
        ("a snow sculptor", True, None),
        ("a cook the old", False, "no-head"),
        ("old the cook", True, "no-rule"),
        ("the a old cook", True, "no-rule"),
        ("and cook", True, "no-rule"),
        ("zorb and and cook", True, "unknown-word"),
    ],
)  # fmt: skip
def test_why_a_chunk_is_not_covered(parser: Parser, text: str, in_domain: bool, why: str | None) -> None:
    analysis = parser.analyse(text)
    assert (analysis.in_domain, analysis.why) == (in_domain, why)
    assert analysis.covered == (why is None)


def test_spans_give_tokens_and_the_text_as_written(parser: Parser) -> None:
    analysis = parser.analyse("A  Middle-Aged, happy COOK")
    assert analysis.tokens == ("a", "middle-aged", ",", "happy", "cook")
    assert [(s.start, s.end, s.text, s.category, s.role) for s in analysis.spans] == [
        (1, 2, "Middle-Aged", "age", "modifier"),
        (3, 4, "happy", "mood", "modifier"),
        (4, 5, "COOK", "person", "head"),
    ]
    assert analysis.best.spans == analysis.spans


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("a group", True), ("a large group", True), ("a pair", True), ("a cook", False), ("group of", False),
        ("", False), ("a-group", False), ("GROUP", True), (" ".join(["old"] * 100 + ["group"]), True),
    ],
)  # fmt: skip
def test_a_text_opens_an_of_phrase_when_of_completes_one(parser: Parser, text: str, opens: bool) -> None:
    assert parser.opens_of_phrase(text) is opens


@pytest.mark.parametrize("engine", ENGINES)
def test_forty_ambiguous_modifiers_are_no_trouble(engine: Engine) -> None:
    wide = Parser(parse_taxonomy(AMBIGUOUS, "wide.yaml")[0], engine=engine)
    commas = wide.analyse("a " + ", ".join(["ba"] * 29) + " man")
    assert len(commas.tokens) == 59
    row = wide.analyse("ba be " * 29 + "ba man")
    assert len(row.tokens) == LONGEST_CHUNK
    for analysis in (commas, row):
        assert (analysis.modifiers, analysis.why) == (("m0", "m1", "m2"), None)
        assert analysis.best.modifiers == ("m0",)
    # "be ba" again and again would be as few phrases; "ba be ba" and "be" by turns has longer ones.
    lengths = [span.end - span.start for span in row.best.spans if span.role == "modifier"]
    assert lengths == [3, 1] * 14 + [3]


@pytest.mark.parametrize(
    "text",
    [
        "group-of " * 59 + "cook",
        "very " * 58 + "old cook",
        "cook , " * 28 + "cook and cook",
        "zorb " * 57 + "'s cook",
        "zorb " * 59 + "cook",
        "old , " * 29 + "old cook",
        "a group of " * 19 + "a cook",
    ],
)
def test_the_longest_chunks_work_in_every_shape(text: str) -> None:
    analysis = FAST.analyse(text)
    assert analysis.covered
    assert LONGEST_CHUNK - 5 < len(analysis.tokens) <= LONGEST_CHUNK


def test_a_chunk_beyond_the_longest_is_not_parsed(parser: Parser) -> None:
    assert parser.analyse("old " * (LONGEST_CHUNK - 1) + "cook").why is None
    beyond = parser.analyse("old " * LONGEST_CHUNK + "cook")
    assert (beyond.in_domain, beyond.why, beyond.covered) == (True, "no-rule", False)
    assert parser.analyse("old " * LONGEST_CHUNK + "pan").why == "no-head"
    assert parser.analyse("old " * LONGEST_CHUNK + "snow woman").in_domain is False


def test_each_text_is_worked_out_once(parser: Parser) -> None:
    assert parser.analyse("an old cook") is parser.analyse("an old cook")


@examples(150)
@given(st.one_of(st.text(), st.text(st.sampled_from("old cok's-,& \x00\x1b[]<>‹›'’😀א.of"), max_size=40)))
def test_any_text_has_an_analysis(text: str) -> None:
    for suffix in ("", " cook"):
        analysis = FAST.analyse(text + suffix)
        assert analysis.covered or analysis.why is not None
        assert all(analysis.tokens[span.start : span.end] for span in analysis.spans)


@pytest.mark.parametrize(
    "piece", ["old ", "cook ", "'s ", "group of ", ", ", "zorb ", "\x00", "א", "😀 ", "-"]
)
def test_ten_thousand_characters_have_an_analysis(piece: str) -> None:
    analysis = FAST.analyse(piece * (10_000 // len(piece)) + " cook")
    assert analysis.in_domain
