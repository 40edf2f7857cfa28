"""The commands for taxonomy authors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.commands import NASTY, assess, write_captions
from tests.goldens import FOOD, MEALS, TEXTS

pytestmark = pytest.mark.model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "food.yaml").write_text(FOOD)
    (tmp_path / "captions.txt").write_text(MEALS)
    return tmp_path


def test_new_writes_a_taxonomy_that_passes_and_never_overwrites(tmp_path: Path) -> None:
    out = tmp_path / "toys.yaml"
    done = assess("domain", "new", "toys", "--out", str(out))
    assert done.code == 0, done.stderr
    assert assess("domain", "lint", str(out), "--strict").code == 0
    assert "4 of 4 examples passed" in assess("domain", "test", str(out)).stdout
    named = set(re.findall(r"assess domain (\w+)", out.read_text()))
    assert named == {"lint", "test", "coverage", "suggest", "assign", "studio", "sample"}
    assert all(assess("domain", command, "--help").code == 0 for command in sorted(named))
    before = out.read_bytes()
    again = assess("domain", "new", "toys", "--out", str(out))
    assert again.code == 2
    assert "already" in again.stderr
    assert out.read_bytes() == before


def test_suggest_has_categories_scores_and_reasons(folder: Path) -> None:
    arguments = ("domain", "suggest", str(folder / "captions.txt"), "--domain", str(folder / "food.yaml"))
    found = assess(*arguments, "--no-vectors", "--json").json
    assert found["evidence"][:2] == ["form", "company"]
    assert found["signature"]["settings"]["evidence"].startswith("form, company")
    words = {item["word"]: item for item in found["words"]}
    first = words["salty"]["suggestions"][0]
    assert first["category"] == "taste"
    assert {"evidence": "form", "like": ["malty"]} in first["reasons"]
    assert 0 < first["score"] < 1
    assert words["stew"]["suggestions"][0]["category"] == "dish"
    only = assess(*arguments, "--role", "head", "--least", "2", "--no-vectors", "--json").json
    assert [item["word"] for item in only["words"]] == ["stew"]
    shown = assess(*arguments, "--no-vectors").stdout
    assert "ends in -alty like malty" in " ".join(shown.split())


def test_diff_tells_what_a_change_does(folder: Path) -> None:
    before, after = folder / "food.yaml", folder / "after.yaml"
    text = before.read_text()
    after.write_text(text.replace("words: [", "words: [stew, ", 1))
    captions = folder / "stews.txt"
    captions.write_text("a stew on a table\na stew near a window\n")
    told = json.loads(assess("domain", "diff", str(before), str(after), "--json").stdout)
    assert [word.partition(" ")[0] for word in told["words"]["added"]] == ["stew"]
    told = json.loads(assess("domain", "diff", str(before), str(after), str(captions), "--json").stdout)
    assert told["labels"]["gained"] == [{"label": "a stew", "count": 2}]
    shown = assess("domain", "diff", str(after), str(before), str(captions)).stdout
    assert "labels lost" in shown
    assert "a stew (2)" in shown
    assert "nothing changed" in assess("domain", "diff", str(after), str(after), str(captions)).stdout


def test_coverage_tells_what_changed_since_the_last_look(folder: Path) -> None:
    domain, captions = folder / "food.yaml", folder / "stews.txt"
    captions.write_text("a stew on a table\na stew near a window\n")
    look = ("domain", "coverage", str(captions), "--domain", str(domain))
    assert "Since the last check" not in assess(*look).stdout
    domain.write_text(domain.read_text().replace("words: [", "words: [stew, ", 1))
    shown = " ".join(assess(*look).stdout.split())
    assert "Since the last check" in shown
    assert "labels gained 2 a stew (2)" in shown
    assert "Since the last check" not in assess(*look).stdout


def test_lint_with_captions_tells_what_they_do_not_have(folder: Path) -> None:
    domain, captions = folder / "food.yaml", folder / "many.txt"
    domain.write_text(domain.read_text().replace("words: [", "words: [rice, qwertz, stew curry, ", 1))
    captions.write_text("".join(f"{n} bowls of rice, a stew and a curry\n" for n in range(20)))
    told = assess("domain", "lint", str(domain), "--captions", str(captions)).stderr
    for message in (
        "unknown to these captions: `qwertz`",
        "words that never occur together: `stew curry`",
        "plurals that never occur: `rices`",
    ):
        assert message in told, told


def test_what_checks_say_is_also_json(folder: Path) -> None:
    domain = folder / "failing.yaml"
    domain.write_text(TEXTS["failing.yaml"].replace("sweet]", "sweet, {word: hot, only_with: [pie]}]"))
    done = assess("domain", "lint", domain, "--json")
    lint = json.loads(done.stdout)
    printed = assess("domain", "lint", domain)
    assert (done.code, done.stderr, printed.code) == (1, "", 1)
    assert lint["signature"]["taxonomy"] == printed.stdout.split(":")[0]
    assert {finding["severity"] for finding in lint["findings"]} == {"warning", "error"}
    for found in lint["findings"]:
        assert found["file"] == str(domain)
        where = f"{found['severity']}: {domain}:{found['line']}:{found['column']}: {found['message']}"
        assert where in printed.stderr
        assert found["hint"] is None or f"hint: {found['hint']}" in printed.stderr
    done = assess("domain", "test", domain, "--json")
    test = json.loads(done.stdout)
    assert (done.code, test["signature"]) == (1, lint["signature"])
    failed = [example for example in test["examples"] if not example["passed"]]
    told = assess("domain", "test", domain).stdout
    assert f"{len(test['examples']) - len(failed)} of {len(test['examples'])} examples passed" in told
    assert failed
    for example in failed:
        assert example["failures"]
        assert f":{example['line']}: " in " ".join(told.split())
        expected, found = example["expected"], example["found"]["best"]
        assert (expected["heads"], expected["modifiers"]) != (found["heads"], found["modifiers"])


def test_lint_with_captions_names_them_in_its_signature(folder: Path) -> None:
    done = assess("domain", "lint", folder / "food.yaml", "--captions", folder / "captions.txt", "--json")
    signature = done.json["signature"]
    assert [given["name"] for given in signature["inputs"]] == ["captions"]
    assert signature["model"]
    coverage = ("domain", "coverage", folder / "captions.txt", "--domain", folder / "food.yaml", "--json")
    assert signature == assess(*coverage).json["signature"]


def test_domains_and_what_they_contain_are_also_json(folder: Path) -> None:
    domain = folder / "food.yaml"
    found = assess("domain", "show", domain, "--json").json
    shown = assess("domain", "show", domain, columns=400).stdout
    assert found["signature"]["taxonomy"].startswith(f"{found['domain']}@{found['version']}#")
    assert {category["role"] for category in found["categories"]} == {"head", "modifier"}
    for category in found["categories"]:
        assert f"{category['category']}  {category['phrases']}" in shown
        assert ", ".join(category["words"][:8]) in shown
    assert f"{found['phrases']} phrases with plurals" in shown
    domains = assess("domain", "list", "--json").json
    assert domains["signature"]["tool"].startswith("assess ")
    listed = assess("domain", "list", columns=200).stdout
    for facts in domains["domains"]:
        assert f"{facts['domain']}" in listed
        assert facts["description"] in " ".join(listed.split())


@pytest.mark.parametrize("options", [(), ("--cache",)])
def test_doctor_has_a_signature(options: tuple[str, ...]) -> None:
    assert assess("doctor", *options, "--json").json["signature"]["tool"].startswith("assess ")


def test_import_and_export_are_there_and_back(folder: Path) -> None:
    domain, table, again = folder / "food.yaml", folder / "food.csv", folder / "again.yaml"
    assert assess("domain", "export", str(domain), "--out", str(table)).code == 0
    done = assess("domain", "import", str(table), "--out", str(again), "--name", "food")
    assert done.code == 0, done.stderr
    assert "again.yaml: 1 head and 2 modifier categories" in done.stdout
    assert assess("domain", "agree", str(domain), str(again)).stdout.count("No disagreement") == 1
    refused = assess("domain", "import", str(table), "--out", str(again))
    assert refused.code == 2
    assert "--force" in refused.stderr
    assert assess("domain", "import", str(table), "--out", str(again), "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new", "My Food"), "`my-food`"),
        (("export", "people"), "choose a target format"),
        (("export", "people", "--to", "word"), "--to must be"),
        (("import", "nowhere.cfg", "--out", "x.yaml"), "the file does not exist"),
        (("import", "nowhere.cfg", "--out", "x.yaml", "--name", "My Food"), "is not a valid id"),
        (("coverage", "nowhere.txt"), "nowhere.txt"),
        (("suggest", "x.txt", "--role", "verb"), "--role must be"),
        (("agree", "people", "nowhere.tsv"), "nowhere.tsv"),
        (("agree", "people", "peple"), "people"),
    ],
)
def test_mistakes_are_told(arguments: tuple[str, ...], message: str) -> None:
    done = assess("domain", *arguments)
    assert done.code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("columns", [40, 120])
def test_captions_may_hold_anything(tmp_path: Path, columns: int) -> None:
    file = write_captions(tmp_path / "nasty.json", NASTY)
    for command in ("coverage", "suggest"):
        done = assess("domain", command, str(file), columns=columns)
        assert done.code == 0, done.stderr
        assert not {"\x1b", "\x00", "\u202e"} & set(done.stdout)


def test_parse_marks_dated_and_offensive_words_in_their_plural_too() -> None:
    shown = assess("parse", "two midgets", "an oriental rug seller", "a tall man").stdout
    assert "offensive: midgets" in shown
    assert "dated: oriental" in shown
    assert (shown.count("offensive:"), shown.count("dated:")) == (1, 1)
    marked, plain = json.loads(assess("parse", "--json", "two midgets", "a tall man").stdout)["phrases"]
    assert marked["notes"] == {"midgets": "offensive"}
    assert "notes" not in plain
