"""Plots as SVG, PDF or PNG files; needs the `plots` extra (matplotlib)."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

from assess.errors import MissingPartError, install_extra, one_of, visible
from assess.report.section import BarChart, ForestChart, HeatMap, LineChart, Plot, ScatterChart, safe_name
from assess.whole_files import made_folder, write_whole

PlotFormat = Literal["svg", "pdf", "png"]
FORMATS: tuple[PlotFormat, ...] = get_args(PlotFormat)
_INCHES = (7.0, 4.0)
# Okabe and Ito's colours, which are distinguishable with any colour vision, and markers to repeat them with.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# When the colours repeat, lines get another stroke and bars another hatching.
_STROKES = ("-", "--", ":", "-.")
_HATCHES = ("", "///", "...", "xxx")


def check_plots(format_: str) -> PlotFormat:
    """Raise an error if plots cannot be drawn, before any work is done."""
    if importlib.util.find_spec("matplotlib") is None:
        message = "plots need matplotlib, which is not installed"
        raise MissingPartError(message, hint=install_extra("plots"))
    return one_of(format_, FORMATS, option="--plot-format")


def write_plots(plots: Iterable[Plot], folder: Path, *, format_: PlotFormat = "svg") -> list[Path]:
    """Write one file per plot; the same plot gives the same bytes."""
    check_plots(format_)
    paths = []
    with made_folder(folder):
        for plot in plots:
            path = folder / f"{safe_name(plot.name)}.{format_}"
            write_whole(path, draw(plot, format_=format_))
            paths.append(path)
    return paths


def draw(plot: Plot, *, format_: PlotFormat = "svg") -> bytes:
    """Return a plot as the bytes of a file."""
    import matplotlib as mpl
    from matplotlib.figure import Figure  # not pyplot, which has windows and global state

    out = io.BytesIO()
    # A fixed salt and no dates, so that an unchanged plot gives an identical file.
    with mpl.rc_context({"svg.hashsalt": plot.name, "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=_size(plot), layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(_text(plot.title), loc="left", fontsize=10, fontweight="bold")
        _draw_on(axes, plot)
        figure.savefig(out, format=format_, dpi=150, metadata=_NO_DATES[format_])
    return out.getvalue()


_NO_DATES: dict[PlotFormat, dict[str, None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


def _size(plot: Plot) -> tuple[float, float]:
    if isinstance(plot, HeatMap):
        return 2.0 + 0.55 * len(plot.columns), 1.2 + 0.35 * len(plot.rows)
    if isinstance(plot, ForestChart):
        return 7.0, 1.0 + 0.22 * len(plot.rows)
    return _INCHES


def _draw_on(axes: Any, plot: Plot) -> None:
    if isinstance(plot, HeatMap):
        _heat_map(axes, plot)
        return
    axes.set_xlabel(_text(plot.x))
    axes.spines[["top", "right"]].set_visible(False)
    if isinstance(plot, ForestChart):
        _forest(axes, plot)
        return
    axes.set_ylabel(_text(plot.y))
    if isinstance(plot, BarChart):
        _bars(axes, plot)
    elif isinstance(plot, LineChart):
        _lines(axes, plot)
    else:
        _points(axes, plot)
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1:
        axes.figure.legend(handles, labels, loc="outside right upper", frameon=False, fontsize=8)


def _style(number: int) -> dict[str, str]:
    colour = _COLOURS[number % len(_COLOURS)]
    marker = _MARKERS[(number // len(_COLOURS) + number) % len(_MARKERS)]
    return {"color": colour, "marker": marker}


def _round(number: int) -> int:
    """Return how many times all colours have been used before, as an index into strokes and hatches."""
    return number // len(_COLOURS) % len(_STROKES)


def _lines(axes: Any, plot: LineChart) -> None:
    for number, (name, (xs, ys)) in enumerate(plot.lines.items()):
        stroke = _STROKES[_round(number)]
        axes.plot(
            xs, ys, label=_text(name), markersize=3.5, linewidth=1.4, linestyle=stroke, **_style(number)
        )
    if plot.from_zero:
        axes.set_ylim(bottom=0)
    if all(float(x).is_integer() for xs, _ in plot.lines.values() for x in xs):
        axes.xaxis.get_major_locator().set_params(integer=True)  # there is no class or decile 1.5


_SHORT = 12  # length of a label that fits below its bars


def _bars(axes: Any, plot: BarChart) -> None:
    width = 0.8 / max(1, len(plot.bars))
    for number, (name, heights) in enumerate(plot.bars.items()):
        places = [place - 0.4 + width * (number + 0.5) for place in range(len(plot.groups))]
        colour, hatch = _style(number)["color"], _HATCHES[_round(number)]
        axes.bar(places, heights, width, label=_text(name), color=colour, hatch=hatch, edgecolor="white")
    slanted = {"rotation": 20, "ha": "right"} if max(map(len, plot.groups), default=0) > _SHORT else {}
    axes.set_xticks(range(len(plot.groups)), [_text(group) for group in plot.groups], **slanted)
    if plot.logarithmic:
        axes.set_yscale("symlog", linthresh=1)


def _points(axes: Any, plot: ScatterChart) -> None:
    for number, (name, (xs, ys)) in enumerate(plot.points.items()):
        style = _style(number)
        axes.scatter(xs, ys, s=9, alpha=0.6, label=_text(name), color=style["color"], marker=style["marker"])


def _forest(axes: Any, plot: ForestChart) -> None:
    places = range(len(plot.rows))
    for place, (_, value, low, high) in zip(places, plot.rows, strict=True):
        axes.plot([low, high], [place, place], color=_COLOURS[0], linewidth=1.4)
        axes.plot([value], [place], color=_COLOURS[0], marker="o", markersize=4)
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_yticks(places, [_text(name) for name, *_ in plot.rows])
    axes.invert_yaxis()  # the first row is at the top


def _heat_map(axes: Any, plot: HeatMap) -> None:
    scale: dict[str, Any] = {"cmap": "Blues", "vmin": 0} if plot.shares else {"cmap": "RdBu_r", "vmin": -1}
    axes.imshow(plot.values, vmax=1, aspect="auto", **scale)
    axes.set_xticks(range(len(plot.columns)), [_text(name) for name in plot.columns], rotation=30, ha="right")
    axes.set_yticks(range(len(plot.rows)), [_text(name) for name in plot.rows])
    for row, values in enumerate(plot.values):
        for column, value in enumerate(values):
            shown = "–" if value != value else f"{value:.0%}" if plot.shares else f"{value:.2f}"
            axes.text(
                column,
                row,
                shown,
                ha="center",
                va="center",
                fontsize=7,
                color="white" if abs(value) > 0.7 else "black",
            )


def _text(text: str) -> str:
    """Return text that matplotlib prints literally: a dollar sign would begin a formula."""
    return visible(text, 60).replace("$", r"\$")
