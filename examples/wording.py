"""Whole captions: what each source makes of a scene once it is decided what is said about whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dealing import Dealer
from labels import PlannedLabel, phrase, plan_labels
from scenes import Scene
from styles import Style

OPENINGS = ("On a sunny day, ", "Late in the afternoon, ", "Early in the morning, ", "In the shade, ")
# Bystanders are named without gender, so that they change no group's rates.
BYSTANDERS = (
    " while a few people watch",
    " while other people walk by",
    " as a small crowd looks on",
    " while several tourists take pictures",
)


@dataclass(frozen=True, slots=True)
class WordedCaption:
    """A caption and the labels that it was worded from."""

    scene: Scene
    text: str
    labels: tuple[PlannedLabel, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a sentence is about: the phrase for each degree of detail, and its number."""

    wordings: tuple[str, ...]
    plural: bool

    @property
    def verb(self) -> str:
        """The form of "to be" that agrees with the subject."""
        return "are" if self.plural else "is"


Wording = Callable[[Scene, Subject, Dealer], str]


def word_captions(scenes: Sequence[Scene], style: Style, wording: Wording) -> list[WordedCaption]:
    """Return a caption of each scene; a scene that is given several times gets several."""
    dealer = Dealer(style.seed)
    labels = iter(plan_labels(scenes, style, dealer))
    captions = []
    for scene in scenes:
        own = tuple(next(labels) for _ in scene.people)
        captions.append(WordedCaption(scene, wording(scene, _subject(scene, own), dealer), own))
    return captions


def _subject(scene: Scene, labels: Sequence[PlannedLabel]) -> Subject:
    if scene.view is not None:
        return Subject(scene.view.subjects, scene.view.plural)
    text = " and ".join(phrase(label) for label in labels)
    return Subject((text,), len(labels) > 1 or labels[0].person.count > 1)


def word_blandly(scene: Scene, subject: Subject, dealer: Dealer) -> str:
    """Return as few words as will do, in lower case."""
    text = f"{subject.wordings[0]} {scene.activity.deeds[0]}"
    return f"{text} {scene.activity.places[0]}" if dealer.chance(5) else text


def word_richly(scene: Scene, subject: Subject, dealer: Dealer) -> str:
    """Return a long sentence with many phrases."""
    opening = dealer.choice(OPENINGS) if dealer.chance(30) else ""
    deed, place = dealer.choice(scene.activity.deeds[1:]), dealer.choice(scene.activity.places[1:])
    extra = f" {scene.activity.extra}" if dealer.chance(70) else ""
    bystanders = dealer.choice(BYSTANDERS) if scene.people and dealer.chance(25) else ""
    text = f"{opening}{subject.wordings[-1]} {subject.verb} {deed} {place}{extra}{bystanders}."
    return _capitalized(text)


def word_simply(scene: Scene, subject: Subject, dealer: Dealer) -> str:
    """Return one plain sentence."""
    deed, place = dealer.choice(scene.activity.deeds[:2]), dealer.choice(scene.activity.places[:2])
    text = f"{dealer.choice(subject.wordings[:2])} {subject.verb} {deed} {place}."
    return _capitalized(text)


def word_as_people_do(scene: Scene, subject: Subject, dealer: Dealer) -> str:
    """Return a caption in one of the shapes that volunteers use, some of them untidy."""
    said = dealer.choice(subject.wordings)
    deed = dealer.choice(scene.activity.deeds)
    place = f" {dealer.choice(scene.activity.places)}" if dealer.chance(75) else ""
    shape = dealer.below(10)
    if shape < 5:
        return _capitalized(f"{said} {deed}{place}.")
    if shape < 8:
        return _capitalized(f"{said} {subject.verb} {deed}{place}.")
    if shape < 9:
        return f"There {subject.verb} {said} {deed}{place}."
    return f"{said} {deed}{place}"


def _capitalized(text: str) -> str:
    return text[0].upper() + text[1:]
