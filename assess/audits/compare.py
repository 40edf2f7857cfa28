"""Comparison of two audits of the same images, such as two versions of a model, paired by image.

A rate has *changed* if the paired bootstrap interval over images excludes 0, a test in its family (all
categories of one system and value) has q at most alpha, and the change exceeds the margin. If the change is
within the margin, it is *small*. A rate is the *same* if the whole interval is within the margin. Everything
else is *insufficient*.

If both audits describe the same images, the test swaps before and after for random subsets of them.
Otherwise, or if one audit has far more labels than the other, it is Fisher's test over labels, corrected by
the design effect of several labels per image.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from assess.audits.bias_sections import first_rows
from assess.audits.saved import SavedAudit
from assess.errors import InputError, Place, visible
from assess.measures.bias.association import log_fisher_p
from assess.measures.bias.clustering import corrected_p, design_effect, image_variance, swapped_p
from assess.measures.bias.groups import Pair
from assess.measures.bias.labels import (
    CategoryKey,
    LabelArrays,
    LabelValues,
    MentionTable,
    category_masks,
    label_values,
)
from assess.measures.bias.references import GapVerdict, gap_p, gap_verdict
from assess.measures.bias.result import ValueRate
from assess.measures.bias.tables import (
    UNDEFINED,
    CountTable,
    Estimate,
    EstimateField,
    Floats,
    Tally,
    risk_difference,
)
from assess.measures.bias.verdict import bootstrap, margin_of
from assess.measures.group_settings import USUAL_RULES, VerdictSettings
from assess.measures.intervals import benjamini_hochberg
from assess.measures.measure import Model, Number
from assess.report.section import Cell, Column, Table, number_columns, row_of, text_columns, words
from assess.report.terminal import note_lines, terminal_table
from assess.report.text import p_value, percent, plain, points

ChangeVerdict = Literal["changed", "small", "same", "insufficient"]
EVERYONE = ""
"""The name of the pseudo-group for rates over all labels, with the single value `all`."""
SIMILAR_SIZE = 2.0
"""Versions whose numbers of labels differ by more than this factor cannot be swapped."""
FEWEST_EVENTS = 5
"""With fewer events, a bootstrap is overconfident: a count of 0 never varies."""


_GAP = (-1.0, 1.0, 1.0, -1.0)  # the gap between two values after, minus the gap before


class RateChange(Model):
    """A rate in two audits. Without a category, it is the share of labels that are about a value."""

    system: str
    by: str | None  # None for a rate over all labels
    group: str
    category: str | None
    before: ValueRate
    after: ValueRate
    change: EstimateField  # after minus before; bootstrap over images
    p: Number
    q: Number
    verdict: ChangeVerdict


class GapChange(Model):
    """A difference between two values in two audits."""

    system: str
    by: str
    group: str
    against: str
    category: str
    before: Number
    after: Number
    change: EstimateField  # bootstrap over images
    p: Number
    q: Number  # the family consists of all categories of one system and pair
    verdict: GapVerdict  # the gap after, compared with the gap before


class Versions(Model):
    """The name of a system in two audits."""

    before: str
    after: str


class Comparison(Model):
    """All changes between two audits."""

    signature: dict[str, Any]  # both signatures, and the settings
    systems: tuple[Versions, ...]
    notes: tuple[str, ...]  # reasons why numbers may not be comparable
    rates: tuple[RateChange, ...]
    gaps: tuple[GapChange, ...]


def compare(before: SavedAudit, after: SavedAudit, *, settings: VerdictSettings = USUAL_RULES) -> Comparison:
    """Compare two audits system by system."""
    systems = _matched(before, after)
    first, second = _saved_labels(before), _saved_labels(after)
    rates: list[RateChange] = []
    gaps: list[GapChange] = []
    for old, new in systems:
        # An image that occurs in only one audit counts in the rates of that audit alone.
        images = sorted({*first[old].images, *second[new].images})
        old_labels, new_labels = first[old].on_images(images), second[new].on_images(images)
        same = _same_images(before, after, old, new)
        versions = _SystemVersions(new, old_labels, new_labels, same, settings)
        rates += versions.rates(EVERYONE, ["all"])
        for by in (by for by in before.groups if by in after.groups):
            groups = before.groups[by], after.groups[by]
            values = [value for value in groups[0].values if value in groups[1].values]
            rates += versions.shares(by, values)
            rates += versions.rates(by, values)
            gaps += versions.gaps(by, [pair for pair in groups[0].pairs if pair in groups[1].pairs])
    return Comparison(
        signature={
            "before": before.results.signature.as_dict(),
            "after": after.results.signature.as_dict(),
            "settings": settings.as_settings(),
        },
        systems=tuple(Versions(before=old, after=new) for old, new in systems),
        notes=tuple(_notes(before, after, systems)),
        rates=tuple(rates),
        gaps=tuple(gaps),
    )


def _matched(before: SavedAudit, after: SavedAudit) -> list[tuple[str, str]]:
    common = [(name, name) for name in before.systems if name in after.systems]
    if common:
        return common
    if len(before.systems) == len(after.systems) == 1:
        return [(before.systems[0], after.systems[0])]
    raise InputError(
        f"the audits have no system in common: {visible(', '.join(before.systems))} before,"
        f" {visible(', '.join(after.systems))} after",
        place=Place(str(after.file)),
        hint="give both versions the same name: assess audit model=FILE",
    )


def _same_images(before: SavedAudit, after: SavedAudit, old: str, new: str) -> bool:
    first = before.results.systems[old].images_digest
    return first is not None and first == after.results.systems[new].images_digest


def _notes(before: SavedAudit, after: SavedAudit, systems: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield differences between the two audits other than the systems."""
    old, new = before.results.signature.as_dict(), after.results.signature.as_dict()
    for what in ("taxonomy", "model", "tool"):
        if old.get(what) != new.get(what):
            yield f"the {what} differs: {old.get(what)} before, {new.get(what)} after"
    settings = {**dict.fromkeys(old.get("settings", {})), **dict.fromkeys(new.get("settings", {}))}
    for name in settings:
        first, second = old.get("settings", {}).get(name), new.get("settings", {}).get(name)
        if first != second:
            yield f"the setting {name} differs: {first} before, {second} after"
    for first, second in systems:
        if first != second:
            yield f"comparing '{first}' before with '{second}' after"
        if not _same_images(before, after, first, second):
            yield f"the audits of '{second}' cover different images: only images in both are paired"
    alone = {*before.systems, *after.systems} - {name for pair in systems for name in pair}
    if alone:
        yield f"only in one of the audits: {', '.join(sorted(alone))}"


def _saved_labels(audit: SavedAudit) -> dict[str, LabelArrays]:
    """Return the labels of each system, without references."""
    tables = {name: MentionTable() for name in audit.systems}
    for mention in audit.mentions():
        if mention.system in tables:
            tables[mention.system].add_caption(mention.image, [mention.label])
    return {name: _arrays(audit, table) for name, table in tables.items()}


def _arrays(audit: SavedAudit, table: MentionTable) -> LabelArrays:
    image, _, text = table.columns
    try:
        values = {
            by: label_values([audit.members[by][label] for label in table.texts], text)
            if group.told_by == "words"
            else label_values([audit.members[by][name] for name in table.images], image)
            for by, group in audit.groups.items()
        }
        analyses = [audit.analyses[label] for label in table.texts]
    except KeyError as error:
        raise audit.unfit(f"the audit contains no {error}") from None
    values[EVERYONE] = LabelValues(("all",), np.zeros(len(text), dtype=np.int64))
    return LabelArrays(table.images, image, text, category_masks(analyses), values)


@dataclass(frozen=True, slots=True, eq=False)
class _SystemVersions:
    """The labels of two versions of a system, on all images that either of them describes."""

    system: str
    before: LabelArrays
    after: LabelArrays
    same: bool  # whether both describe exactly the same images
    settings: VerdictSettings

    def keys(self) -> list[CategoryKey]:
        return sorted({*self.before.keys("modifier"), *self.after.keys("modifier")})

    def shares(self, by: str, values: Sequence[str]) -> Iterator[RateChange]:
        """Yield the change in the share of labels about each value."""
        sides = (self.before, self.after)
        found = [np.stack([side.image_shares(by, value) for side in sides], axis=1) for value in values]
        yield from self._family(by, [(value, None) for value in values], found)

    def rates(self, by: str, values: Sequence[str]) -> Iterator[RateChange]:
        """Yield the change in the rate of each category, for each value."""
        for value in values:
            names = [(value, category) for _, category in self.keys()]
            yield from self._family(by, names, [self._tallies(by, key, [value]) for key in self.keys()])

    def gaps(self, by: str, pairs: Sequence[Pair]) -> Iterator[GapChange]:
        """Yield the change in the difference between two values, for each category."""
        for pair in pairs:
            found = [self._tallies(by, key, pair) for key in self.keys()]
            changes = [self._change(tallies, _GAP) for tallies in found]
            p_values = [
                gap_p(change.value, image_variance(tallies, _GAP), _totals(tallies))
                for change, tallies in zip(changes, found, strict=True)
            ]
            q_values = benjamini_hochberg(p_values)
            for (_, category), tallies, change, p, q in zip(
                self.keys(), found, changes, p_values, q_values, strict=True
            ):
                first, other, *late = _totals(tallies)
                before, after = CountTable.of(first, other), CountTable.of(*late)
                verdict = gap_verdict(after, before, change, q, self.settings)
                yield GapChange(
                    system=self.system,
                    by=by,
                    group=pair[0],
                    against=pair[1],
                    category=category,
                    before=before.difference,
                    after=after.difference,
                    change=change,
                    p=p,
                    q=q,
                    verdict=verdict,
                )

    def _tallies(self, by: str, key: CategoryKey, values: Sequence[str]) -> Floats:
        """Return images x (values before, values after) x (yes, labels)."""
        sides = (self.before, self.after)
        return np.concatenate([side.image_tallies(by, key, values) for side in sides], axis=1)

    def _family(
        self, by: str, names: Sequence[tuple[str, str | None]], found: Sequence[Floats]
    ) -> Iterator[RateChange]:
        """Judge the rates of one family: the value and category of each, and images x sides x counts."""
        p_values = [self._p(tallies) for tallies in found]
        q_values = benjamini_hochberg(p_values)
        for (value, category), tallies, p, q in zip(names, found, p_values, q_values, strict=True):
            before, after = _totals(tallies)
            change = self._change(tallies, (-1.0, 1.0))
            yield RateChange(
                system=self.system,
                by=by or None,
                group=value,
                category=category,
                before=ValueRate.of(before),
                after=ValueRate.of(after),
                change=change,
                p=p,
                q=q,
                verdict=_verdict(before, after, change, q, self.settings),
            )

    def _p(self, tallies: Floats) -> float:
        before, after = _totals(tallies)
        fewer, more = sorted((before.total, after.total))
        if self.same and more <= SIMILAR_SIZE * fewer:
            return swapped_p(tallies, samples=self.settings.samples, seed=self.settings.seed)
        return corrected_p(log_fisher_p(CountTable.of(after, before)), design_effect(tallies))

    def _change(self, tallies: Floats, contrast: Sequence[float]) -> Estimate:
        return bootstrap(tallies, self.settings, contrast).estimate if len(tallies) else UNDEFINED


def _totals(tallies: Floats) -> list[Tally]:
    return [Tally(int(yes), int(labels)) for yes, labels in tallies.sum(axis=0)]


def _verdict(
    before: Tally, after: Tally, change: Estimate, q: float, settings: VerdictSettings
) -> ChangeVerdict:
    table = CountTable.of(after, before)
    margin = margin_of(settings.margin, table)
    if change.excludes(0.0) and q <= settings.alpha:
        return "changed" if abs(change.value) > margin else "small"
    unpaired = risk_difference(table, level=settings.level)
    trusted = min(before.yes, after.yes) >= FEWEST_EVENTS and change.within(-margin, margin)
    return "same" if trusted or unpaired.within(-margin, margin) else "insufficient"


# For the terminal: the changes, largest first.

_MOST_ROWS = 20


def compare_report(comparison: Comparison, *, width: int, everything: bool) -> Iterator[RenderableType]:
    """Yield the changes: who is mentioned, rates, and gaps between groups."""
    yield Group(Text("What changed", style="bold"), *(plain(line, 300) for line in _summary(comparison)))
    yield from note_lines(comparison.notes)
    shown = [rate for rate in comparison.rates if everything or rate.verdict == "changed"]
    for title, rows in (
        ("Who is mentioned", [rate for rate in shown if rate.category is None]),
        ("How often it is mentioned", [rate for rate in shown if rate.category is not None]),
    ):
        if rows:
            yield from terminal_table(_rates_table(title, rows, everything=everything), width=width)
    gaps = [gap for gap in comparison.gaps if everything or gap.verdict in ("wider", "narrower")]
    if gaps:
        yield from terminal_table(_gaps_table(gaps, everything=everything), width=width)


def _summary(comparison: Comparison) -> Iterator[str]:
    names = ", ".join(system.after for system in comparison.systems)
    verdicts = Counter(rate.verdict for rate in comparison.rates)
    yield (
        f"{names}: {verdicts.total()} rates: {verdicts['changed']} changed, {verdicts['small']}"
        f" changed by less than the margin, {verdicts['same']} the same within the margin,"
        f" {verdicts['insufficient']} with insufficient evidence."
    )


_MARKS = {
    "changed": ("▲", "bold red"),
    "small": ("≈", "cyan"),
    "same": ("=", "green"),
    "insufficient": ("?", "yellow"),
}


def _rates_table(title: str, rates: Sequence[RateChange], *, everything: bool) -> Table:
    ordered = sorted(rates, key=lambda rate: (list(_MARKS).index(rate.verdict), _size(rate.change.value)))
    shown, more = first_rows(ordered, everything, _MOST_ROWS)
    note = (
        "Change in percentage points, bootstrap over images; q: from a test over images,"
        " corrected. ▲ changed   ≈ small   = same within the margin   ? insufficient evidence."
    )
    columns = (
        *text_columns("category", "group", "system"),
        *number_columns("before", "after", "change (95%)", "q"),
    )
    return Table("rates", title, columns, tuple(map(_rate_row, shown)), (note, *more))


def _size(change: float) -> float:
    return math.inf if math.isnan(change) else -abs(change)


def _rate_row(rate: RateChange) -> tuple[Cell, ...]:
    mark, style = _MARKS[rate.verdict]
    return row_of(
        words(rate.category or "(share of labels)", mark=mark, style=style),
        rate.group,
        rate.system,
        percent(rate.before.rate),
        percent(rate.after.rate),
        points(*rate.change),
        p_value(rate.q),
    )


def _gaps_table(gaps: Sequence[GapChange], *, everything: bool) -> Table:
    ordered = sorted(gaps, key=lambda gap: (_size(gap.change.value), gap.system, gap.category))
    shown, more = first_rows(ordered, everything, _MOST_ROWS)
    note = (
        "Percentage points by which captions say it more often about the first group, before and"
        " after; change: bootstrap over images; q: corrected over all categories."
    )
    columns = (
        *text_columns("category", "compared", "system"),
        *number_columns("before", "after", "change (95%)", "q"),
        Column("gap", "gap", words=True),
    )
    rows = tuple(
        row_of(
            gap.category,
            f"{gap.group}, {gap.against}",
            gap.system,
            points(gap.before),
            points(gap.after),
            points(*gap.change),
            p_value(gap.q),
            gap.verdict,
        )
        for gap in shown
    )
    return Table("gaps", "Differences between groups", columns, rows, (note, *more))
