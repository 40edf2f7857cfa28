"""The whole process as a library: partitions, order, signature."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from assess.audits import pipeline, saved
from assess.audits.pipeline import Settings, audit
from assess.audits.request import Request, run_audit
from assess.audits.result import AuditResult, label_text
from assess.corpus import Source, parse_source
from assess.engine.jobs import in_this_process
from assess.errors import InputError
from assess.grammar import load_grammar
from assess.measures.coverage.run import MentionLine
from assess.measures.group_settings import ReadingSettings
from assess.measures.intervals import Resampling
from assess.measures.measure import Inputs
from assess.measures.run import MeasureRequest

pytestmark = pytest.mark.model

CAPTIONS = [
    "A tall man with two happy kids",
    "a group of old women on a bench",
    "a red car",
    "a tall man with two happy kids",
]


def write(path: Path, texts: list[str]) -> str:
    path.write_text(json.dumps([{"image_id": n, "caption": text} for n, text in enumerate(texts)]))
    return str(path)


def here(sources: Sequence[Source], references: Sequence[Source] = ()) -> Inputs:
    return Inputs(sources, references, engine=in_this_process())


def run(*paths: str, by: tuple[str, ...] = ("gender",)) -> AuditResult:
    sources = [parse_source(path) for path in paths]
    return audit(here(sources), load_grammar("people"), Settings(by=by)).result


def test_a_file_without_captions_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no captions"):
        run(write(tmp_path / "none.json", []), write(tmp_path / "some.json", CAPTIONS))


def test_mentions_lead_back_to_the_captions(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []

    def take(system: str, lines: Iterable[MentionLine]) -> None:
        assert system == "s"
        for image, record, told, label in lines:
            assert label is not None  # no person is mentioned twice
            rows.append({"image": json.loads(image), "record": record, **json.loads(f"{{{told}}}")})

    source = parse_source(write(tmp_path / "s.json", CAPTIONS))
    result = audit(here([source]), load_grammar("people"), mentions=take).result
    assert len(rows) == result.systems["s"].labels
    places = [(row["image"], row["record"], row["caption"][row["start"] : row["end"]]) for row in rows]
    assert places == [
        ("0", 1, "A tall man"),
        ("0", 1, "two happy kids"),
        ("1", 2, "a group of old women"),
        ("3", 4, "a tall man"),
        ("3", 4, "two happy kids"),
    ]


def test_the_signature_names_what_a_number_depends_on(tmp_path: Path) -> None:
    path = write(tmp_path / "s.json", CAPTIONS)
    first, second = run(path), run(path, by=())
    assert first.signature != second.signature
    line = first.signature.as_line()
    for part in ("assess ", "people@", "en_core_web_sm", "spaCy 3.8", "s 4#", "by=gender", "join_of=True"):
        assert part in line
    assert str(tmp_path) not in first.to_json()


def test_references_are_marked_as_such(tmp_path: Path) -> None:
    sources = [parse_source(write(tmp_path / "s.json", CAPTIONS))]
    references = [parse_source(write(tmp_path / "r.json", CAPTIONS))]
    assert audit(here(sources, references), load_grammar("people")).result.references == {"r"}


def test_what_is_known_of_the_same_files_is_not_worked_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "cache" / "annotations.sqlite"))
    path = write(tmp_path / "s.json", CAPTIONS)
    people = parse_source(f"people={write(tmp_path / 'people.json', CAPTIONS)}")
    measures = MeasureRequest(resampling=Resampling(resamples=20))

    def told(name: str = "s", **settings: Any) -> tuple[str, str, list[tuple[str, MentionLine]]]:
        lines: list[tuple[str, MentionLine]] = []
        result = run_audit(
            ([parse_source(f"{name}={path}")], [people]),
            Request(**{"by": ("gender",), "measures": measures, **settings}),
            mentions=lambda system, found: lines.extend((system, line) for line in found),
        )
        return result.to_json(), label_text(result), lines

    first = told()
    assert "domain" in json.loads(first[0])["recall"]["categories"]
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "audit", None)
        assert told() == first
        for changed in ({"by": ()}, {"name": "t"}, {"reading": ReadingSettings(no_after=True)}):
            with pytest.raises(TypeError, match="not callable"):
                told(**changed)
        patch.setattr(pipeline, "STATISTICS", {"mine": None})
        with pytest.raises(TypeError, match="not callable"):
            told()
    (kept,) = saved.AUDITS.folder.iterdir()
    kept.write_bytes(kept.read_bytes()[:-1])
    assert told() == first  # damaged records are recomputed
    write(tmp_path / "s.json", CAPTIONS[::-1])
    assert told()[0] != first[0]
