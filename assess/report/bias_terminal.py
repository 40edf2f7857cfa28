"""Contrasts for the terminal report of a whole audit: short; `assess bias` has the long one."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from assess.audit.contrasts import Contrast
from assess.pipeline import Audit
from assess.report.bias_forest import points, q_text, turned_round
from assess.report.bias_tables import MOST_ROWS, who_table
from assess.report.cells import percent, plain
from assess.report.noted_table import new_table


def bias_report(audit: Audit, group: str) -> Iterator[RenderableType]:
    """Yield who is spoken of, then what is said of one group more than of the other."""
    yield who_table(audit.groups[group])
    yield _disparities(audit, group)


def _disparities(audit: Audit, group: str) -> RenderableType:
    everything = [contrast for found in audit.groups[group].contrasts.values() for contrast in found]
    found = [contrast for contrast in everything if contrast.finding.verdict == "disparity"]
    found.sort(key=_by_difference)
    table = new_table(f"Said of one {group} more than of the other", caption=_caption(everything, found))
    table.add_column("system", overflow="fold", min_width=8)
    table.add_column("category", overflow="fold", min_width=17)
    table.add_column("more of", overflow="fold", min_width=7)
    for name in ("rate", "other", "points (95%)", "q"):
        table.add_column(name, justify="right", no_wrap=True)
    for contrast in found[:MOST_ROWS]:
        table.add_row(*_disparity_cells(contrast))
    return table if found else Text(_caption(everything, found), style="dim")


def _by_difference(contrast: Contrast) -> tuple[float, str, str]:
    return -abs(contrast.association.risk_difference.value), contrast.system, contrast.category


def _caption(everything: list[Contrast], found: list[Contrast]) -> str:
    verdicts = [contrast.finding.verdict for contrast in everything]
    text = (
        f"{len(everything)} contrasts: {len(found)} disparities, {verdicts.count('none')} none within the"
        f" margin, {verdicts.count('insufficient')} with insufficient evidence."
    )
    if len(found) > MOST_ROWS:
        text += f" The {MOST_ROWS} largest are shown; `assess bias` and --json have all."
    if any(contrast.cautions for contrast in found):
        text += " * needs care: see `assess bias`."
    return text


def _disparity_cells(contrast: Contrast) -> Iterator[Text | str]:
    association = contrast.association
    difference, (first, second) = association.risk_difference, (association.rate, association.other_rate)
    if contrast.higher == contrast.against:
        first, second = second, first
        difference = turned_round(difference)
    yield plain(contrast.system, 40)
    yield plain(contrast.name + ("*" if contrast.cautions else ""))
    yield Text(contrast.higher, style="bold red")
    yield percent(first.value)
    yield percent(second.value)
    yield points(difference)
    yield q_text(contrast.finding.q)
