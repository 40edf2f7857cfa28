"""What an auditor may choose and what changes a number of an audit."""

from __future__ import annotations

from dataclasses import dataclass, field

from assess.audit.intervals import check_level
from assess.audit.verdict import DEFAULT_MARGIN, Margin
from assess.errors import UsageError


@dataclass(frozen=True, slots=True)
class Rules:
    """Margin, thresholds, and the seeds of all that is drawn."""

    margin: Margin = field(default=DEFAULT_MARGIN)
    alpha: float = 0.05
    level: float = 0.95
    samples: int = 2000  # of images, for the bootstrap
    seed: int = 0  # of the bootstrap and of the reference that is drawn for each image

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 0 < self.alpha < 1:
            raise UsageError(f"an alpha of {self.alpha:g} is not between 0 and 1", hint="0.05 is usual")
        if self.samples < 1:
            raise UsageError("a bootstrap needs at least one sample", hint="2000 is usual")

    def as_settings(self) -> dict[str, str | int | float]:
        """Return the rules as they stand in a signature."""
        margin = f"{self.margin.risk_difference:g},{self.margin.odds_ratio:g}"
        return {
            "margin": margin,
            "alpha": self.alpha,
            "level": self.level,
            "samples": self.samples,
            "seed": self.seed,
        }


DEFAULT_RULES = Rules()
