"""Gates: what policies may contain, their decisions about a saved audit, and output for CI services."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from assess.audits import policy as policy_module
from assess.audits.gate import Kind, Outcome, evaluate, junit, passes
from assess.audits.policy import ALL, Cell, Policy, baseline_path, gate_cells, load_policy, parse_policy
from assess.errors import InputError, UsageError
from assess.measures.bias.tables import CountTable
from assess.taxonomy.model import Sensitivity
from tests.audits import repeated, save_audit


def _policy(**parts: Any) -> Policy:
    return Policy.model_validate(parts)


def _cell(
    table: CountTable,
    *,
    category: str = "age",
    system: str = "v1",
    sensitivity: Sensitivity = "none",
    against: str | None = "male",
) -> Cell:
    return Cell(system, category, "female", against, table, sensitivity)


def _kinds(policy: Policy, *cells: Cell, baseline: list[Cell] | None = None) -> list[Kind]:
    return [outcome.kind for outcome in evaluate(policy, cells, baseline=baseline)]


def test_the_example_in_the_documentation_is_a_policy() -> None:
    example = (policy_module.__doc__ or "").split("```")[1].removeprefix("yaml")
    policy = Policy.model_validate(yaml.safe_load(example))
    assert (len(policy.forbid), len(policy.limits), policy.min_labels) == (2, 3, 200)
    assert policy.limits[1].category == ("age", "mood")


@pytest.mark.parametrize(
    ("yes", "labels", "kind", "reason"),
    [
        (10, 10_000, "pass", "rate 0.001 [0.0005433, 0.00184] is within the limit"),
        (0, 10_000, "pass", "within the limit"),
        (500, 10_000, "fail", "beyond the limit"),
        (205, 10_000, "insufficient", "includes the limit"),
        (195, 10_000, "insufficient", "includes the limit"),
        (0, 99, "insufficient", "99 labels, fewer than the 100"),
        (50, 50, "insufficient", "50 labels, fewer than the 100"),
        (0, 0, "insufficient", "0 labels, fewer than the 100"),
    ],
)
def test_a_rate_passes_or_fails_only_with_its_whole_interval(
    yes: int, labels: int, kind: Kind, reason: str
) -> None:
    policy = _policy(limits=[{"category": "age", "group": "female", "max_rate": 0.02}])
    (outcome,) = evaluate(policy, [_cell(CountTable(yes, labels, 0, 0))])
    assert outcome.kind == kind
    assert reason in outcome.reason
    assert (outcome.rule, outcome.subject) == ("max_rate 0.02", "v1 / age / female")


def test_both_groups_of_a_contrast_have_a_rate_and_each_counts_once() -> None:
    policy = _policy(limits=[{"max_rate": 0.5}])
    cells = [
        Cell("v1", "age", "female", "male", CountTable(10, 1000, 900, 1000)),
        Cell("v1", "age", "female", "neutral", CountTable(10, 1000, 20, 1000)),
    ]
    outcomes = evaluate(policy, cells)
    assert [(outcome.subject, outcome.kind) for outcome in outcomes] == [
        ("v1 / age / female", "pass"),
        ("v1 / age / male", "fail"),
        ("v1 / age / neutral", "pass"),
    ]


def test_two_counts_for_one_rate_are_an_error() -> None:
    cells = [_cell(CountTable(1, 1000, 2, 1000)), _cell(CountTable(3, 1000, 2, 1000))]
    with pytest.raises(InputError, match="conflicting counts for v1 / age / female"):
        evaluate(_policy(limits=[{"max_rate": 0.5}]), cells)


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (CountTable(1000, 10_000, 1010, 10_000), "pass"),
        (CountTable(2000, 10_000, 1000, 10_000), "fail"),
        (CountTable(1000, 10_000, 2000, 10_000), "fail"),
        (CountTable(100, 1000, 60, 1000), "insufficient"),
        (CountTable(1000, 10_000, 0, 99), "insufficient"),
        (CountTable(1000, 10_000, 0, 0), "insufficient"),
    ],
)
def test_a_difference_is_decided_by_its_whole_interval(table: CountTable, kind: Kind) -> None:
    policy = _policy(limits=[{"max_abs_risk_difference": 0.05}])
    (outcome,) = evaluate(policy, [_cell(table)])
    assert outcome.kind == kind
    assert outcome.subject == "v1 / age / female against male"


def test_a_limit_may_ask_for_more_labels_than_the_policy() -> None:
    limit = {"max_abs_risk_difference": 0.05}
    cell = _cell(CountTable(1000, 10_000, 1010, 10_000))
    assert _kinds(_policy(limits=[limit | {"min_labels": 20_000}]), cell) == ["insufficient"]
    assert _kinds(_policy(limits=[limit], min_labels=20_000), cell) == ["insufficient"]
    assert _kinds(_policy(limits=[limit | {"min_labels": 10_000}], min_labels=20_000), cell) == ["pass"]


@pytest.mark.parametrize(
    ("yes", "labels", "kind", "reason"),
    [
        (1, 100_000, "fail", "said in 1 of 100,000 labels"),
        (1, 1, "fail", "said in 1 of 1 label"),
        (0, 75_044, "pass", "said in none of 75,044 labels (true rate at most 3.99e-05 with 95% confidence)"),
        (0, 99, "insufficient", "fewer than the 100"),
        (0, 0, "insufficient", "fewer than the 100"),
    ],
)
def test_one_label_is_enough_to_break_a_ban(yes: int, labels: int, kind: Kind, reason: str) -> None:
    policy = _policy(forbid=[{"category": "ethnicity"}])
    (outcome,) = evaluate(policy, [_cell(CountTable(yes, labels, 0, 0), category="ethnicity", against=None)])
    assert (outcome.kind, outcome.rule) == (kind, "forbid")
    assert reason in outcome.reason


def test_a_sensitivity_can_be_forbidden() -> None:
    policy = _policy(forbid=[{"sensitivity": ["offensive", "protected"]}])
    cells = [
        _cell(CountTable(1, 1000, 0, 1000), category="slur", sensitivity="offensive"),
        _cell(CountTable(5, 1000, 5, 1000), category="mood"),
    ]
    outcomes = evaluate(policy, cells)
    assert [(outcome.subject, outcome.kind) for outcome in outcomes] == [
        ("v1 / slur / female", "fail"),
        ("v1 / slur / male", "pass"),
    ]


def test_a_rule_that_selects_nothing_is_not_passed() -> None:
    policy = _policy(forbid=[{"category": "etnicity", "system": ["v1", "v2"]}])
    (outcome,) = evaluate(policy, [_cell(CountTable(0, 1000, 0, 1000), category="ethnicity")])
    assert outcome.kind == "insufficient"
    assert outcome.subject == "system v1 or v2, category etnicity"
    assert not passes(policy, [outcome])


BASELINE = {"baseline": {"file": "old.json", "allowed_change": 0.02}}


@pytest.mark.parametrize(
    ("now", "then", "kind", "reason"),
    [
        ((1000, 10_000), (1010, 10_000), "pass", "within the limit"),
        ((2000, 10_000), (1000, 10_000), "fail", "change 0.1 "),
        ((1000, 10_000), (2000, 10_000), "fail", "change -0.1 "),
        ((15, 150), (16, 150), "insufficient", "includes the limit"),
        ((15, 150), (15, 150), "pass", "unchanged: 15 of 150 labels"),
        ((5, 50), (5, 50), "insufficient", "fewer than the 100"),
        ((5, 50), (500, 5000), "insufficient", "fewer than the 100"),
    ],
)
def test_a_rate_may_move_so_far_from_the_baseline(
    now: tuple[int, int], then: tuple[int, int], kind: Kind, reason: str
) -> None:
    cells = [_cell(CountTable(*counts, 0, 0), against=None) for counts in (now, then)]
    (outcome,) = evaluate(_policy(**BASELINE), cells[:1], baseline=cells[1:])
    assert outcome.kind == kind
    assert reason in outcome.reason


def test_rates_that_only_one_audit_has_are_open() -> None:
    table = CountTable(1, 1000, 0, 0)
    outcomes = evaluate(
        _policy(**BASELINE),
        [_cell(table, category="new", against=None)],
        baseline=[_cell(table, category="gone", against=None)],
    )
    assert [(outcome.kind, outcome.subject, outcome.reason) for outcome in outcomes] == [
        ("insufficient", "v1 / new / female", "only in the audit"),
        ("insufficient", "v1 / gone / female", "only in the baseline"),
    ]


def test_a_system_or_group_that_only_one_audit_has_is_one_line() -> None:
    table = CountTable(1, 1000, 2, 1000)
    known = [_cell(table, category=name) for name in ("a", "b", "c")]
    new = [replace(cell, system="v2") for cell in known]
    other = [replace(cell, by="age", group="child", against="adult") for cell in known]
    outcomes = evaluate(_policy(**BASELINE), [*known, *new, *other], baseline=known)
    assert [(o.subject, o.kind, o.reason) for o in outcomes if o.reason.startswith("only")] == [
        ("v2", "insufficient", "only in the audit"),
        ("v1 / by age", "insufficient", "only in the audit"),
    ]


def test_a_policy_with_a_baseline_needs_one() -> None:
    with pytest.raises(UsageError, match=r"old\.json, but no baseline was given"):
        evaluate(_policy(**BASELINE), [_cell(CountTable(1, 1000, 0, 1000))])


@pytest.mark.parametrize(
    ("kinds", "strict", "lenient"),
    [
        (["pass"], True, True),
        (["pass", "fail"], False, False),
        (["pass", "insufficient"], False, True),
        ([], True, True),
    ],
)
def test_only_a_decided_pass_is_a_pass_unless_allowed(kinds: list[Kind], strict: bool, lenient: bool) -> None:
    outcomes = [Outcome("rule", "subject", kind, "reason") for kind in kinds]
    rules = {"forbid": [{"category": "age"}]}
    assert passes(_policy(**rules), outcomes) is strict
    assert passes(_policy(**rules, allow_insufficient=True), outcomes) is lenient


@given(
    counts=st.lists(st.integers(0, 3000), min_size=4, max_size=4),
    largest=st.floats(0, 1),
    tighter=st.floats(0, 1),
)
def test_a_tighter_limit_never_turns_a_failure_into_a_pass(
    counts: list[int], largest: float, tighter: float
) -> None:
    cell = _cell(CountTable.from_cells(*counts))
    order = {"fail": 0, "insufficient": 1, "pass": 2}
    low, high = sorted((largest, tighter))
    tight, loose = (
        _kinds(_policy(limits=[{"max_rate": limit, "max_abs_risk_difference": limit}]), cell)
        for limit in (low, high)
    )
    assert all(order[one] <= order[other] for one, other in zip(tight, loose, strict=True))


OUTCOMES = [
    Outcome("forbid", "v1 / age / female", "pass", "said of none"),
    Outcome("max_rate 0.02", "v1 / <b>&\"' / female", "fail", "rate 0.5 is > the limit"),
    Outcome("max_rate 0.02", "v1 / mood / male", "insufficient", "3 labels"),
]


def test_junit_has_a_case_an_outcome_and_counts_them() -> None:
    suite = ElementTree.fromstring(junit(OUTCOMES))
    assert suite.attrib == {
        "name": "assess gate",
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
    }
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"]]
    assert suite[1].attrib == {"classname": "max_rate 0.02", "name": "v1 / <b>&\"' / female"}
    assert suite[1][0].attrib == {"message": "rate 0.5 is > the limit"}


def test_junit_skips_what_is_insufficient_only_where_that_is_allowed() -> None:
    suite = ElementTree.fromstring(junit(OUTCOMES, allow_insufficient=True))
    assert (suite.get("errors"), suite.get("skipped")) == ("0", "1")
    assert [child.tag for child in suite[2]] == ["skipped"]


@given(text=st.text())
@example(text="\uffff\ufffe\x00\ud800")
def test_junit_is_well_formed_whatever_the_names_are(text: str) -> None:
    suite = ElementTree.fromstring(junit([Outcome(text, text, "fail", text)], name=text))
    assert len(suite) == 1
    assert "\x1b" not in junit([Outcome(f"\x1b[31m{text}", text, "fail", text)])


# ---- saved audits


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
        "pass: v1 / ethnicity / all: forbid: said in none of 440 labels (true rate at most 0.00679 with 95%"
        " confidence)",
        "fail: v1 / attractiveness / all: forbid: said in 32 of 440 labels",
    ]


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
        (
            "limits:\n  - {max_rate: 1e-3}\n",
            ["p.yaml:2:16", "valid number, found '1e-3'", "write it like this: 0.001"],
        ),
        ("limits:\n  - {max_rate: no}\n", ["p.yaml:2:16: YAML reads no as true/false"]),
        ("limits:\n  - {category: on, max_rate: 0.1}\n", ["p.yaml:2:16", 'put it in quotes: "on"']),
        ("baseline: {file: a}\n", ["p.yaml:1:11: `allowed_change` is missing"]),
        ("forbid:\n  - {system: v1}\n", ["p.yaml:2:5: name what is forbidden"]),
        ("forbid: []\n", ["a policy without rules would pass every audit: add"]),
        (
            "limits: [{category: a}]\n",
            ["p.yaml:1:10: a limit needs max_rate, max_abs_risk_difference or no_verdict"],
        ),
        (
            "limits: [{max_rate: 0.1, min_labels: 0}]\n",
            ["p.yaml:1:38: input should be greater than or equal"],
        ),
        ("limits: [{max_rate: 0.1, category: []}]\n", ["p.yaml:1:36: needs at least one name"]),
        ("limits: {max_rate: 0.1}\n", ["p.yaml:1:9: must be a list"]),
        ("forbid: [{sensitivity: rude}]\n", ["p.yaml:1:24: input should be", "'offensive'"]),
        ("forbid: [{category: a}]\nforbid: []\n", ["p.yaml:2:1: the key `forbid` appears twice"]),
        ("limits: [{max_rate: 7}]\nlevel: 95\n", ["p.yaml:1:21", "p.yaml:2:8"]),
    ],
)
def test_all_mistakes_of_a_policy_file_are_placed(text: str, expected: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        parse_policy(text, "p.yaml")
    for part in expected:
        assert part in str(caught.value)
