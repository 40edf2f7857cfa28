"""The outcomes of a gate: a line a reason, failures first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from assess.audit.gate import Kind, Outcome
from assess.audit.saved import SavedAudit
from assess.report.cells import count, plain

_STYLES: dict[Kind, str] = {"fail": "bold red", "insufficient": "yellow", "pass": "green"}


def gate_report(outcomes: Sequence[Outcome], *, passed: bool, everything: bool) -> Iterator[Text]:
    """Yield one line an outcome, and the sum of them; passes only where everything is asked for."""
    for kind, style in _STYLES.items():
        if kind != "pass" or everything:
            for outcome in outcomes:
                if outcome.kind == kind:
                    yield _line(outcome, style)
    counts = Counter(outcome.kind for outcome in outcomes)
    parts = ", ".join(f"{count(counts[kind])} {kind}" for kind in _STYLES)
    verdict = Text("gate passed" if passed else "gate failed", style="bold green" if passed else "bold red")
    yield verdict.append(f": {parts}", style="not bold default")


def _line(outcome: Outcome, style: str) -> Text:
    text = Text(f"{outcome.kind}: ", style=style)
    return text.append_text(
        plain(f"{outcome.subject}: {outcome.rule}: {outcome.reason}", 500, style="not bold default")
    )


def gate_shape(audit: SavedAudit, outcomes: Sequence[Outcome], *, passed: bool) -> dict[str, Any]:
    """Return the shape of `assess gate --json`."""
    counts = Counter(outcome.kind for outcome in outcomes)
    return {
        "signature": audit.results.signature,
        "passed": passed,
        "counts": {kind: counts[kind] for kind in _STYLES},
        "outcomes": [
            {
                "kind": outcome.kind,
                "subject": outcome.subject,
                "rule": outcome.rule,
                "reason": outcome.reason,
            }
            for outcome in outcomes
        ],
    }
