"""Counts of files on disk: taken where nothing has changed, and never where anything has."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assess.audits.pipeline import Audit, Settings, audit, audit_result
from assess.corpus import parse_source
from assess.engine.annotating import AnnotationService
from assess.grammar.parser import GRAMMARS, compiled
from assess.measures.coverage import run as counting
from assess.measures.coverage import run as kept_counts
from assess.measures.coverage.run import COUNTS, LabelCounts
from assess.taxonomy import Taxonomy, load_taxonomy

pytestmark = pytest.mark.model

CAPTIONS = [
    {"image_id": 1, "caption": "a tall man with a beard"},
    {"image_id": 2, "caption": "two young women and a dog"},
    {"image_id": 2, "caption": ""},
]


@pytest.fixture(scope="module")
def people() -> Taxonomy:
    return load_taxonomy("people")


@pytest.fixture(scope="module")
def grammar(people: Taxonomy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the domain's grammar, which takes longer to compile than all the rest of an audit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSESS_CACHE", str(tmp_path_factory.mktemp("grammar") / "annotations.sqlite"))
        compiled(people)
        return GRAMMARS.folder


@pytest.fixture
def file(grammar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "cache" / "annotations.sqlite"))
    shutil.copytree(grammar, GRAMMARS.folder)
    path = tmp_path / "system.json"
    path.write_text(json.dumps(CAPTIONS))
    return path


Run = Callable[..., Audit]


@pytest.fixture
def run(people: Taxonomy) -> Run:
    def run(argument: str, *, cache: bool = True, after: bool = True) -> Audit:
        with closing(AnnotationService(processes=1, cache=cache)) as service:
            chosen = Settings(by=("gender",), after=after)
            return audit([parse_source(argument)], people, settings=chosen, annotations=service)

    return run


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def count_labels(*_: object, **__: object) -> LabelCounts:
        raise AssertionError("a file that has not changed is read again")

    monkeypatch.setattr(counting, "count_labels", count_labels)


def test_a_second_audit_reads_nothing_and_says_the_same(
    file: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = audit_result(run(str(file))).to_json()
    forbid_reading(monkeypatch)
    assert audit_result(run(str(file))).to_json() == first


def test_the_name_of_a_system_is_the_one_of_this_run(
    file: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(str(file))
    forbid_reading(monkeypatch)
    found = run(f"other={file}")
    assert list(found.systems) == ["other"]
    assert found.systems["other"].summary.name == "other"
    assert [given.name for given in found.signature.inputs] == ["other"]


def test_another_content_is_counted_anew(file: Path, run: Run) -> None:
    assert run(str(file)).systems["system"].coverage.labels == 2
    file.write_text(json.dumps(CAPTIONS[:1]))
    assert run(str(file)).systems["system"].coverage.labels == 1


def test_another_setting_or_other_code_is_counted_anew(
    file: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_after = run(str(file)).systems["system"].coverage.best.modifiers
    assert run(str(file), after=False).systems["system"].coverage.best.modifiers < with_after
    monkeypatch.setattr(kept_counts, "code_digest", lambda *_: "other code")
    run(str(file))
    assert len(list(COUNTS.folder.iterdir())) == 3


def test_what_is_broken_is_counted_anew(file: Path, run: Run) -> None:
    first = audit_result(run(str(file))).to_json()
    (kept,) = COUNTS.folder.iterdir()
    kept.write_bytes(kept.read_bytes()[:-1])
    assert audit_result(run(str(file))).to_json() == first


def test_without_a_cache_nothing_is_kept(file: Path, run: Run) -> None:
    run(str(file), cache=False)
    assert not COUNTS.folder.exists()


def test_a_file_that_changes_while_it_is_counted_is_not_kept(
    file: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = counting.count_labels

    def change_then_count(*arguments: object, **options: object) -> LabelCounts:
        file.write_text(json.dumps(CAPTIONS[:1]))
        return count(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(counting, "count_labels", change_then_count)
    run(str(file))
    assert not COUNTS.folder.exists()


def test_mentions_one_by_one_come_from_the_captions_themselves(
    file: Path, run: Run, people: Taxonomy
) -> None:
    run(str(file))
    texts = []
    with closing(AnnotationService(processes=1)) as service:
        audit(
            [parse_source(str(file))],
            people,
            mentions=lambda mention, _: texts.append(mention.text),
            annotations=service,
        )
    assert len(texts) == 2
