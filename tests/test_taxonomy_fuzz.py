"""Whatever stands in a taxonomy file, it is reported, or it is accepted and works in both engines."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from assess.errors import Problem, TaxonomyError
from assess.grammar import Parser
from assess.grammar.parser import Engine
from assess.taxonomy import parse_taxonomy
from assess.taxonomy.load import FILLER
from tests.properties import examples

ENGINES: tuple[Engine, ...] = ("fast", "reference")
GOOD = """\
taxonomy: cooks
version: 1.0.0
description: Cooks.
heads:
  person:
    description: Any cook.
    words: [cook, woman: women]
modifiers:
  height:
    description: How tall.
    evidence: visible
    sensitivity: none
    not_with: [cook]
    words: [tall, short]
    patterns: ["{number} feet"]
groups: {gender: {female: [woman], other: [cook]}}
examples:
  - {text: a tall woman, heads: [person], modifiers: [height]}
"""

SCALARS = st.one_of(
    st.text(max_size=5),
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.sampled_from(
        ["", " ", "-", "cook", "{word}", "{height} tall", "no", "a of", "head.person", "2020-01-01"]
    ),
)
KEYS = st.sampled_from(["word", "plural", "words", "text", "x", "A", "not_with", "height", "patterns"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=5,
)
TOP_LEVEL = ("taxonomy", "version", "sets", "syntax", "excluded", "function_words", "plurals_are", "hyphens")
PLACES = st.sampled_from(
    [
        *((name,) for name in TOP_LEVEL),
        ("heads",),
        ("heads", "person"),
        ("heads", "person", "words"),
        ("heads", "person", "words", 0),
        ("heads", "person", "words", 1, "woman"),
        ("modifiers",),
        ("modifiers", "height"),
        ("modifiers", "height", "words", 0),
        ("modifiers", "height", "evidence"),
        ("modifiers", "height", "not_with"),
        ("modifiers", "height", "not_with", 0),
        ("modifiers", "height", "patterns"),
        ("modifiers", "height", "patterns", 0),
        ("groups", "gender", "female"),
        ("examples", 0),
        ("examples", 0, "heads"),
        ("examples", 0, "modifiers", 0),
        ("unknown",),
    ]
)


def reported(text: str) -> tuple[Problem, ...] | None:
    """Return a file's problems, or None where it has none and works. Any other exception is a defect."""
    try:
        taxonomy, _ = parse_taxonomy(text, "cooks.yaml")
    except TaxonomyError as error:
        return error.problems
    for engine in ENGINES:
        Parser(taxonomy, engine=engine).analyse("the very tall woman's cook")
    return None


def put(value: Any, place: tuple[str | int, ...], new: Any) -> None:
    """Change a nested value, where it still has the place."""
    for part in place[:-1]:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return
    last: Any = place[-1]
    if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(last, int)):
        value[last] = new


def test_the_file_that_is_changed_here_is_good() -> None:
    assert reported(GOOD) is None


@example([(("modifiers", "height", "words", 0), {"word": None, "plural": None})])
@examples(150)
@given(st.lists(st.tuples(PLACES, VALUES), min_size=1, max_size=4))
def test_other_values_anywhere_are_accepted_or_reported(
    changes: list[tuple[tuple[str | int, ...], Any]],
) -> None:
    value = yaml.safe_load(GOOD)
    for place, new in changes:
        put(value, place, new)
    problems = reported(yaml.safe_dump(value, sort_keys=False))
    assert problems is None or problems
    # What was put in for the sake of going on is never shown.
    assert not any(FILLER in f"{problem.message} {problem.hint}" for problem in problems or ())


@examples(150)
@given(st.integers(0, len(GOOD) - 1), st.integers(0, 12), st.text(max_size=4))
def test_a_file_cut_or_changed_anywhere_is_accepted_or_reported(start: int, length: int, new: str) -> None:
    problems = reported(GOOD[:start] + new + GOOD[start + length :])
    assert problems is None or problems


@examples(100)
@given(st.text())
def test_any_text_is_accepted_or_reported(text: str) -> None:
    assert reported(text)
