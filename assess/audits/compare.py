"""Two audits of the same images, such as two versions of a model: what changed, paired by image.

A rate has *changed* where two things agree: the paired bootstrap interval over images leaves out 0, and an
exact test in its family (all categories of one system and value) has q at most alpha. It is the *same*
where the change is shown to be within the margin. All else is *insufficient*.

The exact test is McNemar's over images where both audits describe the same ones; otherwise it is Fisher's
over labels, which needs no pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assess.audits.saved import SavedAudit
from assess.errors import InputError, Place, visible
from assess.measures.bias.association import fisher_p
from assess.measures.bias.bootstrap import Floats, bootstrap_contrasts
from assess.measures.bias.groups import Pair
from assess.measures.bias.labels import (
    CategoryKey,
    LabelArrays,
    LabelValues,
    MentionTable,
    category_masks,
    label_values,
)
from assess.measures.bias.references import mcnemar
from assess.measures.bias.tables import CountTable, Estimate, Tally, risk_difference
from assess.measures.bias.verdict import DEFAULT_SETTINGS, BiasSettings
from assess.measures.intervals import benjamini_hochberg

# The labels of a saved audit in codes, system by system, for statistics that need images.

EVERYONE = ""
"""The name of the group that has one value only, `all`: for rates over all labels."""


def saved_labels(audit: SavedAudit) -> dict[str, LabelArrays]:
    """Return the labels of each system that is no reference."""
    tables = {name: MentionTable() for name in audit.systems}
    for mention in audit.mentions():
        if mention.system in tables:
            tables[mention.system].add_caption(mention.image, [mention.label])
    return {name: _coded(audit, table) for name, table in tables.items()}


def _coded(audit: SavedAudit, table: MentionTable) -> LabelArrays:
    image, _, text = table.columns
    try:
        values = {
            by: label_values([group.members[label] for label in table.texts], text)
            if group.told_by == "words"
            else label_values([group.members[name] for name in table.images], image)
            for by, group in audit.groups.items()
        }
        analyses = [audit.analyses[label] for label in table.texts]
    except KeyError as error:
        hint = "audit.json and mentions.jsonl are not of the same run: audit again"
        message = f"the audit knows nothing of {error}"
        raise InputError(message, place=Place(str(audit.file)), hint=hint) from None
    values[EVERYONE] = LabelValues(("all",), np.zeros(len(text), dtype=np.int64))
    return LabelArrays(table.images, image, text, category_masks(analyses), values)


ChangeVerdict = Literal["changed", "same", "insufficient"]
FEWEST_EVENTS = 5
"""A bootstrap of fewer events is too sure of itself: a count of 0 never varies."""


@dataclass(frozen=True, slots=True)
class RateChange:
    """One rate in two audits. Without a category it is the share of labels that are about a value."""

    system: str
    by: str  # empty for a rate over all labels
    value: str
    category: str | None
    before: Tally
    after: Tally
    change: Estimate  # after less before, bootstrap over images
    p: float
    q: float
    verdict: ChangeVerdict


@dataclass(frozen=True, slots=True)
class GapChange:
    """One difference between two values in two audits."""

    system: str
    by: str
    group: str
    against: str
    category: str
    before: float
    after: float
    change: Estimate  # bootstrap over images


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed between two audits."""

    systems: tuple[tuple[str, str], ...]  # names in the first and in the second audit
    notes: tuple[str, ...]  # why numbers may not be comparable
    rates: tuple[RateChange, ...]
    gaps: tuple[GapChange, ...]
    settings: BiasSettings


def compare(
    before: SavedAudit, after: SavedAudit, *, settings: BiasSettings = DEFAULT_SETTINGS
) -> Comparison:
    """Compare two audits, system by system."""
    systems = _matched(before, after)
    groups = [by for by in before.groups if by in after.groups]
    first, second = saved_labels(before), saved_labels(after)
    rates: list[RateChange] = []
    gaps: list[GapChange] = []
    for old, new in systems:
        labels = _PairedLabels.of(first[old], second[new], same=_same_images(before, after, old, new))
        keys = sorted({key for side in labels.sides for key in side.keys("modifier")})
        rates += _rates(labels, new, EVERYONE, ["all"], keys, settings)
        for by in groups:
            values = [value for value in before.groups[by].values if value in after.groups[by].values]
            rates += _shares(labels, new, by, values, settings)
            rates += _rates(labels, new, by, values, keys, settings)
            pairs = [pair for pair in before.groups[by].pairs if pair in after.groups[by].pairs]
            gaps += _gaps(labels, new, by, pairs, keys, settings)
    return Comparison(
        tuple(systems), tuple(_notes(before, after, systems)), tuple(rates), tuple(gaps), settings
    )


def _matched(before: SavedAudit, after: SavedAudit) -> list[tuple[str, str]]:
    common = [(name, name) for name in before.systems if name in after.systems]
    if common:
        return common
    if len(before.systems) == len(after.systems) == 1:
        return [(before.systems[0], after.systems[0])]
    raise InputError(
        f"no system is in both audits: {visible(', '.join(before.systems))}"
        f" there, {visible(', '.join(after.systems))} here",
        place=Place(str(after.file)),
        hint="give both versions the same name: assess audit model=FILE",
    )


def _same_images(before: SavedAudit, after: SavedAudit, old: str, new: str) -> bool:
    first = before.results.systems[old].images_digest
    return first is not None and first == after.results.systems[new].images_digest


def _notes(before: SavedAudit, after: SavedAudit, systems: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield what else differs between the two audits than the systems."""
    old, new = before.results.signature, after.results.signature
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
            yield f"'{first}' before is compared with '{second}' after"
        if not _same_images(before, after, first, second):
            yield f"the images of '{second}' are not those of before: only what both describe is paired"
    alone = {*before.systems, *after.systems} - {name for pair in systems for name in pair}
    if alone:
        yield f"only in one audit: {', '.join(sorted(alone))}"


@dataclass(frozen=True, slots=True, eq=False)
class _PairedLabels:
    """The labels of two versions, on all images that either speaks of."""

    before: LabelArrays
    after: LabelArrays
    same: bool  # both describe exactly the same images

    @classmethod
    def of(cls, before: LabelArrays, after: LabelArrays, *, same: bool) -> _PairedLabels:
        # An image that only one of them speaks of counts in that one's rate alone, as it should.
        images = sorted({*before.images, *after.images})
        return cls(before.on_images(images), after.on_images(images), same)

    @property
    def sides(self) -> tuple[LabelArrays, LabelArrays]:
        return self.before, self.after

    def tallies(self, by: str, key: CategoryKey, values: Sequence[str]) -> Floats:
        """Return images x (values before, values after) x (yes, labels)."""
        return np.concatenate([side.image_tallies(by, key, values) for side in self.sides], axis=1)

    def shares(self, by: str, value: str) -> Floats:
        """Return images x (before, after) x (labels about a value, all labels)."""
        return np.stack([side.image_shares(by, value) for side in self.sides], axis=1)


def _shares(
    labels: _PairedLabels, system: str, by: str, values: Sequence[str], settings: BiasSettings
) -> Iterator[RateChange]:
    yield from _family(
        [(value, None, labels.shares(by, value)) for value in values], labels, system, by, settings
    )


def _rates(
    labels: _PairedLabels,
    system: str,
    by: str,
    values: Sequence[str],
    keys: Sequence[CategoryKey],
    settings: BiasSettings,
) -> Iterator[RateChange]:
    for value in values:
        found = [(value, key[1], labels.tallies(by, key, [value])) for key in keys]
        yield from _family(found, labels, system, by, settings)


def _family(
    found: Sequence[tuple[str, str | None, Floats]],
    labels: _PairedLabels,
    system: str,
    by: str,
    settings: BiasSettings,
) -> Iterator[RateChange]:
    """Judge the rates of one family together."""
    p_values = [_p(tallies, same=labels.same) for _, _, tallies in found]
    for (value, category, tallies), p, q in zip(found, p_values, benjamini_hochberg(p_values), strict=True):
        before, after = (_total(tallies, side) for side in (0, 1))
        change = _bootstrap(tallies, (-1.0, 1.0), settings)
        verdict = _verdict(before, after, change, q, settings)
        yield RateChange(system, by, value, category, before, after, change, p, q, verdict)


def _total(tallies: Floats, side: int) -> Tally:
    yes, labels = tallies[:, side].sum(axis=0)
    return Tally(int(yes), int(labels))


def _p(tallies: Floats, *, same: bool) -> float:
    if same:
        said = tallies[:, :, 0] > 0
        only_before, only_after = said[:, 0] & ~said[:, 1], said[:, 1] & ~said[:, 0]
        return mcnemar(int(only_after.sum()), int(only_before.sum())).p
    before, after = (_total(tallies, side) for side in (0, 1))
    return fisher_p(CountTable(after.yes, after.total, before.yes, before.total))


def _bootstrap(tallies: Floats, contrast: Sequence[float], settings: BiasSettings) -> Estimate:
    if not len(tallies):
        return Estimate(np.nan, np.nan, np.nan)
    (found,) = bootstrap_contrasts(
        tallies, [contrast], samples=settings.samples, level=settings.level, seed=settings.seed
    )
    return found.estimate


def _verdict(
    before: Tally, after: Tally, change: Estimate, q: float, settings: BiasSettings
) -> ChangeVerdict:
    if change.excludes(0.0) and q <= settings.alpha:
        return "changed"
    margin = settings.margin.risk_difference
    unpaired = risk_difference(
        CountTable(after.yes, after.total, before.yes, before.total), level=settings.level
    )
    trusted = min(before.yes, after.yes) >= FEWEST_EVENTS and change.within(-margin, margin)
    return "same" if trusted or unpaired.within(-margin, margin) else "insufficient"


def _gaps(
    labels: _PairedLabels,
    system: str,
    by: str,
    pairs: Sequence[Pair],
    keys: Sequence[CategoryKey],
    settings: BiasSettings,
) -> Iterator[GapChange]:
    for pair in pairs:
        for key in keys:
            tallies = labels.tallies(by, key, pair)
            before, after = (side.table(by, key, pair) for side in labels.sides)
            yield GapChange(
                system,
                by,
                *pair,
                category=key[1],
                before=before.group.rate - before.other.rate,
                after=after.group.rate - after.other.rate,
                change=_bootstrap(tallies, (-1.0, 1.0, 1.0, -1.0), settings),
            )
