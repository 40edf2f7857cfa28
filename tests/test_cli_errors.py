"""`assess errors`: naming, word lists, captions behind numbers, audits, gates, mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assess as package
from tests.commands import assess, write_captions

pytestmark = pytest.mark.model

CAPTIONS = {
    "1": "a woman on a horse",
    "2": "a man with a dog",
    "3": "a tennis player swinging his racket",
    "4": "a female tennis player",
    "5": "a man and a woman at a table",
    "6": "two people on a bench. The lady smiles.",
    "7": "a street with cars",
    "8": "a guy in a hat",
}
GROUPS = dict.fromkeys("1234", "female") | dict.fromkeys("5678", "male")
NAMED = {
    "1": ["female"],
    "2": ["male"],
    "3": ["male"],
    "4": ["female"],
    "5": ["female", "male"],
    "6": ["female"],
    "7": [],
    "8": ["male"],
}


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return write_captions(tmp_path / "model.json", CAPTIONS.values(), CAPTIONS)


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    return write_groups(tmp_path / "gender.csv", GROUPS)


def write_groups(path: Path, groups: dict[str, str]) -> Path:
    lines = ["image_id,group", *(f"{image},{value}" for image, value in groups.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def found(*arguments: object) -> dict[str, Any]:
    system: dict[str, Any] = assess("errors", *arguments, "--json").json["systems"]["model"]
    return system


def test_captions_name_by_nouns_modifiers_and_pronouns(system: Path, groups: Path) -> None:
    numbers = found(system, "--groups", groups, "--captions", 9)
    assert {one["image_id"]: one["named"] for one in numbers["listed"]} == NAMED
    assert (numbers["images"], numbers["captions"], numbers["error"]) == (8, 8, 3 / 8)
    low, high = numbers["error_interval"]
    assert 0 < low < 3 / 8 < high < 1
    assert numbers["groups"]["female"]["correct"] == 0.5
    assert numbers["groups"]["male"]["neither"] == 0.5
    assert (numbers["ratio"], numbers["ratio_gap"]) == (1, 0)
    assert numbers["pairs"][0]["differences"]["incorrect"][0] == 0.25


def test_nouns_alone_leave_modifiers_and_pronouns_out(system: Path, groups: Path) -> None:
    numbers = found(system, "--groups", groups, "--told-by", "nouns", "--captions", 9)
    named = {one["image_id"]: one["named"] for one in numbers["listed"]}
    assert named == NAMED | {"3": [], "4": []}


def test_words_that_named_the_wrong_group_are_counted(system: Path, groups: Path) -> None:
    words = found(system, "--groups", groups)["wrong_words"]
    told = [(one["annotated"], one["named"], one["word"], one["captions"]) for one in words]
    assert told == [("female", "male", "his", 1), ("female", "male", "man", 1), ("male", "female", "lady", 1)]


def test_a_word_list_takes_the_place_of_the_domain(system: Path, groups: Path, tmp_path: Path) -> None:
    lines, yaml = tmp_path / "words.tsv", tmp_path / "words.yaml"
    lines.write_text("female\twoman\nfemale\tlady\n\nmale\tMan\nmale\this\n", encoding="utf-8")
    yaml.write_text("female: [woman, lady]\nmale: [man, his]\n", encoding="utf-8")
    results = [
        assess("errors", system, "--groups", groups, "--words", path, "--captions", 9, "--json").json
        for path in (lines, yaml)
    ]
    assert results[0]["systems"] == results[1]["systems"]
    named = {one["image_id"]: one["named"] for one in results[0]["systems"]["model"]["listed"]}
    assert named == NAMED | {"4": [], "8": []}
    assert results[0]["signature"]["settings"]["words"].startswith("words#")
    assert results[0]["signature"]["taxonomy"] is None


def test_several_captions_of_an_image_all_count(groups: Path, tmp_path: Path) -> None:
    rows = [{"image_id": "1", "caption": text} for text in ("a man", "a woman", "a person", "a girl")]
    (tmp_path / "model.json").write_text(json.dumps(rows), encoding="utf-8")
    numbers = found(tmp_path / "model.json", "--groups", groups)
    assert (numbers["images"], numbers["captions"]) == (1, 4)
    assert numbers["groups"]["female"]["correct"] == 0.5


def test_references_are_a_row_and_may_describe_more_images(
    system: Path, groups: Path, tmp_path: Path
) -> None:
    rows = [{"image_id": image, "caption": "a man"} for image in ("5", "5", "77")]
    (tmp_path / "people.json").write_text(json.dumps(rows), encoding="utf-8")
    result = assess("errors", system, "--groups", groups, "-r", tmp_path / "people.json", "--json").json
    people = result["systems"]["people"]
    assert (people["reference"], people["images"], people["captions"]) == (True, 1, 2)
    assert "; they are excluded" in result["notes"][0]


def test_another_domain_and_group(tmp_path: Path) -> None:
    rows = [{"image_id": 1, "caption": "a dog on a sofa"}, {"image_id": 2, "caption": "a cow in a field"}]
    (tmp_path / "model.json").write_text(json.dumps(rows), encoding="utf-8")
    groups = write_groups(tmp_path / "kinds.csv", {"1": "pet", "2": "wild", "3": "farm"})
    numbers = found(tmp_path / "model.json", "--groups", groups, "--domain", "animals")
    assert numbers["error"] == 0.5
    assert [one["word"] for one in numbers["wrong_words"]] == ["cow"]
    assert (numbers["ratio"], len(numbers["pairs"])) == (None, 3)
    shown = assess("errors", tmp_path / "model.json", "--groups", groups, "--domain", "animals").stdout
    assert "Groups against each other" in shown


def test_images_of_no_one_group_are_left_out_with_a_note(system: Path, tmp_path: Path) -> None:
    groups = write_groups(tmp_path / "gender.csv", GROUPS | {"7": "unclear", "8": "mixed"})
    result = assess("errors", system, "--groups", groups, "--json").json
    assert result["systems"]["model"]["images"] == 6
    assert result["notes"] == [
        f"images without a single group in '{groups}' are excluded: mixed 1, unclear 1"
    ]


def test_a_system_that_names_nobody_is_noted(groups: Path, tmp_path: Path) -> None:
    rows = [{"image_id": image, "caption": "a person"} for image in GROUPS]
    (tmp_path / "model.json").write_text(json.dumps(rows), encoding="utf-8")
    result = assess("errors", tmp_path / "model.json", "--groups", groups, "--json").json
    assert result["systems"]["model"]["error"] == 0
    assert "100% of captions: a low error means little" in result["notes"][0]


def test_standard_input_is_read_once(system: Path, groups: Path) -> None:
    lines = system.read_text(encoding="utf-8")
    done = assess("errors", "model=-", "--groups", groups, "--json", stdin=lines)
    assert done.json["systems"]["model"]["error"] == 3 / 8
    missing = assess("errors", "model=-", "--groups", groups, stdin=lines.replace('"8"', '"9"'))
    assert missing.code == 2
    assert "1 of the 8 images" in missing.stderr


def test_systems_are_compared_on_the_images_that_both_describe(
    system: Path, groups: Path, tmp_path: Path
) -> None:
    rows = [{"image_id": image, "caption": f"a {value}"} for image, value in GROUPS.items()]
    (tmp_path / "other.json").write_text(json.dumps(rows[:6]), encoding="utf-8")
    result = assess("errors", system, tmp_path / "other.json", "--groups", groups, "--json").json
    difference = result["paired"]["differences"][0]
    assert (difference["measure"], difference["first"], difference["second"]) == ("error", "model", "other")
    assert difference["difference"][0] == pytest.approx(3 / 6)
    assert result["paired"]["left_out"] == {"model": 2, "other": 0}


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ({"1": "dark"}, (), "no group of the domain `people` has the values of"),
        ({"1": "woman"}, ("--by", "gender"), "has values that the domain's group `gender` lacks: woman"),
        ({"1": "female"}, ("--by", "gendre"), "the domain `people` has no group called 'gendre'"),
        ({"1": "female"}, (), "7 of the 8 images of"),
        ({"99": "female"}, (), "no image id is in both files"),
        ({"1": "unclear"}, (), "annotates no group that a caption could name"),
        ({"1": "female"}, ("--told-by", "verbs"), "--told-by must be words or nouns, not 'verbs'"),
    ],
)
def test_mistakes_are_told_with_both_sides(
    system: Path, tmp_path: Path, values: dict[str, str], options: tuple[str, ...], message: str
) -> None:
    done = assess("errors", system, "--groups", write_groups(tmp_path / "g.csv", values), *options)
    assert done.code == 2
    assert message in " ".join(done.stderr.split())


def test_values_that_the_domain_lacks_are_told_with_those_it_has(system: Path, tmp_path: Path) -> None:
    groups = write_groups(tmp_path / "skin.csv", {"1": "dark", "2": "light"})
    told = " ".join(assess("errors", system, "--groups", groups).stderr.split())
    assert "dark, light" in told
    assert "gender (female, male); age (child, teenager, adult)" in told


def test_of_very_many_values_a_message_lists_some(system: Path, tmp_path: Path) -> None:
    groups = tmp_path / "groups.csv"
    groups.write_text("image_id,group\n" + "".join(f"{number},v{number}\n" for number in range(5_000)))
    done = assess("errors", system, "--groups", groups)
    assert done.code == 2
    assert "v0, v1" in done.stderr
    assert len(done.stderr) < 1_000


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "words.tsv",
            "female\twoman\nmale man\n",
            "words.tsv:2: this line is not of the form VALUE<TAB>WORD",
        ),
        ("words.tsv", "female\twoman\nmale\twoman\n", "'woman' names two values: female and male"),
        ("words.tsv", "\n", "the list has no words"),
        ("words.tsv", "female\twoman\n", "has values that the word list"),
        ("words.yaml", "female: woman\n", "words.yaml:1:9: the words of 'female' are not a list of words"),
        ("words.yaml", "- woman\n", "the list is not a mapping of values to words"),
        ("words.yaml", "female: [woman\n", "words.yaml:"),
    ],
)
def test_mistakes_in_a_word_list_are_told_with_their_place(
    system: Path, groups: Path, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = assess("errors", system, "--groups", groups, "--words", tmp_path / name)
    assert done.code == 2
    assert message in " ".join(done.stderr.split())


def test_a_word_list_and_a_group_of_the_domain_exclude_each_other(system: Path, groups: Path) -> None:
    done = assess("errors", system, "--groups", groups, "--words", groups, "--by", "gender")
    assert done.code == 2
    assert "--words replaces the domain, so it cannot be combined with --by or" in done.stderr


def test_the_function_takes_captions_and_groups_in_memory(system: Path, groups: Path) -> None:
    result = package.group_errors({"model": CAPTIONS}, groups=GROUPS, resamples=50, listed=1)
    assert (
        len(result["model"].listed) == 5
    )  # of six kinds, no image of a woman has a caption that names neither
    assert result["model"]["error"] == 3 / 8
    assert [one.image_id for one in result.captions["model"] if one.outcome == "incorrect"] == ["2", "3", "6"]
    assert package.group_errors(system, groups=f"gender={groups}")["model"]["error"] == 3 / 8
    with pytest.raises(package.AssessError, match="the setting 'groups' is missing"):
        package.measure("errors", {"model": CAPTIONS})


# In audits, and gated.


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a saved audit of a system that misnames every third woman and no man."""
    folder = tmp_path_factory.mktemp("saved")
    values = {str(number): "female" if number % 2 else "male" for number in range(600)}
    texts = {
        image: "a woman on a bench" if value == "female" and int(image) % 3 else "a man on a bench"
        for image, value in values.items()
    }
    write_captions(folder / "model.json", texts.values(), texts)
    write_groups(folder / "gender.csv", values)
    done = assess("bias", folder / "model.json", "--groups", folder / "gender.csv", "--out", folder / "audit")
    assert done.code == 0, done.stderr
    told = "16.7% of captions: 33.3% for images of women, 0.0% for images of men"
    assert f"model names the wrong gender in {told}" in " ".join(done.stdout.split())
    return folder


def test_audit_and_bias_have_the_errors_of_a_groups_file(saved: Path) -> None:
    files = (saved / "model.json", "--groups", saved / "gender.csv")
    alone = assess("errors", *files, "--json").json["systems"]
    assert alone["model"]["error"] == pytest.approx(1 / 6)
    for command in (("bias",), ("audit", "--no-measures")):
        shown = assess(command[0], *files, *command[1:], "--json").json
        assert shown["errors"]["systems"] == alone
    short = assess("audit", *files, "--no-measures").stdout
    assert "model names the wrong gender in 16.7% of captions" in " ".join(short.split())
    terminal = assess("audit", *files, "--no-measures", "--full").stdout
    assert "16.7% (" in terminal
    assert "`assess errors` tells more" in terminal
    page = (saved / "audit" / "report.html").read_text(encoding="utf-8")
    assert "Errors by annotated group" in page


def test_an_audit_by_a_file_that_captions_cannot_name_has_no_errors(saved: Path) -> None:
    values = {str(number): "light" if number % 2 else "dark" for number in range(600)}
    groups = write_groups(saved / "skin.csv", values)
    shown = assess("bias", saved / "model.json", "--groups", groups, "--samples", 50, "--json").json
    assert "errors" not in shown
    both = ("--groups", groups, "--groups", saved / "gender.csv")
    assert "errors" in assess("bias", saved / "model.json", *both, "--samples", 50, "--json").json


def test_an_audit_of_standard_input_says_why_it_has_no_errors(saved: Path) -> None:
    lines = (saved / "model.json").read_text(encoding="utf-8")
    shown = assess("bias", "-", "--groups", saved / "gender.csv", "--samples", 50, "--json", stdin=lines).json
    assert "errors are not measured" in shown["notes"][0]


@pytest.mark.parametrize(
    ("rule", "kinds"),
    [
        ("{max_error: 0.25}", ["pass"]),
        ("{max_error: 0.05}", ["fail"]),
        ("{max_error: 0.17}", ["insufficient"]),
        ("{max_error: 0.25, min_images: 601}", ["insufficient"]),
        ("{max_abs_error_difference: 0.1, max_abs_ratio_gap: 0.2}", ["fail", "fail"]),
        ("{max_outcome_divergence: 0.9}", ["pass"]),
        ("{system: nobody, max_error: 0.25}", ["insufficient"]),
    ],
)
def test_a_gate_decides_errors_by_their_whole_interval(
    saved: Path, tmp_path: Path, rule: str, kinds: list[str]
) -> None:
    (tmp_path / "policy.yaml").write_text(f"errors: [{rule}]\n", encoding="utf-8")
    done = assess("gate", tmp_path / "policy.yaml", saved / "audit", "--json")
    assert [outcome["kind"] for outcome in json.loads(done.stdout)["outcomes"]] == kinds
    assert done.code == (0 if set(kinds) == {"pass"} else 1)


def test_a_gate_of_errors_is_open_where_the_audit_has_none(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "plain"
    assert assess("bias", saved / "model.json", "--samples", 50, "--out", out).code == 0
    (tmp_path / "policy.yaml").write_text("errors: [{max_error: 0.25}]\n", encoding="utf-8")
    done = assess("gate", tmp_path / "policy.yaml", out)
    assert done.code == 1
    assert "the audit has no errors: audit again with --groups FILE" in done.stdout


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{}", "a limit for errors needs max_error, max_abs_error_difference,"),
        ("{max_eror: 0.1}", "unknown key `max_eror`"),
        ("{max_error: 2}", "input should be less than or equal to 1"),
    ],
)
def test_mistakes_in_rules_about_errors_are_told(
    saved: Path, tmp_path: Path, rule: str, message: str
) -> None:
    (tmp_path / "policy.yaml").write_text(f"errors:\n  - {rule}\n", encoding="utf-8")
    done = assess("gate", tmp_path / "policy.yaml", saved / "audit")
    assert done.code == 2
    assert message in " ".join(done.stderr.split())


# The research data.


@pytest.mark.data
def test_the_numbers_of_six_systems_are_reproduced_by_words_and_by_the_domain(
    shared_data: Path,
) -> None:
    names = ("errors", "errors-words", "errors-domain")
    only = [word for name in names for word in ("--only", name)]
    parts = assess("reproduce", shared_data, *only, "--json").json["parts"]
    for name, number in (("errors", 4), ("errors-words", 48), ("errors-domain", 48)):
        assert parts[name]["equal"] == len(parts[name]["cells"]) == number
    assert "0 of 6,000 captions are judged differently" in parts["errors-domain"]["notes"]
