"""Captions as Python gives them: files, names, captions in memory, and mistakes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assess.api.functions import sources_of
from assess.corpus import read_captions
from assess.errors import UsageError


def read(given: Any, folder: Path) -> dict[str, list[tuple[str, str]]]:
    sources = sources_of(given, folder, name="captions")
    return {source.name: [(c.image, c.text) for c in read_captions(source)] for source in sources}


def test_files_are_named_after_themselves_or_by_you(tmp_path: Path) -> None:
    file = tmp_path / "model.v2.json"
    cases: list[tuple[Any, list[str]]] = [
        (file, ["model.v2"]),
        (str(file), ["model.v2"]),
        (f"mine={file}", ["mine"]),
        ([file, f"b={file}"], ["model.v2", "b"]),
        ({"a": file, "b": str(file)}, ["a", "b"]),
        (None, []),
    ]
    for given, names in cases:
        found = sources_of(given, tmp_path, name="captions")
        assert [source.name for source in found] == names
        assert {source.path for source in found} <= {str(file)}


def test_captions_in_memory_are_read_as_they_are(tmp_path: Path) -> None:
    hostile = 'a "man"\n\u2028 with\x00 🙂, ünï'
    assert read([(1, "a man"), ("x", hostile)], tmp_path) == {"captions": [("1", "a man"), ("x", hostile)]}
    assert read({"a": {1: "a man", 2: ["x", "y"]}, "b": [(1, "z")]}, tmp_path) == {
        "a": [("1", "a man"), ("2", "x"), ("2", "y")],
        "b": [("1", "z")],
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"1": "a tall man"}, "no file 'a tall man'"),
        ({"a": {}}, "'a' has no captions"),
        ([], "'captions' has no captions"),
        ([(1, "a man"), (2,)], "caption 2 of 'captions' is no"),
        ([(1, None)], "caption 1 of 'captions' is no"),
        ({"a": {1: None}}, "caption 1 of 'a' is no"),
        ({"a": [1.5]}, "caption 1 of 'a' is no"),
        ({3: {1: "a man"}}, "3 is not the name of a system"),
    ],
)
def test_mistakes_are_told_with_what_to_give(given: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        sources_of(given, tmp_path, name="captions")
    assert "image id" in str(caught.value)


def test_importing_loads_nothing_heavy_and_the_function_keeps_its_name() -> None:
    code = """if True:
    import sys
    import assess
    heavy = {"spacy", "scipy", "numpy", "nltk", "lark", "pydantic", "jinja2", "rich", "pandas"}
    assert not heavy & set(sys.modules), heavy & set(sys.modules)
    assert {"audit", "parse", "Audit", "read_audit", "load_taxonomy"} <= set(dir(assess))
    # A room of the program has the name of the function, and must not take its place.
    from assess.measures.bias.verdict import BiasSettings
    import assess.measures.bias.tables
    assert callable(assess.audit) and assess.audit.__module__ == "assess.api.functions"
    assert BiasSettings().__class__.__module__ == "assess.measures.bias.verdict"
    try:
        assess.nothing
    except AttributeError as error:
        assert "nothing" in str(error)
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
