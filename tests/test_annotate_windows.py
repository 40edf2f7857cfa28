"""Distinct windows give the vectors of the model they stand in for, bit for bit. Random weights, no model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from thinc.api import fix_random_seed

from assess.annotate import windows
from assess.annotate.windows import share_windows
from tests.properties import examples


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


WORDS = st.sampled_from(["a", "man", "Man", "rides", "the", "wave", "can't", "!", "\n", "3"])
TEXTS = st.lists(st.lists(WORDS, max_size=14).map(" ".join), min_size=1, max_size=12)


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
    mix = windows._mix

    def counting_mix(*arguments: Any) -> Any:
        ids, rows = mix(*arguments)
        computed.append(len(rows))
        return ids, rows

    monkeypatch.setattr(windows, "_mix", counting_mix)
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
    mix = windows._mix

    def imprecise_mix(*arguments: Any) -> Any:
        ids, rows = mix(*arguments)
        return ids, np.nextafter(rows, np.float32(1))

    monkeypatch.setattr(windows, "_mix", imprecise_mix)
    assert not share_windows(pipeline)
    assert pipeline.get_pipe("tok2vec").model is before


def test_the_vectors_are_not_for_training(stock_and_shared: tuple[Any, Any]) -> None:
    _, shared = stock_and_shared
    with pytest.raises(NotImplementedError):
        shared.get_pipe("tok2vec").model.begin_update([shared.make_doc("a man")])
