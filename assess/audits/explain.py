"""From a number back to the captions: the labels behind a cell, and where in the caption its words are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rich.text import Text

from assess.audits.saved import Address, SavedAudit, SavedMention
from assess.errors import visible
from assess.measures.bias.labels import CategoryKey
from assess.records import Analysis, Span
from assess.taxonomy.words import tokenise

Which = Literal["best", "other", "without"]
"""Whether a label carries the category: in its best reading, only in another one, or not at all."""
Stretch = tuple[int, int]
"""Character offsets in a caption."""

_LONGEST, _BEFORE = 320, 80  # characters of a caption that are shown, and those before its label
_LABEL, _WORDS = "bold", "bold reverse"


@dataclass(frozen=True, slots=True)
class Example:
    """A label behind a cell."""

    mention: SavedMention
    analysis: Analysis
    which: Which
    words: tuple[Stretch, ...]  # where the category is said


@dataclass(frozen=True, slots=True)
class Explained:
    """All labels of a cell."""

    address: Address
    examples: tuple[Example, ...]  # of the kinds that were asked for, in the order of the captions
    best: int  # labels with the category in the best reading: the cell's number
    other: int  # labels with it only in another reading
    labels: int  # all labels of the system, or of the value


def explain(
    audit: SavedAudit, address: Address, *, which: frozenset[Which] = frozenset({"best"})
) -> Explained:
    """Return the labels behind a cell."""
    counts: dict[Which, int] = {"best": 0, "other": 0, "without": 0}
    examples: list[Example] = []
    for mention in _mentions(audit, address):
        analysis = audit.analysis(mention)
        kind = carries(analysis, address.key)
        counts[kind] += 1
        if kind in which:
            examples.append(Example(mention, analysis, kind, where(mention, analysis, address.key)))
    return Explained(address, tuple(examples), counts["best"], counts["other"], sum(counts.values()))


def _mentions(audit: SavedAudit, address: Address) -> Iterator[SavedMention]:
    for mention in audit.mentions():
        if mention.system == address.system and (
            address.by is None or audit.value(address.by, mention) == address.value
        ):
            yield mention


def carries(analysis: Analysis, key: CategoryKey) -> Which:
    """Return whether, and in which reading, a label carries a category."""
    role, category = key
    best = analysis.best.modifiers if role == "modifier" else analysis.best.heads
    union = analysis.modifiers if role == "modifier" else analysis.heads
    return "best" if category in best else "other" if category in union else "without"


def where(mention: SavedMention, analysis: Analysis, key: CategoryKey) -> tuple[Stretch, ...]:
    """Return where in the caption a label's words of a category are."""
    spans = analysis.best.spans if carries(analysis, key) == "best" else analysis.spans
    wanted = [span for span in spans if (span.role, span.category) == key]
    found = [_after(mention, span) if span.position == "after" else _inside(mention, span) for span in wanted]
    return tuple(sorted({stretch for stretches in found for stretch in stretches}))


def _inside(mention: SavedMention, span: Span) -> list[Stretch]:
    tokens = tokenise(mention.caption[mention.start : mention.end])[span.start : span.end]
    return [(mention.start + tokens[0].start, mention.start + tokens[-1].end)] if tokens else []


def _after(mention: SavedMention, span: Span) -> list[Stretch]:
    """Find the words of an attribute after the noun; other words may stand between them (with a beard)."""
    rest = list(tokenise(mention.caption[mention.end :]))
    found: list[Stretch] = []
    for word in span.text.split():
        place = next((i for i, token in enumerate(rest) if token.text == word), None)
        if place is not None:
            found.append((mention.end + rest[place].start, mention.end + rest[place].end))
            rest = rest[place + 1 :]
    return found


def marked_caption(example: Example, *, marks: bool) -> Text:
    """Return a caption for a terminal, with its label and the category's words highlighted.

    With `marks`, signs stand for the colours: «a ‹tall› man». A long caption is cut around the label.
    """
    mention = example.mention
    # Every character of the caption stays one character, so that offsets hold.
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
