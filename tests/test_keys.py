"""A number has one key: the columns of CSV files are named as JSON has them, level by level."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import EXAMPLE, assess

SYSTEMS = (EXAMPLE / "bland.json", EXAMPLE / "skewed.csv")
REFERENCES = ("--references", EXAMPLE / "references.json")
GROUPS = ("--groups", EXAMPLE / "attributes.csv", "--resamples", "20")
COMMANDS: dict[str, tuple[object, ...]] = {
    "coverage": REFERENCES,
    "bias": ("--by", "gender", "--samples", "100"),
    "errors": GROUPS,
    "leakage": (*REFERENCES, *GROUPS),
    "amplification": (*REFERENCES, *GROUPS),
    "diversity": ("--intervals", "--resamples", "20"),
    "syntax": ("--intervals", "--resamples", "20"),
    "postgen": REFERENCES,
}
NAMES = {"system", "measure"}
"""Columns that name what a row is about: in JSON, the keys of an object."""
DERIVED = {"read_in_full"}
"""What a table works out from counts that JSON has beside each other."""
END = re.compile(r"_(low|high|\d+)$")
"""An interval, which JSON has as a list, or a size, which it has only where there is one."""

pytestmark = pytest.mark.model


def paths(value: Any, *above: str) -> Iterator[str]:
    """Yield every place of an object, its keys joined as columns join them; of a list also its ends."""
    for key, inside in value.items() if isinstance(value, dict) else ():
        yield from ("_".join((*above[start:], key)) for start in range(len(above) + 1))
        yield from paths(inside, *above, key)
    for inside in value if isinstance(value, list) else ():
        yield from paths(inside, *above)


@pytest.mark.parametrize("command", COMMANDS)
def test_columns_of_csv_files_have_the_keys_of_json(command: str, tmp_path: Path) -> None:
    done = assess(command, *SYSTEMS, *COMMANDS[command], "--json", "--csv", tmp_path)
    assert done.code == 0, done.stderr
    found = done.json if command != "bias" else done.json | {"coverage": _coverage()}
    known = {*paths(found), *NAMES, *DERIVED}
    for file in tmp_path.glob("*.csv"):
        columns = next(csv.reader(file.read_text(encoding="utf-8").splitlines()))
        told = set(columns) - set(found.get("systems", ()))
        unknown = {key for key in told if key not in known and END.sub("", key) not in known}
        assert unknown == set(), file.name


def _coverage() -> Any:
    return assess("coverage", *SYSTEMS, "--json").json
