"""Every number that amplification reports per system and per object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assess.report.quantity import Quantity, defined
from assess.report.text import count, percent, signed

ZHAO, WANG = "zhao2017men", "wang2021directional"
_FOUR = signed(4)


@dataclass(frozen=True, slots=True)
class Found:
    """What quantities are taken from."""

    images: int
    objects: int
    told: float
    bias_amplification: float
    group_to_object: float
    object_to_group: float


QUANTITIES: list[Quantity[Found]] = [
    Quantity(
        "images",
        "images",
        lambda found: found.images,
        count,
        "images of both groups that all systems describe",
        table="amplification",
    ),
    Quantity(
        "objects",
        "objects",
        lambda found: found.objects,
        count,
        "objects that enough images show, and that the system names with a group at least once",
        table="amplification",
    ),
    Quantity(
        "told",
        "group told",
        lambda found: found.told,
        percent,
        "images whose caption tells one of the two groups; a caption that tells none amplifies nothing",
        table="amplification",
    ),
    Quantity(
        "bias_amplification",
        "2017",
        lambda found: found.bias_amplification,
        _FOUR,
        "mean over objects of b(system) - b(references), b: among images with the object, the share of the"
        " group that the references lean to",
        ZHAO,
        "lower",
        "the system names no object with a group",
        table="amplification",
        chart="Bias amplification (2017)",
        meaning="How much further captions lean to the group that people already name an object with.",
    ),
    Quantity(
        "group_to_object",
        "group → object",
        lambda found: found.group_to_object,
        _FOUR,
        "mean over groups and objects of sign x (P(object said | group) - P(object | group)); the sign says"
        " whether the references have group and object together more often than by chance",
        WANG,
        "lower",
        table="amplification",
        chart="Group to object (2021)",
        meaning="How much more often captions name the objects that go with a group, and omit the others.",
    ),
    Quantity(
        "object_to_group",
        "object → group",
        lambda found: found.object_to_group,
        _FOUR,
        "mean over groups and objects of sign x (P(group told | object) - P(group | object)), on images whose"
        " caption tells a group",
        WANG,
        "lower",
        "no caption of an image with an object tells a group",
        table="amplification",
        chart="Object to group (2021)",
        meaning="How much more often captions tell the group that goes with an object of the image.",
    ),
]


def documented() -> Sequence[Quantity[Any]]:
    """Return all that amplification reports, for the reference page."""
    return [*QUANTITIES, *_LISTS]


_LISTS: list[Quantity[Any]] = [
    defined("share", "images of the group that the references lean to / images with the object", ZHAO),
    defined(
        "system_share",
        "captions that tell that group / captions that name the object and tell a group",
        ZHAO,
        undefined="the system never names the object with a group",
    ),
]
