"""Docs become compact annotations; tokens are cut in bounded time. Hand-built Docs, no model."""

from __future__ import annotations

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from assess.annotate.extract import DocReader
from assess.annotate.model import LONGEST_RUN, tokenise
from assess.records import Annotation, Chunk
from tests.properties import examples

ENGLISH = spacy.blank("en")


def parsed_doc() -> Doc:
    return Doc(
        ENGLISH.vocab,
        words=["Two", "dogs", "\n", "chase", "it", "."],
        spaces=[True, True, False, True, False, False],
        tags=["CD", "NNS", "_SP", "VBP", "PRP", "."],
        pos=["NUM", "NOUN", "SPACE", "VERB", "PRON", "PUNCT"],
        heads=[1, 3, 1, 3, 3, 3],
        deps=["nummod", "nsubj", "dep", "ROOT", "dobj", "punct"],
    )


def test_a_doc_becomes_words_offsets_tags_chunks_heads_and_relations() -> None:
    assert DocReader(ENGLISH.vocab).annotation(parsed_doc()) == Annotation(
        words=("Two", "dogs", "\n", "chase", "it", "."),
        offsets=(0, 4, 9, 10, 16, 18),
        tags=("CD", "NNS", "_SP", "VBP", "PRP", "."),
        chunks=(Chunk(0, 8), Chunk(16, 18)),
        heads=(1, 3, 1, 3, 3, 3),
        deps=("nummod", "nsubj", "dep", "ROOT", "dobj", "punct"),
    )


def test_an_empty_doc_becomes_an_empty_annotation() -> None:
    assert DocReader(ENGLISH.vocab).annotation(Doc(ENGLISH.vocab)) == Annotation((), (), (), ())


def test_equal_words_of_different_docs_are_one_object() -> None:
    reader = DocReader(ENGLISH.vocab)
    first, second = reader.annotation(parsed_doc()), reader.annotation(parsed_doc())
    assert all(one is other for one, other in zip(first.words, second.words, strict=True))
    assert all(one is other for one, other in zip(first.deps, second.deps, strict=True))


def test_shared_strings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assess.annotate.extract.REMEMBERED", 3)
    reader = DocReader(ENGLISH.vocab)
    assert reader.annotation(parsed_doc()).words == ("Two", "dogs", "\n", "chase", "it", ".")
    assert len(reader._strings) <= 3


def test_ordinary_text_is_tokenised_as_spacy_does_it() -> None:
    text = "The 90-year-old man's  t-shirt isn't\tred!!! " + "x" * LONGEST_RUN
    assert [str(token) for token in tokenise(ENGLISH, text)] == [str(token) for token in ENGLISH(text)]


def test_a_lone_surrogate_is_read_as_one_replacement_character() -> None:
    doc = tokenise(ENGLISH, "a \ud800dog \udc00\ud83d cat")
    assert doc.text == "a \ufffddog \ufffd\ufffd cat"


def test_spacy_never_sees_a_long_run_without_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    make_doc = ENGLISH.make_doc

    def recording_make_doc(text: str) -> Doc:
        seen.append(text)
        return make_doc(text)

    monkeypatch.setattr(ENGLISH, "make_doc", recording_make_doc)
    doc = tokenise(ENGLISH, "so many " + "!?" * 5_000 + " marks")
    assert len(doc) == 10_003
    assert max(len(run) for text in seen for run in text.split()) == LONGEST_RUN


ODD_TEXT = st.text(st.sampled_from("ab!.\n \U0001f600'\u05d0\u200f"), max_size=30)


@examples(30)
@given(parts=st.lists(ODD_TEXT, max_size=4), runs=st.lists(st.integers(400, 1600), max_size=3))
def test_tokens_cover_the_text_in_order_at_true_offsets(parts: list[str], runs: list[int]) -> None:
    text = " ".join(parts) + "".join("(" * length + "w " for length in runs)
    doc = tokenise(ENGLISH, text)
    assert doc.text == text
    assert all(text[token.idx : token.idx + len(token)] == token.text for token in doc)
