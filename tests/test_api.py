"""The Python interface: same numbers as the command line, plus notebooks and data frames."""

from __future__ import annotations

import doctest
import gc
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import assess
from assess.audits.request import FURTHER
from assess.measures import registry
from tests.commands import EXAMPLE
from tests.commands import assess as assess_here
from tests.html_audits import HOSTILE

pytestmark = pytest.mark.model
ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def audit() -> assess.Audit:
    return assess.audit(
        {"bland": EXAMPLE / "bland.json", "skewed": str(EXAMPLE / "skewed.csv")},
        references=EXAMPLE / "references.json",
        train=[str(EXAMPLE / "train.txt")],
        by="gender",
    )


@pytest.fixture(scope="module")
def printed() -> str:
    captions = [EXAMPLE / "bland.json", EXAMPLE / "skewed.csv"]
    beside = ["--references", EXAMPLE / "references.json", "--train", EXAMPLE / "train.txt"]
    done = assess_here("audit", *captions, *beside, "--by", "gender", "--json")
    assert done.code == 0, done.stderr
    return done.stdout


def test_an_audit_is_that_of_the_command_line_byte_for_byte(audit: assess.Audit, printed: str) -> None:
    assert audit.to_json() == printed
    assert audit.signature.as_dict() == json.loads(printed)["signature"]


def test_an_audit_has_the_measures_that_their_own_commands_print(printed: str) -> None:
    files = [EXAMPLE / "bland.json", EXAMPLE / "skewed.csv"]
    beside = ["-r", EXAMPLE / "references.json", "--train", EXAMPLE / "train.txt", "--intervals", "--json"]
    whole = json.loads(printed)
    assert whole["recall"].pop("categories")["domain"] == whole["signature"]["taxonomy"]
    for command in ("diversity", "recall"):
        assert whole[command] == assess_here(command, *files, *beside).json, command


def test_further_measures_of_an_audit_are_those_that_their_own_commands_print() -> None:
    given = (EXAMPLE / "skewed.csv", "-r", EXAMPLE / "references.json")
    of_captions = [name for name in registry.names() if registry.find_measure(name).run]
    assert {*FURTHER, "errors", "diversity", "recall"} == {*of_captions}
    also = [word for name in FURTHER for word in ("--also", name)]
    whole = assess_here("audit", *given, "--by", "gender", *also, "--no-measures", "--json").json
    for command in FURTHER:
        by = ("--by", "gender") if command in ("leakage", "amplification") else ()
        assert whole[command] == assess_here(command, *given, *by, "--json").json, command


def test_results_that_do_not_come_from_captions_can_be_added_to_an_audit(tmp_path: Path) -> None:
    scores = [{"system": name, "x": n, "y": n * n} for n, name in enumerate("abcd")]
    assess.correlate(scores).to_json(tmp_path / "mine.json")
    also = f"correlation={tmp_path / 'mine.json'}"
    found = assess.audit([(1, "a man")], also=[also, "syntax"], measures=False)
    assert [*found.result.measures] == ["syntax", "correlation"]
    assert '<section id="correlation"' in found.to_html()
    with pytest.raises(assess.AssessError, match="there is no measure 'mine'"):
        assess.audit([(1, "a man")], also=[str(tmp_path / "mine.json")])


def test_a_further_measure_that_is_not_possible_is_a_note() -> None:
    found = assess.audit([(1, "a man")], also=["postgen", "syntax"], measures=False)
    assert found.measure("syntax")["captions"]["captions"] == 1
    assert [note for note in found.notes if note.startswith("postgen is not measured: ")]
    with pytest.raises(assess.AssessError, match="this audit has no postgen: postgen is not measured"):
        found.measure("postgen")


def test_functions_show_the_settings_of_their_commands() -> None:
    shown = inspect.signature(assess.diversity).parameters
    assert shown["window"].default == 1000
    assert shown["window"].annotation is int
    assert "settings" not in shown


def test_parts_have_the_numbers_of_the_audit(audit: assess.Audit, printed: str) -> None:
    whole = json.loads(printed)
    assert audit.systems == ("bland", "skewed")
    assert audit.groups == ("gender",)
    assert json.loads(audit.coverage.to_json())["systems"] == whole["systems"]
    assert list(audit.coverage.never_used) == whole["categories_never_used"]
    assert json.loads(audit.bias().to_json()) == whole["bias"]["gender"]
    assert audit.diversity["bland"]["novel"] == 0.52
    assert json.loads(audit.recall.to_json()) == whole["recall"]
    found = [(cell["system"], cell["category"]) for cell in audit.bias("gender").disparities]
    assert found[:2] == [("skewed", "attractiveness"), ("skewed", "occupation-or-social-group")]


def test_the_captions_behind_a_number_are_those_that_it_counts(audit: assess.Audit) -> None:
    cell = audit.bias().disparities[0]
    explained = audit.explain("skewed/attractiveness/female")
    assert len(explained) == len(explained.mentions) == cell["yes"]
    assert len(audit.explain("skewed/attractiveness/female", without=True)) == cell["labels"] - cell["yes"]
    assert len(audit.explain("skewed/attractiveness/female", limit=3)) == 3
    assert "<mark>" in explained._repr_html_()
    assert f"{cell['yes']} of {cell['labels']} labels" in explained._repr_html_()


def test_an_audit_is_saved_as_the_command_does_and_read_again(audit: assess.Audit, tmp_path: Path) -> None:
    folder = audit.save(tmp_path / "saved")
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit.json",
        "labels.jsonl",
        "mentions.jsonl",
        "report.html",
    ]
    again = assess.read_audit(folder)
    assert again.to_json(tmp_path / "again.json") == audit.to_json()
    assert (tmp_path / "again.json").read_text(encoding="utf-8") == audit.to_json()
    assert again.to_html() == (folder / "report.html").read_text(encoding="utf-8")
    assert again.save(folder) == folder
    done = assess_here("explain", folder, "skewed/attractiveness/female", "--json")
    assert done.json["yes"] == audit.bias().disparities[0]["yes"]


def test_the_files_of_an_audit_go_when_it_does() -> None:
    found = assess.audit([(1, "a tall man")], by=(), measures=False)
    folder = found._saved.file.parent
    assert folder.is_dir()
    del found
    gc.collect()
    assert not folder.exists()


def test_captions_in_memory_count_as_those_of_a_file(tmp_path: Path) -> None:
    captions = {7: "a tall man and a happy woman", 8: ["two old men", "a crowd"]}
    file = tmp_path / "model.json"
    file.write_text(json.dumps(captions), encoding="utf-8")
    inside = assess.audit({"model": captions}, by="gender").to_dict()
    outside = assess.audit(file, by="gender").to_dict()
    for part in ("systems", "bias", "categories_never_used"):
        assert inside[part] == outside[part]
    assert inside["systems"]["model"]["labels"] == 4
    # Only the input's hash differs: the captions are the same, the bytes of the file are not.
    assert inside["signature"]["settings"] == outside["signature"]["settings"]


def test_no_group_and_a_group_that_is_not_there_are_told(audit: assess.Audit) -> None:
    with pytest.raises(assess.AssessError, match=r"no group 'height'\n.*contrasts gender"):
        audit.bias("height")
    bare = assess.audit([(1, "a tall man")], by=(), measures=False)
    with pytest.raises(assess.AssessError, match="this audit contrasts no groups"):
        bare.bias()
    with pytest.raises(assess.AssessError, match="has no recall"):
        _ = bare.recall


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"domain": 5}, "domain must be text, not 5"),
        ({"by": 5}, "by must be text, not 5"),
        ({"by": ["gender", None]}, "by must be text, not None"),
        ({"groups": 5}, "5 is not a list of records"),
        ({"groups": {1: object}}, "'groups' cannot be written as JSON"),
        ({"samples": "many"}, "--samples must be a whole number, not 'many'"),
        ({"samples": 1.5}, "--samples must be a whole number, not 1.5"),
        ({"samples": True}, "--samples must be a whole number, not True"),
        ({"samples": 10**12}, "--samples must be at most 1,000,000"),
        ({"seed": -1}, "--seed must be at least 0"),
        ({"alpha": None}, "--alpha must be a number, not None"),
        ({"model": 5}, "--model must be text or None, not 5"),
        ({"contrasts": 5}, "contrasts must be a list, not 5"),
        ({"contrasts": [5]}, "contrasts must be text, not 5"),
        ({"also": 5}, "also must be text, not 5"),
        ({"measures": "no"}, "measures must be True or False, not 'no'"),
        ({"partial": 1}, "partial must be True or False, not 1"),
        ({"after": None}, "after must be True or False, not None"),
        ({"cache": "off"}, "cache must be True or False, not 'off'"),
        ({"groups": [{"image_id": 1, "group": 5}]}, "'group' must be the name of a group, as text, not the"),
        ({"processes": "many"}, "--processes must be a whole number from 1 to 256, not 'many'"),
        ({"processes": 999_999}, "--processes must be a whole number from 1 to 256"),
    ],
)
def test_arguments_of_other_types_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(assess.AssessError, match=message):
        assess.audit([(1, "a tall man")], **arguments)


def test_a_measure_a_folder_and_a_phrase_that_are_no_text_are_told(audit: assess.Audit) -> None:
    given: Any = 5
    calls: list[Callable[[], object]] = [
        lambda: assess.measure(5, []),  # type: ignore[arg-type]
        lambda: assess.read_audit(5),  # type: ignore[arg-type]
        lambda: assess.parse(5),  # type: ignore[arg-type]
        lambda: assess.syntax([(1, "a man")], lexicon=5),
        lambda: audit.bias(5),  # type: ignore[arg-type]
        lambda: audit.explain(5),  # type: ignore[arg-type]
        lambda: audit.to_pandas(5),  # type: ignore[arg-type]
        *(partial(write, given) for write in (audit.save, audit.to_html, audit.to_csv, audit.to_json)),
    ]
    for call in calls:
        with pytest.raises(assess.AssessError, match="5"):
            call()


def test_what_a_notebook_shows_is_escaped() -> None:
    found = assess.audit({'<i>"evil"</i>': list(enumerate(HOSTILE))}, by="gender", measures=False)
    shown = [
        found._repr_html_(),
        found.coverage._repr_html_(),
        found.bias()._repr_html_(),
        found.explain('<i>"evil"</i>/head.gendered')._repr_html_(),
    ]
    for html in shown:
        tags = set(re.findall(r"<\s*/?\s*([a-zA-Z0-9!]+)", html))
        table = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
        drawn = {"style", "div", "svg", "title", "rect", "line", "text"}
        assert tags <= table | drawn | {"bdi", "p", "small", "h3", "ul", "li", "strong", "mark"}
        assert "url(" not in html
        assert "@import" not in html
        assert "src=" not in re.sub(r"&lt;.*?&gt;", "", html)


def test_data_frames_have_exact_values(audit: assess.Audit) -> None:
    pytest.importorskip("pandas", reason="needs pandas")
    coverage = audit.coverage.to_pandas().set_index("system")
    assert coverage.loc["bland", "labels"] == audit.coverage["bland"]["labels"]
    cells = audit.bias().to_pandas()
    assert len(cells) == len(audit.bias().cells)
    largest = audit.bias().disparities[0]
    row = cells[(cells.system == "skewed") & (cells.category == largest["category"])].iloc[0]
    assert (row.yes, row.rate) == (largest["yes"], largest["rate"])
    assert row.risk_difference == largest["risk_difference"][0]
    estimate, low, high = audit.diversity.to_dict()["intervals"]["systems"]["bland"]["ttr1"]
    values = audit.diversity.to_pandas().set_index("system").loc["bland"]
    assert values.ttr1 == audit.diversity["bland"]["ttr1"]
    ends = audit.diversity.to_pandas("intervals").set_index("system").loc["bland"]
    assert (ends.ttr1_low, ends.ttr1_high) == (low, high)
    assert low < estimate < high
    counted = audit.to_pandas()
    assert len(counted) == sum(system["labels"] for system in audit.coverage.systems.values())
    with pytest.raises(assess.AssessError, match="there are coverage, categories"):
        audit.coverage.to_pandas("nothing")


def test_the_rows_behind_all_numbers_are_those_of_the_saved_mentions(tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="needs pandas")
    said = "A man holds a cup. He is tall."
    audit = assess.audit([(1, said), (2, "two women")], by="gender", measures=False)
    with (audit.save(tmp_path / "saved") / "mentions.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    frame = audit.to_pandas(repeated=True)
    # Only `unread` may be missing from all lines.
    assert set(frame.columns) == {name for row in rows for name in row} | {"unread"}
    missing = {"unread": [], "pronoun": False, "repeats": False, "places": []}
    assert frame.to_dict("records") == [{**missing, **row} for row in rows]
    assert len(audit.to_pandas()) == sum(not row.get("repeats", False) for row in rows) < len(rows)


def test_every_function_has_a_docstring_with_an_example_that_runs() -> None:
    from assess.api import functions

    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    found = {test.name.rpartition(".")[2]: test for test in finder.find(functions) if test.examples}
    public = {name for name in assess.__all__ if getattr(assess, name).__module__ == functions.__name__}
    assert public <= set(found)
    for test in found.values():
        assert runner.run(test).failed == 0, test.name


def test_groups_boxes_and_scores_may_be_records(tmp_path: Path) -> None:
    told = [{"image_id": 1, "group": "male"}, {"image_id": 2, "group": "female"}]
    file = tmp_path / "groups.json"
    file.write_text(json.dumps(told), encoding="utf-8")
    said = {"model": {1: "a man", 2: "a man"}}
    results = [
        assess.audit(said, groups=groups, measures=False).bias("groups").to_json()
        for groups in (told, {1: "male", 2: "female"}, file, [file])
    ]
    assert len(set(results)) == 1
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    scores = pandas.DataFrame({"system": list("abcd"), "x": [1, 2, 3, 4], "y": [1.0, 4.0, 9.0, 16.0]})
    assert assess.correlate(scores).to_dict()["spearman"]["coefficients"][0] == (1.0, 1.0)
    with pytest.raises(assess.AssessError, match="'gold' has no records"):
        assess.select([])


def test_without_pandas_a_message_says_what_to_install(
    audit: assess.Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(assess.AssessError, match="pip install pandas"):
        audit.coverage.to_pandas()


def test_a_phrase_is_read_as_the_command_reads_it(tmp_path: Path) -> None:
    found = assess.parse("a tall happy toddler")
    told = assess_here("parse", "a tall happy toddler", "--json").json["phrases"][0]
    assert list(found.heads) == told["heads"] == ["age"]
    assert list(found.modifiers) == told["modifiers"] == ["height", "mood"]
    assert assess.load_taxonomy("people").taxonomy == "people"
    # A domain that is edited between two calls is read again.
    domain = tmp_path / "fruit.yaml"
    kind = "{{description: It., evidence: visible, sensitivity: none, words: [{}]}}\n".format
    text = "taxonomy: fruit\nversion: 1.0.0\ndescription: Fruit.\nheads:\n"
    text += f"  single: {{description: One., words: [apple]}}\nmodifiers:\n  ripeness: {kind('ripe')}"
    domain.write_text(text, encoding="utf-8")
    assert assess.parse("a sour apple", domain=domain).modifiers == ()
    domain.write_text(f"{text}  taste: {kind('sour')}", encoding="utf-8")
    assert assess.parse("a sour apple", domain=domain).modifiers == ("taste",)


def blocks(file: str) -> list[tuple[str, str]]:
    return FENCE.findall((ROOT / file).read_text(encoding="utf-8"))


def run_beside_examples(code: str, folder: Path) -> str:
    shutil.copytree(EXAMPLE, folder / "examples" / "captions")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT), "ASSESS_CACHE": os.environ["ASSESS_CACHE"]},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_the_readme_prints_what_it_says(tmp_path: Path) -> None:
    found = blocks("README.md")
    place = next(number for number, (language, _) in enumerate(found) if language == "python")
    (_, code), (language, promised) = found[place : place + 2]
    assert language == "text"
    assert run_beside_examples(code, tmp_path) == promised
    assert "What captions say about people" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_examples_of_the_documentation_run(tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="needs pandas")
    code = "\n".join(text for language, text in blocks("docs/python.md") if language == "python")
    assert code.count("\n") > 30
    run_beside_examples(code, tmp_path)
    made = {"report.html", "audit.json", "tables.tex", "tables.md", "tables", "results"}
    assert made <= {path.name for path in tmp_path.iterdir()}
