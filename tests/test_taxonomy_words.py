"""From entries and patterns to phrases: plurals, compounds, spellings, patterns, constraints."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.grammar.lexicon import Lexicon, spellings
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    Plurals,
    carrier_names,
    closest,
    instances,
    is_open,
    open_patterns_of,
    phrases_of,
)
from assess.taxonomy.words import plural_of, words_of
from tests.strategies import taxonomy_of


def heads_of(*words: Any, patterns: tuple[str, ...] = (), **values: Any) -> Taxonomy:
    return taxonomy_of(
        {"heads": {"h": {"description": "H.", "words": list(words), "patterns": list(patterns)}}} | values
    )


def modifier(*words: Any, **values: Any) -> dict[str, Any]:
    return {"description": "M.", "evidence": "visible", "sensitivity": "none", "words": list(words), **values}


def forms(taxonomy: Taxonomy, category: str = "h") -> list[str]:
    return [phrase.text for phrase in phrases_of(taxonomy) if phrase.category == category]


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("boy", "boys"),
        ("baby", "babies"),
        ("box", "boxes"),
        ("witch", "witches"),
        ("class", "classes"),
        ("guy", "guys"),
        ("man", "men"),
        ("woman", "women"),
        ("fireman", "firemen"),
        ("policewoman", "policewomen"),
        ("human", "humans"),
        ("german", "germans"),
        ("child", "children"),
        ("grandchild", "grandchildren"),
        ("person", "people"),
        ("salesperson", "salespeople"),
        ("housewife", "housewives"),
        ("wolf", "wolves"),
        ("catfish", "catfish"),
        ("sheep", "sheep"),
        ("ox", "oxen"),
        ("fox", "foxes"),
        ("y", "ys"),
    ],
)
def test_common_plurals_are_made(singular: str, plural: str) -> None:
    assert plural_of(singular) == plural


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["boy"], ["boy", "boys"]),
        (["tennis player"], ["tennis player", "tennis players"]),
        (["Fire-Man"], ["fire man", "fire men"]),
        ([{"ninja": "ninja"}], ["ninja"]),
        ([{"police": None}], ["police"]),
        ([{"hero": "heroes"}], ["hero", "heroes"]),
        ([{"word": "hero", "plural": "heroes"}], ["hero", "heroes"]),
        ([{"hero": "heroes"}, "super hero"], ["hero", "heroes", "super hero", "super heroes"]),
        ([{"mother-in-law": "mothers-in-law"}], ["mother in law", "mothers in law"]),
        ([{"police": None}, "traffic police"], ["police", "traffic police"]),
        ([{"word": "traffic police", "plural": None}], ["traffic police"]),
        (["Café Owner"], ["café owner", "café owners"]),
    ],
)
def test_a_head_has_its_singular_and_its_plural(words: list[Any], expected: list[str]) -> None:
    assert forms(heads_of(*words)) == expected


def test_a_plural_stated_for_a_word_serves_phrases_that_end_in_it() -> None:
    plurals = Plurals(heads_of({"hero": "heroes"}, {"police": None}))
    assert plurals.of("super hero") == "super heroes"
    assert plurals.of("traffic police") is None
    assert plurals.of("young boy") == "young boys"


def test_exact_hyphens_are_kept_in_plurals_too() -> None:
    taxonomy = heads_of({"mother-in-law": "mothers-in-law"}, "t-rex", hyphens="exact")
    assert forms(taxonomy) == ["mother-in-law", "mothers-in-law", "t-rex", "t-rexes"]


def test_plurals_belong_to_the_category_of_plurals_and_singulars_do_not() -> None:
    taxonomy = taxonomy_of(
        {
            "plurals_are": "many",
            "heads": {
                "h": {"description": "H.", "words": ["boy", {"police": None}, "traffic police", "sheep"]},
                "many": {"description": "Many.", "words": ["crowd"]},
            },
        }
    )
    assert forms(taxonomy, "many") == ["boys", "sheep", "crowd", "crowds"]


def test_a_plural_remembers_its_singular_so_that_constraints_can_name_it() -> None:
    taxonomy = heads_of({"woman": "women"}, sets={"her": ["woman"]})
    assert {phrase.text: phrase.base for phrase in phrases_of(taxonomy)} == {
        "woman": "woman",
        "women": "woman",
    }
    assert carrier_names(taxonomy, phrases_of(taxonomy))["women"] == {"women", "woman", "h", "her"}


def test_a_finite_pattern_stands_for_all_combinations() -> None:
    taxonomy = heads_of("man", patterns=("{sport} player", "{sport}-{tool} maker"), sets={
        "sport": ["tennis", "ice hockey"], "tool": ["ball"],
    })  # fmt: skip
    assert forms(taxonomy)[2:] == [
        "tennis player", "tennis players", "ice hockey player", "ice hockey players",
        "tennis ball maker", "tennis ball makers", "ice hockey ball maker", "ice hockey ball makers",
    ]  # fmt: skip


def test_a_category_placeholder_stands_for_the_words_of_that_category() -> None:
    taxonomy = heads_of(
        "man", modifiers={"hue": modifier("red", "dark blue"), "hair": modifier(patterns=["{hue}-haired"])}
    )
    assert list(instances(taxonomy, "{hue}-haired")) == ["red-haired", "dark blue-haired"]
    assert forms(taxonomy, "hair") == ["red haired", "dark blue haired"]


@pytest.mark.parametrize(
    ("pattern", "reads", "refuses"),
    [
        ("{number}-year-old", ["5-year-old", "5 year old", "1,000-year-old"], ["year-old", "five-years-old"]),
        ("{number} or {number}", ["1 or 2", "twenty-one or thirty two"], ["one or", "one or more"]),
        ("{number}", ["7", "seven", "ninety nine", "3.5", "hundred"], ["ninety ten", "sevens", "one two"]),
        ("{word}-clad", ["fur-clad", "bikini-clad"], ["fur clad", "-clad", "a fur-clad", "‹fur›-clad"]),
        ("half-{word}", ["half-naked"], ["half naked"]),
        ("{word} clad", ["fur clad", "fur-clad"], ["clad", "a fur clad"]),
        ("{number} {tool}", ["two pans", "2-pans", "two big pans"], ["two pots"]),
        ("{tool} and {word}", ["pans and pots", "big pans and pots"], ["pans pots"]),
    ],
)  # fmt: skip
def test_an_open_pattern_reads_what_it_means_and_nothing_else(
    pattern: str, reads: list[str], refuses: list[str]
) -> None:
    taxonomy = heads_of(
        "man", sets={"tool": ["pans", "big pans"]}, modifiers={"m": modifier(patterns=[pattern])}
    )
    (found,) = open_patterns_of(taxonomy)
    assert is_open(pattern)
    assert [text for text in reads if not re.fullmatch(found.regex, text)] == []
    assert [text for text in refuses if re.fullmatch(found.regex, text)] == []


def test_a_modifier_that_ends_in_of_is_an_of_phrase() -> None:
    taxonomy = heads_of("man", modifiers={"m": modifier("group of", "of", "proof", patterns=["{number} of"])})
    assert {phrase.text: phrase.of for phrase in phrases_of(taxonomy) if phrase.role == "modifier"} == {
        "group of": True, "of": False, "proof": False,
    }  # fmt: skip
    assert [pattern.of for pattern in open_patterns_of(taxonomy)] == [True]


def test_constraints_of_a_word_add_to_those_of_its_category_and_its_only_with_replaces_them() -> None:
    words = ["big", {"word": "old", "not_with": ["man"]}, {"word": "fat", "only_with": ["man"]}]
    taxonomy = heads_of("man", "boy", modifiers={"m": modifier(*words, not_with=["boy"], only_with=["h"])})
    constraints = {p.text: (p.constraint.not_with, p.constraint.only_with) for p in phrases_of(taxonomy)}
    assert constraints["big"] == (("boy",), ("h",))
    assert constraints["old"] == (("boy", "man"), ("h",))
    assert constraints["fat"] == (("boy",), ("man",))


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("tall", {"tall"}),
        ("middle aged", {"middle aged", "middle-aged"}),
        ("women 's team", {"women 's team"}),
        ("and / or", {"and / or"}),
        ("a b c", {"a b c", "a-b c", "a b-c", "a-b-c"}),
    ],
)
def test_a_space_is_a_space_or_a_hyphen_except_at_marks(phrase: str, expected: set[str]) -> None:
    assert set(spellings(phrase)) == expected


@given(st.lists(st.sampled_from(["ba", "be", "bi"]), min_size=1, max_size=5), st.data())
def test_the_lexicon_finds_a_phrase_in_every_spelling_at_its_place(
    words: list[str], data: st.DataObject
) -> None:
    lexicon = Lexicon()
    lexicon.add(" ".join(words), "TERMINAL")
    joints = [data.draw(st.sampled_from(" -")) for _ in words[1:]]
    text = words[0] + "".join(joint + word for joint, word in zip(joints, words[1:], strict=True))
    tokens = ("zu", *words_of(text), "zu")
    edges = [(edge.start, edge.end) for edge in lexicon.edges(tokens)]
    assert (1, len(tokens) - 1) in edges
    assert all(" ".join(tokens[s:e]).replace("-", " ") == " ".join(words) for s, e in edges)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("heigth", "did you mean `height`?"),
        ("zzz", "known here: age, height"),
    ],
)
def test_the_nearest_name_is_offered(name: str, hint: str) -> None:
    assert closest(name, ["height", "age"]) == hint


def test_of_many_names_only_some_are_shown() -> None:
    assert closest("zzz", [f"n{number:02}" for number in range(20)]).endswith("n11, ...")
    assert closest("zzz", []) == "known here: nothing yet"
