"""Numbers, texts, tables, files and plots in reports, for any names and captions."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import math
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from assess.audits.bias_sections import MOST_ROWS, reference_table, words_table
from assess.audits.explain import Example, Stretch, marked_caption
from assess.audits.full_report import bias_page, not_covered
from assess.audits.highlights import reference_highlights
from assess.audits.result import AuditResult
from assess.audits.saved import SavedMention
from assess.audits.sections import systems_table
from assess.errors import AssessError, MissingPartError, Place, Problem, visible
from assess.measures.bias.result import GroupResult
from assess.records import Analysis
from assess.report import plots
from assess.report.section import (
    BarChart,
    Column,
    ForestChart,
    HeatMap,
    LineChart,
    Plot,
    ScatterChart,
    Table,
    cell,
    number_columns,
    row_of,
    text_columns,
    words,
)
from assess.report.tables import (
    csv_table,
    csv_text,
    latex_document,
    latex_escaped,
    latex_table,
    markdown_document,
    markdown_escaped,
    safe_text,
    write_csv,
)
from assess.report.terminal import BARS, sparkline, terminal_table
from assess.report.text import count, dump, percent, plain, rate
from tests.audits import make_audit, repeated

# ---- how numbers and foreign texts look


def test_numbers() -> None:
    assert count(40504) == "40,504"
    assert (rate(0.125), rate(math.nan)) == ("0.12", "–")
    assert (percent(0.5), percent(0.0), percent(1.0), percent(math.nan)) == ("50.0%", "0.0%", "100.0%", "–")
    # A small share is not shown as zero.
    assert (percent(0.0001), percent(0.0001, 0)) == ("<0.1%", "<1%")


@given(st.text())
def test_visible_text_is_one_safe_line(text: str) -> None:
    shown = visible(text)
    assert len(shown) <= 160
    assert not any(character in shown for character in "\x1b\x00\x07\n\r\t\u202e\u2028")
    shown.encode("utf-8")


def test_markup_stays_text() -> None:
    assert plain("[bold]a[/bold] [/EN#1/people Two men]").plain == "[bold]a[/bold] [/EN#1/people Two men]"
    assert not plain("[bold]a[/bold]").spans


def test_json_has_null_for_undefined_and_text_for_infinite() -> None:
    shape = {"a": math.nan, "b": [math.inf, -math.inf], "c": (1.5, "é")}
    assert json.loads(dump(shape)) == {"a": None, "b": ["inf", "-inf"], "c": [1.5, "é"]}


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        (Place("f.json"), "f.json"),
        (Place("f.json", line=3), "f.json:3"),
        (Place("f.json", line=3, column=7), "f.json:3:7"),
        (Place("f.json", line=3, column=7, record=2), "f.json:3:7: record 2"),
        (Place("f\x1b[31m.json"), "f�[31m.json"),
    ],
)
def test_places(place: Place, shown: str) -> None:
    assert str(place) == shown


def test_a_problem_shows_line_caret_and_hint() -> None:
    problem = Problem("wrong", Place("f.yaml", line=1, column=5, source="abc: d"), "put it right")
    assert str(problem) == "f.yaml:1:5: wrong\n  | abc: d\n  |     ^\n  hint: put it right"


def test_the_caret_of_a_long_line_stays_under_its_column() -> None:
    source = "x" * 500 + "Y" + "x" * 500
    lines = str(Problem("wrong", Place("f", line=1, column=501, source=source))).splitlines()
    assert lines[1][lines[2].index("^")] == "Y"


def test_an_error_tells_all_its_problems() -> None:
    error = AssessError([Problem("one"), Problem("two", hint="try")])
    assert str(error) == "one\ntwo\n  hint: try"


# ---- tables and curves in a terminal


def printed(table: Table, width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)
    for part in terminal_table(table, width=width):
        console.print(part, crop=False)
    return out.getvalue()


def wide(columns: int, *, group: str = "", name: str = "a system") -> Table:
    heads = tuple(Column(f"c{n}", f"col{n}", group) for n in range(columns))
    row = (words(name), *(cell(1000 + n, count) for n in range(columns)))
    return Table("wide", "Wide", (Column("system", "system", words=True), *heads), (row,), ("a note",))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_columns_that_do_not_fit_go_below_and_none_is_lost(width: int) -> None:
    text = printed(wide(30), width)
    assert max(map(len, text.splitlines())) <= width
    for number in range(30):
        assert text.count(f"{1000 + number:,}") == 1
    assert text.count("a note") == 1


def test_each_part_of_a_table_repeats_the_columns_that_tell_rows_apart() -> None:
    columns = (*text_columns("measure", "system", "minus"), *number_columns("difference", "q"))
    pairs = (("error", "a", "b"), ("error", "a", "c"), ("ratio", "a", "b"))
    table = Table("t", "Differences", columns, tuple(row_of(*pair, "+0.25", "<.001") for pair in pairs))
    below = printed(table, 36).partition("(continued)")[2]
    assert [" ".join(line.split()) for line in below.splitlines()[4:]] == [
        "error a b <.001",
        "error a c <.001",
        "ratio a b <.001",
    ]


def test_a_narrow_terminal_cuts_names_and_no_numbers() -> None:
    text = printed(wide(4, name="a system with quite a long name"), 30)
    assert max(map(len, text.splitlines())) <= 30
    for number in range(4):
        assert f"{1000 + number:,}" in text


def test_long_names_are_folded_at_hyphens_and_numbers_never_are() -> None:
    columns = (*text_columns("category", "of"), *number_columns("points (95%)", "q"))
    marked = words("occupation-or-social-group", mark="▲", style="bold red")
    table = Table("t", "", columns, (row_of(marked, "men", "+23 (+16 to +30)", "<.001"), row_of(*"abcd")))
    assert printed(table, 80).splitlines()[2:] == [
        " ▲ occupation-or-social-group  men  +23 (+16 to +30)  <.001",
        "   a                           b                   c      d",
    ]
    assert printed(table, 51).splitlines() == [
        "   category            of       points (95%)      q",
        " ──────────────────────────────────────────────────",
        " ▲ occupation-or-      men  +23 (+16 to +30)  <.001",
        "   social-group",
        "   a                   b                   c      d",
    ]


def test_columns_give_way_by_their_rank_before_any_goes_below() -> None:
    columns = (*text_columns("system"), Column("a", "first", rank=2), Column("b", "second", rank=1))
    table = Table("t", "", (*columns, *number_columns("third")), (row_of("v1", "1", "2", "3"),))
    headings = [printed(table, width).splitlines()[0].split() for width in (80, 24, 16, 8)]
    assert headings == [
        ["system", "first", "second", "third"],
        ["system", "second", "third"],
        ["system", "third"],
        ["system", "third"],
    ]


def test_a_column_that_says_nothing_is_left_out_and_an_open_one_takes_what_is_left() -> None:
    columns = (*text_columns("word"), *text_columns("note"), *text_columns("in", narrowed="cut"))
    lines = printed(Table("t", "", columns, (row_of("old", "", "an old man " * 9),)), 40).splitlines()
    assert lines[0].split() == ["word", "in"]
    assert lines[2] == " old   an old man an old man an old man…"


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(12, 60))
def test_folding_loses_no_character_but_spaces(text: str, width: int) -> None:
    table = Table("t", "", (*text_columns("a"), *text_columns("b")), (row_of("x", text),))
    rows = printed(table, width).splitlines()[2:]
    kept = "".join("".join(rows).replace("x", "", 1).split())
    assert kept == "".join(visible(text, 400).split())


def test_a_heading_from_a_file_is_cut_and_harmless() -> None:
    table = Table(
        "t", "", (*text_columns("a"), *number_columns("\x1b[31m" + "long " * 30)), (row_of("x", "1"),)
    )
    heading = printed(table, 80).splitlines()[0]
    assert "\x1b" not in heading
    assert len(heading) < 50


def test_names_are_cut_and_foreign_text_is_harmless() -> None:
    text = printed(wide(1, name="\x1b[31m[bold]" + "long " * 30), 80)
    assert "\x1b" not in text
    assert "[bold]" in text
    assert "…" in text


def test_a_curve_rises_and_has_gaps_where_it_is_undefined() -> None:
    assert sparkline([0, 1, 2, 3]) == BARS[0] + BARS[2] + BARS[5] + BARS[7]
    assert sparkline([1.0, math.nan, 1.0], high=1.0) == "█ █"
    assert sparkline([]) == ""
    assert sparkline([0, 0]) == BARS[0] * 2


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True)))
def test_a_curve_has_one_character_a_value(values: list[float]) -> None:
    assert len(sparkline(values)) == len(values)


# ---- LaTeX, Markdown and CSV: nothing of a caption or a name can leave its cell


TABLE = Table(
    "syntax",
    "Syntax",
    (Column("system", "system", words=True), Column("c2", "2", "Compounds"), Column("share", "%")),
    (
        (words("a|b"), cell(1234, count), cell(0.5, percent)),
        (words("=1+1"), cell(2, count), cell(math.nan, percent)),
    ),
    ("a note", "another."),
)


def test_a_table_of_many_rows_is_set_small_in_latex() -> None:
    rows = tuple(TABLE.rows[:1])
    assert "scriptsize" not in latex_table(replace(TABLE, rows=rows * 40))
    assert "scriptsize" in latex_table(replace(TABLE, rows=rows * 41))


def test_signs_of_our_own_reports_are_commands_in_latex() -> None:
    assert latex_escaped("R² ≥ 1 … – ρ") == r"R$^2$ $\geq$ 1 \ldots{} -- $\rho$"


def test_a_document_names_what_it_depends_on_in_a_comment() -> None:
    text = latex_document([TABLE, TABLE], signature="assess 1\nevil")
    assert text.startswith("% needs \\usepackage{booktabs,graphicx}\n% assess 1 evil\n")
    assert text.count(r"\begin{table}") == 2


@given(st.text())
def test_text_has_no_bare_special_characters_in_latex(text: str) -> None:
    shown = latex_escaped(text)
    bare = re.sub(r"\\(?:text[a-z]+|ldots)\{\}|\\[{}$&#%_]|\$\^2\$|\$\\[a-z]+\$|\$-\$", "", shown)
    assert not set(bare) & set("\\{}$&#%_~^<>\n\r\x1b")


def test_a_markdown_document_ends_with_the_signature() -> None:
    text = markdown_document([TABLE], signature="assess `1`")
    assert text.endswith("\n`assess '1'`\n")
    assert "\na note.  \nanother.  \n" in text


@given(st.text())
def test_text_stays_in_its_cell_of_markdown(text: str) -> None:
    shown = markdown_escaped(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[|<>\[\]`*]", shown)


def test_csv_has_exact_values_and_empty_cells_for_what_is_undefined() -> None:
    rows = list(csv.reader(io.StringIO(csv_table(TABLE))))
    assert rows == [["system", "c2", "share"], ["a|b", "1234", "0.5"], ["'=1+1", "2", ""]]


def test_negative_numbers_are_numbers_and_no_formulas() -> None:
    table = Table("t", "t", (Column("x", "x"),), ((cell(-1.25, rate),),))
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


# ---- plots: with matplotlib where it is there, and a clear message where it is not


needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="needs matplotlib (the plots extra)"
)
PLOTS: tuple[Plot, ...] = (
    LineChart(
        "line",
        "Cost in $",
        "tokens",
        "types",
        {f"s{n}": ([1, 2, 3], [n, n + 1, math.nan]) for n in range(10)},
    ),
    BarChart(
        "bar", "Compounds", "length", "count", ("2", "3"), {"a": [100, 0], "b": [5, 1]}, logarithmic=True
    ),
    HeatMap("heat", "Spearman", ("x", "y"), ("x", "y"), [[1.0, -0.9], [-0.9, math.nan]]),
    HeatMap("shares", "Shares", ("x",), ("a", "b"), [[0.5, math.nan]], shares=True),
    ForestChart(
        "forest", "Differences", "points", [("$a$", 1.0, -0.5, 2.5), ("b", math.nan, math.nan, math.nan)]
    ),
    ScatterChart("scatter", "R²", "pre", "post", {"one": ([1, 2], [3, 4])}),
)


def test_without_matplotlib_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingPartError, match=r"assess-captions\[plots\]"):
        plots.check_plots("svg")


@needs_matplotlib
@pytest.mark.parametrize("format_", plots.FORMATS)
def test_every_kind_of_plot_is_written_and_is_the_same_each_time(
    tmp_path: Path, format_: plots.PlotFormat
) -> None:
    paths = plots.write_plots(PLOTS, tmp_path / "new", format_=format_)
    assert [path.name for path in paths] == [f"{plot.name}.{format_}" for plot in PLOTS]
    first = [path.read_bytes() for path in paths]
    assert all(len(content) > 1_000 for content in first)
    assert first == [
        path.read_bytes() for path in plots.write_plots(PLOTS, tmp_path / "new", format_=format_)
    ]


@needs_matplotlib
def test_a_plot_stays_in_its_folder_whatever_its_name(tmp_path: Path) -> None:
    plot = LineChart("../../x/y z", "t", "x", "y", {"a": ([1], [1])})
    [path] = plots.write_plots([plot], tmp_path)
    assert path == tmp_path / "_x_y_z.svg"
    assert path.is_file()


@needs_matplotlib
def test_hostile_names_do_not_break_a_plot() -> None:
    hostile = LineChart(
        "n", "$\\frac{", "<script>", "_", {"$x$_{y}": ([1, 2], [1, 2]), "_hidden": ([1], [1])}
    )
    svg = plots.draw(hostile).decode("utf-8")
    assert "<script>" not in svg


@needs_matplotlib
def test_lines_beyond_the_number_of_colours_are_dashed() -> None:
    drawn = plots.draw(PLOTS[0]).decode()
    # Two of the ten systems begin the colours anew; their lines and their marks in the legend are dashed.
    assert drawn.count("stroke-dasharray") == 2 * 2


@needs_matplotlib
def test_bars_beyond_the_number_of_colours_are_hatched() -> None:
    nine, eight = (
        plots.draw(BarChart("bar", "Bars", "x", "y", ("1",), {f"s{n}": [n + 1] for n in range(count)}))
        for count in (9, 8)
    )
    assert b"<pattern" in nine
    assert b"<pattern" not in eight


@needs_matplotlib
def test_classes_have_whole_numbers_below_them() -> None:
    drawn = plots.draw(LineChart("line", "Recall", "class", "recall", {"a": ([1, 2, 3], [0, 0.5, 1])}))
    axis = drawn.decode("utf-8").partition('id="matplotlib.axis_1"')[2].partition('id="matplotlib.axis_2"')[0]
    assert re.findall(r">([^<>\s]+)</text>", axis) == ["1", "2", "3", "class"]


# ---- a caption with its label marked, whatever the caption holds


CAPTION = "Here a tall man with a beard sits"


def example(caption: str, start: int, end: int, *words: Stretch) -> Example:
    return Example(SavedMention("s", "1", 1, start, end, "label", caption), Analysis(""), "best", words)


def test_label_and_words_are_marked_with_signs_where_there_is_no_colour() -> None:
    found = example(CAPTION, 5, 15, (7, 11), (23, 28))
    assert marked_caption(found, marks=True).plain == "Here «a ‹tall› man» with a ‹beard› sits"
    assert marked_caption(found, marks=False).plain == CAPTION


def test_colours_stand_at_the_same_places() -> None:
    text = marked_caption(example(CAPTION, 5, 15, (7, 11)), marks=False)
    styled = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    assert styled == {"a ": "bold", "tall": "bold reverse", " man": "bold"}


def test_a_long_caption_is_cut_around_its_label() -> None:
    caption = "very " * 400 + "a tall man" + " indeed" * 400
    text = marked_caption(example(caption, 2000, 2010, (2002, 2006)), marks=True).plain
    assert "«a ‹tall› man»" in text
    assert text.startswith("…")
    assert text.endswith("…")
    assert len(text) < 340


@given(caption=st.text(max_size=600), data=st.data())
def test_no_caption_loses_characters_or_gains_control_over_the_terminal(
    caption: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(caption)))
    end = data.draw(st.integers(start, len(caption)))
    text = marked_caption(example(caption, start, end, (start, end)), marks=False).plain
    assert text.strip("…") in visible(caption, len(caption) + 1) + "…"
    assert not any(character in text for character in "\x1b\x00\n\r\u202e")


@pytest.mark.parametrize("caption", ["[bold]a man[/]", "a man [link=x]"])
def test_markup_in_a_caption_is_text(caption: str) -> None:
    start = caption.index("a man")
    assert marked_caption(example(caption, start, start + 5), marks=False).plain == caption


# ---- contrasts in a terminal: nothing is cut off, nothing is left out in silence


# Rare and common, so that rates, intervals and q take all the space that they can.
MANY = {
    "a woman": 3_700,
    "a pretty woman": 38,
    "a young woman": 400,
    "a man": 6_200,
    "a tall man": 9,
    "a young man": 900,
    "a person": 100,
    "a little girl": 300,
    "a girl": 100,
    "a young teenager": 4,
    "a teenager": 90,
}


def shown(part: RenderableType, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width, no_color=True, highlight=False).print(part)
    return out.getvalue()


@pytest.fixture(scope="module")
def large() -> AuditResult:
    return make_audit({"a-system-with-a-name": repeated("i", MANY)}, by=("gender", "age"))


@pytest.mark.parametrize("width", [80, 99, 100, 120, 160])
def test_no_number_of_a_forest_is_cut_off(large: AuditResult, width: int) -> None:
    text = "".join(shown(part, width) for part in bias_page(large, width=width, everything=True))
    assert "<.001" in text
    assert "points (95%)" in text
    assert "…" not in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width


# ---- beside references


def paired(group: dict[str, tuple[int, int]], labels: int = 100) -> list[tuple[str, str, list[str]]]:
    """Captions of the same images: for each noun, so many that say "pretty" of so many."""
    return [
        (f"{noun}{number}", "x", [f"a {'pretty ' if number < yes else ''}{noun}"])
        for noun, (yes, total) in group.items()
        for number in range(min(total, labels))
    ]


def beside_references(here: dict[str, tuple[int, int]], there: dict[str, tuple[int, int]]) -> GroupResult:
    systems = {"v1": paired(here), "people": paired(there)}
    return make_audit(systems, references=("people",)).groups["gender"]


def test_a_gap_that_turns_round_and_shrinks_is_not_wider() -> None:
    wider = beside_references({"woman": (40, 100), "man": (5, 100)}, {"woman": (15, 100), "man": (5, 100)})
    turned = beside_references({"woman": (30, 100), "man": (5, 100)}, {"woman": (5, 100), "man": (60, 100)})
    assert "wider in attractiveness; narrower in none" in reference_highlights(wider.cells, "gender")[0]
    assert turned.contrasts["v1"][0].verdict == "disparity"
    assert "wider in none; narrower in attractiveness" in reference_highlights(turned.cells, "gender")[0]
    same = beside_references({"woman": (15, 100), "man": (5, 100)}, {"woman": (15, 100), "man": (5, 100)})
    assert reference_highlights(same.cells, "gender") == [
        "No gap by gender is shown to differ from people's: v1"
    ]


def test_a_row_beside_references_reads_from_the_one_it_is_said_of_more() -> None:
    group = beside_references({"woman": (5, 100), "man": (40, 100)}, {"woman": (5, 100), "man": (15, 100)})
    table = reference_table([cell for cell in group.cells if cell.system != "people"])
    row = next(line for line in printed(table, 120).splitlines() if "attractiveness" in line)
    assert row.split()[:6] == ["v1", "attractiveness", "male,", "female", "+35.0", "+10.0"]
    assert "+25 (+" in row
    assert row.split()[-1] == "wider"


def test_rows_that_are_left_out_are_counted() -> None:
    words = ("tall", "pretty", "young", "happy")
    systems = {
        f"system{number}": [
            *repeated("w", {f"a {word} woman": 40 for word in words} | {"a woman": 40}),
            *repeated("m", {"a man": 200}),
        ]
        for number in range(4)
    }
    found = make_audit(systems).groups["gender"].cells
    assert len(found) > MOST_ROWS
    cut, whole = words_table(found), words_table(found, everything=True)
    assert f"{len(found) - MOST_ROWS} more rows" in printed(cut, 200)
    assert (len(cut.rows), len(whole.rows)) == (MOST_ROWS, len(found))
    assert "more rows" not in printed(whole, 200)


@pytest.mark.parametrize("width", [80, 100])
def test_a_long_label_leaves_room_for_whose_it_is(width: int) -> None:
    captions = [("1", "x", ["a man"]), ("2", "x", ["zorbly " * 300 + "man"]), ("3", "x", ["a quib man"])]
    [part] = not_covered(make_audit({"v1": captions}), width=width)
    lines = shown(part, width).splitlines()
    quib = next(line for line in lines if "quib" in line)
    assert quib.split()[:3] == ["v1", "quib", "1"]
    assert max(len(line) for line in lines) <= width


def test_a_dash_for_no_labels_is_explained() -> None:
    silent = make_audit({"v1": [("1", "a dog", [])]})
    assert "–: undefined, because there are no labels." in systems_table(silent, short=True).notes
    speaking = make_audit({"v1": [("1", "a man", ["a man"])]})
    assert not [note for note in systems_table(speaking, short=True).notes if "–" in note]
