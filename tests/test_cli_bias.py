"""`assess bias` and what follows from it, as a user runs them on the bundled example."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

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
        (("--by", "gendre"), "did you mean `gender`"),
        (("--contrast", "female"), "as in female,male"),
        (("--contrast", "femal,male"), "did you mean `female`"),
        (
            ("--by", "gender", "--groups", f"gender={EXAMPLE / 'attributes.csv'}"),
            "two groups are called 'gender'",
        ),
        (("--alpha", "5"), "not between 0 and 1"),
        (("--margin", "-1"), "margin"),
        (("--groups", str(EXAMPLE / "planted.json")), "is not a table of images and groups"),
        (("--groups", str(EXAMPLE / "skewed.csv")), "no field 'group'"),
        (("--groups", "nowhere.csv"), "no such file"),
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


# ---- explain


def test_explain_as_json_and_csv_has_every_label(run: Run) -> None:
    _, folder = run
    cell = ("explain", str(folder), "skewed/attractiveness/gender:male")
    found = json.loads(assess(*cell, "--json").stdout)
    assert (found["yes"], found["labels"], len(found["mentions"])) == (6, 195, 6)
    for mention in found["mentions"]:
        ((start, end, text),) = mention["words"]
        assert mention["caption"][start:end] == text
        assert "attractiveness" in mention["best"]["modifiers"]
    rows = list(csv.DictReader(io.StringIO(assess(*cell, "--csv").stdout)))
    assert [row["image_id"] for row in rows] == [mention["image_id"] for mention in found["mentions"]]


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


# ---- gate


POLICY = """\
min_labels: 100
forbid:
  - category: ethnicity
limits:
  - {category: [attractiveness, mood], by: gender, max_abs_risk_difference: 0.10}
"""


def test_a_gate_fails_with_a_reason_a_line_and_junit(run: Run, tmp_path: Path) -> None:
    _, folder = run
    policy, xml = tmp_path / "policy.yaml", tmp_path / "gate.xml"
    policy.write_text(POLICY)
    done = assess("gate", str(policy), str(folder), "--junit", str(xml))
    assert done.code == 1
    lines = done.stdout.splitlines()
    assert "fail: skewed / ethnicity / all: forbid: said of 24 of 410 labels" in lines
    assert any(
        line.startswith("fail: skewed / attractiveness / gender:female against male") for line in lines
    )
    assert lines[-1].startswith("gate failed: 3 fail")
    suite = ElementTree.parse(xml).getroot()
    assert suite.get("failures") == "3"
    found = json.loads(assess("gate", str(policy), str(folder), "--json").stdout)
    assert (found["passed"], found["counts"]["fail"]) == (False, 3)
    assert len(found["outcomes"]) == int(suite.get("tests", 0))


def test_a_gate_passes_or_is_left_open(run: Run, tmp_path: Path) -> None:
    _, folder = run
    policy = tmp_path / "policy.yaml"
    policy.write_text("forbid: [{category: nationality}]\nlimits: [{category: mood, max_rate: 0.4}]\n")
    done = assess("gate", str(policy), str(folder), "--all")
    assert (done.code, done.stdout.splitlines()[-1].split(",")[0]) == (0, "gate passed: 0 fail")
    assert "pass: bland / nationality / all" in done.stdout
    strict = "min_labels: 1000\nlimits: [{category: mood, max_rate: 0.4}]\n"
    policy.write_text(strict)
    assert assess("gate", str(policy), str(folder)).code == 1
    policy.write_text(f"allow_insufficient: true\n{strict}")
    assert assess("gate", str(policy), str(folder)).code == 0


def test_a_baseline_is_an_earlier_audit(run: Run, tmp_path: Path) -> None:
    _, folder = run
    policy = tmp_path / "policy.yaml"
    policy.write_text(f"baseline: {{file: {folder}, allowed_change: 0.01}}\n")
    assert assess("gate", str(policy), str(folder)).code == 0


# ---- compare, sample, score


def test_compare_shows_what_changed_between_two_versions(tmp_path: Path) -> None:
    for name, file in (("a", "rich.jsonl"), ("b", "skewed.csv")):
        assess("bias", f"model={EXAMPLE / file}", "--by", "gender", "--out", str(tmp_path / name))
    arguments = ("compare", str(tmp_path / "a"), str(tmp_path / "b"))
    done = assess(*arguments, columns=80)
    assert done.code == 0, done.stderr
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    assert "▲ attractiveness" in done.stdout
    found = json.loads(assess(*arguments, "--json").stdout)
    (gap,) = [g for g in found["gaps"] if g["category"] == "attractiveness"]
    assert gap["change"][1] > 0
    same = json.loads(assess("compare", str(tmp_path / "a"), str(tmp_path / "a"), "--json").stdout)
    assert "changed" not in {rate["verdict"] for rate in same["rates"]}


def test_a_sheet_goes_out_and_comes_back(run: Run, tmp_path: Path) -> None:
    _, folder = run
    sheet = tmp_path / "sheet.csv"
    done = assess("sample", str(folder), "--out", str(sheet), "--per-cell", "4", "--system", "skewed")
    assert done.code == 0, done.stderr
    assert "sheet.key.json" in done.stderr
    rows = list(csv.reader(io.StringIO(sheet.read_text(encoding="utf-8"))))
    key = json.loads((tmp_path / "sheet.key.json").read_text(encoding="utf-8"))
    for number, row in enumerate(rows[1:]):
        said = key["strata"][key["rows"][row[0]]]["said"]
        row[-1] = "yes" if said != (number == 0) else "no"
    for name in ("one.csv", "two.csv"):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        rows[2][-1] = "no" if rows[2][-1] == "yes" else "yes"
    shown = assess("score", str(tmp_path / "one.csv"), str(tmp_path / "two.csv"), columns=80)
    assert shown.code == 0, shown.stderr
    assert "Cohen's kappa" in shown.stdout
    assert max(len(line) for line in shown.stdout.splitlines()) <= 80
    found = json.loads(assess("score", str(tmp_path / "one.csv"), str(tmp_path / "two.csv"), "--json").stdout)
    assert found["agreement"]["disagreed"] == [rows[2][0]]
    assert {item["category"] for item in found["categories"]} == {
        "attractiveness",
        "hair-color",
        "hair-length",
        "occupation-or-social-group",
    }
    rows[1][-1] = "maybe"
    with (tmp_path / "one.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    bad = assess("score", str(tmp_path / "one.csv"))
    assert bad.code == 2
    assert "one.csv:2: 'maybe' is no answer" in bad.stderr


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
