"""What a change of a taxonomy does: to its words, and to how captions are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from assess.disk_cache import DiskCache
from assess.domain.overview import listings
from assess.domain.survey import Survey
from assess.measures.coverage.compute import commonest
from assess.records import Analysis
from assess.report.text import count, plain
from assess.resources import code_digest
from assess.signature import Signature
from assess.taxonomy import Taxonomy
from assess.taxonomy.domains import find_taxonomy
from assess.taxonomy.load import TAXONOMY_CODEC

_EXAMPLES = 4


@dataclass(frozen=True, slots=True)
class Changes:
    """From one taxonomy to another: words, and labels of captions where there are some."""

    words_added: tuple[str, ...] = ()  # each with its role and category
    words_removed: tuple[str, ...] = ()
    gained: Counter[str] = field(default_factory=Counter)  # text of a label -> how many more
    lost: Counter[str] = field(default_factory=Counter)
    otherwise: Counter[str] = field(default_factory=Counter)  # labels of both that are read differently
    readings: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # of those: before and after

    def __bool__(self) -> bool:
        return any((self.words_added, self.words_removed, self.gained, self.lost, self.otherwise))


def word_changes(before: Taxonomy, after: Taxonomy) -> Changes:
    """Return which words and patterns two taxonomies do not share."""
    old, new = (dict.fromkeys(_words(taxonomy)) for taxonomy in (before, after))
    return Changes(
        words_added=tuple(word for word in new if word not in old),
        words_removed=tuple(word for word in old if word not in new),
    )


def _words(taxonomy: Taxonomy) -> Iterator[str]:
    for listing in listings(taxonomy):
        for word in (*listing.words, *listing.patterns):
            yield f"{word} ({listing.role} {listing.category})"
    for word in taxonomy.excluded:
        yield f"{word} (excluded)"


def changes(before: Survey, after: Survey) -> Changes:
    """Return what differs between two readings of the same captions."""
    words = word_changes(before.taxonomy, after.taxonomy)
    old, new = (
        Counter({text: seen.count for text, seen in survey.whole.labels.items()})
        for survey in (before, after)
    )
    readings = {
        text: (reading_of(before.analyses[text]), reading_of(after.analyses[text]))
        for text in old.keys() & new.keys()
    }
    differing = {text: pair for text, pair in sorted(readings.items()) if pair[0] != pair[1]}
    return Changes(
        words_added=words.words_added,
        words_removed=words.words_removed,
        gained=new - old,
        lost=old - new,
        otherwise=Counter({text: min(old[text], new[text]) for text in differing}),
        readings=differing,
    )


def reading_of(analysis: Analysis) -> str:
    """Return the best reading in a few words."""
    best = analysis.best
    told = [*best.heads, *best.modifiers, *(f"{word}?" for word in analysis.unknown)]
    return ", ".join(told) or "nothing"


def changes_report(found: Changes, *, title: str) -> Iterator[RenderableType]:
    """Yield the changes as lines, each with its commonest examples."""
    if not found:
        yield plain(f"{title}: nothing changed.", 300)
        return
    yield Text(f"{title}:", style="bold")
    for name, words in (("words added", found.words_added), ("words removed", found.words_removed)):
        if words:
            yield _line(name, len(words), words)
    for name, labels in (("labels gained", found.gained), ("labels lost", found.lost)):
        if labels:
            shown = (f"{text} ({count(number)})" for text, number in commonest(labels, _EXAMPLES))
            yield _line(name, labels.total(), shown, more=len(labels) > _EXAMPLES)
    if found.otherwise:
        shown = (
            f"{text} ({found.readings[text][0]} → {found.readings[text][1]})"
            for text, _ in commonest(found.otherwise, _EXAMPLES)
        )
        yield _line("read differently", found.otherwise.total(), shown, more=False)


def _line(name: str, number: int, shown: Iterable[str], *, more: bool | None = None) -> Text:
    listed = list(shown)
    further = len(listed) > _EXAMPLES if more is None else more
    text = "; ".join(listed[:_EXAMPLES]) + ("; …" if further else "")
    return Text(f"  {name:<17}{count(number):>8}  ").append_text(plain(text, 400, style="dim"))


def changes_shape(signature: Signature, found: Changes, *, most: int | None) -> dict[str, Any]:
    """Return the shape of `assess domain diff --json`."""
    return {
        "signature": signature.as_dict(),
        "words": {"added": found.words_added, "removed": found.words_removed},
        "labels": {
            "gained": _counted(found.gained, most),
            "lost": _counted(found.lost, most),
            "read_differently": [
                {"label": text, "count": number, "before": pair[0], "after": pair[1]}
                for text, number in commonest(found.otherwise, most or len(found.otherwise))
                for pair in [found.readings[text]]
            ],
        },
        "totals": {
            "gained": found.gained.total(),
            "lost": found.lost.total(),
            "read_differently": found.otherwise.total(),
        },
    }


def _counted(labels: Counter[str], most: int | None) -> list[dict[str, Any]]:
    return [{"label": text, "count": number} for text, number in commonest(labels, most or len(labels))]


# The last look: the taxonomy as it was when its author last asked about the same captions.

LOOKS = DiskCache("looks", most=64)


def last_look(survey: Survey, domain: str) -> Taxonomy | None:
    """Return the taxonomy of the last look at these captions with this domain's file, if it is known."""
    return LOOKS.take(_look(survey, domain), TAXONOMY_CODEC)


def remember_look(survey: Survey, domain: str) -> None:
    """Keep the taxonomy of this look."""
    LOOKS.put(_look(survey, domain), survey.taxonomy, TAXONOMY_CODEC)


def _look(survey: Survey, domain: str) -> tuple[str, ...]:
    path = find_taxonomy(domain).resolve()
    return (str(path), code_digest("taxonomy/*.py"), *(given.sha256 for given in survey.signature.inputs))
