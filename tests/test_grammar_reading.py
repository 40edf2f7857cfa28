"""The parser: readings, the best reading, unknown words, labels, attributes after the noun, examples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.domain.overview import run_examples
from assess.grammar import Parser
from assess.grammar.chart import leaf_score
from assess.grammar.chunks import find_chunks, label_key
from assess.grammar.labels import LabelFinder
from assess.grammar.lexicon import Kind, Leaf
from assess.grammar.load import load_grammar
from assess.grammar.parser import LONGEST_CHUNK, Engine
from assess.records import Analysis, Chunk, Reading
from assess.taxonomy import Taxonomy, load_taxonomy, parse_taxonomy, shipped_taxonomies
from tests.properties import examples
from tests.strategies import taxonomies_with_texts, taxonomy_of

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


def cooks() -> Taxonomy:
    return parse_taxonomy(TAXONOMY, "cooks.yaml")[0]


FAST = Parser(cooks())


@pytest.fixture(scope="module", params=ENGINES)
def parser(request: pytest.FixtureRequest) -> Parser:
    return Parser(cooks(), engine=request.param)


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


def taxonomy(modifiers: dict[str, list[Any]], heads: dict[str, list[Any]] | None = None) -> Taxonomy:
    frame = {"description": "M.", "evidence": "visible", "sensitivity": "none"}
    return taxonomy_of(
        {
            "heads": {
                name: {"description": "H.", "words": words}
                for name, words in (heads or {"h": ["man"]}).items()
            },
            "modifiers": {name: {**frame, "words": words} for name, words in modifiers.items()},
        }
    )


def best(text: str, *args: Any) -> Reading:
    """Return the best reading, which both engines must share."""
    first, second = (Parser(taxonomy(*args), engine=engine).analyse(text) for engine in ENGINES)
    assert first == second
    return first.best


def phrases(reading: Reading, role: str = "modifier") -> list[tuple[str, str]]:
    return [(span.text, span.category) for span in reading.spans if span.role == role]


def test_fewer_unknown_words_come_first() -> None:
    # Only "ba be" makes "ba" known, though "be" alone would leave fewer and earlier categories.
    reading = best("ba be man", {"first": ["be"], "second": ["ba be"]})
    assert phrases(reading) == [("ba be", "second")]


def test_a_sense_is_better_than_none() -> None:
    # "big" as such says nothing of a crowd; two modifiers with a sense beat one phrase without.
    modifiers = {"a": [{"word": "very big", "not_with": ["crowd"]}], "b": ["very", "big"]}
    reading = best("a very big crowd", modifiers, {"h": ["crowd"]})
    assert phrases(reading) == [("big", "b")]
    reading = best(
        "a so big crowd", {"a": [{"word": "so big", "not_with": ["crowd"]}], "b": ["big"]}, {"h": ["crowd"]}
    )
    assert phrases(reading) == [("big", "b")]


def test_a_possessor_is_the_last_resort() -> None:
    modifiers = {"number": ["two"], "gender": ["women's"]}
    assert best("two women's teams", modifiers, {"h": ["team"]}).modifiers == ("gender", "number")
    assert best("two girls' teams", modifiers, {"h": ["team"]}).modifiers == ()


def test_fewer_modifiers_come_before_longer_ones() -> None:
    reading = best(
        "ba be bi man", {"a": ["ba", "be", "bi"], "b": ["ba be"], "c": ["be bi"], "d": ["ba be bi"]}
    )
    assert phrases(reading) == [("ba be bi", "d")]
    reading = best(
        "a little league player",
        {"size": ["little"], "kind": ["league"]},
        {"h": ["player"], "i": ["little league player"]},
    )
    assert (reading.heads, reading.modifiers) == (("i",), ())


def test_a_degree_word_is_no_modifier() -> None:
    modifiers = {"looks": ["pretty"], "age": ["old"]}
    assert best("a pretty old man", modifiers).modifiers == ("age",)
    assert best("a pretty man", modifiers).modifiers == ("looks",)


def test_of_equally_many_phrases_the_longest_counts() -> None:
    # Two phrases each way: 1 + 3 words beat 2 + 2.
    reading = best("ba be bi bo man", {"a": ["ba be", "bi bo"], "b": ["ba", "be bi bo"]})
    assert phrases(reading) == [("ba", "b"), ("be bi bo", "b")]


def test_of_equally_long_phrases_the_earlier_category_counts() -> None:
    assert best("a ba man", {"z": ["ba"], "a": ["ba"]}).modifiers == ("z",)
    assert best("a ba man", {"a": ["ba"], "z": ["ba"]}).modifiers == ("a",)


def test_what_is_still_equal_is_decided_by_position() -> None:
    # "ba be" + "bi" and "ba" + "be bi" are alike in everything else.
    reading = best("ba be bi man", {"a": ["ba", "be bi", "ba be", "bi"]})
    assert phrases(reading) == [("ba", "a"), ("be bi", "a")]


def test_the_best_reading_has_all_categories_of_its_heads() -> None:
    reading = best(
        "a young man", {"age": ["young"]}, {"gendered": ["man"], "age": ["man"], "other": ["young man"]}
    )
    assert reading.heads == ("other",)
    reading = best("two men", {"number": ["two"]}, {"gendered": [{"man": "men"}], "age": [{"man": "men"}]})
    assert reading.heads == ("age", "gendered")


def test_also_puts_both_categories_into_the_best_reading() -> None:
    both = {
        "origin": [{"word": "asian american", "also": ["nation"]}],
        "nation": ["asian american", "french"],
    }
    assert best("an asian-american man", both).modifiers == ("nation", "origin")
    apart = {"origin": ["asian american"], "nation": ["asian american", "french"]}
    assert best("an asian-american man", apart).modifiers == ("origin",)


def test_a_noun_that_says_more_has_the_modifier_too_in_singular_and_plural() -> None:
    heads = {"person": ["man", {"word": "blonde", "says": ["hair"]}], "many": ["men"]}
    hair = {"hair": ["blonde"], "height": ["tall"]}
    assert best("a tall blonde", hair, heads).modifiers == ("hair", "height")
    assert best("two-tone blondes", hair, heads).modifiers == ("hair",)
    assert best("a tall man", hair, heads).modifiers == ("height",)
    spans = [(span.text, span.category, span.role) for span in best("a blonde", hair, heads).spans]
    assert spans == [("blonde", "person", "head"), ("blonde", "hair", "modifier")]


def cost(kind: Kind, length: int, rank: int = 0) -> int:
    return leaf_score(Leaf("T", kind, rank=rank), 0, length)[0]


def test_no_sum_of_later_criteria_outweighs_an_earlier_one() -> None:
    worst = LONGEST_CHUNK * cost("modifier", 1, rank=1000)
    assert cost("unsaid", 1) > worst
    assert cost("unknown", 1) > LONGEST_CHUNK * cost("unsaid", 1, rank=1000)
    without_modifiers = LONGEST_CHUNK * cost("head", 1, rank=1000)
    assert cost("modifier", LONGEST_CHUNK) > without_modifiers
    assert cost("function", LONGEST_CHUNK) == 0


TINY = """\
taxonomy: tiny
version: 1.0.0
description: A tiny domain.
heads:
  person: {description: Someone., words: [man: men, crowd]}
modifiers:
  age: {description: How old., evidence: visible, sensitivity: none, words: [young]}
  group: {description: Gathered., evidence: visible, sensitivity: none, words: [group of, pair of]}
"""


@pytest.fixture(scope="module")
def tiny_parser() -> Parser:
    return Parser(parse_taxonomy(TINY, "tiny.yaml")[0])


def keys(text: str, chunks: list[str], tiny_parser: Parser, *, join_of: bool = True) -> list[str]:
    places = []
    position = 0
    for chunk in chunks:
        start = text.index(chunk, position)
        position = start + len(chunk)
        places.append(Chunk(start, position))
    return [found.key for found in find_chunks(text, tuple(places), tiny_parser, join_of=join_of)]


@pytest.mark.parametrize(
    ("text", "chunks", "joined"),
    [
        ("A group of young men sit", ["A group", "young men"], ["a group of young men"]),
        ("a group of a pair of men", ["a group", "a pair", "men"], ["a group of a pair of men"]),
        ("a group with men", ["a group", "men"], ["a group", "men"]),
        ("a picture of men", ["a picture", "men"], ["a picture", "men"]),
    ],
)
def test_an_of_phrase_and_what_follows_are_one_label_but_not_in_the_papers(
    tiny_parser: Parser, text: str, chunks: list[str], joined: list[str]
) -> None:
    assert keys(text, chunks, tiny_parser) == joined
    assert keys(text, chunks, tiny_parser, join_of=False) == [chunk.lower() for chunk in chunks]


def test_a_group_of_something_else_is_no_label(tiny_parser: Parser) -> None:
    (key,) = keys("a group of zebras", ["a group", "zebras"], tiny_parser)
    assert not tiny_parser.analyse(key).in_domain


def test_equal_labels_are_counted_together_whatever_their_case_and_spaces() -> None:
    assert label_key("A  Tall\nMan") == "a tall man"


FRAME = {"description": "M.", "evidence": "visible", "sensitivity": "none"}
VALUES = {
    "heads": {"person": {"description": "P.", "words": ["cook"]}},
    "modifiers": {"height": {**FRAME, "words": ["tall", "long"]}, "hair": {**FRAME, "words": ["long"]}},
}

# Whether a text can have labels, by its words alone.

ODD = """\
taxonomy: odd
version: 1.0.0
description: Heads that are not one plain word.
groups: {gender: {female: [woman], male: [ladies' man]}}
pronouns: {noun: woman, words: {she: [female], they: []}}
heads:
  person:
    description: P.
    words: [woman: women, ladies' man: ladies' men, passer-by: passers-by, member of parliament,
      rock'n'soul fan]
    patterns: ["{number}-year-old", "{word} of steel"]
modifiers:
  age: {description: How old., evidence: visible, sensitivity: none, words: [young, ladies']}
"""
ODD_FINDER = LabelFinder(Parser(parse_taxonomy(ODD, "odd.yaml")[0]))
SIGNS = (*"ʼ’‘'`´‐–-_./,&…!\"<>(", "'s", "ʼS", " ", " ", "\n", "\u00a0", "zo")


@pytest.mark.parametrize(
    "text",
    [
        *("WOMEN!", "the 'woman's", "the ʼwomanʼ", "a ‘Woman’", "one_woman_show", "a woman/man"),
        *("a Ladies' Man", "a ladiesʼ man", "passers‑by", "a passer by", "a member-of parliament"),
        *("a five-year-old", "5 year old", "a man of steel", "Rock ʼn’ soul FAN", "rock'n'soul fan"),
        *("She…", "they're", "theyʼre", "theyre", "THEYVE"),
    ],
)
def test_a_text_with_a_head_or_a_pronoun_may_have_labels(text: str) -> None:
    assert ODD_FINDER.may_have_labels(text)


@pytest.mark.parametrize(
    "text", ["", "a passer", "the year of the man", "parliament", "another one, some", "womenfolk", "ladies'"]
)
def test_a_text_with_parts_of_heads_or_words_for_somebody_else_has_no_labels(text: str) -> None:
    assert not ODD_FINDER.may_have_labels(text)


def test_a_pattern_without_a_whole_word_of_its_own_leaves_open_whether_there_are_labels() -> None:
    taxonomy = taxonomy_of(
        {**VALUES, "heads": {"old": {"description": "O.", "patterns": ["{word}genarian"]}}}
    )
    assert LabelFinder(Parser(taxonomy)).may_have_labels("two octogenarians")


@examples(30)
@given(taxonomies_with_texts())
def test_where_a_phrase_is_in_the_domain_its_words_say_that_there_may_be_labels(
    drawn: tuple[Taxonomy, list[str]],
) -> None:
    parser = Parser(drawn[0])
    finder = LabelFinder(parser)
    inside = [text for text in drawn[1] if parser.analyse(label_key(text)).in_domain]
    assert all(finder.may_have_labels(f"zo {text.upper()}, zo") for text in inside)


@given(st.lists(st.sampled_from((*SIGNS, *sorted(ODD_FINDER.parser.head_spellings), "young", "steel", "5"))))
def test_no_sign_around_a_head_hides_that_there_may_be_labels(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert ODD_FINDER.may_have_labels(text) or not ODD_FINDER.parser.analyse(label_key(text)).in_domain


@pytest.mark.parametrize("name", shipped_taxonomies())
def test_every_head_of_a_shipped_taxonomy_says_that_there_may_be_labels(name: str) -> None:
    finder = LabelFinder(Parser(load_grammar(name)))
    assert [head for head in finder.parser.head_spellings if not finder.may_have_labels(head)] == []


def failures(example: dict[str, Any]) -> tuple[str, ...]:
    taxonomy = taxonomy_of({**VALUES, "examples": [example]})
    (result,) = run_examples(taxonomy, Parser(taxonomy))
    assert (result.index, result.example.text, result.analysis.text) == (0, example["text"], example["text"])
    return result.failures


@pytest.mark.parametrize(
    "example",
    [
        {"text": "a tall cook"},
        {"text": "a tall cook", "heads": ["person"], "modifiers": ["height"]},
        {"text": "a cook", "modifiers": []},
        {"text": "a long cook", "modifiers": ["height"]},
        {"text": "a tall cook", "not": ["hair"]},
        {"text": "a pan", "in_domain": False},
    ],
)
def test_an_example_that_holds_passes(example: dict[str, Any]) -> None:
    assert failures(example) == ()


@pytest.mark.parametrize(
    ("example", "message"),
    [
        ({"text": "a pan"}, "is not in the domain"),
        ({"text": "a cook", "in_domain": False}, "is in the domain"),
        (
            {"text": "a cook", "modifiers": ["height"]},
            "modifiers: expected height, but the best reading has none",
        ),
        (
            {"text": "a tall cook", "modifiers": []},
            "modifiers: expected none, but the best reading has height",
        ),
        ({"text": "a cook", "heads": []}, "heads: expected none, but the best reading has person"),
        ({"text": "a long cook", "not": ["hair"]}, "a reading has hair"),
    ],
)
def test_an_example_that_does_not_hold_says_what_differs(example: dict[str, Any], message: str) -> None:
    assert failures(example) == (message,)


def test_an_example_can_fail_in_several_ways() -> None:
    assert len(failures({"text": "a long cook", "heads": [], "modifiers": ["hair"], "not": ["height"]})) == 3


@pytest.mark.parametrize("name", shipped_taxonomies())
def test_the_examples_of_shipped_taxonomies_hold(name: str) -> None:
    taxonomy = load_taxonomy(name)
    results = run_examples(taxonomy, Parser(taxonomy))
    assert len(results) > 10
    assert [(result.example.text, result.failures) for result in results if result.failures] == []
