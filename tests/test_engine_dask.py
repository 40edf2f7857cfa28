"""A Dask cluster gives the same bytes as one process, even if a worker dies, and errors have a location."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assess.annotate.extract import Annotator
from assess.cli.main import app
from assess.corpus import CaptionReader, Source, parse_source, read_captions
from assess.engine import dask as dask_engine
from assess.engine import dask_workers
from assess.engine import pool as batches
from assess.engine.annotating import AnnotationService
from assess.engine.annotation_cache import encode
from assess.engine.captions import CaptionJob, ImageIds, ImageJob
from assess.engine.dask import DaskEngine
from assess.engine.dask_workers import Answer, DaskWorkers, annotate_batch
from assess.engine.jobs import Job, Reading
from assess.engine.pool import Batch
from assess.errors import AssessError, InputError, UsageError
from assess.grammar import load_grammar
from assess.measures.coverage.run import LabelCounts, LabelJob
from assess.records import Depth
from tests.commands import EXAMPLE
from tests.dask_cluster import PATIENCE, die_once, local_cluster, losing_a_worker, shared_cluster

distributed = pytest.importorskip("distributed", reason="needs Dask (the dask extra)")
pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def machines(pytestconfig: pytest.Config) -> Any:
    return shared_cluster(pytestconfig)


@pytest.fixture(scope="module")
def scheduler(machines: Any) -> str:
    return str(machines.scheduler_address)


@pytest.fixture
def engine(scheduler: str) -> Iterator[DaskEngine]:
    with closing(DaskEngine(scheduler, cache=False)) as found:
        yield found


@pytest.fixture
def workers(scheduler: str) -> Iterator[DaskWorkers]:
    with closing(DaskWorkers(None, scheduler)) as found:
        yield found


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller batches, partitions and groups than usual, so that a small file has many."""
    monkeypatch.setattr(batches, "BATCH", 50)
    limits = {"SMALLEST": 1_000, "LARGEST": 4_000, "GROUP": 4, "FAN_IN": 2, "IN_FLIGHT": 8}
    for name, value in limits.items():
        monkeypatch.setattr(dask_engine, name, value)
    monkeypatch.setattr(dask_workers, "IN_FLIGHT", limits["IN_FLIGHT"])


# Texts that are shipped to workers.

TEXTS = [f"a {word} man with {number} dogs" for number in range(200) for word in ("big", "young")]


@pytest.fixture(scope="module")
def expected() -> dict[str, bytes]:
    return {text: encode(annotation) for text, annotation in Annotator().annotate_distinct(TEXTS).items()}


def annotate_or_die(marker: Path, model: str, batch: Batch) -> Answer:
    """Annotate texts on a worker, which dies when it first comes to those in the middle."""
    if sorted(TEXTS)[len(TEXTS) // 2] in batch.texts:
        die_once(marker)
    return annotate_batch(model, batch)


def test_a_killed_worker_costs_time_only(
    machines: Any,
    workers: DaskWorkers,
    expected: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[int] = []
    monkeypatch.setattr(dask_workers, "annotate_batch", partial(annotate_or_die, tmp_path / "died"))
    with losing_a_worker(machines):
        assert workers.annotate(TEXTS, progress=steps.append) == expected
    assert sum(steps) == len(TEXTS)


def test_a_mistake_on_a_worker_is_the_same_error(workers: DaskWorkers) -> None:
    with pytest.raises(InputError, match="too long"):
        workers.annotate(["a man", "hats, " * 400])


def test_another_model_on_a_worker_is_refused(workers: DaskWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(workers, "_identity", replace(workers._identity, version="0"))
    with pytest.raises(UsageError, match="a worker has"):
        workers.annotate(["a man"])


# Commands: files that workers read, and files that are read here.


def test_an_address_without_a_port_is_refused_before_dask_tries_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("distributed.Client", lambda *_, **__: pytest.fail("Dask would wait for a minute"))
    with pytest.raises(UsageError, match="no Dask scheduler answers at 'garbage'"):
        DaskWorkers(None, "garbage")


def rows_of(name: str) -> list[dict[str, str]]:
    captions = read_captions(parse_source(str(EXAMPLE / name)))
    return [{"image_id": caption.image, "caption": caption.text} for caption in captions]


def lines(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """One system in one file, and one in three parts of which one is packed; both repeat captions."""
    folder = tmp_path_factory.mktemp("captions")
    one, other = rows_of("bland.json")[:160], rows_of("rich.jsonl")[:160]
    (folder / "one.jsonl").write_text(lines(one + one[:50]), encoding="utf-8")
    parts = folder / "parts"
    parts.mkdir()
    (parts / "a.jsonl").write_text(lines(other[:70]), encoding="utf-8")
    (parts / "b.jsonl.gz").write_bytes(gzip.compress(lines(other[70:80]).encode()))
    (parts / "c.jsonl").write_text(lines(other[80:] + other[:30]), encoding="utf-8")
    (folder / "references.json").write_text(json.dumps(one[::-1] + other[::-1]), encoding="utf-8")
    (folder / "single.jsonl").write_text(lines(one), encoding="utf-8")
    return [str(folder / "one.jsonl"), f"two={parts}"]


def run(*arguments: str) -> bytes:
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


REFERENCES = "--no-cache --references REFERENCES"
COMMANDS = {
    "coverage": "coverage FILES --no-cache",
    "audit": f"audit FILES --no-measures --by gender {REFERENCES}",
    "diversity": "diversity FILES --order file --window 97 --intervals --resamples 20",
    # The paper compares whole texts with those of training.
    "novelty": "diversity FILES --mode paper --train t=SINGLE --references REFERENCES",
    "recall": f"recall FILES --train t=SINGLE --intervals --resamples 20 {REFERENCES}",
    "syntax": f"syntax FILES --intervals --resamples 20 --references again=SINGLE {REFERENCES}",
    "postgen": "postgen SINGLE --references REFERENCES",
    "errors": "errors FILES --groups GROUPS --no-cache --resamples 20",
}


@pytest.mark.parametrize(
    ("command", "option"),
    [*((command, "--no-ship") for command in COMMANDS), ("coverage", "--ship"), ("syntax", None)],
)
def test_workers_give_the_bytes_of_one_process(
    command: str, option: str | None, files: list[str], scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # References are a JSON array, which does not divide: workers read it only where they are told to.
    folder = Path(files[0]).parent
    given = {
        "REFERENCES": str(folder / "references.json"),
        "SINGLE": str(folder / "single.jsonl"),
        "GROUPS": str(EXAMPLE / "attributes.csv"),
    }
    line = " ".join(COMMANDS[command].split()).replace("FILES", " ".join(files))
    for name, path in given.items():
        line = line.replace(name, path)
    arguments = [*line.split(), "--json"]
    here = run(*arguments)
    shipped: list[str] = []
    annotate = DaskWorkers.annotate

    def noted(workers: DaskWorkers, texts: list[str], **options: Any) -> dict[str, bytes]:
        shipped.extend(texts)
        return annotate(workers, texts, **options)

    monkeypatch.setattr(DaskWorkers, "annotate", noted)
    assert run(*arguments, "--engine", "dask", "--scheduler", scheduler, *filter(None, [option])) == here
    assert bool(shipped) == (option != "--no-ship")


def test_saved_mentions_are_the_same_in_the_same_order(
    files: list[str], scheduler: str, tmp_path: Path
) -> None:
    # The second of three systems is read here, so the driver has to keep the order.
    array = tmp_path / "array.json"
    array.write_text(json.dumps(rows_of("bland.json")[160:200]), encoding="utf-8")
    arguments = ["audit", files[0], str(array), files[1], "--json", "--no-cache", "--no-measures", "--out"]
    run(*arguments, str(tmp_path / "here"))
    run(*arguments, str(tmp_path / "there"), "--engine", "dask", "--scheduler", scheduler)
    for name in ("mentions.jsonl", "audit.json"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()


def test_mistakes_are_told_as_on_one_machine(files: list[str], scheduler: str, tmp_path: Path) -> None:
    bad, groups = tmp_path / "bad.jsonl", tmp_path / "groups.csv"
    rows = Path(files[0]).read_text(encoding="utf-8").splitlines(keepends=True)
    bad.write_text("".join([*rows[:100], '{"image_id": 7}\n', *rows[100:]]), encoding="utf-8")
    groups.write_text("image_id,group\n7,a\nnowhere,b\n", encoding="utf-8")
    for arguments, message in (
        (["coverage", str(bad)], r"bad\.jsonl:101:1: record 101: the record has no 'caption'"),
        (["audit", *files, "--groups", str(groups)], "images of"),
    ):
        with pytest.raises(InputError, match=message) as here:
            run(*arguments, "--no-cache", "--json")
        with pytest.raises(InputError) as there:
            run(*arguments, "--no-cache", "--json", "--engine", "dask", "--scheduler", scheduler)
        assert str(there.value) == str(here.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "dask"], "needs the address"),
        (["--engine", "spark"], "local or dask"),
        (["--scheduler", "tcp://localhost:1"], "--scheduler requires --engine dask"),
        (["--ship"], "--ship and --no-ship require --engine dask"),
        (["--no-ship"], "--ship and --no-ship require --engine dask"),
    ],
)
def test_a_wrong_choice_of_engine_is_told_before_any_work(options: list[str], message: str) -> None:
    with pytest.raises(AssessError, match=message):
        run("coverage", str(EXAMPLE / "bland.json"), *options)


def test_no_cluster_at_an_address_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "CONNECT_SECONDS", 0.1)
    # A port that is taken, so that nobody else can answer there, and at which nobody listens.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(UsageError, match="no Dask scheduler answers"):
            DaskEngine(f"tcp://127.0.0.1:{taken.getsockname()[1]}")


# Jobs that go wrong.


@dataclass(frozen=True)
class TroubledJob(Job[Any]):
    """Does a job, but calls something first where a partition is far enough into its file."""

    job: Job[Any]
    trouble: Callable[[], None]
    record: int = 10

    def start(self, annotations: AnnotationService) -> Reading[Any]:
        read = self.job.start(annotations)

        def troubled(captions: CaptionReader, progress: Any) -> Any:
            if captions.before >= self.record:
                self.trouble()
            return read(captions, progress)

        return troubled


def divide_by_zero() -> None:
    raise ZeroDivisionError("of all things")


def end_the_worker() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_is_killed_halfway_changes_nothing(
    files: list[str], machines: Any, engine: DaskEngine, tmp_path: Path
) -> None:
    sources = [parse_source(argument) for argument in files]
    job = LabelJob(load_grammar("people"), by_image=True)
    expected = engine.run(job, sources)
    seen: list[int] = []
    steps: list[tuple[str, int]] = []

    def grown(counts: LabelCounts) -> None:
        seen.append(counts.corpus.captions)

    with losing_a_worker(machines):
        dying = TroubledJob(job, partial(die_once, tmp_path / "died"), record=100)
        found = engine.run(dying, sources, progress=lambda *step: steps.append(step), grown=grown)
    assert 0 < seen[0] < 210  # the first file has come in parts
    assert sum(captions for name, captions in steps if name == "one") == 210
    for name, theirs in expected.items():
        ours = found[name]
        assert (ours.summary, ours.tally) == (theirs.summary, theirs.tally)
        assert ours.table.images_digest == theirs.table.images_digest
        assert ours.table.columns[2].tolist() == theirs.table.columns[2].tolist()


def test_any_other_failure_names_the_partition(files: list[str], engine: DaskEngine) -> None:
    with pytest.raises(InputError, match=r"one\.jsonl:\d+: record \d+: .*ZeroDivisionError: of all things"):
        engine.run(TroubledJob(ImageJob(), divide_by_zero), [parse_source(files[0])])


def test_a_partition_that_kills_its_workers_is_named(files: list[str]) -> None:
    settings = {"distributed.scheduler.allowed-failures": 0}
    message = r"one\.jsonl:\d+: record \d+: .* killed one worker after another"
    with (
        local_cluster(workers=1, **settings) as found,
        closing(DaskEngine(found.scheduler_address, cache=False)) as engine,
        pytest.raises(InputError, match=message),
    ):
        engine.run(TroubledJob(ImageJob(), end_the_worker), [parse_source(files[0])])


def freeze_the_worker(note: Path) -> None:
    note.write_text(str(os.getpid()))
    os.kill(os.getpid(), signal.SIGSTOP)


def test_workers_that_are_all_frozen_are_given_up(files: list[str], tmp_path: Path) -> None:
    import dask

    frozen = tmp_path / "frozen"
    job = TroubledJob(ImageJob(), partial(freeze_the_worker, frozen))
    message = r"none of its 1 workers has responded for 4 seconds\n  hint: .*DASK_ASSESS__PATIENCE"
    with (
        local_cluster(workers=1) as found,
        dask.config.set({"assess.patience": "1h"}),
        closing(DaskEngine(found.scheduler_address, cache=False)) as engine,
        ThreadPoolExecutor(1) as other,
    ):
        watch, ended = engine._workers.watch, threading.Event()
        assert watch.patience == 3600

        def lose_patience() -> None:
            # Not before it is frozen: on a busy machine, a worker needs longer than this to start.
            while not (frozen.exists() or ended.wait(0.05)):
                pass
            watch.patience = 4

        other.submit(lose_patience)
        try:
            with pytest.raises(UsageError, match=message):
                engine.run(job, [parse_source(files[0])])
        finally:
            ended.set()
            os.kill(int(frozen.read_text()), signal.SIGCONT)


def test_a_lost_scheduler_is_one_message(tmp_path: Path) -> None:
    place = ("--scheduler-file", str(tmp_path / "scheduler.json"))
    python = (sys.executable, "-m")
    with ExitStack() as running:

        def start(*command: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [*python, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE if "assess" in command else subprocess.DEVNULL,
                text=True,
                env={**os.environ, "DASK_ASSESS__PATIENCE": "60"},
            )
            running.callback(process.wait)
            running.callback(process.kill)
            return process

        scheduler = start("distributed.cli.dask_scheduler", *place, "--port", "0", "--no-dashboard")
        start("distributed.cli.dask_worker", *place, "--no-nanny", "--nthreads", "1", "--no-dashboard")
        with distributed.Client(scheduler_file=place[1], timeout=PATIENCE, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=PATIENCE)
            address = client.scheduler.address
        cluster = ("--engine", "dask", "--scheduler", address)
        driver = start("assess", "coverage", "-", *cluster, "--ship", "--no-cache")
        assert driver.stdin is not None
        # What it reads comes to no end, so that it cannot be done before the scheduler is.
        driver.stdin.write("a tall man\n" * 100_000)
        driver.stdin.flush()
        scheduler.kill()
        _, told = driver.communicate("a tall woman\n", timeout=PATIENCE)
    assert driver.returncode == 2
    lines = told.splitlines()
    assert len(lines) == 2, told
    assert "Dask scheduler at" in lines[0]


def test_other_versions_on_a_worker_are_refused(
    files: list[str], engine: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "versions_of", lambda _: "assess 0 with nothing")
    with pytest.raises(UsageError, match=r"the worker on .* has assess .* but the driver has assess 0"):
        engine.run(ImageJob(), [parse_source(files[0])])


def test_systems_with_files_of_one_name_are_kept_apart(engine: DaskEngine, tmp_path: Path) -> None:
    sources = []
    for number, name in enumerate(("bland.json", "rich.jsonl")):
        (tmp_path / str(number)).mkdir()
        path = tmp_path / str(number) / "captions.jsonl"
        path.write_text(lines(rows_of(name)[:40]), encoding="utf-8")
        sources.append(parse_source(f"{number}={path}"))
    sources.append(parse_source(f"again={sources[0].path}"))
    first, second, again = engine.run(CaptionJob(Depth.WORDS), sources).values()
    assert first.texts != second.texts
    assert (again.texts, again.corpus.system, again.summary.sha256) == (
        first.texts,
        "again",
        first.summary.sha256,
    )


def test_who_reads_what(files: list[str], scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    divided = [parse_source(argument) for argument in files]
    array, stdin = parse_source(str(EXAMPLE / "bland.json")), parse_source("-")
    split = parse_source(files[0], split="test")
    everything = [*divided, array, stdin, split]
    engines = {ship: DaskEngine(scheduler, ship=ship, cache=False) for ship in (None, True, False)}
    try:
        assert engines[None].read_there(everything) == divided
        assert engines[True].read_there(everything) == []
        assert engines[False].read_there([*divided, array]) == [*divided, array]
        unreadable = ((stdin, "standard input"), (split, "--split"), (Source("x", "gone"), "does not exist"))
        for source, reason in unreadable:
            with pytest.raises(UsageError, match=f"workers cannot read .*{reason}"):
                engines[False].read_there([source])
        # A file that workers do not have: here it is longer than what they see.
        seen = DaskEngine.worker_without
        monkeypatch.setattr(
            DaskEngine,
            "worker_without",
            lambda engine, sizes: seen(engine, {path: size + 1 for path, size in sizes.items()}),
        )
        assert engines[None].read_there(divided) == []
        with pytest.raises(UsageError, match=r"the worker at tcp.* does not see the same file"):
            engines[False].read_there(divided)
    finally:
        for engine in engines.values():
            engine.close()


def test_image_ids_are_read_there(files: list[str], engine: DaskEngine) -> None:
    sources = [parse_source(argument) for argument in files]
    found: dict[str, ImageIds] = engine.run(ImageJob(), sources)
    assert found["one"].images == {caption.image for caption in read_captions(sources[0])}


# Last, because it is the one whose workers use a cache.
def test_measures_of_an_audit_are_those_of_one_process(files: list[str], scheduler: str) -> None:
    references = str(Path(files[0]).with_name("references.json"))
    arguments = ["audit", *files, "--references", references, "--json"]
    expected = run(*arguments)
    assert b'"recall"' in expected
    assert run(*arguments, "--engine", "dask", "--scheduler", scheduler) == expected
