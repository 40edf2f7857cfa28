"""Compiled grammars on disk: taken when they are right, passed over when anything is not."""

from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path

import pytest

from assess.grammar import Parser
from assess.grammar import parser as kept
from assess.grammar.parser import GRAMMARS
from assess.taxonomy import Taxonomy, load_taxonomy

TINY = str(Path(__file__).parent / "golden" / "tiny.yaml")
PHRASES = ("the pretty women", "a middle-aged woman", "a group of big cooks", "a big zzz woman", "a chair")


@pytest.fixture
def taxonomy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Taxonomy:
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "annotations.sqlite"))
    return load_taxonomy(TINY)


def file() -> Path:
    (path,) = GRAMMARS.folder.glob("*.kept")
    return path


def forbid_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_taxonomy(taxonomy: Taxonomy) -> None:
        raise AssertionError(f"{taxonomy.identity} is compiled again")

    monkeypatch.setattr(kept, "compile_taxonomy", compile_taxonomy)


def test_a_kept_grammar_reads_like_a_new_one(taxonomy: Taxonomy, monkeypatch: pytest.MonkeyPatch) -> None:
    new = Parser(taxonomy)
    forbid_compiling(monkeypatch)
    again = Parser(taxonomy)
    assert again.grammar == new.grammar
    assert again.grammar.taxonomy is taxonomy
    assert [again.analyse(text) for text in PHRASES] == [new.analyse(text) for text in PHRASES]


def test_another_taxonomy_or_other_code_is_not_confused_with_it(
    taxonomy: Taxonomy, monkeypatch: pytest.MonkeyPatch
) -> None:
    Parser(taxonomy)
    Parser(taxonomy.model_copy(update={"version": "9.0.0"}))
    monkeypatch.setattr(kept, "code_digest", lambda *_: "other code")
    Parser(taxonomy)
    assert len(list(GRAMMARS.folder.iterdir())) == 3


def test_no_plural_is_not_confused_with_a_regular_one(taxonomy: Taxonomy) -> None:
    values = taxonomy.model_dump(by_alias=True, exclude_unset=True)
    (name, head), *_ = values["heads"].items()
    for plural, read in (({}, True), ({"plural": None}, False)):
        words = (*head["words"], {"word": "zebu", **plural})
        heads = {**values["heads"], name: {**head, "words": words}}
        one = Taxonomy.model_validate({**values, "heads": heads})
        assert Parser(one).analyse("two zebus").in_domain is read


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 5000], ids=["empty", "one byte", "many bytes"])
def test_a_broken_file_is_written_anew(taxonomy: Taxonomy, damage: bytes) -> None:
    expected = Parser(taxonomy).analyse("the pretty women")
    good = file().read_bytes()
    file().write_bytes(damage)
    assert Parser(taxonomy).analyse("the pretty women") == expected
    assert file().read_bytes()[:32] == good[:32]


class Intruder:
    """A pickle that would run a command, behind a checksum that is right."""

    def __init__(self, witness: Path) -> None:
        self._witness = witness

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self._witness),)


def test_a_pickle_that_names_other_code_never_runs_it(taxonomy: Taxonomy, tmp_path: Path) -> None:
    Parser(taxonomy)
    witness = tmp_path / "ran"
    data = pickle.dumps((Intruder(witness), None))
    file().write_bytes(hashlib.sha256(data).digest() + data)
    assert Parser(taxonomy).analyse("the pretty women").in_domain
    assert not witness.exists()


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(
    taxonomy: Taxonomy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "file" / "annotations.sqlite"))
    assert Parser(taxonomy).analyse("the pretty women").in_domain


def test_old_files_make_room_for_new_ones(taxonomy: Taxonomy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GRAMMARS, "_most", 2)
    for number in range(4):
        Parser(taxonomy.model_copy(update={"version": f"{number}.0.0"}))
    assert len(list(GRAMMARS.folder.iterdir())) == 2
    GRAMMARS.clear()
    assert list(GRAMMARS.folder.iterdir()) == []
