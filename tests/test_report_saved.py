"""Tables and plots of a saved audit: for papers, for spreadsheets, and of what lies beside it."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from assess.audits.html.input import read_input
from assess.audits.tables import audit_plots, audit_tables
from typer.testing import CliRunner

from assess.audits.html.page import html_page
from assess.cli.main import app
from assess.report.csv import csv_table
from assess.report.latex import latex_document
from assess.report.section import ForestChart, HeatMap, Table
from tests.html_audits import save_made_up
from tests.test_report_html import changed
from tests.test_report_html_parts import cell, with_cells

RECALL: dict[str, Any] = {
    "systems": {
        "system-0": {
            "captions": 100,
            "recalled": 40,
            "local_precision": 0.5,
            "deciles": [0.9, 0.1],
            "local": {"micro": {"1": 0.25, "2": None}},
        }
    },
    "intervals": {
        "level": 0.9,
        "systems": {
            "system-0": {"local_precision_micro": [0.5, 0.4, 0.6], "local_micro_1": [0.25, 0.2, 0.3]}
        },
    },
}
DIVERSITY: dict[str, Any] = {
    "systems": {"system-0": {"captions": 3, "ttr1": 0.25, "curve": {"tokens": [5, 10], "types": [4, 6.5]}}}
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_made_up(tmp_path_factory.mktemp("saved"), mentions=300, systems=2, labels=60)


@pytest.fixture
def saved(folder: Path, tmp_path: Path) -> Path:
    cells = [
        cell("system-0", "mood", "insufficient"),
        cell("system-0", "age", "none", (0.1, 0.1)),
        cell("system-1", "age", "disparity", (0.1, 0.4)),
    ]
    with_cells(folder, tmp_path, *cells)
    return changed(tmp_path, tmp_path, recall=RECALL, diversity=DIVERSITY)


def tables_of(path: Path, *, everything: bool = False) -> dict[str, Table]:
    return {table.name: table for table in audit_tables(read_input(path), everything=everything)}


def rows_of(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_table(table))))


def test_systems_and_categories_are_counted_as_the_audit_counts_them(saved: Path) -> None:
    results = json.loads((saved / "audit.json").read_text())
    tables = tables_of(saved, everything=True)
    for row in rows_of(tables["coverage"]):
        system = results["systems"][row["system"]]
        assert int(row["labels"]) == system["labels"]
        assert float(row["best_modifiers_per_label"]) == system["best"]["modifiers_per_label"]
        assert float(row["read_in_full"]) == 1
    shares, labels = rows_of(tables["categories"]), rows_of(tables["category_labels"])
    assert {(row["role"], row["category"]) for row in shares} == {("modifier", "age"), ("modifier", "mood"),
        ("modifier", "height"), ("head", "gendered"), ("head", "general")}  # fmt: skip
    for share, count in zip(shares, labels, strict=True):
        total = results["systems"]["system-1"]["labels"]
        assert float(share["system-1"]) == pytest.approx(int(count["system-1"]) / total)


def test_papers_show_what_is_decided_and_spreadsheets_everything(saved: Path) -> None:
    paper, everything = tables_of(saved)["bias_gender"], tables_of(saved, everything=True)["bias_gender"]
    assert [row[-1].text for row in paper.rows] == ["disparity", "none"]
    assert [column.name for column in paper.columns][2:4] == ["female", "male"]
    assert [cell.text for cell in paper.rows[0]][:5] == ["system-1", "age", "10.0%", "40.0%", "−30.0"]
    rows = rows_of(everything)
    assert [row["verdict"] for row in rows] == ["disparity", "none", "insufficient"]
    assert (rows[0]["group"], rows[0]["against"], rows[0]["yes"], rows[0]["other_yes"]) == (
        "female",
        "male",
        "10",
        "40",
    )
    assert float(rows[0]["difference"]) == pytest.approx(-30)
    assert "insufficient (1)" in paper.notes[1]


def test_several_pairs_of_values_are_named_in_every_row(folder: Path, tmp_path: Path) -> None:
    with_cells(folder, tmp_path, cell("system-0", "age", "disparity"))
    results = json.loads((tmp_path / "audit.json").read_text())
    results["bias"]["gender"]["pairs"].append(["female", "neutral"])
    changed(tmp_path, tmp_path, bias=results["bias"])
    paper = tables_of(tmp_path)["bias_gender"]
    assert [column.key for column in paper.columns][2:4] == ["group", "against"]


def test_measures_have_intervals_where_there_is_room_and_in_columns_of_their_own(saved: Path) -> None:
    paper, everything = tables_of(saved), tables_of(saved, everything=True)
    assert [cell.text for cell in paper["local_recall"].rows[0]] == [
        "system-0",
        "25.0% (20.0% to 30.0%)",
        "–",
    ]
    assert paper["local_recall"].notes == ("In brackets: 90% intervals over images",)
    row = rows_of(everything["local_recall"])[0]
    assert (row["1"], row["1_low"], row["1_high"], row["2"]) == ("0.25", "0.2", "0.3", "")
    assert rows_of(everything["recall"])[0]["local_precision_low"] == "0.4"
    assert rows_of(everything["recall"])[0]["captions"] == "100"
    assert [row["system_0"] for row in rows_of(everything["type_token_curve"])] == ["4", "6.5"]
    assert "type_token_curve" not in paper


def test_a_file_beside_the_audit_is_shown_in_place_of_what_it_has(saved: Path) -> None:
    other = json.loads(json.dumps(DIVERSITY))
    other["systems"]["system-0"]["ttr1"] = 0.75
    (saved / "diversity.json").write_text(json.dumps(other))
    assert rows_of(tables_of(saved)["diversity"])[0]["ttr1"] == "0.75"
    stale = {"signature": {"inputs": [{"name": "system-0", "captions": 1, "sha256": "f" * 64}]}}
    (saved / "diversity.json").write_text(json.dumps({**other, **stale}))
    assert rows_of(tables_of(saved)["diversity"])[0]["ttr1"] == "0.25"
    assert "diversity.json was measured on other captions" in html_page(read_input(saved))


def test_every_row_of_every_table_fits_its_columns_in_latex(saved: Path) -> None:
    tables = list(tables_of(saved).values())
    text = latex_document(tables, signature="assess 1 | by=gender")
    assert text.splitlines()[1] == "% assess 1 | by=gender"
    found = re.findall(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", text, flags=re.DOTALL)
    assert len(found) == len(tables) == text.count(r"\toprule") == text.count(r"\bottomrule")
    for columns, body in found:
        lines = [line for line in body.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
        assert lines
        assert {len(re.split(r"(?<!\\)&", line)) for line in lines} == {len(columns)}


def test_a_group_from_a_file_names_no_other_file(folder: Path, tmp_path: Path) -> None:
    results = json.loads((folder / "audit.json").read_text())
    changed(folder, tmp_path, bias={"../../Who?": results["bias"]["gender"]})
    assert "bias_who" in tables_of(tmp_path)


def test_plots_have_the_shares_and_the_disparities(saved: Path) -> None:
    plots = {plot.name: plot for plot in audit_plots(read_input(saved))}
    assert {"coverage", "categories", "bias_gender", "type_token_curve", "coverage_by_decile",
        "local_recall"} == set(plots)  # fmt: skip
    heat, forest = plots["categories"], plots["bias_gender"]
    assert isinstance(heat, HeatMap)
    assert isinstance(forest, ForestChart)
    assert heat.shares
    assert "gendered (head)" in heat.rows
    assert forest.rows[0][0] == "system-1: age (female − male)"
    assert forest.rows[0][1:] == pytest.approx((-30, -40, -20))


def test_the_command_writes_what_is_asked_for_and_nothing_else(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    asked = ["--latex", str(out / "t.tex"), "--markdown", str(out / "t.md"), "--csv", str(out / "csv")]
    done = CliRunner().invoke(app, ["report", str(saved), *asked])
    assert done.exit_code == 0, done.output
    assert not (saved / "report.html").exists()
    assert sorted(path.name for path in out.iterdir()) == ["csv", "t.md", "t.tex"]
    assert str(out / "t.tex") in done.output
    assert "**Coverage**" in (out / "t.md").read_text(encoding="utf-8")
    names = {path.name for path in (out / "csv").iterdir()}
    assert {"about.txt", "coverage.csv", "categories.csv", "bias_gender.csv", "recall.csv"} <= names


@pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="needs matplotlib (the plots extra)"
)
def test_the_command_draws_plots(saved: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["report", str(saved), "--plots", str(tmp_path / "plots")])
    assert done.exit_code == 0, done.output
    assert b"system-1: age" in (tmp_path / "plots" / "bias_gender.svg").read_bytes()
