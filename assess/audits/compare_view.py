"""Two audits side by side, for a terminal: what changed, largest changes first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.audits.bias_view import listed
from assess.audits.compare import Comparison, GapChange, RateChange
from assess.audits.saved import SavedAudit
from assess.measures.bias.forest import folded, points
from assess.measures.bias.references import triple
from assess.report.terminal import new_table, note_lines
from assess.report.text import p_value, percent, plain

_MOST_ROWS = 20


def compare_report(comparison: Comparison, *, width: int, everything: bool) -> Iterator[RenderableType]:
    """Yield what changed: whom is spoken of, rates, and gaps between groups."""
    yield Group(Text("What changed", style="bold"), *(plain(line, 300) for line in _summary(comparison)))
    yield from note_lines(comparison.notes)
    shown = [rate for rate in comparison.rates if everything or rate.verdict == "changed"]
    for title, rows in (
        ("Who is spoken of", [rate for rate in shown if rate.category is None]),
        ("How often it is said", [rate for rate in shown if rate.category is not None]),
    ):
        if rows:
            yield _rates_table(title, rows, tight=width < 100, everything=everything)
    gaps = [gap for gap in comparison.gaps if everything or gap.verdict in ("wider", "narrower")]
    if gaps:
        yield _gaps_table(gaps, tight=width < 100, everything=everything)


def _summary(comparison: Comparison) -> Iterator[str]:
    names = ", ".join(after for _, after in comparison.systems)
    verdicts = Counter(rate.verdict for rate in comparison.rates)
    yield (
        f"{names}: {verdicts.total()} rates: {verdicts['changed']} changed, {verdicts['small']} by less than"
        f" the margin, {verdicts['same']} the same within the margin, {verdicts['insufficient']} with"
        " insufficient evidence."
    )


def _rates_table(title: str, rows: Sequence[RateChange], *, tight: bool, everything: bool) -> Table:
    ordered = sorted(rows, key=lambda rate: (_place(rate), _size(rate.change.value)))
    shown, more = listed(ordered, everything, _MOST_ROWS)
    table = new_table(
        title,
        caption="Change in points, bootstrap over images; q of a test over images in its family."
        f" ▲ changed   ≈ small   = same within the margin   ? insufficient evidence.{more}",
        tight=tight,
    )
    table.add_column("  category", no_wrap=True)
    table.add_column("group", overflow="fold", min_width=6)
    table.add_column("system", overflow="fold", min_width=6)
    for name in ("before", "after", "change (95%)", "q"):
        table.add_column(name, justify="right", no_wrap=True)
    for rate in shown:
        table.add_row(*_rate_cells(rate))
    return table


_MARKS = {
    "changed": ("▲", "bold red"),
    "small": ("≈", "cyan"),
    "same": ("=", "green"),
    "insufficient": ("?", "yellow"),
}


def _place(rate: RateChange) -> int:
    return list(_MARKS).index(rate.verdict)


def _size(change: float) -> float:
    return math.inf if math.isnan(change) else -abs(change)


def _rate_cells(rate: RateChange) -> Iterator[Text | str]:
    mark, style = _MARKS[rate.verdict]
    name = folded(rate.category or "(share of labels)", 20).plain.replace("\n", "\n  ")
    yield Text.assemble((f"{mark} ", style), name)
    yield plain(rate.value)
    yield plain(rate.system, 40)
    yield percent(rate.before.rate)
    yield percent(rate.after.rate)
    yield points(rate.change)
    yield p_value(rate.q)


def _gaps_table(gaps: Sequence[GapChange], *, tight: bool, everything: bool) -> Table:
    ordered = sorted(gaps, key=lambda gap: (_size(gap.change.value), gap.system, gap.category))
    shown, more = listed(ordered, everything, _MOST_ROWS)
    table = new_table(
        "Differences between groups",
        caption="How many points more often it is said about the first group, before and after; change:"
        f" bootstrap over images; q: in the family of all categories.{more}",
        tight=tight,
    )
    table.add_column("category", no_wrap=True)
    table.add_column("compared", overflow="fold", min_width=10)
    table.add_column("system", overflow="fold", min_width=6)
    for name in ("before", "after", "change (95%)", "q"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("gap", no_wrap=True)
    for gap in shown:
        table.add_row(
            folded(gap.category, 20),
            plain(f"{gap.group}, {gap.against}"),
            plain(gap.system, 40),
            *(f"{value * 100:+.1f}" for value in (gap.before, gap.after)),
            points(gap.change),
            p_value(gap.q),
            gap.verdict,
        )
    return table


# Two audits side by side as JSON.


def compare_shape(before: SavedAudit, after: SavedAudit, comparison: Comparison) -> dict[str, Any]:
    """Return the shape of `assess compare --json`."""
    return {
        "signature": {
            "before": before.results.signature.as_dict(),
            "after": after.results.signature.as_dict(),
            "settings": comparison.settings.as_settings(),
        },
        "systems": [{"before": old, "after": new} for old, new in comparison.systems],
        "notes": comparison.notes,
        "rates": [_rate_shape(rate) for rate in comparison.rates],
        "gaps": [_gap_shape(gap) for gap in comparison.gaps],
    }


def _rate_shape(rate: RateChange) -> dict[str, Any]:
    return {
        "system": rate.system,
        "by": rate.by or None,
        "group": rate.value,
        "category": rate.category,
        "before": {"yes": rate.before.yes, "labels": rate.before.total, "rate": rate.before.rate},
        "after": {"yes": rate.after.yes, "labels": rate.after.total, "rate": rate.after.rate},
        "change": triple(rate.change),
        "p": rate.p,
        "q": rate.q,
        "verdict": rate.verdict,
    }


def _gap_shape(gap: GapChange) -> dict[str, Any]:
    return {
        "system": gap.system,
        "by": gap.by,
        "group": gap.group,
        "against": gap.against,
        "category": gap.category,
        "before": gap.before,
        "after": gap.after,
        "change": triple(gap.change),
        "p": gap.p,
        "q": gap.q,
        "verdict": gap.verdict,
    }
