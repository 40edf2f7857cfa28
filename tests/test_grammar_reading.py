"""The best reading: one test for each criterion, each of which outweighs all later ones."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.grammar import Parser
from assess.grammar.chart import add_scores, leaf_score
from assess.grammar.lexicon import Kind, Terminal
from assess.grammar.parser import LONGEST_CHUNK, Engine
from assess.records import Reading
from assess.taxonomy import Taxonomy
from tests.strategies import taxonomy_of

ENGINES: tuple[Engine, ...] = ("fast", "reference")


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


KINDS: list[Kind] = ["head", "modifier", "function", "possessive", "owner", "blocked", "unknown"]


def cost(kind: Kind, length: int, rank: int = 0) -> int:
    return leaf_score(Terminal("T", kind, rank=rank), 0, length)[0]


def test_no_sum_of_later_criteria_outweighs_an_earlier_one() -> None:
    worst = LONGEST_CHUNK * cost("modifier", 1, rank=1000)
    assert cost("blocked", 1) > worst
    assert cost("unknown", 1) > LONGEST_CHUNK * cost("blocked", 1, rank=1000)
    without_modifiers = LONGEST_CHUNK * cost("head", 1, rank=1000)
    assert cost("modifier", LONGEST_CHUNK) > without_modifiers
    assert cost("function", LONGEST_CHUNK) == 0


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 8), st.integers(0, 50)), min_size=3, max_size=3)
)
def test_scores_add_up_however_the_parts_are_grouped(leaves: list[tuple[Kind, int, int]]) -> None:
    ends = list(itertools.accumulate(length for _, length, _ in leaves))
    a, b, c = (
        leaf_score(Terminal("T", kind, rank=rank), end - length, end)
        for (kind, length, rank), end in zip(leaves, ends, strict=True)
    )
    assert add_scores(add_scores(a, b), c) == add_scores(a, add_scores(b, c))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_choice_is_the_same_in_every_parser(engine: Engine) -> None:
    modifiers = {"a": ["ba", "be", "ba be"], "b": ["be", "be bi", "ba"], "c": ["bi", "ba be bi"]}
    texts = [" ".join(words) + " man" for words in itertools.product(["ba", "be", "bi"], repeat=3)]
    one, other = (Parser(taxonomy(modifiers), engine=engine) for _ in range(2))
    assert [one.analyse(text) for text in texts] == [other.analyse(text) for text in reversed(texts)][::-1]
