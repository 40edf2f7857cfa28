"""Running a taxonomy's examples: those that pass, and what is said of those that fail."""

from __future__ import annotations

from typing import Any

import pytest

from assess.domain.examples import run_examples
from assess.grammar import Parser
from assess.taxonomy import load_taxonomy, shipped_taxonomies
from tests.strategies import taxonomy_of

FRAME = {"description": "M.", "evidence": "visible", "sensitivity": "none"}
VALUES = {
    "heads": {"person": {"description": "P.", "words": ["cook"]}},
    "modifiers": {"height": {**FRAME, "words": ["tall", "long"]}, "hair": {**FRAME, "words": ["long"]}},
}


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
            "modifiers: expected height, the best reading has none",
        ),
        ({"text": "a tall cook", "modifiers": []}, "modifiers: expected none, the best reading has height"),
        ({"text": "a cook", "heads": []}, "heads: expected none, the best reading has person"),
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
