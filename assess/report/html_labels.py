"""Distinct labels in columns: their readings, and where those stand in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assess.errors import visible
from assess.grammar.after import SEPARATOR
from assess.records import Analysis, Reading, Span
from assess.taxonomy.tokens import Token, tokenise

IN_BEST, AFTER = 1, 2
"""Flags of a span: the best reading has it; it follows the noun."""
FULL, PARTIAL, UNCOVERED = 0, 1, 2
"""How much of a label the taxonomy could read."""


def shown(text: str) -> str:
    """Return text without control characters and invisible marks, one character for each."""
    return text if text.isprintable() else visible(text, len(text))


def script_offset(text: str, offset: int) -> int:
    """Return an offset as a browser's script counts: an emoji is two there."""
    return offset if text.isascii() else len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


@dataclass(slots=True)
class LabelColumns:
    """One row for each distinct label; categories are places in their list."""

    categories: Sequence[str]
    text: list[str] = field(default_factory=list)
    spans: list[list[int]] = field(default_factory=list)  # start, end, category and flags, one after another
    best: list[list[int]] = field(default_factory=list)  # categories of the best reading
    more: list[list[int]] = field(default_factory=list)  # categories that only other readings have
    unknown: list[list[str]] = field(default_factory=list)
    read: list[int] = field(default_factory=list)

    def add(self, analysis: Analysis) -> None:
        """Add the analysis of a label."""
        best, union = self._places(analysis.best), self._places(analysis)
        self.text.append(shown(analysis.text))
        self.spans.append(list(self._spans(analysis)))
        self.best.append(best)
        self.more.append([place for place in union if place not in best])
        self.unknown.append([shown(word) for word in analysis.unknown])
        self.read.append(UNCOVERED if not analysis.covered else PARTIAL if analysis.why else FULL)

    def _places(self, reading: Analysis | Reading) -> list[int]:
        names = [f"modifier.{name}" for name in reading.modifiers]
        names += [f"head.{name}" for name in reading.heads]
        return sorted(self.categories.index(name) for name in names)

    def _spans(self, analysis: Analysis) -> Iterator[int]:
        text = analysis.text
        tokens = tokenise(text.partition(SEPARATOR)[0])
        for span in analysis.spans:
            after = span.position == "after"
            start, end = _after(text, span) if after else _within(tokens, span)
            yield script_offset(text, start)
            yield script_offset(text, end)
            yield self.categories.index(f"{span.role}.{span.category}")
            yield (IN_BEST if span in analysis.best.spans else 0) + (AFTER if after else 0)

    def as_columns(self) -> dict[str, Any]:
        """Return the columns as they travel."""
        return {
            "text": self.text,
            "spans": self.spans,
            "best": self.best,
            "more": self.more,
            "unknown": self.unknown,
            "read": self.read,
        }


def _within(tokens: Sequence[Token], span: Span) -> tuple[int, int]:
    """Return the characters of a span of tokens in the label's own phrase."""
    told = tokens[span.start : span.end]
    return (told[0].start, told[-1].end) if told else (0, 0)


def _after(text: str, span: Span) -> tuple[int, int]:
    """Return the characters of an attribute that follows the noun; it stands after a separator."""
    found = f"{text}{SEPARATOR}".find(f"{SEPARATOR}{span.text}{SEPARATOR}")
    if found < 0:
        return 0, 0
    start = found + len(SEPARATOR)
    return start, start + len(span.text)
