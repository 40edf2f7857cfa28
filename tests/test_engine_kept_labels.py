"""Labels on disk: what was kept comes back, and nothing of another origin."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.engine.kept_labels import LabelCache, TextLabels, decode_labels, encode_labels
from assess.grammar.labels import Found, LabelFinder
from assess.grammar.parser import Parser
from assess.taxonomy import load_taxonomy

found = st.builds(Found, st.integers(0, 99), st.integers(0, 99), st.text())
text_labels = st.builds(TextLabels, st.integers(0, 9), st.lists(found).map(tuple))


@given(text_labels)
def test_decoding_gives_back_what_was_encoded(labels: TextLabels) -> None:
    assert decode_labels(encode_labels(labels)) == labels


@given(text_labels, st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_a_changed_byte_is_always_noticed(labels: TextLabels, position: int, change: int) -> None:
    record = bytearray(encode_labels(labels))
    record[position % len(record)] ^= change
    with pytest.raises(ValueError, match="broken"):
        decode_labels(bytes(record))


def test_other_settings_or_models_find_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    parser = Parser(load_taxonomy("vehicles"))
    finder, plain = LabelFinder(parser), LabelFinder(parser, after=False)
    kept = {"a red car": TextLabels(1, (Found(0, 9, "a red car"),))}
    first = LabelCache("model 1", finder, path=path)
    first.put(kept)
    assert first.get(["a red car", "a bus"]) == kept
    first.close()
    for other in (LabelCache("model 1", plain, path=path), LabelCache("model 2", finder, path=path)):
        assert other.get(["a red car"]) == {}
        other.close()
