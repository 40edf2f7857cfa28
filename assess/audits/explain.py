"""From a number to its captions: the labels in a cell, and the positions of the words that express it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from markupsafe import Markup, escape
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from assess.audits.saved import SavedAudit, SavedMention
from assess.errors import UsageError, some, visible
from assess.grammar.statements import SEPARATOR
from assess.grammar.verbs import participle
from assess.measures.bias.labels import CategoryKey
from assess.records import Analysis, Span
from assess.report.section import Cell, Column, Table, words
from assess.report.tables import csv_table
from assess.report.text import count, first_few, percent, plain
from assess.taxonomy.phrases import closest
from assess.taxonomy.words import tokenise

Which = Literal["best", "other", "without"]
"""Whether a label has the category in its best reading, only in another reading, or not at all."""
Stretch = tuple[int, int]
"""Character offsets in a caption."""

_LONGEST, _BEFORE = 320, 80  # maximum length of a shown caption, and how much of it may precede its label
_LABEL, _WORDS = "bold", "bold reverse"


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of a cell's name, `SYSTEM/CATEGORY/VALUE`, such as `skewed/attractiveness/female`.

    Without the value, the cell contains all labels of the system. If two groups have the same value, it is
    preceded by the group: `skewed/attractiveness/gender:female`. If there are a modifier and a head of the
    same name, the modifier is meant unless the category is written `head.age`.
    """

    system: str
    key: CategoryKey
    by: str | None = None
    value: str | None = None

    def __str__(self) -> str:
        category = self.key[1] if self.key[0] == "modifier" else ".".join(self.key)
        value = f"/{self.by}:{self.value}" if self.by else ""
        return f"{self.system}/{category}{value}"


def parse_address(text: str, audit: SavedAudit) -> Address:
    """Return the cell that a text names; raises an error that lists the available names."""
    system = _named_system(text, audit)
    category, _, value = text[len(system) :].lstrip("/").partition("/")
    key = _named_key(category, system, audit)
    return Address(system, key, *_named_value(value, audit)) if value else Address(system, key)


def _named_system(text: str, audit: SavedAudit) -> str:
    names = audit.results.systems
    # System names may contain slashes, so the longest matching name is meant.
    fitting = [name for name in names if text == name or text.startswith(f"{name}/")]
    if not fitting:
        asked = text.partition("/")[0]
        raise UsageError(
            f"the audit has no system called '{visible(asked)}'",
            hint=f"a cell is SYSTEM/CATEGORY/VALUE; {closest(asked, names)}",
        )
    return max(fitting, key=len)


def _named_key(category: str, system: str, audit: SavedAudit) -> CategoryKey:
    known = audit.results.categories
    for name in (category, f"modifier.{category}", f"head.{category}"):
        if name in known:
            role, _, rest = name.partition(".")
            return ("head" if role == "head" else "modifier"), rest
    used = [name for name, count in audit.results.systems[system].categories.items() if count.labels]
    names = [name.removeprefix("modifier.") for name in (used or known)]
    if not category:
        example = f"{system}/{names[0]}" if names else f"{system}/CATEGORY"
        hint = f"'{visible(system)}' uses {visible(first_few(names, 12), 400)}; write {visible(example)}"
        raise UsageError("the cell does not name a category", hint=hint)
    hint = closest(category, [name.removeprefix("modifier.") for name in known])
    if "did you mean" not in hint:
        hint = f"'{visible(system)}' uses {visible(first_few(names, 12), 400)}"
    raise UsageError(f"the audit has no category called '{visible(category)}'", hint=hint)


def _named_value(value: str, audit: SavedAudit) -> tuple[str, str]:
    places = [(by, name) for by, group in audit.groups.items() for name in group.columns]
    found = [(by, name) for by, name in places if value in (name, f"{by}:{name}")]
    if len(found) == 1:
        return found[0]
    if found:
        both = " or ".join(f"{by}:{name}" for by, name in found)
        raise UsageError(f"'{visible(value)}' is a value of several groups", hint=f"write {both}")
    hint = "this audit contrasts no groups: run it again with --by, or omit the value"
    if places:
        hint = "there are " + visible(", ".join(f"{by}:{name}" for by, name in places), 400)
    raise UsageError(f"the audit has no value called '{visible(value)}'", hint=hint)


@dataclass(frozen=True, slots=True)
class Example:
    """A label in a cell."""

    mention: SavedMention
    analysis: Analysis
    which: Which
    words: tuple[Stretch, ...]  # positions of the words that express the category


@dataclass(frozen=True, slots=True)
class Explained:
    """All labels of a cell."""

    address: Address
    examples: tuple[Example, ...]  # the requested labels, in the order of the captions
    best: int  # labels with the category in the best reading: the cell's number
    other: int  # labels with the category only in another reading
    labels: int  # all labels of the system or value


def explain(
    audit: SavedAudit, address: Address, *, which: frozenset[Which] = frozenset({"best"})
) -> Explained:
    """Return the labels in a cell."""
    counts: dict[Which, int] = {"best": 0, "other": 0, "without": 0}
    examples: list[Example] = []
    for mention in _mentions(audit, address):
        analysis = audit.analysis(mention)
        kind = carries(analysis, address.key)
        counts[kind] += 1
        if kind in which:
            examples.append(Example(mention, analysis, kind, where(mention, analysis, address.key)))
    return Explained(address, tuple(examples), counts["best"], counts["other"], sum(counts.values()))


def chosen_labels(*, any_reading: bool, without: bool) -> frozenset[Which]:
    """Return which labels to show: with the category in the best or any reading, or without it."""
    if without:
        return frozenset({"without"})
    return frozenset({"best", "other"} if any_reading else {"best"})


def _mentions(audit: SavedAudit, address: Address) -> Iterator[SavedMention]:
    for mention in audit.mentions():
        if mention.system == address.system and (
            address.by is None or audit.value(address.by, mention) == address.value
        ):
            yield mention


def carries(analysis: Analysis, key: CategoryKey) -> Which:
    """Return whether a label has a category, and in which reading."""
    role, category = key
    best = analysis.best.modifiers if role == "modifier" else analysis.best.heads
    union = analysis.modifiers if role == "modifier" else analysis.heads
    return "best" if category in best else "other" if category in union else "without"


def where(mention: SavedMention, analysis: Analysis, key: CategoryKey) -> tuple[Stretch, ...]:
    """Return the positions in the caption of a label's words for a category."""
    spans = analysis.best.spans if carries(analysis, key) == "best" else analysis.spans
    wanted = [span for span in spans if (span.role, span.category) == key]
    found = [_after(mention, span) if span.position == "after" else _inside(mention, span) for span in wanted]
    return tuple(sorted({stretch for stretches in found for stretch in stretches}))


def _inside(mention: SavedMention, span: Span) -> list[Stretch]:
    tokens = tokenise(mention.caption[mention.start : mention.end])[span.start : span.end]
    return [(mention.start + tokens[0].start, mention.start + tokens[-1].end)] if tokens else []


def _after(mention: SavedMention, span: Span) -> list[Stretch]:
    """Find the words of an attribute after the noun, which may be separated by others (with a beard)."""
    parts = mention.label.split(SEPARATOR)[1:]
    found: list[Stretch] = []
    for part, (start, end) in zip(parts, mention.places, strict=False):
        if part == span.text or f" {span.text} " in f" {part} ":
            found += _words_within(mention.caption, span.text, start, end) or [(start, end)]
    return found


def _words_within(caption: str, text: str, start: int, end: int) -> list[Stretch]:
    rest = list(tokenise(caption[start:end]))
    found: list[Stretch] = []
    for word in text.split():
        place = next((i for i, token in enumerate(rest) if word in _forms(token.text)), None)
        if place is not None:
            found.append((start + rest[place].start, start + rest[place].end))
            rest = rest[place + 1 :]
    return found


@lru_cache(maxsize=1 << 14)
def _forms(word: str) -> frozenset[str]:
    """Return a word and the participles under which it may be stored: sits, sitting."""
    return frozenset({word, *(participle(word, tag) for tag in ("VBZ", "VBP", "VBD"))})


def marked_caption(example: Example, *, marks: bool) -> Text:
    """Return a caption for the terminal, with its label and the category's words highlighted.

    With `marks`, characters replace the colours: «a ‹tall› man». A long caption is truncated around the
    label.
    """
    mention = example.mention
    # Each character of the caption is replaced by exactly one character, so that offsets remain valid.
    caption = visible(mention.caption, len(mention.caption) + 1)
    start = max(0, mention.start - _BEFORE) if len(caption) > _LONGEST else 0
    end = min(len(caption), start + _LONGEST)
    label = (mention.start, mention.end)
    text = Text("…" if start else "")
    cuts = sorted({at for stretch in (label, *example.words) for at in stretch if start < at < end})
    for first, last in zip([start, *cuts], [*cuts, end], strict=True):
        if marks:
            text.append(_opening(label, example.words, first))
        text.append(caption[first:last], style=_style(label, example.words, first))
        if marks:
            text.append(_closing(label, example.words, last))
    return text.append("…") if end < len(caption) else text


def _style(label: Stretch, words: tuple[Stretch, ...], at: int) -> str:
    if any(start <= at < end for start, end in words):
        return _WORDS
    return _LABEL if label[0] <= at < label[1] else ""


def _opening(label: Stretch, words: tuple[Stretch, ...], at: int) -> str:
    return ("«" if at == label[0] else "") + ("‹" if any(start == at for start, _ in words) else "")


def _closing(label: Stretch, words: tuple[Stretch, ...], at: int) -> str:
    return ("›" if any(end == at for _, end in words) else "") + ("»" if at == label[1] else "")


# The labels in a cell as JSON, and as CSV that no spreadsheet runs.

_COLUMNS = ("system", "image_id", "record", "label", "words", "reading", "categories", "caption")


def explain_shape(audit: SavedAudit, explained: Explained, *, limit: int | None = None) -> dict[str, Any]:
    """Return the JSON object of `assess explain --json`."""
    address = explained.address
    return {
        "signature": audit.results.signature.as_dict(),
        "cell": str(address),
        "system": address.system,
        "role": address.key[0],
        "category": address.key[1],
        "by": address.by,
        "group": address.value,
        "yes": explained.best,
        "other_readings": explained.other,
        "labels": explained.labels,
        "mentions": [_example_shape(example) for example in explained.examples[:limit]],
    }


def _example_shape(example: Example) -> dict[str, Any]:
    mention, analysis = example.mention, example.analysis
    return {
        "image_id": mention.image,
        "record": mention.record,
        "start": mention.start,
        "end": mention.end,
        "label": mention.label,
        "words": [[start, end, mention.caption[start:end]] for start, end in example.words],
        "reading": example.which,
        "best": {"heads": analysis.best.heads, "modifiers": analysis.best.modifiers},
        "union": {"heads": analysis.heads, "modifiers": analysis.modifiers},
        "caption": mention.caption,
    }


def explain_table(explained: Explained, *, limit: int | None = None) -> Table:
    """Return a table with one row per label."""
    columns = tuple(Column(name, name, words=True) for name in _COLUMNS)
    rows = tuple(tuple(_cells(example)) for example in explained.examples[:limit])
    return Table("explain", f"Labels behind {explained.address}", columns, rows)


def _cells(example: Example) -> Iterator[Cell]:
    mention = example.mention
    yield words(mention.system)
    yield words(mention.image)
    yield Cell(str(mention.record), mention.record)
    yield words(mention.label)
    yield words(" | ".join(mention.caption[start:end] for start, end in example.words))
    yield words(example.which)
    yield words(" ".join(example.analysis.best.modifiers))
    yield words(mention.caption)


def explain_csv(explained: Explained, *, limit: int | None = None) -> str:
    """Return CSV for spreadsheets with one row per label."""
    return csv_table(explain_table(explained, limit=limit))


# The labels in a cell for the terminal.

_WHICH: dict[Which, str] = {"other": "only in another reading", "without": "without the category"}


def explain_report(
    audit: SavedAudit, explained: Explained, *, limit: int, marks: bool
) -> Iterator[RenderableType]:
    """Yield a description of the cell, followed by its captions."""
    yield Group(*_heading(audit, explained))
    shown = explained.examples[:limit]
    for example in shown:
        yield _example(example, marks=marks)
    if len(explained.examples) > len(shown):
        more = len(explained.examples) - len(shown)
        yield Text(f"and {count(more)} more: use --limit, --json or --csv to see them", style="dim")


def _heading(audit: SavedAudit, explained: Explained) -> Iterator[Text]:
    address = explained.address
    yield plain(str(address), 200, style="bold")
    description = audit.results.categories[".".join(address.key)].description
    yield plain(description, 400, style="dim")
    rate = percent(explained.best / explained.labels) if explained.labels else "–"
    yield Text(f"{count(explained.best)} of {some(explained.labels, 'label')} ({rate})")
    if explained.other:
        yield Text(f"{count(explained.other)} more have it only in another reading (--any)", style="dim")
    for cell in audit.groups[address.by].cells if address.by else ():
        if (cell.system, cell.role, cell.category) == (address.system, *address.key) and address.value in (
            cell.group,
            cell.against,
        ):
            yield plain(f"{cell.group} against {cell.against}: {cell.verdict} ({cell.reason})", 400)


def _example(example: Example, *, marks: bool) -> RenderableType:
    image = plain(f"{example.mention.image}  ", 60, style="dim")
    image.no_wrap = True
    kind = f"  [{_WHICH[example.which]}]" if example.which in _WHICH else ""
    readings = ", ".join(example.analysis.best.modifiers) or "no modifiers"
    others = sorted(set(example.analysis.modifiers) - set(example.analysis.best.modifiers))
    note = f"read as: {readings}" + (f"; also possible: {', '.join(others)}" if others else "") + kind
    line = RichTable.grid()
    line.add_row(image, marked_caption(example, marks=marks))
    return Group(line, Padding(plain(note, 300, style="dim"), (0, 0, 0, 4)))


def html_examples(examples: Sequence[Example]) -> Markup:
    """Return captions with the label in bold and the words of the category marked."""
    rows = (
        Markup("<li><bdi>{}</bdi>: <bdi>{}</bdi></li>").format(
            visible(example.mention.image, 60), _marked(example)
        )
        for example in examples
    )
    return Markup("<ul>{}</ul>").format(Markup("").join(rows))


def _marked(example: Example) -> Markup:
    text = marked_caption(example, marks=False)
    parts, done = [], 0
    for span in text.spans:
        parts.append(escape(text.plain[done : span.start]))
        tag = (
            Markup("<strong><mark>{}</mark></strong>")
            if "reverse" in str(span.style)
            else Markup("<strong>{}</strong>")
        )
        parts.append(tag.format(text.plain[span.start : span.end]))
        done = span.end
    return Markup("").join([*parts, escape(text.plain[done:])])
