"""A saved audit as plots: variety, categories by systems, contrasts, curves of the measures."""

from __future__ import annotations

from collections.abc import Iterator

from assess.report.html_bias import by_verdict
from assess.report.html_contrasts import difference_of
from assess.report.html_diversity import curves_of
from assess.report.html_input import ReportInput, number
from assess.report.html_recall import deciles_of, local_of
from assess.report.plots import BarPlot, ForestPlot, HeatMap, LinePlot, Plot
from assess.report.saved_contrasts import file_name
from assess.report.saved_tables import categories_table

_MOST_ROWS = 40


def audit_plots(audit: ReportInput) -> list[Plot]:
    """Return the plots of an audit."""
    return [_variety(audit), _categories(audit), *_contrasts(audit), *_measures(audit)]


def _variety(audit: ReportInput) -> BarPlot:
    bars = {
        name: [number(counts["modifiers_per_label"]) for counts in (system["best"], system)]
        for name, system in audit.systems.items()
    }
    readings = ("best reading", "all readings")
    return BarPlot("coverage", "What is said of one label", "", "modifiers a label", readings, bars)


def _categories(audit: ReportInput) -> HeatMap:
    table = categories_table(audit)
    rows = tuple(
        f"{category.text}{' (head)' if role.text == 'head' else ''}" for role, category, *_ in table.rows
    )
    values = [[float(cell.value) for cell in cells] for _, _, *cells in table.rows]
    systems = tuple(audit.systems)
    return HeatMap("categories", "Labels that carry a category", rows, systems, values, shares=True)


def _contrasts(audit: ReportInput) -> Iterator[ForestPlot]:
    for group, part in audit.bias.items():
        cells = [cell for cell in sorted(part["cells"], key=by_verdict) if cell["verdict"] == "disparity"]
        rows = []
        for cell in cells[:_MOST_ROWS]:
            found = difference_of(cell)
            name = f"{cell['system']}: {cell['category']} ({cell['group']} − {cell['against']})"
            rows.append((name, found.value, found.low, found.high))
        if rows:
            title = f"Disparities by {group}" + (
                f": the {_MOST_ROWS} largest" if len(cells) > _MOST_ROWS else ""
            )
            yield ForestPlot(file_name(group), title, "percentage points", rows)


def _measures(audit: ReportInput) -> Iterator[LinePlot]:
    if diversity := audit.part("diversity"):
        curves = {
            name: (curve["tokens"], [number(types) for types in curve["types"]])
            for name, curve in curves_of(diversity).items()
        }
        if curves:
            yield LinePlot("type_token_curve", "Type-token curve", "tokens", "types", curves)
    if recall := audit.part("recall"):
        deciles = {name: (range(1, len(found) + 1), found) for name, found in deciles_of(recall).items()}
        local = {name: (list(found), list(found.values())) for name, found in local_of(recall).items()}
        if deciles:
            title, across = "Coverage by frequency", "decile, most frequent first"
            yield LinePlot("coverage_by_decile", title, across, "coverage", deciles)
        if local:
            title, across = "Local recall by importance", "importance class"
            yield LinePlot("local_recall", title, across, "local recall", local)
