"""Each format with tiny artificial files, plain and compressed, detected and named; and with real data."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import sys
import tarfile
from pathlib import Path
from typing import Any, Literal, Unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.corpus import (
    FORMATS,
    CaptionReader,
    Source,
    SourceOptions,
    check_names,
    paired_by_number,
    parse_source,
    read_captions,
    sniff,
)
from assess.errors import AssessError, InputError, MissingPartError
from assess.records import GoldSpan

MEN, CAT = "two men, waiting", "a cat"
LONG = f"{'x' * 99}. " * 1_400  # more than the csv module takes by itself, and few enough words to be read
RECORD = '{"image_id": 1, "caption": "a cat"}'
Pairs = list[tuple[str, str]]

# Per format: a file, the (image, text) pairs in it.
EXAMPLES: dict[str, tuple[str, Pairs]] = {
    "coco-results": (
        json.dumps([{"image_id": 7, "caption": MEN}, {"image_id": 9, "caption": CAT, "score": 0.5}]),
        [("7", MEN), ("9", CAT)],
    ),
    "coco-annotations": (
        """{"info": {"year": 2014, "list": [1, [2]]},
            "images": [{"id": 7, "file_name": "7.jpg"}, {"id": 9}],
            "licenses": [],
            "annotations": [{"image_id": 7, "id": 100, "caption": "two men, waiting"},
                            {"image_id": 7, "id": 101, "caption": "a cat"}],
            "type": "captions"}""",
        [("7", MEN), ("7", CAT)],
    ),
    "karpathy": (
        """{"images": [{"filename": "x.jpg", "imgid": 0, "cocoid": 7, "split": "test",
                        "sentences": [{"tokens": ["two"], "raw": "two men, waiting"}, {"raw": "a cat"}]},
                       {"filename": "y.jpg", "imgid": 1, "cocoid": 9, "split": "val",
                        "sentences": [{"raw": "a cat"}]}],
            "dataset": "coco"}""",
        [("7", MEN), ("7", CAT), ("9", CAT)],
    ),
    "mapping": (json.dumps({"7": MEN, "b.jpg": [CAT, ""]}), [("7", MEN), ("b.jpg", CAT), ("b.jpg", "")]),
    "jsonl": (
        '{"id": 1, "image": "7.jpg", "caption": "two men, waiting"}\n\n'
        '{"image": "9.jpg", "caption": "a cat"}\n',
        [("7.jpg", MEN), ("9.jpg", CAT)],
    ),
    "llava": (
        '{"question_id": 7, "prompt": "What?", "text": "two men, waiting", "answer_id": "q"}\n'
        '{"question_id": 9, "prompt": "What?", "text": "a cat", "answer_id": "r"}\n',
        [("7", MEN), ("9", CAT)],
    ),
    "list": (json.dumps([MEN, [CAT, ""]]), [("1", MEN), ("2", CAT), ("2", "")]),
    "lmms-eval": (
        '{"doc_id": 0, "target": "[\'a man\']", "filtered_resps": ["two men, waiting"], "doc_hash": "x",'
        ' "coco_CIDEr": {"answer": ["a man"], "pred": "two men, waiting", "image_id": 7, "id": 0}}\n'
        '{"doc_id": 1, "filtered_resps": ["a cat"], "coco_CIDEr": {"image_id": 9}}\n',
        [("7", MEN), ("9", CAT)],
    ),
    "csv": ('image_id,caption\r\n7,"two men, waiting"\r\n\r\n007,a cat\r\n', [("7", MEN), ("007", CAT)]),
    "tsv": ("image\tlength\tcaption\n7.0\t2\ttwo men, waiting\n9\t2\ta cat\n", [("7.0", MEN), ("9", CAT)]),
    "flickr-tokens": (
        "7.jpg#0\ttwo men, waiting\n7.jpg#1\ta cat\n9.jpg.1#0\ta\tcat \n",
        [("7.jpg", MEN), ("7.jpg", CAT), ("9.jpg.1", "a\tcat ")],
    ),
    "flickr30k-entities": (
        "7#0\tOutside , [/EN#3/people two men] wait\n7#1\t[/EN#12/animals/other a cat]\n9#0\tnothing\n",
        [("7", "Outside , two men wait"), ("7", CAT), ("9", "nothing")],
    ),
    "text": ("two men, waiting\n\n a cat \n", [("1", MEN), ("2", ""), ("3", " a cat ")]),
}


def read_pairs(path: Path, **options: Unpack[SourceOptions]) -> Pairs:
    """Return the image and text of each caption of a file."""
    return [(caption.image, caption.text) for caption in read_captions(parse_source(str(path), **options))]


def write(folder: Path, content: str, name: str = "captions.data") -> Path:
    """Write a file as it is, without changing line ends."""
    path = folder / name
    path.write_bytes(content.encode("utf-8"))
    return path


def test_every_format_has_an_example() -> None:
    assert {*EXAMPLES, "parquet", "webdataset"} == set(FORMATS)  # these two are no text, and come below
    page = (Path(__file__).parents[1] / "docs" / "formats.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in FORMATS)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_a_format_is_found_or_named_and_read(name: str, packed: bool, named: bool, tmp_path: Path) -> None:
    content, expected = EXAMPLES[name]
    stored = gzip.compress(content.encode()) + bytes(100) if packed else content.encode()
    path = tmp_path / "captions"  # no suffix: neither the format nor the packing is told by the name
    path.write_bytes(stored)
    reader = CaptionReader(parse_source(str(path), format=name if named else None))
    captions = list(reader)
    assert [(caption.image, caption.text) for caption in captions] == expected
    assert [caption.record for caption in captions] == list(range(1, len(expected) + 1))
    assert {caption.system for caption in captions} == {"captions"}
    assert reader.summary.format == name
    assert reader.summary.sha256 == hashlib.sha256(stored).hexdigest()


FIELDS: list[tuple[str, Pairs, SourceOptions]] = [
    (
        '{"filename": "7.jpg", "captions": ["two men, waiting", "a cat"]}\n',
        [("7.jpg", MEN), ("7.jpg", CAT)],
        {},
    ),
    (
        '{"7": [{"caption": "x"}, {"text": "y"}], "9": {"caption": "z"}}',
        [("7", "x"), ("7", "y"), ("9", "z")],
        {},
    ),
    ('{"7": "a", "7": "b"}', [("7", "a"), ("7", "b")], {}),
    ('[{"id": 1, "image": "7.jpg", "caption": "a cat"}]', [("7.jpg", CAT)], {}),
    (
        '[{"photo": 7, "said": "a cat", "image_id": 1, "caption": ""}]',
        [("7", CAT)],
        {"id_field": "photo", "caption_field": "said"},
    ),
    ("photo;said\n7;a cat\n", [("7", CAT)], {"id_field": "photo", "caption_field": "said"}),
    ("Image Name; n; Caption\n7.jpg;0;a, b\n", [("7.jpg", "a, b")], {}),
    ("Image Name| n| Caption\n7.jpg|0|a, b\n", [("7.jpg", "a, b")], {}),
    ('image_id,caption\r\n1,"two\nlines\r\nor ""three"""\r\n', [("1", 'two\nlines\r\nor "three"')], {}),
    (f'image_id,caption\n1,"{LONG}"\n', [("1", LONG)], {}),
    ('[{"image_id": 1, "caption": "a\x00\tb"}]', [("1", "a\x00\tb")], {}),
    (
        '{"images": [{"filename": "x.jpg", "imgid": 0, "sentences": [{"raw": "a cat"}]}]}',
        [("x.jpg", CAT)],
        {},
    ),
    ('{"images": [{"imgid": 0, "sentences": [{"raw": "a cat"}]}]}', [("0", CAT)], {}),
    (EXAMPLES["karpathy"][0], [("0", MEN), ("0", CAT), ("1", CAT)], {"id_field": "imgid"}),
    (EXAMPLES["karpathy"][0], [("9", CAT)], {"split": "val"}),
    ("image_id,split,caption\n7,test,two men\n9,val,a cat\n", [("9", CAT)], {"split": "val"}),
    (
        '{"image_id":7,"split":"test","caption":null}\n{"image_id":9,"split":"val","caption":"a cat"}',
        [("9", CAT)],
        {"split": "val"},
    ),
    ('[{"image_id": 7, "caption": "x", "output": "a cat"}]', [("7", CAT)], {"caption_field": "output"}),
    # VLMEvalKit: a table or records with an index.
    (
        '"index"\t"question"\t"answer"\t"prediction"\n"0"\t"What?"\t"[\'a man\']"\t"a cat"\n',
        [("0", CAT)],
        {},
    ),
    ('[{"index": 3, "question": "What?", "answer": "x", "prediction": "a cat"}]', [("3", CAT)], {}),
    # Conversations, as LLaVA and as chat templates write them: only the model's turns are captions.
    (
        '[{"id": "x", "image": "7.jpg", "conversations": [{"from": "human", "value": "<image>\\nWhat?"},'
        ' {"from": "gpt", "value": "two men, waiting"}, {"from": "human", "value": "And?"},'
        ' {"from": "gpt", "value": "a cat"}]}]',
        [("7.jpg", MEN), ("7.jpg", CAT)],
        {},
    ),
    (
        '{"image": "7.jpg", "messages": [{"role": "user", "content": "?"}, {"role": "assistant",'
        ' "content": [{"type": "text", "text": "a cat"}]}]}\n',
        [("7.jpg", CAT)],
        {},
    ),
    # Older logs of lmms-eval, answers of several requests, and the names that samples have for images.
    (
        '{"args": {"model": "x"}, "model_configs": {}, "logs": [{"doc_id": 0,'
        ' "doc": {"question_id": "7.jpg"}, "resps": [["a cat"]], "filtered_resps": ["a cat"]}], "time": "1"}',
        [("7.jpg", CAT)],
        {},
    ),
    ('{"doc_id": 4, "target": "x", "resps": [["two men, waiting", "a cat"]]}', [("4", MEN), ("4", CAT)], {}),
    (
        '{"doc_id": 4, "doc": {"photo": 7}, "filtered_resps": [""], "resps": [["a cat"]]}',
        [("7", CAT)],
        {"id_field": "photo", "caption_field": "resps"},
    ),
]


@pytest.mark.parametrize(("content", "expected", "options"), FIELDS, ids=range(len(FIELDS)))
def test_fields_splits_and_cells_are_found_or_chosen(
    content: str, expected: Pairs, options: SourceOptions, tmp_path: Path
) -> None:
    assert read_pairs(write(tmp_path, content), **options) == expected


@pytest.mark.parametrize("name", ["pred", "model_answer", "text", "answer", "response", "output"])
def test_a_caption_has_many_names_and_is_told_from_the_expected_answer(name: str, tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, json.dumps([{"image_id": 7, name: CAT}]))) == [("7", CAT)]
    if name in ("pred", "model_answer", "response"):
        line = json.dumps({"image_id": 7, "answer": ["B"], name: CAT})
        assert read_pairs(write(tmp_path, line)) == [("7", CAT)]


def test_image_ids_are_compared_as_text(tmp_path: Path) -> None:
    values = [42, "42", 42.0, "042", 10**20, "42.0"]
    path = write(tmp_path, json.dumps([{"image_id": value, "caption": ""} for value in values]))
    assert [image for image, _ in read_pairs(path)] == ["42", "42", "42", "042", str(10**20), "42.0"]


def test_llava_answers_join_their_questions(tmp_path: Path) -> None:
    answers = write(tmp_path, EXAMPLES["llava"][0])
    questions = [
        {"question_id": 7, "image": "p.jpg"},
        {"question_id": "9", "image": "p.jpg", "text": "What?"},
    ]
    as_lines = write(tmp_path, "\n".join(map(json.dumps, questions)), "q.jsonl")
    as_array = write(tmp_path, json.dumps(questions), "q.json")
    for join in (as_lines, as_array):
        reader = CaptionReader(parse_source(str(answers), join=str(join)))
        assert [(caption.image, caption.text) for caption in reader] == [("p.jpg", MEN), ("p.jpg", CAT)]
        assert reader.summary.join_sha256 == hashlib.sha256(join.read_bytes()).hexdigest()
        assert reader.summary.repeated == 1


def test_marked_phrases_are_kept_on_request(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLES["flickr30k-entities"][0])
    first, second, third = read_captions(parse_source(str(path), gold=True))
    assert first.gold == (GoldSpan(10, 17, "3", ("people",)),)
    assert second.gold == (GoldSpan(0, 5, "12", ("animals", "other")),)
    assert third.gold == ()
    assert all(not caption.gold for caption in read_captions(parse_source(str(path))))


words = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="[]\n"))


@given(st.lists(st.tuples(words, words), min_size=1))
def test_offsets_of_marked_phrases_point_to_their_words(
    tmp_path_factory: pytest.TempPathFactory, pieces: Pairs
) -> None:
    marked = "".join(f"{plain}[/EN#{number}/other {words}]" for number, (plain, words) in enumerate(pieces))
    path = write(tmp_path_factory.mktemp("gold"), f"7#0\t{marked}\n")
    (caption,) = read_captions(parse_source(str(path), format="flickr30k-entities", gold=True))
    assert caption.text == "".join(plain + words for plain, words in pieces)
    assert [caption.text[span.start : span.end] for span in caption.gold] == [words for _, words in pieces]


@given(st.lists(st.tuples(st.text(min_size=1), st.text()), min_size=1), st.booleans())
def test_any_text_comes_back_from_json_and_tables(
    tmp_path_factory: pytest.TempPathFactory, pairs: Pairs, ascii_only: bool
) -> None:
    folder = tmp_path_factory.mktemp("any")
    rows = [
        json.dumps({"image_id": image, "caption": text}, ensure_ascii=ascii_only) for image, text in pairs
    ]
    assert read_pairs(write(folder, f"[{', '.join(rows)}]", "a.json")) == pairs
    assert read_pairs(write(folder, "\n".join(rows), "b.jsonl")) == pairs
    for delimiter in (",", "\t"):
        table = io.StringIO(newline="")
        csv.writer(table, delimiter=delimiter).writerows([("image_id", "caption"), *pairs])
        assert read_pairs(write(folder, table.getvalue(), "table")) == pairs


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n\r")), min_size=1))
def test_any_line_comes_back_from_plain_text(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    # The empty file and one that begins with a byte order mark mean something else.
    path = write(tmp_path_factory.mktemp("text"), "a first line\n" + "".join(line + "\n" for line in lines))
    numbered = enumerate(["a first line", *lines], start=1)
    assert read_pairs(path, format="text") == [(str(number), line) for number, line in numbered]


@pytest.mark.parametrize(
    "text", ["👩🏽‍🚀 on the moon", "رجل يركب دراجة", "nul \x00 inside", "x" * 10_000, "a\u2028b\x85c\x0bd"]
)
def test_unusual_text_is_kept_in_every_kind_of_file(text: str, tmp_path: Path) -> None:
    array = json.dumps([{"image_id": 1, "caption": text}], ensure_ascii=False)
    line = json.dumps({"image_id": 1, "caption": text})
    for content in (array, line, f"image_id,caption\n1,{text}\n", f"1#0\t{text}\n", f"{text}\n"):
        assert read_pairs(write(tmp_path, content)) == [("1", text)]


def sniffed(head: str, **options: Unpack[SourceOptions]) -> str:
    return sniff(head, source=Source("x", "x.data", **options)).name


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (f"  \n[{RECORD}", "coco-results"),
        ("[\n", "coco-results"),
        ("[1, 2]", "coco-results"),  # its reader says what is wrong with it
        ('["a cat", "cut he', "list"),
        ('[["a cat"], ["cut he', "list"),
        ('{"doc_id": 0, "filtered_resps": ["cut he', "lmms-eval"),
        ('{"args": {}, "logs": [{"doc_id": 0, "cut he', "lmms-eval"),
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


def test_options_tell_formats_apart() -> None:
    assert sniffed('{"question_id": 1, "image": "1.jpg", "text": "a cat"}', join="questions.jsonl") == "llava"
    assert sniffed('{"photo": 1, "said": "a cat"}', id_field="photo", caption_field="said") == "jsonl"
    assert sniffed("photo|said\n1|a cat", id_field="photo", caption_field="said") == "csv"


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("{}", "it is an empty object"),
        ('{"test": [42, 359], "restval": [1]}', "'test' is a list that contains the number 42"),
        ('{"model": {"a man": 3}}', "'model' is an object with 'a man'"),
        ('{"count": 3}', "'count' is the number 3"),
        ('{"a": null}', "'a' is null"),
        (json.dumps({"n": {str(number): number for number in range(20_000)}})[: 1 << 16], "'n' is null"),
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
    assert problem.message.startswith(f"the caption format is not recognised: {reason}")
    assert problem.hint == "choose a format with --format: " + ", ".join(FORMATS)


@pytest.mark.parametrize("path", ["x.json", "x.JSON", "a/x.jsonl.gz", "x.ndjson", "x.csv", "x.tsv.gz"])
def test_a_name_that_promises_more_than_lines_of_text_is_believed(path: str) -> None:
    with pytest.raises(InputError, match=r"its extension is \.\w+, but it begins with 'oops \[\]'"):
        sniff("oops []\na cat", source=Source("x", path))


@pytest.mark.parametrize("path", ["x.txt", "x.txt.gz", "captions", "-", "json", "x.token"])
def test_other_names_promise_nothing(path: str) -> None:
    assert sniff("a cat\na dog", source=Source("x", path)).name == "text"


def parquet_file(folder: Path, columns: dict[str, Any]) -> Path:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow (the tables extra)")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), folder / "a.parquet")
    return folder / "a.parquet"


@pytest.mark.parametrize(
    ("columns", "expected", "options"),
    [
        (
            {"id": [10, 11], "image_id": [7, 9], "caption": [MEN, CAT], "score": [0.5, 0.1]},
            [("7", MEN), ("9", CAT)],
            {},
        ),
        ({"image": ["7.jpg"], "captions": [[MEN, CAT]]}, [("7.jpg", MEN), ("7.jpg", CAT)], {}),
        (
            {"photo": ["x", "y"], "said": ["a man", "a cat"], "split": ["test", "val"]},
            [("y", CAT)],
            {"id_field": "photo", "caption_field": "said", "split": "val"},
        ),
    ],
)
def test_a_parquet_table_is_recognised_by_its_content(
    columns: dict[str, list[Any]], expected: Pairs, options: SourceOptions, tmp_path: Path
) -> None:
    path = parquet_file(tmp_path, columns).rename(tmp_path / "captions")
    assert read_pairs(path, **options) == expected
    if not options:
        reader = CaptionReader(Source("x", str(path)))
        assert [caption.record for caption in reader] == list(range(1, len(expected) + 1))
        assert reader.summary.format == "parquet"
        assert reader.summary.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"caption": ["a man", None]}, {}, r"a\.parquet: record 2: 'caption' must be .* not null"),
        ({"words": ["a man", ""]}, {}, "no field is recognised as the caption; the fields are"),
        ({"caption": ["a man", ""]}, {"format": "jsonl"}, "this is a Parquet table, not text"),
        ({"caption": ["a man", ""]}, {"gold": True}, "--gold cannot be used with"),
    ],
)
def test_mistakes_in_a_parquet_table_are_reported(
    columns: dict[str, list[Any]], options: SourceOptions, message: str, tmp_path: Path
) -> None:
    with pytest.raises(AssessError, match=message):
        read_pairs(parquet_file(tmp_path, {"image_id": [1, 2], **columns}), **options)


def test_a_column_of_maps_contains_no_captions(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow (the tables extra)")
    kind = pyarrow.map_(pyarrow.string(), pyarrow.string())
    for maps, inner in (([[("a", MEN)], None], kind), ([[None, [("a", MEN)]], []], pyarrow.list_(kind))):
        columns = {"image_id": [1, 2], "caption": pyarrow.array(maps, type=inner)}
        with pytest.raises(InputError, match="record 1: 'caption' must be a caption or a list of captions"):
            read_pairs(parquet_file(tmp_path, columns))
        columns = {"image_id": columns["caption"], "caption": [MEN, CAT]}
        with pytest.raises(InputError, match="record 1: 'image_id' must be an integer or text"):
            read_pairs(parquet_file(tmp_path, columns))


def test_what_is_no_parquet_table_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow (the tables extra)")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_pairs(write(tmp_path, "a man\n"), format="parquet")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"PAR1")))
    with pytest.raises(InputError, match="cannot be read from standard input"):
        list(CaptionReader(parse_source("x=-", format="parquet")))


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "PAR1 rows PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPartError, match=r"assess-captions\[tables\]"):
        read_pairs(path)


def shard(folder: Path, members: dict[str, bytes], mode: Literal["w", "w:gz"] = "w") -> Path:
    path = folder / "a.tar"
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


SHARD = {
    "./7.jpg": bytes(range(256)) * 20,
    "./7.txt": MEN.encode() + b"\n",
    "./7.json": b'{"key": "x7", "caption": "a cat", "split": "test"}',
    "./.DS_Store": b"\xff",
    "val/9.json": b'\n{"key": "x9", "caption": "a cat", "split": "val"}',
}


@pytest.mark.parametrize("mode", ["w", "w:gz"])
@pytest.mark.parametrize(
    ("expected", "options"),
    [
        ([("7", MEN), ("9", CAT)], {}),
        ([("7", MEN), ("9", CAT)], {"format": "webdataset"}),
        ([("x7", CAT), ("x9", CAT)], {"id_field": "key"}),
        ([("7", CAT), ("9", CAT)], {"caption_field": "caption"}),
        ([("9", CAT)], {"split": "val"}),
    ],
)
def test_samples_of_a_shard_are_known_by_their_stems(
    expected: Pairs, options: SourceOptions, mode: Literal["w", "w:gz"], tmp_path: Path
) -> None:
    path = shard(tmp_path, SHARD, mode).rename(tmp_path / "captions")
    reader = CaptionReader(Source("x", str(path), **options))
    assert [(caption.image, caption.text) for caption in reader] == expected
    assert reader.summary.format == "webdataset"
    assert reader.summary.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    folder = tmp_path / "shards"
    folder.mkdir()
    for number in range(2):
        (folder / f"{number}.tar").write_bytes(path.read_bytes())
    if "split" not in options:
        assert read_pairs(folder, **options) == [*expected, *expected]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"7.txt": b"a", "8.jpg": b""},
            r"record 2: the sample '8' has no caption\n  hint: each sample of a Web",
        ),
        ({"7.txt": b"\xff"}, r"record 1: the member '7\.txt' is not UTF-8 text"),
        (
            {"7.json": b'{"caption": '},
            r"record 1: the member '7\.json' is not valid JSON: it ends in the mid",
        ),
        ({"7.json": b"[]"}, "record 1: each record must be an object"),
        ({"7.json": b'{"n": 1}'}, "record 1: no field is recognised as the caption; the fields are 'n'"),
        ({".keep": b""}, "there are no captions in this file"),
    ],
)
def test_mistakes_in_a_shard_are_reported(members: dict[str, bytes], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_pairs(shard(tmp_path, members))


def test_a_shard_that_is_cut_off_or_comes_from_standard_input_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shard(tmp_path, SHARD)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(InputError, match="cannot be read as a tar archive"):
        read_pairs(path)
    for named, message in (("webdataset", "from standard input"), (None, "this is a tar archive, not text")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        with pytest.raises(InputError, match=message):
            list(CaptionReader(parse_source("x=-", format=named)))


# Ids of systems and of references, and those that are read; None: as they are, without a note.
PAIRINGS: list[tuple[list[list[str]], list[list[str]], list[list[str]] | None]] = [
    ([["COCO_val2014_000000000042.jpg"]], [["42", "43"]], [["42"], ["42", "43"]]),
    ([["42"]], [["val2014/COCO_val2014_000000000042.jpg"]], [["42"], ["42"]]),
    ([["000000000042"], ["42"]], [["42"]], [["42"], ["42"], ["42"]]),
    ([["a/7.png"], ["image7.png", "image8.png"]], [], [["7"], ["7", "8"]]),
    ([["COCO_val2014_000000000042.jpg"]], [["val/000000000042.jpg"]], [["42"], ["42"]]),
    ([["7.jpg"]], [["7"], ["8.jpg", "9.jpg"]], [["7"], ["7"], ["8", "9"]]),
    ([["7.jpg", "cover.jpg"]], [["7"]], None),  # a name without a number
    ([["a/7.jpg", "b/7.jpg"]], [["7"]], None),  # a number of two names
    ([["a_7.jpg"]], [["8"]], None),  # nothing would pair
    ([["x_1.jpg", "y_2.jpg"]], [["y_2.jpg"]], None),  # they pair as they are
    ([["3fa9b2"]], [["2"]], None),  # the end of a hash is no number
]


@pytest.mark.parametrize(("systems", "references", "expected"), PAIRINGS)
def test_file_names_pair_with_numbers_where_every_id_does(
    systems: list[list[str]], references: list[list[str]], expected: list[list[str]] | None, tmp_path: Path
) -> None:
    def sources(kind: str, files: list[list[str]]) -> list[Source]:
        return [
            parse_source(str(write(tmp_path, json.dumps(dict.fromkeys(images, CAT)), f"{kind}{number}.json")))
            for number, images in enumerate(files)
        ]

    *paired, note = paired_by_number(sources("s", systems), sources("r", references))
    found = [[caption.image for caption in CaptionReader(source)] for part in paired for source in part]
    assert found == (expected or [*systems, *references])
    assert (note is None) == (expected is None)


def test_pairing_leaves_alone_what_has_no_ids_or_cannot_be_read_twice(tmp_path: Path) -> None:
    numbered = parse_source(str(write(tmp_path, '{"7.jpg": "a cat"}', "a.json")))
    for other in (write(tmp_path, "a cat\n" * 9, "b.txt"), "-", write(tmp_path, "{", "c.json")):
        assert paired_by_number([numbered], [parse_source(str(other))])[2] is None


@pytest.mark.data
def test_the_nine_systems_have_one_caption_an_image(shared_data: Path) -> None:
    files = sorted((shared_data / "coco_val2014" / "systems").glob("*.json.gz"))
    sources = [parse_source(str(file)) for file in files]
    check_names(sources)
    assert len(sources) == 9
    for source in sources:
        reader = CaptionReader(source)
        assert sum(1 for _ in reader) == 40_504
        summary = reader.summary
        assert (summary.format, summary.captions, summary.images) == ("coco-results", 40_504, 40_504)
        assert summary.name == Path(source.path).name.removesuffix(".json.gz")


@pytest.mark.data
def test_the_references_have_five_or_more_captions_an_image(shared_data: Path) -> None:
    reader = CaptionReader(parse_source(str(shared_data / "coco_val2014" / "references.json.gz")))
    assert sum(1 for _ in reader) == 202_654
    assert reader.summary.format == "coco-annotations"
    assert (reader.summary.images, reader.summary.repeated) == (40_504, 202_654 - 40_504)


@pytest.mark.data
def test_marked_phrases_of_flickr30k_entities_are_the_marked_words(shared_data: Path) -> None:
    path = shared_data / "flickr30k_entities" / "sentences.tsv.gz"
    reader = CaptionReader(parse_source(str(path), gold=True))
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for caption, line in zip(reader, lines, strict=True):
            key, _, marked = line.rstrip("\n").partition("\t")
            # Told apart from the reader's own way: by splitting at the brackets.
            inside = [piece.split("]")[0].partition(" ") for piece in marked.split("[")[1:]]
            found = [
                ("/EN#" + "/".join((span.entity, *span.types)), caption.text[span.start : span.end])
                for span in caption.gold
            ]
            assert found == [(mark, phrase) for mark, _, phrase in inside]
            assert caption.text == re.sub(r"\[\S+ |\]", "", marked)
            assert caption.image == key.partition("#")[0]
    assert reader.summary.format == "flickr30k-entities"
    assert (reader.summary.captions, reader.summary.images) == (26_783 * 5, 26_783)


@pytest.mark.data
def test_a_file_of_split_ids_is_not_read_as_captions(shared_data: Path) -> None:
    path = str(shared_data / "coco_val2014" / "karpathy_split.json.gz")
    with pytest.raises(InputError, match="'karpathy_test' is a list that contains the number"):
        list(CaptionReader(parse_source(path)))
    for name in ("mapping", "coco-annotations", "karpathy", "jsonl", "coco-results"):
        with pytest.raises(InputError):
            list(CaptionReader(parse_source(path, format=name)))
