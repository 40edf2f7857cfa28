"""A phrase's readings drawn as a tree."""

from __future__ import annotations

from rich.text import Text
from rich.tree import Tree

from assess.records import Analysis, Span
from assess.report.cells import plain

_WHY = {
    "no-head": "not in the domain: it does not end in a head of the taxonomy",
    "unknown-word": "read in part: the taxonomy does not know every word",
    "no-rule": "all words are known, but no rule puts them together",
}
_STYLES = {"head": "bold green", "modifier": "cyan"}


def analysis_tree(analysis: Analysis) -> Tree:
    """Return the best reading as a tree, and below it what other readings add."""
    root = Tree(plain(analysis.text, style="bold"), guide_style="dim")
    if analysis.why:
        root.add(Text(_WHY[analysis.why], style="yellow"))
    if analysis.unknown:
        root.add(Text("unknown: ", style="yellow").append_text(plain(", ".join(analysis.unknown))))
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
