"""JSON shapes of contrasts: the contract that scripts rely on."""

from __future__ import annotations

from typing import Any

from assess.audit.bias import Across, GroupAudit, Nouns
from assess.audit.contrasts import Contrast
from assess.audit.intervals import Estimate
from assess.audit.markedness import Marked
from assess.audit.referenced import Beside, Referenced
from assess.audit.strata import Stratified
from assess.audit.tables import Table
from assess.audit.words import PRIOR
from assess.pipeline import Audit


def bias_shape(audit: Audit) -> dict[str, Any]:
    """Return the shape of `assess bias --json`: all cells in one list."""
    groups = {name: group_shape(group) for name, group in audit.groups.items()}
    return {
        "signature": audit.signature.as_dict(),
        "references": sorted(audit.references),
        "cells": [cell for group in groups.values() for cell in group.pop("cells")],
        "groups": groups,
        "markedness": [marked_shape(marked) for marked in audit.marked],
        "notes": list(audit.notes),
    }


def group_shape(group: GroupAudit) -> dict[str, Any]:
    """Return the results for one group."""
    return {
        "told_by": "words" if group.file is None else "images",
        "values": group.values,
        "columns": group.columns,
        "pairs": group.pairs,
        "labels": {name: dict(sorted(counts.labels.items())) for name, counts in group.counts.items()},
        "told": {name: estimate_shape(group.told(name)) for name in group.counts},
        **({"nouns": _nouns_shape(group.nouns)} if group.nouns else {}),
        "cells": [contrast_shape(contrast) for found in group.contrasts.values() for contrast in found],
        "across": [_across_shape(across) for across in group.across],
    }


def _nouns_shape(nouns: Nouns) -> dict[str, Any]:
    labels = {
        system: {value: dict(sorted(counts.items())) for value, counts in values.items()}
        for system, values in nouns.labels.items()
    }
    return {"by": nouns.by, "labels": labels}


def contrast_shape(contrast: Contrast) -> dict[str, Any]:
    """Return one cell: a category of a system, for one value against another."""
    association = contrast.association
    return {
        "system": contrast.system,
        "by": contrast.by,
        "category": contrast.category,
        "role": contrast.role,
        "group": contrast.group,
        "against": contrast.against,
        **_table_shape(association.table),
        "rate": association.rate.value,
        "other_rate": association.other_rate.value,
        "risk_difference": estimate_shape(association.risk_difference),
        "odds_ratio": estimate_shape(association.odds_ratio),
        "haldane": estimate_shape(association.haldane),
        "share": estimate_shape(association.share),
        "base_rate": association.base_rate,
        "p": association.p,
        "q": contrast.finding.q,
        "smallest_p": association.smallest_p,
        "verdict": contrast.finding.verdict,
        "reason": contrast.finding.reason,
        "rates": {
            value: {"yes": tally.yes, "labels": tally.total, "rate": tally.rate}
            for value, tally in contrast.rates.items()
        },
        "readings": _readings_shape(contrast),
        "bootstrap": {
            "risk_difference": estimate_shape(contrast.bootstrap.estimate),
            "samples": contrast.bootstrap.samples,
            "defined": contrast.bootstrap.defined,
        },
        "stratified": {name: stratified_shape(strata) for name, strata in contrast.stratified.items()},
        "amplification": _referenced_shape(contrast.referenced) if contrast.referenced else None,
        "words": {"exploratory": True, "prior": PRIOR, "scores": _words_shape(contrast)},
        "cautions": [{"kind": caution.kind, "text": caution.text} for caution in contrast.cautions],
    }


def estimate_shape(estimate: Estimate) -> list[float]:
    """Return a value and the ends of its interval."""
    return [estimate.value, estimate.low, estimate.high]


def _table_shape(table: Table) -> dict[str, int]:
    return {
        "yes": table.yes,
        "labels": table.labels,
        "other_yes": table.other_yes,
        "other_labels": table.other_labels,
    }


def _readings_shape(contrast: Contrast) -> dict[str, Any]:
    """Return the bounds that ambiguity leaves: what no reading says otherwise, and what any reading says."""
    fewest, union = contrast.fewest, contrast.union.association
    return {
        "yes": [fewest.yes, union.table.yes],
        "rate": [fewest.group.rate, union.table.group.rate],
        "other_yes": [fewest.other_yes, union.table.other_yes],
        "other_rate": [fewest.other.rate, union.table.other.rate],
        "risk_difference": estimate_shape(union.risk_difference),
        "q": contrast.union.q,
        "verdict": contrast.union.verdict,
    }


def _words_shape(contrast: Contrast) -> list[dict[str, Any]]:
    return [
        {
            "word": score.word,
            "count": score.count,
            "other_count": score.other_count,
            "log_odds": score.log_odds,
            "z": score.z,
        }
        for score in contrast.words
    ]


def stratified_shape(strata: Stratified) -> dict[str, Any]:
    """Return a contrast within strata."""
    return {
        "change": strata.change,
        "crude": estimate_shape(strata.crude),
        "common": estimate_shape(strata.common),
        "pooled": estimate_shape(strata.pooled) if strata.pooled else None,
        "breslow_day": {
            "statistic": strata.heterogeneity.statistic,
            "degrees": strata.heterogeneity.degrees,
            "p": strata.heterogeneity.p,
        },
        "opposed": strata.opposed,
        "strata": {
            stratum.name: _table_shape(stratum.table) | {"odds_ratio": estimate_shape(stratum.odds_ratio)}
            for stratum in strata.strata
        },
    }


def _across_shape(across: Across) -> dict[str, Any]:
    return {
        "role": across.role,
        "category": across.category,
        "group": across.group,
        "against": across.against,
        **stratified_shape(across.systems),
    }


def _referenced_shape(referenced: Referenced) -> dict[str, Any]:
    return {
        "images": referenced.images,
        "system": _table_shape(referenced.system),
        "reference": _table_shape(referenced.reference),
        "risk_difference_change": estimate_shape(referenced.gap),
        "group": _beside_shape(referenced.group),
        "against": _beside_shape(referenced.against),
    }


def _beside_shape(beside: Beside) -> dict[str, Any]:
    return {
        "system_rate": beside.amplification.system_rate,
        "reference_rate": beside.amplification.reference_rate,
        "direction": beside.amplification.direction,
        "value": beside.amplification.value,
        "change": estimate_shape(beside.change),
        "only_system": beside.paired.only_first,
        "only_reference": beside.paired.only_second,
        "p": beside.paired.p,
        "q": beside.q,
    }


def marked_shape(marked: Marked) -> dict[str, Any]:
    """Return a delicate category that is used at all."""
    return {
        "category": marked.category,
        "evidence": marked.evidence,
        "sensitivity": marked.sensitivity,
        "labels": dict(marked.labels),
        "most": dict(marked.most),
        "words": {system: dict(words) for system, words in marked.words.items()},
        "never": marked.never,
    }
