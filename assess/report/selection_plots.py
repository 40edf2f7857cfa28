"""Plots of content selection: F, P and R by number of boxes (Wang and Gaizauskas 2015)."""

from __future__ import annotations

from collections.abc import Iterator

from assess.engine.selection_result import SelectionRun
from assess.report.plots import LinePlot
from assess.report.selection_tables import NAMES, PEOPLE

_TITLES = {"f": "F", "precision": "Precision", "recall": "Recall"}


def selection_plots(run: SelectionRun) -> Iterator[LinePlot]:
    """Yield one plot a measure: the curves of all baselines, with systems and people as level lines."""
    if not run.baselines:
        return
    for measure, title in _TITLES.items():
        ks = tuple(range(1, run.settings.most + 1))
        lines = {
            name: (ks, tuple(getattr(curve[k].mean, measure) for k in ks))
            for name, curve in run.baselines.items()
        }
        summaries = {name: system.summary for name, system in run.systems.items()} | {PEOPLE: run.upper_bound}
        level = {name: getattr(summary.mean, measure) for name, summary in summaries.items()}
        lines |= {name: ((ks[0], ks[-1]), (value, value)) for name, value in level.items()}
        name = f"selection-{NAMES[measure]}"
        yield LinePlot(name, f"{title} of the first k boxes", "boxes (k)", NAMES[measure], lines)
