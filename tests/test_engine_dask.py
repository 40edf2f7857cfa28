"""A Dask cluster gives what one process gives, also when a worker dies."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assess.annotate.extract import LONGEST_TEXT, Annotator
from assess.cli.main import app
from assess.engine import dask as dask_workers
from assess.engine import pool as batches
from assess.engine.annotation_cache import encode
from assess.engine.dask import Answer, DaskWorkers, annotate_batch
from assess.errors import AssessError, InputError, UsageError
from tests.commands import EXAMPLE
from tests.dask_cluster import die_once, losing_a_worker, shared_cluster

distributed = pytest.importorskip("distributed", reason="needs Dask (the dask extra)")
pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore")]

TEXTS = [f"a {word} man with {number} dogs" for number in range(200) for word in ("big", "young")]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller batches than usual, so that few texts make many of them."""
    monkeypatch.setattr(batches, "BATCH", 50)


@pytest.fixture(scope="module")
def cluster(pytestconfig: pytest.Config) -> Any:
    return shared_cluster(pytestconfig)


@pytest.fixture
def workers(cluster: Any) -> Iterator[DaskWorkers]:
    found = DaskWorkers(None, cluster.scheduler_address)
    yield found
    found.close()


@pytest.fixture(scope="module")
def expected() -> dict[str, bytes]:
    return {text: encode(annotation) for text, annotation in Annotator().annotate_distinct(TEXTS).items()}


def test_a_cluster_gives_the_bytes_of_one_process(workers: DaskWorkers, expected: dict[str, bytes]) -> None:
    steps: list[int] = []
    assert workers.annotate(TEXTS, progress=steps.append) == expected
    assert sum(steps) == len(TEXTS)


def annotate_or_die(marker: Path, model: str, texts: list[str]) -> Answer:
    """Annotate texts on a worker, which dies when it first comes to those in the middle."""
    if sorted(TEXTS)[len(TEXTS) // 2] in texts:
        die_once(marker)
    return annotate_batch(model, texts)


def test_a_killed_worker_costs_time_only(
    cluster: Any,
    workers: DaskWorkers,
    expected: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dask_workers, "annotate_batch", partial(annotate_or_die, tmp_path / "died"))
    with losing_a_worker(cluster):
        assert workers.annotate(TEXTS) == expected


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
    monkeypatch.setattr("assess.engine.dask.CONNECT_SECONDS", 0.1)
    # A port that is taken, so that nobody else can answer there, and at which nobody listens.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(UsageError, match="no Dask scheduler answers"):
            DaskWorkers(None, f"tcp://127.0.0.1:{taken.getsockname()[1]}")
