"""What a taxonomy covers of some captions, and what it lacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assess.engine.advice import Candidate, candidates
from assess.engine.survey import Survey
from assess.metrics.coverage import Examples
from assess.metrics.domain_coverage import Shares, shares, unread_labels


@dataclass(frozen=True, slots=True)
class DomainGaps:
    """The shares of each system, and what would fill the gaps, most rewarding first."""

    systems: dict[str, Shares]
    unknown_words: Sequence[Candidate]
    missing_heads: Sequence[Candidate]
    unread: Examples  # labels whose words are all known, but which no rule puts together


def domain_gaps(survey: Survey) -> DomainGaps:
    """Return what a survey tells a taxonomy's author."""
    return DomainGaps(
        systems={name: shares(tally, survey.analyses) for name, tally in survey.systems.items()},
        unknown_words=candidates(survey, role="modifier"),
        missing_heads=candidates(survey, role="head"),
        unread=unread_labels(survey.whole, survey.analyses),
    )
