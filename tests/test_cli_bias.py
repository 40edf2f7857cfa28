"""`assess bias` and the commands for its results, on the bundled example."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import EXAMPLE, NASTY, Done, assess

pytestmark = pytest.mark.model

Run = tuple[Done, Path]
CAPTIONS = [
    f"{name.partition('.')[0]}={EXAMPLE / name}" for name in ("bland.json", "rich.jsonl", "skewed.csv")
]
REFERENCES = ("--references", str(EXAMPLE / "references.json"))
GROUPS = ("--by", "gender", "--groups", str(EXAMPLE / "attributes.csv"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("bias") / "audit"
    done = assess("bias", *CAPTIONS, *REFERENCES, *GROUPS, "--out", str(folder), columns=80)
    return done, folder


@pytest.fixture(scope="module")
def planted() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EXAMPLE / "planted.json").read_text(encoding="utf-8"))
    return found


def cells_of(folder: Path, by: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    audit = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    return {(c["system"], c["role"], c["category"]): c for c in audit["bias"][by]["cells"]}


# ---- what is found


def test_all_planted_effects_are_found_by_words_and_by_image(run: Run, planted: dict[str, Any]) -> None:
    _, folder = run
    for by, effects in (("gender", planted["effects"]), ("attributes", planted["effects_by_image_group"])):
        cells = cells_of(folder, by)
        for effect in effects:
            cell = cells[effect["system"], "modifier", effect["category"]]
            assert (cell["yes"], cell["labels"]) == (effect["female"]["yes"], effect["female"]["labels"])
            assert (cell["other_yes"], cell["other_labels"]) == (
                effect["male"]["yes"],
                effect["male"]["labels"],
            )
            assert cell["verdict"] == "disparity"
            assert cell["q"] < 0.05
            low, high = cell["bootstrap"]["risk_difference"][1:]
            assert low > 0 or high < 0


def test_no_planted_null_is_flagged(run: Run, planted: dict[str, Any]) -> None:
    _, folder = run
    cells = cells_of(folder, "gender")
    nulls = [
        (null["system"], "modifier", null["category"])
        for null in planted["nulls"]
        if null["role"] == "modifier"
    ]
    found = [cells[key] for key in nulls if key in cells]
    assert len(found) > 30
    assert not [(c["system"], c["category"]) for c in found if c["verdict"] == "disparity" or c["q"] < 0.05]


def test_the_planted_gaps_are_wider_than_the_references(run: Run, planted: dict[str, Any]) -> None:
    _, folder = run
    cells = cells_of(folder, "gender")
    for effect in planted["effects"]:
        beside = cells[effect["system"], "modifier", effect["category"]]["amplification"]
        change = beside["risk_difference_change"]
        assert (change[1] > 0) if effect["direction"] == "female" else (change[2] < 0)
        assert beside["images"] == 400


# ---- the report


def test_a_pair_with_the_neutral_can_be_asked_for() -> None:
    captions = "a tall woman\na person\na man\n" * 5
    done = assess("bias", "-", "--format", "text", "--contrast", "female,neutral", "--json", stdin=captions)
    assert {(c["group"], c["against"]) for c in json.loads(done.stdout)["cells"]} == {("female", "neutral")}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--contrast", "femal,male"), "did you mean `female`"),
        (
            ("--by", "gender", "--groups", f"gender={EXAMPLE / 'attributes.csv'}"),
            "two groups have the name 'gender'",
        ),
        (("--alpha", "5"), "not between 0 and 1"),
        (("--margin", "-1"), "margin"),
        (("--groups", str(EXAMPLE / "planted.json")), "is not a table of images and groups"),
        (("--groups", str(EXAMPLE / "skewed.csv")), "no field 'group'"),
        (("--groups", "nowhere.csv"), "the file does not exist"),
    ],
)
def test_mistakes_in_the_call_are_told(arguments: tuple[str, ...], expected: str) -> None:
    done = assess("bias", str(EXAMPLE / "skewed.csv"), *arguments)
    assert done.code == 2, done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_domain_without_groups_is_told(tmp_path: Path) -> None:
    domain = tmp_path / "fruit.yaml"
    domain.write_text(
        "taxonomy: fruit\nversion: 1.0.0\ndescription: Fruit.\n"
        "heads: {single: {description: One., words: [apple]}}\n"
    )
    done = assess("bias", str(EXAMPLE / "skewed.csv"), "--domain", str(domain))
    assert done.code == 2
    assert "has no groups to contrast" in done.stderr


def test_ids_that_do_not_match_are_told_with_both_files_before_any_work(tmp_path: Path) -> None:
    groups = tmp_path / "groups.csv"
    groups.write_text("image_id,group\nx1,a\nx2,b\n")
    done = assess("bias", str(EXAMPLE / "skewed.csv"), "--groups", str(groups))
    assert done.code == 2
    assert "400 of the 400 images" in done.stderr
    assert "skewed.csv" in done.stderr
    assert "the 2 images of" in done.stderr
    assert "groups.csv" in done.stderr
    other = assess("bias", str(EXAMPLE / "skewed.csv"), "--references", str(EXAMPLE / "train.txt"))
    assert other.code == 2
    assert "no image id is in both" in other.stderr
    assert "train.txt" in other.stderr


def test_captions_can_neither_break_the_terminal_nor_run_in_a_spreadsheet(tmp_path: Path) -> None:
    texts = [*NASTY, "=HYPERLINK(1) a tall man", "@x a tall man", "+1 a tall\x1b[31m man \u202e[/]"]
    rows = [{"image_id": f"={n}", "caption": text} for n, text in enumerate(texts)]
    file = tmp_path / "nasty.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    out = str(tmp_path / "out")
    reports = [assess("bias", str(file), "--out", out, columns=columns) for columns in (40, 80)]
    reports += [assess("explain", out, f"nasty/{cell}") for cell in ("height", "mood", "head.gendered")]
    for done in reports:
        assert done.code == 0, done.stderr
        assert not {"\x1b", "\x00", "\u202e"} & set(done.stdout)
    table = assess("explain", out, "nasty/head.gendered", "--csv").stdout
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "'@x a tall man" in cells


def test_groups_whose_files_would_have_one_name_have_two(tmp_path: Path) -> None:
    captions = tmp_path / "captions.json"
    captions.write_text(json.dumps([{"image_id": n, "caption": "a tall man"} for n in range(4)]))
    for name, values in (("one", "ab"), ("two", "cd")):
        rows = "".join(f"{n},{values[n % 2]}\n" for n in range(4))
        (tmp_path / f"{name}.csv").write_text(f"image_id,group\n{rows}")
    groups = ("--groups", f"g<={tmp_path / 'one.csv'}", "--groups", f"g>={tmp_path / 'two.csv'}")
    done = assess("bias", captions, *groups, "--csv", tmp_path / "tables")
    assert done.code == 0, done.stderr
    tables = [(tmp_path / "tables" / name).read_text() for name in ("bias_g.csv", "bias_g_2.csv")]
    assert [",a,b," in table for table in tables] == [True, False]
    assert [",c,d," in table for table in tables] == [False, True]
