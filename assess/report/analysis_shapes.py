"""JSON shapes of analyses: the contract that scripts rely on. Light, as `assess parse` is."""

from __future__ import annotations

from typing import Any

from assess.records import Analysis, Reading, Span
from assess.signature import Signature


def parse_shape(signature: Signature, analyses: list[Analysis]) -> dict[str, Any]:
    """Return the shape of `assess parse --json`."""
    return {"signature": signature.as_dict(), "phrases": [analysis_shape(item) for item in analyses]}


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
