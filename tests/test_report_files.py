"""Files appear whole, together, or not at all."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assess.errors import UsageError
from assess.report.files import whole_folder, write_whole

LARGE = "x" * 200_000


@contextmanager
def small_disk() -> Iterator[None]:
    """Refuse files of more than 64 KB, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


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
    with small_disk(), pytest.raises(UsageError, match="two: cannot be written"):
        _write_two(folder)
    assert not list(tmp_path.iterdir())


def test_what_was_in_a_folder_stays_when_new_files_fail(tmp_path: Path) -> None:
    write_whole(tmp_path / "one", "before")
    with small_disk(), pytest.raises(UsageError, match="two: cannot be written"):
        _write_two(tmp_path)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"one": "before"}
