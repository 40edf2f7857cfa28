"""What is never said, and what the taxonomy could not read."""

from __future__ import annotations

from dataclasses import dataclass

from assess.report.cells import count
from assess.report.html_categories import describe
from assess.report.html_input import ReportInput
from assess.report.html_links import Number, captions_link

_MOST_WORDS = 200


@dataclass(frozen=True, slots=True)
class UnknownRow:
    """A word that the taxonomy lacks."""

    word: str
    total: Number
    cells: tuple[Number, ...]  # by system
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is missing: in the captions, and in the taxonomy."""

    never: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]  # a role, its categories and descriptions
    systems: tuple[str, ...]
    words: tuple[UnknownRow, ...]
    more_words: int
    read: tuple[tuple[str, Number, Number], ...]  # a system, its labels read in part, and not at all


def gaps_part(audit: ReportInput) -> Gaps:
    """Return the part of the page about gaps."""
    words = _words(audit)
    return Gaps(
        never=_never(audit),
        systems=tuple(audit.systems),
        words=tuple(words[:_MOST_WORDS]),
        more_words=max(0, len(words) - _MOST_WORDS),
        read=tuple(
            (name, _read(name, "partial", partial), _read(name, "none", uncovered))
            for name, system in audit.systems.items()
            for partial, uncovered in ((system.get("partial_labels", 0), system.get("uncovered_labels", 0)),)
            if partial or uncovered
        ),
    )


def _read(system: str, kind: str, labels: int) -> Number:
    return Number(count(labels), labels, captions_link(system=system, read=kind))


def _never(audit: ReportInput) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    keys = audit.results.get("categories_never_used", [])
    blocks = (
        (
            f"{role}s",
            tuple(
                (key.partition(".")[2], describe(audit, key)[0]) for key in keys if key.startswith(f"{role}.")
            ),
        )
        for role in ("modifier", "head")
    )
    return tuple(block for block in blocks if block[1])


def _words(audit: ReportInput) -> list[UnknownRow]:
    """Return the unknown words of all systems, commonest first."""
    counts: dict[str, dict[str, int]] = {}
    examples: dict[str, list[str]] = {}
    for name, system in audit.systems.items():
        for item in system.get("unknown_words", ()):
            counts.setdefault(item["word"], {})[name] = item["labels"]
            examples.setdefault(item["word"], []).extend(item["examples"])
    order = sorted(counts, key=lambda word: (-sum(counts[word].values()), word))
    return [
        UnknownRow(
            word,
            _number(sum(counts[word].values()), captions_link(unknown=word)),
            tuple(
                _number(counts[word].get(name, 0), captions_link(unknown=word, system=name))
                for name in audit.systems
            ),
            tuple(dict.fromkeys(examples[word]))[:3],
        )
        for word in order
    ]


def _number(labels: int, href: str) -> Number:
    return Number(count(labels), labels, href) if labels else Number("·", 0)
