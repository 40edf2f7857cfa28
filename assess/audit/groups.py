"""Whom a label is about: the value of a group that its head tells, or that a file tells of its image."""

from __future__ import annotations

from itertools import combinations
from typing import Protocol

from assess.errors import UsageError, visible
from assess.records import Analysis
from assess.taxonomy.check import closest
from assess.taxonomy.model import Taxonomy
from assess.taxonomy.names import carrier_names, normal_names
from assess.taxonomy.phrases import phrases_of, spaced

NEUTRAL = "neutral"
"""The head tells no value: a person, a crowd."""
MIXED = "mixed"
"""The heads tell several: a man and a woman."""
MOST_VALUES = 6
"""More values than this give more pairs than anyone reads: then the pairs have to be named."""

Pair = tuple[str, str]


class Grouping(Protocol):
    """A way to tell whom labels are about."""

    @property
    def name(self) -> str:
        """What the group is called: gender."""
        ...

    @property
    def values(self) -> tuple[str, ...]:
        """The values that are contrasted, in order; other ones are columns only."""
        ...

    @property
    def file(self) -> str | None:
        """The file that tells the values of images; None where words tell them."""
        ...

    def value(self, analysis: Analysis, image: str, /) -> str:
        """Return whom a label of an image is about."""
        ...


class Groups:
    """One group of a taxonomy, such as gender, by head words."""

    file = None

    def __init__(self, taxonomy: Taxonomy, name: str) -> None:
        if name not in taxonomy.groups:
            raise UsageError(
                f"the domain `{taxonomy.taxonomy}` has no group called {name!r}",
                hint=closest(name, taxonomy.groups),
            )
        self.name = name
        self.values = tuple(taxonomy.groups[name])
        wanted = {value: normal_names(members) for value, members in taxonomy.groups[name].items()}
        heads = (phrase for phrase in phrases_of(taxonomy) if phrase.role == "head")
        self._values: dict[str, set[str]] = {
            text: {value for value in self.values if names & wanted[value]}
            for text, names in carrier_names(taxonomy, heads).items()
        }
        self._known: dict[str, str] = {}

    def value(self, analysis: Analysis, _image: str = "", /) -> str:
        """Return the value that the heads of a label tell, in its best reading."""
        if analysis.text not in self._known:
            self._known[analysis.text] = self._value(analysis)
        return self._known[analysis.text]

    def _value(self, analysis: Analysis) -> str:
        heads = [spaced(span.text) for span in analysis.best.spans if span.role == "head"]
        if not heads:
            heads = [self._last(analysis)]
        found: set[str] = set().union(*(self._values.get(head, set()) for head in heads))
        if len(found) > 1:
            return MIXED
        return found.pop() if found else NEUTRAL

    def _last(self, analysis: Analysis) -> str:
        """Return the head of a label that could not be read: the longest one that stands at its end."""
        words = spaced(analysis.text).split(" ")
        endings = (" ".join(words[start:]) for start in range(len(words)))
        return next((ending for ending in endings if ending in self._values), "")


def parse_contrast(text: str) -> Pair:
    """Read `VALUE,VALUE` from a command line."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts) or parts[0] == parts[1]:
        raise UsageError(
            f"'{visible(text)}' does not name two values to contrast", hint="write them as in female,male"
        )
    return parts[0], parts[1]


def pairs_of(
    grouping: Grouping, wanted: tuple[Pair, ...] = (), *, columns: tuple[str, ...] = ()
) -> list[Pair]:
    """Return the pairs of values to contrast: those that were asked for and exist, or else all."""
    known = {*grouping.values, *columns}
    chosen = [pair for pair in wanted if known.issuperset(pair)]
    if chosen:
        return chosen
    if len(grouping.values) > MOST_VALUES:
        raise UsageError(
            f"the group `{visible(grouping.name)}` has {len(grouping.values)} values: too many pairs",
            hint="name the pairs that matter, as in --contrast female,male",
        )
    return list(combinations(grouping.values, 2))
