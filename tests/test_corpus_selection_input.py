"""Reading gold images, selections, bracketed text and Flickr30k Entities, and messages about mistakes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assess.errors import InputError, Place
from assess.measures.selection.files import (
    bracketed_phrases,
    read_bracketed,
    read_bracketed_selections,
    read_flickr30k,
)
from assess.measures.selection.input import (
    Box,
    GoldImage,
    Selection,
    pair_selections,
    read_gold,
    read_selections,
)
from tests.problems import first_line, the_problem

IMAGE = {
    "image_id": 7,
    "width": 640,
    "height": 480,
    "boxes": [
        {"id": 0, "concept": "dress.n.01", "box": [10, 20, 30, 40]},
        {"id": 2, "concept": "woman.n.01", "box": [0, 0, 100, 200], "categories": ["people"]},
    ],
    "descriptions": [[2, 0], [2]],
}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_gold_is_read_with_ids_as_text(tmp_path: Path) -> None:
    (image,) = read_gold(write(tmp_path / "gold.jsonl", lines(IMAGE)))
    assert image.image == "7"
    assert image.boxes == (
        Box("0", "dress.n.01", (10.0, 20.0, 30.0, 40.0)),
        Box("2", "woman.n.01", (0.0, 0.0, 100.0, 200.0), ("people",)),
    )
    assert image.descriptions == (("2", "0"), ("2",))
    assert (image.width, image.height) == (640.0, 480.0)


def keyed(record: dict[str, object]) -> dict[str, object]:
    return {str(record["image_id"]): {key: value for key, value in record.items() if key != "image_id"}}


@pytest.mark.parametrize(
    "text",
    [
        lines(IMAGE),
        "\n\n" + lines(IMAGE),
        json.dumps([IMAGE]),
        json.dumps([IMAGE], indent=2),
        json.dumps(keyed(IMAGE)),
        json.dumps(keyed(IMAGE), indent=1),
        json.dumps(IMAGE, indent=2),
    ],
    ids=["lines", "blank lines first", "array", "indented array", "keyed", "indented keyed", "one record"],
)
def test_all_json_layouts_give_the_same_gold(tmp_path: Path, text: str) -> None:
    (image,) = read_gold(write(tmp_path / "gold.json", text))
    assert image.image == "7"
    assert image.descriptions == (("2", "0"), ("2",))
    assert [box.id for box in image.boxes] == ["0", "2"]


def test_gzipped_selections_are_read_and_keyed_lists_are_boxes(tmp_path: Path) -> None:
    path = tmp_path / "chosen.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"7": [2, 0], "8": []}).encode()))
    first, second = read_selections(path)
    assert (first.image, first.boxes) == ("7", ("2", "0"))
    assert (second.image, second.boxes) == ("8", ())


def test_a_box_counts_once_and_a_description_without_boxes_is_kept(tmp_path: Path) -> None:
    record = IMAGE | {"descriptions": [[2, 0, 2], [], [2]]}
    (image,) = read_gold(write(tmp_path / "gold.jsonl", lines(record)))
    assert image.descriptions == (("2", "0"), (), ("2",))


BOX = {"id": 0, "concept": "dress", "box": [1, 2, 3, 4]}
MISTAKES = [
    ({"descriptions": [[2, 9]]}, "no box of the image has the id 9"),
    ({"descriptions": []}, "the image has no gold descriptions"),
    ({"descriptions": [2]}, "box ids must be a list, not the number 2"),
    ({"descriptions": [[2.5]]}, "a box id must be an integer or text, not the number 2.5"),
    ({"boxes": {"0": BOX}}, "'boxes' must be a list, not an object with"),
    ({"boxes": [BOX, BOX]}, "two boxes of the image have the id 0"),
    ({"boxes": [7]}, "a box must be an object with id, concept and box, not the number 7"),
    ({"boxes": [BOX | {"concept": ""}]}, "a box's concept must be text, not an empty string"),
    ({"boxes": [BOX | {"box": [1, 2, 3]}]}, "[1, 2, 3] is not a box"),
    ({"boxes": [BOX | {"box": [1, 2, -3, 4]}]}, "[1, 2, -3, 4] is not a box"),
    ({"boxes": [BOX | {"categories": "people"}]}, "a box's categories must be a list of strings"),
    ({"width": 0}, "'width' must be a length in pixels, not the number 0"),
    ({"image_id": None}, "'image_id' must be an integer or text, not null"),
]


@pytest.mark.parametrize(("change", "message"), MISTAKES)
def test_a_mistake_in_gold_is_reported_with_its_record(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = write(tmp_path / "gold.jsonl", lines(IMAGE, {**IMAGE, "image_id": 8, **change}))
    told = first_line(read_gold, path)
    assert told.startswith(f"{path}:2:")
    assert f": record 2: {message}" in told


def test_all_mistakes_of_a_file_come_at_once(tmp_path: Path) -> None:
    bad = [IMAGE | {"image_id": number, "descriptions": [[9]]} for number in range(3)]
    with pytest.raises(InputError) as caught:
        read_gold(write(tmp_path / "gold.jsonl", lines(*bad)))
    assert [problem.place.record for problem in caught.value.problems if problem.place] == [1, 2, 3]


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_selections, "", "the file is empty"),
        (read_selections, "\n", "the file is empty"),
        (read_selections, "[1]", "each record must be a JSON object"),
        (read_selections, '{"image_id": 1, "boxes": [}\n', "not valid JSON"),
        (read_gold, lines(IMAGE, IMAGE), "image 7 occurs twice"),
        (read_bracketed, "A [woman]2\n", "not `image<TAB>sentence`"),
    ],
)
def test_what_is_no_record_is_an_error(
    tmp_path: Path, read: Callable[[Path], object], text: str, message: str
) -> None:
    assert message in first_line(read, write(tmp_path / "given", text))


GOLD = GoldImage("1", (Box("2", "woman"), Box("3", "car")), (("2",),))


def test_selections_pair_by_image_id() -> None:
    second = GoldImage("2", (Box("0", "dog"),), (("0",),))
    chosen = [Selection("2", ()), Selection("1", ("3", "2"))]
    paired = pair_selections([GOLD, second], chosen)
    assert {image: one.boxes for image, one in paired.items()} == {"1": ("3", "2"), "2": ()}


def test_selections_that_do_not_pair_name_both_sides() -> None:
    problem = the_problem(pair_selections, [GOLD], [Selection("5", ()), Selection("6", ())])
    assert problem.message == "1 gold images and 2 selections do not match by image id"
    assert problem.hint == "1 without a selection (1); 2 not in the gold (5, 6)"


def test_bracketed_text_is_read_in_the_papers_notation(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.tsv", "1\tA [woman]2 in a white [dress]0 .\n1\tTwo [people]2,5 wait .\n")
    (image,) = read_bracketed(path)
    assert image.descriptions == (("2", "0"), ("2", "5"))
    assert {box.id: box.concept for box in image.boxes} == {"2": "people", "0": "dress", "5": "people"}
    assert all(box.geometry is None for box in image.boxes)


def test_boxes_that_nobody_mentions_can_be_listed(tmp_path: Path) -> None:
    listed = "1#boxes\t[dress]0 [tree]1 [woman]2\n"
    (image,) = read_bracketed(write(tmp_path / "gold.tsv", f"{listed}1#0\tA tall [woman]2 .\n"))
    assert ({box.id for box in image.boxes}, image.descriptions) == ({"0", "1", "2"}, (("2",),))
    assert image.phrases == ({"2": "woman"},)
    with pytest.raises(InputError, match="image 1 has no description"):
        read_bracketed(write(tmp_path / "alone.tsv", listed))
    with pytest.raises(InputError, match="this line lists boxes but selects none"):
        read_bracketed_selections(write(tmp_path / "mine.tsv", listed))


def test_a_sentence_without_brackets_is_an_empty_description(tmp_path: Path) -> None:
    (image,) = read_bracketed(write(tmp_path / "gold.tsv", "1#0\tA quiet day .\n1#1\tA [dog]0 .\n"))
    assert image.descriptions == ((), ("0",))


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("A [woman] waits", 3, "a bracketed phrase needs words and a box id"),
        ("A []2 waits", 3, "a bracketed phrase needs words and a box id"),
        ("A [woman]2 and a [man waits", 18, "a bracket is not closed or not opened"),
        ("A woman]2 waits", 8, "a bracket is not closed or not opened"),
    ],
)
def test_a_mistake_in_brackets_is_pointed_at(text: str, column: int, message: str) -> None:
    assert first_line(bracketed_phrases, text, Place("gold.tsv", line=1)) == f"gold.tsv:1:{column}: {message}"


ENTITIES = (
    "5#0\t[/EN#1/people A tall woman] holds [/EN#2/other a cup] in [/EN#0/notvisual the way] .\n"
    "5#1\t[/EN#1/people The woman] near [/EN#3/scene a lake] .\n"
    "6#0\t[/EN#4/animals A dog] .\n"
)


def test_flickr30k_sentences_alone_give_all_visual_entities(tmp_path: Path) -> None:
    first, second = read_flickr30k(write(tmp_path / "sentences.tsv", ENTITIES))
    assert first.descriptions == (("1", "2"), ("1", "3"))
    assert [(box.id, box.concept, box.categories) for box in first.boxes] == [
        ("1", "woman", ("people",)),
        ("2", "cup", ("other",)),
        ("3", "lake", ("scene",)),
    ]
    assert second.descriptions == (("4",),)


def test_flickr30k_with_boxes_keeps_what_can_be_selected(tmp_path: Path) -> None:
    boxes = [
        {"image": "5#0", "entity": "1", "box": [0, 0, 10, 20]},
        {"image": "5#1", "entity": "1", "box": [5, 10, 10, 20]},
        {"image": "5#1", "entity": "3", "box": [1, 1, 2, 2]},
    ]
    (image,) = read_flickr30k(
        write(tmp_path / "sentences.tsv", ENTITIES),
        boxes=write(tmp_path / "boxes.json", json.dumps(boxes)),
        concept="category",
    )
    assert image.descriptions == (("1",), ("1", "3"))
    assert [(box.concept, box.geometry) for box in image.boxes] == [
        ("people", (0.0, 0.0, 15.0, 30.0)),
        ("scene", (1.0, 1.0, 2.0, 2.0)),
    ]


ANNOTATION = """<annotation><size><width>500</width><height>333</height></size>
<object><name>1</name><bndbox><xmin>10</xmin><ymin>20</ymin><xmax>60</xmax><ymax>120</ymax></bndbox></object>
<object><name>3</name><scene>1</scene><nobndbox>1</nobndbox></object></annotation>"""


def folders(tmp_path: Path, annotation: str) -> tuple[Path, Path]:
    sentences, annotations = tmp_path / "Sentences", tmp_path / "Annotations"
    sentences.mkdir()
    annotations.mkdir()
    text = "[/EN#1/people A woman] near [/EN#3/scene a lake] .\n[/EN#3/scene Water] .\n"
    write(sentences / "5.txt", text)
    write(annotations / "5.xml", annotation)
    return sentences, annotations


def test_flickr30k_folders_are_read_as_the_data_set_has_them(tmp_path: Path) -> None:
    sentences, annotations = folders(tmp_path, ANNOTATION)
    (image,) = read_flickr30k(sentences, boxes=annotations)
    assert image.image == "5"
    assert (image.width, image.height) == (500.0, 333.0)
    assert image.descriptions == (("1",), ())
    assert image.boxes == (Box("1", "woman", (10.0, 20.0, 50.0, 100.0), ("people",)),)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("<annotation>", "cannot read the annotation"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><annotation/>', "the annotation has a document type"),
        (ANNOTATION.replace("<xmin>10", "<xmin>ten"), "<xmin> is 'ten', not a number"),
    ],
)
def test_a_bad_annotation_is_an_error_with_its_file(tmp_path: Path, annotation: str, message: str) -> None:
    sentences, annotations = folders(tmp_path, annotation)
    told = first_line(read_flickr30k, sentences, boxes=annotations)
    assert told.startswith(str(annotations / "5.xml"))
    assert message in told


def test_boxes_without_sentences_are_an_error(tmp_path: Path) -> None:
    boxes = write(tmp_path / "boxes.json", json.dumps([{"image": "9#0", "entity": "1", "box": [0, 0, 1, 1]}]))
    with pytest.raises(InputError, match="no sentences for 1 of 1 image with boxes: 9"):
        read_flickr30k(write(tmp_path / "sentences.tsv", ENTITIES), boxes=boxes)


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no sentences were found"):
        read_flickr30k(tmp_path)
    with pytest.raises(InputError, match=r"no \.xml annotations"):
        read_flickr30k(write(tmp_path / "sentences.tsv", ENTITIES), boxes=tmp_path)
