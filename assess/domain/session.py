"""An author's session without a screen: the queue, decisions, undo, and what is remembered.

`assess domain assign` and `assess domain studio` show it, each in its own way; the decisions are the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assess.domain.advice import Advice, Adviser, Candidate, DomainGaps
from assess.domain.groups import Offer, candidate_groups, shared_offers
from assess.domain.lessons import Lessons, Named
from assess.domain.overview import categories_of_words
from assess.errors import InputError, Place, UsageError
from assess.records import Role
from assess.taxonomy.compose import known_lists, words_of_list
from assess.taxonomy.edit import OF, Addition, Edit, Exclusion, NewCategory, Sharing, TaxonomyFile
from assess.taxonomy.imports import check_id
from assess.taxonomy.model import Entry, ModifierCategory, Taxonomy
from assess.taxonomy.phrases import normal_form
from assess.taxonomy.words import is_number
from assess.whole_files import alone_in, write_whole

SUGGESTED = 3
REFUSED = ".assess-refused.json"
"""The file beside a taxonomy that remembers what its author refused, as hashes, so it contains no words."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is decided at once: a candidate, several with similar use, or the words that an offer covers."""

    members: tuple[Candidate, ...]
    offer: Offer | None = None

    @property
    def role(self) -> Role:
        """The role of all members."""
        return self.members[0].role

    @property
    def word(self) -> str:
        """The first member and the number of others."""
        if self.offer is not None:
            return self.offer.text
        more = len(self.members) - 1
        return self.members[0].word + (f" +{more}" if more else "")

    @property
    def names(self) -> tuple[Named, ...]:
        """The names that are refused or skipped with the item."""
        if self.offer is not None:
            return ((self.offer.key, self.offer.text),)
        return tuple((member.role, member.word) for member in self.members)

    @property
    def count(self) -> int:
        """The number of chunks that contain one of them."""
        return sum(member.count for member in self.members)

    @property
    def gain(self) -> float:
        """Items are sorted by this."""
        return sum(member.gain for member in self.members)


class Refusals:
    """What an author does not want to be asked again, in a file beside the taxonomy."""

    def __init__(self, taxonomy_file: Path) -> None:
        self.path = taxonomy_file.parent / REFUSED
        self._hashes = self._read()

    def _read(self) -> frozenset[str]:
        try:
            text = self.path.read_text(encoding="utf-8")
            return frozenset(map(str, json.loads(text)["refused"]))
        except FileNotFoundError:
            return frozenset()
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(
                "the list of rejected words cannot be read",
                place=Place(str(self.path)),
                hint="remove the file; you will then be asked about rejected words again",
            ) from None

    @staticmethod
    def hash_of(taxonomy: str, kind: str, word: str) -> str:
        """Return the hash that stands for a refusal."""
        return hashlib.sha256("\0".join((taxonomy, kind, word)).encode()).hexdigest()[:16]

    def has(self, taxonomy: str, kind: str, word: str) -> bool:
        """Whether a word of a role, or an offer of a kind, was refused for this taxonomy."""
        return self.hash_of(taxonomy, kind, word) in self._hashes

    def change(self, taxonomy: str, words: Iterable[Named], *, refused: bool) -> None:
        """Add or remove refusals; those that another author added in the meantime are kept."""
        hashes = {self.hash_of(taxonomy, kind, word) for kind, word in words}
        with alone_in(self.path.parent):
            now = self._read()
            self._hashes = now | hashes if refused else now - hashes
            write_whole(self.path, json.dumps({"refused": sorted(self._hashes)}, indent=0) + "\n")


@dataclass(slots=True)
class _Decision:
    """What is needed to undo a decision."""

    position: int
    start: int = 0
    changes: int = 0  # earlier decisions that the captions were not yet read with
    edits: int = 0
    added: tuple[Named, ...] = ()
    refused: tuple[Named, ...] = ()
    skipped: tuple[Named, ...] = ()
    queue: tuple[Item, ...] = ()  # as it was before, like the tally
    tally: Tally = field(default_factory=lambda: Tally())
    gaps: DomainGaps | None = None  # of the reading that the decision was based on


@dataclass(frozen=True, slots=True)
class Tally:
    """What a session did."""

    added: int = 0
    excluded: int = 0
    refused: int = 0
    skipped: int = 0


@dataclass
class Session:
    """Goes through what a taxonomy lacks. Suggestions are updated after each decision."""

    file: TaxonomyFile
    adviser: Adviser
    gaps: DomainGaps  # from the last reading of the captions
    read: Callable[[Taxonomy], DomainGaps]  # reads the captions with another taxonomy
    wanted: Callable[[Candidate], bool] = bool
    most: int | None = None
    grouped: bool = True
    queue: list[Item] = field(default_factory=list)
    start: int = 0  # items of the queue that are settled
    position: int = 0  # of the item to decide: the first open one, unless the author chose another
    tally: Tally = field(default_factory=Tally)
    changes: int = 0  # decisions since captions were last read with the taxonomy
    decisions: int = 0  # all except those that were undone

    def __post_init__(self) -> None:
        self._refusals = Refusals(self.file.path)
        self._done: list[_Decision] = []
        self._passed: set[Named] = set()  # what was skipped
        self._dropped: dict[Named, Candidate] = {}  # from a group, with a word that stayed in it
        self._lists = {name: words_of_list(path) for name, path in known_lists(str(self.file.path)).items()}
        self._learn(self.adviser.taxonomy)
        self._fill()

    # The queue.

    def _fill(self) -> None:
        waiting = [
            item
            for item in self.gaps.candidates
            if self.wanted(item) and not self.is_known(item) and self._is_open(item.role, item.word)
        ]
        waiting = self._lessons().applied(waiting, self.adviser)
        items: list[Item] = []
        if self.grouped:
            lists = {name: words for name, words in self._lists.items() if self._is_open("use", name)}
            offers = shared_offers(waiting, self._known, lists)
            items = [
                Item(members, offer) for offer, members in offers if self._is_open(offer.key, offer.text)
            ]
            settled = {id(member) for item in items for member in item.members}
            rest = [item for item in waiting if id(item) not in settled]
            items += [Item(group) for group in candidate_groups(rest, self.adviser)]
        together = {id(member) for item in items for member in item.members}
        items += [Item((member,)) for member in waiting if id(member) not in together]
        order = {id(member): number for number, member in enumerate(waiting)}
        # Ties keep the order of the words, so the queue never varies.
        self.queue = sorted(items, key=lambda item: (-item.gain, order[id(item.members[0])]))[: self.most]
        self.start = self.position = 0

    def _lessons(self) -> Lessons:
        """Return what is learnt from the decisions so far."""
        name = self._known.taxonomy
        refused: dict[Role, list[Candidate]] = {"head": [], "modifier": []}
        for item in self.gaps.candidates:
            if self._refusals.has(name, item.role, item.word):
                refused[item.role].append(item)
        apart: dict[Named, frozenset[str]] = {}
        for word, other in self._dropped.items():
            group = self._words[other.role].get(normal_form(self._known, other.word))
            if group is not None or self._refusals.has(name, other.role, other.word):
                apart[word] = frozenset(group or ())
        return Lessons(
            refused,
            self.gaps.head_scores,
            taken=sum(role == "modifier" for each in self._done for role, _ in each.added),
            left=sum(role == "modifier" for each in self._done for role, _ in each.refused),
            apart=apart,
        )

    def _is_open(self, kind: str, word: str) -> bool:
        return (kind, word) not in self._passed and not self._refusals.has(self._known.taxonomy, kind, word)

    def is_known(self, candidate: Candidate) -> bool:
        """Whether the taxonomy now has a word."""
        word = normal_form(self._known, candidate.word)
        if word in self._words[candidate.role]:
            return True
        patterns = (pattern for category in self._known.modifiers.values() for pattern in category.patterns)
        return candidate.role == "modifier" and "{number}" in patterns and is_number(word)

    @property
    def current(self) -> Item | None:
        """The item to decide, without words that are now known; None at the end of the queue."""
        while self.start < len(self.queue):
            if self.position >= len(self.queue):  # back to the items before the one that the author chose
                self.position = self.start
            item = self.queue[self.position]
            left = tuple(member for member in item.members if not self.is_known(member))
            if left:
                if left != item.members:
                    self.queue[self.position] = Item(left, item.offer)
                return self.queue[self.position]
            self._settle()
        return None

    def _settle(self) -> None:
        """Put the current item after the settled ones; items that the author passed by stay in the queue."""
        self.queue.insert(self.start, self.queue.pop(self.position))
        self.start += 1
        self.position += 1

    def advice(self, item: Item, *, most: int = SUGGESTED) -> Advice:
        """Return the likeliest categories of an item; a category with words of a list may take the others."""
        if item.offer is None or item.offer.key != "use":
            return self.adviser.advise_all(item.members, most=most)
        advice = self.adviser.advise_all(item.members, most=len(self._known.roles[item.role]))
        listed = [
            name for word in self._lists[item.offer.text] for name in self._words[item.role].get(word, ())
        ]
        scores = {
            each.category: (each.score + (1 - advice.none) * listed.count(each.category) / len(listed)) / 2
            if listed
            else each.score
            for each in advice.suggestions
        }
        found = [replace(each, score=scores[each.category]) for each in advice.suggestions]
        best = sorted(found, key=lambda each: (-each.score, each.category))[:most]
        return replace(advice, suggestions=tuple(best))

    def notice_edits(self) -> bool:
        """Whether the file changed since the last decision; if so, continue with its new content."""
        now = self.file.read()
        if now == self._known:
            return False
        self._learn(now)
        self.changes += 1
        return True

    def reread(self) -> None:
        """Read the captions with the current taxonomy, and update the queue and the coverage."""
        self.notice_edits()
        self.renew(self.read(self.taxonomy))

    def renew(self, gaps: DomainGaps, *, changes: int = 0) -> None:
        """Continue with a new reading of the captions; `changes` were made while they were read."""
        self.gaps = gaps
        self.changes = changes
        self._fill()

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy in the file after the last decision."""
        return self._known

    # Decisions. Each moves on to the next item.

    def accept(self, category: str, role: Role | None = None) -> tuple[str, ...]:
        """Add all words of the item to a category and return them; fail if one cannot be added."""
        item = self._item()
        role = role or item.role
        if item.offer is not None:
            return self._add(item, [Sharing(role, category, item.offer.key, item.offer.text)])
        listed = self._known.roles[role].get(category)
        # The nouns listed under `of` get their plurals from there.
        generated = isinstance(listed, ModifierCategory) and bool(listed.of)
        entries = [
            entry for member in item.members for entry in ([member.entry] if generated else member.entries)
        ]
        return self._add(item, [Addition(role, category, entry) for entry in entries])

    def new_category(self, name: str, description: str) -> tuple[str, ...]:
        """Create a category from the item's words."""
        item = self._item()
        check_id(name)
        description = description or f"{name.capitalize()}."
        if item.offer is not None:
            shared = Sharing(item.role, name, item.offer.key, item.offer.text)
            return self._add(item, [NewCategory(item.role, name, description, shared=shared)])
        members = sorted(item.members, key=lambda member: member.word)
        if item.role == "modifier" and all(member.word.endswith(OF) for member in members):
            nouns = tuple(Entry(word=member.word.removesuffix(OF)) for member in members)
            return self._add(item, [NewCategory("modifier", name, description, nouns, "of")])
        entries = tuple(entry for member in members for entry in member.entries)
        return self._add(item, [NewCategory(item.role, name, description, entries)])

    def _add(self, item: Item, edits: Sequence[Edit]) -> tuple[str, ...]:
        added = self._edit(edits, () if item.offer is not None else item.names)
        self._count(added=len(item.members))
        return added

    def exclude(self, phrase: str | None = None) -> tuple[str, ...]:
        """Exclude phrases that end in a head but are outside the domain."""
        item = self.words_only()
        phrases = [phrase] if phrase else [member.word for member in item.members]
        done = self._edit([Exclusion(text) for text in phrases])
        self._count(excluded=len(phrases))
        return done

    def ignore(self) -> None:
        """Refuse all words of the item, for this session and later ones."""
        item = self._item()
        self._refusals.change(self._known.taxonomy, item.names, refused=True)
        self._advance(_Decision(self.position, self.start, refused=item.names))
        self._count(refused=len(item.names))

    def skip(self) -> None:
        """Leave the item for later."""
        item = self._item()
        self._passed.update(item.names)
        self._advance(_Decision(self.position, self.start, skipped=item.names))
        self._count(skipped=1)

    def split(self) -> None:
        """Decide the members of a group one by one."""
        item = self._item()
        if item.offer is not None:
            self._passed.update(item.names)
        if len(item.members) > 1:
            self.queue[self.position : self.position + 1] = [Item((member,)) for member in item.members]

    def drop(self, numbers: Iterable[int]) -> None:
        """Take members out of a group, by their positions, and queue them by their own gain: one or two
        separately, more as a group. They do not belong to the category that the rest goes to.
        """
        item = self.words_only()
        out = {number for number in numbers if 0 <= number < len(item.members)}
        kept = tuple(member for number, member in enumerate(item.members) if number not in out)
        if kept and out:
            dropped = tuple(item.members[number] for number in sorted(out))
            self._dropped |= {(member.role, member.word): kept[0] for member in dropped}
            apart = [Item(dropped)] if len(dropped) > 2 else [Item((member,)) for member in dropped]
            later = [*apart, *self.queue[self.position + 1 :]]
            self.queue[self.position :] = [Item(kept), *sorted(later, key=lambda each: -each.gain)]

    def reword(self, word: str) -> None:
        """Replace the item's word by another, or by several: "hot dog" instead of "dog"."""
        first = self.words_only().members[0]
        word = " ".join(word.lower().split())
        role: Role = "modifier" if word.endswith(" of") else first.role  # a piece of cake is a cake
        if word:
            self.queue[self.position] = Item((replace(first, word=word, role=role, forms=()),))

    def undo(self) -> bool:
        """Undo the last decision. False if there is none; an error if the file was changed elsewhere."""
        if not self._done:
            return False
        last = self._done[-1]
        for _ in range(last.edits):
            self.file.undo()
        if last.edits:
            self._learn(self.file.read())
            self.changes = last.changes if last.gaps is self.gaps else self.changes + 1
        if last.refused:
            self._refusals.change(self._known.taxonomy, last.refused, refused=False)
        self._passed.difference_update(last.skipped)
        self.queue, self.tally = list(last.queue), last.tally
        self.position, self.start = last.position, last.start
        self._done.pop()
        self.decisions -= 1
        return True

    def _item(self) -> Item:
        item = self.current
        if item is None:
            raise UsageError("there is nothing to decide")
        return item

    def words_only(self) -> Item:
        """Return the item to decide; an error if it can only be accepted or refused as a whole."""
        item = self._item()
        if item.offer is not None:
            raise UsageError(
                f"`{item.offer.text}` can only be accepted as a whole", hint="g asks word by word"
            )
        return item

    def _edit(self, edits: Sequence[Edit], added: tuple[Named, ...] = ()) -> tuple[str, ...]:
        """Apply all edits or none, in one step; return what was added."""
        self._learn(self.file.add(*edits))
        self._advance(_Decision(self.position, self.start, edits=1, added=added))
        self.changes += 1
        return tuple(word for edit in edits for word in _words(edit))

    def _advance(self, decision: _Decision) -> None:
        decision.queue, decision.tally = tuple(self.queue), self.tally
        decision.changes, decision.gaps = self.changes, self.gaps
        self._done.append(decision)
        self._settle()
        self.decisions += 1

    def _count(self, **more: int) -> None:
        self.tally = replace(self.tally, **{name: getattr(self.tally, name) + n for name, n in more.items()})

    def _learn(self, taxonomy: Taxonomy) -> None:
        self._known = taxonomy
        self._words = {role: categories_of_words(taxonomy, role) for role in taxonomy.roles}
        self.adviser.learn(taxonomy)


def _words(edit: Edit) -> list[str]:
    """Return what an edit adds, to show it."""
    match edit:
        case NewCategory(shared=Sharing(text=text)):
            return [text]
        case NewCategory():
            return [entry.word + (OF if edit.key == "of" else "") for entry in edit.entries]
        case Addition():
            return [edit.entry.word]
        case Exclusion():
            return [edit.phrase]
        case Sharing():
            return [edit.text]
    return []
