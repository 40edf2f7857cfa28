"""Several processes: same results, in order, also when one dies."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from assess.annotate.extract import LONGEST_TEXT, Annotator
from assess.engine import annotating
from assess.engine.annotating import AnnotationService
from assess.engine.coding import decode
from assess.engine.pool import AnnotatorPool
from assess.errors import InputError

pytestmark = pytest.mark.model

TEXTS = [f"a man with {number} dogs and a {word} cat" for number in range(700) for word in ("big", "red")]


def annotated(pool: AnnotatorPool, texts: list[str]) -> list[object]:
    records = pool.annotate(texts)
    return [decode(text, records[text]) for text in texts]


@pytest.fixture(scope="module")
def expected() -> list[object]:
    return list(Annotator().annotate(TEXTS))


def test_two_processes_give_what_one_gives(expected: list[object]) -> None:
    pool = AnnotatorPool(None, 2)
    steps: list[int] = []
    try:
        assert len(pool.annotate(TEXTS, progress=steps.append)) == len(TEXTS)
        assert annotated(pool, TEXTS) == expected
        assert list(pool.annotate(["a man", "", "a man"])) == ["", "a man"]
    finally:
        pool.close()
    assert sum(steps) == len(TEXTS)


def test_a_killed_worker_costs_time_only(expected: list[object]) -> None:
    pool = AnnotatorPool(None, 2)
    victim = pool._workers[0].process.pid
    assert victim is not None
    killer = threading.Timer(1.0, os.kill, (victim, signal.SIGKILL))
    killer.start()
    try:
        assert annotated(pool, TEXTS) == expected
        killer.join()
        deadline = time.monotonic() + 30
        while pool._workers[0].process.pid == victim and time.monotonic() < deadline:
            # It may have died after its last answer; the next call notices.
            pool.annotate(TEXTS[:10])
        assert annotated(pool, TEXTS[:600]) == expected[:600]
    finally:
        pool.close()


def test_a_mistake_in_a_worker_is_the_same_error() -> None:
    pool = AnnotatorPool(None, 2)
    try:
        with pytest.raises(InputError, match="too long"):
            pool.annotate(["a man", "x" * (LONGEST_TEXT + 1)])
    finally:
        pool.close()


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
    monkeypatch.setattr(annotating, "Annotator", None)
    service = AnnotationService(cache_path=path)
    assert list(service.annotate(["a dog", "a man"])) == first[::-1]
    service.close()
