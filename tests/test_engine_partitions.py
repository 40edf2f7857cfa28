"""Workers that read partitions give the bytes of one process; what goes wrong says where."""

from __future__ import annotations

import gzip
import json
import os
import signal
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assess.annotate.model import choose_model
from assess.cli.main import app
from assess.corpus import Partition, Source, parse_source, read_captions
from assess.engine import partitions as dask_partitions
from assess.engine.dask import DaskCluster
from assess.engine.partitions import PartitionRun, versions_of
from assess.errors import AssessError, InputError, UsageError
from assess.measures.cluster import GrowingProgress, LabelJob, read_there
from assess.measures.coverage.run import LabelCounts
from assess.taxonomy import load_taxonomy
from tests.commands import EXAMPLE
from tests.dask_cluster import die_once, local_cluster, losing_a_worker, shared_cluster

distributed = pytest.importorskip("distributed", reason="needs Dask (the dask extra)")
pytestmark = [pytest.mark.model, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def machines(pytestconfig: pytest.Config) -> Any:
    return shared_cluster(pytestconfig)


@pytest.fixture(scope="module")
def scheduler(machines: Any) -> str:
    return str(machines.scheduler_address)


@pytest.fixture
def cluster(scheduler: str) -> Iterator[DaskCluster]:
    found = DaskCluster(scheduler)
    yield found
    found.close()


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller partitions and groups than usual, so that a small file has many."""
    for name, value in {"LEAST": 1_000, "MOST": 4_000, "GROUP": 4, "FAN_IN": 2, "IN_FLIGHT": 8}.items():
        monkeypatch.setattr(dask_partitions, name, value)


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
    return [str(folder / "one.jsonl"), f"two={parts}"]


def run(*arguments: str) -> bytes:
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


COMMANDS = {
    "coverage": ["--no-cache"],
    "audit": ["--no-cache", "--no-measures", "--by", "gender", "--references", "REFERENCES"],
    "diversity": ["--order", "file", "--window", "97", "--intervals", "--resamples", "20"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_workers_give_the_bytes_of_one_process(
    command: str, files: list[str], scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # References as a JSON array, which does not divide; workers are told to read it all the same.
    references = Path(files[0]).with_name("references.json")
    chosen = [str(references) if option == "REFERENCES" else option for option in COMMANDS[command]]
    arguments = [command, *files, *chosen, "--json"]
    expected = run(*arguments)
    shipped: list[int] = []
    monkeypatch.setattr("assess.engine.dask.DaskWorkers.annotate", lambda *_, **__: shipped.append(1))
    assert run(*arguments, "--engine", "dask", "--scheduler", scheduler, "--no-ship") == expected
    assert not shipped


def test_systems_with_files_of_one_name_are_kept_apart(
    cluster: DaskCluster, job: LabelJob, tmp_path: Path
) -> None:
    sources = []
    for number, name in enumerate(("bland.json", "rich.jsonl")):
        (tmp_path / str(number)).mkdir()
        path = tmp_path / str(number) / "captions.jsonl"
        path.write_text(lines(rows_of(name)[:40]), encoding="utf-8")
        sources.append(parse_source(f"{number}={path}"))
    sources.append(parse_source(f"again={sources[0].path}"))
    first, second, again = PartitionRun(cluster, job).counts(sources, lambda _: None)
    assert first.tally != second.tally
    assert (again.tally, again.corpus.system, again.summary.sha256) == (
        first.tally,
        "again",
        first.summary.sha256,
    )


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


@pytest.fixture
def job() -> LabelJob:
    model = choose_model()
    return LabelJob(
        load_taxonomy("people"),
        model,
        versions_of(model),
        join_of=True,
        after=True,
        by_image=True,
        mentions=False,
        cache=False,
    )


@dataclass(frozen=True)
class DyingJob:
    """Counts labels, but ends the worker that is first to come to the hundredth record."""

    job: LabelJob
    marker: Path

    @property
    def model(self) -> str:
        return self.job.model

    @property
    def versions(self) -> str:
        return self.job.versions

    def count(self, partition: Partition) -> LabelCounts:
        if partition.opening.records >= 100:
            die_once(self.marker)
        return self.job.count(partition)


def test_a_worker_that_is_killed_halfway_changes_nothing(
    files: list[str], machines: Any, cluster: DaskCluster, job: LabelJob, tmp_path: Path
) -> None:
    sources = [parse_source(argument) for argument in files]
    expected = list(PartitionRun(cluster, job).counts(sources, lambda _: None))
    seen: list[int] = []

    def each(counts: LabelCounts) -> None:
        seen.append(counts.corpus.captions)

    with losing_a_worker(machines):
        found = list(PartitionRun(cluster, DyingJob(job, tmp_path / "died")).counts(sources, each))
    assert 0 < seen[0] < 210  # the first file has come in parts
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours.summary, ours.tally) == (theirs.summary, theirs.tally)
        assert ours.table.images_digest == theirs.table.images_digest
        assert ours.table.columns[2].tolist() == theirs.table.columns[2].tolist()


def test_a_mistake_in_a_partition_names_file_and_record(
    files: list[str], scheduler: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.jsonl"
    rows = Path(files[0]).read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*rows[:100], '{"image_id": 7}\n', *rows[100:]]), encoding="utf-8")
    arguments = ["coverage", str(path), "--no-cache", "--json"]
    with pytest.raises(
        InputError, match=r"bad\.jsonl:101:1: record 101: the record has no 'caption'"
    ) as here:
        run(*arguments)
    with pytest.raises(InputError) as there:
        run(*arguments, "--engine", "dask", "--scheduler", scheduler)
    assert str(there.value) == str(here.value)


def test_images_that_do_not_match_are_told_before_any_annotation(
    files: list[str], scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assess.measures.cluster.LabelJob", None)
    groups = tmp_path / "groups.csv"
    groups.write_text("image_id,group\n7,a\nnowhere,b\n", encoding="utf-8")
    arguments = ["audit", *files, "--groups", str(groups), "--no-cache", "--json"]
    with pytest.raises(InputError) as here:
        run(*arguments)
    with pytest.raises(InputError) as there:
        run(*arguments, "--engine", "dask", "--scheduler", scheduler)
    assert "images of" in str(here.value)
    assert str(there.value) == str(here.value)


@dataclass(frozen=True)
class FailingJob:
    """Fails, or ends its worker, in the partition with the tenth record."""

    model: str
    versions: str
    kill: bool

    def count(self, partition: Partition) -> LabelCounts:
        if partition.opening.records >= 10:
            if self.kill:
                os.kill(os.getpid(), signal.SIGKILL)
            raise ZeroDivisionError("of all things")
        return LabelCounts(parse_tally(partition))


def parse_tally(partition: Partition) -> Any:
    from assess.corpus import CaptionReader

    reader = CaptionReader(partition.source, partition)
    list(reader)
    return reader.tally


def fail(cluster: DaskCluster, source: Source, *, kill: bool) -> None:
    model = choose_model()
    job = FailingJob(model, versions_of(model), kill)
    list(PartitionRun(cluster, job).counts([source], lambda _: None))


def test_any_other_failure_names_the_partition(files: list[str], cluster: DaskCluster) -> None:
    with pytest.raises(InputError, match=r"one\.jsonl:\d+: record \d+: .*ZeroDivisionError: of all things"):
        fail(cluster, parse_source(files[0]), kill=False)


def test_a_partition_that_kills_its_workers_is_named(files: list[str]) -> None:
    settings = {"distributed.scheduler.allowed-failures": 0}
    message = r"one\.jsonl:\d+: record \d+: .* ended one worker after another"
    with (
        local_cluster(workers=1, **settings) as found,
        closing(DaskCluster(found.scheduler_address)) as cluster,
        pytest.raises(InputError, match=message),
    ):
        fail(cluster, parse_source(files[0]), kill=True)


def test_other_versions_on_a_worker_are_refused(files: list[str], cluster: DaskCluster) -> None:
    model = choose_model()
    job = FailingJob(model, "assess 0 with nothing", kill=False)
    with pytest.raises(UsageError, match=r"the worker on .* has assess .* and the driver assess 0"):
        list(PartitionRun(cluster, job).counts([parse_source(files[0])], lambda _: None))


def test_who_reads_what(
    files: list[str], cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    divided = [parse_source(argument) for argument in files]
    array, stdin = parse_source(str(EXAMPLE / "bland.json")), parse_source("-")
    split = parse_source(files[0], split="test")
    everything = [*divided, array, stdin, split]
    assert read_there(cluster, everything, ship=None) == divided
    assert read_there(cluster, everything, ship=True) == []
    assert read_there(cluster, [*divided, array], ship=False) == [*divided, array]
    for source, reason in ((stdin, "standard input"), (split, "--split"), (Source("x", "gone"), "no file")):
        with pytest.raises(UsageError, match=f"workers cannot read .*{reason}"):
            read_there(cluster, [source], ship=False)
    # A file that workers do not have: here it is longer than what they see.
    monkeypatch.setattr(cluster, "blind_worker", lambda sizes: cluster_blind(cluster, sizes))
    assert read_there(cluster, divided, ship=None) == []
    with pytest.raises(UsageError, match=r"the worker at tcp.* does not see the file"):
        read_there(cluster, divided, ship=False)


def cluster_blind(cluster: DaskCluster, sizes: dict[str, int]) -> str | None:
    return DaskCluster.blind_worker(cluster, {path: size + 1 for path, size in sizes.items()})


@pytest.mark.parametrize("flag", ["--ship", "--no-ship"])
def test_shipping_is_a_matter_of_dask_only(flag: str, files: list[str]) -> None:
    with pytest.raises(AssessError, match="only with --engine dask"):
        run("coverage", files[0], flag)


def test_training_texts_are_compared_as_the_paper_does(files: list[str], scheduler: str) -> None:
    arguments = ["diversity", *files, "--mode", "paper", "--train", f"t={files[0]}", "--json"]
    expected = run(*arguments)
    assert run(*arguments, "--engine", "dask", "--scheduler", scheduler) == expected
    assert 0 < json.loads(expected)["systems"]["two"]["novel"] <= 1


def test_progress_is_told_what_is_new() -> None:
    told: list[tuple[str, int]] = []
    progress = GrowingProgress(lambda *step: told.append(step))
    for system, captions in (("a", 5), ("a", 12), ("b", 3)):
        progress.tell(system, captions)
    assert told == [("a", 5), ("a", 7), ("b", 3)]


# Last, because it is the one whose workers use a cache: they load the model anew for that.
def test_measures_of_an_audit_are_those_of_one_process(files: list[str], scheduler: str) -> None:
    references = str(Path(files[0]).with_name("references.json"))
    arguments = ["audit", *files, "--references", references, "--json"]
    expected = run(*arguments)
    assert b'"recall"' in expected
    assert run(*arguments, "--engine", "dask", "--scheduler", scheduler) == expected
