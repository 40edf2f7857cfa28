"""Telling formats apart, and saying so where that fails."""

from __future__ import annotations

import json

import pytest

from assess.corpus import FORMATS, Source, sniff
from assess.errors import InputError

RECORD = '{"image_id": 1, "caption": "a cat"}'


def sniffed(head: str, **options: str) -> str:
    return sniff(head, source=Source("x", "x.data", **options)).name  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (f"  \n[{RECORD}", "coco-results"),
        ("[]", "coco-results"),
        ("[\n", "coco-results"),
        ("[1, 2]", "coco-results"),  # its reader says what is wrong with it
        (RECORD, "jsonl"),
        (RECORD + "\n" + RECORD, "jsonl"),
        ('{"photo": 1, "said": "x"}\n{"photo": 1, "said": "x"}', "jsonl"),
        ('{"image_id": 1, "captions": ["a cat", "cut he', "jsonl"),
        ('{"image_id": 1, "caption": "cut he', "jsonl"),
        ('{"question_id": 1, "text": "a cat"}', "llava"),
        ('{"question_id": 1, "image": "1.jpg", "text": "a cat"}', "jsonl"),
        ('{"images": [{"filename": "a", "sentences": [{"raw": "cut', "coco-annotations"),
        ('{"images": [{"filename": "a", "sentences": []}, {"cut', "karpathy"),
        ('{"dataset": "x", "images": [{"sentences": []}', "karpathy"),
        ('{"info": {}, "images": [{"id": 1}, {"id"', "coco-annotations"),
        ('{"annotations": [', "coco-annotations"),
        ('{"1": "a cat", "2": "cut he', "mapping"),
        ('{"1": ["a cat", "cut he', "mapping"),
        ('{"images": "a cat"}', "mapping"),
        ("image,caption\n1.jpg,a cat", "csv"),
        ('"image_id";"caption"\n', "csv"),
        ("photo,caption\nx,a cat", "csv"),  # its reader says which columns there are
        ("1,a cat\n2,a dog", "csv"),
        ("caption\na cat\na dog", "csv"),
        ("image\tcaption\n1.jpg\ta cat", "tsv"),
        ("1.jpg\ta cat", "tsv"),
        ("1.jpg#0\ta cat", "flickr-tokens"),
        ("1#0\tnothing\n1#1\t[/EN#1/animals a cat]", "flickr30k-entities"),
        ("a cat, a dog and 2 birds\n10,000 people", "text"),
        ('"Stop" says the sign\na cat', "text"),
        ("[unk] cat\n", "text"),
        ("a cat", "text"),
    ],
)
def test_format_is_told_from_the_head(head: str, name: str) -> None:
    assert sniffed(head) == name


def test_join_makes_answers_of_records_that_also_name_an_image() -> None:
    head = '{"question_id": 1, "image": "1.jpg", "text": "a cat"}'
    assert sniffed(head, join="questions.jsonl") == "llava"


def test_chosen_fields_count_as_known() -> None:
    head = '{"photo": 1, "said": "a cat"}'
    assert sniffed(head, id_field="photo", caption_field="said") == "jsonl"
    assert sniffed("photo|said\n1|a cat", id_field="photo", caption_field="said") == "csv"


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("{}", "it is an empty object"),
        (
            '{"karpathy_test": [42, 359], "restval": [1]}',
            "'karpathy_test' is a list with the number 42 in it",
        ),
        ('{"model": {"a man": 3}}', "'model' is an object with 'a man'"),
        ('{"count": 3}', "'count' is the number 3"),
        ('{"a": null}', "'a' is null"),
        ("<!DOCTYPE html><html>", "it is a web page or XML"),
        ("a cat\ra dog\r", "its lines end in carriage returns only"),
        ("\x00\x01\x02\x03\x00\x00\x00ab", "it is not text"),
        ("[\0{\0", "it looks like UTF-16 without a byte order mark"),
        ("\0{\0\x22", "it looks like UTF-16 without a byte order mark"),
    ],
)
def test_what_is_no_caption_file_is_an_error_that_lists_the_formats(head: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        sniffed(head)
    (problem,) = caught.value.problems
    assert problem.message.startswith(f"this is in no known caption format: {reason}")
    assert problem.hint == "choose a format with --format: " + ", ".join(FORMATS)


@pytest.mark.parametrize("path", ["x.json", "x.JSON", "a/x.jsonl.gz", "x.ndjson", "x.csv", "x.tsv.gz"])
def test_a_name_that_promises_more_than_lines_of_text_is_believed(path: str) -> None:
    with pytest.raises(InputError, match=r"its name ends in \.\w+, but it begins with 'oops \[\]'"):
        sniff("oops []\na cat", source=Source("x", path))


@pytest.mark.parametrize("path", ["x.txt", "x.txt.gz", "captions", "-", "json", "x.token"])
def test_other_names_promise_nothing(path: str) -> None:
    assert sniff("a cat\na dog", source=Source("x", path)).name == "text"


def test_a_small_broken_object_is_a_syntax_error_with_its_place() -> None:
    with pytest.raises(InputError, match=r"x\.data:1:2: not valid JSON: a key in double quotes"):
        sniffed("{'image_id': 1}")


def test_a_large_object_of_no_known_kind_is_an_unknown_format() -> None:
    head = json.dumps({"counts": {str(number): number for number in range(20_000)}})[: 1 << 16]
    with pytest.raises(InputError, match="in no known caption format"):
        sniffed(head)
