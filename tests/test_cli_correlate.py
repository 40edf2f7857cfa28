"""`assess correlate`: matrices over systems, and predictors of post-gen scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import assess


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("system,up,down,flat\na,1,9,5\nb,2,4,5\nc,3,1,5\nd,4,0,5\n", encoding="utf-8")
    return path


def test_a_matrix_has_spearman_and_pearson_and_leaves_out_what_does_not_vary(table: Path) -> None:
    found = assess("correlate", table, "--json").json
    assert found["measures"] == ["up", "down"]
    assert found["spearman"]["coefficients"] == [[1.0, -1.0], [-1.0, 1.0]]
    assert found["pearson"]["coefficients"][0][1] == pytest.approx(-15 / (7 * 5**0.5))
    assert found["pearson"]["systems"] == [[4, 4], [4, 4]]
    assert any("constant columns are excluded: flat" in note for note in found["notes"])
    shown = assess("correlate", table, "--method", "both").stdout
    assert "Spearman's rank correlation" in shown
    assert "−0.96" in shown


def test_results_of_other_commands_are_joined_by_system(tmp_path: Path) -> None:
    diversity = {
        "systems": {
            "a": {"asl": 9.0, "curve": {"types": [1, 2]}, "reference": False},
            "b": {"asl": 10.0, "reference": False},
            "c": {"asl": 12.0, "reference": False},
            "people": {"asl": 1.0, "reference": True},
        }
    }
    recall = {"systems": {"c": {"local": {"micro": {"5": 0.1}}}, "a": {"local": {"micro": {"5": 0.3}}}}}
    paths = []
    for name, content in (("diversity", diversity), ("recall", recall)):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        paths.append(path)
    found = assess("correlate", *paths, "--json").json
    assert found["measures"] == ["asl", "local.micro.5"]
    assert found["rows"] == 2
    assert found["spearman"]["coefficients"][0][1] == pytest.approx(-1.0)
    assert "2 of 3 systems are in all tables" in found["notes"]


def test_a_table_may_come_from_standard_input(table: Path) -> None:
    found = assess("correlate", table, "--json").json
    given = assess("correlate", "-", "--json", stdin=table.read_text(encoding="utf-8")).json
    assert given["spearman"] == found["spearman"]
    assert [read["sha256"] for read in given["signature"]["inputs"]] == [
        read["sha256"] for read in found["signature"]["inputs"]
    ]
    rows = json.dumps([{"system": "a", "x": 1, "y": 3}, {"system": "b", "x": 2, "y": 1}])
    assert assess("correlate", "-", "--json", stdin=rows).json["measures"] == ["x", "y"]


def test_undefined_scores_are_left_out_pair_by_pair(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    rows = [{"x": 1, "y": 2, "z": None}, {"x": 2, "y": 1, "z": 3}, {"x": 3, "y": 0, "z": 5}]
    path.write_text(json.dumps(rows), encoding="utf-8")
    found = assess("correlate", path, "--json").json
    assert found["spearman"]["systems"][0] == [3, 3, 2]


def test_post_gen_scores_rank_their_predictors(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    rows = [f"{'xy'[i % 2]}\t{i}\t{i * i}\t{(i * 7) % 5}\tinf" for i in range(12)]
    path.write_text("set\tCIDEr\tgood\tbad\tbroken\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = assess("correlate", path, "--post", "CIDEr", "--by", "set", "--json").json
    assert found["top"]["all"]["CIDEr"] == ["good", "bad"]
    whole = [one for one in found["correlations"] if one["dataset"] == "all"]
    assert {one["pre"]: one["why"] for one in whole} == {"good": None, "bad": None, "broken": "not-finite"}
    assert {one["dataset"] for one in found["correlations"]} == {"x", "y", "all"}
    shown = assess("correlate", path, "--post", "CIDEr", "--by", "set").stdout
    assert "Best predictors in x" in shown
    assert "1 scores are not finite or are constant" in shown


def test_post_gen_scores_without_others_have_no_predictors(table: Path) -> None:
    done = assess("correlate", table, "--post", "up,down,flat")
    assert (done.code, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--columns", "nothing"], "no numeric column matches 'nothing'"),
        (["--columns", "up"], "a correlation needs two numeric columns"),
        (["--columns", "flat,up"], "fewer than two of 2 columns vary"),
        (["--post", "up", "--by", "nobody"], "no numeric column 'nobody'"),
        (["--method", "kendall"], "--method must be spearman, pearson or both"),
    ],
)
def test_a_mistake_is_a_message_and_exit_code_2(table: Path, options: list[str], message: str) -> None:
    done = assess("correlate", table, *options)
    assert (done.code, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "this is not JSON"),
        ("[1, 2]", "each row must be an object of scores"),
        ("{}", "no scores of systems"),
        ('{"a": {"x": 1}} x', "there is extra content after the JSON value"),
    ],
)
def test_json_that_holds_no_scores_is_told(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content, encoding="utf-8")
    done = assess("correlate", path)
    assert done.code == 2
    assert message in done.stderr


def test_tables_that_cannot_be_joined_are_told(table: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("system,x\nq,1\nr,2\n", encoding="utf-8")
    assert "no system in common" in assess("correlate", table, other).stderr
    other.write_text("system,up\na,7\nb,2\n", encoding="utf-8")
    assert "two tables have a column 'up', with different values" in assess("correlate", table, other).stderr
    other.write_text("system,x\na,7\na,2\n", encoding="utf-8")
    assert "a system has two rows" in assess("correlate", table, other).stderr


def test_very_many_measures_are_shown_as_the_strongest_pairs(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"m{number}" for number in range(40)]
    rows = [",".join(str((row * 7 + place * place) % 11) for place in range(40)) for row in range(6)]
    path.write_text(",".join(names) + "\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = assess("correlate", path)
    assert "The strongest 20 of" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
