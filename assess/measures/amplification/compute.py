"""Bias amplification of objects from additive counts: the measure of 2017, and the directional one of 2021.

Each count is a sum over images of numbers between 0 and 1: if two of five references name an object, it
counts 0.4. Results therefore do not depend on drawing a reference. `QUANTITIES` lists all reported numbers of
a system.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from assess.measures.metric import Counts, ratio
from assess.report.quantity import Quantity, by_key, defined
from assess.report.text import count, percent, signed

COUNTS = ("named", "said", "said_with", "told", "true")
"""Counts for each object and group: images with both (named), images of the group whose caption names the
object (said), and captions that name the object and state the group (said_with). Among images of the object
whose caption states a group: those where it states this group (told), and images of this group (true)."""
_ROUNDING = 1e-9
"""Fifths do not sum exactly, and rounding must not create a direction."""


@dataclass(frozen=True, slots=True, eq=False)
class Amplified:
    """The amplification of each object, with one row for each row of counts."""

    share: Counts  # share of the group that the references favour, among all images with the object
    system_share: Counts
    leaning: Counts  # 0 for the first group, 1 for the second
    bias_amplification: Counts
    group_to_object: Counts
    object_to_group: Counts


def amplify(counts: Counts, groups: Counts) -> Amplified:
    """Return the amplification of objects from their counts (... x objects x COUNTS x groups).

    `groups` has the number of images of each group (... x groups).
    """
    named, said, said_with, told, true = np.moveaxis(counts, -2, 0)
    sizes = groups[..., np.newaxis, :]
    share = ratio(named, named.sum(axis=-1, keepdims=True))
    system_share = ratio(said_with, said_with.sum(axis=-1, keepdims=True))
    leaning = share.argmax(axis=-1)
    most = leaning[..., np.newaxis]
    shown = np.take_along_axis(share, most, -1)[..., 0]
    system = np.take_along_axis(system_share, most, -1)[..., 0]
    # The sign of P(group, object) - P(group) P(object), where groups and objects are 0 or 1 for each image.
    expected = sizes * named.sum(axis=-1, keepdims=True)
    more = named * sizes.sum(axis=-1, keepdims=True) > expected * (1 + _ROUNDING)
    sign = np.where(more, 1.0, -1.0)
    both = told.sum(axis=-1, keepdims=True)
    return Amplified(
        share=shown,
        system_share=system,
        leaning=leaning,
        # An object that favours no group does not count in the sum: it contributes nothing.
        bias_amplification=np.where(shown > 1 / counts.shape[-1] + _ROUNDING, system - shown, 0 * system),
        group_to_object=(sign * (ratio(said, sizes) - ratio(named, sizes))).mean(axis=-1),
        object_to_group=(sign * (ratio(told, both) - ratio(true, both))).mean(axis=-1),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """The counts of each image as a sparse matrix: images x (objects x COUNTS x groups)."""

    images: csr_array
    groups: Counts  # images x groups: 1 if the image shows the group
    told: Counts  # images x groups: the share of its captions that state the group

    def amplified(self, weights: Counts) -> Amplified:
        """Return the amplification for these weights of images, with one resample per row."""
        sums = (self.images.T @ weights.T).T
        return amplify(sums.reshape(len(weights), -1, len(COUNTS), 2), weights @ self.groups)


Said = tuple[Collection[int], int | None]
"""The objects that a caption names, and the group that it states, if any."""


def tally(
    shown: Sequence[Mapping[int, float]],
    captions: Sequence[Sequence[Said]],
    groups: Sequence[int],
    objects: int,
) -> Tallies:
    """Return the tallies of images: their objects, what their captions say, and their groups."""
    cells: defaultdict[tuple[int, int, int, int], float] = defaultdict(float)
    told = np.array(
        [[sum(one == side for _, one in said) / len(said) for side in (0, 1)] for said in captions]
    )
    for image, (things, said, group) in enumerate(zip(shown, captions, groups, strict=True)):
        for thing, amount in things.items():
            cells[image, thing, 0, group] = amount
            cells[image, thing, 4, group] = amount * sum(told[image])
            cells |= {(image, thing, 3, side): amount * share for side, share in enumerate(told[image])}
        for thing, times in Counter(thing for named, _ in said for thing in named).items():
            cells[image, thing, 1, group] = times / len(said)
        for named, side in said:
            if side is not None:
                for thing in named:
                    cells[image, thing, 2, side] += 1 / len(said)
    rows, things_of, counts, sides = np.array([*cells], dtype=int).reshape(-1, 4).T
    columns = (things_of * len(COUNTS) + counts) * 2 + sides
    shape = (len(groups), objects * len(COUNTS) * 2)
    counted = csr_array((np.array([*cells.values()]), (rows, columns)), shape=shape)
    return Tallies(counted, np.eye(2)[list(groups)], told)


# Reported numbers.

ZHAO, WANG = "zhao2017men", "wang2021directional"
_FOUR = signed(4)
_number = partial(by_key, table="amplification")
QUANTITIES: list[Quantity[Any]] = [
    _number("images", "images", count, "images of both groups that all systems describe"),
    _number(
        "objects",
        "objects",
        count,
        "objects that occur in enough images, and that the system names with a group at least once",
    ),
    _number(
        "told",
        "group told",
        percent,
        "share of images whose caption states one of the two groups; a caption that states none"
        " amplifies nothing",
    ),
    _number(
        "bias_amplification",
        "BiasAmp",
        _FOUR,
        "mean over objects of b(system) - b(references); b: among images with the object, the"
        " share of the group that the references associate with it",
        ZHAO,
        "lower",
        "the system names no object with a group",
        chart="Bias amplification (2017)",
        meaning="How much captions exaggerate the association between objects and groups that references"
        " have.",
    ),
    _number(
        "group_to_object",
        "group → object",
        _FOUR,
        "mean over groups and objects of sign x (P(object named | group) - P(object | group));"
        " the sign is positive if group and object occur together in the references more often"
        " than by chance",
        WANG,
        "lower",
        chart="Group to object (2021)",
        meaning="How much more often captions name the objects associated with a group, and omit the others.",
    ),
    _number(
        "object_to_group",
        "object → group",
        _FOUR,
        "mean over groups and objects of sign x (P(group stated | object) - P(group | object)),"
        " on images whose caption states a group",
        WANG,
        "lower",
        "no caption of an image with an object states a group",
        chart="Object to group (2021)",
        meaning="How much more often captions state the group associated with an object of the image.",
    ),
]


OBJECTS: list[Quantity[Any]] = [
    defined(
        "share",
        "images of the group that the references associate with the object / images with the object",
        ZHAO,
    ),
    defined(
        "system_share",
        "captions that state that group / captions that name the object and state a group",
        ZHAO,
        undefined="the system never names the object with a group",
    ),
]
