"""Saved audits: reading them, naming their cells, finding the captions behind cells, comparing two."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import assess as assess_package
from assess.audits.compare import Comparison, RateChange, Versions, compare
from assess.audits.explain import Address, Which, explain, parse_address
from assess.audits.result import as_saved, label_text, read_label
from assess.audits.saved import SavedAudit, read_audit
from assess.errors import InputError, UsageError
from assess.grammar.labels import LabelFinder
from assess.measures.bias.groups import ImageGroups
from assess.measures.bias.result import ValueRate
from assess.measures.bias.tables import Tally
from assess.measures.group_settings import VerdictSettings
from tests.audits import PARSER, Captions, fit, make_audit, save_audit
from tests.commands import assess

CAPTIONS = [
    ("1", "A Tall, happy woman and a man in a hat", ["A Tall, happy woman", "a man"]),
    ("2", "two tall  men sit", ["two tall  men"]),
    ("3", "a tall person", ["a tall person"]),
    ("4", "a red car", []),
]
WHO = ImageGroups("shown", "shown.csv", "0", {"1": "female", "2": "male", "3": "male", "4": "none"})


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> SavedAudit:
    folder = tmp_path_factory.mktemp("audit")
    return save_audit(folder, {"v1": CAPTIONS, "a/b": CAPTIONS[2:]}, groupings=[WHO])


def words(saved: SavedAudit, cell: str, *which: Which) -> list[tuple[str, list[str]]]:
    found = explain(saved, parse_address(cell, saved), which=frozenset(which or ("best",)))
    return [
        (example.mention.image, [example.mention.caption[start:end] for start, end in example.words])
        for example in found.examples
    ]


def test_a_cell_leads_to_its_captions_and_words(saved: SavedAudit) -> None:
    assert words(saved, "v1/height/gender:female") == [("1", ["Tall"])]
    assert words(saved, "v1/height/gender:male") == [("2", ["tall"])]
    assert words(saved, "v1/height") == [("1", ["Tall"]), ("2", ["tall"]), ("3", ["tall"])]
    assert words(saved, "a/b/height") == [("3", ["tall"])]
    assert words(saved, "v1/head.gendered/gender:male") == [("1", ["man"]), ("2", ["men"])]


def test_labels_that_were_just_written_are_known_as_they_are_read_back() -> None:
    # The page of a new audit takes them from memory, and must be the same as one drawn from the files.
    finder = LabelFinder(PARSER)
    analyses = [finder.analyse(text) for text in ("a group … being tall people", "a tall woman")]
    audit = make_audit({"v1": CAPTIONS}).model_copy(update={"analyses": tuple(analyses)})
    after = [span for analysis in audit.analyses for span in analysis.spans if span.position == "after"]
    assert {span.role for span in after} == {"head", "modifier"}
    lines = label_text(audit).encode().splitlines()
    assert [read_label(line)[0] for line in lines] == list(map(as_saved, analyses))


def test_a_cell_of_a_group_from_a_file_goes_by_image(saved: SavedAudit) -> None:
    assert words(saved, "v1/height/shown:male") == [("2", ["tall"]), ("3", ["tall"])]


def test_the_counts_of_a_cell_are_those_of_the_audit(saved: SavedAudit) -> None:
    for by, group in saved.groups.items():
        for cell in group.cells:
            prefix = "head." if cell.role == "head" else ""
            found = explain(
                saved, parse_address(f"{cell.system}/{prefix}{cell.category}/{by}:{cell.group}", saved)
            )
            assert (found.best, found.labels) == (cell.yes, cell.labels)


def test_labels_without_the_category_can_be_asked_for(saved: SavedAudit) -> None:
    assert [image for image, _ in words(saved, "v1/height/gender:male", "without")] == ["1"]


def test_the_name_of_a_cell_can_be_taken_apart_and_put_together(saved: SavedAudit) -> None:
    for text in ("v1/height", "v1/height/gender:female", "v1/head.age/gender:male", "a/b/height/shown:male"):
        assert str(parse_address(text, saved)) == text
    assert parse_address("v1/age/neutral", saved) == Address("v1", ("modifier", "age"), "gender", "neutral")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("v2/height", ["no system called 'v2'", "known here: a/b, v1", "SYSTEM/CATEGORY/VALUE"]),
        ("v1", ["the cell does not name a category", "height", "write v1/"]),
        ("v1/", ["the cell does not name a category"]),
        ("v1/heigth", ["no category called 'heigth'", "did you mean `height`"]),
        ("v1/qqqq", ["no category called 'qqqq'", "'v1' uses"]),
        ("v1/height/female", ["value of several groups", "gender:female or shown:female"]),
        ("v1/height/adult", ["no value called 'adult'", "gender:female, gender:male"]),
        ("v1/height/\x1b[31m", ["no value called '\ufffd[31m'"]),
    ],
)
def test_a_name_that_is_wrong_is_told_with_what_there_is(
    saved: SavedAudit, cell: str, expected: list[str]
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(cell, saved)
    for part in expected:
        assert part in str(caught.value)


def test_an_audit_without_groups_has_cells_without_values(tmp_path: Path) -> None:
    saved = save_audit(tmp_path, {"v1": CAPTIONS[2:]}, by=())
    assert words(saved, "v1/height") == [("3", ["tall"])]
    with pytest.raises(
        UsageError, match="this audit contrasts no groups: run it again with --by, or omit the"
    ):
        parse_address("v1/height/female", saved)


def test_what_is_no_audit_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no audit\.json"):
        read_audit(str(tmp_path))
    with pytest.raises(InputError, match="the file does not exist"):
        read_audit(str(tmp_path / "nothing.json"))
    file = tmp_path / "audit.json"
    for text in ("", "{", "[]", "{}", '{"signature": {}, "systems": {"a": {"labels": "many"}}}'):
        file.write_text(text)
        with pytest.raises(InputError) as caught:
            read_audit(str(tmp_path))
        assert "is not a saved audit:" in str(caught.value)
        assert "--out FOLDER" in str(caught.value)


def test_numbers_that_no_corpus_has_are_told(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "audit"
    shutil.copytree(whole / "audit", folder)
    results = json.loads((folder / "audit.json").read_text())
    results["systems"]["v1"]["captions"] = 10**400
    (folder / "audit.json").write_text(json.dumps(results))
    with pytest.raises(InputError, match="is not a saved audit: a number is too large"):
        read_audit(folder)
    results["systems"]["v1"]["captions"] = 1
    results["bias"]["gender"]["designs"] = {"v1": {"crowding": {"male": 0}, "effects": {}}}
    (folder / "audit.json").write_text(json.dumps(results))
    with pytest.raises(InputError, match="a design effect must be positive"):
        read_audit(folder)


def test_mentions_that_are_broken_or_unknown_to_the_audit_are_told(tmp_path: Path) -> None:
    save_audit(tmp_path, {"v1": CAPTIONS[2:]})
    mentions = tmp_path / "mentions.jsonl"
    text = mentions.read_text()
    mentions.write_text(text + "{\n")
    fit(tmp_path)
    with pytest.raises(InputError, match=r"mentions\.jsonl:2"):
        list(read_audit(tmp_path).mentions())
    mentions.write_text(json.dumps({**json.loads(text), "label": "a stranger"}) + "\n")
    fit(tmp_path)
    saved = read_audit(tmp_path)
    for cell in ("v1/height/neutral", "v1/height"):
        with pytest.raises(
            InputError, match="the files of this audit come from different runs, or one of them was"
        ):
            explain(saved, parse_address(cell, saved))
    mentions.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        list(saved.mentions())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    save_audit(folder / "audit", {"v1": version(3, 3, size=6)})
    save_audit(folder / "other", {"v1": version(2, 2, size=6)})
    (folder / "policy.yaml").write_text("min_labels: 1\nlimits: [{category: mood, max_rate: 0.9}]\n")
    return folder


COMMANDS = {
    "compare": ("compare", "whole/audit", "audit"),
    "compare-with": ("compare", "audit", "whole/audit"),
    "explain": ("explain", "audit", "v1/attractiveness"),
    "report": ("report", "audit", "--html", "page.html"),
    "tables": ("report", "audit", "--latex", "tables.tex"),
    "gate": ("gate", "whole/policy.yaml", "audit"),
    "sample": ("sample", "audit", "--out", "sheet.csv"),
}


LINES = "mentions.jsonl"


@pytest.mark.parametrize(
    ("file", "change", "told"),
    [
        (LINES, lambda text, _: text[: text.index(b"\n") + 1], "has 1 lines; the file written together with"),
        (LINES, lambda text, _: text * 2, "has 24 lines; the file written together with audit.json has 12"),
        (LINES, lambda text, _: b"", "has 0 lines"),
        (LINES, lambda text, _: text.replace(b"beautiful", b"tall", 1), "is not the file that was written"),
        (LINES, lambda _, other: other, "is not the file that was written together with audit.json"),
        ("labels.jsonl", lambda text, _: text.replace(b"female", b"male", 1), "is not the file that was"),
    ],
    ids=["cut", "doubled", "empty", "edited", "foreign", "labels"],
)
def test_files_of_another_run_are_an_error_of_every_command(
    whole: Path, tmp_path: Path, file: str, change: Callable[[bytes, bytes], bytes], told: str
) -> None:
    folder = shutil.copytree(whole / "audit", tmp_path / "audit")
    shutil.copytree(whole, tmp_path / "whole")
    given, other = (path / file for path in (folder, whole / "other"))
    changed = change(given.read_bytes(), other.read_bytes())
    opened = assess_package.read_audit(folder)
    given.write_bytes(changed)
    with pytest.raises(InputError, match=told):
        opened.to_pandas() if file == LINES else opened.explain("v1/attractiveness")
    with contextlib.chdir(tmp_path):
        for name, arguments in COMMANDS.items():
            done = assess(*arguments)
            assert (done.code, name, done.stdout) == (2, name, "")
            assert f"audit/{file}: {told}" in done.stderr
            assert "hint: the files of this audit come from different runs" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"audit", "whole"}


@pytest.mark.parametrize(
    "never_ends", [lambda path: os.mkfifo(path), lambda path: path.symlink_to("/dev/zero")]
)
def test_an_audit_whose_files_never_end_is_an_error(
    whole: Path, tmp_path: Path, never_ends: Callable[[Path], None]
) -> None:
    folder = shutil.copytree(whole / "audit", tmp_path / "audit")
    (folder / LINES).unlink()
    never_ends(folder / LINES)
    with pytest.raises(InputError, match=f"{LINES}: is not a file"):
        read_audit(folder)


def test_a_line_of_an_audit_is_no_longer_than_the_limit(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSESS_MAX_RECORD", "100")
    with pytest.raises(InputError, match=r"labels\.jsonl:1: the line is too long"):
        read_audit(whole / "audit")


def test_a_label_with_a_category_that_the_audit_lacks_is_an_error(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole / "audit", tmp_path / "audit")
    labels, file = folder / "labels.jsonl", folder / "audit.json"
    labels.write_bytes(labels.read_bytes().replace(b'"gendered"', b'"gen]dered"'))
    results = json.loads(file.read_text(encoding="utf-8"))
    results["files"]["labels.jsonl"]["sha256"] = hashlib.sha256(labels.read_bytes()).hexdigest()
    file.write_text(json.dumps(results), encoding="utf-8")
    for arguments in (("explain", folder, "v1/attractiveness"), ("report", folder, "--html", "page.html")):
        done = assess(*arguments)
        assert (done.code, "labels.jsonl:1: the audit has no category 'head.gen]dered'" in done.stderr) == (
            2,
            True,
        )


def test_an_audit_of_an_earlier_version_is_read(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole / "audit", tmp_path / "audit")
    labels, file = folder / "labels.jsonl", folder / "audit.json"
    lines = list(map(json.loads, labels.read_text(encoding="utf-8").splitlines()))
    results = json.loads(file.read_text(encoding="utf-8"))
    del results["files"]["labels.jsonl"]
    results["bias"]["gender"]["members"] = {line["label"]: line["groups"]["gender"] for line in lines}
    results["analyses"] = [
        {"text": line.pop("label"), "best": {key: line[key] for key in ("heads", "modifiers", "spans")}}
        | {key: value for key, value in line.items() if key != "groups"}
        for line in lines
    ]
    file.write_text(json.dumps(results, indent=2), encoding="utf-8")
    labels.write_text("of another audit", encoding="utf-8")
    told = [
        assess("explain", where, "v1/attractiveness/female").stdout for where in (folder, whole / "audit")
    ]
    assert told[0] == told[1] != ""


def test_results_alone_are_enough_for_a_gate_and_no_more(whole: Path, tmp_path: Path) -> None:
    shutil.copy(whole / "audit" / "audit.json", tmp_path)
    assert assess("gate", whole / "policy.yaml", tmp_path).code in (0, 1)
    done = assess("explain", tmp_path, "v1/attractiveness")
    assert (done.code, "mentions.jsonl: cannot be read: No such file" in done.stderr) == (2, True)
    results = json.loads((tmp_path / "audit.json").read_text())
    del results["files"]
    (tmp_path / "audit.json").write_text(json.dumps(results))
    (tmp_path / "mentions.jsonl").touch()
    done = assess("gate", whole / "policy.yaml", tmp_path)
    assert (done.code, "does not record which mentions.jsonl belongs to it" in done.stderr) == (2, True)


# ---- two audits


SETTINGS = VerdictSettings(samples=300)


def version(
    beautiful_women: int, beautiful_men: int, *, start: int = 0, size: int = 150
) -> list[tuple[str, str, list[str]]]:
    captions = []
    for number in range(start, start + size):
        woman = "a beautiful woman" if number < start + beautiful_women else "a woman"
        man = "a beautiful man" if number < start + beautiful_men else "a man"
        captions += [(f"w{number}", woman, [woman]), (f"m{number}", man, [man])]
    return captions


def compared(
    tmp_path: Path, before: Captions, after: Captions, settings: VerdictSettings = SETTINGS
) -> Comparison:
    first = save_audit(tmp_path / "a", {"model": before})
    return compare(first, save_audit(tmp_path / "b", {"model": after}), settings=settings)


def rate(comparison: Comparison, value: str, category: str | None = "attractiveness") -> RateChange:
    (found,) = [r for r in comparison.rates if (r.group, r.category) == (value, category)]
    return found


def test_a_rate_that_rose_has_changed_and_the_other_has_not(tmp_path: Path) -> None:
    found = compared(tmp_path, version(10, 8), version(50, 8))
    women, men = rate(found, "female"), rate(found, "male")
    assert (women.before, women.after) == tuple(map(ValueRate.of, (Tally(10, 150), Tally(50, 150))))
    assert women.change.value == pytest.approx(40 / 150)
    assert women.change.low > 0
    assert women.verdict == "changed"
    # The descriptions of men are unchanged, so paired differences are constant.
    assert (men.change.value, men.change.low, men.change.high) == (0, 0, 0)
    assert men.p == 1
    assert men.verdict == "same"
    (gap,) = found.gaps
    assert gap.change.value == pytest.approx(40 / 150)
    assert gap.change.low > 0
    assert found.notes == ()


def test_shares_of_who_is_spoken_of_are_compared_too(tmp_path: Path) -> None:
    after = [(image, "a person", ["a person"]) if image.startswith("w") else (image, text, labels)
             for image, text, labels in version(0, 8)]  # fmt: skip
    found = compared(tmp_path, version(0, 8), after)
    share = rate(found, "female", None)
    assert (share.before, share.after) == tuple(map(ValueRate.of, (Tally(150, 300), Tally(0, 300))))
    assert share.verdict == "changed"
    assert math.isnan(rate(found, "female").change.value)
    assert rate(found, "female").verdict == "insufficient"


def test_pairing_by_image_makes_intervals_narrower_than_no_pairs(tmp_path: Path) -> None:
    paired = compared(tmp_path / "p", version(30, 0), version(40, 0))
    apart = compared(tmp_path / "u", version(30, 0), version(40, 0, start=1000))
    narrow, wide = (rate(found, "female").change for found in (paired, apart))
    assert narrow.value == pytest.approx(wide.value)
    assert narrow.high - narrow.low < wide.high - wide.low
    assert any("' cover different images: only images in both are paired" in note for note in apart.notes)
    # Without pairs the exact test is Fisher's; with them McNemar's on ten images of one kind.
    assert rate(paired, "female").p == pytest.approx(2 * 0.5**10)
    assert rate(apart, "female").p > 0.1


def test_few_events_are_never_the_same_by_luck(tmp_path: Path) -> None:
    found = compared(tmp_path, version(0, 1, size=20), version(0, 0, size=20))
    assert rate(found, "male").verdict == "insufficient"
    wide = compared(
        tmp_path / "w", version(0, 1, size=20), version(0, 0, size=20), VerdictSettings(1.0, samples=50)
    )
    assert rate(wide, "male").verdict == "same"


def test_one_system_each_is_compared_whatever_the_names(tmp_path: Path) -> None:
    first = save_audit(tmp_path / "a", {"v1": version(3, 3)})
    second = save_audit(tmp_path / "b", {"v2": version(3, 3)})
    found = compare(first, second, settings=SETTINGS)
    assert found.systems == (Versions(before="v1", after="v2"),)
    assert "comparing 'v1' before with 'v2' after" in found.notes


def test_audits_without_a_common_system_are_an_error(tmp_path: Path) -> None:
    first = save_audit(tmp_path / "a", {"v1": version(3, 3), "w1": version(3, 3)})
    second = save_audit(tmp_path / "b", {"v2": version(3, 3)})
    with pytest.raises(InputError, match="the audits have no system in common: v1, w1 before, v2 after"):
        compare(first, second)


def test_systems_and_groups_that_only_one_audit_has_are_told_or_left_out(tmp_path: Path) -> None:
    first = save_audit(tmp_path / "a", {"m": version(3, 3), "old": version(3, 3)}, by=("gender", "age"))
    second = save_audit(tmp_path / "b", {"m": version(3, 3)})
    found = compare(first, second, settings=SETTINGS)
    assert "only in one of the audits: old" in found.notes
    assert {change.by for change in found.rates} == {None, "gender"}
