"""From chunks to labels: joining at "of"."""

from __future__ import annotations

import pytest

from assess.grammar import Parser
from assess.grammar.labels import find_chunks, label_key
from assess.records import Chunk
from assess.taxonomy import parse_taxonomy

TAXONOMY = """\
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
def parser() -> Parser:
    return Parser(parse_taxonomy(TAXONOMY, "tiny.yaml")[0])


def keys(text: str, chunks: list[str], parser: Parser, *, join_of: bool = True) -> list[str]:
    places = []
    position = 0
    for chunk in chunks:
        start = text.index(chunk, position)
        position = start + len(chunk)
        places.append(Chunk(start, position))
    return [found.key for found in find_chunks(text, places, parser, join_of=join_of)]


def test_an_of_phrase_and_what_follows_are_one_label(parser: Parser) -> None:
    assert keys("A group of young men sit", ["A group", "young men"], parser) == ["a group of young men"]


def test_of_phrases_can_follow_each_other(parser: Parser) -> None:
    text = "a group of a pair of men"
    assert keys(text, ["a group", "a pair", "men"], parser) == ["a group of a pair of men"]


def test_a_group_of_something_else_is_no_label(parser: Parser) -> None:
    (key,) = keys("a group of zebras", ["a group", "zebras"], parser)
    assert not parser.analyse(key).in_domain


def test_other_words_between_chunks_do_not_join(parser: Parser) -> None:
    assert keys("a group with men", ["a group", "men"], parser) == ["a group", "men"]
    assert keys("a picture of men", ["a picture", "men"], parser) == ["a picture", "men"]


def test_paper_chunks_are_never_joined(parser: Parser) -> None:
    assert keys("a group of men", ["a group", "men"], parser, join_of=False) == ["a group", "men"]


def test_equal_labels_are_counted_together_whatever_their_case_and_spaces() -> None:
    assert label_key("A  Tall\nMan") == "a tall man"
