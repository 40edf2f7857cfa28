"""Any Lark grammar over words: readings are counted, enumerated and chosen as by NLTK and Lark."""

from __future__ import annotations

import itertools
from typing import Any

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Tree
from lark.exceptions import UnexpectedInput
from lark.visitors import CollapseAmbiguities

from assess.errors import GrammarError, UsageError
from assess.grammar import WordGrammar
from assess.grammar.forest import LONGEST_TEXT

ATTACHED = """
start: phrase
phrase: noun | phrase place
place: "on" phrase
noun: "a" NOUN
NOUN: "man" | "hot dog" | /b\\w+/
"""
RULES = ["r0", "r1", "r2"]
SYMBOLS = [*RULES, "w_a", "w_b"]


def shape(tree: Any) -> Any:
    return (str(tree.data), *map(shape, tree.children)) if isinstance(tree, Tree) else str(tree)


def test_all_readings_are_counted_and_walked() -> None:
    forest = WordGrammar(ATTACHED).parse("a man on a bench on a boat")
    assert (forest.count, bool(forest), forest.unknown) == (2, True, ())
    assert len({shape(tree) for tree in forest}) == 2
    assert shape(forest.best) in {shape(tree) for tree in forest}
    (token,) = WordGrammar(ATTACHED).parse(["a", "hot", "dog"]).best.scan_values(lambda value: True)  # type: ignore[union-attr]
    assert (token, token.type, token.start_pos, token.end_pos) == ("hot dog", "NOUN", 1, 3)


def test_sixty_words_with_more_readings_than_anybody_can_make() -> None:
    forest = WordGrammar('start: g\ng: g g | "a"\n').parse(["a"] * 60)
    catalan = 1
    for number in range(59):
        catalan = catalan * 2 * (2 * number + 1) // (number + 2)
    assert forest.count == catalan
    assert len({shape(tree) for tree in itertools.islice(forest, 100)}) == 100
    assert forest.best is not None


def test_the_best_reading_follows_priorities_then_size() -> None:
    text = 'start: one | two | three\none: X X\ntwo{}: Y\nthree: X two\nX: /x/\nY: "x x"\n'
    assert shape(WordGrammar(text.format("")).parse("x x").best) == ("start", ("two", "x x"))
    plain = WordGrammar(text.format("").replace("one:", "one.2:")).parse("x x")
    assert shape(plain.best) == ("start", ("one", "x", "x"))
    assert plain.count == 2


@pytest.mark.parametrize(
    ("text", "words", "count"),
    [
        ('start: "a"* b?\nb: "a"\n', "a a", 2),
        ('start: "a"* b?\nb: "a"\n', "", 1),
        ("start: [x] x\nx: /x+/\n", "xx x", 1),
        ('start: pair{"a", "b"}\npair{l, r}: l r | r l\n', "b a", 1),
        ('%import common.INT\nstart: INT "+" INT\n', "1 + 23", 1),
        ('?start: X -> first | Y -> second\nX: "a"\nY: /a/\n', "a", 2),
        ('start: "A"i\n', "a", 1),
        ('start: "a"\n', "b", 0),
        ('start: "a"\n', "", 0),
    ],
)
def test_what_lark_writes_is_read(text: str, words: str, count: int) -> None:
    forest = WordGrammar(text).parse(words)
    assert forest.count == len(list(forest)) == count
    assert (forest.best is None) == (count == 0)


def test_unknown_words_are_named() -> None:
    forest = WordGrammar(ATTACHED).parse("a hot man under a bench")
    assert (forest.count, forest.unknown) == (0, ("hot", "under"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start: (\n", "grammar.lark:1:9: this is not a Lark grammar"),
        ("start: a\n", "Rule 'a' used but not defined"),
        ('a: "x"\n', "start"),
        ("start: a | X\na: start\nX: /x/\n", "the rule `start` can derive itself"),
        ("start: a b | X\na: start\nb: X?\nX: /x/\n", "the rule `start` can derive itself"),
        ("%declare X\nstart: X\n", "the terminal `X` has no words"),
        ("start: X\nX: /x*/\n", "the terminal `X` can match the empty string"),
    ],
)
def test_grammars_that_are_not_over_words_are_refused(text: str, message: str) -> None:
    with pytest.raises(GrammarError) as raised:
        WordGrammar(text)
    assert message in str(raised.value)


def test_a_text_may_not_be_endless() -> None:
    grammar = WordGrammar('start: a | a start\na: b\nb: c\nc: d\nd: e\ne: "a"\n')
    forest = grammar.parse(["a"] * LONGEST_TEXT)
    assert (forest.count, len(list(forest))) == (1, 1)
    assert forest.best == next(iter(forest))
    with pytest.raises(UsageError, match="at most 100"):
        grammar.parse(["a"] * (LONGEST_TEXT + 1))


bodies = st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=3).map(" ".join)
grammars = st.lists(
    st.lists(bodies, min_size=1, max_size=3, unique=True), min_size=len(RULES), max_size=len(RULES)
)


@given(grammars, st.lists(st.sampled_from("ab"), min_size=1, max_size=5))
def test_lark_and_nltk_find_the_same_readings(rules: list[list[str]], words: list[str]) -> None:
    text = "start: r0\n" + "".join(
        f"{name}: {' | '.join(alternatives)}\n" for name, alternatives in zip(RULES, rules, strict=True)
    )
    text += 'w_a: "a"\nw_b: "b"\n'
    try:
        forest = WordGrammar(text, keep_all_tokens=True).parse(words)
    except GrammarError:
        return  # endlessly many readings
    if forest.count > 500:
        return
    found = [shape(tree) for tree in forest]
    assert len(set(found)) == len(found) == forest.count
    productions = text.replace('w_a: "a"\nw_b: "b"\n', "w_a -> 'a'\nw_b -> 'b'\n").replace(": ", " -> ")
    assert len(list(nltk.ChartParser(nltk.CFG.fromstring(productions)).parse(words))) == forest.count
    lark = Lark(text + '%ignore " "\n', ambiguity="explicit", keep_all_tokens=True, lexer="dynamic_complete")
    try:
        trees = CollapseAmbiguities().transform(lark.parse(" ".join(words)))
    except UnexpectedInput:
        trees = []
    assert {shape(tree) for tree in trees} == set(found)
