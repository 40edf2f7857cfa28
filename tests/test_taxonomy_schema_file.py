"""The schema file that editors use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assess.taxonomy import schema, shipped_taxonomies

FOLDER = Path(__file__).resolve().parents[1] / "taxonomies"


def test_the_committed_schema_is_not_stale() -> None:
    committed = json.loads((FOLDER / "taxonomy.schema.json").read_text(encoding="utf-8"))
    assert committed == json.loads(json.dumps(schema())), "run: make grammars"


@pytest.mark.parametrize("path", shipped_taxonomies().values(), ids=lambda path: path.stem)
def test_shipped_files_refer_to_the_schema(path: Path) -> None:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first == "# yaml-language-server: $schema=taxonomy.schema.json"
