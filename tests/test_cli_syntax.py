"""`assess syntax`: phrases, complexity, a lexicon, unusual inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import assess, write_captions

pytestmark = pytest.mark.model


@pytest.fixture
def system(tmp_path: Path) -> Path:
    captions = ["a tennis player on a tennis court", "a man in a house near a lake", "a dog"]
    return write_captions(tmp_path / "system.json", captions)


def test_compounds_and_phrases_are_counted(system: Path) -> None:
    found = assess("syntax", system, "--json").json["systems"]["system"]
    assert found["compounds"] == {
        "total": 2,
        "ratio": pytest.approx(2 / 3),
        "sizes": {"2": 2},
        "types": {"2": 2},
    }
    assert found["prepositional_phrases"]["ratio"] == pytest.approx(1.0)
    assert found["prepositional_phrases"]["total"] == 3
    assert found["tags"]["DT"] == pytest.approx(6 / 17)
    assert found["yngve"] > 0
    assert found["abstract_ratio"] is None


def test_a_lexicon_of_ratings_or_of_classes_gives_the_abstract_ratio(system: Path, tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    ratings.write_text(
        "Word,Conc.M\nplayer,4.8\ncourt,4.6\nman,4.8\ntennis,2.5\nlake,1.5\n", encoding="utf-8"
    )
    classes = tmp_path / "classes.tsv"
    classes.write_text("word\tclass\nplayer\tconcrete\nman\tconcrete\nlake\tabstract\n", encoding="utf-8")
    rated = assess("syntax", system, "--lexicon", ratings, "--json").json
    assert rated["systems"]["system"]["abstract_ratio"] == pytest.approx(2 / 3)
    assert rated["signature"]["settings"]["lexicon"].startswith("ratings concrete>=3 abstract<3#")
    strict = assess("syntax", system, "--lexicon", ratings, "--abstract-below", 2, "--json").json
    assert strict["systems"]["system"]["abstract_ratio"] == pytest.approx(1 / 3)
    classed = assess("syntax", system, "--lexicon", classes, "--json").json
    assert classed["systems"]["system"]["abstract_ratio"] == pytest.approx(1 / 2)
    assert "Abstract" in assess("syntax", system, "--lexicon", classes).stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("word,class\ndog,green\n", "a word must be abstract or concrete, not 'green'"),
        ("a,b\n1,2\n", "no column of words"),
        ("word,other\ndog,x\n", "no column of ratings"),
        ("word,class\ndog,abstract\ndog,concrete\n", "both concrete and abstract"),
    ],
)
def test_a_lexicon_with_mistakes_is_told(system: Path, tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "lexicon.csv"
    path.write_text(content, encoding="utf-8")
    done = assess("syntax", system, "--lexicon", path)
    assert done.code == 2
    assert message in done.stderr


def test_references_are_the_mean_of_parallel_descriptions(system: Path, tmp_path: Path) -> None:
    people = write_captions(
        tmp_path / "people.json",
        ["a tennis court", "a court", "a man", "a lake house", "a dog", "a dog"],
        images=[1, 1, 2, 2, 3, 3],
    )
    found = assess("syntax", system, "-r", people, "--json").json["systems"]["people"]
    assert (found["captions"], found["reference"]) == (3, True)
    assert found["compounds"]["ratio"] == pytest.approx(1 / 3)
    assert "mean over 2 parallel descriptions per image" in found["notes"]


def test_an_empty_caption_has_no_complexity_and_is_told(tmp_path: Path) -> None:
    path = write_captions(tmp_path / "system.json", ["", "a dog"])
    done = assess("syntax", path)
    assert done.code == 0
    assert "excluded from the means of complexity: 1 caption without a word" in " ".join(done.stdout.split())
    nothing = write_captions(tmp_path / "nothing.json", [""])
    assert assess("syntax", nothing, "--json").json["systems"]["nothing"]["yngve"] is None


def test_one_description_an_image_is_still_a_row_of_references(system: Path, tmp_path: Path) -> None:
    people = write_captions(
        tmp_path / "people.json", ["a tennis court", "a man", "a man", "a dog"], images=[1, 2, 2, 3]
    )
    found = assess("syntax", system, "-r", people, "--json").json["systems"]
    assert [row["reference"] for row in found.values()] == [False, True]
    assert found["people"]["notes"] == [
        "one description per image",
        "excluded: 1 description beyond the 1 that every image has",
    ]


def test_references_of_other_images_are_measured_and_told(system: Path, tmp_path: Path) -> None:
    people = write_captions(tmp_path / "people.json", ["a tennis court"], images=[77])
    found = assess("syntax", system, "-r", people, "--json").json
    assert "systems and references have no image id in common: all references are measured" in found["notes"]


def test_without_a_word_parts_of_speech_are_undefined(system: Path, tmp_path: Path) -> None:
    silent = write_captions(tmp_path / "silent.json", ["", "", ""])
    table = assess("syntax", system, silent).stdout.partition("Parts of speech")[2]
    [row] = [line for line in table.splitlines() if line.split()[:1] == ["silent"]]
    assert set(row.split()[1:]) == {"–"}
