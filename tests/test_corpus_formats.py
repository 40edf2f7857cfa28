"""Each format on tiny invented files, plain and gzipped, found and named."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.corpus import FORMATS, CaptionReader, SourceOptions, parse_source, read_captions
from assess.errors import InputError
from assess.records import GoldSpan

MEN, CAT = "two men, waiting", "a cat"

# Per format: a file, the (image, text) pairs in it.
EXAMPLES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "coco-results": (
        json.dumps([{"image_id": 7, "caption": MEN}, {"image_id": 9, "caption": CAT, "score": 0.5}]),
        [("7", MEN), ("9", CAT)],
    ),
    "coco-annotations": (
        json.dumps(
            {
                "info": {"year": 2014, "list": [1, [2]]},
                "images": [{"id": 7, "file_name": "7.jpg"}, {"id": 9}],
                "licenses": [],
                "annotations": [
                    {"image_id": 7, "id": 100, "caption": MEN},
                    {"image_id": 7, "id": 101, "caption": CAT},
                ],
                "type": "captions",
            },
            indent=1,
        ),
        [("7", MEN), ("7", CAT)],
    ),
    "karpathy": (
        json.dumps(
            {
                "images": [
                    {
                        "filename": "x.jpg",
                        "imgid": 0,
                        "cocoid": 7,
                        "split": "test",
                        "sentences": [{"tokens": ["two"], "raw": MEN}, {"raw": CAT}],
                    },
                    {
                        "filename": "y.jpg",
                        "imgid": 1,
                        "cocoid": 9,
                        "split": "val",
                        "sentences": [{"raw": CAT}],
                    },
                ],
                "dataset": "coco",
            }
        ),
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


def read_pairs(path: Path, **options: Unpack[SourceOptions]) -> list[tuple[str, str]]:
    """Return the image and text of each caption of a file."""
    return [(caption.image, caption.text) for caption in read_captions(parse_source(str(path), **options))]


def write(folder: Path, content: str, name: str = "captions.data") -> Path:
    """Write a file as it is, without changing line ends."""
    path = folder / name
    path.write_bytes(content.encode("utf-8"))
    return path


def test_every_format_has_an_example() -> None:
    # Parquet is no text; `test_corpus_parquet` has it.
    assert {*EXAMPLES, "parquet"} == set(FORMATS)
    assert all(name == entry.name for name, entry in FORMATS.items())


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("packed", [False, True])
def test_format_is_found_and_read(name: str, packed: bool, tmp_path: Path) -> None:
    content, expected = EXAMPLES[name]
    path = tmp_path / "captions"  # no suffix: neither the format nor the packing is told by the name
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    reader = CaptionReader(parse_source(str(path)))
    captions = list(reader)
    assert [(caption.image, caption.text) for caption in captions] == expected
    assert [caption.record for caption in captions] == list(range(1, len(expected) + 1))
    assert {caption.system for caption in captions} == {"captions"}
    assert reader.summary.format == name


@pytest.mark.parametrize("name", EXAMPLES)
def test_format_by_name_gives_the_same(name: str, tmp_path: Path) -> None:
    content, expected = EXAMPLES[name]
    assert read_pairs(write(tmp_path, content), format=name) == expected


def test_a_captions_list_on_a_line_gives_a_caption_each(tmp_path: Path) -> None:
    path = write(tmp_path, '{"filename": "7.jpg", "captions": ["two men, waiting", "a cat"]}\n')
    assert read_pairs(path) == [("7.jpg", MEN), ("7.jpg", CAT)]


def test_objects_with_a_caption_in_a_mapping_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps({"7": [{"caption": MEN}, {"caption": CAT}], "9": {"caption": CAT}}))
    assert read_pairs(path) == [("7", MEN), ("7", CAT), ("9", CAT)]


def test_a_key_that_a_mapping_repeats_is_read_twice(tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, '{"7": "a", "7": "b"}')) == [("7", "a"), ("7", "b")]


def test_image_ids_are_compared_as_text(tmp_path: Path) -> None:
    values = [42, "42", 42.0, "042", 10**20, "42.0"]
    path = write(tmp_path, json.dumps([{"image_id": value, "caption": ""} for value in values]))
    assert [image for image, _ in read_pairs(path)] == ["42", "42", "42", "042", str(10**20), "42.0"]


def test_an_image_field_is_preferred_to_a_bare_id(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps([{"id": 1, "image": "7.jpg", "caption": CAT}]))
    assert read_pairs(path) == [("7.jpg", CAT)]


def test_fields_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps([{"photo": 7, "said": CAT, "image_id": 1, "caption": MEN}]))
    assert read_pairs(path, id_field="photo", caption_field="said") == [("7", CAT)]


def test_columns_can_be_chosen_where_none_is_known(tmp_path: Path) -> None:
    path = write(tmp_path, "photo;said\n7;a cat\n")
    assert read_pairs(path, id_field="photo", caption_field="said") == [("7", CAT)]


@pytest.mark.parametrize("delimiter", [";", "|"])
def test_semicolons_and_bars_may_stand_for_commas(delimiter: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"Image Name{delimiter} n{delimiter} Caption\n7.jpg{delimiter}0{delimiter}a, b\n")
    assert read_pairs(path) == [("7.jpg", "a, b")]


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ({"cocoid": 7, "filename": "x.jpg", "imgid": 0}, "7"),
        ({"filename": "x.jpg", "imgid": 0}, "x.jpg"),
        ({"imgid": 0}, "0"),
    ],
)
def test_karpathy_images_go_by_coco_id_then_file_name_then_number(
    image: dict[str, object], expected: str, tmp_path: Path
) -> None:
    document = {"images": [image | {"split": "test", "sentences": [{"raw": CAT}]}]}
    assert read_pairs(write(tmp_path, json.dumps(document))) == [(expected, CAT)]


def test_karpathy_id_field_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLES["karpathy"][0])
    assert read_pairs(path, id_field="imgid") == [("0", MEN), ("0", CAT), ("1", CAT)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (EXAMPLES["karpathy"][0], [("9", CAT)]),
        ("image_id,split,caption\n7,test,two men\n9,val,a cat\n", [("9", CAT)]),
        (
            '{"image_id":7,"split":"test","caption":null}\n{"image_id":9,"split":"val","caption":"a cat"}',
            [("9", CAT)],
        ),
    ],
)
def test_split_keeps_only_its_records(content: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, content), split="val") == expected


def test_llava_answers_join_their_questions(tmp_path: Path) -> None:
    answers = write(tmp_path, EXAMPLES["llava"][0])
    questions = [
        {"question_id": 7, "image": "p.jpg"},
        {"question_id": "9", "image": "q.jpg", "text": "What?"},
    ]
    as_lines = write(tmp_path, "\n".join(map(json.dumps, questions)), "q.jsonl")
    as_array = write(tmp_path, json.dumps(questions), "q.json")
    for join in (as_lines, as_array):
        assert read_pairs(answers, join=str(join)) == [("p.jpg", MEN), ("q.jpg", CAT)]


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
    tmp_path_factory: pytest.TempPathFactory, pieces: list[tuple[str, str]]
) -> None:
    marked = "".join(f"{plain}[/EN#{number}/other {words}]" for number, (plain, words) in enumerate(pieces))
    path = write(tmp_path_factory.mktemp("gold"), f"7#0\t{marked}\n")
    source = parse_source(str(path), format="flickr30k-entities", gold=True)
    (caption,) = read_captions(source)
    assert caption.text == "".join(plain + words for plain, words in pieces)
    assert [caption.text[span.start : span.end] for span in caption.gold] == [words for _, words in pieces]


captions_of_images = st.lists(st.tuples(st.text(min_size=1), st.text()))


@given(captions_of_images, st.booleans())
def test_any_text_comes_back_from_json(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], ascii_only: bool
) -> None:
    folder = tmp_path_factory.mktemp("json")
    records = [{"image_id": image, "caption": text} for image, text in pairs]
    array = write(folder, json.dumps(records, ensure_ascii=ascii_only), "a.json")
    assert read_pairs(array) == pairs
    rows = write(
        folder, "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records), "b.jsonl"
    )
    if pairs:
        assert read_pairs(rows) == pairs


@given(captions_of_images, st.sampled_from([",", "\t"]))
def test_any_text_comes_back_from_tables(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], delimiter: str
) -> None:
    table = io.StringIO(newline="")
    csv.writer(table, delimiter=delimiter).writerows([("image_id", "caption"), *pairs])
    assert read_pairs(write(tmp_path_factory.mktemp("table"), table.getvalue())) == pairs


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n\r")), min_size=1))
def test_any_line_comes_back_from_plain_text(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    # The empty file and one that begins with a byte order mark mean something else.
    path = write(tmp_path_factory.mktemp("text"), "a first line\n" + "".join(line + "\n" for line in lines))
    numbered = list(enumerate(["a first line", *lines], start=1))
    assert read_pairs(path, format="text") == [(str(number), line) for number, line in numbered]


@pytest.mark.parametrize(
    "text", ["👩🏽‍🚀 on the moon", "رجل يركب دراجة", "nul \x00 inside", "x" * 10_000, "a\u2028b\x85c\x0bd"]
)
def test_unusual_text_is_kept_in_every_kind_of_file(text: str, tmp_path: Path) -> None:
    contents = [
        json.dumps([{"image_id": 1, "caption": text}], ensure_ascii=False),
        json.dumps({"image_id": 1, "caption": text}),
        f"image_id,caption\n1,{text}\n",
        f"1#0\t{text}\n",
        f"{text}\n",
    ]
    for content in contents:
        assert read_pairs(write(tmp_path, content)) == [("1", text)]


def test_a_raw_control_character_in_a_json_string_is_kept(tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, '[{"image_id": 1, "caption": "a\x00\tb"}]')) == [("1", "a\x00\tb")]


def test_a_cell_of_a_million_characters_is_read(tmp_path: Path) -> None:
    text = "long, " * 170_000
    assert read_pairs(write(tmp_path, f'image_id,caption\n1,"{text}"\n')) == [("1", text)]


def test_a_cell_may_hold_line_ends(tmp_path: Path) -> None:
    path = write(tmp_path, 'image_id,caption\r\n1,"two\nlines\r\nor ""three"""\r\n')
    assert read_pairs(path) == [("1", 'two\nlines\r\nor "three"')]


def test_an_empty_array_and_a_header_alone_have_no_captions(tmp_path: Path) -> None:
    assert read_pairs(write(tmp_path, "[]")) == []
    assert read_pairs(write(tmp_path, "image_id,caption\n")) == []


def test_two_possible_captions_must_be_chosen_between(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps([{"image_id": 7, "caption": MEN, "output": CAT}]))
    with pytest.raises(InputError, match="more than one field may be the caption: 'caption', 'output'"):
        read_pairs(path)
    assert read_pairs(path, caption_field="output") == [("7", CAT)]
