"""Annotation without a model: converting Docs, compiling rules into tables, sharing windows."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc
from thinc.api import NumpyOps, fix_random_seed

from assess.annotate import arithmetic, shortcuts
from assess.annotate.arithmetic import QuickOps, quick_parse, quicken_products
from assess.annotate.extract import DocReader
from assess.annotate.model import LONGEST_RUN, tokenise
from assess.annotate.shortcuts import Marker, RuleNotUnderstoodError, compile_rules, share_windows
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


VOCAB = spacy.blank("en").vocab
TAGS = ("NN", "DT", "VBZ", "_SP")
DEPS = ("nsubj", "det", "expl", "ROOT", "dep")
RULE_WORDS = ("dog", "This", "is", "There", "Nobody", "\n")
NOMINAL = ("NOUN", "PROPN", "PRON")


def pattern(*specs: dict[str, Any], index: int = 0, **assigns: str) -> dict[str, Any]:
    return {"patterns": [list(specs)], "attrs": assigns, "index": index}


RULES = (
    pattern({"TAG": "NN"}, POS="NOUN", MORPH="Number=Sing"),
    pattern({"TAG": "DT"}, POS="DET"),
    pattern({"TAG": "VBZ"}, POS="VERB"),
    pattern({"TAG": "NN", "LOWER": "nobody"}, POS="PRON"),
    pattern({"ORTH": "This", "DEP": {"NOT_IN": ["det", ""]}}, POS="PRON"),
    pattern({"DEP": "expl"}, {"LOWER": {"IN": ["is", "are"]}}, index=1, POS="VERB"),
    pattern({"TAG": "NN"}, {"TAG": "VBZ"}, {"IS_SPACE": False}, index=-1, POS="PROPN"),
    pattern({"LOWER": "is", "DEP": "ROOT"}, POS="NOUN"),
    pattern({"LOWER": "dog"}, LEMMA="dog"),
    pattern({"IS_SPACE": True, "DEP": {"NOT_IN": [""]}}, DEP="dep"),
    pattern({"IS_SPACE": True}, TAG="_SP", POS="SPACE"),
)


@pytest.mark.parametrize(
    "rule",
    [
        pattern({"LEMMA": "dog"}, POS="X"),
        pattern({"LOWER": {"REGEX": "^d"}}, POS="X"),
        pattern({"LOWER": {}}, POS="X"),
        pattern({"TAG": "NN", "OP": "+"}, POS="X"),
        pattern({"TAG": 15308085513773655218}, POS="X"),
        pattern({"TAG": "NN"}, POS="X", ENT_TYPE="PERSON"),
        {"patterns": [[{"TAG": "NN"}]], "attrs": {"POS": 92}, "index": 0},
        {"patterns": [[{"TAG": "NN"}]], "attrs": {74: "NOUN"}, "index": 0},
        pattern({"TAG": "NN"}, index=1, POS="X"),
        pattern({"TAG": "NN"}, index=-2, POS="X"),
    ],
)
def test_rules_beyond_a_table_are_not_guessed(rule: dict[str, Any]) -> None:
    with pytest.raises(RuleNotUnderstoodError):
        compile_rules([*RULES, rule])


def make_doc(tokens: list[tuple[str, str, str]]) -> Doc:
    words, tags, deps = zip(*tokens, strict=True)
    return Doc(VOCAB, words=words, tags=tags, deps=deps, heads=[0] * len(words))


TOKENS = st.tuples(st.sampled_from(RULE_WORDS), st.sampled_from(TAGS), st.sampled_from(DEPS))


SOME_RULES = st.sets(st.sampled_from(range(len(RULES))), min_size=1)


@given(tokens=st.lists(TOKENS, min_size=1, max_size=8), kept=SOME_RULES)
def test_marking_equals_the_attribute_ruler(tokens: list[tuple[str, str, str]], kept: set[int]) -> None:
    rules = [RULES[number] for number in sorted(kept)]
    ruler = AttributeRuler(VOCAB)
    ruler.add_patterns(rules)
    expected, found = ruler(make_doc(tokens)), make_doc(tokens)
    Marker(compile_rules(rules)).mark(found)
    for one, other in zip(expected, found, strict=True):
        assert (one.tag_, one.dep_) == (other.tag_, other.dep_)
        assert (one.pos_ if one.pos_ in NOMINAL else "") == other.pos_


def test_what_is_remembered_is_bounded_and_forgetting_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assess.annotate.shortcuts.REMEMBERED", 2)
    marker = Marker(compile_rules(RULES))
    for _ in range(2):
        doc = make_doc([("dog", "NN", "nsubj"), ("cat", "NN", "dobj"), ("cow", "NN", "conj")])
        marker.mark(doc)
        assert [word.pos_ for word in doc] == ["NOUN"] * 3
        assert len(marker._entries) <= 2


def tiny_pipeline(*, window_size: int = 1, depth: int = 3, architecture: str = "MaxoutWindow") -> Any:
    fix_random_seed(1)
    pipeline = spacy.blank("en")
    encoder: dict[str, object] = {"width": 24, "depth": depth, "window_size": window_size}
    if architecture == "MaxoutWindow":
        encoder["maxout_pieces"] = 2
    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 24,
        "attrs": ["NORM", "SHAPE", "SPACY"],
        "rows": [200, 100, 10],
        "include_static_vectors": False,
    }
    encode = {"@architectures": f"spacy.{architecture}Encoder.v2", **encoder}
    model = {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}
    pipeline.add_pipe("tok2vec", config={"model": model})
    pipeline.initialize()
    return pipeline


@pytest.fixture(scope="module")
def stock_and_shared() -> tuple[Any, Any]:
    stock, shared = tiny_pipeline(), tiny_pipeline()
    assert share_windows(shared)
    return stock, shared


WINDOW_WORDS = st.sampled_from(["a", "man", "Man", "rides", "the", "wave", "can't", "!", "\n", "3"])
TEXTS = st.lists(st.lists(WINDOW_WORDS, max_size=14).map(" ".join), min_size=1, max_size=12)


@examples(60)
@given(texts=TEXTS)
def test_vectors_are_equal_to_the_last_bit(stock_and_shared: tuple[Any, Any], texts: list[str]) -> None:
    stock, shared = stock_and_shared
    for one, other in zip(stock.pipe(texts), shared.pipe(texts), strict=True):
        assert np.array_equal(one.tensor, other.tensor)


def test_vectors_do_not_depend_on_the_other_texts(stock_and_shared: tuple[Any, Any]) -> None:
    _, shared = stock_and_shared
    texts = ["a man rides", "the wave can't", "", "a man rides the wave", "3 !"]
    together = list(shared.pipe(texts, batch_size=5))
    assert all(np.array_equal(doc.tensor, shared(doc.text).tensor) for doc in together)


def test_repeated_windows_are_computed_once(
    stock_and_shared: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, shared = stock_and_shared
    computed: list[int] = []
    mix = shortcuts._mix

    def counting_mix(*arguments: Any) -> Any:
        ids, rows = mix(*arguments)
        computed.append(len(rows))
        return ids, rows

    monkeypatch.setattr(shortcuts, "_mix", counting_mix)
    list(shared.pipe(["a man rides the wave"]))
    once = list(computed)
    computed.clear()
    list(shared.pipe(["a man rides the wave"] * 50, batch_size=50))
    assert computed == once


@pytest.mark.parametrize(
    "pipeline",
    [
        pytest.param(spacy.blank("en"), id="no tok2vec"),
        pytest.param(tiny_pipeline(window_size=2, depth=2), id="windows of five"),
        pytest.param(tiny_pipeline(architecture="MishWindow"), id="windows without padding"),
    ],
)
def test_other_models_are_left_as_they_are(pipeline: Any) -> None:
    before = [component.model for _, component in pipeline.pipeline]
    assert not share_windows(pipeline)
    assert [component.model for _, component in pipeline.pipeline] == before


def test_a_model_for_which_the_results_differ_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = tiny_pipeline()
    before = pipeline.get_pipe("tok2vec").model
    mix = shortcuts._mix

    def imprecise_mix(*arguments: Any) -> Any:
        ids, rows = mix(*arguments)
        return ids, np.nextafter(rows, np.float32(1))

    monkeypatch.setattr(shortcuts, "_mix", imprecise_mix)
    assert not share_windows(pipeline)
    assert pipeline.get_pipe("tok2vec").model is before


def test_the_vectors_are_not_for_training(stock_and_shared: tuple[Any, Any]) -> None:
    _, shared = stock_and_shared
    with pytest.raises(NotImplementedError):
        shared.get_pipe("tok2vec").model.begin_update([shared.make_doc("a man")])


# Products with another library, and the parser's steps.


@pytest.fixture(scope="module")
def quick() -> QuickOps:
    multiply = arithmetic._second_library()
    if multiply is None:
        pytest.skip("needs Linux on x86-64, and a numpy that brings OpenBLAS")
    found = QuickOps(multiply)
    # Ones would not show whether products are rounded before they are added: fused operations round once.
    if not found.equals_blis(np.random.default_rng(1).standard_normal((300, 800), dtype=np.float32)):
        pytest.skip("needs a processor that BLIS does not know")
    return found


@examples(60)
@given(rows=st.integers(0, 700), columns=st.integers(1, 300), terms=st.integers(1, 800), seed=st.integers(0))
def test_products_are_those_of_spacy_to_the_last_bit(
    quick: QuickOps, rows: int, columns: int, terms: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    x, weights = (random.standard_normal((number, terms), dtype=np.float32) for number in (rows, columns))
    expected = NumpyOps().gemm(x, weights, trans2=True)
    assert np.array_equal(quick.gemm(x, weights, trans2=True), expected)
    out = np.full((rows + 1, columns), np.nan, np.float32)
    assert np.array_equal(quick.gemm(x, weights, trans2=True, out=out[1:]), expected)
    assert np.array_equal(out[1:], expected)
    assert np.array_equal(quick.gemm(x, np.ascontiguousarray(weights.T)), expected)


def test_a_library_that_rounds_otherwise_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def rounded(*arguments: Any) -> None:
        rows, columns, product = arguments[3], arguments[4], arguments[12]
        ctypes.memset(product, 0, rows * columns * 4)

    pipeline = tiny_pipeline()
    monkeypatch.setattr(arithmetic, "_second_library", lambda: rounded)
    assert not quicken_products(pipeline)
    assert {type(node.ops) for node in pipeline.get_pipe("tok2vec").model.walk()} == {NumpyOps}


def test_numpy_keeps_its_own_library_and_the_environment_stays(quick: QuickOps) -> None:
    del quick
    x = np.random.default_rng(0).standard_normal((64, 300), dtype=np.float32)
    before, environment = x @ x.T, dict(os.environ)
    arithmetic._second_library.cache_clear()
    assert arithmetic._second_library() is not None
    assert np.array_equal(x @ x.T, before)
    assert dict(os.environ) == environment


def untrained_parser(**settings: Any) -> tuple[Any, list[Doc]]:
    """Return a parser with random weights, and docs for it."""
    fix_random_seed(0)
    pipeline = spacy.blank("en")
    parser = pipeline.add_pipe("parser", config=settings)
    for label in ("nsubj", "det", "dobj"):
        parser.add_label(label)
    pipeline.initialize()
    for node in parser.model.walk():  # the upper layer starts as zeros, which would make all steps equal
        if node.name == "linear":
            weights = np.random.default_rng(0).standard_normal(node.get_param("W").shape, dtype=np.float32)
            node.set_param("W", weights)
    return parser, [pipeline.make_doc(text) for text in ("a man rides the wave", "", "no", "a b c d e f g h")]


def test_steps_give_the_trees_of_the_parser() -> None:
    parser, docs = untrained_parser()
    parse = quick_parse(parser, docs)
    assert parse is not None
    ours, theirs = [doc.copy() for doc in docs], [doc.copy() for doc in docs]
    parse(ours)
    list(parser.pipe(theirs))
    told = [[(token.head.i, token.dep_, token.is_sent_start) for token in doc] for doc in ours]
    assert told == [[(token.head.i, token.dep_, token.is_sent_start) for token in doc] for doc in theirs]
    assert len({relation for doc in told for _, relation, _ in doc}) > 1


def test_a_parser_that_keeps_several_trees_is_left_as_it_is() -> None:
    parser, docs = untrained_parser()
    parser.cfg["beam_width"] = 4
    assert quick_parse(parser, docs) is None


def test_a_parser_whose_trees_would_differ_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    parser, docs = untrained_parser()

    def no_tree(_parser: Any, docs: Any) -> None:
        for doc in docs:
            for token in doc:
                token.dep_ = "det"

    monkeypatch.setattr(arithmetic, "_parse", no_tree)
    assert quick_parse(parser, docs) is None
