"""Results are byte-identical for any number of processes and any cache, even after a killed run."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from assess.engine import annotating
from assess.engine.annotating import AnnotationService
from assess.grammar import Parser, load_grammar
from assess.grammar.labels import LabelFinder
from assess.records import Annotation, Depth
from benchmarks.made_captions import write_captions
from tests.commands import EXAMPLE, assess, assess_process, heed_signals

pytestmark = pytest.mark.model


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller blocks and pools than usual, so that a small file is enough to use them."""
    monkeypatch.setattr(annotating, "BLOCK", 100)
    monkeypatch.setattr(annotating, "WORTH_A_POOL", 50)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name the cache that commands use, which is not there yet."""
    path = tmp_path / "cache.sqlite"
    monkeypatch.setenv("ASSESS_CACHE", str(path))
    return path


def shown(*arguments: object) -> str:
    done = assess(*arguments)
    assert done.code == 0, done.stderr
    return done.stdout


def test_processes_and_cache_change_no_byte(cache: Path, tmp_path: Path) -> None:
    bland, rich = tmp_path / "bland.json", tmp_path / "rich.jsonl"
    bland.write_text(json.dumps(json.loads((EXAMPLE / "bland.json").read_text(encoding="utf-8"))[:150]))
    rich.write_text("".join((EXAMPLE / "rich.jsonl").read_text(encoding="utf-8").splitlines(True)[:150]))
    audit = ["audit", str(bland), str(rich), "--json"]
    # In a process of its own, where strings have other hashes, and sets another order.
    done = assess_process(*audit, "--no-cache", "--processes", "1")
    assert done.code == 0, done.stderr
    expected = done.stdout
    assert expected.startswith("{")
    assert not cache.exists()
    assert shown(*audit, "--processes", "2") == expected  # cold
    assert shown(*audit, "--processes", "2") == expected  # warm
    for kept in (tmp_path / "cache-counts").iterdir():
        kept.write_bytes(kept.read_bytes()[:-9])
    with closing(sqlite3.connect(cache)) as connection, connection:
        connection.execute("UPDATE annotation SET record = x'00' WHERE key < x'80'")
    assert shown(*audit, "--processes", "1") == expected  # damaged


CAPTIONS, BLOCK = 200, 50
ENDLESS = f"""
import signal, sys
from assess.cli.main import run
from assess.engine import annotating

def work(service, texts, progress, real=annotating.AnnotationService._work, blocks=[]):
    blocks.append(texts)
    if len(blocks) == 3:
        print("the third block", file=sys.stderr, flush=True)
    while len(blocks) == 3:
        real(service, texts, None)
    return real(service, texts, progress)

signal.alarm(300)  # ends this process, should nobody else do it
annotating.BLOCK = {BLOCK}
annotating.AnnotationService._work = work
run()
"""
"""A command line that keeps two blocks of captions and works on the third until a signal comes."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_captions(tmp_path_factory.mktemp("made") / "made.jsonl", CAPTIONS)


@pytest.fixture(scope="module")
def uninterrupted(made: Path) -> str:
    return shown("coverage", made, "--json", "--processes", "1", "--no-cache")


@pytest.mark.parametrize(("kill", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_killed_audit_goes_on_where_it_stopped(
    kill: signal.Signals,
    code: int,
    made: Path,
    uninterrupted: str,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    coverage = ["coverage", str(made), "--json", "--processes", "1"]
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *coverage],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_signals,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"the third block\n", process.stderr.read()
        process.send_signal(kill)
        out, _ = process.communicate()
    assert (process.returncode, out) == (code, b"")
    texts = [json.loads(line)["caption"] for line in made.read_text(encoding="utf-8").splitlines()]
    with closing(sqlite3.connect(cache)) as connection:
        (kept,) = connection.execute("SELECT count(*) FROM annotation").fetchone()
    may_have_labels = LabelFinder(Parser(load_grammar("people"))).may_have_labels
    before = set(filter(may_have_labels, texts[: 2 * BLOCK]))  # of the others, coverage asks nothing
    assert kept == len(before)
    new: list[str] = []
    work = AnnotationService._work

    def noted_work(
        service: AnnotationService, wanted: dict[str, Depth], _progress: object
    ) -> dict[str, Annotation]:
        new.extend(wanted)
        return work(service, wanted, None)

    monkeypatch.setattr(AnnotationService, "_work", noted_work)
    assert shown(*coverage) == uninterrupted
    assert set(new) == set(filter(may_have_labels, texts)) - before
