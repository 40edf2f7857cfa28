"""Several waiting words in one decision: words that are used alike, shared lists, and patterns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assess.domain.advice import Adviser, Candidate
from assess.domain.cooccurrence import CAUTION, FeatureSpace, clusters
from assess.taxonomy import Taxonomy
from assess.taxonomy.phrases import normal_form
from assess.taxonomy.words import is_number

LIKELY = 0.2
"""Lowest chance to be a head with which a noun may be decided together with others."""

FEWEST_GROUPED, MOST_TOGETHER, MOST_GROUPED = 2, 12, 150
"""The fewest and the most words of a group, and how many words are compared."""

FEWEST_OFFERED = 3
"""How many waiting words a shared list or a pattern must contain to be offered."""

ALIKE = 0.05
"""Lowest mean likeness of the words of a group, times the chance that they belong to the same category."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One line of a category that would settle several waiting words: a shared list, or a pattern."""

    key: Literal["use", "patterns"]
    text: str  # colors; {fruit}


def shared_offers(
    waiting: Sequence[Candidate], taxonomy: Taxonomy, lists: Mapping[str, Set[str]]
) -> list[tuple[Offer, tuple[Candidate, ...]]]:
    """Return the lists and patterns that would settle waiting modifiers; each word is in the best of them.

    What is named before a head is often a head itself (apple pie): its whole category may be taken at once.
    """
    own = {normal_form(taxonomy, item.word): item for item in waiting if item.role == "modifier"}
    words: dict[Offer, Set[str]] = {Offer("use", name): listed for name, listed in lists.items()}
    for name, category in taxonomy.heads.items():
        alone = name not in taxonomy.modifiers and name not in taxonomy.sets
        text = f"{{{name}}}" if alone else f"{{head.{name}}}"
        words[Offer("patterns", text)] = {normal_form(taxonomy, entry.word) for entry in category.words}
    words[Offer("patterns", "{number}")] = {word for word in own if is_number(word)}
    found: list[tuple[Offer, tuple[Candidate, ...]]] = []
    while True:
        fitting = {offer: [own[word] for word in own if word in listed] for offer, listed in words.items()}
        fitting = {offer: members for offer, members in fitting.items() if len(members) >= FEWEST_OFFERED}
        if not fitting:
            return found
        best = max(fitting, key=lambda offer: sum(member.gain for member in fitting[offer]))
        found.append((best, tuple(fitting[best])))
        listed = words.pop(best)
        own = {word: item for word, item in own.items() if word not in listed}


def candidate_groups(waiting: Sequence[Candidate], adviser: Adviser) -> list[tuple[Candidate, ...]]:
    """Return candidates that are used alike and probably belong to one category, several together, so that
    one decision is enough for all.
    """
    groups: list[tuple[Candidate, ...]] = []
    for role in ("head", "modifier"):
        own = [
            item for item in waiting if item.role == role and (item.chance is None or item.chance >= LIKELY)
        ]
        own = own[:MOST_GROUPED]
        features = {str(number): adviser.features_of(item) for number, item in enumerate(own)}
        space = FeatureSpace(features, caution=CAUTION)
        if len(space.words) >= FEWEST_GROUPED:
            likeness = np.concatenate([part for _, part in space.among_themselves()])
            agreed = adviser.agreement([own[int(word)] for word in space.words])
            places = clusters((likeness + likeness.T) * agreed, least=ALIKE, most=MOST_TOGETHER)
            found = [sorted(int(space.words[place]) for place in cluster) for cluster in places]
            groups += [tuple(own[n] for n in cluster) for cluster in found if len(cluster) >= FEWEST_GROUPED]
    return groups
