"""Lint: every warning with an example that earns it, and one that does not."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import example, given

from assess.grammar import Parser
from assess.taxonomy import Taxonomy, parse_taxonomy
from assess.taxonomy.lint import clashing_senses, lint
from assess.taxonomy.phrases import FREE, phrases_of
from tests.properties import examples
from tests.strategies import taxonomies, taxonomy_of

GOOD = """\
taxonomy: cooks
version: 1.0.0
description: Cooks.
heads:
  person:
    description: Any cook.
    words: [cook, baker]
modifiers:
  height:
    description: How tall.
    evidence: visible
    sensitivity: none
    words: [tall, short]
  size:
    description: How big.
    evidence: visible
    sensitivity: none
    words: [big]
examples:
  - {text: a tall big cook, heads: [person], modifiers: [height, size]}
"""
MOOD = """\
  mood:
    description: How they feel.
    evidence: inferred
    sensitivity: none
    words: [{word: wee, only_with: [baker]}]
"""
SYNTAX = "syntax:\n  phrase: [head.person, modifier.height head.person]\n  spare: [head.person]\n"


def warnings_of(text: str) -> list[tuple[int | None, int | None, str]]:
    taxonomy, document = parse_taxonomy(text, "cooks.yaml")
    places = [(problem.place, problem.message) for problem in lint(taxonomy, document)]
    return [(place.line, place.column, message) for place, message in places if place]


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_a_good_taxonomy_has_no_warnings() -> None:
    assert warnings_of(GOOD) == []


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (
            changed("[big]", "[big, short]"),
            18,
            18,
            "`short` is in height, size, and no constraint tells them apart",
        ),
        (changed("[big]", "[big]\n    patterns: ['{height}']"), 19, 15, "`tall` is in height, size"),
        (
            changed("[big]", "[big, some]"),
            18,
            18,
            "`some` is a determiner too, and as such it is not counted",
        ),
        (changed("[big]", "[big, both]"), 18, 18, "`both` is a determiner too"),
        (GOOD + SYNTAX, 14, 3, "no rule leads to the modifier category `size`"),
        (GOOD + SYNTAX, 23, 3, "no rule leads to `spare`"),
        (
            GOOD + "excluded: [pan cake]\n",
            21,
            12,
            "`pan cake` does not end in a head, so nothing is excluded",
        ),
        (
            changed("[big]", "[{word: pile of, not_with: [cook]}]"),
            18,
            13,
            "the constraints of `pile of` have no effect",
        ),
        (changed("[big]", "[big, {word: wee, not_with: [person]}]"), 18, 18, "no head goes with `wee`"),
        (
            changed("[big]", "[big]\n    patterns: ['{number}-foot']\n    not_with: [person]"),
            18,
            13,
            "no head goes with `big`, `{number}-foot`",
        ),
        (GOOD + "excluded: [pan cook, cook]\n", 21, 22, "`cook` is a head, and excluded"),
        (
            GOOD + "syntax:\n  phrase: [head.person, loop head.person]\n  loop: [loop modifier.size]\n",
            23,
            3,
            "the rule `loop` stands for no phrase",
        ),
        (
            changed("[big]", "[big, {word: short, only_with: [cook]}]"),
            18,
            18,
            "`short` is in height, size, and no constraint tells them apart before `cook`",
        ),
        (
            changed("[tall, short]", "[{word: short, not_with: [cook]}]").replace("[big]", "[big, short]"),
            18,
            18,
            "no constraint tells them apart before `baker`",
        ),
        (
            changed("[tall, short]", "[tall, short, two foot]").replace(
                "[big]", "[big]\n    patterns: ['{number}-foot']"
            ),
            19,
            15,
            "`two foot` is in height, size, and no constraint tells them apart",
        ),
        (
            changed("[tall, short]", "[tall, heap of]").replace("[big]", "[big, heap of]"),
            18,
            18,
            "`heap of` is in height, size, and no constraint tells them apart",
        ),
        (GOOD[: GOOD.index("examples")], 1, 1, "the taxonomy has no examples"),
        (changed(", modifiers: [height, size]", ""), 9, 3, "no example has the category `height`"),
        (changed("heads: [person], ", ""), 5, 3, "no example has the category `person`"),
    ],
)
def test_a_doubtful_thing_is_warned_of_at_its_place(text: str, line: int, column: int, message: str) -> None:
    found = warnings_of(text)
    assert any(
        place == (line, column) and message in said for *place_, said in found for place in [tuple(place_)]
    ), found


@pytest.mark.parametrize(
    "text",
    [
        changed("[tall, short]", "[tall, {word: short, not_with: [cook]}]").replace(
            "[big]", "[big, {word: short, only_with: [cook]}]"
        ),
        changed("[big]", "[big, {word: short, also: [height]}]"),
        changed("[tall, short]", "[tall, {word: short, also: [size]}]").replace("[big]", "[big, short]"),
        changed("[big]", "[big, some]") + "function_words: {determiner: [a, the]}\n",
        GOOD + "excluded: [pan cook]\n",
        changed("[cook, baker]", "[cook]\n    patterns: ['{word} maker']") + "excluded: [coffee maker]\n",
    ],
)
def test_what_is_told_apart_or_meant_is_not_warned_of(text: str) -> None:
    assert warnings_of(text) == []


def test_a_warning_says_what_the_best_reading_does() -> None:
    taxonomy, document = parse_taxonomy(changed("[big]", "[big, short]"), "cooks.yaml")
    (problem,) = lint(taxonomy, document)
    assert problem.hint == "the best reading takes `height`; add not_with, only_with or `also`"


def test_every_word_with_two_senses_is_named_once_with_just_the_senses_that_meet() -> None:
    text = changed("[tall, short]", "[tall, short, {word: wee, only_with: [baker]}]")
    text = text.replace("[big]", "[big, short, tall, {word: wee, only_with: [cook]}]")
    text = text.replace("examples:", MOOD + "examples:")
    assert [message for *_, message in warnings_of(text) if "is in" in message] == [
        "`tall` is in height, size, and no constraint tells them apart",
        "`short` is in height, size, and no constraint tells them apart",
        "`wee` is in height, mood, and no constraint tells them apart before `baker`",
    ]


def senses_read(taxonomy: Taxonomy, parser: Parser, word: str) -> set[frozenset[str]]:
    """Return the pairs of categories that a word has before one and the same head, as phrases are parsed.

    With hyphens a head or of-phrase of several words is one token, which is read as a whole or not at all:
    "di ba-da" is about a `ba da`, and "di ba da" may also be about a `da`.
    """
    heads = [phrase.text.replace(" ", "-") for phrase in phrases_of(taxonomy) if phrase.role == "head"]
    heads += [f"{phrase.text.replace(' ', '-')} {heads[0]}" for phrase in phrases_of(taxonomy) if phrase.of]
    place = (0, len(word.split(" ")), "modifier")
    found: set[frozenset[str]] = set()
    for head in heads:
        spans = parser.analyse(f"{word} {head}").spans
        names = sorted({span.category for span in spans if (span.start, span.end, span.role) == place})
        found |= {frozenset(pair) for pair in combinations(names, 2)}
    return found


# "di ba da" is about a `ba da`, or about a `da` that is also `ba`: two heads, with one sense of `di` each.
HEAD_IN_HEAD = {
    "heads": {"kind": {"description": "K.", "words": ["da", "ba da"]}},
    "modifiers": {
        name: {"description": "M.", "evidence": "visible", "sensitivity": "none", "words": words}
        for name, words in {
            "size": [{"word": "di", "only_with": ["ba da"]}],
            "mood": ["ba", {"word": "di", "only_with": ["da"]}],
        }.items()
    },
}


@example(taxonomy_of(HEAD_IN_HEAD))
@examples(40)
@given(taxonomies(patterns=False, excluded=False))
def test_lint_names_just_the_words_that_parsing_gives_two_senses(taxonomy: Taxonomy) -> None:
    parser = Parser(taxonomy)
    named = {clash.text: {sense.category for sense in clash.senses} for clash in clashing_senses(taxonomy)}
    phrases = [phrase for phrase in phrases_of(taxonomy) if phrase.role == "modifier"]
    for word in {phrase.text for phrase in phrases}:
        same = [phrase for phrase in phrases if phrase.text == word]
        if any(phrase.also for phrase in same) and any(phrase.constraint != FREE for phrase in same):
            continue  # a category may then be read by way of `also` where its own constraint forbids it
        declared = [{phrase.category, *phrase.also} for phrase in same]
        senses = senses_read(taxonomy, parser, word)
        # What `also` adds is not listed under the other category, so no sense of it can clash.
        listed = {phrase.category for phrase in same}
        apart = {pair for pair in senses if pair <= listed and not any(pair <= each for each in declared)}
        assert named.get(word, set()) == set().union(*apart), word
