"""Every number that leakage reports per system: to add one, add a value to `QUANTITIES`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assess.report.quantity import Quantity, defined
from assess.report.text import count, decimals, percent, signed

LIC = "hirota2022quantifying"
_THREE, _SIGNED = decimals(3), signed(3)
_NO_REFERENCES = "no references"


@dataclass(frozen=True, slots=True)
class LeakageNumbers:
    """What quantities are taken from: means over balanced sets of images, both groups alike."""

    images: int
    score: float
    chance: float
    accuracy: float
    log_odds: float
    reference_score: float | None = None
    reference_chance: float | None = None
    reference_accuracy: float | None = None

    @property
    def leakage(self) -> float | None:
        """What the system leaks beyond its references."""
        return _less(self.score, self.reference_score)

    @property
    def permuted(self) -> float | None:
        """The same with the groups of images shuffled."""
        return _less(self.chance, self.reference_chance)


def _less(first: float, second: float | None) -> float | None:
    return None if second is None else first - second


QUANTITIES: list[Quantity[LeakageNumbers]] = [
    Quantity(
        "images", "images", lambda found: found.images, count, "images of a balanced set", table="leakage"
    ),
    Quantity(
        "score",
        "score",
        lambda found: found.score,
        _THREE,
        "mean over images of 1[group guessed right] x confidence, by a classifier that has not seen the"
        " image",
        LIC,
        table="leakage",
        highest=1,
    ),
    Quantity(
        "reference_score",
        "references",
        lambda found: found.reference_score,
        _THREE,
        "score of one reference per image, by the n-grams whose words the system knows",
        LIC,
        undefined=_NO_REFERENCES,
        table="leakage",
        highest=1,
    ),
    Quantity(
        "leakage",
        "leakage",
        lambda found: found.leakage,
        _SIGNED,
        "score - reference_score",
        LIC,
        "lower",
        _NO_REFERENCES,
        table="leakage",
        chart="Leakage beyond the references",
        meaning="How much better the group can be guessed from the system's captions than from people's.",
    ),
    Quantity(
        "permuted",
        "permuted",
        lambda found: found.permuted,
        _SIGNED,
        "leakage with the groups of the images shuffled, mean over draws; its interval is where another"
        " shuffle falls",
        undefined=_NO_REFERENCES,
        table="leakage",
    ),
    Quantity(
        "chance",
        "chance",
        lambda found: found.chance,
        _THREE,
        "score with the groups of the images shuffled",
        table="leakage",
    ),
    Quantity(
        "accuracy",
        "guessed right",
        lambda found: found.accuracy,
        percent,
        "images whose group is guessed right; half of them by chance",
        table="leakage",
        chart="Groups guessed right",
        meaning="Images whose group can be guessed from the rest of the caption; half of them by chance.",
        highest=1,
    ),
    Quantity(
        "reference_accuracy",
        "of references",
        lambda found: found.reference_accuracy,
        percent,
        "the same for one reference per image",
        undefined=_NO_REFERENCES,
        table="leakage",
    ),
    Quantity(
        "log_odds",
        "log-odds",
        lambda found: found.log_odds,
        _THREE,
        "mean over images of the log-odds of their own group, as the classifier adds them up",
        table="leakage",
    ),
]


def documented() -> Sequence[Quantity[Any]]:
    """Return all that leakage reports, for the reference page."""
    return [*QUANTITIES, *_LISTS]


_LISTS: list[Quantity[Any]] = [
    defined(
        "share",
        "log-odds that a word or category adds towards the images' own groups / log_odds; shares add up to 1",
        undefined="log_odds is not above 0: nothing leaks",
    ),
]
