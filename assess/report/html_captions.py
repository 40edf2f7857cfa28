"""The captions behind the numbers, in columns that are small to send and quick to filter."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from assess.audit.saved import HINT, SavedAudit, SavedMention
from assess.errors import InputError, Place, visible
from assess.report.html_labels import LabelColumns, script_offset, shown
from assess.report.html_sample import Pair, Sample, sample

MOST_MENTIONS = 120_000
"""More than these make a page slow to open and hard to send; then a sample travels with it."""

_ROWS = ("system", "image", "record", "start", "end", "label", "caption")


@dataclass(frozen=True, slots=True)
class Captions:
    """What the page's script gets, and how often each system has each label."""

    columns: dict[str, Any]
    labels: dict[str, Counter[str]]


def caption_columns(audit: SavedAudit, *, most: int = MOST_MENTIONS) -> Captions:
    """Return the captions of a saved audit; of more than `most` labels, a sample."""
    builder = _Builder(audit)
    if sum(system.labels for system in audit.results.systems.values()) <= most:
        for mention in audit.mentions():
            builder.add(mention)
        return builder.captions(None)
    # Which labels are rare is known only at the end of the file, so it is read twice.
    chosen = sample(Counter(map(_pair, audit.mentions())), most)
    for mention in audit.mentions():
        if chosen.keeps(_pair(mention)):
            builder.add(mention)
    return builder.captions(chosen)


def _pair(mention: SavedMention) -> Pair:
    return mention.system, mention.label


class _Builder:
    """Builds the columns, mention by mention. Equal texts are kept once, under their place."""

    def __init__(self, audit: SavedAudit) -> None:
        self._audit = audit
        self._systems = {name: place for place, name in enumerate(audit.results.systems)}
        self._images: dict[str, int] = {}
        self._captions: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        used = (name for system in audit.results.systems.values() for name in system.categories)
        self._labels = LabelColumns(list(dict.fromkeys(used)))
        self._rows: dict[str, list[int]] = {name: [] for name in _ROWS}
        self._counts: Counter[Pair] = Counter()
        self._groups: dict[str, list[str]] = {name: [] for name in audit.groups}

    def add(self, mention: SavedMention) -> None:
        """Add one mention."""
        self._check(mention)
        caption = shown(mention.caption)
        self._counts[_pair(mention)] += 1
        new = mention.label not in self._texts
        values = (
            self._systems[mention.system],
            self._images.setdefault(shown(mention.image), len(self._images)),
            mention.record,
            script_offset(caption, mention.start),
            script_offset(caption, mention.end),
            self._texts.setdefault(mention.label, len(self._texts)),
            self._captions.setdefault(caption, len(self._captions)),
        )
        for name, value in zip(_ROWS, values, strict=True):
            self._rows[name].append(value)
        if new:
            self._labels.add(self._audit.analysis(mention))
        for name, group in self._audit.groups.items():
            # Words tell the same of every mention of a label, so one value a label is enough.
            if new or group.told_by == "images":
                self._groups[name].append(self._audit.value(name, mention))

    def _check(self, mention: SavedMention) -> None:
        if mention.system not in self._systems:
            message = f"the audit has no system called '{visible(mention.system)}', but mentions.jsonl has"
            raise InputError(message, place=Place(str(self._audit.file)), hint=HINT)

    def captions(self, chosen: Sample | None) -> Captions:
        """Return all columns; of a sample, with the totals of all mentions."""
        counts = self._counts if chosen is None else chosen.counts
        labels: dict[str, Counter[str]] = {name: Counter() for name in self._systems}
        for (system, label), count in counts.items():
            labels[system][label] = count
        return Captions(self._columns(chosen), labels)

    def _columns(self, chosen: Sample | None) -> dict[str, Any]:
        return {
            "systems": list(self._systems),
            "categories": self._labels.categories,
            "images": list(self._images),
            "captions": list(self._captions),
            "labels": self._labels.as_columns(),
            "groups": [self._group(name) for name in self._groups],
            "mentions": self._rows,
            # Exact totals where only a sample of the mentions is here.
            "totals": None if chosen is None else self._totals(chosen),
            "quota": None if chosen is None else chosen.quota,
        }

    def _group(self, name: str) -> dict[str, Any]:
        found = self._groups[name]
        values = sorted(set(found))
        places = {value: place for place, value in enumerate(values)}
        of = "label" if self._audit.groups[name].told_by == "words" else "mention"
        return {"name": name, "values": values, "of": of, "at": [places[value] for value in found]}

    def _totals(self, chosen: Sample) -> list[list[int]]:
        return [
            [self._systems[system], self._texts[label], count]
            for (system, label), count in sorted(chosen.counts.items())
        ]
