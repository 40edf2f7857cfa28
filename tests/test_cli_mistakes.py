"""Bad input: exit code 2, one clear message with the location, no traceback, no incomplete files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import assess, heed_signals

pytestmark = pytest.mark.model

PATIENCE = 300
"""Seconds before a test gives up on another process, far more than it takes on any machine."""

GOOD = '[{"image_id": 1, "caption": "a man"}]'
FIVE_MISTAKES = """\
taxonomy: Bad Name
version: 1.0.0
description: Five mistakes.
heads:
  person: {description: People., words: [man: men, man: men, no]}
modifiers:
  height: {description: How tall., evidence: seen, sensitivity: none, words: [tall], patterns: ["{colour}-x"]}
"""


def test_all_mistakes_of_a_taxonomy_are_told_at_once(tmp_path: Path) -> None:
    domain = tmp_path / "bad.yaml"
    domain.write_text(FIVE_MISTAKES)
    captions = tmp_path / "good.json"
    captions.write_text(GOOD)
    done = assess("audit", str(captions), "--domain", str(domain))
    assert done.code == 2
    for line, words in ((1, "Bad Name"), (5, "man: men, no"), (5, "no]"), (7, "seen"), (7, '"{colour}')):
        column = FIVE_MISTAKES.splitlines()[line - 1].index(words) + 1
        assert f"bad.yaml:{line}:{column}: " in done.stderr
    assert "{colour}" in done.stderr
    assert "^" in done.stderr
    assert "Traceback" not in done.stderr


IN_SMALL_BLOCKS = (
    "from assess.engine import annotating; annotating.BLOCK = 50;"
    "from assess.measures.coverage import run as coverage; coverage.TAKEN_AT_ONCE = 1;"
    "from assess.cli.main import run; run()"
)  # so that a few captions are enough to have written something


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_an_interrupted_audit_leaves_no_half_written_file(tmp_path: Path, number: int, code: int) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", IN_SMALL_BLOCKS, "audit", "-", "--out", str(out)]
    # A pipe is read in pieces of 64 KiB: a long field fills some of these with few captions.
    rows = [{"image_id": n, "caption": f"a tall man with {n} dogs", "note": "x" * 800} for n in range(250)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=heed_signals)
    try:
        assert process.stdin is not None
        process.stdin.write("".join(json.dumps(row) + "\n" for row in rows).encode())
        # It is not closed: whatever the speed of the machine, the audit cannot end before it is interrupted.
        process.stdin.flush()
        wait_for_part_of_a_file(tmp_path, process)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == code
    assert b"Traceback" not in errors
    assert not list(tmp_path.iterdir())


def wait_for_part_of_a_file(folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a file below a folder has some of its content."""
    deadline = time.monotonic() + PATIENCE
    while not any(file.is_file() and file.stat().st_size for file in folder.rglob("*")):
        assert process.poll() is None, f"the audit ended by itself: {process.communicate()}"
        assert time.monotonic() < deadline, "the audit never began to write"
        time.sleep(0.02)


def test_a_failed_audit_leaves_a_folder_as_it_was(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text('[{"image_id": 1, "caption": "a tall man"}]')
    bad.write_text('[{"image_id": 1, "caption": "a tall man"}, {"image_id": 2}]')
    done = assess("audit", str(bad), "--out", str(tmp_path / "new" / "folder"))
    assert done.code == 2
    assert not (tmp_path / "new").exists()
    assert assess("audit", str(good), "--out", str(tmp_path / "kept")).code == 0
    before = {file.name: file.read_bytes() for file in (tmp_path / "kept").iterdir()}
    assert set(before) == {"audit.json", "labels.jsonl", "mentions.jsonl", "report.html"}
    assert assess("audit", str(bad), "--out", str(tmp_path / "kept")).code == 2
    assert {file.name: file.read_bytes() for file in (tmp_path / "kept").iterdir()} == before
    (tmp_path / "other" / "report.html").mkdir(parents=True)
    done = assess("audit", str(good), "--out", str(tmp_path / "other"))
    assert (done.code, "other/report.html: cannot be written: this is a folder" in done.stderr) == (2, True)
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["report.html"]


@pytest.mark.parametrize(
    ("option", "value"), [("--seed", "-1"), ("--seed", "9" * 30), ("--samples", "0"), ("--samples", "9" * 12)]
)
def test_numbers_beyond_what_can_be_computed_are_told(tmp_path: Path, option: str, value: str) -> None:
    (tmp_path / "captions.json").write_text(GOOD)
    done = assess("bias", tmp_path / "captions.json", "--by", "gender", option, value)
    assert done.code == 2
    assert f"Invalid value for '{option}'" in done.stderr


def test_an_empty_name_is_no_folder() -> None:
    done = assess("diversity", "")
    assert done.code == 2
    assert "'' is not NAME=PATH" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is full")
@pytest.mark.parametrize("arguments", [("parse", "a tall man"), ("parse", "--json", "a tall man")])
def test_a_full_disk_under_standard_output_is_told(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "assess", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr.startswith("assess: standard output cannot be written: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("option", [(), ("--json",)])
def test_a_reader_that_goes_away_is_neither_a_pass_nor_a_failure(option: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "assess", "parse", *option, "a tall man"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
