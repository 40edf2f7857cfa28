"""Tables and curves in a terminal: what fits, what is cut, what stands above what."""

from __future__ import annotations

import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from assess.cli.console import print_parts
from assess.report.section import SYSTEM, Column, Table, cell, words
from assess.report.terminal import BARS, grouped_notes, new_table, note_lines, sparkline, terminal_table
from assess.report.text import count


def printed(table: Table, width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)
    for part in terminal_table(table, width=width):
        console.print(part)
    return out.getvalue()


def wide(columns: int, *, group: str = "", name: str = "a system") -> Table:
    heads = tuple(Column(f"c{n}", f"col{n}", group) for n in range(columns))
    row = (words(name), *(cell(1000 + n, count) for n in range(columns)))
    return Table("wide", "Wide", (SYSTEM, *heads), (row,), ("a note",))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_columns_that_do_not_fit_go_below_and_none_is_lost(width: int) -> None:
    text = printed(wide(30), width)
    assert max(map(len, text.splitlines())) <= width
    for number in range(30):
        assert text.count(f"{1000 + number:,}") == 1
    assert text.count("a note") == 1


def test_a_narrow_terminal_cuts_names_and_no_numbers() -> None:
    text = printed(wide(4, name="a system with quite a long name"), 30)
    assert max(map(len, text.splitlines())) <= 30
    for number in range(4):
        assert f"{1000 + number:,}" in text


def test_a_group_stands_once_over_its_columns_and_stays_together() -> None:
    table = wide(3, group="All three of them")
    lines = printed(table, 80).splitlines()
    assert lines[1] == ""
    assert lines[2].strip() == "All three of them"
    assert lines[3].split() == ["system", "col0", "col1", "col2"]
    assert lines[2].index("All") >= len("a system")


def test_columns_stand_closer_where_that_keeps_them_beside_each_other() -> None:
    table = wide(4, name="a system")
    loose, close, narrow = (printed(table, width) for width in (37, 36, 32))
    assert "1,000  1,001" in loose
    assert "1,000 1,001 1,002 1,003" in close
    assert "(continued)" not in loose + close
    assert "(continued)" in narrow


def test_numbers_run_over_rather_than_lose_digits_and_notes_use_the_whole_line() -> None:
    table = new_table("A title that is longer than the table", caption="A note that is longer, too")
    table.add_column("system", overflow="fold", min_width=6)
    for name in ("one", "two", "three"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("a", "1,234,567", "+23 (+16, +30)", "<.0001")
    for width in (20, 60):
        out = io.StringIO()
        print_parts(Console(file=out, width=width), [table])
        lines = [line.rstrip() for line in out.getvalue().splitlines()]
        assert " a       1,234,567  +23 (+16, +30)  <.0001" in lines
    assert lines[0] == "A title that is longer than the table"
    assert "A note that is longer, too" in lines


def test_names_are_cut_and_foreign_text_is_harmless() -> None:
    text = printed(wide(1, name="\x1b[31m[bold]" + "long " * 30), 80)
    assert "\x1b" not in text
    assert "[bold]" in text
    assert "…" in text


def test_the_last_rows_can_be_set_apart() -> None:
    columns = (SYSTEM, Column("x", "x"))
    rows = ((words("a"), cell(1, count)), (words("people"), cell(2, count)))
    lines = printed(Table("t", "T", columns, rows, apart=1), 80).splitlines()
    assert lines[-2].startswith(" ─")
    assert lines[-1].split() == ["people", "2"]


def test_notes_of_all_systems_are_said_once() -> None:
    notes = grouped_notes({"a": ("same", "own"), "b": ("same",)})
    assert notes == ["same", "a: own"]
    assert not list(note_lines([]))


def test_a_curve_rises_and_has_gaps_where_it_is_undefined() -> None:
    assert sparkline([0, 1, 2, 3]) == BARS[0] + BARS[2] + BARS[5] + BARS[7]
    assert sparkline([1.0, math.nan, 1.0], high=1.0) == "█ █"
    assert sparkline([]) == ""
    assert sparkline([0, 0]) == BARS[0] * 2


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True)))
def test_a_curve_has_one_character_a_value(values: list[float]) -> None:
    assert len(sparkline(values)) == len(values)
