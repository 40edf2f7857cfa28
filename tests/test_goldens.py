"""Every command prints and writes the same as before, text for text."""

from __future__ import annotations

import difflib
import importlib.util
import itertools
from pathlib import Path

import pytest

from tests.goldens import GOLDEN, Case, cases, outputs, prepare
from tests.html_audits import made_once

CASES = cases()
DIFF_LINES = 60


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "goldens", prepare)


@pytest.mark.model
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_outputs_are_the_frozen_ones(case: Case, prepared: Path, tmp_path: Path) -> None:
    if case.plots and importlib.util.find_spec("matplotlib") is None:
        pytest.skip("needs matplotlib (the plots extra)")
    found, frozen = outputs(case, prepared, tmp_path), _frozen(case.name)
    if found != frozen:
        pytest.fail(_difference(frozen, found), pytrace=False)


def test_every_frozen_file_belongs_to_a_case() -> None:
    known = {case.name for case in CASES}
    files = (path.relative_to(GOLDEN) for path in GOLDEN.rglob("*") if path.is_file())
    orphans = [path.as_posix() for path in files if _owner(path) not in known]
    assert not orphans, "no case writes them: make golden writes them anew"


def test_a_difference_names_the_file_and_is_bounded() -> None:
    before, after = {"a.txt": "x\n" * 500, "gone.txt": "g\n"}, {"a.txt": "y\n" * 500, "new.txt": "n\n"}
    told = _difference(before, after)
    assert "a.txt" in told
    assert "make golden" in told
    assert len(told.splitlines()) <= DIFF_LINES + 2


def _owner(path: Path) -> str:
    """Return the case that a golden file belongs to: GROUP/CASE.txt, or GROUP/CASE/FILE.txt."""
    group, case = path.parts[:2]
    return f"{group}/{case if len(path.parts) > 2 else case.removesuffix('.txt')}"


def _frozen(name: str) -> dict[str, str]:
    files = (GOLDEN / f"{name}.txt", *sorted((GOLDEN / name).rglob("*.txt")))
    return {path.relative_to(GOLDEN).as_posix(): _read(path) for path in files if path.is_file()}


def _read(path: Path) -> str:
    # The bytes as they are: tables may end their lines in two characters.
    return path.read_bytes().decode("utf-8")


def _difference(frozen: dict[str, str], found: dict[str, str]) -> str:
    lines = itertools.chain.from_iterable(
        difflib.unified_diff(
            frozen.get(name, "").splitlines(),
            found.get(name, "").splitlines(),
            f"frozen/{name}",
            f"now/{name}",
            lineterm="",
        )
        for name in sorted({*frozen, *found})
        if frozen.get(name) != found.get(name)
    )
    shown = list(itertools.islice(lines, DIFF_LINES))
    cut = ["... and more"] if next(lines, None) is not None else []
    # Line ends and missing ends of files are the only differences that no line shows.
    return "\n".join(
        [*(shown or ["only line ends differ"]), *cut, "If that is meant: make golden writes them anew."]
    )
