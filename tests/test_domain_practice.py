"""An author at work: judging labels, watching a file, examples in captions, a first draft from WordNet."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess.corpus import parse_source
from assess.domain.session_commands import Watch
from assess.domain.survey import survey
from assess.taxonomy import load_taxonomy
from tests.commands import assess
from tests.test_domain_advice import write_wordnet
from tests.test_taxonomy_edit import SMALL

pytestmark = pytest.mark.model
CAPTIONS = "a sweet pie on a table\na fresh stew\na sour pie chart on a wall\nsome stale loaves\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "food.yaml").write_text(SMALL)
    (tmp_path / "captions.txt").write_text(CAPTIONS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sample(*arguments: str, stdin: str = "") -> str:
    done = assess("domain", "sample", "captions.txt", "--domain", "food.yaml", *arguments, stdin=stdin)
    assert done.code == 0, done.stderr
    return done.stdout


def test_verdicts_become_examples_and_exclusions(folder: Path) -> None:
    assert "2 of them wrong" in sample(stdin="y\no\nn\nage\nq\n")
    taxonomy = load_taxonomy("food.yaml")
    assert len(taxonomy.examples) == 3
    right, out, wrong = taxonomy.examples
    assert right.modifiers is not None
    assert not out.in_domain
    assert wrong.never == ("age",)
    assert len(taxonomy.excluded) == 1
    assert taxonomy.excluded[0] == out.text.removeprefix("a ").removeprefix("some ")


def test_a_sheet_is_filled_in_and_given_back(folder: Path) -> None:
    sample("--out", "sheet.csv", "--per-head", "5")
    rows = (folder / "sheet.csv").read_text().splitlines()
    assert rows[0] == "label,heads,modifiers,count,caption,verdict"
    filled = "\n".join([rows[0], *(row + "right" for row in rows[1:])])
    (folder / "sheet.csv").write_text(filled)
    assert f"{len(rows) - 1} examples and 0 exclusions added" in sample("--verdicts", "sheet.csv")
    assert assess("domain", "test", "food.yaml").code == 0
    before = (folder / "food.yaml").read_text()
    (folder / "sheet.csv").write_text(filled.replace("right", "perhaps"))
    done = assess("domain", "sample", "captions.txt", "--domain", "food.yaml", "--verdicts", "sheet.csv")
    assert (done.code, (folder / "food.yaml").read_text()) == (2, before)
    assert "sheet.csv:2: `perhaps` is not a verdict" in done.stderr


def test_a_sheet_may_be_given_again_when_more_of_it_is_filled_in(folder: Path) -> None:
    sample("--out", "sheet.csv", "--per-head", "5")
    header, first, second, *_ = (folder / "sheet.csv").read_text().splitlines()
    (folder / "sheet.csv").write_text(f"{header}\n{first}out\n{second}\n")
    assert "1 example and 1 exclusion added" in sample("--verdicts", "sheet.csv")
    (folder / "sheet.csv").write_text(f"{header}\n{first}out\n{second}right\n")
    assert "1 example and 0 exclusions added" in sample("--verdicts", "sheet.csv")


def test_a_verdict_must_fit_the_label(folder: Path) -> None:
    (folder / "captions.txt").write_text("the pie on a table\n")
    told = sample(stdin="o\nn\nage\ny\n")
    assert "`pie` is a head: excluding it would lose every label that ends in it" in " ".join(told.split())
    assert "`the pie` is not read as `age`" in told
    assert "1 label judged, 0 of them wrong" in told


def test_an_example_may_stand_in_a_caption(folder: Path) -> None:
    examples = """\
examples:
  - {text: a sweet pie, caption: A dog looks at a sweet pie., heads: [dish], modifiers: [taste]}
  - {text: a dog, caption: A dog looks at a sweet pie., in_domain: false}
  - {text: a horse, caption: A dog looks at a sweet pie., in_domain: false}
"""
    (folder / "food.yaml").write_text(SMALL.replace("examples: []\n", examples))
    done = assess("domain", "test", "food.yaml")
    assert done.code == 1
    told = " ".join(done.stdout.split())
    assert "the caption contains no chunk `a horse`, but a dog, a sweet pie" in told
    assert "2 of 3 examples passed" in done.stdout


def test_every_save_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watch = Watch(survey([parse_source("captions.txt")], load_taxonomy("food.yaml")), "food.yaml")
    watch.look()
    assert capsys.readouterr().out == ""
    file = folder / "food.yaml"
    for text, told in (
        (file.read_text().replace("- pie ", "- pie\n      - table "), "labels gained"),
        ("heads: [", "not valid YAML"),
        (SMALL.replace("- pie ", "- cake "), "labels lost"),
    ):
        file.write_text(text)
        watch.look()
        assert told in capsys.readouterr().out


def test_a_first_draft_comes_from_wordnet(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(write_wordnet(folder / "dict")))
    (folder / "more.txt").write_text("an apple and a pear\na hot dog\n")
    done = assess("domain", "new", "snack", "--from", "food.n.01", "--captions", "more.txt")
    assert done.code == 0, done.stderr
    words = {entry.word for head in load_taxonomy("snack.yaml").heads.values() for entry in head.words}
    assert words == {"apple", "pear", "hot dog"}
    # Every category has an example with its most frequent word, and all of them pass.
    assert assess("domain", "lint", "snack.yaml", "--strict").code == 0
    assert assess("domain", "new", "x", "--from", "food.n.07").code == 2
