"""What an author's decisions teach about waiting words: how probable it is that each is wanted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from assess.domain.advice import NO_CATEGORY, Adviser, Candidate
from assess.domain.suggestions import calibration, log_odds
from assess.records import Role

Named = tuple[str, str]
"""The role of a word, or the kind of an offer, and its text."""

TRUSTED = 10
"""Decisions that the usual share of wanted modifiers counts for, beside an author's own decisions."""

LEFT_OUT, LEFT_OVER = 0.8, 0.9
"""Words dropped from a group: what their chance is multiplied by if the group was then accepted, as many
of them belong nowhere; and their chance, at least, if it was refused."""

# Chosen with benchmarks/author.py on one split of captions; what is published comes from others too.
LOOKED_AT = 300
"""Waiting words that are compared with refused ones, the most rewarding: others come much later anyway."""

_FEWEST_REFUSED = 5
_MOST = 3.0  # that refused words may say: a logarithm of odds


@dataclass(frozen=True)
class Lessons:
    """What was decided so far, as far as it tells about other words."""

    refused: Mapping[Role, Sequence[Candidate]]
    head_scores: Sequence[float]  # how far known heads look like heads
    taken: int = 0  # modifiers that were accepted, and refused, in this session
    left: int = 0
    apart: Mapping[Named, Set[str]] = field(default_factory=dict)
    """Words that were dropped from a group, with the categories of that group; none if it was refused."""

    def applied(self, waiting: Sequence[Candidate], adviser: Adviser) -> list[Candidate]:
        """Return candidates with chances that agree with the decisions, the most rewarding first."""
        adviser.heed({role: [item.word for item in own] for role, own in self.refused.items()}, self.apart)
        found = _sorted([self._usual(item, adviser) for item in waiting])
        compared = {role for role, own in self.refused.items() if len(own) >= _FEWEST_REFUSED}
        first = [
            self._compared(item, adviser) if item.role in compared else item for item in found[:LOOKED_AT]
        ]
        return _sorted([*first, *found[LOOKED_AT:]])

    def _usual(self, item: Candidate, adviser: Adviser) -> Candidate:
        if item.role == "modifier" and self.taken + self.left:
            usual = 1 - NO_CATEGORY["modifier"]
            often = (self.taken + usual * TRUSTED) / (self.taken + self.left + TRUSTED) / usual
            item = replace(item, chance=adviser.chance(item) * often)
        elif item.score is not None and self._learnt is not None:
            item = replace(item, chance=self._learnt(item.score))
        group = self.apart.get((item.role, item.word))
        if group is None:
            return item
        chance = adviser.chance(item)
        return replace(item, chance=chance * LEFT_OUT if group else max(chance, LEFT_OVER))

    def _compared(self, item: Candidate, adviser: Adviser) -> Candidate:
        """Return a candidate with a chance that also says whether it is more like refused words."""
        told = max(-_MOST, min(_MOST, adviser.speaks_for(item)))
        odds = log_odds(adviser.chance(item)) + told
        return replace(item, chance=round(1 / (1 + math.exp(-odds)), 9))

    @cached_property
    def _learnt(self) -> Callable[[float], float] | None:
        refused = [item.score for item in self.refused.get("head", ()) if item.score is not None]
        return calibration(self.head_scores, refused) if refused else None


def _sorted(items: Sequence[Candidate]) -> list[Candidate]:
    return sorted(items, key=lambda item: (-item.gain, -item.count, item.role, item.word))
