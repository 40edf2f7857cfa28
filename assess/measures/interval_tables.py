"""Intervals and paired differences as tables and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assess.measures.intervals import Interval, PairedDifference, PairedIntervals
from assess.report.table import Cell, Column, ReportTable, words
from assess.report.text import UNDEFINED, rate

MOST_DIFFERENCES = 24  # rows in a terminal; JSON and CSV have all


def interval_table(found: PairedIntervals, labels: Mapping[str, str], *, digits: int = 3) -> ReportTable:
    """Return the interval of each measure (key -> heading) of each system."""
    columns = [Column("system", "system", words=True)]
    for key, label in labels.items():
        columns += [Column(f"{key}_{part}", part, group=label) for part in ("low", "high")]
    rows = tuple(
        (words(system), *(cell for key in labels for cell in _bounds(intervals.get(key), digits)))
        for system, intervals in found.intervals.items()
    )
    level = f"{found.resampling.level:.0%}"
    note = (
        f"Percentile bootstrap over {found.images:,} images, {found.resampling.resamples:,} resamples,"
        f" seed {found.resampling.seed}"
    )
    return ReportTable("intervals", f"{level} intervals", tuple(columns), rows, (note, *found.notes()))


def _bounds(interval: Interval | None, digits: int) -> tuple[Cell, Cell]:
    if interval is None:
        return Cell(UNDEFINED, float("nan")), Cell(UNDEFINED, float("nan"))
    return Cell(rate(interval.low, digits), interval.low), Cell(rate(interval.high, digits), interval.high)


def difference_table(
    found: PairedIntervals, labels: Mapping[str, str], *, digits: int = 3, most: int | None = None
) -> ReportTable | None:
    """Return the paired differences between systems; None for a single system.

    Cut to `most`, the least sure ones are kept: of many systems nearly all differ, and which do not is
    what a reader cannot see from their values.
    """
    shown = [one for one in found.differences if one.measure in labels]
    if not shown:
        return None
    ordered = sorted(shown, key=_by_doubt) if most and len(shown) > most else shown
    columns = (
        Column("measure", "measure", words=True),
        Column("first", "system", words=True),
        Column("second", "minus", words=True),
        Column("difference", "difference"),
        Column("low", "from"),
        Column("high", "to"),
        Column("p", "p"),
        Column("q", "q"),
    )
    rows = tuple(_difference_row(one, labels, digits) for one in ordered[:most])
    clear = sum(_leaves_out_zero(one) for one in shown)
    notes = [
        f"{clear} of {len(shown)} intervals leave out 0. Differences are taken within each resample of the"
        " same images; q: Benjamini–Hochberg over all"
    ]
    if len(rows) < len(shown):
        notes.append(f"The {len(rows)} least sure ones are shown; --json and --csv have all")
    return ReportTable("differences", "Differences between systems", columns, rows, tuple(notes))


def _leaves_out_zero(one: PairedDifference) -> bool:
    return one.difference.interval.low > 0 or one.difference.interval.high < 0


def _by_doubt(one: PairedDifference) -> tuple[float, float, str, str, str]:
    interval = one.difference.interval
    width = interval.high - interval.low
    distance = abs(interval.estimate) / width if width > 0 else 0.0
    return -one.difference.p, distance, one.measure, one.first, one.second


def _difference_row(one: PairedDifference, labels: Mapping[str, str], digits: int) -> tuple[Cell, ...]:
    interval = one.difference.interval
    return (
        words(labels[one.measure]),
        words(one.first),
        words(one.second),
        *(Cell(_signed(value, digits), value) for value in (interval.estimate, interval.low, interval.high)),
        *(Cell(_probability(value), value) for value in (one.difference.p, one.q)),
    )


def _signed(value: float, digits: int) -> str:
    return UNDEFINED if value != value else f"{value:+.{digits}f}"  # nan is not equal to itself


def _probability(value: float) -> str:
    if value != value:
        return UNDEFINED
    return "<.001" if value < 0.001 else f"{value:.3f}".lstrip("0")


def intervals_shape(found: PairedIntervals) -> dict[str, Any]:
    """Return intervals and differences for JSON: [estimate, low, high]."""
    return {
        "images": found.images,
        "left_out": dict(found.left_out),
        "level": found.resampling.level,
        "resamples": found.resampling.resamples,
        "seed": found.resampling.seed,
        "systems": {
            system: {measure: _triple(interval) for measure, interval in intervals.items()}
            for system, intervals in found.intervals.items()
        },
        "differences": [
            {
                "measure": one.measure,
                "first": one.first,
                "second": one.second,
                "difference": _triple(one.difference.interval),
                "p": one.difference.p,
                "q": one.q,
            }
            for one in found.differences
        ],
        "notes": found.notes(),
    }


def _triple(interval: Interval) -> list[float]:
    return [interval.estimate, interval.low, interval.high]


def interval_tables(
    found: PairedIntervals | None, labels: Mapping[str, str], *, most: int | None = None
) -> Sequence[ReportTable]:
    """Return both tables; none where intervals were not asked for, or there are too few images."""
    if found is None or not found.enough:
        return ()
    measured = {measure for intervals in found.intervals.values() for measure in intervals}
    shown = {key: label for key, label in labels.items() if key in measured}
    differences = difference_table(found, shown, most=most)
    return [interval_table(found, shown), *([differences] if differences else [])]


def missing_intervals(found: PairedIntervals | None) -> tuple[str, ...]:
    """Return why there is no table of intervals, where some were asked for."""
    return () if found is None or found.enough else found.notes()
