"""One result, byte for byte, whatever the number of processes, the cache, and who killed the run before."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.made_captions import write_captions

pytestmark = pytest.mark.model

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "captions"
# Smaller blocks and pools than usual, so that a small file is enough to use them.
SMALL = (
    "from assess.engine import annotating;"
    "annotating.BLOCK = {block}; annotating.WORTH_A_POOL = {pool};"
    "from assess.cli.main import run; run()"
)


def command(*arguments: str, block: int = 400, pool: int = 100) -> list[str]:
    return [sys.executable, "-c", SMALL.format(block=block, pool=pool), *arguments]


def result(cache: Path, *arguments: str, block: int = 400) -> bytes:
    environment = {**os.environ, "ASSESS_CACHE": str(cache)}
    shown = subprocess.run(command(*arguments, block=block), capture_output=True, check=True, env=environment)
    return shown.stdout


def test_processes_and_cache_change_no_byte(tmp_path: Path) -> None:
    audit = ["audit", str(EXAMPLE / "bland.json"), str(EXAMPLE / "rich.jsonl"), "--json"]
    cache = tmp_path / "cache.sqlite"
    expected = result(cache, *audit, "--no-cache", "--processes", "1")
    assert expected.startswith(b"{")
    assert not cache.exists()
    assert result(cache, *audit, "--processes", "2") == expected  # cold
    assert result(cache, *audit, "--processes", "2") == expected  # warm
    for kept in (tmp_path / "cache-counts").iterdir():
        kept.write_bytes(kept.read_bytes()[:-9])
    with sqlite3.connect(cache) as connection:
        connection.execute("UPDATE annotation SET record = x'00' WHERE key < x'80'")
    connection.close()
    assert result(cache, *audit, "--processes", "1") == expected  # damaged


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_audit_goes_on_where_it_stopped(tmp_path: Path, kill: signal.Signals) -> None:
    cache = tmp_path / "cache.sqlite"
    captions = write_captions(tmp_path / "made.jsonl", 800)
    coverage = ["coverage", str(captions), "--json", "--processes", "1"]
    process = subprocess.Popen(
        command(*coverage, block=50),
        env={**os.environ, "ASSESS_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    kept = wait_for_records(cache, process)
    process.send_signal(kill)
    out, _ = process.communicate(timeout=60)
    assert process.returncode in (-signal.SIGKILL, 130)
    assert out == b""
    assert 0 < kept < 800
    assert result(cache, *coverage) == result(cache, *coverage, "--no-cache")


def wait_for_records(cache: Path, process: subprocess.Popen[bytes]) -> int:
    """Wait until a run has kept something, and return how much."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
        if cache.exists():
            try:
                connection = sqlite3.connect(f"file:{cache}?mode=ro", uri=True)
                (found,) = connection.execute("SELECT count(*) FROM annotation").fetchone()
                connection.close()
            except sqlite3.OperationalError:
                continue  # the table is not there yet
            if found:
                return int(found)
    raise AssertionError("the run ended before it could be killed")
