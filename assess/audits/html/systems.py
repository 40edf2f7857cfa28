"""Comparison of systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from assess.audits.highlights import modifier_keys, never_said, people_last
from assess.audits.html.captions import Captions, said_words
from assess.audits.result import AuditResult
from assess.measures.coverage.compute import CategoryFacts, CategoryUse
from assess.report.html.parts import anchor, captions_link
from assess.report.section import (
    SYSTEM,
    Cell,
    Column,
    NumberChart,
    Section,
    Table,
    cell,
    number_columns,
    row_of,
    text_columns,
    words,
)
from assess.report.text import count, percent, rate, share

_SYSTEMS = (
    ("captions", "All captions, with and without labels."),
    ("labels", "Phrases of the domain: a noun with its modifiers."),
    ("modifiers per label", "Modifier categories per label, in the best reading."),
    ("modifier categories", "Modifier categories in use, in the best reading."),
    ("head categories", "Head categories in use, in the best reading."),
    ("per label, all readings", "Modifier categories per label, over all readings, as in the papers."),
    ("read in full", "Labels without unknown words."),
    ("read in part", "Labels with some unknown words."),
    ("not read", "Labels without any category."),
)


def systems_section(audit: AuditResult) -> Section:
    """Return the section of the page about systems."""
    disparities = ((f"disparities by {name}", "Contrasts with this verdict.") for name in audit.groups)
    columns = (SYSTEM, *(Column(name, name, meaning=told) for name, told in (*_SYSTEMS, *disparities)))
    rows = tuple(
        (words(name, mark="people" if name in audit.references else ""), *_cells(audit, name))
        for name in people_last(audit)
    )
    note = "Modifiers are counted by category, once per label"
    title = "The numbers behind the charts, and further counts"
    table = Table("systems", title, columns, rows, (note,), apart=len(audit.references))
    return Section("systems", "Comparison of systems", (*_charts(audit), table))


def _cells(audit: AuditResult, name: str) -> Iterator[Cell]:
    system, best = audit.systems[name], audit.systems[name].best
    modified = captions_link(system=name, modified="yes")
    yield cell(system.captions, count)
    yield cell(system.labels, count, link=captions_link(system=name))
    yield cell(best.modifiers_per_label, rate, link=modified)
    yield cell(best.modifier_categories, count, link="#categories")
    yield cell(best.head_categories, count, link="#categories")
    yield cell(system.modifiers_per_label, rate, link=f"{modified}&reading=any")
    yield cell(
        share(system.full_labels, system.labels), percent, link=captions_link(system=name, read="full")
    )
    yield cell(system.partial_labels, count, link=captions_link(system=name, read="partial"))
    yield cell(system.uncovered_labels, count, link=captions_link(system=name, read="none"))
    for group, part in audit.groups.items():
        found = sum(cell.system == name and cell.verdict == "disparity" for cell in part.cells)
        yield cell(found, count, link=f"#{anchor(group)}")


def _charts(audit: AuditResult) -> Iterator[NumberChart]:
    best = {name: audit.systems[name].best for name in people_last(audit)}
    said = {name: cell(found.modifiers_per_label, rate) for name, found in best.items()}
    meaning = "How much captions say about each person or thing."
    yield NumberChart("Modifiers per label", meaning, said, audit.references)
    total = len(modifier_keys(audit))
    numbers = {name: found.modifier_categories for name, found in best.items()}
    used = {name: Cell(f"{number} of {total}", number) for name, number in numbers.items()}
    meaning = f"How many of the domain's {total} modifier categories the captions use."
    yield NumberChart("Modifier categories used", meaning, used, audit.references, total)


# Categories by systems: a table whose cells are coloured by frequency.

_STEPS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
"""Shares at which the next colour begins. The steps are uneven because most categories are rare."""
LEGEND = ("none", "<1%", "1–2%", "2–5%", "5–10%", "10–20%", "20–40%", "40–70%", "≥70%")
_EXAMPLES = 4


HeatCell = tuple[Cell, int, Cell | None]
"""A share with its labels, its colour level, and the labels that have it only in other readings."""


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """One category in all systems."""

    name: str
    description: str
    tags: tuple[tuple[str, str], ...]  # kinds, such as sensitivity, and values
    cells: tuple[HeatCell, ...]
    examples: tuple[tuple[str, str, str], ...]  # words, their labels, and links to their captions
    never: bool


@dataclass(frozen=True, slots=True)
class Categories:
    """The heat map, with one block for each role."""

    systems: tuple[str, ...]
    apart: int  # number of last columns that are references
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
    """Return a category's description and its special properties, if the audit has them."""
    found = audit.categories.get(key, CategoryFacts())
    tags = [("sensitivity", found.sensitivity or "none"), ("evidence", found.evidence or "visible")]
    return found.description, tuple(tag for tag in tags if tag[1] not in ("none", "visible"))


def level(value: float) -> int:
    """Return the colour level of a share: 0 for none, then one more for each limit it reaches."""
    return 0 if not value > 0 else sum(value >= step for step in _STEPS)


def _row(audit: AuditResult, key: str, words: Counter[str]) -> CategoryRow:
    found = {name: audit.systems[name].categories[key] for name in people_last(audit)}
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
    value = share(best, labels)
    others = None
    if not best and union:
        link = captions_link(system=system, category=key, reading="any")
        others = Cell(f"({count(union)})", union, link=link)
    shown = percent(value, 0) if best or not labels else "·"
    link = captions_link(system=system, category=key) if best else ""
    return Cell(shown, value, link=link, bounds=count(best) if best else ""), level(value), others


def _examples(key: str, words: Counter[str]) -> Iterator[tuple[str, str, str]]:
    """Yield a category's most common words, their numbers of labels, and links to their captions."""
    for word, labels in sorted(words.items(), key=lambda item: (-item[1], item[0]))[:_EXAMPLES]:
        yield word, count(labels), captions_link(category=key, word=word)


# Categories that are never used, and text that the taxonomy could not read.

_MOST_WORDS, _MOST_EXAMPLES = 200, 3


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is missing from the captions and from the taxonomy."""

    # roles, with their categories and descriptions
    never: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    words: Table  # words that the taxonomy does not contain
    read: tuple[tuple[str, Cell, Cell], ...]  # systems, with their partially read and unread labels


def gaps_part(audit: AuditResult) -> Gaps:
    """Return the part of the page about gaps."""
    read = (
        (
            name,
            cell(system.partial_labels, count, link=captions_link(system=name, read="partial")),
            cell(system.uncovered_labels, count, link=captions_link(system=name, read="none")),
        )
        for name, system in audit.systems.items()
        if system.partial_labels or system.uncovered_labels
    )
    return Gaps(_never(audit), _unknown_words(audit), tuple(read))


def _never(audit: AuditResult) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    return tuple(
        (role, tuple((key.partition(".")[2], describe(audit, key)[0]) for key in keys))
        for role, keys in never_said(audit)
    )


def _unknown_words(audit: AuditResult) -> Table:
    """Return the unknown words of all systems, most common first."""
    counts: dict[str, Counter[str]] = {}
    examples: dict[str, list[str]] = {}
    for name, system in audit.systems.items():
        for item in system.unknown_words:
            counts.setdefault(item.word, Counter())[name] = item.labels
            examples.setdefault(item.word, []).extend(item.examples)
    order = sorted(counts, key=lambda word: (-counts[word].total(), word))
    names = people_last(audit)
    rows = tuple(
        row_of(
            word,
            cell(counts[word].total(), count, link=captions_link(unknown=word)),
            *(_unknown(word, name, counts[word][name]) for name in names),
            ", ".join(list(dict.fromkeys(examples[word]))[:_MOST_EXAMPLES]),
        )
        for word in order[:_MOST_WORDS]
    )
    rarer = len(order) - _MOST_WORDS
    notes = (f"{count(rarer)} rarer ones are not shown",) if rarer > 0 else ()
    title = "Unknown words in labels of the domain"
    columns = (*text_columns("word"), *number_columns("labels", *names), *text_columns("in"))
    return Table("unknown", title, columns, rows, notes)


def _unknown(word: str, system: str, labels: int) -> Cell:
    link = captions_link(unknown=word, system=system)
    return Cell(count(labels), labels, link=link) if labels else Cell("·", 0)
