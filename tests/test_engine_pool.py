"""Several processes: same results, in order, also when one dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from assess.annotate.extract import LONGEST_TEXT, Annotator
from assess.engine import annotating
from assess.engine import pool as batches
from assess.engine.annotating import AnnotationService
from assess.engine.annotation_cache import decode
from assess.engine.pool import AnnotatorPool
from assess.errors import InputError

pytestmark = pytest.mark.model

TEXTS = [f"a man with {number} dogs and a {word} cat" for number in range(150) for word in ("big", "red")]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller batches than usual, so that few texts make many of them."""
    monkeypatch.setattr(batches, "BATCH", 25)


@pytest.fixture(scope="module")
def pool() -> Iterator[AnnotatorPool]:
    """Two processes for all tests here: whatever happened to one, the next test finds two that work."""
    found = AnnotatorPool(None, 2)
    yield found
    found.close()


@pytest.fixture(scope="module")
def expected() -> list[object]:
    return list(Annotator().annotate(TEXTS))


def annotated(pool: AnnotatorPool, texts: list[str]) -> list[object]:
    records = pool.annotate(texts)
    return [decode(text, records[text]) for text in texts]


def test_two_processes_give_what_one_gives(pool: AnnotatorPool, expected: list[object]) -> None:
    steps: list[int] = []
    records = pool.annotate(TEXTS, progress=steps.append)
    assert len(records) == len(TEXTS)
    assert [decode(text, records[text]) for text in TEXTS] == expected
    assert list(pool.annotate(["a man", "", "a man"])) == ["", "a man"]
    assert sum(steps) == len(TEXTS)


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
    assert [decode(text, records[text]) for text in TEXTS] == expected
    assert pool._workers[0].process.pid != victim.process.pid
    assert annotated(pool, TEXTS) == expected


def test_a_worker_that_dies_between_two_calls_is_replaced(
    pool: AnnotatorPool, expected: list[object]
) -> None:
    victim = pool._workers[0].process
    victim.kill()
    victim.join()
    assert annotated(pool, TEXTS) == expected
    assert pool._workers[0].process.pid != victim.pid


def test_a_mistake_in_a_worker_is_the_same_error(pool: AnnotatorPool) -> None:
    with pytest.raises(InputError, match="too long"):
        pool.annotate(["a man", "x" * (LONGEST_TEXT + 1)])


def test_cache_state_and_processes_change_no_result(
    tmp_path: Path, expected: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(annotating, "WORTH_A_POOL", 100)
    path = tmp_path / "cache.sqlite"
    for processes, cache in ((1, False), (2, True), (2, True), (1, True)):
        service = AnnotationService(processes=processes, cache=cache, cache_path=path)
        steps: list[int] = []
        try:
            assert list(service.annotate(TEXTS, progress=steps.append)) == expected
        finally:
            service.close()
        assert sum(steps) == len(TEXTS)


def test_a_warm_cache_needs_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cache.sqlite"
    service = AnnotationService(cache_path=path)
    first = list(service.annotate(["a man", "a dog"]))
    service.close()
    monkeypatch.setattr(annotating, "_annotator", None)  # neither a new one nor one that was kept
    service = AnnotationService(cache_path=path)
    assert list(service.annotate(["a dog", "a man"])) == first[::-1]
    service.close()
