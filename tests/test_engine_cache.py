"""The cache: shared, bounded, and never the source of a wrong number."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.engine.annotation_cache import AnnotationCache, BrokenRecordError, clear, decode, encode, facts
from assess.records import Annotation, Chunk


def annotation_of(text: str) -> Annotation:
    """Annotate by hand: every word a noun, the whole text a chunk."""
    words = tuple(text.split(" "))
    offsets = tuple(sum(len(word) + 1 for word in words[:i]) for i in range(len(words)))
    chunks = (Chunk(0, len(text)),) if text else ()
    return Annotation(
        words, offsets, ("NN",) * len(words), chunks, tuple(range(len(words))), ("ROOT",) * len(words)
    )


def records_of(*texts: str) -> dict[str, bytes]:
    return {text: encode(annotation_of(text)) for text in texts}


@given(st.text())
def test_decoding_gives_back_what_was_encoded(text: str) -> None:
    annotation = annotation_of(text)
    assert decode(text, encode(annotation)) == annotation


def test_an_empty_annotation_survives() -> None:
    empty = Annotation((), (), (), ())
    assert decode("", encode(empty)) == empty


@given(st.integers(min_value=0, max_value=10_000), st.integers(min_value=1, max_value=255))
def test_a_changed_byte_is_always_noticed(position: int, change: int) -> None:
    record = bytearray(encode(annotation_of("a man with a dog")))
    record[position % len(record)] ^= change
    with pytest.raises(BrokenRecordError):
        decode("a man with a dog", bytes(record))


def test_what_was_put_is_found_by_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    texts = ["a man", "a \x00 woman", "", "ein Mädchen 👧"]
    first = AnnotationCache("model 1", path=path)
    first.put(records_of(*texts))
    first.close()
    second = AnnotationCache("model 1", path=path)
    assert second.get([*texts, "new"]) == {text: annotation_of(text) for text in texts}
    assert facts(path).annotations == len(texts)


def test_another_model_finds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    AnnotationCache("model 1", path=path).put(records_of("a man"))
    assert AnnotationCache("model 2", path=path).get(["a man"]) == {}


def test_more_texts_than_one_statement_takes(tmp_path: Path) -> None:
    cache = AnnotationCache("model", path=tmp_path / "cache.sqlite")
    texts = [f"caption {number}" for number in range(2_500)]
    cache.put(records_of(*texts))
    assert len(cache.get(texts)) == 2_500


def test_a_broken_record_is_worked_out_again(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = AnnotationCache("model", path=path)
    cache.put(records_of("a man", "a dog"))
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE annotation SET record = x'0000' WHERE key = (SELECT min(key) FROM annotation)"
        )
    connection.close()
    assert len(cache.get(["a man", "a dog"])) == 1
    cache.put(records_of("a man", "a dog"))
    assert len(cache.get(["a man", "a dog"])) == 2


@pytest.mark.parametrize("content", [b"this is not a database, whatever its name says", b"\0" * 5000])
def test_a_broken_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(content)
    cache = AnnotationCache("model", path=path)
    cache.put(records_of("a man"))
    assert cache.get(["a man"]) == {"a man": annotation_of("a man")}
    assert (tmp_path / "cache.sqlite.broken").read_bytes() == content


def test_without_a_place_to_write_the_run_goes_on(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = AnnotationCache("model", path=blocked / "cache.sqlite")
    cache.put(records_of("a man"))
    cache.close()
    assert blocked.read_text() == ""


def test_a_cache_over_its_limit_loses_what_was_used_longest_ago(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cache.sqlite"
    old, new = [f"old {n}" for n in range(50)], [f"new {n}" for n in range(50)]
    monkeypatch.setattr("assess.engine.annotation_cache.time.time", lambda: 86_400.0 * 10)
    first = AnnotationCache("model", path=path)
    first.put(records_of(*old))
    first.close()
    monkeypatch.setattr("assess.engine.annotation_cache.time.time", lambda: 86_400.0 * 20)
    second = AnnotationCache("model", path=path, size_limit=1)
    second.put(records_of(*new))
    second.close()
    third = AnnotationCache("model", path=path)
    assert set(third.get(old + new)) == set(new)


def test_clearing_removes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = AnnotationCache("model", path=path)
    cache.put(records_of("a man"))
    cache.close()
    clear(path)
    assert list(tmp_path.iterdir()) == []
    assert facts(path).annotations == 0
