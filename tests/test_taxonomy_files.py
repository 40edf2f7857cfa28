"""Finding and reading taxonomy files."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess.errors import AssessError, InputError, UsageError
from assess.taxonomy import load_taxonomy, parse_taxonomy, read_taxonomy, shipped_taxonomies, strict_yaml

GOOD = "taxonomy: x\nversion: 1.0.0\ndescription: X.\nheads: {h: {description: H., words: [café]}}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_path_is_read_with_and_without_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(GOOD, encoding=encoding)
    taxonomy, document = read_taxonomy(str(path))
    assert taxonomy.heads["h"].words[0].word == "café"
    assert document.place(("heads", "h", "words", 0)).column == 38


def test_a_file_that_is_not_utf8_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(GOOD.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        load_taxonomy(str(path))
    (problem,) = caught.value.problems
    assert problem.message == f"byte {GOOD.index('é') + 1} is not UTF-8"
    assert problem.place is not None
    assert (problem.place.file, problem.place.line) == (str(path), 4)
    assert problem.hint == "save the file as UTF-8"


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.yaml: no such file"):
        load_taxonomy(str(tmp_path / "gone.yaml"))


def test_a_folder_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "x.yaml"
    folder.mkdir()
    with pytest.raises(InputError, match="this is a folder, not a file"):
        load_taxonomy(str(folder))


def test_a_file_that_may_not_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        load_taxonomy(str(tmp_path / "x.yaml"))


def test_a_file_of_absurd_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_yaml, "_LARGEST", len(GOOD) - 1)
    with pytest.raises(AssessError, match="too large for a hand-written one"):
        parse_taxonomy(GOOD, "x.yaml")


def test_an_unknown_domain_is_reported_with_the_nearest_name() -> None:
    with pytest.raises(UsageError) as caught:
        load_taxonomy("poeple")
    assert "no domain is called 'poeple'" in str(caught.value)
    assert "a path to a .yaml file also works; did you mean `people`?" in str(caught.value)


@pytest.mark.parametrize("domain", ["x" * 5000, "a\x00b", "-", "\x1b[1m"])
def test_a_domain_that_no_file_could_have_is_reported(domain: str) -> None:
    with pytest.raises(UsageError, match="no domain is called"):
        load_taxonomy(domain)


def test_a_shipped_name_wins_over_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_taxonomy("people").taxonomy == "people"


def test_a_file_without_a_yaml_ending_is_found_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").write_text(GOOD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_taxonomy("mine").taxonomy == "x"


def test_every_shipped_taxonomy_is_named_after_its_file() -> None:
    shipped = shipped_taxonomies()
    assert "people" in shipped
    assert {name: load_taxonomy(name).taxonomy for name in shipped} == {name: name for name in shipped}
