"""The table of input mistakes: what is said, where, and the file that shows it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from assess.corpus import FORMATS, CaptionReader, Source, SourceOptions, parse_source
from assess.errors import AssessError, InputError, Place, UsageError
from tests.test_corpus_formats import read_pairs, write

GOOD = '{"image_id": 1, "caption": "a cat"}'
NOT_JSON = "not valid JSON: "
UNFINISHED = NOT_JSON + "it ends in the middle of a value"
HEADER = "the first row does not name an image id and a caption; its cells are "

# (file, options, message, line, column, record)
Case = tuple[str, SourceOptions, str, int | None, int | None, int | None]
CASES: dict[str, Case] = {
    "array, cut after a comma": (f"[{GOOD},", {}, UNFINISHED, 1, 38, 2),
    "array, cut after a record": (f"[{GOOD}", {}, UNFINISHED, 1, 37, 1),
    "array, cut in a string": (f'[{GOOD},\n {{"image_id": 2, "cap', {}, UNFINISHED, 2, 18, 2),
    "array, comma too many": (
        f"[\n  {GOOD},\n]",
        {},
        NOT_JSON + "something is missing before ']' (is there a comma too many?)",
        3,
        1,
        2,
    ),
    "array, comma missing": (f"[{GOOD}\n {GOOD}]", {}, NOT_JSON + "',' or ']' is expected here", 2, 2, 1),
    "array, more after it": (
        f"[{GOOD}]\n]",
        {},
        NOT_JSON + "there is more after the end of the document",
        2,
        1,
        1,
    ),
    "array, NaN": (
        f'[{GOOD},\n{{"image_id": 2, "note": "NaN", "caption": NaN}}]',
        {},
        NOT_JSON + "NaN is not a JSON value; write null",
        2,
        43,
        2,
    ),
    "array, single quotes": (
        "[{'image_id': 1}]",
        {},
        NOT_JSON + "expecting property name enclosed in double quotes",
        1,
        3,
        1,
    ),
    "array of texts": (
        '["a cat"]',
        {},
        "each record must be an object with an image id and a caption, not the text 'a cat'",
        1,
        2,
        1,
    ),
    "no caption field": (
        '[{"image_id": 1, "bbox": [1]}]',
        {},
        "no field is known as the caption; the fields are 'image_id', 'bbox'",
        1,
        2,
        1,
    ),
    "no id field": (
        '[{"caption": "a cat", "n": 1}]',
        {},
        "no field is known as the image id; the fields are 'caption', 'n'",
        1,
        2,
        1,
    ),
    "id field that is not there": (
        f"[{GOOD}]",
        {"id_field": "image-id"},
        "there is no field 'image-id'; the fields are 'image_id', 'caption'",
        1,
        2,
        1,
    ),
    "caption field that is not there": (
        f"{GOOD}",
        {"caption_field": "said"},
        "there is no field 'said'; the fields are 'image_id', 'caption'",
        1,
        1,
        1,
    ),
    "a later record without the field": (
        f'[{GOOD},\n {{"image_id": 2, "text": "a dog"}}]',
        {},
        "the record has no 'caption'; its fields are 'image_id', 'text'",
        2,
        2,
        2,
    ),
    "caption null": (
        f'[{GOOD},\n{{"image_id": 2,\n  "caption": null}}]',
        {},
        "'caption' must be a caption or a list of captions, not null",
        3,
        3,
        2,
    ),
    "caption number": (
        f'{GOOD}\n\n{{"image_id": 2, "caption": 3.5}}\n',
        {},
        "'caption' must be a caption or a list of captions, not the number 3.5",
        3,
        17,
        2,
    ),
    "caption list with null": (
        '{"image_id": 2, "captions": ["a", null]}',
        {},
        "'captions' must be a caption or a list of captions, not a list with null in it",
        1,
        17,
        1,
    ),
    "image id null": (
        '[{"image_id": null, "caption": ""}]',
        {},
        "'image_id' must be a whole number or a text, not null",
        1,
        3,
        1,
    ),
    "image id true": (
        '[{"image_id": true, "caption": ""}]',
        {},
        "'image_id' must be a whole number or a text, not true",
        1,
        3,
        1,
    ),
    "image id with a fraction": (
        '[{"image_id": 1.5, "caption": ""}]',
        {},
        "'image_id' must be a whole number or a text, not the number 1.5",
        1,
        3,
        1,
    ),
    "image id empty": (
        "image_id,caption\n1,a cat\n,a dog\n",
        {},
        "'image_id' must be a whole number or a text, not an empty text",
        3,
        1,
        2,
    ),
    "annotations missing": (
        '{"images": [{"id": 1}]}',
        {},
        "the document has no list 'annotations'",
        None,
        None,
        None,
    ),
    "annotations without captions": (
        '{"images": [], "annotations": [{"image_id": 1, "bbox": []}]}',
        {},
        "no field is known as the caption; the fields are 'image_id', 'bbox'",
        1,
        32,
        1,
    ),
    "mistake in the skipped images": (
        '{"images": [{"id": 1},\n{"id": }], "annotations": []}',
        {},
        NOT_JSON + "something is missing before '}' (is there a comma too many?)",
        2,
        8,
        2,
    ),
    "karpathy without sentences": (
        '{"images": [{"cocoid": 1, "sentences": []}, {"cocoid": 2}]}',
        {},
        "the record has no 'sentences'; its fields are 'cocoid'",
        1,
        45,
        2,
    ),
    "karpathy sentences not a list": (
        '{"images": [{"cocoid": 1, "sentences": "a cat"}]}',
        {},
        "'sentences' must be a list, not the text 'a cat'",
        1,
        27,
        1,
    ),
    "karpathy sentence not an object": (
        '{"images": [{"cocoid": 1, "sentences": [{"raw": ""}, 3]}]}',
        {},
        "sentence 2 must be an object, not the number 3",
        1,
        27,
        1,
    ),
    "karpathy sentence without text": (
        '{"images": [{"cocoid": 1, "sentences": [{"tokens": []}]}]}',
        {},
        "there is no field 'raw'; the fields are 'tokens'",
        1,
        27,
        1,
    ),
    "karpathy sentence null": (
        '{"images": [{"cocoid": 1, "sentences": [{"raw": null}]}]}',
        {},
        "'raw' of sentence 1 must be text, not null",
        1,
        27,
        1,
    ),
    "karpathy split that is not there": (
        '{"images": [{"cocoid": 1, "split": "test", "sentences": []}, '
        '{"cocoid": 2, "split": "restval", "sentences": []}]}',
        {"split": "tset"},
        "there is no split 'tset'; the splits are 'restval', 'test'",
        None,
        None,
        None,
    ),
    "records without splits": (
        f"[{GOOD}]",
        {"split": "test"},
        "the record has no 'split'; its fields are 'image_id', 'caption'",
        1,
        2,
        1,
    ),
    "lists of ids, not captions": (
        '{"test": [42, 359]}',
        {"format": "mapping"},
        "'test' must be a caption or a list of captions, not a list with the number 42 in it",
        1,
        10,
        1,
    ),
    "mapping, later value": (
        '{"1": "a cat",\n "2": 7}',
        {},
        "'2' must be a caption or a list of captions, not the number 7",
        2,
        7,
        2,
    ),
    "line, cut": (f'{GOOD}\n{{"image_id": 2, "capt\n', {}, UNFINISHED, 2, 17, 2),
    "line, more after it": (
        f"{GOOD}\n{GOOD} 3\n",
        {},
        NOT_JSON + "there is more after the line's value",
        2,
        37,
        2,
    ),
    "line, infinity": (
        f'{GOOD}\n{{"image_id": -Infinity, "caption": ""}}\n',
        {},
        NOT_JSON + "-Infinity is not a JSON value; write null",
        2,
        14,
        2,
    ),
    "line, an array": (
        f"{GOOD}\n[1]\n",
        {},
        "each record must be an object with an image id and a caption, not a list with the number 1 in it",
        2,
        1,
        2,
    ),
    "line, nested deeply": (
        f"{GOOD}\n" + "[" * 100_000,
        {},
        NOT_JSON + "the value is nested too deeply",
        2,
        1,
        2,
    ),
    "array, nested deeply": ("[" * 100_000, {}, NOT_JSON + "the value is nested too deeply", 1, 2, 1),
    "a number of many digits": (
        '[{"image_id": ' + "1" * 5000 + ', "caption": ""}]',
        {},
        NOT_JSON + "a number is too long",
        1,
        2,
        1,
    ),
    "table, no header": ("1,a cat\n2,a dog\n", {}, HEADER + "'1', 'a cat'", 1, 1, None),
    "table, no header, tabs": ("1.jpg\ta cat\n", {}, HEADER + "'1.jpg', 'a cat'", 1, 1, None),
    "table, unknown header": ("photo,said\n1,a cat\n", {}, HEADER + "'photo', 'said'", 1, 1, None),
    "table, chosen column missing": (
        "image_id;caption\n1;a cat\n",
        {"id_field": "photo"},
        "there is no field 'photo'; the fields are 'image_id', 'caption'",
        1,
        1,
        None,
    ),
    "table, same column twice": (
        "image_id,caption,caption\n1,a,b\n",
        {},
        "two columns are named 'caption'",
        1,
        1,
        None,
    ),
    "table, cell missing": (
        'image_id,caption\n1,"a\ncat"\n2\n',
        {},
        "the row has 1 cell, but the header has 2",
        4,
        1,
        2,
    ),
    "table, cell too many": (
        "image_id,caption\n1,a cat, a dog\n",
        {},
        "the row has 3 cells, but the header has 2",
        2,
        1,
        1,
    ),
    "table, quotation mark in front": (
        'image_id\tcaption\n1\t"Stop" sign\n',
        {},
        "the row cannot be read: '\t' expected after '\"'",
        2,
        1,
        1,
    ),
    "table, quotation mark never closed": (
        'image_id,caption\n1,a cat\n2,"a dog\n3,a bird\n',
        {},
        "the row cannot be read: unexpected end of data",
        3,
        1,
        2,
    ),
    "flickr, no tab": (
        "1.jpg#0\ta cat\n\n1.jpg#1 a cat\n",
        {},
        "the line does not begin with image#number and a tab",
        3,
        1,
        2,
    ),
    "entities, mark not closed": (
        "1#0\t[/EN#1/people two men] and [/EN#2/animals a cat\n",
        {},
        "this mark is not complete",
        1,
        32,
        1,
    ),
    "entities, mark without type": ("1#0\tsee [/EN#1 two men]\n", {}, "this mark is not complete", 1, 9, 1),
    "white space only": (" \n\n", {}, "the file has nothing but white space", None, None, None),
    "empty": ("", {}, "the file is empty", None, None, None),
}


def problem_of(path: Path, **options: object) -> tuple[AssessError, Place]:
    with pytest.raises(InputError) as caught:
        list(CaptionReader(Source("x", str(path), **options)))  # type: ignore[arg-type]
    (problem,) = caught.value.problems
    assert problem.place is not None
    assert problem.place.file == str(path)
    return caught.value, problem.place


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("packed", [False, True])
def test_mistake_is_reported_at_its_place(name: str, packed: bool, tmp_path: Path) -> None:
    content, options, message, line, column, record = CASES[name]
    path = tmp_path / "bad"
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    error, place = problem_of(path, **options)
    assert error.problems[0].message == message
    assert (place.line, place.column, place.record) == (line, column, record)


def test_the_caret_stands_below_the_mistake(tmp_path: Path) -> None:
    error, _ = problem_of(write(tmp_path, f'[{GOOD},\n  {{"image_id": 2, "caption": null}}]'))
    shown = str(error).splitlines()
    assert shown[1] == '  |   {"image_id": 2, "caption": null}'
    assert shown[1].index('"caption"') == shown[2].index("^")


def test_the_caret_stands_below_a_mistake_far_into_one_long_line(tmp_path: Path) -> None:
    content = f'[{", ".join([GOOD] * 10_000)}, {{"image_id": 2, "caption": null}}]'
    error, place = problem_of(write(tmp_path, content))
    shown = str(error).splitlines()
    assert place.record == 10_001
    assert place.column == content.index('"caption": null') + 1
    assert shown[1].index('"caption": null') == shown[2].index("^")


def test_a_trailing_comma_in_an_object_is_a_syntax_error(tmp_path: Path) -> None:
    _, place = problem_of(write(tmp_path, '[{"image_id": 1, "caption": "a cat",}]'))
    assert place.line == 1
    assert place.column in (36, 37)  # Python versions differ: the comma, or what follows it


@pytest.mark.parametrize("content", [b"a cat\na caf\xe9 table\n", b'[{"image_id": 1,\n"c": "\xe9"}]'])
def test_a_byte_that_is_not_utf8_is_reported_at_its_place(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "latin1"
    path.write_bytes(content)
    error, place = problem_of(path)
    assert "the byte 0xe9 is not UTF-8 text" in str(error)
    assert "iconv" in str(error)
    assert place.line == 2
    assert place.column == content.split(b"\n")[1].index(b"\xe9") + 1


def test_a_bad_byte_far_into_the_file_has_its_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "late"
    path.write_bytes("é line\n".encode() * 30_000 + b"a bad \xff byte\n")
    _, place = problem_of(path)
    assert (place.line, place.column) == (30_001, 7)


def test_a_character_cut_at_the_end_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes("a café".encode()[:-1])
    error, place = problem_of(path)
    assert "the byte 0xc3 is not UTF-8 text" in str(error)
    assert (place.line, place.column) == (1, 6)


@pytest.mark.parametrize("size", [3, 17, 60, -1])
def test_a_cut_gzip_file_is_an_error(size: int, tmp_path: Path) -> None:
    path = tmp_path / "cut.json.gz"
    whole = gzip.compress("\n".join(f"a cat and {number} dogs" for number in range(100)).encode())
    path.write_bytes(whole[:size])
    error, _ = problem_of(path)
    assert "the gzip file is cut off" in str(error)


def test_a_damaged_gzip_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "damaged.gz"
    stored = bytearray(gzip.compress(b"a cat\n" * 1000))
    stored[-6] ^= 0xFF  # in the checksum
    path.write_bytes(stored)
    error, _ = problem_of(path)
    assert "the gzip file is damaged" in str(error)


@pytest.mark.parametrize(
    ("start", "kind"), [(b"PK\x03\x04rest", "a zip archive"), (b"PAR1rest", "a Parquet table")]
)
def test_other_kinds_of_files_are_named(start: bytes, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(start)
    error, _ = problem_of(path)
    assert f"this is {kind}, not text" in str(error)


def test_an_empty_gzip_file_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.gz"
    path.write_bytes(gzip.compress(b""))
    error, _ = problem_of(path)
    assert "the file is empty" in str(error)


def test_a_missing_file_is_an_error_with_similar_names(tmp_path: Path) -> None:
    write(tmp_path, "a cat", "captions_val.json")
    error, _ = problem_of(tmp_path / "caption_val.json")
    assert error.problems[0].message == "there is no such file"
    assert error.problems[0].hint == "that folder has 'captions_val.json'"


def test_a_missing_file_in_a_missing_folder_says_so(tmp_path: Path) -> None:
    error, _ = problem_of(tmp_path / "gone" / "captions.json")
    assert error.problems[0].hint == f"there is no folder '{tmp_path / 'gone'}' either"


def test_a_folder_is_an_error_that_names_a_file_in_it(tmp_path: Path) -> None:
    write(tmp_path, "a cat", "b.json")
    write(tmp_path, "a cat", "a.json")
    error, _ = problem_of(tmp_path)
    assert error.problems[0].message == "this is a folder, not a file"
    assert error.problems[0].hint == f"give one of its 2 files, such as '{tmp_path / 'a.json'}'"


def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, "a cat")
    monkeypatch.setattr(Path, "open", refuse)
    error, _ = problem_of(path)
    assert error.problems[0].message == "cannot be opened: Permission denied"


def test_an_unknown_format_is_a_usage_error_that_lists_the_formats() -> None:
    with pytest.raises(UsageError) as caught:
        CaptionReader(Source("x", "x.json", format="coco-result"))
    assert ", ".join(FORMATS) in str(caught.value)
    assert "did you mean 'coco-results'?" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "options", "flag"),
    [
        ("a cat\n", {"id_field": "x"}, "--id-field"),
        ("a cat\n", {"split": "x"}, "--split"),
        ("a cat\n", {"gold": True}, "--gold"),
        (f"[{GOOD}]", {"join": "q.jsonl"}, "--join"),
        ('{"1": "a cat"}', {"caption_field": "x"}, "--caption-field"),
    ],
)
def test_an_option_that_would_do_nothing_is_a_usage_error(
    content: str, options: SourceOptions, flag: str, tmp_path: Path
) -> None:
    write(tmp_path, '{"question_id": 1, "image": "1.jpg"}', "q.jsonl")
    if "join" in options:
        options = {"join": str(tmp_path / "q.jsonl")}
    with pytest.raises(UsageError, match=f"{flag} has no meaning for .* whose format is"):
        read_pairs(write(tmp_path, content), **options)


def test_an_answer_to_an_unknown_question_is_an_error(tmp_path: Path) -> None:
    answers = write(tmp_path, '{"question_id": 1, "text": ""}\n{"question_id": 2, "text": ""}\n')
    join = write(tmp_path, '{"question_id": 1, "image": "1.jpg"}', "q.jsonl")
    error, place = problem_of(answers, join=str(join))
    assert error.problems[0].message == "the question '2' is not in the join file"
    assert str(join) in str(error.problems[0].hint)
    assert (place.line, place.record) == (2, 2)


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        (
            '{"question_id": 1, "image": "a"}\n{"question_id": 1, "image": "b"}',
            "the question '1' has two images",
        ),
        ('{"question_id": 1, "prompt": "What?"}', "no field is known as the image id"),
        ("", "the join file has no questions"),
        ("[]", "the join file has no questions"),
        ('[{"question_id": 1, "image": "a"}] 3', "there is more after the end of the document"),
    ],
)
def test_mistakes_in_the_join_file_name_that_file(questions: str, message: str, tmp_path: Path) -> None:
    answers = write(tmp_path, '{"question_id": 1, "text": ""}\n')
    join = write(tmp_path, questions, "q.jsonl")
    with pytest.raises(InputError, match=r"q\.jsonl") as caught:
        read_pairs(answers, join=str(join))
    assert message in str(caught.value)


def test_hostile_text_in_messages_is_made_harmless(tmp_path: Path) -> None:
    path = write(tmp_path, '{"\\u001b[31mred": 7, "1": "a"}')
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    assert "\x1b" not in str(caught.value)


def test_the_same_error_comes_each_time_a_source_is_read(tmp_path: Path) -> None:
    reader = CaptionReader(parse_source(str(write(tmp_path, f"[{GOOD},"))))
    texts = []
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            list(reader)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    with pytest.raises(RuntimeError, match="only after all captions were read"):
        _ = reader.summary
