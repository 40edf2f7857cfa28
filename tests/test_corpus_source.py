"""Parsing `[NAME=]PATH`, and the names of sources."""

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


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        (("x=a.json", "y=a.json", "-"), []),
        (("a=-", "b=-"), ["standard input can be read only once"]),
        (
            ("a/out.json", "b/out.json", "c/other.json", "d/other.json", "e.json"),
            [
                "2 inputs have the same name 'out': a/out.json, b/out.json",
                "2 inputs have the same name 'other': c/other.json, d/other.json",
            ],
        ),
    ],
)
def test_all_clashes_of_names_are_reported_at_once(arguments: tuple[str, ...], problems: list[str]) -> None:
    try:
        check_names(parse_source(argument) for argument in arguments)
        found = []
    except UsageError as error:
        found = [problem.message for problem in error.problems]
    assert found == problems
