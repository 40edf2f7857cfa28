"""Annotation with a cache, which never causes a wrong number, and in processes that may die."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.annotate.extract import Annotator
from assess.engine import annotating
from assess.engine import pool as batches
from assess.engine.annotating import AnnotationService
from assess.engine.annotation_cache import AnnotationCache, BrokenRecordError, clear, decode, encode, facts
from assess.engine.pool import AnnotatorPool
from assess.errors import InputError
from assess.records import Annotation, Chunk, Depth

# The cache: shared and bounded.


def annotation_of(text: str) -> Annotation:
    """Annotate by hand: every word a noun, and all of them a chunk."""
    found = list(re.finditer(r"\A +| {2,}|[^ ]+", text))
    words, offsets = tuple(each.group() for each in found), tuple(each.start() for each in found)
    chunks = (Chunk(found[0].start(), found[-1].end()),) if found else ()
    return Annotation(
        words, offsets, ("NN",) * len(words), chunks, tuple(range(len(words))), ("ROOT",) * len(words)
    )


def records_of(*texts: str) -> dict[str, bytes]:
    return {text: encode(annotation_of(text)) for text in texts}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


@given(st.text())
def test_decoding_gives_back_what_was_encoded(text: str) -> None:
    annotation = annotation_of(text)
    assert decode(text, encode(annotation)) == annotation


@given(st.text())
def test_a_record_serves_those_who_want_less_and_not_those_who_want_more(text: str) -> None:
    whole = annotation_of(text)
    shallow = encode(whole, Depth.TAGS)
    assert decode(text, encode(whole), Depth.TAGS) == whole.up_to(Depth.TAGS)
    assert decode(text, shallow, Depth.TAGS) == whole.up_to(Depth.TAGS)
    assert decode(text, shallow, Depth.TREE) is None


@given(st.integers(min_value=0, max_value=10_000), st.integers(min_value=1, max_value=255))
def test_a_changed_byte_is_always_noticed(position: int, change: int) -> None:
    record = bytearray(encode(annotation_of("a man with a dog")))
    record[position % len(record)] ^= change
    with pytest.raises(BrokenRecordError):
        decode("a man with a dog", bytes(record))


MAN = annotation_of("a man  with a dog")
FORGED: dict[str, dict[str, Any]] = {
    "words in another order": {"offsets": MAN.offsets[::-1]},
    "a word is left out": {"offsets": MAN.offsets[1:], "words": MAN.words[1:]},
    "words overlap": {"words": ("a man", *MAN.words[1:])},
    "an empty word": {"words": ("a", "", *MAN.words[2:])},
    "words of a longer text": {"words": (*MAN.words[:-1], "doggy")},
    "words of a shorter text": {"words": (*MAN.words[:-1], "d")},
    "fewer tags": {"tags": MAN.tags[1:]},
    "fewer relations": {"deps": MAN.deps[1:]},
    "fewer heads": {"heads": MAN.heads[1:]},
    "a negative head": {"heads": (-1, *MAN.heads[1:])},
    "a head outside": {"heads": (len(MAN.heads), *MAN.heads[1:])},
    "half a head": {"heads": (0.5, *MAN.heads[1:])},
    "heads in a loop": {"heads": (1, 0, *MAN.heads[2:])},
    "heads in a longer loop": {"heads": (1, 2, 3, 1, *MAN.heads[4:])},
    "an empty chunk": {"chunks": (Chunk(2, 2),)},
    "a chunk inside a word": {"chunks": (Chunk(3, 5),)},
    "a chunk that ends inside a word": {"chunks": (Chunk(2, 4),)},
    "a chunk outside": {"chunks": (Chunk(2, 99),)},
    "a negative chunk": {"chunks": (Chunk(-1, 5),)},
    "half a chunk": {"chunks": (mock.Mock(start=2.0, end=5),)},
    "chunks in another order": {"chunks": (Chunk(12, 13), Chunk(0, 1))},
    "chunks that overlap": {"chunks": (Chunk(0, 5), Chunk(2, 11))},
}


@pytest.mark.parametrize("what", FORGED)
def test_a_record_that_cannot_be_true_is_broken_though_its_checksum_is_right(what: str, path: Path) -> None:
    text = "a man  with a dog"
    cache = AnnotationCache("model", path=path)
    cache.put({text: encode(MAN._replace(**FORGED[what])), "a man": encode(annotation_of("a man"))})
    assert cache.get([text, "a man"]) == {"a man": annotation_of("a man")}
    cache.put({text: encode(MAN)})
    assert cache.get([text]) == {text: MAN}


def test_what_was_put_is_found_by_the_next_run_of_the_same_model(path: Path) -> None:
    # More texts than one statement takes.
    texts = ["a man", "a \x00 woman", "", "ein Mädchen 👧", *(f"caption {number}" for number in range(1_200))]
    first = AnnotationCache("model 1", path=path)
    first.put(records_of(*texts))
    first.close()
    found = AnnotationCache("model 1", path=path).get([*texts, "new"])
    assert found == {text: annotation_of(text) for text in texts}
    assert AnnotationCache("model 2", path=path).get(texts) == {}
    assert facts(path).annotations == len(texts)
    clear(path)
    assert list(path.parent.iterdir()) == []
    assert facts(path).annotations == 0


def test_a_broken_record_is_worked_out_again(path: Path) -> None:
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


@pytest.mark.parametrize("content", [b"SQLite format 3\0 and then nothing of it", b"\0" * 5000])
def test_a_broken_file_is_set_aside(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    cache = AnnotationCache("model", path=path)
    cache.put(records_of("a man"))
    assert cache.get(["a man"]) == {"a man": annotation_of("a man")}
    assert path.with_name("cache.sqlite.broken").read_bytes() == content


def test_without_a_place_to_write_the_run_goes_on(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = AnnotationCache("model", path=blocked / "cache.sqlite")
    cache.put(records_of("a man"))
    cache.close()
    assert blocked.read_text() == ""


def test_a_cache_over_its_limit_loses_what_was_used_longest_ago(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = [f"old {n}" for n in range(50)], [f"new {n}" for n in range(50)]
    for day, texts, limit in ((10, old, 1 << 30), (20, new, 1)):
        monkeypatch.setattr("assess.engine.annotation_cache.time.time", lambda day=day: 86_400.0 * day)
        cache = AnnotationCache("model", path=path, size_limit=limit)
        cache.put(records_of(*texts))
        cache.close()
    assert set(AnnotationCache("model", path=path).get(old + new)) == set(new)


# Several processes: the same results, in order, also when one dies.

TEXTS = [f"a man with {number} dogs and a {word} cat" for number in range(150) for word in ("big", "red")]


@pytest.fixture
def pool(two_processes: AnnotatorPool, monkeypatch: pytest.MonkeyPatch) -> AnnotatorPool:
    """Smaller batches than usual, so that few texts make many of them."""
    monkeypatch.setattr(batches, "BATCH", 25)
    return two_processes


@pytest.fixture(scope="module")
def two_processes() -> Iterator[AnnotatorPool]:
    """Two processes for all tests here: whatever happened to one, the next test finds two that work."""
    found = AnnotatorPool(None, 2)
    yield found
    found.close()


@pytest.fixture(scope="module")
def expected() -> list[Annotation]:
    return list(Annotator().annotate(TEXTS))


def annotated(records: dict[str, bytes]) -> list[object]:
    return [decode(text, records[text]) for text in TEXTS]


@pytest.mark.model
def test_two_processes_give_what_one_gives(pool: AnnotatorPool, expected: list[object]) -> None:
    steps: list[int] = []
    assert annotated(pool.annotate(TEXTS, progress=steps.append)) == expected
    assert sum(steps) == len(TEXTS)
    assert list(pool.annotate(["a man", "", "a man"])) == ["", "a man"]


@pytest.mark.model
def test_a_killed_worker_costs_time_only(pool: AnnotatorPool, expected: list[object]) -> None:
    # Each worker is given two batches before any answer is read, so both have answered after this.
    pool.annotate(TEXTS)
    victim = pool._workers[0]
    assert victim.process.pid is not None
    # A process that stands still takes its batches and never answers them, however slow the others are.
    os.kill(victim.process.pid, signal.SIGSTOP)
    lost: list[int] = []

    def kill_once(_: int) -> None:
        if not lost:
            lost.extend(victim.batches)
            victim.process.kill()
            victim.process.join()

    try:
        records = pool.annotate(TEXTS, progress=kill_once)
    finally:
        victim.process.kill()  # nothing less ends a process that stands still
    assert len(lost) == 2
    assert annotated(records) == expected
    assert pool._workers[0].process.pid != victim.process.pid


@pytest.mark.model
def test_a_worker_that_dies_between_two_calls_is_replaced(
    pool: AnnotatorPool, expected: list[object]
) -> None:
    victim = pool._workers[0].process
    victim.kill()
    victim.join()
    assert annotated(pool.annotate(TEXTS)) == expected
    assert pool._workers[0].process.pid != victim.pid


@pytest.mark.model
def test_a_mistake_in_a_worker_is_the_same_error(pool: AnnotatorPool) -> None:
    with pytest.raises(InputError, match="too long"):
        pool.annotate(["a man", "hats, " * 400])


@pytest.mark.model
def test_cache_state_and_processes_change_no_result(
    path: Path, expected: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotating, "WORTH_A_POOL", 100)
    for processes, cache in ((1, False), (2, True), (2, True), (1, True)):
        service = AnnotationService(processes=processes, cache=cache, cache_path=path)
        steps: list[int] = []
        try:
            assert list(service.annotate(TEXTS, progress=steps.append)) == expected
        finally:
            service.close()
        assert sum(steps) == len(TEXTS)
    monkeypatch.setattr(annotating, "thread_annotator", None)  # a warm cache needs no model
    service = AnnotationService(cache_path=path)
    assert list(service.annotate(TEXTS[::-1])) == expected[::-1]
    service.close()


@pytest.mark.model
def test_depth_and_what_others_asked_for_before_change_no_result(
    path: Path, expected: list[Annotation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotating, "WORTH_A_POOL", 100)
    for turn, (processes, cache) in enumerate([(1, False), (2, True), (1, True), (2, True), (1, True)]):
        wanted = {text: Depth((number + turn) % 4) for number, text in enumerate(TEXTS)}
        service = AnnotationService(processes=processes, cache=cache, cache_path=path)
        try:
            found = list(service.annotate(TEXTS, depth=wanted.__getitem__))
        finally:
            service.close()
        assert found == [whole.up_to(wanted[text]) for text, whole in zip(TEXTS, expected, strict=True)]
    assert facts(path).annotations == len(TEXTS)


@pytest.mark.model
def test_words_alone_are_those_of_annotations() -> None:
    texts = ["a man's dog  isn't here", "", "über-cool (no. 7)!"]
    service = AnnotationService(cache=False)
    found = [annotation.words for annotation in service.tokenise(texts)]
    assert found == [annotation.words for annotation in service.annotate(texts)]
