"""Markdown and CSV tables: nothing of a caption or a name can leave its cell."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.report.csv import csv_table, csv_text, safe_text, write_csv
from assess.report.markdown import escaped, markdown_document, markdown_table
from assess.report.section import Column, Table, decimal, share, undefined, whole, words

TABLE = Table(
    "syntax",
    "Syntax",
    (Column("system", "system", words=True), Column("c2", "2", "Compounds"), Column("share", "%")),
    ((words("a|b"), whole(1234), share(0.5)), (words("=1+1"), whole(2), undefined())),
    ("a note",),
)


def test_a_table_has_aligned_columns_and_groups_in_their_names() -> None:
    lines = markdown_table(TABLE).splitlines()
    assert lines[0] == "**Syntax**"
    assert lines[2] == "| system | Compounds 2 | % |"
    assert lines[3] == "| --- | ---: | ---: |"
    assert lines[4] == r"| a\|b | 1,234 | 50.0% |"
    assert lines[5] == "| =1+1 | 2 | – |"
    assert "a note" in lines[7]


def test_a_document_ends_with_the_signature() -> None:
    assert markdown_document([TABLE], signature="assess `1`").endswith("\n`assess '1'`\n")


@given(st.text())
def test_escaped_text_stays_in_its_cell(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[|<>\[\]`*]", shown)


def test_csv_has_exact_values_and_empty_cells_for_what_is_undefined() -> None:
    rows = list(csv.reader(io.StringIO(csv_table(TABLE))))
    assert rows == [["system", "c2", "share"], ["a|b", "1234", "0.5"], ["'=1+1", "2", ""]]


def test_negative_numbers_are_numbers_and_no_formulas() -> None:
    table = Table("t", "t", (Column("x", "x"),), ((decimal(-1.25),),))
    assert csv_table(table) == "x\n-1.25\n"


@given(st.text())
def test_no_text_begins_a_formula(text: str) -> None:
    shown = safe_text(text)
    assert not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    kept = "".join("\ufffd" if unicodedata.category(c) == "Cc" and c not in "\t\r\n" else c for c in text)
    assert shown in (kept, f"'{kept}")


@pytest.mark.parametrize("text", [" =1", "\ufeff=1", "\x00=1", "\u200b+1", "\uff1d1", "\u202e@x", "\r=1"])
def test_a_hidden_or_wide_sign_is_guarded_too(text: str) -> None:
    assert safe_text(text).startswith("'")


@given(
    st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=2, max_size=2))
)
def test_every_cell_comes_back_whatever_line_ends_it_holds(rows: list[list[str]]) -> None:
    text = csv_text(rows)
    assert list(csv.reader(io.StringIO(text, newline=""))) == rows
    # A reader that takes every kind of line end for one agrees: what holds one stands in quotation marks.
    unquoted = re.sub(r'"(?:[^"]|"")*"', "", text)
    assert "\r" not in unquoted
    assert unquoted.count("\n") == len(rows)


def test_one_file_a_table_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    write_csv([TABLE], folder, signature="assess 1 | a=b")
    assert (folder / "syntax.csv").read_text(encoding="utf-8") == csv_table(TABLE)
    about = (folder / "about.txt").read_text(encoding="utf-8")
    assert about.startswith(f"syntax.csv: {TABLE.title}.")
    assert about.endswith("signature: assess 1 | a=b\n")


def test_a_mean_of_counts_is_shown_rounded_and_kept_exact() -> None:
    cell = whole(1234.6)
    assert (cell.text, cell.value) == ("1,235", 1234.6)
    assert math.isnan(float(whole(math.nan).value))
