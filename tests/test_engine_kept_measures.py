"""Measures are kept: the same files give the same bytes, anything else is measured anew."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from assess.corpus import Source
from assess.engine.annotating import AnnotationService
from assess.measures import run as measures_run
from assess.measures.intervals import Resampling
from assess.measures.run import MeasureRequest, Measures, run_measures

pytestmark = pytest.mark.model


def use_cache(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setenv("ASSESS_CACHE", str(folder / "cache" / "annotations.sqlite"))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Files that were measured once, with all that was kept, and what the measures were."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "s.txt").write_text("a tall man runs\na dog sleeps\n", encoding="utf-8")
    (folder / "r.txt").write_text("a man runs\na small dog\n", encoding="utf-8")
    (folder / "t.txt").write_text("a dog sleeps\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        use_cache(patch, folder)
        return folder, told(measure(folder))


@pytest.fixture
def files(measured: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Those files in a folder that a test may change; what is kept goes by contents, not by places."""
    folder = shutil.copytree(measured[0], tmp_path / "files")
    use_cache(monkeypatch, folder)
    return folder


def measure(folder: Path, *, name: str = "s", resamples: int = 20, cache: bool = True) -> Measures:
    request = MeasureRequest(
        (Source("t", str(folder / "t.txt")),), resampling=Resampling(resamples=resamples)
    )
    with closing(AnnotationService(processes=1, cache=cache)) as service:
        return run_measures(
            [Source(name, str(folder / "s.txt"))],
            [Source("r", str(folder / "r.txt"))],
            request,
            captions=4,
            annotations=service,
        )


def told(measures: Measures) -> str:
    assert [result.measure for result in measures.results] == ["diversity", "recall"]
    return "".join(result.to_json() for result in measures.results)


def refuse(*_: object) -> Measures:
    raise AssertionError("measured again")


def test_what_is_kept_is_the_same_to_the_byte(
    measured: tuple[Path, str], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first = measured
    assert told(measure(files, cache=False)) == first
    monkeypatch.setattr(measures_run, "_measured", refuse)
    assert told(measure(files)) == first


@pytest.mark.parametrize("change", ["system", "references", "training", "name", "settings", "cache"])
def test_whatever_changes_a_number_is_measured_anew(
    files: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr(measures_run, "_measured", refuse)
    measure(files)
    changed = {"system": "s.txt", "references": "r.txt", "training": "t.txt"}.get(change)
    if changed:
        (files / changed).write_text("two old women wait\na cat\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="measured again"):
        measure(
            files,
            name="other" if change == "name" else "s",
            resamples=21 if change == "settings" else 20,
            cache=change != "cache",
        )
