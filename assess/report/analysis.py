"""The analysis of a phrase as JSON and as a tree. Imports little, because `assess parse` must start fast."""

from __future__ import annotations

from typing import Any

from rich.text import Text
from rich.tree import Tree

from assess.grammar.groups import WordNotes
from assess.records import Analysis, PersonInCaption, Reading, Span
from assess.report.text import plain
from assess.signature import Signature

_WHY = {
    "no-head": "not in the domain: it does not end in a head of the taxonomy",
    "unknown-word": "read in part: some words are not in the taxonomy",
    "no-rule": "all words are known, but no grammar rule matches",
}
_STYLES = {"head": "bold green", "modifier": "cyan"}


People = list[PersonInCaption]


def parse_shape(
    signature: Signature, read: list[tuple[Analysis, People]], notes: WordNotes
) -> dict[str, Any]:
    """Return the JSON object of `assess parse --json`; captions have people, phrases do not.

    `notes` are the notes about dated and offensive words.
    """
    phrases = [
        _noted_shape(analysis, notes)
        | ({"people": [_person_shape(person, notes) for person in people]} if people else {})
        for analysis, people in read
    ]
    return {"signature": signature.as_dict(), "phrases": phrases}


def _noted_shape(analysis: Analysis, notes: WordNotes) -> dict[str, Any]:
    noted = notes.of(analysis.best)
    return analysis_shape(analysis) | ({"notes": noted} if noted else {})


def _person_shape(person: PersonInCaption, notes: WordNotes) -> dict[str, Any]:
    return {
        "mentions": person.mentions,
        **_noted_shape(person.analysis, notes),
        "groups": {name: {"value": value, "told_by": by} for name, value, by in person.groups},
        "hedged": person.hedged,
        "unread": person.unread,
    }


def analysis_shape(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as a JSON object."""
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
    """Return the best reading as a tree, followed by the categories that only other readings have."""
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
        branch = root.add(Text("other readings also contain", style="italic"))
        for part in _grouped(tuple(others)):
            branch.add(part)
    return root


def caption_tree(text: str, people: People) -> Tree:
    """Return the people in a caption, each with all mentions and statements."""
    root = Tree(plain(text, 1_000, style="bold"), guide_style="dim")
    for person in people:
        names = " = ".join(f"“{mention}”" for mention in person.mentions)
        branch = root.add(plain(names, 400, style="bold green"))
        for part in _grouped(person.analysis.best.spans):
            branch.add(part)
        for name, value, by in person.groups:
            branch.add(Text(f"{name}: {value}, stated by {by}"))
        if person.hedged:
            branch.add(Text("possible only: ").append_text(plain(", ".join(person.hedged))))
        if person.unread:
            branch.add(Text("not understood: ", style="yellow").append_text(plain(", ".join(person.unread))))
    return root


def _grouped(spans: tuple[Span, ...]) -> list[Text]:
    """Return one line for each run of tokens: its words, role and categories."""
    stretches: dict[tuple[int, int, str], list[Span]] = {}
    for span in spans:
        stretches.setdefault((span.start, span.end, span.role), []).append(span)
    lines = []
    for (_, _, role), members in sorted(stretches.items()):
        categories = ", ".join(span.category for span in members)
        line = plain(members[0].text, style=_STYLES[role])
        lines.append(line.append(f"  {role}: {categories}", style="not bold default"))
    return lines
