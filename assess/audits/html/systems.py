"""Systems side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from assess.audits.highlights import modifier_keys, people_last
from assess.audits.html.captions import Captions, said_words
from assess.audits.result import AuditResult
from assess.measures.coverage.compute import BestReading, CategoryFacts, CategoryUse, SystemCoverage
from assess.report.html.parts import Number, anchor, captions_link, share_text
from assess.report.svg import Bar, bar_chart
from assess.report.text import count, percent, rate


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system's numbers, in the order of the columns."""

    name: str
    human: bool
    cells: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Systems:
    """The table of systems, and its charts."""

    columns: tuple[tuple[str, str], ...]  # the title of a column, and what it means
    rows: tuple[SystemRow, ...]
    apart: int  # the number of last rows that are references
    charts: tuple[tuple[str, str, Markup], ...]  # a title, what it means, and the drawing


def systems_part(audit: AuditResult) -> Systems:
    """Return the part of the page about systems."""
    groups = list(audit.groups)
    return Systems(
        columns=(*_COLUMNS, *((f"disparities by {name}", "Contrasts with that verdict.") for name in groups)),
        rows=tuple(
            SystemRow(name, bool(system.reference), tuple(_cells(audit, name)))
            for name in people_last(audit)
            for system in (audit.systems[name],)
        ),
        apart=len(audit.references),
        charts=tuple(_charts(audit)),
    )


_COLUMNS = (
    ("captions", "All captions, with and without labels."),
    ("labels", "Phrases of the domain, such as a noun with what is said about it."),
    ("modifiers per label", "Modifier categories per label, in the best reading."),
    ("modifier categories", "Modifier categories that are used at all, in the best reading."),
    ("head categories", "Head categories that are used at all, in the best reading."),
    (
        "per label, all readings",
        "Modifier categories per label, over all readings, as in papers.",
    ),
    ("read in full", "Labels whose every word the taxonomy knows."),
    ("read in part", "Labels with an unknown word among known ones."),
    ("not read", "Labels in which no category was found."),
)


def _cells(audit: AuditResult, name: str) -> Iterator[Number]:
    system = audit.systems[name]
    labels, best = system.labels, system.best
    partial, uncovered = system.partial_labels, system.uncovered_labels
    full = (labels - partial - uncovered) / labels if labels else float("nan")
    yield Number(count(system.captions), system.captions)
    yield Number(count(labels), labels, captions_link(system=name))
    yield _rate(best, captions_link(system=name, modified="yes"))
    yield Number(count(best.modifier_categories), best.modifier_categories, "#categories")
    yield Number(count(best.head_categories), best.head_categories, "#categories")
    yield _rate(system, captions_link(system=name, modified="yes", reading="any"))
    yield Number(percent(full), full, captions_link(system=name, read="full"))
    yield Number(count(partial), partial, captions_link(system=name, read="partial"))
    yield Number(count(uncovered), uncovered, captions_link(system=name, read="none"))
    for group, part in audit.groups.items():
        found = sum(cell.system == name and cell.verdict == "disparity" for cell in part.cells)
        yield Number(count(found), found, f"#{anchor(group)}")


def _rate(counts: SystemCoverage | BestReading, href: str) -> Number:
    value = counts.modifiers_per_label
    return Number(rate(value), value, href)


def _charts(audit: AuditResult) -> Iterator[tuple[str, str, Markup]]:
    bars = [
        Bar(name, value, rate(value), human=name in audit.references)
        for name in people_last(audit)
        for value in (audit.systems[name].best.modifiers_per_label,)
    ]
    title = "Modifiers per label"
    yield title, "How much a label says about the person or thing it names.", bar_chart(title, bars)
    total = len(modifier_keys(audit))
    bars = [
        Bar(name, used, f"{used} of {total}", human=name in audit.references)
        for name in people_last(audit)
        for used in (audit.systems[name].best.modifier_categories,)
    ]
    title = "Modifier categories used"
    yield (
        title,
        f"How many of the domain's {total} kinds of modifiers ever occur.",
        bar_chart(title, bars, limit=total),
    )


# Categories by systems: a table whose cells are coloured by how often a category is said.

_STEPS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
"""Shares at which the next colour begins. They are uneven: most categories are rare."""
LEGEND = ("none", "<1%", "1–2%", "2–5%", "5–10%", "10–20%", "20–40%", "40–70%", "≥70%")
_EXAMPLES = 4
_UNUSED = CategoryUse(role="modifier", labels=0, share=float("nan"), best_labels=0)


@dataclass(frozen=True, slots=True)
class HeatCell:
    """How often one system says one category."""

    share: Number
    labels: str
    level: int  # of colour, from 0
    others: Number | None  # labels that have it in other readings only


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """One category in all systems."""

    name: str
    description: str
    tags: tuple[tuple[str, str], ...]  # a kind, such as sensitivity, and its value
    cells: tuple[HeatCell, ...]
    examples: tuple[tuple[str, str, str], ...]  # words, their labels, and the captions that have them
    never: bool


@dataclass(frozen=True, slots=True)
class Categories:
    """The heat map, one block for each role."""

    systems: tuple[str, ...]
    apart: int  # the number of last columns that are references
    blocks: tuple[tuple[str, tuple[CategoryRow, ...]], ...]


def categories_part(audit: AuditResult, captions: Captions) -> Categories:
    """Return the part of the page about categories."""
    keys = list(dict.fromkeys(key for system in audit.systems.values() for key in system.categories))
    words = said_words(captions)
    blocks = tuple(
        (
            f"{role}s",
            tuple(_row(audit, key, words[key]) for key in keys if key.startswith(f"{role}.")),
        )
        for role in ("modifier", "head")
    )
    names = tuple(people_last(audit))
    return Categories(names, len(audit.references), tuple(block for block in blocks if block[1]))


def describe(audit: AuditResult, key: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a category's description, and what is special about it, where the audit has them."""
    found = audit.categories.get(key, CategoryFacts())
    tags = [("sensitivity", found.sensitivity or "none"), ("evidence", found.evidence or "visible")]
    return found.description, tuple(tag for tag in tags if tag[1] not in ("none", "visible"))


def level(value: float) -> int:
    """Return the colour of a share: 0 for none, then one step up for each limit it reaches."""
    return 0 if not value > 0 else sum(value >= step for step in _STEPS)


def _row(audit: AuditResult, key: str, words: Counter[str]) -> CategoryRow:
    found = {name: audit.systems[name].categories.get(key, _UNUSED) for name in people_last(audit)}
    description, tags = describe(audit, key)
    return CategoryRow(
        name=key.partition(".")[2],
        description=description,
        tags=tags,
        cells=tuple(_cell(audit, name, key, item) for name, item in found.items()),
        examples=tuple(_examples(key, words)),
        never=not any(item.labels for item in found.values()),
    )


def _cell(audit: AuditResult, system: str, key: str, item: CategoryUse) -> HeatCell:
    labels, best, union = audit.systems[system].labels, item.best_labels, item.labels
    value = best / labels if labels else float("nan")
    others = None
    if not best and union:
        others = Number(f"({count(union)})", union, captions_link(system=system, category=key, reading="any"))
    shown = share_text(best, labels) if best or not labels else "·"
    href = captions_link(system=system, category=key) if best else None
    return HeatCell(Number(shown, value, href), count(best) if best else "", level(value), others)


def _examples(key: str, words: Counter[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the commonest words of a category, how many labels have them, and their captions."""
    for word, labels in sorted(words.items(), key=lambda item: (-item[1], item[0]))[:_EXAMPLES]:
        yield word, count(labels), captions_link(category=key, word=word)


# What is never said, and what the taxonomy could not read.

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


def gaps_part(audit: AuditResult) -> Gaps:
    """Return the part of the page about gaps."""
    words = _words(audit)
    return Gaps(
        never=_never(audit),
        systems=tuple(people_last(audit)),
        words=tuple(words[:_MOST_WORDS]),
        more_words=max(0, len(words) - _MOST_WORDS),
        read=tuple(
            (name, _read(name, "partial", partial), _read(name, "none", uncovered))
            for name, system in audit.systems.items()
            for partial, uncovered in ((system.partial_labels, system.uncovered_labels),)
            if partial or uncovered
        ),
    )


def _read(system: str, kind: str, labels: int) -> Number:
    return Number(count(labels), labels, captions_link(system=system, read=kind))


def _never(audit: AuditResult) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    keys = audit.categories_never_used
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


def _words(audit: AuditResult) -> list[UnknownRow]:
    """Return the unknown words of all systems, commonest first."""
    counts: dict[str, dict[str, int]] = {}
    examples: dict[str, list[str]] = {}
    for name, system in audit.systems.items():
        for item in system.unknown_words:
            counts.setdefault(item.word, {})[name] = item.labels
            examples.setdefault(item.word, []).extend(item.examples)
    order = sorted(counts, key=lambda word: (-sum(counts[word].values()), word))
    return [
        UnknownRow(
            word,
            _number(sum(counts[word].values()), captions_link(unknown=word)),
            tuple(
                _number(counts[word].get(name, 0), captions_link(unknown=word, system=name))
                for name in people_last(audit)
            ),
            tuple(dict.fromkeys(examples[word]))[:3],
        )
        for word in order
    ]


def _number(labels: int, href: str) -> Number:
    return Number(count(labels), labels, href) if labels else Number("·", 0)
