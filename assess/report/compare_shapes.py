"""Two audits side by side as JSON."""

from __future__ import annotations

from typing import Any

from assess.audit.compare import Comparison, GapChange, RateChange
from assess.audit.saved import SavedAudit
from assess.report.bias_shapes import estimate_shape


def compare_shape(before: SavedAudit, after: SavedAudit, comparison: Comparison) -> dict[str, Any]:
    """Return the shape of `assess compare --json`."""
    return {
        "signature": {
            "before": before.results.signature,
            "after": after.results.signature,
            "settings": comparison.rules.as_settings(),
        },
        "systems": [{"before": old, "after": new} for old, new in comparison.systems],
        "notes": comparison.notes,
        "rates": [_rate_shape(rate) for rate in comparison.rates],
        "gaps": [_gap_shape(gap) for gap in comparison.gaps],
    }


def _rate_shape(rate: RateChange) -> dict[str, Any]:
    return {
        "system": rate.system,
        "by": rate.by or None,
        "group": rate.value,
        "category": rate.category,
        "before": {"yes": rate.before.yes, "labels": rate.before.total, "rate": rate.before.rate},
        "after": {"yes": rate.after.yes, "labels": rate.after.total, "rate": rate.after.rate},
        "change": estimate_shape(rate.change),
        "p": rate.p,
        "q": rate.q,
        "verdict": rate.verdict,
    }


def _gap_shape(gap: GapChange) -> dict[str, Any]:
    return {
        "system": gap.system,
        "by": gap.by,
        "group": gap.group,
        "against": gap.against,
        "category": gap.category,
        "before": gap.before,
        "after": gap.after,
        "change": estimate_shape(gap.change),
    }
