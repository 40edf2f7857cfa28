"""`[NAME=]PATH` and the names of sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess.corpus import Source, check_names, parse_source
from assess.errors import UsageError


@pytest.mark.parametrize(
    ("argument", "name", "path"),
    [
        ("out/captions.json", "captions", "out/captions.json"),
        ("captions.json.gz", "captions", "captions.json.gz"),
        ("captions.JSONL.GZ", "captions", "captions.JSONL.GZ"),
        ("Dai-et-al-2017.json", "Dai-et-al-2017", "Dai-et-al-2017.json"),
        ("blip2_opt2.7b.json.gz", "blip2_opt2.7b", "blip2_opt2.7b.json.gz"),
        ("blip2_opt2.7b", "blip2_opt2.7b", "blip2_opt2.7b"),
        (".json", ".json", ".json"),
        ("-", "stdin", "-"),
        ("mine=-", "mine", "-"),
        ("mine=a/b.json", "mine", "a/b.json"),
        ("lab/model=a/b.json", "lab/model", "a/b.json"),
        ("mine=a=b.json", "mine", "a=b.json"),
    ],
)
def test_name_defaults_to_the_stem_and_is_what_stands_before_the_equals_sign(
    argument: str, name: str, path: str
) -> None:
    source = parse_source(argument)
    assert (source.name, source.path) == (name, path)


def test_an_existing_file_with_an_equals_sign_in_its_name_is_a_path(tmp_path: Path) -> None:
    file = tmp_path / "beam=5.json"
    file.write_text("[]", encoding="utf-8")
    assert parse_source(str(file)) == Source("beam=5", str(file))


def test_options_reach_the_source() -> None:
    source = parse_source(
        "a.csv", format="csv", id_field="photo", caption_field="said", split="test", gold=True
    )
    assert source == Source("a", "a.csv", "csv", "photo", "said", "test", None, gold=True)


@pytest.mark.parametrize("argument", ["=a.json", "name="])
def test_half_of_name_and_path_is_a_usage_error(argument: str) -> None:
    with pytest.raises(UsageError, match="is not NAME=PATH"):
        parse_source(argument)


def test_sources_of_one_name_are_a_usage_error_that_names_both_files() -> None:
    sources = [parse_source("a/out.json"), parse_source("b/out.json"), parse_source("c/other.json")]
    with pytest.raises(UsageError) as caught:
        check_names(sources)
    assert "2 inputs have the same name 'out': a/out.json, b/out.json" in str(caught.value)
    assert "NAME=PATH" in str(caught.value)
    assert len(caught.value.problems) == 1


def test_all_clashes_are_reported_at_once() -> None:
    sources = [Source("a", "1"), Source("a", "2"), Source("b", "3"), Source("b", "4")]
    with pytest.raises(UsageError) as caught:
        check_names(sources)
    assert len(caught.value.problems) == 2


def test_standard_input_is_read_by_one_source_only() -> None:
    with pytest.raises(UsageError, match="standard input can be read only once"):
        check_names([parse_source("a=-"), parse_source("b=-")])


def test_distinct_names_pass() -> None:
    check_names(iter([parse_source("x=a.json"), parse_source("y=a.json"), parse_source("-")]))
