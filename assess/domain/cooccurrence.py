"""What words occur with in captions: their neighbours, and the words that they depend on.

Words with similar use tend to have similar meanings (Harris 1954), even in a few thousand captions. A word is
represented by weighted features, and two words are alike if they share rare ones.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from assess.disk_cache import PackedBytes, PackedNumbers
from assess.records import Annotation
from assess.taxonomy.words import Token, plural_of, tokenise

Features = Mapping[Any, float]
"""Features by name or number."""

Columns = tuple[np.ndarray, np.ndarray]
"""Features by number: the numbers and their weights."""

MOST_USES = 300
"""How many uses of a word are read: further uses of a common word add nothing new."""

_TAG, _CAPITAL, _FAR = 1.5, 2.0, 0.6  # weights of kinds of features; others weigh 1

_MODIFIERS = frozenset({"amod", "compound", "nmod", "nummod", "poss", "advmod", "npadvmod"})
_MODIFIES = 0.2  # a verb with a smaller share of uses before nouns is a tagger slip there
_BESIDE = ("before", "after", "two before", "two after")
_COMMON = 384  # features that are compared as a full matrix
_AT_ONCE = 256  # words that are compared at a time, to limit memory

CAUTION = 5.0
"""How often a word must occur before it is considered similar to another: see `FeatureSpace`."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A known word and its likeness: 1 means the same, 0 nothing in common."""

    word: str
    likeness: float


class FeatureSpace:
    """Known words and their features. Likeness is the cosine; a feature that few words have weighs more.

    `caution` is added to the length of each known word, because a word that was seen only once or twice
    shares most of its few features with any other word and would seem to be like it.
    """

    _own: sparse.csr_matrix | None = None
    _full: tuple[np.ndarray, ...] | None = None

    def __init__(self, features: Mapping[str, Features], *, caution: float = 0.0) -> None:
        self.words = sorted(word for word, own in features.items() if own)
        names = sorted({name for word in self.words for name in features[word]})
        self._columns = {name: column for column, name in enumerate(names)}
        counts = self._matrix([features[word] for word in self.words])
        shared = np.bincount(counts.indices, minlength=len(names))
        # A feature that every word has would weigh nothing; it still weighs a little.
        self._rarity = np.log((len(self.words) + 1) / (shared + 0.5))
        self._rarest = float(np.log((len(self.words) + 1) / 0.5))
        self._rows = self._weighted(counts)
        self._known = _normalised(self._rows, caution)

    @classmethod
    def of_columns(cls, features: Mapping[str, Columns], *, caution: float = 0.0) -> FeatureSpace:
        """Return a space of words with numbered features, which are compared only with each other."""
        self = cls({})
        self.words = sorted(word for word, (names, _) in features.items() if len(names))
        if not self.words:
            return self
        rows = [features[word] for word in self.words]
        names, columns = np.unique(np.concatenate([row[0] for row in rows]), return_inverse=True)
        ends = np.cumsum([0, *(len(row[0]) for row in rows)])
        values = np.concatenate([row[1] for row in rows])
        shared = np.bincount(columns, minlength=len(names))
        values = values * np.log((len(rows) + 1) / (shared + 0.5))[columns]
        self._rows = sparse.csr_matrix((values, columns.ravel(), ends), shape=(len(rows), len(names)))
        # A feature that only one word has makes no other word like it, so only its length is needed.
        lengths = _lengths(self._rows)
        # The features that most words have take most of the time, and less as a full matrix.
        order = np.argsort(-shared, kind="stable")
        common, others = order[:_COMMON], order[_COMMON:]
        parts = self._rows[:, common].toarray(), self._rows[:, np.sort(others[shared[others] > 1])]
        self._full = tuple(
            parts[0] / np.maximum(length, 1e-300)[:, None] for length in (lengths, lengths + caution)
        )
        self._known, self._own = _divided(parts[1], lengths + caution), _divided(parts[1], lengths)
        return self

    def _matrix(self, rows: Sequence[Features]) -> sparse.csr_matrix:
        values, columns, ends = [], [], [0]
        for row in rows:
            for name in sorted(row.keys() & self._columns.keys()):
                columns.append(self._columns[name])
                values.append(row[name])
            ends.append(len(columns))
        shape = (len(rows), len(self._columns))
        return sparse.csr_matrix((np.asarray(values, dtype=np.float64), columns, ends), shape=shape)

    def _weighted(self, counts: sparse.csr_matrix) -> sparse.csr_matrix:
        values = counts.data * self._rarity[counts.indices]
        return sparse.csr_matrix((values, counts.indices, counts.indptr), shape=counts.shape)

    def likeness(self, features: Features) -> np.ndarray:
        """Return how alike each known word is, in the order of `words`."""
        row = self._weighted(self._matrix([features]))
        strange = sum(value**2 for name, value in features.items() if name not in self._columns)
        length = float(np.sqrt((row.data**2).sum() + strange * self._rarest**2))
        if not length:
            return np.zeros(len(self.words))
        return np.asarray(self._known @ row.toarray().ravel() / length)

    def among_themselves(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield positions in `words`, some at a time, and how alike each known word is to those words."""
        columns = self._known.T.tocsr()
        own = _normalised(self._rows, 0.0) if self._own is None else self._own
        for start in range(0, len(self.words), _AT_ONCE):
            part = np.arange(start, min(start + _AT_ONCE, len(self.words)))
            alike = (own[part] @ columns).toarray()
            yield part, alike if self._full is None else alike + self._full[0][part] @ self._full[1].T

    def nearest(self, features: Features, *, most: int, leave_out: str | None = None) -> list[Neighbour]:
        """Return the most similar words; ties are sorted by text, so that the choice never varies."""
        likeness = self.likeness(features).round(12)
        order = np.lexsort((np.arange(len(self.words)), -likeness))[: most + 1]
        found = [Neighbour(self.words[i], float(likeness[i])) for i in order if likeness[i] > 0]
        return [neighbour for neighbour in found if neighbour.word != leave_out][:most]


def _normalised(matrix: sparse.csr_matrix, caution: float) -> sparse.csr_matrix:
    return _divided(matrix, _lengths(matrix) + caution)


def _lengths(matrix: sparse.csr_matrix) -> np.ndarray:
    return np.asarray(np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()))


def _divided(matrix: sparse.csr_matrix, lengths: np.ndarray) -> sparse.csr_matrix:
    return sparse.diags(1 / np.where(lengths == 0, 1, lengths)) @ matrix


def clusters(likeness: np.ndarray, *, least: float, most: int) -> list[list[int]]:
    """Return clusters of similar rows. The two most similar clusters are joined repeatedly, as long as their
    mean likeness is at least `least` and the result has at most `most` rows.
    """
    alike = likeness.round(9)
    np.fill_diagonal(alike, -np.inf)
    members = [[row] for row in range(len(alike))]
    while alike.size and float(alike.max()) >= least:
        left, right = sorted(int(place) for place in np.unravel_index(int(np.argmax(alike)), alike.shape))
        sizes = len(members[left]), len(members[right])
        if sum(sizes) > most:
            alike[left, right] = alike[right, left] = -np.inf  # they stay apart, whatever joins either
            continue
        mean = (alike[left] * sizes[0] + alike[right] * sizes[1]) / sum(sizes)
        alike[left], alike[:, left] = mean, mean
        alike[right], alike[:, right] = -np.inf, -np.inf
        alike[left, left] = -np.inf
        members[left] += members[right]
        members[right] = []
    return [sorted(cluster) for cluster in members if cluster]


class Contexts(Protocol):
    """What is known about the contexts of words."""

    def __hash__(self) -> int:
        """Return any number: what was found about the same contexts is kept."""
        ...

    def knows(self, word: str) -> bool:
        """Whether a word was seen, with hyphens or without."""
        ...

    def uses(self, word: str) -> int:
        """Return how often a word was seen in distinct texts."""
        ...

    def features_of(self, word: str) -> Features:
        """Return the contexts of a word as weighted features; none for a word that was not seen."""
        ...

    def columns_of(self, word: str) -> Columns:
        """Return the same features as two columns."""
        ...

    def look_up(self, words: Iterable[str]) -> None:
        """Prepare for queries about many words."""
        ...

    def is_slip(self, word: str) -> bool:
        """Whether a word is a verb that hardly ever belongs to the noun after it: holding a cup."""
        ...


@dataclass(slots=True)
class TokenColumns:
    """The words of distinct texts, one after the other, with their annotations.

    Columns of numbers are stored on disk and quick to search, so they serve any later taxonomy.
    """

    words: list[str] = field(default_factory=list)  # distinct, by number
    tags: list[str] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)  # to the word's head, with that head
    word: PackedNumbers = field(default_factory=lambda: array("I"))
    tag: PackedBytes = field(default_factory=lambda: array("B"))  # 0: none; otherwise its index plus 1
    relation: PackedNumbers = field(default_factory=lambda: array("I"))  # 0: none; otherwise its index plus 1
    capital: PackedBytes = field(default_factory=lambda: array("B"))
    lengths: PackedNumbers = field(default_factory=lambda: array("I"))  # of texts, in words

    def fit(self) -> bool:
        """Whether the columns have the same length and contain only valid numbers."""
        columns = (self.tag, self.relation, self.capital)
        named = ((self.word, len(self.words) - 1), (self.tag, len(self.tags)))
        return (
            all(len(column) == len(self.word) for column in columns)
            and sum(self.lengths) == len(self.word)
            and all(largest(column) <= most for column, most in named)
        )


def largest(column: array[int]) -> int:
    """Return the largest number of a column; -1 if it is empty."""
    return int(np.asarray(column).max()) if column else -1


class TokenWriter:
    """Adds texts to columns."""

    def __init__(self) -> None:
        self.columns = TokenColumns()
        self._numbers: dict[tuple[int, str], int] = {}

    def add(self, text: str, annotation: Annotation) -> None:
        """Add the words of one text."""
        tokens = tokenise(text)
        columns = self.columns
        index = {offset: number for number, offset in enumerate(annotation.offsets)}
        before = len(columns.word)
        for token in tokens:
            place = _place(token, annotation, index)
            tag = relation = 0
            if place is not None:
                tag = 1 + self._number(columns.tags, annotation.tags[place])
                if annotation.heads:
                    head = annotation.words[annotation.heads[place]].lower()
                    relation = 1 + self._number(columns.relations, f"{annotation.deps[place]} {head}")
            capital = token.start > 0 and text[token.start].isupper()
            # Hyphens make no difference: "middle-aged" is found like "middle aged".
            for piece in filter(None, token.text.split("-")):
                columns.word.append(self._number(columns.words, piece))
                columns.tag.append(tag)
                columns.relation.append(relation)
                columns.capital.append(capital)
        columns.lengths.append(len(columns.word) - before)

    def _number(self, listed: list[str], text: str) -> int:
        key = id(listed), text
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(listed)
            listed.append(text)
        return number


def _place(token: Token, annotation: Annotation, index: Mapping[int, int]) -> int | None:
    """Return the annotator's word for a token; for a hyphenated token, the last part, which has the tag."""
    place = index.get(token.start)
    if place is not None:
        while place + 1 < len(annotation.offsets) and annotation.offsets[place + 1] < token.end:
            place += 1
    return place


class WordContexts:
    """The contexts of each word and phrase in a collection of texts."""

    def __init__(self, columns: TokenColumns) -> None:
        lengths = np.asarray(columns.lengths, dtype=np.int64)
        # Each text has two marks before it and two after it, so every word has neighbours.
        places = np.arange(lengths.sum()) + 4 * np.repeat(np.arange(len(lengths)), lengths) + 2
        self._size = len(columns.words) + 2
        total = int(lengths.sum()) + 4 * len(lengths)
        before = np.cumsum(lengths + 4) - (lengths + 4)
        self._word = np.full(total, self._size - 1, dtype=np.int32)  # the end of a text
        self._word[before] = self._word[before + 1] = self._size - 2  # the beginning
        self._word[places] = np.asarray(columns.word, dtype=np.int32)
        self._tag, self._relation, self._capital = (
            _spread(column, places, total) for column in (columns.tag, columns.relation, columns.capital)
        )
        self._tags = len(columns.tags) + 1
        # Numbers of tags and relations begin at 1; 0 means none.
        self._verbs = np.array([False, *(tag.startswith("VB") for tag in columns.tags)])
        modifying = [relation.partition(" ")[0] in _MODIFIERS for relation in columns.relations]
        self._before_nouns = np.array([False, *modifying])
        self._nouns = np.array([False, *(tag.startswith("NN") for tag in columns.tags)])
        self._numbers = {word: number for number, word in enumerate(columns.words)}
        self._listed = columns
        # Short numbers are sorted digit by digit (radix sort), which is much faster.
        short = self._word.astype(np.uint16) if self._size <= 1 << 16 else self._word
        self._order = np.argsort(short, kind="stable")
        self._ends = np.cumsum(np.bincount(self._word, minlength=self._size))
        self._places: dict[str, np.ndarray] = {}
        self._columns: dict[str, Columns] = {}

    def knows(self, word: str) -> bool:
        """Whether a word or phrase was seen, with hyphens or without."""
        return self.uses(word) > 0

    def uses(self, word: str) -> int:
        """Return how often a word or phrase was seen in distinct texts."""
        return len(self._found(word))

    def is_noun(self, word: str) -> bool:
        """Whether captions mostly use a word, in the singular or the plural, as a noun."""
        found = [self._found(form)[:MOST_USES] for form in dict.fromkeys((word, plural_of(word) or word))]
        last = np.concatenate(found) + len(_pieces(word)) - 1
        return bool(len(last) and self._nouns[self._tag[last]].mean() > 0.5)

    def is_slip(self, word: str) -> bool:
        """Whether a word is a verb that hardly ever belongs to the noun after it: holding a cup."""
        places = self._found(word)[:MOST_USES]
        if not len(places) or " " in word:
            return False
        verbs = self._verbs[self._tag[places]].mean()
        before = self._before_nouns[self._relation[places]].mean()
        return bool(verbs > 0.5 and before < _MODIFIES)

    def features_of(self, word: str) -> Features:
        """Return the contexts of a word as weighted features; none for a word that was not seen."""
        names, weights = self.columns_of(word)
        return dict(zip(names.tolist(), weights.tolist(), strict=True))

    def named_features_of(self, word: str) -> dict[str, float]:
        """Return the same features with names that are comparable between collections of captions."""
        return {self._name(number): weight for number, weight in self.features_of(word).items()}

    def _name(self, number: int) -> str:
        columns, size, tags = self._listed, self._size, self._tags
        if number < 0:
            return "capital"
        place, rest = divmod(number, size)
        if place < 4:
            beside = columns.words[rest] if rest < size - 2 else "<>"[rest - size + 2]
            return f"{_BESIDE[place]} {beside}"
        rest = number - 4 * size
        return f"tag {columns.tags[rest - 1]}" if rest < tags else f"as {columns.relations[rest - tags - 1]}"

    def columns_of(self, word: str) -> Columns:
        """Return the same features as two columns, cached because the same words are asked for often."""
        if word not in self._columns:
            self.look_up((word,))
        return self._columns[word]

    def look_up(self, words: Iterable[str]) -> None:
        """Build the columns of many words at once, which is much faster."""
        new = [word for word in dict.fromkeys(words) if word not in self._columns]
        uses = [self._found(word)[:MOST_USES] for word in new]
        if not new:
            return
        lengths = [len(places) for places in uses]
        owner = np.repeat(np.arange(len(new)), lengths)
        first = np.concatenate(uses)
        last = first + np.repeat([len(_pieces(word)) - 1 for word in new], lengths)
        size, tags = self._size, self._tags
        beside = [self._word[place] for place in (first - 1, last + 1, first - 2, last + 2)]
        tag, relation, capital = self._tag[last], self._relation[last], self._capital[first] > 0
        kinds = [
            *((owner, number * size + column) for number, column in enumerate(beside)),
            (owner[tag > 0], 4 * size + tag[tag > 0]),
            (owner[relation > 0], 4 * size + tags + relation[relation > 0]),
            (owner[capital], np.full(int(capital.sum()), -1)),
        ]
        most = 4 * size + tags + len(self._before_nouns) + 1
        keys = np.concatenate([owners * most + (names + 1) for owners, names in kinds])
        found, counts = np.unique(keys, return_counts=True)
        names = found % most - 1
        weights = np.where((names >= 2 * size) & (names < 4 * size), _FAR, 1.0)
        weights[(names >= 4 * size) & (names < 4 * size + tags)] = _TAG
        weights[names < 0] = _CAPITAL
        weights = weights * np.log1p(counts)
        ends = np.searchsorted(found, np.arange(1, len(new) + 1) * most)
        for word, start, end in zip(new, [0, *ends[:-1].tolist()], ends.tolist(), strict=True):
            self._columns[word] = names[start:end], weights[start:end]

    def _found(self, phrase: str) -> np.ndarray:
        """Return the positions of a phrase's first word, in the order of the texts."""
        if phrase not in self._places:
            self._places[phrase] = self._places_of(_pieces(phrase))
        return self._places[phrase]

    def _places_of(self, words: Sequence[str]) -> np.ndarray:
        numbers = [self._numbers.get(word, -1) for word in words]
        if not numbers or -1 in numbers:
            return np.empty(0, dtype=np.int64)
        # The rarest word has the fewest positions to check.
        rarest = min(range(len(numbers)), key=lambda place: self._count(numbers[place]))
        end = self._ends[numbers[rarest]]
        first = self._order[end - self._count(numbers[rarest]) : end] - rarest
        if len(numbers) == 1:
            return first
        for place, number in enumerate(numbers):
            # Marks between texts keep every position in range.
            first = first[self._word[np.minimum(np.maximum(first + place, 0), len(self._word) - 1)] == number]
        return first

    def _count(self, number: int) -> int:
        return int(self._ends[number] - (self._ends[number - 1] if number else 0))


def _pieces(phrase: str) -> list[str]:
    return phrase.replace("-", " ").split()


def _spread(column: array[int], places: np.ndarray, total: int) -> np.ndarray:
    spread = np.zeros(total, dtype=np.int32)
    spread[places] = np.asarray(column, dtype=np.int32)
    return spread
