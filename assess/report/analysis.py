"""The analysis of a phrase, as JSON and as a tree. Light, as `assess parse` is."""

from __future__ import annotations

from typing import Any

from rich.text import Text
from rich.tree import Tree

from assess.records import Analysis, Reading, Span
from assess.report.text import plain
from assess.signature import Signature
from assess.taxonomy.notes import WordNotes

_WHY = {
    "no-head": "not in the domain: it does not end in a head of the taxonomy",
    "unknown-word": "read in part: the taxonomy does not know every word",
    "no-rule": "all words are known, but no rule puts them together",
}
_STYLES = {"head": "bold green", "modifier": "cyan"}


def parse_shape(signature: Signature, analyses: list[Analysis], notes: WordNotes) -> dict[str, Any]:
    """Return the shape of `assess parse --json`; `notes` are of dated and offensive words."""
    phrases = [
        analysis_shape(item) | ({"notes": noted} if (noted := notes.of(item.best)) else {})
        for item in analyses
    ]
    return {"signature": signature.as_dict(), "phrases": phrases}


def analysis_shape(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis."""
    return {
        "text": analysis.text,
        "in_domain": analysis.in_domain,
        "heads": analysis.heads,
        "modifiers": analysis.modifiers,
        "best": _reading_shape(analysis.best),
        "spans": [_span_shape(span) for span in analysis.spans],
        "unknown": analysis.unknown,
        "why": analysis.why,
    }


def _reading_shape(reading: Reading) -> dict[str, Any]:
    spans = [_span_shape(span) for span in reading.spans]
    return {"heads": reading.heads, "modifiers": reading.modifiers, "spans": spans}


def _span_shape(span: Span) -> dict[str, Any]:
    return {
        "start": span.start,
        "end": span.end,
        "text": span.text,
        "category": span.category,
        "role": span.role,
        **({"position": span.position} if span.role == "modifier" else {}),
    }


def analysis_tree(analysis: Analysis, notes: WordNotes | None = None) -> Tree:
    """Return the best reading as a tree, and below it what other readings add."""
    root = Tree(plain(analysis.text, style="bold"), guide_style="dim")
    if analysis.why:
        root.add(Text(_WHY[analysis.why], style="yellow"))
    if analysis.unknown:
        root.add(Text("unknown: ", style="yellow").append_text(plain(", ".join(analysis.unknown))))
    for word, note in (notes.of(analysis.best) if notes else {}).items():
        root.add(Text(f"{note}: ", style="red").append_text(plain(word)))
    if analysis.best.spans:
        best = root.add(Text("best reading", style="italic"))
        for part in _grouped(analysis.best.spans):
            best.add(part)
    others = [span for span in analysis.spans if span not in analysis.best.spans]
    if others:
        branch = root.add(Text("other readings also have", style="italic"))
        for part in _grouped(tuple(others)):
            branch.add(part)
    return root


def _grouped(spans: tuple[Span, ...]) -> list[Text]:
    """Return one line a stretch of tokens: its words, role and categories."""
    stretches: dict[tuple[int, int, str], list[Span]] = {}
    for span in spans:
        stretches.setdefault((span.start, span.end, span.role), []).append(span)
    lines = []
    for (_, _, role), members in sorted(stretches.items()):
        categories = ", ".join(span.category for span in members)
        line = plain(members[0].text, style=_STYLES[role])
        lines.append(line.append(f"  {role}: {categories}", style="not bold default"))
    return lines
