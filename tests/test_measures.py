"""Properties of all measures: command and function agree, all formats exist, each number has one key."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assess as package
from assess.measures.registry import find_measure, names
from tests.commands import EXAMPLE, assess, write_records
from tests.goldens import SCORES, scene

pytestmark = pytest.mark.model

SYSTEMS = [str(EXAMPLE / "bland.json"), str(EXAMPLE / "skewed.csv")]
REFERENCES = {"references": str(EXAMPLE / "references.json")}
GROUPS = {"groups": str(EXAMPLE / "attributes.csv"), "resamples": 20}
FEW = {"resamples": 20}
OF_CAPTIONS: dict[str, dict[str, Any]] = {
    "coverage": REFERENCES,
    "bias": {"by": "gender", "samples": 100},
    "errors": GROUPS,
    "leakage": REFERENCES | GROUPS,
    "amplification": REFERENCES | GROUPS,
    "diversity": FEW | {"intervals": True},
    "recall": REFERENCES | FEW | {"intervals": True},
    "syntax": FEW | {"intervals": True},
    "postgen": REFERENCES,
}
OF_FILES = ("selection", "pregen", "correlation")
FUNCTIONS = {"errors": "group_errors"}  # `assess.errors` is a module
NAMES = {"system", "measure", "use", "rank", "k"}
"""Columns that name what a row is about: in JSON, the keys of an object or the place in a list."""
DERIVED = re.compile(r"read_in_full|decile_\d+|local_majority")
"""What a table works out from numbers that JSON has beside each other."""
END = re.compile(r"_(low|high|\d+)$")
"""An interval, which JSON has as a list, or a size, which it has only where there is one."""


def test_every_measure_is_here() -> None:
    assert {*OF_CAPTIONS, *OF_FILES} == {"coverage", "bias", *names()}


def options(settings: dict[str, Any]) -> Iterator[str]:
    """Yield settings as the command line has them."""
    for name, value in settings.items():
        yield f"--{name.replace('_', '-')}"
        yield from () if value is True else (str(value),)


def run(folder: Path, *arguments: object) -> Any:
    """Run a command that writes all formats, and return what it prints as JSON."""
    formats = ("--csv", folder / "csv", "--latex", folder / "t.tex", "--markdown", folder / "t.md")
    done = assess(*arguments, *formats, "--json", "--out", folder)
    assert done.code == 0, done.stderr
    assert r"\toprule" in (folder / "t.tex").read_text(encoding="utf-8")
    return done


@pytest.mark.parametrize("command", OF_CAPTIONS)
def test_a_measure_of_captions_is_alike_everywhere(command: str, tmp_path: Path) -> None:
    settings = OF_CAPTIONS[command]
    done = run(tmp_path, command, *SYSTEMS, *options(settings))
    found = getattr(package, FUNCTIONS.get(command, command))(SYSTEMS, **settings)
    if command in ("coverage", "bias"):  # parts of an audit
        part = "systems" if command == "coverage" else "cells"
        assert json.loads(found.to_json())[part] == done.json[part]
    else:
        assert found.to_json() == done.stdout
        shows_the_same_when_read_back(command, done.stdout, tmp_path)
    keys_are_those_of_json(done.json | (_coverage() if command == "bias" else {}), tmp_path / "csv")


@pytest.mark.parametrize("measure", OF_FILES)
def test_a_measure_of_other_files_is_alike_everywhere(measure: str, tmp_path: Path) -> None:
    command = find_measure(measure).command
    words = [[{"p": 0.5, "rank": 0}, {"p": 0.25, "rank": 1}]]
    images = ({"image_id": number, "captions": words} for number in range(4))
    table = tmp_path / "table.csv"
    table.write_text(SCORES, encoding="utf-8")
    file = {
        "select": write_records(tmp_path / "gold.jsonl", *map(scene, range(20))),
        "pregen": write_records(tmp_path / "probabilities.jsonl", *images),
        "correlate": table,
    }[command]
    settings = {"draws": 2, "most": 3, "resamples": 20} if command == "select" else {}
    done = run(tmp_path, command, file, *options(settings))
    assert getattr(package, command)(file, **settings).to_json() == done.stdout
    shows_the_same_when_read_back(measure, done.stdout, tmp_path)


def shows_the_same_when_read_back(measure: str, printed: str, folder: Path) -> None:
    """Check that a saved result is the one that was printed, and looks like it."""
    saved = (folder / f"{measure}.json").read_text(encoding="utf-8")
    assert saved == printed
    result = find_measure(measure).result.model_validate_json(saved)
    assert result.to_json() == printed
    assert result.to_markdown() == (folder / "t.md").read_text(encoding="utf-8")


def keys_are_those_of_json(found: dict[str, Any], folder: Path) -> None:
    """Check that columns are named as JSON has the number, its levels joined."""
    known = {*paths(found), *NAMES, *found.get("systems", ())}
    for file in folder.glob("*.csv"):
        columns = next(csv.reader(file.read_text(encoding="utf-8").splitlines()))
        unknown = {key for key in columns if key not in known and END.sub("", key) not in known}
        assert {key for key in unknown if not DERIVED.fullmatch(key)} == set(), file.name


def paths(value: Any, *above: str) -> Iterator[str]:
    """Yield every place of an object by its keys, joined as columns join them; also without those above."""
    for key, inside in value.items() if isinstance(value, dict) else ():
        yield from ("_".join((*above[start:], key)) for start in range(len(above) + 1))
        yield from paths(inside, *above, key)
    for inside in value if isinstance(value, list) else ():
        yield from paths(inside, *above)


def _coverage() -> Any:
    return assess("coverage", *SYSTEMS, "--json").json
