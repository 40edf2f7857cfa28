"""How a command ends when something goes wrong: its exit code, its message, and what it leaves untouched."""

from __future__ import annotations

import io
import json
import os
import re
import sqlite3
import subprocess
import sys
import unicodedata
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from assess.audits import saved
from assess.cli import console
from assess.corpus import Source, parse_source
from assess.errors import harmless
from tests.audits import save_audit
from tests.commands import Done, assess

LONG = "n" * 300
HOSTILE = "\x1b[31m\u202eevil\x9b2J[bold]\u2066"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a caption file, a policy, a domain, and folders in the place of files."""
    (tmp_path / "captions.json").write_text('[{"image_id": 1, "caption": "a tall man"}]')
    (tmp_path / "policy.yaml").write_text("limits: [{category: mood, max_rate: 0.9}]\n")
    (tmp_path / "a folder").mkdir()
    save_audit(tmp_path / "audit", {"v1": [("1", "a tall man", ["a tall man"])]})
    return tmp_path


def raising(error: BaseException) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("audit", LONG), "File name too long"),
        (("audit", "a folder"), "folder"),
        (("audit", "captions.json", "--out", LONG), "File name too long"),
        (("audit", "captions.json", "--out", "captions.json"), "captions.json: this is a file, not a folder"),
        (("audit", "captions.json", "--groups", "a folder"), "folder"),
        (("audit", "captions.json", "--domain", "a folder/"), "folder"),
        (
            ("coverage", "captions.json", "--latex", "a folder"),
            "a folder: cannot be written: this is a folder",
        ),
        (("diversity", "captions.json", "--markdown", "a folder"), "cannot be written: this is a folder"),
        (("gate", "policy.yaml", LONG), "File name too long"),
        (("gate", "a folder", "policy.yaml"), "the arguments are in the wrong order"),
        (("explain", "skewed/mood/female", "a folder"), "the arguments are in the wrong order"),
        (("gate", "a folder", "audit"), "this is a folder, not a file"),
        (("gate", "policy.yaml", "a folder"), "this folder contains no audit.json"),
        (("gate", "policy.yaml", "audit", "--junit", "a folder"), "cannot be written: this is a folder"),
        (("gate", "policy.yaml", "captions.json/audit"), "Not a directory"),
        (("explain", LONG, "v1/height"), "File name too long"),
        (("compare", "audit", LONG), "File name too long"),
        (("report", "audit", "--html", "a folder"), "cannot be written: this is a folder"),
        (("report", "audit", "--html", "nowhere/page.html"), "cannot be written: No such file or directory"),
        (("sample", "audit", "--out", f"{LONG}.csv"), "File name too long"),
        (("score", "a folder"), "folder"),
        (("score", LONG), "File name too long"),
        (("domain", "lint", LONG), ""),
        (("domain", "lint", "a folder"), "folder"),
        (("domain", "compile", "people", "--out", "a folder"), "cannot be written: this is a folder"),
    ],
)
def test_files_that_cannot_be_are_told(folder: Path, arguments: tuple[str, ...], told: str) -> None:
    with chdir(folder):
        before = sorted(folder.rglob("*"))
        done = assess(*arguments)
        assert (done.code, done.stdout) == (2, "")
        assert done.stderr.startswith("assess: ")
        assert told in done.stderr
        assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (
            PermissionError(13, "Permission denied", "audit"),
            2,
            "audit: cannot be read or written: Permission",
        ),
        (OSError(28, "No space left on device"), 2, "the operating system reports: No space left on device"),
        (MemoryError(), 2, "there is not enough memory; read fewer or smaller files at once"),
        (KeyError("x\x1b[31m\ny"), 70, "unexpected KeyError: "),
        (RecursionError("too deep"), 70, "unexpected RecursionError: too deep (at test_cli_process.py:"),
        (EOFError("end"), 70, "unexpected EOFError: end"),
        (UnicodeEncodeError("ascii", "é", 0, 1, "not in range"), 70, "unexpected UnicodeEncodeError: "),
        (BrokenPipeError(32, "Broken pipe"), 70, "unexpected BrokenPipeError: "),
    ],
)
def test_what_nobody_expected_never_looks_like_a_failed_check(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, told: str
) -> None:
    monkeypatch.setattr(saved, "read_audit", raising(error))
    command = ("gate", folder / "policy.yaml", folder / "audit")
    done = assess(*command)
    assert (done.code, done.stdout) == (code, "")
    assert done.stderr.lstrip().startswith(f"assess: {told}")
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == (2 if code == 70 else 1)
    assert ("--debug" in done.stderr) == (code == 70)
    monkeypatch.setenv("ASSESS_DEBUG", "1")
    for shown in (assess(*command), assess("--debug", *command), assess(*command, "--debug")):
        assert shown.code == code
        assert shown.stderr.lstrip().startswith("Traceback")
        assert shown.stderr.endswith(done.stderr.lstrip())
        assert "\x1b" not in shown.stderr
        monkeypatch.delenv("ASSESS_DEBUG", raising=False)


@pytest.mark.parametrize(
    ("enters", "told"), [(False, "cannot be read: Permission denied"), (True, "an earlier run was killed")]
)
def test_a_folder_without_rights_is_not_taken_for_one_of_a_killed_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, enters: bool, told: str
) -> None:
    monkeypatch.setattr(saved, "finish_folder", raising(PermissionError(13, "Permission denied")))
    monkeypatch.setattr(os, "access", lambda *_: enters)  # root may enter any folder
    done = assess("gate", folder / "policy.yaml", folder / "audit")
    assert (done.code, f"audit: {told}" in done.stderr) == (2, True)


def shell(command: str, **environment: str) -> Done:
    done = subprocess.run(
        ["sh", "-c", command.replace("assess", f"{sys.executable} -m assess")],
        capture_output=True,
        env={**os.environ, "NO_COLOR": "1", **environment},
        check=False,
    )
    return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


INTERRUPTED = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Finder(MetaPathFinder):
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # what started the tests may ignore it
from assess.__main__ import run
sys.meta_path.insert(0, Finder())
run()
"""


@pytest.mark.parametrize("module", ["assess.cli.main", "typer"])
def test_an_interruption_while_the_command_is_loaded_shows_no_traceback(module: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED, module]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_streams_that_are_closed_or_of_another_encoding() -> None:
    usual = shell("assess parse 'a tall man'")
    assert "└" in usual.stdout
    assert shell("assess parse 'a tall man'", PYTHONIOENCODING="ascii", LC_ALL="C") == usual
    assert shell("assess parse 'a tall man' 2>&-") == usual
    closed = shell("assess parse 'a tall man' >&-")
    assert (closed.code, closed.stderr.splitlines()[0]) == (
        2,
        "assess: standard output is closed",
    )
    assert shell("assess gate nothing nothing 2>&-").code == 2
    # The reader of the messages is gone, which must not change the exit code.
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "assess", "gate", "nothing", "nothing"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=writing, check=False)
    os.close(writing)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize(
    ("named", "codes", "made"),
    [
        (".", (0, 0, 0), {"annotations.sqlite"}),
        ("captions.json", (0, 0, 2), set()),
        ("other.sqlite", (0, 0, 2), set()),
        ("captions.json/x", (0, 0, 2), set()),
        (LONG, (0, 2, 2), set()),
    ],
)
def test_a_cache_of_any_name_moves_and_changes_nothing_of_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch, named: str, codes: tuple[int, ...], made: set[str]
) -> None:
    with sqlite3.connect(folder / "other.sqlite") as connection:
        connection.execute("CREATE TABLE mine (key)")
    connection.close()
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    monkeypatch.setenv("ASSESS_CACHE", named)
    commands = (("coverage", "captions.json"), ("doctor", "--cache"), ("doctor", "--clear-cache"))
    with chdir(folder):
        assert tuple(assess(*command).code for command in commands) == codes
    assert {path: path.read_bytes() for path in before} == before
    assert {path.name for path in folder.iterdir() if path.is_file()} - {path.name for path in before} <= made


# Untrusted text stays text.


def commands_terminals(text: str) -> list[str]:
    """Return the control characters that a terminal would execute."""
    return [c for c in text if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]


def test_hostile_names_reach_no_terminal(folder: Path) -> None:
    results = json.loads((folder / "audit" / "audit.json").read_text())
    (folder / HOSTILE).mkdir()
    (folder / f"{HOSTILE}.json").write_text('[{"image_id": 1, "caption": "a tall man"}]')
    (folder / "broken.json").write_text(json.dumps({**results, "systems": {HOSTILE: {"labels": HOSTILE}}}))
    (folder / "key.yaml").write_text(f"{json.dumps(HOSTILE)}: 1\nlimits: [{{{json.dumps(HOSTILE)}: 2}}]\n")
    (folder / "groups.csv").write_text(f"image_id,group\n1,{HOSTILE}\n", encoding="utf-8")
    (folder / "fields.json").write_text(json.dumps([{HOSTILE: 1}]))
    by_file = ("--groups", "shown=groups.csv")
    commands: list[tuple[str, ...]] = [
        ("audit", f"missing {HOSTILE}"),
        ("audit", HOSTILE),
        ("audit", "fields.json"),
        ("audit", "captions.json", "--domain", HOSTILE),
        ("audit", "captions.json", "--by", HOSTILE),
        ("audit", f"{HOSTILE}.json", "--full", *by_file),
        ("audit", "captions.json", f"--{HOSTILE}"),
        ("bias", "captions.json", *by_file, "--contrast", f"{HOSTILE},other"),
        (HOSTILE,),
        ("explain", "audit", HOSTILE),
        ("explain", "audit", f"v1/height/{HOSTILE}"),
        ("explain", HOSTILE, "v1"),
        ("gate", "policy.yaml", "broken.json"),
        ("gate", "key.yaml", "audit"),
        ("domain", "lint", "key.yaml"),
        ("report", "audit", "--html", f"{HOSTILE}/{HOSTILE}/page.html"),
        ("report", "audit", "--html", f"{HOSTILE}/page.html"),
        ("sample", "audit", "--out", f"{HOSTILE}/sheet.csv"),
        ("score", f"{HOSTILE}/sheet.csv"),
        ("compare", "audit", HOSTILE),
        ("parse", f"a tall {HOSTILE} man"),
    ]
    with chdir(folder):
        for command in commands:
            done = assess(*command)
            assert done.code in (0, 2), (command, done.stderr)
            assert commands_terminals(done.stdout + done.stderr) == [], command


def test_what_a_file_would_contain_does_nothing_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shape = {"name\x9b31m": "\u202eab\x7f\x1b \N{SNOWMAN}\ue0001"}
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    console.print_json(shape)
    assert json.loads(terminal.getvalue()) == shape
    console.print_file("a,b\x9b31m\n")
    assert harmless(terminal.getvalue()) == terminal.getvalue()
    monkeypatch.setattr(sys, "stdout", pipe := io.StringIO())
    console.print_json(shape)
    assert "\u202e" in pipe.getvalue()


def test_a_system_whose_file_has_a_name_that_is_no_text_can_be_saved_and_read(folder: Path) -> None:
    (folder / "captions.json").write_text('[{"image_id": 1, "caption": "a tall man"}]')
    named = f"caf\udce9={folder / 'captions.json'}"
    assert assess("audit", named, "--by", "gender", "--out", folder / "audit").code == 0
    cell = "caf\N{REPLACEMENT CHARACTER}/height"
    for done in (assess("explain", folder / "audit", cell), assess("report", folder / "audit")):
        assert done.code == 0, done.stderr


def test_a_progress_bar_shows_any_name_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    terminal = console._Printer(file=shown, force_terminal=True, color_system=None, width=100)
    monkeypatch.setattr(console, "notes", lambda: terminal)
    sources = [parse_source(f"{name}={folder / 'captions.json'}") for name in ("[/x]", HOSTILE)]
    with console.progress_bars(sources) as advance:
        assert advance is not None
        for source in sources:
            advance(source.name, 1)
    text = re.sub(r"\x1b\[\??[0-9;]*[A-Za-z]", "", shown.getvalue()).replace("\r", "")
    assert "[/x]" in text
    assert commands_terminals(text) == []


def test_a_bar_counts_only_captions_that_are_about_to_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = console._Printer(file=io.StringIO(), force_terminal=True, color_system=None, width=100)
    counted: list[str] = []

    def count(source: Source) -> int:
        counted.append(source.name)
        return 3

    monkeypatch.setattr(console, "notes", lambda: terminal)
    monkeypatch.setattr(console, "_captions", count)
    sources = [parse_source(f"{name}={folder / 'captions.json'}") for name in ("known", "new")]
    with console.progress_bars(sources) as advance:
        assert advance is not None
        for name, number in (("known", 3), ("known", 0), ("new", 0), ("new", 0), ("new", 3)):
            advance(name, number)
    assert counted == ["new"]
