"""Captions from Python: files, names, captions in memory, and mistakes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assess.api.captions import inputs_of, sources_of
from assess.corpus import read_captions
from assess.errors import AssessError, InputError, UsageError


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


def test_records_and_data_frames_are_read_by_the_rules_for_files(tmp_path: Path) -> None:
    records = [{"image": "7.jpg", "pred": "a man", "answer": "x"}, {"image": "9.jpg", "pred": ["a", "b"]}]
    expected = [("7.jpg", "a man"), ("9.jpg", "a"), ("9.jpg", "b")]
    assert read(records, tmp_path) == {"captions": expected}
    assert read({"a": records}, tmp_path) == {"a": expected}
    frame = Columns({"image_id": [7, 9], "caption": ["a man", ""], "score": [0.5, 0.1]})
    assert read(frame, tmp_path) == {"captions": [("7", "a man"), ("9", "")]}
    assert read({"a": frame, "b": records}, tmp_path)["a"] == [("7", "a man"), ("9", "")]
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    table = pandas.DataFrame({"system": ["a", "b"], "image_id": [7, 7], "caption": ["a man", "a cat"]})
    assert read(dict(list(table.groupby("system"))), tmp_path) == {
        "a": [("7", "a man")],
        "b": [("7", "a cat")],
    }


class Columns:
    """A data frame of an unknown library: columns by name, each of which can become a list."""

    def __init__(self, lists: dict[str, list[Any]]) -> None:
        self.lists, self.columns = lists, list(lists)

    def __getitem__(self, name: str) -> Any:
        return type("Column", (), {"to_list": lambda _: self.lists[name]})()


def test_names_of_files_pair_with_numbers_and_a_warning_says_so(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="'COCO_val2014_000000000007.jpg' is 7"):
        found = inputs_of([("COCO_val2014_000000000007.jpg", "a")], [(7, "b")], None, tmp_path)
    assert [caption.image for caption in read_captions(found.systems[0])] == ["7"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"image_id": 1, "caption": None}], "record 1: 'caption' must be a caption or a list of captions"),
        ([{"image_id": 1, "n": 2}], "record 1: no field is recognised as the caption; the fields are"),
        ({"a": [{"caption": "x"}]}, "<a>: record 1: no field is recognised as the image id"),
        ([{1: 2, None: "a man"}], "the fields are '1', 'None'"),
    ],
)
def test_mistakes_in_records_have_their_place(given: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        sources_of(given, tmp_path, name="captions")


LONG = 10**5_000


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([(LONG, "a man")], "'image_id' is a number with too many digits"),
        ({"a": {LONG: "a man"}}, "'image_id' is a number with too many digits"),
        ([{"image_id": LONG, "caption": "a man"}], "record 1: 'image_id' is a number with too many digits"),
        ([{"image_id": 1, "caption": LONG}], "not the number with too many digits"),
        ([(LONG, None)], "caption 1 of 'captions' is not an .* pair: with too many digits"),
    ],
)
def test_numbers_that_python_does_not_write_are_told(given: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(AssessError, match=message):
        sources_of(given, tmp_path, name="captions")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"1": "a tall man"}, "the file 'a tall man' of the system '1' does not exist"),
        ({"a": {}}, "'a' has no captions"),
        ([], "'captions' has no captions"),
        ([(1, "a man"), (2,)], "caption 2 of 'captions' is no"),
        ([(1, None)], "caption 1 of 'captions' is no"),
        ({"a": {1: None}}, "caption 1 of 'a' is no"),
        ({"a": [1.5]}, "caption 1 of 'a' is no"),
        ({3: {1: "a man"}}, "3 is not the name of a system"),
        (5, "5 is not a list of records"),
        ({"a": None}, "None is not a list of records"),
        ({"a": int}, "<class 'int'> is not a list of records"),
    ],
)
def test_mistakes_are_told_with_what_to_give(given: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        sources_of(given, tmp_path, name="captions")
    assert "image id" in str(caught.value)


def test_integers_of_numpy_are_image_ids(tmp_path: Path) -> None:
    number = np.int64(7)
    forms: tuple[Any, ...] = (
        [{"image_id": number, "caption": "a man"}],
        [(number, "a man")],
        {"a": {number: "a man"}},
    )
    for given in forms:
        (source,) = sources_of(given, tmp_path, name="a")
        assert [caption.image for caption in read_captions(source)] == ["7"]


def test_a_data_frame_with_two_columns_of_a_name_is_refused(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, "a man", "a dog"]], columns=["image_id", "caption", "caption"])
    with pytest.raises(UsageError, match="two columns are called 'caption'"):
        sources_of(frame, tmp_path, name="captions")


def test_importing_loads_nothing_heavy_and_the_function_keeps_its_name() -> None:
    code = """if True:
    import sys
    import assess
    heavy = {"spacy", "scipy", "numpy", "nltk", "lark", "pydantic", "jinja2", "rich", "pandas"}
    assert not heavy & set(sys.modules), heavy & set(sys.modules)
    assert {"audit", "parse", "Audit", "read_audit", "load_taxonomy"} <= set(dir(assess))
    # Rooms of the program have the names of functions, and must not take their place.
    import assess.audits.request
    import assess.measures.bias.tables
    assert callable(assess.audit) and assess.bias.__module__ == "assess.api.functions"
    try:
        assess.nothing
    except AttributeError as error:
        assert "nothing" in str(error)
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
