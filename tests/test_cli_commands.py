"""The commands from a user's point of view: exit codes, output, JSON, files."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from assess.audits.saved import read_audit
from assess.audits.summary import audit_screen
from assess.cli.console import print_parts
from tests.commands import NASTY, Done, assess, write_captions

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    folder = tmp_path_factory.mktemp("demo")
    return assess("demo", "--out", str(folder), columns=80), folder


def test_demo_writes_an_audit_with_the_way_back(demo: tuple[Done, Path]) -> None:
    _, folder = demo
    audit = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    mentions = [
        json.loads(line) for line in (folder / "mentions.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert len(mentions) == sum(system["labels"] for system in audit["systems"].values())
    for mention in mentions[:500]:
        written = mention["caption"][mention["start"] : mention["end"]]
        # The label also names what is said after the noun.
        assert mention["label"].split(" … ")[0] == " ".join(written.lower().split())
    assert sorted(path.name for path in folder.iterdir()) == [
        "audit.json",
        "labels.jsonl",
        "mentions.jsonl",
        "report.html",
    ]


def test_the_demo_fits_on_a_screen(demo: tuple[Done, Path]) -> None:
    done, folder = demo
    audit = read_audit(str(folder)).results
    out = io.StringIO()
    print_parts(Console(file=out, width=100), audit_screen(audit, width=100))
    # The path of the page takes two lines below it, and the summary one.
    for lines, width in ((out.getvalue().splitlines() + [""] * 3, 100), (done.stdout.splitlines(), 80)):
        assert len(lines) <= 50
        assert max(len(line.rstrip()) for line in lines if str(folder) not in line) <= width


def test_a_system_without_labels_has_undefined_rates_not_zero() -> None:
    found = assess("coverage", "-", "--format", "text", "--json", stdin="a red car\n").json
    system = found["systems"]["stdin"]
    assert system["labels"] == 0
    assert system["modifiers_per_label"] is None
    assert system["categories"]["head.age"]["share"] is None
    shown = assess("coverage", "-", "--format", "text", stdin="a red car\n")
    assert "–" in shown.stdout


@pytest.mark.parametrize("columns", [40, 80, 160])
def test_captions_may_hold_anything(tmp_path: Path, columns: int) -> None:
    file = write_captions(tmp_path / "nasty.json", NASTY)
    done = assess("audit", str(file), "--out", str(tmp_path / "out"), columns=columns)
    assert done.code == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "\x00" not in done.stdout
    assert "\u202e" not in done.stdout
    lines = (tmp_path / "out" / "mentions.jsonl").read_text(encoding="utf-8").splitlines()
    mentions = [json.loads(line) for line in lines]
    assert {mention["caption"] for mention in mentions} <= set(NASTY)
    assert [m["label"] for m in mentions if m["record"] == 2] == ["two men"] or any(
        "two men" in m["label"] for m in mentions if m["record"] == 2
    )


def test_repeated_images_are_kept_counted_and_told(tmp_path: Path) -> None:
    file = tmp_path / "twice.jsonl"
    file.write_text('{"image_id": 1, "caption": "a man"}\n{"image_id": 1, "caption": "a man"}\n')
    done = assess("coverage", str(file))
    assert "1 further caption of the same images" in done.stdout
    assert assess("coverage", str(file), "--json").json["systems"]["twice"]["labels"] == 2


def test_group_of_is_one_label_and_a_group_of_zebras_is_none() -> None:
    captions = "a group of young men on a beach\na large group of zebras in a field\n"
    joined = assess("coverage", "-", "--format", "text", "--json", stdin=captions).json["systems"]["stdin"]
    assert joined["labels"] == 1
    assert joined["categories"]["modifier.group"]["best_labels"] == 1
    papers = assess("coverage", "-", "--format", "text", "--paper-chunks", "--json", stdin=captions).json
    assert papers["systems"]["stdin"]["categories"]["modifier.group"]["best_labels"] == 0


NO_GROUPS = """\
taxonomy: things
version: 1.0.0
description: What captions say about things.
heads:
  thing: {description: A thing., words: [dog, man]}
modifiers:
  size: {description: How large it is., evidence: visible, sensitivity: none, words: [tall, small]}
"""


def test_an_audit_measures_what_its_inputs_allow(tmp_path: Path) -> None:
    captions = tmp_path / "s.txt"
    captions.write_text("a tall man\na dog\n", encoding="utf-8")
    references = tmp_path / "r.json"
    references.write_text('[{"image_id": "x", "caption": "a man"}]', encoding="utf-8")
    alone = assess("audit", str(captions), "--json").json
    assert alone["diversity"]["systems"]["s"]["types"] == 4
    assert "recall" not in alone
    assert "diversity" not in assess("audit", str(captions), "--no-measures", "--json").json
    assert "diversity" not in assess("coverage", str(captions), "--json").json
    # No image in common ends `assess recall`; an audit of categories alone goes on and says so.
    domain = tmp_path / "things.yaml"
    domain.write_text(NO_GROUPS, encoding="utf-8")
    other = assess("audit", str(captions), "-r", str(references), "--domain", str(domain), "--json").json
    assert "recall is not measured: no image of the systems" in " ".join(other["notes"])
    piped = assess("audit", "-", "--format", "text", stdin="a tall man\n")
    assert piped.code == 0, piped.stderr
    assert "diversity and recall are not measured" in " ".join(piped.stdout.split())
