"""Coverage: counts of categories, by hand and as properties."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.grammar import Parser
from assess.measures.coverage.compute import CoverageTally, SystemCoverage, commonest, coverage
from assess.taxonomy import parse_taxonomy
from assess.taxonomy.model import Taxonomy
from tests.audits import found_labels

TAXONOMY = """\
taxonomy: tiny
version: 1.0.0
description: A tiny domain.
heads:
  person: {description: Someone., words: [man: men, player]}
  activity: {description: By what they do., words: [player, baseball player]}
modifiers:
  height: {description: How tall., evidence: visible, sensitivity: none, words: [tall]}
  sport: {description: Which sport., evidence: visible, sensitivity: none, words: [baseball]}
  mood: {description: How they feel., evidence: inferred, sensitivity: none, words: [happy]}
"""
LABELS = ("a man", "a tall man", "a baseball player", "a tall happy man", "a blorpy man", "a man tall man")


@pytest.fixture(scope="module")
def taxonomy() -> Taxonomy:
    return parse_taxonomy(TAXONOMY, "tiny.yaml")[0]


@pytest.fixture(scope="module")
def parser(taxonomy: Taxonomy) -> Parser:
    return Parser(taxonomy)


def measure(captions: list[list[str]], parser: Parser) -> SystemCoverage:
    tally = tally_of(captions)
    return coverage(tally, {text: parser.analyse(text) for text in tally.labels}, parser.grammar)


def tally_of(captions: list[list[str]]) -> CoverageTally:
    tally = CoverageTally()
    for labels in captions:
        tally.add_caption(found_labels(labels))
    return tally


def test_counts_agree_with_a_count_by_hand(parser: Parser) -> None:
    found = measure([["a tall man", "a baseball player"], [], ["a blorpy man"]], parser)
    assert (found.captions, found.labels) == (3, 3)
    assert (found.partial_labels, found.uncovered_labels) == (1, 0)
    # All readings: tall, and baseball before a player. Best reading: "baseball player" is one head.
    assert (found.modifiers, found.best.modifiers) == (2, 1)
    assert found.modifiers_per_label == pytest.approx(2 / 3)
    assert (found.modifier_categories, found.best.modifier_categories) == (2, 1)
    assert found.head_categories == 2
    assert [(item.word, item.labels) for item in found.unknown_words] == [("blorpy", 1)]


def test_dated_and_offensive_words_are_counted_where_they_have_that_sense() -> None:
    text = TAXONOMY.replace("[tall", "[{word: lofty, note: dated}, tall", 1)
    assert text != TAXONOMY
    taxonomy = parse_taxonomy(text, "tiny.yaml")[0]
    captions = [["a lofty man", "a tall man"], ["a lofty, tall man"], ["a lofty man"]]
    found = measure(captions, Parser(taxonomy))
    assert [(item.word, item.note, item.labels) for item in found.noted_words] == [("lofty", "dated", 3)]


def test_a_label_without_a_parse_still_counts_as_a_label(parser: Parser) -> None:
    found = measure([["a man tall man"]], parser)
    assert found.labels == 1
    assert found.partial_labels + found.uncovered_labels == 1


def test_rates_of_no_labels_are_undefined(parser: Parser) -> None:
    found = measure([[]], parser)
    assert math.isnan(found.modifiers_per_label)
    assert all(math.isnan(category.share) for category in found.categories.values())


def test_every_category_of_the_taxonomy_is_listed_even_when_unused(parser: Parser) -> None:
    found = measure([["a man"]], parser)
    modifiers = ["modifier.height", "modifier.sport", "modifier.mood"]
    assert [*found.categories] == [*modifiers, "head.person", "head.activity"]


def test_commonest_breaks_ties_by_text() -> None:
    assert commonest(Counter({"b": 2, "a": 2, "c": 3}), 2) == (("c", 3), ("a", 2))


captions = st.lists(st.lists(st.sampled_from(LABELS), max_size=4), max_size=12)


@given(captions, captions)
def test_merging_partitions_equals_the_whole(first: list[list[str]], second: list[list[str]]) -> None:
    merged = tally_of(first) + tally_of(second)
    whole = tally_of(first + second)
    assert merged == whole


@given(captions, st.randoms(use_true_random=False))
def test_order_of_captions_does_not_matter(rows: list[list[str]], random: object) -> None:
    taxonomy = parse_taxonomy(TAXONOMY, "tiny.yaml")[0]
    parser = _PARSERS.setdefault("tiny", Parser(taxonomy))
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    # Compared as text, because an undefined number is not equal to itself.
    assert repr(measure(rows, parser)) == repr(measure(shuffled, parser))


_PARSERS: dict[str, Parser] = {}
