"""Deciding what to say about each person, with exact shares, and expressing it as a noun phrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dealing import Dealer, share, split
from scenes import GENDERS, Age, Gender, Person, Scene
from styles import GARMENT, GENDERED_KINDS, HeadKind, Style
from vocabulary import (
    CASUAL_HEADS,
    JOB_HEADS,
    MODIFIER_ORDER,
    NEUTRAL_HEADS,
    NEUTRAL_JOB_HEADS,
    ONLY_OF_ADULTS,
    PLAIN_HEADS,
)

MOST_MODIFIERS = 3
# One word about hair and one about clothes is enough for a phrase.
SAID_ONCE = (
    frozenset({"hair-color", "hair-length", "hair-style"}),
    frozenset({"clothing-color", "clothing-other", "kind-of-clothing", GARMENT}),
)
NUMBERS = {2: "two", 3: "three"}


@dataclass(frozen=True, slots=True)
class PlannedLabel:
    """What one caption will say about one person in its scene."""

    scene: Scene
    person: Person
    kind: HeadKind = "plain"
    head: str = ""
    says: tuple[str, ...] = ()

    @property
    def gendered(self) -> bool:
        """Whether the head noun states gender."""
        return self.kind in GENDERED_KINDS

    @property
    def stratum(self) -> tuple[Age, bool]:
        """The stratum in which shares are exact: children or adults, one or several."""
        return (self.person.age, self.person.count > 1)


def plan_labels(scenes: Sequence[Scene], style: Style, dealer: Dealer) -> list[PlannedLabel]:
    """Return a planned label for each person of each scene, in order."""
    labels = [PlannedLabel(scene, person) for scene in scenes for person in scene.people]
    for gender in GENDERS:
        _deal_heads(labels, gender, style, dealer)
        for gendered in (True, False):
            _deal_modifiers(labels, gender, style, gendered, dealer)
    return labels


def _deal_heads(labels: list[PlannedLabel], gender: Gender, style: Style, dealer: Dealer) -> None:
    members = [place for place, label in enumerate(labels) if label.person.gender == gender]
    for places in _strata(labels, members):
        first = labels[places[0]].person
        kinds: list[HeadKind] = []
        if first.count == 1:
            for kind, percent in style.heads[first.age].items():
                kinds += [kind] * share(percent, len(places))
        plain: list[HeadKind] = ["plain"] * (len(places) - len(kinds))
        for place, kind in zip(places, dealer.shuffled(kinds + plain), strict=True):
            head = _head(labels[place].person, kind, dealer)
            labels[place] = replace(labels[place], kind=kind, head=head)


def _head(person: Person, kind: HeadKind, dealer: Dealer) -> str:
    if kind == "casual":
        return CASUAL_HEADS[person.gender]
    if kind == "job":
        return dealer.choice(JOB_HEADS[person.gender])
    if kind == "neutral-job":
        return dealer.choice(NEUTRAL_JOB_HEADS)
    if kind == "neutral":
        return dealer.choice(NEUTRAL_HEADS[person.age])[person.count > 1]
    return PLAIN_HEADS[person.gender, person.age][person.count > 1]


def _deal_modifiers(
    labels: list[PlannedLabel], gender: Gender, style: Style, gendered: bool, dealer: Dealer
) -> None:
    members = [
        place
        for place, label in enumerate(labels)
        if label.person.gender == gender and label.gendered == gendered
    ]
    for category, percent in style.says.items():
        fitting = [place for place in members if _fits(category, labels[place])]
        # The planted rates are of all gendered labels, also of those that cannot say it.
        total = share(percent.of(gender), len(members) if gendered else len(fitting))
        strata = _strata(labels, fitting)
        for places, quota in zip(strata, split(total, [len(places) for places in strata]), strict=True):
            _deal_category(labels, places, category, quota, dealer)


def _deal_category(
    labels: list[PlannedLabel], places: Sequence[int], category: str, quota: int, dealer: Dealer
) -> None:
    free = [place for place in places if _has_room(category, labels[place])]
    if len(free) < quota:
        raise ValueError(f"{quota} labels should say {category}, but only {len(free)} can")
    for place in dealer.shuffled(free)[:quota]:
        labels[place] = replace(labels[place], says=(*labels[place].says, category))


def _fits(category: str, label: PlannedLabel) -> bool:
    if category == "occupation-or-social-group" and label.kind not in ("plain", "neutral"):
        return False  # nobody says "a military waitress"
    return label.person.age == "adult" or category not in ONLY_OF_ADULTS


def _has_room(category: str, label: PlannedLabel) -> bool:
    """Return whether the phrase stays natural English if it says this too."""
    if any(category in rivals and said in rivals for rivals in SAID_ONCE for said in label.says):
        return False
    return category == GARMENT or len(label.says) < MOST_MODIFIERS


def _strata(labels: Sequence[PlannedLabel], places: Sequence[int]) -> list[list[int]]:
    """Return the places by the stratum of their label, in a fixed order."""
    strata: dict[tuple[Age, bool], list[int]] = {}
    for place in places:
        strata.setdefault(labels[place].stratum, []).append(place)
    return [strata[stratum] for stratum in sorted(strata)]


def phrase(label: PlannedLabel) -> str:
    """Return the label as a noun phrase with its determiner or number."""
    person = label.person
    modifiers = [person.looks[category] for category in MODIFIER_ORDER if category in label.says]
    words = " ".join([*modifiers, label.head])
    text = f"{NUMBERS[person.count]} {words}" if person.count > 1 else with_article(words)
    if GARMENT not in label.says:
        return text
    return f"{text} in {person.garment}s" if person.count > 1 else f"{text} in {with_article(person.garment)}"


def with_article(words: str) -> str:
    """Return the words after "a" or "an"."""
    vowel = words[0].lower() in "aeiou" and not words.startswith("uni")
    return f"{'an' if vowel else 'a'} {words}"
