"""Measures are kept: the same files give the same bytes, anything else is measured anew."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from assess.corpus import Source
from assess.engine import measures_run
from assess.engine.annotating import AnnotationService
from assess.engine.measures_run import MeasureRequest, Measures, run_measures
from assess.engine.paired_intervals import Resampling
from assess.report.diversity_shape import diversity_shape
from assess.report.json_text import dump
from assess.report.recall_shape import recall_shape

pytestmark = pytest.mark.model


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "cache" / "annotations.sqlite"))
    (tmp_path / "s.txt").write_text("a tall man runs\na dog sleeps\n", encoding="utf-8")
    (tmp_path / "r.txt").write_text("a man runs\na small dog\n", encoding="utf-8")
    (tmp_path / "t.txt").write_text("a dog sleeps\n", encoding="utf-8")
    return tmp_path


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
    assert measures.diversity is not None
    assert measures.recall is not None
    return dump([diversity_shape(measures.diversity), recall_shape(measures.recall)])


def refuse(*_: object) -> Measures:
    raise AssertionError("measured again")


def test_what_is_kept_is_the_same_to_the_byte(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = told(measure(files))
    assert told(measure(files, cache=False)) == first
    with monkeypatch.context() as patch:
        patch.setattr(measures_run, "_measured", refuse)
        assert told(measure(files)) == first


@pytest.mark.parametrize("change", ["system", "references", "training", "name", "settings", "cache"])
def test_whatever_changes_a_number_is_measured_anew(
    files: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    measure(files)
    changed = {"system": "s.txt", "references": "r.txt", "training": "t.txt"}.get(change)
    if changed:
        (files / changed).write_text("two old women wait\na cat\n", encoding="utf-8")
    monkeypatch.setattr(measures_run, "_measured", refuse)
    with pytest.raises(AssertionError, match="measured again"):
        measure(
            files,
            name="other" if change == "name" else "s",
            resamples=21 if change == "settings" else 20,
            cache=change != "cache",
        )
