"""JSON shapes of the author's commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assess.audit.agreement import Agreement, CategoryAgreement, Disagreement
from assess.audit.annotations import Key
from assess.engine.advice import Advice, Candidate
from assess.engine.gaps import DomainGaps
from assess.metrics.domain_coverage import Shares
from assess.signature import Signature


def coverage_shape(signature: Signature, gaps: DomainGaps, *, most: int | None) -> dict[str, Any]:
    """Return the shape of `assess domain coverage --json`."""
    return {
        "signature": signature.as_dict(),
        "systems": {name: _shares_shape(item) for name, item in gaps.systems.items()},
        "unknown_words": [candidate_shape(item) for item in gaps.unknown_words[:most]],
        "missing_heads": [candidate_shape(item) for item in gaps.missing_heads[:most]],
        "no_rule": [{"label": text, "count": number} for text, number in gaps.unread],
    }


def _shares_shape(item: Shares) -> dict[str, Any]:
    return {
        "captions": item.captions,
        "chunks": item.chunks,
        "labels": item.labels,
        "distinct_labels": item.distinct,
        "full": item.full,
        "partial": item.partial,
        "none": item.none,
        "shares": {
            "full": item.share(item.full),
            "partial": item.share(item.partial),
            "none": item.share(item.none),
        },
    }


def candidate_shape(item: Candidate) -> dict[str, Any]:
    """Return a word that a taxonomy lacks."""
    shape: dict[str, Any] = {"word": item.word, "role": item.role, "count": item.count}
    if item.role == "head":
        shape |= {"forms": item.forms, "likeness": item.likeness}
    return {**shape, "captions": item.captions}


def suggestions_shape(
    signature: Signature, advice: Sequence[Advice], evidence: Sequence[str]
) -> dict[str, Any]:
    """Return the shape of `assess domain suggest --json`."""
    return {
        "signature": signature.as_dict(),
        "evidence": list(evidence),
        "words": [
            {**candidate_shape(item.candidate), "suggestions": _suggestion_shapes(item)} for item in advice
        ],
    }


def _suggestion_shapes(item: Advice) -> list[dict[str, Any]]:
    return [
        {
            "category": suggestion.category,
            "score": suggestion.score,
            "reasons": [{"evidence": reason.kind, "like": reason.words} for reason in suggestion.reasons],
        }
        for suggestion in item.suggestions
    ]


def agreement_shape(signature: Signature, result: Agreement) -> dict[str, Any]:
    """Return the shape of `assess domain agree --json`."""
    return {
        "signature": signature.as_dict(),
        "first": result.first,
        "second": result.second,
        "shared": result.shared,
        "overlap": result.overlap,
        "identical": result.identical,
        "only_first": result.first_items,
        "only_second": result.second_items,
        "overall": _category_shape(result.overall),
        "categories": [_category_shape(item) for item in result.categories],
        "disagreements": [_disagreement_shape(item) for item in result.disagreements],
    }


def _category_shape(item: CategoryAgreement) -> dict[str, Any]:
    found = item.kappa
    return {
        "role": item.role or None,
        "category": item.category,
        "both": item.both,
        "only_first": item.first_only,
        "only_second": item.second_only,
        "neither": item.neither,
        "overlap": item.overlap,
        "kappa": [found.value, found.low, found.high],
    }


def _disagreement_shape(item: Disagreement) -> dict[str, Any]:
    return {
        "item": item.item,
        "first": [key_text(key) for key in item.first],
        "second": [key_text(key) for key in item.second],
        "both": [key_text(key) for key in item.both],
    }


def key_text(key: Key) -> str:
    """Return a category with its role, where it has one."""
    role, category = key
    return f"{role}.{category}" if role else category
