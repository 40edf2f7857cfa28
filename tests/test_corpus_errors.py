"""The table of input mistakes: a file with the mistake, the message, and the location."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Unpack

import pytest

from assess.corpus import CaptionReader, Source, SourceOptions, parse_source
from assess.corpus.files import StoredFile
from assess.errors import InputError, UsageError
from tests.problems import the_problem
from tests.test_corpus_formats import read_pairs, write

GOOD = '{"image_id": 1, "caption": "a cat"}'
# A file, its error as it is shown after the file's name, and the options it is read with.
Case = tuple[str, str] | tuple[str, str, SourceOptions]
CASES: list[Case] = [
    (f"[{GOOD},", ":1:38: record 2: not valid JSON: it ends in the middle of a value"),
    (f"[{GOOD}", ":1:37: record 1: not valid JSON: it ends in the middle of a value"),
    (
        f'[{GOOD},\n {{"image_id": 2, "cap',
        ":2:18: record 2: not valid JSON: it ends in the middle of a value",
    ),
    (
        f"[\n  {GOOD},\n]",
        ":3:1: record 2: not valid JSON: something is missing before ']' (is there an extra comma?)",
    ),
    (f"[{GOOD}\n {GOOD}]", ":2:2: record 1: not valid JSON: expected ',' or ']'"),
    (f"[{GOOD}]\n]", ":2:1: record 1: not valid JSON: there is extra content after the end of the document"),
    (
        f'[{GOOD},\n{{"image_id": 2, "note": "NaN", "caption": NaN}}]',
        ":2:43: record 2: not valid JSON: NaN is not a JSON value; write null",
    ),
    (
        "[{'image_id': 1}]",
        ":1:3: record 1: not valid JSON: expecting property name enclosed in double quotes",
    ),
    (
        '[3, "a cat"]',
        ":1:2: record 1: each record must be an object with an image id and a caption, not the number 3",
    ),
    ("{'image_id': 1}", ":1:2: not valid JSON: expected a key in double quotes"),
    (
        '[{"image_id": 7, "caption": "x", "output": "y"}]',
        ":1:2: record 1: more than one field may be the caption: 'caption', 'output'",
    ),
    ('["a cat", 3]', ":1:11: record 2: each element must be a caption, like the first, not the number 3"),
    ("[]", ": there are no captions in this file"),
    ('{"annotations": []}', ": there are no captions in this file"),
    ("image_id,caption\n", ": there are no captions in this file"),
    (
        '[{"image": "7.jpg", "conversations": [{"from": "human", "value": "What?"}]}]',
        ":1:21: record 1: 'conversations' has no turn of 'assistant', 'gpt', 'model'",
    ),
    (
        '{"doc_id": 0, "filtered_resps": [3]}',
        ":1:15: record 1: 'filtered_resps' must be a caption or a list of captions, not a list that"
        " contains the number 3",
    ),
    (
        '{"doc_id": 0, "filtered_resps": ["x"], "doc": {"file": 1}}',
        ":1:1: record 1: there is no field 'photo'; the fields are 'doc_id', 'filtered_resps', 'doc', 'file'",
        {"id_field": "photo"},
    ),
    (
        '[{"image_id": 1, "bbox": [1]}]',
        ":1:2: record 1: no field is recognised as the caption; the fields are 'image_id', 'bbox'",
    ),
    (
        '[{"caption": "a cat", "n": 1}]',
        ":1:2: record 1: no field is recognised as the image id; the fields are 'caption', 'n'",
    ),
    (
        f"[{GOOD}]",
        ":1:2: record 1: there is no field 'image-id'; the fields are 'image_id', 'caption'",
        {"id_field": "image-id"},
    ),
    (
        f"{GOOD}",
        ":1:1: record 1: there is no field 'said'; the fields are 'image_id', 'caption'",
        {"caption_field": "said"},
    ),
    (
        f'[{GOOD},\n {{"image_id": 2, "text": "a dog"}}]',
        ":2:2: record 2: the record has no 'caption'; its fields are 'image_id', 'text'",
    ),
    (
        f'[{GOOD},\n{{"image_id": 2,\n  "caption": null}}]',
        ":3:3: record 2: 'caption' must be a caption or a list of captions, not null",
    ),
    (
        f'{GOOD}\n\n{{"image_id": 2, "caption": 3.5}}\n',
        ":3:17: record 2: 'caption' must be a caption or a list of captions, not the number 3.5",
    ),
    (
        '{"image_id": 2, "captions": ["a", null]}',
        ":1:17: record 1: 'captions' must be a caption or a list of captions, not a list that contains null",
    ),
    (
        '[{"image_id": null, "caption": ""}]',
        ":1:3: record 1: 'image_id' must be an integer or text, not null",
    ),
    (
        '[{"image_id": true, "caption": ""}]',
        ":1:3: record 1: 'image_id' must be an integer or text, not true",
    ),
    (
        '[{"image_id": 1.5, "caption": ""}]',
        ":1:3: record 1: 'image_id' must be an integer or text, not the number 1.5",
    ),
    (
        "image_id,caption\n1,a cat\n,a dog\n",
        ":3:1: record 2: 'image_id' must be an integer or text, not an empty string",
    ),
    ('{"images": [{"id": 1}]}', ": the document has no list 'annotations'"),
    (
        '{"images": [], "annotations": [{"image_id": 1, "bbox": []}]}',
        ":1:32: record 1: no field is recognised as the caption; the fields are 'image_id', 'bbox'",
    ),
    (
        '{"images": [{"id": 1},\n{"id": }], "annotations": []}',
        ":2:8: record 2: not valid JSON: something is missing before '}' (is there an extra comma?)",
    ),
    (
        '{"images": [{"cocoid": 1, "sentences": []}, {"cocoid": 2}]}',
        ":1:45: record 2: the record has no 'sentences'; its fields are 'cocoid'",
    ),
    (
        '{"images": [{"cocoid": 1, "sentences": "a cat"}]}',
        ":1:27: record 1: 'sentences' must be a list, not the string 'a cat'",
    ),
    (
        '{"images": [{"cocoid": 1, "sentences": [{"raw": ""}, 3]}]}',
        ":1:27: record 1: sentence 2 must be an object, not the number 3",
    ),
    (
        '{"images": [{"cocoid": 1, "sentences": [{"tokens": []}]}]}',
        ":1:27: record 1: there is no field 'raw'; the fields are 'tokens'",
    ),
    (
        '{"images": [{"cocoid": 1, "sentences": [{"raw": null}]}]}',
        ":1:27: record 1: 'raw' of sentence 1 must be text, not null",
    ),
    (
        '{"images": [{"cocoid": 1, "split": "test", "sentences": []}, '
        '{"cocoid": 2, "split": "restval", "sentences": []}]}',
        ": there is no split 'tset'; the splits are 'restval', 'test'",
        {"split": "tset"},
    ),
    (
        f"[{GOOD}]",
        ":1:2: record 1: the record has no 'split'; its fields are 'image_id', 'caption'",
        {"split": "test"},
    ),
    (
        '{"ids": [42, 359]}',
        ":1:9: record 1: 'ids' must be a caption or a list of captions, not a list that"
        " contains the number 42",
        {"format": "mapping"},
    ),
    (
        '{"1": "a cat",\n "2": 7}',
        ":2:7: record 2: '2' must be a caption or a list of captions, not the number 7",
    ),
    (
        f'{GOOD}\n{{"image_id": 2, "capt\n',
        ":2:17: record 2: not valid JSON: it ends in the middle of a value",
    ),
    (
        f"{GOOD}\n{GOOD} 3\n",
        ":2:37: record 2: not valid JSON: there is extra content after the value of the line",
    ),
    (
        f'{GOOD}\n{{"image_id": -Infinity, "caption": ""}}\n',
        ":2:14: record 2: not valid JSON: -Infinity is not a JSON value; write null",
    ),
    (
        f"{GOOD}\n[1]\n",
        ":2:1: record 2: each record must be an object with an image id and a caption, not a list that"
        " contains the number 1",
    ),
    (f"{GOOD}\n" + "[" * 100_000, ":2:1: record 2: not valid JSON: the value is nested too deeply"),
    ("[" * 100_000, ":1:2: record 1: not valid JSON: the value is nested too deeply"),
    (
        '[{"image_id": ' + "1" * 5000 + ', "caption": ""}]',
        ":1:2: record 1: not valid JSON: a number is too large",
    ),
    (
        "1,a cat\n2,a dog\n",
        ":1:1: the first row names no image id and caption; its cells are '1', 'a cat'",
    ),
    (
        "1.jpg\ta cat\n",
        ":1:1: the first row names no image id and caption; its cells are '1.jpg', 'a cat'",
    ),
    (
        "photo,said\n1,a cat\n",
        ":1:1: the first row names no image id and caption; its cells are 'photo', 'said'",
    ),
    (
        "image_id;caption\n1;a cat\n",
        ":1:1: there is no field 'photo'; the fields are 'image_id', 'caption'",
        {"id_field": "photo"},
    ),
    ("image_id,caption,caption\n1,a,b\n", ":1:1: two columns are named 'caption'"),
    ('image_id,caption\n1,"a\ncat"\n2\n', ":4:1: record 2: the row has 1 cell, but the header has 2"),
    ("image_id,caption\n1,a cat, a dog\n", ":2:1: record 1: the row has 3 cells, but the header has 2"),
    (
        'image_id\tcaption\n1\t"Stop" sign\n',
        ":2:1: record 1: the row cannot be read: '\t' expected after '\"'",
    ),
    (
        'image_id,caption\n1,a cat\n2,"a dog\n3,a bird\n',
        ":3:1: record 2: the row cannot be read: unexpected end of data",
    ),
    (
        "1.jpg#0\ta cat\n\n1.jpg#1 a cat\n",
        ":3:1: record 2: the line does not begin with image#number and a tab",
    ),
    ("1#0\t[/EN#1/people two men] and [/EN#2/animals a cat\n", ":1:32: record 1: this mark is incomplete"),
    ("1#0\tsee [/EN#1 two men]\n", ":1:9: record 1: this mark is incomplete"),
    (" \n\n", ": the file contains only white space"),
    ("", ": the file is empty"),
]
PACKED = gzip.compress("\n".join(f"a cat and {number} dogs" for number in range(100)).encode())
DAMAGED = PACKED[:-6] + bytes([PACKED[-6] ^ 0xFF]) + PACKED[-5:]  # in the checksum
# Bytes, and how their first error begins after the file's name.
STORED: list[tuple[bytes, str]] = [
    (b"a cat\na caf\xe9 table\n", ":2:6: the byte 0xe9 is not UTF-8 text"),
    (b'[{"image_id": 1,\n"c": "\xe9"}]', ":2:7: the byte 0xe9 is not UTF-8 text"),
    ("é line\n".encode() * 30_000 + b"a bad \xff byte\n", ":30001:7: the byte 0xff is not UTF-8 text"),
    ("a café".encode()[:-1], ":1:6: the byte 0xc3 is not UTF-8 text"),
    *((PACKED[:size], ": the gzip file is truncated") for size in (3, 17, 60, -1)),
    (DAMAGED, ": the gzip file is damaged ("),
    (PACKED + b"junk", ": the gzip file is damaged ("),
    (gzip.compress(b""), ": the file is empty"),
    (b"PK\x03\x04rest", ": this is a zip archive, not text"),
    (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", ": this is an Excel workbook, not text"),
    (b"\xff\xd8\xff\xe0\x00\x10JFIF", ": this is an image, not text"),
    (b"\x80\x02}q\x00", ": this is a Python pickle, not text"),
    (gzip.compress(b"\x80\x05\x95"), ": this is a Python pickle, not text"),
    (b"ab\x01\x02cd\xfe\xff\x00", ":1:7: the byte 0xfe is not UTF-8 text"),
    (b"PAR1rest", ": this is a Parquet table, not text"),
]


def told(path: Path, **options: Unpack[SourceOptions]) -> str:
    """Return all that is said of a file, without its name."""
    shown = str(the_problem(lambda: iter(CaptionReader(Source("x", str(path), **options)))))
    assert shown.startswith(str(path))
    return shown.removeprefix(str(path))


@pytest.mark.parametrize("case", CASES, ids=[case[1] for case in CASES])
@pytest.mark.parametrize("packed", [False, True])
def test_mistake_is_reported_at_its_place(case: Case, packed: bool, tmp_path: Path) -> None:
    content, expected, *options = case
    path = tmp_path / "bad"
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    assert told(path, **(options[0] if options else {})).splitlines()[0] == expected


@pytest.mark.parametrize(("content", "expected"), STORED, ids=[case[1] for case in STORED])
def test_bytes_that_cannot_be_read_are_reported(content: bytes, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(content)
    shown = told(path)
    assert shown.startswith(expected)
    readable = "UTF-8" in expected and b"\0" not in content
    assert ("iconv" in shown) == readable
    assert ("|" in shown) == readable  # of what is no text, nothing is shown
    assert ("CSV" in shown) == ("workbook" in expected)


@pytest.mark.parametrize("before", [1, 10_000])
def test_the_caret_stands_below_the_mistake_however_long_the_line(before: int, tmp_path: Path) -> None:
    content = f'[{", ".join([GOOD] * before)}, {{"image_id": 2, "caption": null}}]'
    path = write(tmp_path, content)
    wrong = '"caption": null'
    first, source, caret, *_ = told(path).splitlines()
    assert first.startswith(f":1:{content.index(wrong) + 1}: record {before + 1}:")
    assert source.index(wrong) == caret.index("^")


def test_a_trailing_comma_in_an_object_is_a_syntax_error(tmp_path: Path) -> None:
    shown = told(write(tmp_path, '[{"image_id": 1, "caption": "a cat",}]'))
    assert shown.startswith((":1:36:", ":1:37:"))  # Python versions differ: the comma, or what follows it


def test_what_is_no_file_is_an_error_with_what_is_there_instead(tmp_path: Path) -> None:
    write(tmp_path, "a cat", "captions_val.json")
    write(tmp_path, "a cat", "b.json")
    for path, message, hint in (
        (tmp_path / "caption_val.json", "the file does not exist", "the folder contains 'captions_val.json'"),
        (tmp_path / "x", "the file does not exist", "the folder contains no file with a similar name"),
        (
            tmp_path / "gone" / "captions.json",
            "the file does not exist",
            f"the folder '{tmp_path / 'gone'}' does not exist either",
        ),
        (
            tmp_path,
            "this is a folder, not a file",
            f"it contains 2 files: give one, such as '{tmp_path / 'b.json'}'",
        ),
    ):
        assert told(path) == f": {message}\n  hint: {hint}"


def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path, "a cat")
    monkeypatch.setattr(Path, "open", refuse)
    assert told(path) == ": cannot be opened: Permission denied"


def test_a_failing_disk_is_an_input_error() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(InputError, match="x: cannot be read: Input/output error"):
        list(StoredFile(Failing(), file="x").chunks())


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
    content: str, options: SourceOptions, flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, '{"question_id": 1, "image": "1.jpg"}', "q.jsonl")
    with pytest.raises(UsageError, match=f"{flag} cannot be used with .* whose format is"):
        read_pairs(write(tmp_path, content), **options)


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ('{"id": 1, "image": "a"}\n{"id": 1, "image": "b"}', "the question '1' has two images"),
        ('{"question_id": 1, "prompt": "What?"}', "no field is recognised as the image id; the fields are"),
        ("", "the join file has no questions"),
        ("[]", "the join file has no questions"),
        ('[{"question_id": 1, "image": "a"}] 3', "there is extra content after the end of the document"),
        ('{"question_id": 7, "image": "a"}', ":1:2: record 1: the question '1' is not in the join file"),
    ],
)
def test_mistakes_in_the_join_file_name_that_file(questions: str, message: str, tmp_path: Path) -> None:
    answers = write(tmp_path, '{"question_id": 1, "text": ""}\n')
    join = write(tmp_path, questions, "q.jsonl")
    shown = str(the_problem(read_pairs, answers, join=str(join)))
    assert message in shown
    assert "q.jsonl" in shown


def test_hostile_text_in_messages_is_made_harmless(tmp_path: Path) -> None:
    assert "\x1b" not in told(write(tmp_path, '{"\\u001b[31mred": 7, "1": "a"}'))


def test_the_same_error_comes_each_time_a_source_is_read(tmp_path: Path) -> None:
    reader = CaptionReader(parse_source(str(write(tmp_path, f"[{GOOD},"))))
    assert the_problem(list, reader) == the_problem(list, reader)
    with pytest.raises(RuntimeError, match="only after all captions were read"):
        _ = reader.summary
