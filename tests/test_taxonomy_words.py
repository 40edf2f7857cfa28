"""The words of a taxonomy: the tokeniser for phrases and chunks, plurals, patterns, spellings."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assess.grammar.lexicon import spellings
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.phrases import (
    Plurals,
    instances,
    is_open,
    open_patterns_of,
    phrases_of,
    spaced,
)
from assess.taxonomy.words import POSSESSIVE, plural_of, tokenise, words_of
from tests.strategies import taxonomy_of

# Text as captions have it: words with apostrophes, hyphens, quotes and stops at every edge.
AWKWARD = st.text(st.sampled_from("asS'’`´.-–_ ,&/<>‹›\"()\t\n\x00İß😀א"), max_size=24)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A Tall Man", ("a", "tall", "man")),
        ("a red-haired girl", ("a", "red-haired", "girl")),
        ("the man's hat", ("the", "man", "'s", "hat")),
        ("the man’s hat", ("the", "man", "'s", "hat")),
        ("the boys' hats", ("the", "boys", "'s", "hats")),
        ("the boys ' hats", ("the", "boys", "'s", "hats")),
        ("the man 's hat", ("the", "man", "'s", "hat")),
        ("the MAN'S hat", ("the", "man", "'s", "hat")),
        ("the 'boys' here", ("the", "boys", "here")),
        ("it is the man's.", ("it", "is", "the", "man", "'s")),
        ("it is the boys'.", ("it", "is", "the", "boys", "'s")),
        ("'the man's'", ("the", "man", "'s")),
        ("James's dog", ("james", "'s", "dog")),
        ("a rock'n'roll star", ("a", "rock'n'roll", "star")),
        ("tall, dark and handsome", ("tall", ",", "dark", "and", "handsome")),
        ("men & women", ("men", "&", "women")),
        ("a man/woman", ("a", "man", "/", "woman")),
        ("an “old” man.", ("an", "old", "man")),
        ("(a man)", ("a", "man")),
        ("a man - a woman", ("a", "man", "a", "woman")),
        ("a 20\N{EN DASH}year\N{NON-BREAKING HYPHEN}old man", ("a", "20-year-old", "man")),
        ("a u.s. soldier", ("a", "u.s", "soldier")),
        ("a <unk> man", ("a", "<unk>", "man")),
        ("a ‹man›", ("a", "man")),
        ("[/EN#1/people Two men]", ("/", "en#1", "/", "people", "two", "men")),
        ("a\x00man\x1b[1m", ("a", "man", "1m")),
        ("שני גברים", ("שני", "גברים")),
        ("a 😀 man", ("a", "😀", "man")),
        ("", ()),
        (" .-'_ ", ()),
        ("'s", ("'s",)),
        ("'", ()),
    ],
)
def test_text_becomes_tokens(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


@example("<`>")
@given(st.one_of(st.text(), AWKWARD))
def test_tokens_slice_back_to_their_text(text: str) -> None:
    for token in tokenise(text):
        written = text[token.start : token.end]
        plain = written.translate(str.maketrans("’‘ʼ`´‐‑‒–—−", "'''''------")).lower()
        assert token.text in ({plain, POSSESSIVE} if plain in {"'s", "'"} else {plain})


@given(st.one_of(st.text(), AWKWARD))
def test_tokens_stand_in_order_and_never_overlap(text: str) -> None:
    tokens = tokenise(text)
    ends = [0, *(token.end for token in tokens)]
    assert all(end <= token.start < token.end for end, token in zip(ends, tokens, strict=False))
    assert ends[-1] <= len(text)


@given(st.one_of(st.text(), AWKWARD))
def test_a_token_is_one_lower_case_word(text: str) -> None:
    for word in words_of(text):
        assert word
        assert word == word.lower()
        assert len(word.split()) == 1


@given(st.text(st.sampled_from("asS'’.-_ ,&/\"()\tİß😀א"), max_size=24))
def test_tokens_of_tokens_are_the_same(text: str) -> None:
    words = words_of(text)
    assert words_of(" ".join(words)) == words


@given(st.lists(st.sampled_from(["a", "man", "'s", ",", "&", "/", "red-haired", "<unk>"])))
def test_text_made_of_tokens_gives_them_back(words: list[str]) -> None:
    assert words_of(" ".join(words)) == tuple(words)


@pytest.mark.parametrize("piece", ["a", "'s", "a's", "- ", "a,", "<", "\x00", "א ", "😀", "a-", ". "])
def test_ten_thousand_characters_are_no_trouble(piece: str) -> None:
    text = piece * (10_000 // len(piece))
    assert all(0 <= token.start < token.end <= len(text) for token in tokenise(text))


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Middle-Aged", "middle aged"),
        ("middle  aged", "middle aged"),
        ("20-year-old", "20 year old"),
        ("women's", "women 's"),
        ("and/or", "and / or"),
        ("...", ""),
    ],
)
def test_a_phrase_has_one_normal_form(text: str, normal: str) -> None:
    assert spaced(text) == normal


def test_an_exact_phrase_keeps_its_hyphens_and_marks() -> None:
    assert spaced("Middle-Aged  man.", exact=True) == "middle-aged man."


def heads_of(*words: Any, patterns: tuple[str, ...] = (), **values: Any) -> Taxonomy:
    return taxonomy_of(
        {"heads": {"h": {"description": "H.", "words": list(words), "patterns": list(patterns)}}} | values
    )


def modifier(*words: Any, **values: Any) -> dict[str, Any]:
    return {"description": "M.", "evidence": "visible", "sensitivity": "none", "words": list(words), **values}


def forms(taxonomy: Taxonomy, category: str = "h") -> list[str]:
    return [phrase.text for phrase in phrases_of(taxonomy) if phrase.category == category]


PLURALS = """
boy boys, baby babies, box boxes, witch witches, class classes, guy guys, man men, woman women,
fireman firemen, policewoman policewomen, human humans, german germans, child children, person people,
grandchild grandchildren, salesperson salespeople, housewife housewives, wolf wolves, catfish catfish,
sheep sheep, ox oxen, fox foxes, y ys, tomato tomatoes, potato potatoes, avocado avocados, photo photos,
knife knives, penknife penknives, loaf loaves, leaf leaves, bookshelf bookshelves, roof roofs, chef chefs,
giraffe giraffes, belief beliefs, quiz quizzes, stomach stomachs, crisis crises, iris irises,
aircraft aircraft, mongoose mongooses, louse lice, blouse blouses, tornado tornadoes
"""


@pytest.mark.parametrize(("singular", "plural"), [pair.split() for pair in PLURALS.split(",")])
def test_common_plurals_are_made(singular: str, plural: str) -> None:
    assert plural_of(singular) == plural


@pytest.mark.parametrize("word", ["police", "noodles", "fries", "scissors"])
def test_what_is_a_plural_already_has_none(word: str) -> None:
    assert plural_of(word) is None


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
