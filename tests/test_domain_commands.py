"""The author's commands, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import NASTY, assess

pytestmark = pytest.mark.model
CAPTIONS = """\
a hot pie
a salty pie
a salty soup
the salty stew
a hot stew
a cold pie
a sweet pie
a malty soup
a big car
"""
FOOD = """\
taxonomy: food
version: 1.0.0
description: Food.
heads: {dish: {description: D., words: [pie, soup]}}
modifiers:
  heat: {description: H., evidence: inferred, sensitivity: none, words: [hot, cold]}
  taste: {description: T., evidence: inferred, sensitivity: none, words: [malty, sweet]}
examples:
  - {text: a hot pie, heads: [dish], modifiers: [heat]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "food.yaml").write_text(FOOD)
    (tmp_path / "captions.txt").write_text(CAPTIONS)
    return tmp_path


def test_new_writes_a_taxonomy_that_passes_and_never_overwrites(tmp_path: Path) -> None:
    out = tmp_path / "toys.yaml"
    done = assess("domain", "new", "toys", "--out", str(out))
    assert done.code == 0, done.stderr
    assert assess("domain", "lint", str(out), "--strict").code == 0
    assert "4 of 4 examples hold" in assess("domain", "test", str(out)).stdout
    before = out.read_bytes()
    again = assess("domain", "new", "toys", "--out", str(out))
    assert again.code == 2
    assert "already" in again.stderr
    assert out.read_bytes() == before


def test_lint_names_every_failing_example_and_every_word_without_a_telling_constraint(folder: Path) -> None:
    source = folder / "food.yaml"
    bad = "  - {text: a malty soup, modifiers: [heat]}\n  - {text: a hot car}\n"
    source.write_text(FOOD.replace("[malty, sweet]", "[malty, sweet, {word: hot, only_with: [pie]}]") + bad)
    done = assess("domain", "lint", str(source), columns=200)
    assert done.code == 1
    assert "food.yaml:10:5: the example fails: modifiers: expected heat" in done.stderr
    assert "food.yaml:11:5: the example fails: is not in the domain" in done.stderr
    assert "`hot` is in heat, taste, and no constraint tells them apart before `pie`" in done.stderr
    assert done.stdout.rstrip().endswith("2 warnings, 2 failing examples")


def test_coverage_has_shares_words_and_nouns(folder: Path) -> None:
    arguments = ("domain", "coverage", str(folder / "captions.txt"), "--domain", str(folder / "food.yaml"))
    found = assess(*arguments, "--json").json
    system = found["systems"]["captions"]
    assert (system["labels"], system["full"], system["partial"], system["none"]) == (6, 4, 2, 0)
    assert system["shares"] == {"full": 4 / 6, "partial": 2 / 6, "none": 0.0}
    salty = found["unknown_words"][0]
    assert (salty["word"], salty["role"], salty["count"]) == ("salty", "modifier", 2)
    assert salty["captions"] == ["a salty pie", "a salty soup"]
    stew = found["missing_heads"][0]
    assert (stew["word"], stew["count"], stew["forms"]) == ("stew", 2, ["stew"])
    assert 0 < stew["likeness"] <= 1
    assert found["signature"]["taxonomy"].startswith("food@1.0.0#")
    assert found["signature"]["inputs"][0]["captions"] == 9
    shown = assess(*arguments, "--most", "1", columns=60)
    assert "salty" in shown.stdout
    assert "and 1 more (--most)" in " ".join(shown.stdout.split())
    assert max(len(line.rstrip()) for line in shown.stdout.splitlines()) <= 60


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


def test_export_says_what_a_form_cannot_hold() -> None:
    assert "{number}-year-old" in assess("domain", "export", "people", "--to", "cfg").stderr
    assert "no place for examples" in assess("domain", "export", "people", "--to", "csv").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new", "My Food"), "`my-food`"),
        (("export", "people"), "to which form?"),
        (("export", "people", "--to", "word"), "--to is"),
        (("import", "nowhere.cfg", "--out", "x.yaml"), "no such file"),
        (("import", "nowhere.cfg", "--out", "x.yaml", "--name", "My Food"), "is not an id"),
        (("coverage", "nowhere.txt"), "nowhere.txt"),
        (("suggest", "x.txt", "--role", "verb"), "--role is"),
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
    file = tmp_path / "nasty.json"
    rows = [{"image_id": number, "caption": text} for number, text in enumerate(NASTY)]
    file.write_text(json.dumps(rows), encoding="utf-8")
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
