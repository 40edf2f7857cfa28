"""Files appear complete, together, or not at all, whatever happens while they are written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from assess.errors import Place, UsageError
from assess.report.plots import write_plots
from assess.report.section import BarChart, Table, row_of, text_columns
from assess.report.tables import write_csv
from assess.whole_files import FINISHED, check_file, finish_folder, whole_folder, write_whole
from tests.commands import small_disk

LARGE = "x" * 200_000


def test_a_file_that_does_not_fit_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("before")
    with small_disk(), pytest.raises(UsageError, match=r"sheet\.csv: cannot be written: File too large"):
        write_whole(path, LARGE)
    assert [file.name for file in tmp_path.iterdir()] == ["sheet.csv"]
    assert path.read_text() == "before"


def test_files_of_a_folder_appear_together(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with whole_folder(folder) as unfinished:
        write_whole(unfinished / "one", "1")
        write_whole(unfinished / "two", "2")
        assert not (folder / "one").exists()
    assert {file.name: file.read_text() for file in folder.iterdir()} == {"one": "1", "two": "2"}


def _write_two(folder: Path) -> None:
    with whole_folder(folder) as unfinished:
        write_whole(unfinished / "one", "after")
        write_whole(unfinished / "two", LARGE)


def test_a_folder_whose_second_file_does_not_fit_has_none(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with small_disk(), pytest.raises(UsageError, match="two: cannot be written") as caught:
        _write_two(folder)
    assert not list(tmp_path.iterdir())
    (problem,) = caught.value.problems
    assert problem.place == Place(str(folder / "two"))  # not that of the unfinished folder


@pytest.mark.parametrize("kind", ["plots", "csv"])
def test_plots_and_tables_that_do_not_fit_leave_no_folder(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    table = Table("t", "T", text_columns("x"), (row_of(LARGE),))
    chart = BarChart("n", "N", "x", "y", ("a",), {"s": (1.0,)})
    if kind == "plots":
        pytest.importorskip("matplotlib")
    writers: dict[str, Callable[[], object]] = {
        "plots": partial(write_plots, [chart], folder),
        "csv": partial(write_csv, [table], folder, signature=""),
    }
    with small_disk(100), pytest.raises(UsageError, match=r"cannot be written: File too large"):
        writers[kind]()
    assert not list(tmp_path.iterdir())


def test_what_was_in_a_folder_stays_when_new_files_fail(tmp_path: Path) -> None:
    write_whole(tmp_path / "one", "before")
    with small_disk(), pytest.raises(UsageError, match="two: cannot be written"):
        _write_two(tmp_path)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"one": "before"}


def test_a_fault_at_any_step_leaves_the_old_audit_or_the_new_one(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults", str(tmp_path)],
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    steps = [int(line.split()[-1]) for line in done.stdout.splitlines()]
    assert len(steps) == 4
    assert min(steps) >= 30, done.stdout


def test_what_is_in_the_way_is_told_before_any_work_and_stays(tmp_path: Path) -> None:
    (tmp_path / "out" / "report.html").mkdir(parents=True)
    with (
        pytest.raises(UsageError, match=r"report\.html: cannot be written: this is a folder"),
        whole_folder(tmp_path / "out", ["audit.json", "report.html"]),
    ):
        pytest.fail("the work began")
    with pytest.raises(UsageError, match="this is a pipe or a device, not a file"):
        check_file(Path("/dev/full"))
    with pytest.raises(UsageError, match="this is a folder"):
        write_whole(tmp_path / "out" / "report.html", "x")
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "report.html"]


def test_only_what_nobody_writes_any_more_is_removed(tmp_path: Path) -> None:
    left = tmp_path / f".assess-{'0' * 16}.unfinished"
    left.mkdir()
    (left / "part").touch()
    (tmp_path / f".assess-{'1' * 16}.unfinished").write_text("left too")
    foreign = tmp_path / ".assess-mine.unfinished"
    foreign.touch()
    with whole_folder(tmp_path) as first, whole_folder(tmp_path) as second:
        write_whole(tmp_path / "file", "x")
        assert {path.name for path in tmp_path.iterdir()} == {first.name, second.name, "file", foreign.name}
    assert {path.name for path in tmp_path.iterdir()} == {"file", foreign.name}


def test_completed_files_are_put_into_place_by_whoever_comes_next(tmp_path: Path) -> None:
    for folder, text in ((tmp_path, "old"), (tmp_path / FINISHED, "new")):
        folder.mkdir(exist_ok=True)
        (folder / "one").write_text(text)
    finish_folder(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"one": "new"}


@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077, 0o002])
def test_files_and_folders_follow_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with whole_folder(tmp_path / "new") as unfinished:
            write_whole(unfinished / "one", "1")
    finally:
        os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "new", tmp_path / "new" / "one")]
    assert modes == [0o777 & ~umask, 0o666 & ~umask]


def test_half_of_a_surrogate_pair_is_written_as_json_has_it(tmp_path: Path) -> None:
    write_whole(tmp_path / "x.json", '"a \ud800 é"')
    assert json.loads((tmp_path / "x.json").read_bytes()) == "a \ud800 é"
