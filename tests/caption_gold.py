"""Captions annotated by hand, and how well our analysis agrees with the annotation.

`docs/people-codebook.md` describes how the captions were sampled and annotated. The sources' texts are not
part of this project, so the file refers to them: a source, the number of the caption in it, and offsets of
mentions. Only the invented captions are part of it.
"""

from __future__ import annotations

import csv
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from assess.annotate.extract import Annotator
from assess.corpus import parse_source, read_captions
from assess.grammar import load_grammar
from assess.grammar.captions import PersonReading
from assess.grammar.groups import NEUTRAL, GroupWords, Told
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Parser

GOLD = Path(__file__).parent / "gold" / "people_captions.tsv"
INVENTED = GOLD.with_name("invented_captions.txt")
"""Long captions in the manner of recent models, made up for this project, one a line."""
DIGEST = "f44a389b397b2a1b34f072557aa000997340df8e00e81c85a1ee0817133f9ae0"  # hash of the annotated texts
FILES = {
    "references": "coco_val2014/references.json.gz",
    "flickr30k": "flickr30k_entities/sentences.tsv.gz",
    "blip2": "coco_val2014/modern/blip2_opt2.7b_cocoft.json.gz",
    "instructblip": "coco_val2014/modern/instructblip_vicuna7b_zeroshot.json.gz",
    "minigpt4": "coco_val2014/modern/minigpt4_7b_zeroshot.json.gz",
    "equalizer": "coco_val2014/modern/womensnowboard_equalizer.json.gz",
}
NOT_SCORED = "location"
"""A location after the noun is annotated, but deliberately not part of the people taxonomy."""

Part = Literal["develop", "aside", "fresh", "blind", "independent", "unseen", "invented", "long"]
PARTS: tuple[Part, ...] = get_args(Part)
Span = tuple[int, int]


class Judgement(NamedTuple):
    """A category that a caption states about a person (or several acceptable ones), and where."""

    categories: frozenset[str]
    position: str  # before, after, pronoun or hedged


@dataclass(frozen=True, slots=True)
class GoldPerson:
    """A person or group according to an annotator."""

    mentions: tuple[Span, ...]
    flag: str  # owner or generic
    gender: str
    told_by: str
    judgements: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class GoldCaption:
    """A caption, identified by its place, and the people in it."""

    part: Part
    place: str
    people: tuple[GoldPerson, ...]

    @property
    def source(self) -> str:
        """The source of the caption; the nine systems of 2018 count as one source."""
        return self.place.rpartition(":")[0].partition("/")[0]


def read_gold() -> list[GoldCaption]:
    """Return the annotated captions, in the order of the file."""
    found: dict[tuple[Part, str], list[GoldPerson]] = {}
    with GOLD.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            # Captions sampled among those with "of" or a pronoun are marked: fresh-of.
            part = next(part for part in PARTS if part == row["part"].partition("-")[0])
            people = found.setdefault((part, row["caption"]), [])
            if row["person"] != "0":
                people.append(_person(row))
    return [GoldCaption(part, place, tuple(people)) for (part, place), people in found.items()]


def _person(row: Mapping[str, str]) -> GoldPerson:
    mentions = (tuple(map(int, span.split("-"))) for span in row["mentions"].split())
    judged = (cell.rpartition("@") for cell in row["modifiers"].split())
    return GoldPerson(
        tuple((start, end) for start, end in mentions),
        row["flag"],
        row["gender"],
        row["told_by"],
        tuple(Judgement(frozenset(names.split("/")), position) for names, _, position in judged),
    )


def gold_texts(shared_data: Path, places: Iterable[str]) -> dict[str, str]:
    """Return the texts of annotated captions by place."""
    wanted: defaultdict[str, set[int]] = defaultdict(set)
    for place in places:
        name, _, record = place.rpartition(":")
        wanted[name].add(int(record))
    texts = {}
    for name, records in wanted.items():
        for caption in read_captions(parse_source(str(_file(shared_data, name)))):
            if caption.record in records:
                texts[f"{name}:{caption.record}"] = caption.text
    return texts


def _file(shared_data: Path, name: str) -> Path:
    if name == INVENTED.stem.partition("_")[0]:
        return INVENTED
    if name in FILES:
        return shared_data / FILES[name]
    source, _, system = name.partition("/")
    folder = "snowboard" if source == "snow" else "coco_val2014/systems"
    (path,) = (shared_data / folder).glob(f"{system}*")
    return path


def digest(texts: Mapping[str, str]) -> str:
    """Return a hash of all texts and their places."""
    joined = "".join(f"{place}\t{texts[place]}\n" for place in sorted(texts))
    return hashlib.sha256(joined.encode()).hexdigest()


class ReadPerson(NamedTuple):
    """A person or group according to our analysis."""

    mentions: tuple[Span, ...]
    modifiers: frozenset[str]
    gender: Told


class Reader:
    """Analyses captions like an audit does."""

    def __init__(self) -> None:
        grammar = load_grammar("people")
        self._finder = LabelFinder(Parser(grammar))
        self._gender = GroupWords(grammar, "gender")
        self._annotator = Annotator()

    def read(self, texts: Iterable[str]) -> dict[str, list[ReadPerson]]:
        """Return the people in each text."""
        annotations = self._annotator.annotate_distinct(texts)
        return {
            text: [self._person(person) for person in self._finder.people(text, annotation)]
            for text, annotation in annotations.items()
        }

    def _person(self, person: PersonReading) -> ReadPerson:
        analysis = self._finder.analyse(person.key)
        mentions = tuple((mention.start, mention.end) for mention in person.mentions)
        return ReadPerson(mentions, frozenset(analysis.best.modifiers), self._gender.told(analysis))


@dataclass(slots=True)
class Agreement:
    """Judgements that were found and missed, and found categories that no judgement contains."""

    found: int = 0
    missed: int = 0
    wrong: int = 0

    @property
    def told(self) -> int:
        """The number of judgements."""
        return self.found + self.missed

    @property
    def precision(self) -> float:
        """The share of found categories that are correct."""
        return self.found / (self.found + self.wrong) if self.found + self.wrong else float("nan")

    @property
    def recall(self) -> float:
        """The share of judgements that were found."""
        return self.found / self.told if self.told else float("nan")


@dataclass(slots=True)
class Accuracy:
    """The agreement with the gold annotation, in total and by part."""

    every: Agreement = field(default_factory=Agreement)
    by_source: defaultdict[str, Agreement] = field(default_factory=lambda: defaultdict(Agreement))
    by_position: defaultdict[str, Agreement] = field(default_factory=lambda: defaultdict(Agreement))
    by_category: defaultdict[str, Agreement] = field(default_factory=lambda: defaultdict(Agreement))
    with_of: Agreement = field(default_factory=Agreement)  # for labels such as "a group of people"
    counts: Counter[str] = field(
        default_factory=Counter
    )  # captions, people and gender, and how many are right

    def share(self, part: str, whole: str) -> float:
        """Return one count divided by another."""
        return self.counts[part] / self.counts[whole]


PRONOUNS = frozenset({"he", "her", "him", "his", "she", "their", "them", "they"})


def measure(gold: Iterable[GoldCaption], texts: Mapping[str, str], reader: Reader) -> Accuracy:
    """Compare the annotation of all captions with our analysis."""
    gold = list(gold)
    read = reader.read(texts[caption.place] for caption in gold)
    accuracy = Accuracy()
    for caption in gold:
        text = texts[caption.place]
        _compare(accuracy, caption, text, read[text])
    return accuracy


def _compare(accuracy: Accuracy, caption: GoldCaption, text: str, people: list[ReadPerson]) -> None:
    matched: dict[int, list[ReadPerson]] = {}
    for person in people:
        place = _match(person, caption.people)
        matched.setdefault(place, []).append(person)
    _count_people(accuracy, caption, text, len(people))
    for place, gold in enumerate(caption.people):
        read = matched.get(place, [])
        _count_gender(accuracy, gold, [person.gender for person in read])
        _count_categories(accuracy, caption, text, gold, frozenset().union(*(one.modifiers for one in read)))
    for person in matched.get(-1, []):  # people that the annotator did not see
        for category in person.modifiers - {NOT_SCORED}:
            _add(accuracy, caption.source, None, category, "wrong")


def _match(person: ReadPerson, people: tuple[GoldPerson, ...]) -> int:
    """Return the annotated person who shares a mention, preferably the first mention; -1 if there is none."""
    for mine in (person.mentions[:1], person.mentions):
        for first in (True, False):
            for place, gold in enumerate(people):
                theirs = gold.mentions[:1] if first else gold.mentions
                if any(a < d and c < b for a, b in mine for c, d in theirs):
                    return place
    return -1


def _count_people(accuracy: Accuracy, caption: GoldCaption, text: str, number: int) -> None:
    # Whether owners and generic people count is not defined, so both are correct.
    certain = sum(not person.flag for person in caption.people)
    right = certain <= number <= len(caption.people)
    words = {text[start:end].lower() for person in caption.people for start, end in person.mentions}
    accuracy.counts.update({"captions": 1, "captions right": right})
    if caption.people:
        accuracy.counts.update({"with people": 1, "with people right": right})
    if words & PRONOUNS:
        accuracy.counts.update({"with pronouns": 1, "with pronouns right": right})


def _count_gender(accuracy: Accuracy, gold: GoldPerson, read: list[Told]) -> None:
    if not gold.gender:
        untold = all(told.value == NEUTRAL for told in read)
        accuracy.counts.update({"untold": 1, "untold right": untold})
        return
    words = {told.by for told in read if told.value == gold.gender}
    accuracy.counts.update({"gender": 1, "gender right": bool(words)})
    if words:
        accuracy.counts.update({"told by": 1, "told by right": gold.told_by in words})


def _count_categories(
    accuracy: Accuracy, caption: GoldCaption, text: str, gold: GoldPerson, read: frozenset[str]
) -> None:
    rest = read - {NOT_SCORED}
    start, end = gold.mentions[0]
    of = " of " in text[start:end].lower()
    for judgement in gold.judgements:
        if judgement.position == "hedged":
            continue  # it would be wrong to state it as a fact, unless the caption also does
        rest -= judgement.categories
        if NOT_SCORED in judgement.categories:
            continue
        outcome = "found" if judgement.categories & read else "missed"
        name = "/".join(sorted(judgement.categories))
        _add(accuracy, caption.source, judgement.position, name, outcome, of=of)
    for category in rest:
        _add(accuracy, caption.source, None, category, "wrong", of=of)


def _add(
    accuracy: Accuracy, source: str, position: str | None, category: str, outcome: str, *, of: bool = False
) -> None:
    for agreement in _parts(accuracy, source, position, category, of=of):
        setattr(agreement, outcome, getattr(agreement, outcome) + 1)


def _parts(
    accuracy: Accuracy, source: str, position: str | None, category: str, *, of: bool
) -> Iterator[Agreement]:
    yield accuracy.every
    yield accuracy.by_source[source]
    yield accuracy.by_category[category]
    if position is not None:
        yield accuracy.by_position[position]
    if of:
        yield accuracy.with_of
