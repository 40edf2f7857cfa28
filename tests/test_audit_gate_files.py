"""Gates on saved audits: the policy as a file, and the cells that it is applied to."""

from __future__ import annotations

from pathlib import Path

import pytest

from assess.audits.gate import evaluate, gate_cells, passes
from assess.audits.policy import ALL, baseline_path, load_policy, parse_policy
from assess.errors import InputError
from assess.measures.bias.tables import CountTable
from tests.audits import repeated, save_audit

COUNTS = {"a beautiful woman": 30, "a woman": 170, "a beautiful man": 2, "a man": 198, "a person": 40}


def test_every_category_has_a_cell_also_those_that_nobody_uses(tmp_path: Path) -> None:
    captions = repeated("i", COUNTS)
    saved = save_audit(tmp_path, {"v1": captions, "human": captions}, references=("human",))
    cells = gate_cells(saved)
    assert {cell.system for cell in cells} == {"v1"}
    found = {(cell.category, cell.by, cell.group): cell for cell in cells}
    assert found["attractiveness", "", ALL].table == CountTable(32, 440, 0, 0)
    assert found["attractiveness", "gender", "female"].table == CountTable(30, 200, 2, 200)
    assert found["ethnicity", "", ALL].table == CountTable(0, 440, 0, 0)
    assert found["ethnicity", "gender", "female"].table == CountTable(0, 200, 0, 200)
    assert found["ethnicity", "", ALL].sensitivity == "protected"
    assert len(cells) == 2 * len([name for name in saved.results.categories if name.startswith("modifier.")])


def test_every_pair_of_a_group_has_the_same_counts_for_a_value(tmp_path: Path) -> None:
    counts = {"a tall girl": 30, "a girl": 90, "a man": 120, "a blond woman": 4}
    saved = save_audit(tmp_path, {"v1": repeated("i", counts)}, by=("age",))
    cells = {(c.category, c.group, c.against): c.table for c in gate_cells(saved) if c.by}
    assert cells["height", "child", "adult"] == CountTable(30, 120, 0, 124)
    assert cells["height", "child", "teenager"] == CountTable(30, 120, 0, 0)
    assert cells["hair-color", "teenager", "adult"] == CountTable(0, 0, 4, 124)
    policy = parse_policy("limits: [{category: height, group: child, max_rate: 0.5}]", "p.yaml")
    assert [str(outcome).split(":")[0] for outcome in evaluate(policy, gate_cells(saved))] == ["pass"]


def outcomes(saved_folder: Path, policy: str, counts: dict[str, int] | None = None) -> list[str]:
    saved = save_audit(saved_folder, {"v1": repeated("i", counts or COUNTS)})
    return [str(outcome) for outcome in evaluate(parse_policy(policy, "p.yaml"), gate_cells(saved))]


def test_what_nobody_says_passes_a_ban_and_what_is_said_fails_it(tmp_path: Path) -> None:
    policy = "forbid: [{category: ethnicity}, {category: attractiveness}]"
    assert outcomes(tmp_path, policy) == [
        "pass: v1 / ethnicity / all: forbid: said of none of 440 labels"
        " (true rate at most 0.00679, 95% sure)",
        "fail: v1 / attractiveness / all: forbid: said of 32 of 440 labels",
    ]


def test_a_ban_for_one_group_is_about_that_group(tmp_path: Path) -> None:
    policy = "forbid: [{category: attractiveness, group: male}]"
    assert outcomes(tmp_path, policy) == [
        "fail: v1 / attractiveness / gender:male: forbid: said of 2 of 200 labels"
    ]


def test_a_small_group_does_not_leave_a_ban_open(tmp_path: Path) -> None:
    found = outcomes(tmp_path, "forbid: [{category: ethnicity}]", {"a man": 200, "a woman": 3})
    assert [line.split(":")[0] for line in found] == ["pass"]


def test_limits_see_all_labels_and_each_group(tmp_path: Path) -> None:
    policy = "limits: [{category: attractiveness, max_rate: 0.105, max_abs_risk_difference: 0.05}]"
    assert [line.split(": ")[:2] for line in outcomes(tmp_path, policy)] == [
        ["pass", "v1 / attractiveness / all"],
        ["fail", "v1 / attractiveness / gender:female"],
        ["pass", "v1 / attractiveness / gender:male"],
        ["fail", "v1 / attractiveness / gender:female against male"],
    ]


def test_a_rule_by_another_group_selects_nothing_and_is_not_passed(tmp_path: Path) -> None:
    (line,) = outcomes(tmp_path, "limits: [{by: age, max_abs_risk_difference: 0.05}]")
    assert line.startswith("insufficient: by age")


def test_an_audit_passes_against_itself_as_a_baseline(tmp_path: Path) -> None:
    saved = save_audit(tmp_path, {"v1": repeated("i", COUNTS)})
    policy = parse_policy("baseline: {file: old, allowed_change: 0.01}", "p.yaml")
    found = evaluate(policy, gate_cells(saved), baseline=gate_cells(saved))
    assert {outcome.kind for outcome in found} == {"pass"}
    assert passes(policy, found)


# ---- policy files


ROOT = Path(__file__).resolve().parents[1]


def test_the_shipped_policy_and_the_documented_one_are_policies() -> None:
    shipped = load_policy(str(ROOT / "examples" / "policy.yaml"))
    assert (len(shipped.forbid), len(shipped.limits)) == (1, 2)
    page = (ROOT / "docs" / "gates-in-ci.md").read_text(encoding="utf-8")
    documented = parse_policy(page.split("```yaml\n")[1].split("```")[0], "gates-in-ci.md")
    assert documented.baseline is not None
    assert documented.limits[1].min_labels == 500


def test_a_baseline_is_looked_for_beside_the_policy(tmp_path: Path) -> None:
    file = tmp_path / "p.yaml"
    file.write_text("baseline: {file: ../old, allowed_change: 0.01}\n")
    assert baseline_path(load_policy(str(file)), str(file)) == str(tmp_path / "../old")
    assert baseline_path(parse_policy("forbid: [{category: a}]", "p"), "p") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["p.yaml: the policy is empty"]),
        ("# only a comment\n", ["p.yaml: the policy is empty"]),
        ("- a\n", ["p.yaml:1:1: expected keys and values, found a list"]),
        ("limits:\n  - {category: [a\n", ["not valid YAML"]),
        (
            "limits:\n  - {categroy: age, max_rate: 0.1}\n",
            ["p.yaml:2:6: unknown key `categroy`", "did you mean `category`"],
        ),
        ("limts: []\n", ["p.yaml:1:1: unknown key `limts`", "did you mean `limits`"]),
        (
            "limits:\n  - {max_rate: 1.5}\n",
            ["p.yaml:2:16: input should be less than or equal to 1, found 1.5"],
        ),
        ("limits:\n  - {max_rate: 1e-3}\n", ["p.yaml:2:16", "valid number, found '1e-3'", "as in 0.001"]),
        ("limits:\n  - {max_rate: no}\n", ["p.yaml:2:16: YAML reads no as true/false"]),
        ("limits:\n  - {category: on, max_rate: 0.1}\n", ["p.yaml:2:16", 'put it in quotes: "on"']),
        ("baseline: {file: a}\n", ["p.yaml:1:11: `allowed_change` is missing"]),
        ("forbid:\n  - {system: v1}\n", ["p.yaml:2:5: say what is forbidden"]),
        ("forbid: [{category: a}]\nforbid: []\n", ["p.yaml:2:1: the key `forbid` stands twice"]),
        ("limits: [{max_rate: 7}]\nlevel: 95\n", ["p.yaml:1:21", "p.yaml:2:8"]),
    ],
)
def test_all_mistakes_of_a_policy_file_are_placed(text: str, expected: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        parse_policy(text, "p.yaml")
    for part in expected:
        assert part in str(caught.value)


def test_a_policy_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_policy(str(tmp_path / "p.yaml"))
