"""The invented images: who is there, how they look, what they do and where.

All captions of an image, of systems and of references, are worded from the same scene.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from activities import OF_ADULTS, OF_ALL_AGES, OF_CHILDREN, Activity
from dealing import Dealer
from views import CROWDS, STILLS, View
from vocabulary import AGES, BEAUTY, BEAUTY_OF_CHILDREN, COLORS, GARMENTS, LOOKS

Gender = Literal["female", "male"]
Age = Literal["adult", "child"]
Group = Literal["female", "male", "mixed", "unclear", "none"]
GENDERS: tuple[Gender, Gender] = ("female", "male")
FIRST_IMAGE = 100001


@dataclass(frozen=True, slots=True)
class Person:
    """One person, or several of a kind, with the word for each of their traits."""

    gender: Gender
    age: Age
    count: int
    looks: Mapping[str, str]
    garment: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One invented image. `view` is its subject where no single person is."""

    image: int
    group: Group
    people: tuple[Person, ...]
    activity: Activity
    view: View | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """How many images of each kind to invent; women and men get the same numbers."""

    single_adults: int
    several_adults: int
    single_children: int
    several_children: int
    mixed_adults: int
    mixed_children: int
    crowds: int
    stills: int


EVALUATION = Plan(105, 15, 32, 8, 25, 10, 20, 25)
TRAINING = Plan(26, 2, 10, 2, 6, 2, 4, 6)


def invent_scenes(plan: Plan, dealer: Dealer) -> list[Scene]:
    """Return the scenes of a plan in random order, numbered."""
    scenes: list[Scene] = []
    for gender in GENDERS:
        scenes += _alone(gender, "adult", [1] * plan.single_adults + [2] * plan.several_adults, dealer)
        counts = [1] * plan.single_children + dealer.spread((2, 3), plan.several_children)
        scenes += _alone(gender, "child", counts, dealer)
    scenes += _together("adult", plan.mixed_adults, dealer)
    scenes += _together("child", plan.mixed_children, dealer)
    scenes += _without_single_person("unclear", CROWDS, plan.crowds, dealer)
    scenes += _without_single_person("none", STILLS, plan.stills, dealer)
    ordered = dealer.shuffled(scenes)
    return [replace(scene, image=FIRST_IMAGE + place) for place, scene in enumerate(ordered)]


def _alone(gender: Gender, age: Age, counts: Sequence[int], dealer: Dealer) -> list[Scene]:
    people = _people(gender, age, counts, dealer)
    activities = dealer.spread(_activities(age), len(people))
    return [
        Scene(0, gender, (person,), activity) for person, activity in zip(people, activities, strict=True)
    ]


def _together(age: Age, count: int, dealer: Dealer) -> list[Scene]:
    women = _people("female", age, [1] * count, dealer)
    men = _people("male", age, [1] * count, dealer)
    activities = dealer.spread(OF_ALL_AGES, count)
    # Who is named first must not go with gender.
    women_first = dealer.spread((True, False), count)
    return [
        Scene(0, "mixed", (woman, man) if first else (man, woman), activity)
        for woman, man, first, activity in zip(women, men, women_first, activities, strict=True)
    ]


def _without_single_person(group: Group, views: Sequence[View], count: int, dealer: Dealer) -> list[Scene]:
    return [Scene(0, group, (), view.activity, view) for view in dealer.spread(views, count)]


def _activities(age: Age) -> tuple[Activity, ...]:
    return OF_ALL_AGES + (OF_ADULTS if age == "adult" else OF_CHILDREN)


def _people(gender: Gender, age: Age, counts: Sequence[int], dealer: Dealer) -> list[Person]:
    """Return one person a count, whose traits are spread evenly over the words for them."""
    words = {**LOOKS, "age": AGES[age], "attractiveness": _beauty(gender, age), "color": COLORS}
    dealt = {trait: dealer.spread(words[trait], len(counts)) for trait in sorted(words)}
    garments = dealer.spread(GARMENTS, len(counts))
    people = []
    for place, count in enumerate(counts):
        looks = {trait: dealt[trait][place] for trait in sorted(words)}
        color = looks.pop("color")
        looks["clothing-color"] = f"{color}-shirted"
        people.append(Person(gender, age, count, looks, f"{color} {garments[place]}"))
    return people


def _beauty(gender: Gender, age: Age) -> tuple[str, ...]:
    return BEAUTY[gender] if age == "adult" else BEAUTY_OF_CHILDREN
