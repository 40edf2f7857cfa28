"""Reading word probabilities: the same content in three formats, and mistakes with record numbers."""

from __future__ import annotations

import gzip
import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assess.errors import InputError
from assess.measures.pregen.input import ImageProbabilities, image_probabilities, read_probabilities
from tests.commands import write_records
from tests.problems import first_line, the_problem

HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
needs_pyarrow = pytest.mark.skipif(not HAS_PYARROW, reason="needs pyarrow (the tables extra)")


def word(p: float, rank: int) -> dict[str, Any]:
    return {"p": p, "rank": rank}


RECORDS: list[dict[str, Any]] = [
    {"image_id": 1, "captions": [[word(0.5, 0), word(0.25, 3)], [word(1, 0)]]},
    {"image_id": "two", "captions": [[word(0.0, 7)]]},
]


def flat(images: Sequence[ImageProbabilities]) -> list[tuple[str, list[float], list[bool], list[int]]]:
    return [
        (image.image, image.probabilities.tolist(), image.argmax.tolist(), image.lengths.tolist())
        for image in images
    ]


EXPECTED = [
    ("1", [0.5, 0.25, 1.0], [True, False, True], [2, 1]),
    ("two", [0.0], [False], [1]),
]
ARRAYS: Mapping[str, Any] = {
    "p": np.array([0.5, 0.25, 1.0, 0.0]),
    "rank": np.array([0, 3, 0, 7]),
    "words_per_caption": np.array([2, 1, 1]),
    "captions_per_image": np.array([2, 1]),
    "image_ids": np.array(["1", "two"]),
}


def write_npz(path: Path, **changes: Any) -> Path:
    arrays = {name: array for name, array in {**ARRAYS, **changes}.items() if array is not None}
    np.savez(path, **arrays)
    return path


def test_gzipped_json_lines_and_arrays_are_read(tmp_path: Path) -> None:
    path = tmp_path / "p.json.gz"
    path.write_bytes(gzip.compress(json.dumps(RECORDS).encode()))
    assert flat(list(read_probabilities(path))) == EXPECTED


def test_argmax_may_stand_for_the_rank(tmp_path: Path) -> None:
    record = {"image_id": 1, "captions": [[{"p": 0.5, "argmax": True}, {"p": 0.1, "argmax": False}]]}
    (image,) = read_probabilities(write_records(tmp_path / "p.jsonl", record))
    assert image.argmax.tolist() == [True, False]


def test_json_lines_are_read_one_by_one(tmp_path: Path) -> None:
    path = write_records(tmp_path / "p.jsonl", *RECORDS, {"image_id": 3})
    images = read_probabilities(path)
    assert flat([next(images), next(images)]) == EXPECTED
    with pytest.raises(InputError, match="the record has no 'captions'"):
        next(images)


GOOD = [[word(0.5, 0)]]
MISTAKES = [
    ([], "image 8 has no captions"),
    ([[]], "caption 1 of image 8 has no words"),
    ([[word(0.5, 0)], []], "caption 2 of image 8 has no words"),
    ([[word(0.5, 0)], [word(0.5, 0), word(1.5, 0)]], "1.5 is not a probability (image 8, caption 2, word 2)"),
    ([[word(-0.1, 0)]], "-0.1 is not a probability (image 8, caption 1, word 1)"),
    ([[word(0.5, -1)]], "a word's rank must be a whole number from 0, not the number -1"),
    ([[{"p": 0.5}]], "a word's rank must be a whole number from 0, not null"),
    ([[{"p": 0.5, "rank": 3, "argmax": True}]], "a word's rank must be"),
    ([[{"p": "high", "rank": 0}]], "a word's p must be a probability, not the string 'high'"),
    ([[{"p": True, "rank": 0}]], "a word's p must be a probability, not true"),
    ([[0.5]], "a word must be an object with p and rank, not the number 0.5"),
    ([word(0.5, 0)], "'captions' must be a list of lists"),
]


@pytest.mark.parametrize(("captions", "message"), MISTAKES)
def test_a_mistake_in_json_is_reported_with_its_record(
    tmp_path: Path, captions: list[Any], message: str
) -> None:
    records = [{"image_id": 7, "captions": GOOD}, {"image_id": 8, "captions": captions}]
    path = write_records(tmp_path / "p.jsonl", *records)
    assert first_line(read_probabilities, path).startswith(f"{path}:2: record 2: {message}")


def test_no_images_and_an_image_twice_in_a_row_are_errors(tmp_path: Path) -> None:
    twice = write_records(tmp_path / "p.jsonl", RECORDS[0], RECORDS[0])
    assert "image 1 occurs twice in a row" in first_line(read_probabilities, twice)
    assert "there are no images" in first_line(read_probabilities, write_records(tmp_path / "p.json", []))


def test_npz_is_read_as_the_same_images(tmp_path: Path) -> None:
    path = write_npz(tmp_path / "p.npz")
    assert flat(list(read_probabilities(path))) == EXPECTED
    other = path.rename(tmp_path / "probabilities")  # where the name does not tell, the format can be given
    assert flat(list(read_probabilities(other, format="npz"))) == EXPECTED


def test_compressed_npz_with_argmax_and_without_ids_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.npz"
    arrays: dict[str, Any] = {**ARRAYS, "argmax": ARRAYS["rank"] == 0}
    del arrays["rank"], arrays["image_ids"]
    np.savez_compressed(path, **arrays)
    expected = [("1", *EXPECTED[0][1:]), ("2", *EXPECTED[1][1:])]
    assert flat(list(read_probabilities(path))) == expected


def test_large_npz_is_read_over_several_blocks(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    lengths = generator.integers(1, 5, size=10_000)
    p = generator.random(lengths.sum())
    path = write_npz(
        tmp_path / "p.npz",
        p=p,
        rank=np.zeros(p.size, dtype=np.uint8),
        words_per_caption=lengths,
        captions_per_image=np.full(5_000, 2),
        image_ids=None,
    )
    images = list(read_probabilities(path))
    assert len(images) == 5_000
    assert np.array_equal(np.concatenate([image.probabilities for image in images]), p)


NPZ_MISTAKES: list[tuple[dict[str, Any], str, int | None]] = [
    ({"p": None}, "the file has no array p", None),
    ({"rank": None}, "the file has no array rank (or argmax)", None),
    ({"rank": np.array([0, 3, 0])}, "the array 'rank' has 3 elements, but 'p' has 4", None),
    ({"image_ids": np.array([1])}, "the array 'image_ids' has 1 elements", None),
    ({"words_per_caption": np.array([2, 1, 5])}, "the array 'rank' is too short: 5 elements are needed", 2),
    ({"words_per_caption": np.array([2, 1])}, "the array 'words_per_caption' is too short", 2),
    ({"words_per_caption": np.array([2, 1, -1])}, "the array 'words_per_caption' has a negative count", 2),
    ({"words_per_caption": np.array([1, 1, 1])}, "the array 'p' has 1 more elements", None),
    ({"captions_per_image": np.array([3, 0])}, "image two has no captions", 2),
    ({"captions_per_image": np.array([1, 1])}, "the array 'words_per_caption' has 1 more elements", None),
    ({"words_per_caption": np.array([3, 0, 1])}, "caption 2 of image 1 has no words", 1),
    ({"p": np.array([0.5, 0.25, 1.0, np.nan])}, "nan is not a probability (image two, caption 1, word 1)", 2),
    ({"rank": np.array([0, 3, 0, -7])}, "the array 'rank' has a negative rank", 2),
    ({"rank": np.array([0.0, 3.0, 0.0, 7.0])}, "the array 'rank' has the type float64", None),
    ({"p": np.array([[0.5, 0.25], [1.0, 0.0]])}, "the array 'p' has 2 dimensions instead of 1", None),
    ({"p": np.array([[0.5], [0.2, 0.3]], dtype=object)}, "the array 'p' contains Python objects", None),
]


@pytest.mark.parametrize(("changes", "message", "record"), NPZ_MISTAKES)
def test_a_mistake_in_npz_is_reported(
    tmp_path: Path, changes: dict[str, Any], message: str, record: int | None
) -> None:
    path = write_npz(tmp_path / "p.npz", **changes)
    place = f"{path}: record {record}" if record else str(path)
    assert first_line(read_probabilities, path).startswith(f"{place}: {message}")


def write_parquet(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([*records]), path)
    return path


TEXT_IDS = [{**RECORDS[0], "image_id": "1"}, RECORDS[1]]


@needs_pyarrow
def test_parquet_is_read_as_the_same_images(tmp_path: Path) -> None:
    assert flat(list(read_probabilities(write_parquet(tmp_path / "p.parquet", TEXT_IDS)))) == EXPECTED


PARQUET_MISTAKES: list[tuple[Any, str]] = [
    ([], "image 8 has no captions"),
    (None, "image 8 has no captions"),
    ([[]], "caption 1 of image 8 has no words"),
    ([[word(1.5, 0)]], "1.5 is not a probability (image 8, caption 1, word 1)"),
    ([[word(0.5, -1)]], "a word's rank is negative"),
    ([[{"p": 0.5, "rank": None}]], "a word's 'rank' is null"),
]


@needs_pyarrow
@pytest.mark.parametrize(("captions", "message"), PARQUET_MISTAKES)
def test_a_mistake_in_parquet_is_reported_with_its_record(
    tmp_path: Path, captions: Any, message: str
) -> None:
    records = [{"image_id": 7, "captions": GOOD}, {"image_id": 8, "captions": captions}]
    path = write_parquet(tmp_path / "p.parquet", records)
    assert first_line(read_probabilities, path).startswith(f"{path}: record 2: {message}")


@needs_pyarrow
@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"image_id": 1}], "the table has no column captions"),
        ([{"image_id": 1, "captions": [0.5]}], "'captions' contains a null or is not a list of lists"),
        ([{"image_id": 1, "captions": [[{"p": 0.5}]]}], "a word has no 'rank'"),
        ([{"image_id": 1, "captions": [[{"p": "x", "rank": 0}]]}], "a word's 'p' is of type string"),
        ([{"image_id": 1.5, "captions": GOOD}], "image_id is 1.5, not text or an integer"),
    ],
)
def test_a_parquet_table_of_another_shape_is_an_error(
    tmp_path: Path, records: list[dict[str, Any]], message: str
) -> None:
    assert message in first_line(read_probabilities, write_parquet(tmp_path / "p.parquet", records))


@pytest.mark.parametrize(
    ("value", "hint"),
    [(-0.5, "logarithms"), (1.0000001, "double precision"), (1.5, "probabilities are from 0 to 1")],
)
def test_a_number_that_is_no_probability_comes_with_what_it_may_be(value: float, hint: str) -> None:
    arrays = {"probabilities": np.array([value]), "argmax": np.array([True]), "lengths": np.array([1])}
    assert hint in (the_problem(image_probabilities, "1", **arrays).hint or "")
