"""Scenes whose subject is no single person: crowds, animals, vehicles and other things.

As with activities, the plainest wording comes first and the richest last.
"""

from __future__ import annotations

from dataclasses import dataclass

from activities import Activity


@dataclass(frozen=True, slots=True)
class View:
    """A scene whose subject is no single person: a crowd, an animal or a thing."""

    subjects: tuple[str, ...]
    plural: bool
    activity: Activity


CROWDS = (
    View(
        ("people", "a group of people", "a large group of people"),
        True,
        Activity(
            ("crossing a street", "walking across a street", "walking across a wide street"),
            ("in a city", "at a crosswalk", "in front of a double-decker bus"),
            "under gray clouds",
        ),
    ),
    View(
        ("people", "several people", "a big crowd of people"),
        True,
        Activity(
            ("watching a game", "watching a baseball game", "watching an exciting baseball game"),
            ("in a stadium", "from the stands", "in a crowded stadium"),
            "on a warm evening",
        ),
    ),
    View(
        ("people", "a lot of people", "a long line of people"),
        True,
        Activity(
            ("waiting for a train", "waiting on a platform", "waiting for a fast train"),
            ("at a station", "with luggage", "on a narrow platform"),
            "with heavy bags",
        ),
    ),
    View(
        ("people", "many people", "a small group of people"),
        True,
        Activity(
            ("sitting at tables", "eating at tables", "sharing a meal at long tables"),
            ("in a restaurant", "under umbrellas", "outside a small restaurant"),
            "near a row of parked scooters",
        ),
    ),
)

STILLS = (
    View(
        ("a dog", "a brown dog", "a small fluffy brown dog"),
        False,
        Activity(
            ("lying on a couch", "resting on a couch", "sleeping on a soft blue couch"),
            ("in a room", "next to a pillow", "in a quiet living room"),
            "beside an old lamp",
        ),
    ),
    View(
        ("two cats", "two gray cats", "two young striped cats"),
        True,
        Activity(
            ("sitting on a bed", "resting on a bed", "resting on an unmade bed"),
            ("by a window", "in a bedroom", "by a sunny window"),
            "next to a pair of shoes",
        ),
    ),
    View(
        ("a bus", "a red bus", "an old red double-decker bus"),
        False,
        Activity(
            ("driving down a street", "driving on a street", "driving down a wet street"),
            ("in a city", "near a bridge", "past a tall brick building"),
            "behind a yellow taxi",
        ),
    ),
    View(
        ("a train", "a long train", "a long green passenger train"),
        False,
        Activity(
            ("on a track", "standing at a station", "pulling into a small station"),
            ("near trees", "beside a platform", "beside an empty platform"),
            "under a clear sky",
        ),
    ),
    View(
        ("a herd of elephants", "some elephants", "three gray elephants"),
        True,
        Activity(
            ("walking in a field", "walking through the grass", "walking through the dry grass"),
            ("near a river", "by some trees", "toward a muddy river"),
            "under a hot sun",
        ),
    ),
    View(
        ("a pizza", "a cheese pizza", "a freshly baked cheese pizza"),
        False,
        Activity(
            ("sitting on a table", "lying on a plate", "cooling on a wooden table"),
            ("in a kitchen", "next to a fork", "next to a glass of red wine"),
            "on a checkered cloth",
        ),
    ),
    View(
        ("a motorcycle", "a black motorcycle", "a shiny black motorcycle"),
        False,
        Activity(
            ("parked on a street", "parked on the road", "parked on a cobbled street"),
            ("by a wall", "next to a car", "next to a rusty white van"),
            "in the warm evening light",
        ),
    ),
    View(
        ("a jacket", "a blue jacket", "a faded blue denim jacket"),
        False,
        Activity(
            ("hanging on a door", "hanging on a hook", "hanging on a brass hook"),
            ("in a hallway", "next to a hat", "next to a straw hat and a wool scarf"),
            "above a pair of muddy boots",
        ),
    ),
    View(
        ("a bird", "a small bird", "a tiny yellow bird"),
        False,
        Activity(
            ("sitting on a branch", "perched on a branch", "perched on a bare branch"),
            ("in a tree", "near some leaves", "in an old apple tree"),
            "above a snowy garden",
        ),
    ),
)
