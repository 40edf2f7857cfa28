"""Properties of one caption: its tree, phrases, complexity, parts of speech and abstract words."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from assess.errors import InputError, Place, some, visible
from assess.measures.correlation.compute import ScoreTable, read_score_table
from assess.measures.metric import ratio
from assess.measures.settings import Mode, Tagset
from assess.measures.words import Parsed, Tagged, content_words, is_word, universal_tags


@dataclass(frozen=True, slots=True)
class Tree:
    """The dependents of each word, in the order of the caption."""

    dependents: tuple[tuple[int, ...], ...]
    top_down: tuple[int, ...]  # all words, with every head before its dependents

    def subtree(self, word: int) -> list[int]:
        """Return a word and everything that depends on it, in the order of the caption."""
        found = [word]
        for each in found:  # grows during the iteration
            found.extend(self.dependents[each])
        return sorted(found)


def caption_tree(caption: Parsed) -> Tree:
    """Return the tree of a caption; raises an error if it was tagged but not parsed."""
    words, heads, deps = len(caption.words), len(caption.heads), len(caption.deps)
    if not words == heads == deps:
        raise InputError(
            f"a caption of {words} words has {heads} heads and {deps} relations, so it was not parsed",
            hint="annotate it with a model that has a parser",
        )
    return tree(caption.heads)


def tree(heads: Sequence[int]) -> Tree:
    """Return the tree with these heads; a root is its own head."""
    dependents: list[list[int]] = [[] for _ in heads]
    top_down = []  # starts with the words without a head
    for word, head in enumerate(heads):
        if not 0 <= head < len(heads):
            raise InputError(f"word {word} has the head {head}, but there are {len(heads)} words")
        if head == word:
            top_down.append(word)
        else:
            dependents[head].append(word)
    for word in top_down:
        top_down.extend(dependents[word])
    if len(top_down) != len(heads):
        raise InputError("the heads of the words form a cycle, not a tree")
    return Tree(tuple(map(tuple, dependents)), tuple(top_down))


# Compounds and prepositional phrases in a caption.

Words = tuple[str, ...]
# Relations of prepositions to their heads; the fine tag alone also covers *while* and *because*.
_PREPOSITION_RELATIONS = frozenset({"prep", "agent", "dative"})
_PREPOSITION_TAGS = frozenset({"IN", "TO"})


def compounds(caption: Tagged) -> list[Words]:
    """Return the runs of two or more nouns, lowercased (van Miltenburg et al. 2018, section 6)."""
    tagged = zip(caption.words, caption.tags, strict=True)
    runs = groupby(tagged, key=lambda pair: pair[1].startswith("NN"))
    nouns = (tuple(word.lower() for word, _ in run) for is_noun, run in runs if is_noun)
    return [run for run in nouns if len(run) > 1]


def prepositional_phrases(caption: Parsed, *, mode: Mode = "assess") -> list[tuple[int, Words]]:
    """Return each prepositional phrase: its depth, and its lowercased words.

    In paper mode, a phrase consists of everything that depends on a word tagged IN, including the conjunction
    *while*, and its depth is the number of such words in it, nested or not. In our mode, the word must be
    related to its head as a preposition, and depth only counts nesting; a phrase without another one has
    depth 1.
    """
    found = caption_tree(caption)
    places = _prepositions(caption, mode)
    depths = _counts_within(found, places) if mode == "paper" else _nesting(found, places)
    return [
        (depths[place], tuple(caption.words[word].lower() for word in found.subtree(place)))
        for place in places
    ]


def _prepositions(caption: Parsed, mode: Mode) -> list[int]:
    if mode == "paper":
        return [place for place, tag in enumerate(caption.tags) if tag == "IN"]
    related = zip(caption.tags, caption.deps, strict=True)
    return [
        place
        for place, (tag, dep) in enumerate(related)
        if tag in _PREPOSITION_TAGS and dep in _PREPOSITION_RELATIONS
    ]


def _counts_within(found: Tree, places: Sequence[int]) -> dict[int, int]:
    """Return how many of these positions are in the subtree of each word."""
    counts = dict.fromkeys(found.top_down, 0) | dict.fromkeys(places, 1)
    for word in reversed(found.top_down):
        counts[word] += sum(counts[dependent] for dependent in found.dependents[word])
    return counts


def _nesting(found: Tree, places: Sequence[int]) -> dict[int, int]:
    """Return the length of the longest nested chain of these positions in the subtree of each word."""
    depths = dict.fromkeys(found.top_down, 0) | dict.fromkeys(places, 1)
    for word in reversed(found.top_down):
        depths[word] += max((depths[dependent] for dependent in found.dependents[word]), default=0)
    return depths


# Yngve and Frazier complexity, adapted to dependency trees.
#
# Both measures are defined for phrase structure, but the annotator provides dependencies. We derive a flat
# phrase structure from them: a word with dependents is the head of a phrase whose parts, in the order of the
# caption, are the word itself and the phrase (or single word) of each dependent. Deeper nesting in a treebank
# (a noun phrase within a noun phrase, a verb phrase below its clause) is one flat phrase here, so values can
# be compared between systems, but not with values from treebank parses. Tokens that are only punctuation are
# ignored: otherwise a full stop, being one more part at the right end, would make the same caption more
# complex.

PHRASE = 1.0
CLAUSE = 1.5  # Frazier counts a clause as one and a half
NEIGHBOURS = 3  # and uses the maximum over three adjacent words


@dataclass(frozen=True, slots=True)
class Complexity:
    """The scores of each word of a caption in order, without punctuation."""

    yngve: tuple[int, ...]
    frazier: tuple[float, ...]

    @property
    def deepest(self) -> int:
        """The largest Yngve depth: the number of parts still expected at a time. 0 for an empty caption."""
        return max(self.yngve, default=0)

    @property
    def hardest(self) -> float:
        """The largest sum of Frazier scores of three consecutive words. 0 for an empty caption."""
        last = max(1, len(self.frazier) - NEIGHBOURS + 1)
        return max(sum(self.frazier[start : start + NEIGHBOURS]) for start in range(last))


def complexity(caption: Parsed) -> Complexity:
    """Return the complexity of each word of a caption."""
    parts = _parts(caption, caption_tree(caption))
    kept = [word for word in range(len(caption.words)) if word in parts]
    yngve, frazier = _yngve(parts), _frazier(parts, caption)
    return Complexity(tuple(yngve[word] for word in kept), tuple(frazier[word] for word in kept))


def _parts(caption: Parsed, found: Tree) -> dict[int, list[int]]:
    """Return the parts of each word's phrase, heads before dependents, without punctuation.

    Punctuation is kept if a word depends on it, since the word would otherwise be unattached.
    """
    parts: set[int] = set()
    for word in reversed(found.top_down):  # dependents before heads
        if is_word(caption.words[word]) or not parts.isdisjoint(found.dependents[word]):
            parts.add(word)
    return {
        word: sorted([word, *parts.intersection(found.dependents[word])])
        for word in found.top_down
        if word in parts
    }


def _yngve(parts: dict[int, list[int]]) -> dict[int, int]:
    """Return the number of parts still expected at each word, summed up the tree (Yngve 1960)."""
    phrase_depth: dict[int, int] = {}
    word_depth: dict[int, int] = {}
    for head, places in parts.items():
        above = phrase_depth.get(head, 0)
        for to_come, place in enumerate(reversed(places)):
            if place == head:
                word_depth[head] = above + to_come
            else:
                phrase_depth[place] = above + to_come
    return word_depth


def _frazier(parts: dict[int, list[int]], caption: Parsed) -> dict[int, float]:
    """Return the weighted number of phrases that begin with each word (Frazier 1985)."""
    scores = dict.fromkeys(parts, 0.0)
    first: dict[int, int] = {}  # index of each phrase's first word
    for head, places in reversed(parts.items()):  # dependents before heads
        first[head] = places[0] if places[0] == head else first[places[0]]
        if len(places) > 1:
            clausal = caption.tags[head].startswith(("VB", "MD"))
            scores[first[head]] += CLAUSE if clausal else PHRASE
    return scores


# Parts of speech, and abstract and concrete words.


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Lowercased words that are known to be concrete or abstract."""

    concrete: frozenset[str]
    abstract: frozenset[str]
    identity: str = ""  # as in a signature

    def __post_init__(self) -> None:
        if both := sorted(self.concrete & self.abstract):
            raise InputError(f"{some(len(both), 'word')} listed as both concrete and abstract: {both[0]!r}")


def lexicon_of_ratings(
    ratings: Mapping[str, float], *, concrete_from: float, abstract_below: float
) -> Lexicon:
    """Return a lexicon from concreteness ratings (Brysbaert et al. 2014); medium ratings are omitted."""
    if abstract_below > concrete_from:
        raise InputError(
            f"abstract below {abstract_below} and concrete from {concrete_from} overlap",
            hint="the first must not be larger than the second",
        )
    concrete = frozenset(word.lower() for word, rating in ratings.items() if rating >= concrete_from)
    abstract = frozenset(word.lower() for word, rating in ratings.items() if rating < abstract_below)
    return Lexicon(concrete, abstract)


def concreteness_counts(caption: Tagged, lexicon: Lexicon) -> tuple[int, int, int]:
    """Return the numbers of abstract, concrete and all distinct content words of a caption."""
    words = content_words(caption)
    return len(words & lexicon.abstract), len(words & lexicon.concrete), len(words)


def tags_of(caption: Tagged, *, tagset: Tagset = "fine", mode: Mode = "assess") -> tuple[str, ...]:
    """Return the part of speech of each word of a caption, in either tag set.

    The paper counts a token of white space (two blanks in a row) as a word; ours drops it.
    """
    tags = caption.tags if tagset == "fine" else universal_tags(caption)
    if mode == "paper":
        return tags
    return tuple(tag for word, tag in zip(caption.words, tags, strict=True) if word.strip())


def tag_distribution(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the share of each part of speech, most frequent first; empty without words."""
    total = sum(counts.values())
    ordered = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return {tag: float(ratio(counts[tag], total)) for tag in ordered}


# A lexicon of abstract and concrete words, from a table of words with ratings or classes.

_WORDS = ("word", "words", "lemma", "term")
_RATINGS = ("conc.m", "concreteness", "rating", "mean", "score")
_CLASSES = ("class", "kind", "category", "label")
_HINT = "the table needs a header row such as word,rating or word,class"
MIDDLE = 3.0  # on a scale from 1 to 5, as in Brysbaert et al. (2014)


def read_lexicon(path: Path, *, concrete_from: float = MIDDLE, abstract_below: float = MIDDLE) -> Lexicon:
    """Read a table with a column of words and a column of ratings, or of `abstract` and `concrete`."""
    table = read_score_table(path)
    names = _column(table.labels, _WORDS) or next(iter(table.labels), None)
    if names is None:
        raise InputError("the lexicon has no column of words", place=Place(str(path)), hint=_HINT)
    words = table.labels[names]
    if classes := _column(table.labels, _CLASSES):
        return _named(_of_classes(words, table.labels[classes], path), path.stem)
    ratings = dict(zip(words, _ratings(table, path), strict=True))
    found = lexicon_of_ratings(ratings, concrete_from=concrete_from, abstract_below=abstract_below)
    return _named(found, f"{path.stem} concrete>={concrete_from:g} abstract<{abstract_below:g}")


def _ratings(table: ScoreTable, path: Path) -> list[float]:
    name = _column(table.scores, _RATINGS) or next(iter(table.scores), None)
    if name is None:
        raise InputError("the lexicon has no column of ratings", place=Place(str(path)), hint=_HINT)
    ratings: list[float] = table.scores[name].tolist()
    return ratings


def _column(columns: Iterable[str], names: tuple[str, ...]) -> str | None:
    """Return the first of the usual names that is a column, as spelled in the file."""
    folded = {name.strip().lower(): name for name in columns}
    return next((folded[name] for name in names if name in folded), None)


def _of_classes(words: tuple[str, ...], classes: tuple[str, ...], path: Path) -> Lexicon:
    found: dict[str, set[str]] = {"abstract": set(), "concrete": set()}
    for row, (word, kind) in enumerate(zip(words, classes, strict=True), start=1):
        if kind.strip().lower() not in found:
            message = f"a word must be abstract or concrete, not '{visible(kind, 40)}'"
            raise InputError(message, place=Place(str(path), record=row))
        found[kind.strip().lower()].add(word.lower())
    return Lexicon(frozenset(found["concrete"]), frozenset(found["abstract"]))


def _named(words: Lexicon, name: str) -> Lexicon:
    """Return a lexicon with its name and a hash of its words that does not depend on the file's format."""
    content = "\n".join([*sorted(words.abstract), "", *sorted(words.concrete)])
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return replace(words, identity=f"{name}#{digest[:12]}")
