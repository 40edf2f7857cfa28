"""What raters said, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assess.audits.ratings import Agreement, Score
from assess.measures.bias.forest import folded
from assess.measures.bias.reference_result import triple
from assess.measures.bias.tables import Estimate
from assess.report.terminal import new_table
from assess.report.text import UNDEFINED, count, percent, plain, rate


def score_report(score: Score, *, half_width: float) -> Iterator[RenderableType]:
    """Yield precision, corrected rates and agreement."""
    left = score.rows - score.rated
    yield Group(
        Text("What the raters say", style="bold"),
        Text(f"{count(score.rated)} of {count(score.rows)} rows rated; {count(left)} empty or unclear."),
        *_agreement_lines(score.agreement),
    )
    yield _category_table(score, half_width)
    yield _rate_table(score)


def _agreement_lines(agreement: Agreement | None) -> Iterator[Text]:
    if agreement is None:
        return
    kappa = agreement.kappa
    shown = rate(kappa.value)
    if kappa.low == kappa.low:
        shown += f" ({rate(kappa.low)}, {rate(kappa.high)})"
    yield Text(f"Two raters on {count(agreement.both)} rows: Cohen's kappa {shown}.")
    if agreement.disagreed:
        named = ", ".join(agreement.disagreed[:8]) + (", …" if len(agreement.disagreed) > 8 else "")
        yield plain(f"They differ on {count(len(agreement.disagreed))} rows: {named}", 400)


def _category_table(score: Score, half_width: float) -> Table:
    table = new_table(
        "Precision by category",
        caption="right: of the labels that were given the category, those that have it. missed: of those that"
        " were not, those that do. Weighted by what the rows stand for.\nmore: ratings still needed for"
        f" ±{half_width * 100:g} points, should the share stay.",
        tight=True,
    )
    table.add_column("category", no_wrap=True)
    for name in ("rated", "right (95%)", "missed (95%)", "more"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in score.categories:
        table.add_row(
            folded(item.category, 20),
            count(item.rated.total),
            _interval(item.precision),
            _interval(item.missed),
            count(item.more),
        )
    return table


def _rate_table(score: Score) -> Table:
    table = new_table(
        "Corrected rates",
        caption="Rate per label as counted, and corrected by the ratings (precision and misses by stratum).",
        tight=True,
    )
    table.add_column("category", no_wrap=True)
    table.add_column("of", overflow="fold")
    for name in ("labels", "counted", "corrected (95%)"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in score.rates:
        table.add_row(
            folded(item.category, 20),
            plain(item.value),
            count(item.apparent.total),
            percent(item.apparent.rate),
            _interval(item.corrected),
        )
    return table


def _interval(estimate: Estimate) -> str:
    if estimate.value != estimate.value:
        return UNDEFINED
    return f"{percent(estimate.value)} ({percent(estimate.low)}, {percent(estimate.high)})"


def score_shape(score: Score, signature: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of `assess score --json`."""
    agreement = score.agreement
    return {
        "signature": signature,
        "sheet": score.key.sheet,
        "by": score.key.by,
        "rows": score.rows,
        "rated": score.rated,
        "categories": [
            {
                "category": item.category,
                "confirmed": item.rated.yes,
                "rated": item.rated.total,
                "precision": triple(item.precision),
                "missed": triple(item.missed),
                "more_to_rate": item.more,
            }
            for item in score.categories
        ],
        "rates": [
            {
                "category": item.category,
                "group": item.value,
                "yes": item.apparent.yes,
                "labels": item.apparent.total,
                "rate": item.apparent.rate,
                "confirmed": [item.confirmed.yes, item.confirmed.total],
                "missed": [item.missed.yes, item.missed.total],
                "corrected": triple(item.corrected),
            }
            for item in score.rates
        ],
        "agreement": {
            "rows": agreement.both,
            "kappa": triple(agreement.kappa),
            "counts": agreement.counts,
            "disagreed": agreement.disagreed,
        }
        if agreement
        else None,
    }
