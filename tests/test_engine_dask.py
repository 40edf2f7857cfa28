"""A Dask cluster gives what one process gives, also when a worker dies."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assess.annotate.extract import LONGEST_TEXT
from assess.cli.main import app
from assess.engine.dask_workers import DaskWorkers
from assess.engine.pool import AnnotatorPool
from assess.errors import AssessError, InputError, UsageError
from tests.dask_cluster import local_cluster

distributed = pytest.importorskip("distributed", reason="Dask (the dask extra) is not installed")
pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore")]

TEXTS = [f"a {word} man with {number} dogs" for number in range(2_000) for word in ("big", "young")]
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "captions"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with local_cluster() as found:
        yield found


@pytest.fixture
def workers(cluster: Any) -> Iterator[DaskWorkers]:
    found = DaskWorkers(None, cluster.scheduler_address)
    yield found
    found.close()


@pytest.fixture(scope="module")
def expected() -> dict[str, bytes]:
    pool = AnnotatorPool(None, 1)
    try:
        return pool.annotate(TEXTS)
    finally:
        pool.close()


def test_a_cluster_gives_the_bytes_of_one_process(workers: DaskWorkers, expected: dict[str, bytes]) -> None:
    steps: list[int] = []
    assert workers.annotate(TEXTS, progress=steps.append) == expected
    assert sum(steps) == len(TEXTS)


def test_a_killed_worker_costs_time_only(
    cluster: Any, workers: DaskWorkers, expected: dict[str, bytes]
) -> None:
    (victim, *_) = workers._client.run(os.getpid).values()
    killer = threading.Timer(0.5, os.kill, (victim, signal.SIGKILL))
    killer.start()
    assert workers.annotate(TEXTS) == expected
    killer.join()


def test_a_mistake_on_a_worker_is_the_same_error(workers: DaskWorkers) -> None:
    with pytest.raises(InputError, match="too long"):
        workers.annotate(["a man", "x" * (LONGEST_TEXT + 1)])


def test_another_model_on_a_worker_is_refused(workers: DaskWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(workers, "_identity", replace(workers._identity, version="0"))
    with pytest.raises(UsageError, match="a worker has"):
        workers.annotate(["a man"])


def test_the_command_line_gives_the_bytes_of_this_machine(cluster: Any) -> None:
    files = [str(EXAMPLE / "bland.json"), str(EXAMPLE / "rich.jsonl"), "--json", "--no-cache"]
    here = CliRunner().invoke(app, ["coverage", *files, "--processes", "1"])
    there = CliRunner().invoke(
        app, ["coverage", *files, "--engine", "dask", "--scheduler", cluster.scheduler_address]
    )
    assert here.exit_code == there.exit_code == 0, there.output
    assert here.stdout_bytes == there.stdout_bytes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "dask"], "needs the address"),
        (["--engine", "spark"], "local or dask"),
        (["--scheduler", "tcp://localhost:1"], "only with --engine dask"),
    ],
)
def test_a_wrong_choice_of_engine_is_told_before_any_work(options: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["coverage", str(EXAMPLE / "bland.json"), *options])
    assert isinstance(result.exception, AssessError)
    assert message in str(result.exception)


def test_no_cluster_at_an_address_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assess.engine.dask_client.CONNECT_SECONDS", 1)
    with pytest.raises(UsageError, match="no Dask scheduler answers"):
        DaskWorkers(None, "tcp://127.0.0.1:9")
