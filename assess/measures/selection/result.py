"""What content selection finds, and every number of it."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from assess.measures.intervals import Triple
from assess.measures.measure import Model, Number, Result, Row
from assess.measures.selection.compute import SelectionSummary
from assess.report.quantity import Quantity, defined
from assess.report.text import count, decimals

UPPER_BOUND = "upper_bound"  # the name of people among the resampled systems
PEOPLE = "people"  # their name in tables
MEASURES = {"P": "precision", "R": "recall", "F": "f"}  # by the letters that the paper uses
_PAPER = "wang2015generating"
_SCORE = decimals(3)

QUANTITIES: list[Quantity[SelectionSummary]] = [
    Quantity("images", "images", lambda found: found.images, count, "images with a defined score"),
    Quantity(
        "P",
        "P",
        lambda found: found.mean.precision,
        _SCORE,
        "mean over images of the mean over descriptions of right boxes / selected boxes",
        _PAPER,
        "higher",
        "no image; with --empty skip also an empty selection",
        highest=1,
    ),
    Quantity(
        "R",
        "R",
        lambda found: found.mean.recall,
        _SCORE,
        "the same of right boxes / mentioned boxes",
        _PAPER,
        "higher",
        "no image; with --empty skip also an empty description",
        highest=1,
    ),
    Quantity(
        "F",
        "F",
        lambda found: found.mean.f,
        _SCORE,
        "mean over images of 2PR / (P + R), of the image's means; 0 where both are 0",
        _PAPER,
        "higher",
        "as P",
        chart="F score",
        meaning="Of the selected things, against each description.",
        highest=1,
    ),
]
SCORES = {quantity.key: quantity for quantity in QUANTITIES if quantity.key in MEASURES}
DESCRIBED: list[Quantity[Any]] = [
    defined("sd", "population standard deviation over images", _PAPER, undefined="as P"),
    defined(
        "upper_bound",
        "each description against the others of its image; mean within images, then over them",
        _PAPER,
        undefined="no image with several descriptions",
    ),
    defined(
        "referring",
        "P, R and F of the categories of a phrase against those of people's phrases for the same box; mean"
        " over boxes; of people, each phrase against the others",
        _PAPER,
        "higher",
        "no phrase for a box that people call by words of the domain",
    ),
    defined(
        "tau",
        "Kendall's tau of the order of mention, on the boxes that both mention; mean as above",
        "kendall1938new",
        "higher",
        "fewer than two shared boxes in every image",
    ),
]


class Scores(Model):
    """Precision, recall and F."""

    P: Number
    R: Number
    F: Number


class BaselineScores(Scores):
    """Means over images of a baseline that selects so many boxes, and their deviations."""

    sd: Scores


class Ordering(Model):
    """Kendall's tau of the order of mention."""

    tau: Number
    images: int


class CategorySelection(Model):
    """What a system does with the boxes of one category."""

    selected_boxes: int
    recalled: int
    recall: Number


class Selection(Row):
    """How people select and order, or one system."""

    sd: Scores
    intervals: dict[str, Triple] = Field(default_factory=dict)  # by measure; none of few images
    ordering: Ordering


class SystemSelection(Selection):
    """How one system selects and orders, and what it does with each category of boxes."""

    categories: dict[str, CategorySelection]
    never_selected: tuple[str, ...]


class Comparison(Model):
    """The first system's value of a measure minus the second's."""

    first: str
    second: str
    measure: str
    difference: Triple
    p: Number


class CategoryBoxes(Model):
    """The boxes of one category, and how often people mention them."""

    boxes: int
    mentioned_boxes: int  # in some description
    mentions: int


class BoxCategories(Model):
    """What people mention by category of boxes, and where the categories come from."""

    source: str  # a domain's name, or "the input's own"
    boxes: dict[str, CategoryBoxes]
    without_category: int  # boxes
    never_mentioned: tuple[str, ...]
    without_boxes: tuple[str, ...]  # categories of the taxonomy that no box has


class Referring(Scores):
    """How the categories of phrases agree with those of people's phrases for the same boxes."""

    boxes: int
    sd: Scores


class Sentences(Model):
    """The sentences of one baseline by image."""

    k: int
    captions: dict[str, str]
    marked: dict[str, str]  # the same, with the box behind each concept: "The [woman]2 by [car]3."


class ImageScores(Scores):
    """The scores of one image."""

    tau: Number


class SelectionResult(Result):
    """Content selection of systems, baselines and people on the same images."""

    measure: ClassVar[str] = "selection"

    images: int
    descriptions: int
    boxes: int
    development_images: int
    P: Number  # of the first system, as R, F and sd
    R: Number
    F: Number
    sd: Scores | None
    systems: dict[str, SystemSelection]
    comparisons: tuple[Comparison, ...]
    baselines: dict[str, dict[int, BaselineScores]]  # by k
    upper_bound: Selection
    categories: BoxCategories | None
    referring: dict[str, Referring]  # by system, and people; empty without a domain, or without phrases
    sentences: dict[str, Sentences]
    notes: tuple[str, ...]
    shown: tuple[str, ...] = Field(default=("F",), exclude=True)  # measures whose baselines a terminal shows
    by_image: dict[str, dict[str, ImageScores]] = Field(default_factory=dict, exclude=True)

    def to_dict(self) -> dict[str, Any]:
        """Return what the command prints with `--json`: all keys, also those without a value."""
        return self.model_dump()

    def urgent_notes(self) -> tuple[str, ...]:
        """Return all notes."""
        return self.notes

    @property
    def rows(self) -> dict[str, Selection]:
        """The systems, and people against people."""
        return {**self.systems, self.people: self.upper_bound}

    @property
    def people(self) -> str:
        """The name of people, which no system has."""
        return PEOPLE if PEOPLE not in self.systems else f"{PEOPLE} (upper bound)"
