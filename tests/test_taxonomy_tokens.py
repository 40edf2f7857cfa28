"""The tokeniser that phrases and chunks share."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assess.taxonomy.phrases import spaced
from assess.taxonomy.words import POSSESSIVE, tokenise, words_of

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
