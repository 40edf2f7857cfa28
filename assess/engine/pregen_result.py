"""What a run of pre-gen metrics is asked for, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assess.metrics.pregen import PregenScores
from assess.metrics.pregen_names import PregenName
from assess.metrics.score_correlation import Stratum
from assess.signature import Signature


@dataclass(frozen=True, slots=True)
class Stratification:
    """Images to be cut into strata by one of their post-gen scores (Tanti et al. 2018, section 3.1)."""

    scores: Mapping[str, Mapping[str, float]]  # by name of the score, then by image
    by: str  # the score that orders the images
    most: int = 5  # cuts into 1, 2, … strata


@dataclass(frozen=True, slots=True)
class StratumScores:
    """Pre-gen scores of one stratum, and the means of its images' post-gen scores."""

    stratum: Stratum
    post: Mapping[str, float]
    pre: PregenScores


@dataclass(frozen=True, slots=True)
class PregenRun:
    """Pre-gen scores of all images, and of strata where these are asked for."""

    signature: Signature
    name: str  # of the system
    metrics: tuple[PregenName, ...]
    scores: PregenScores
    by: str | None = None  # the score that cuts the strata
    strata: tuple[StratumScores, ...] = ()
