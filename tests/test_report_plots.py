"""Plots: made with matplotlib where it is there, and a clear message where it is not."""

from __future__ import annotations

import importlib.util
import math
import re
from pathlib import Path

import pytest

from assess.errors import MissingPartError, UsageError
from assess.report import plots
from assess.report.section import BarChart, ForestChart, HeatMap, LineChart, Plot, ScatterChart

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
    with pytest.raises(MissingPartError, match=r"assess\[plots\]"):
        plots.check_plots("svg")


def test_an_unknown_format_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    with pytest.raises(UsageError, match="svg, pdf, png"):
        plots.check_plots("gif")


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
def test_texts_of_a_plot_are_in_its_file() -> None:
    svg = plots.draw(PLOTS[0]).decode("utf-8")
    for part in ("Cost in $", "tokens", "types", "s0", "s9"):
        assert part in svg


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
