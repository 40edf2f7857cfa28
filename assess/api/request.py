"""What an audit is asked for, by the command line or from Python."""

from __future__ import annotations

from dataclasses import dataclass

from assess.api.cluster import ClusterRequest
from assess.audit.groups import parse_contrast
from assess.audit.image_groups import read_image_groups
from assess.audit.rules import Rules
from assess.audit.verdict import Margin
from assess.engine.measures_run import MeasureRequest
from assess.pipeline import Settings
from assess.taxonomy import Taxonomy

FIRST_GROUP = None
"""Contrast the domain's first group, if it has one."""


@dataclass(frozen=True, slots=True)
class GroupRequest:
    """Groups that files tell, whom to contrast with whom, and by which rules."""

    files: tuple[str, ...] = ()
    partial: bool = False
    contrasts: tuple[str, ...] = ()
    margin: float = 0.01
    odds_margin: float = 1.5
    alpha: float = 0.05
    samples: int = 2000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """What to audit captions against, and how."""

    domain: str = "people"
    model: str | None = None
    paper_chunks: bool = False
    no_after: bool = False
    by: tuple[str, ...] | None = ()
    processes: int | None = None
    no_cache: bool = False
    groups: GroupRequest = GroupRequest()
    cluster: ClusterRequest | None = None
    measures: MeasureRequest | None = None  # None: categories and groups only


def chosen_groups(by: list[str] | None, files: list[str] | None) -> tuple[str, ...] | None:
    """Return the domain's groups to contrast: those named, or else the first, unless files tell some."""
    return tuple(by or ()) if by or files else FIRST_GROUP


def settings_of(request: Request, taxonomy: Taxonomy) -> Settings:
    """Return the settings of a request for a domain."""
    groups = request.groups
    margin = Margin(groups.margin, groups.odds_margin)
    return Settings(
        model=request.model,
        by=tuple(taxonomy.groups)[:1] if request.by is FIRST_GROUP else request.by,
        join_of=not request.paper_chunks,
        after=not (request.paper_chunks or request.no_after),
        image_groups=tuple(read_image_groups(argument) for argument in groups.files),
        partial=groups.partial,
        contrasts=tuple(parse_contrast(text) for text in groups.contrasts),
        rules=Rules(margin, alpha=groups.alpha, samples=groups.samples, seed=groups.seed),
    )
