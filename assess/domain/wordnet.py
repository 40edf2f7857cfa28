"""WordNet, if it is installed: what words mean, which nouns are kinds of a thing, and a first draft.

The database files (`wndb(5WN)`) are read as Debian's package `wordnet-base` installs them or as NLTK stores
them, unpacked or not. Nothing is ever downloaded.
"""

from __future__ import annotations

import os
import re
import sys
import zipfile
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from assess.disk_cache import with_home
from assess.domain.cooccurrence import Features
from assess.errors import AssessError, InputError, MissingPartError, Place, UsageError, visible
from assess.taxonomy.words import singular_of

INSTALL = "apt install wordnet-base, or python -m nltk.downloader wordnet"
DEBIAN = Path("/usr/share/wordnet")
_PARTS = {"n": "noun", "v": "verb", "a": "adj", "s": "adj", "r": "adv"}
_HYPERNYMS = 4  # levels up that are features: above these, everything is an entity
_SENSES = 4  # per word; WordNet lists the most common first
_GLOSS = 60  # characters of a definition that a message shows
# Relations to nearby senses but broader ones: similar, see also, attribute, pertainym, derivation, antonym.
_NEAR = frozenset({"&", "^", "=", "\\", "+", "!"})
_BROADER, _NARROWER = frozenset({"@", "@i"}), frozenset({"~"})


class Sense(NamedTuple):
    """A meaning, identified by its position in the data files."""

    part: str  # n, v, a or r
    offset: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the data files say about a sense."""

    field: int  # the lexicographer's file: food, artifact, ...
    lemmas: tuple[str, ...]
    pointers: tuple[tuple[str, Sense], ...]
    gloss: str


class WordNet:
    """The meanings of words: synonyms, broader and narrower terms, and related words."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, bytes] = {}
        self._lines: dict[str, list[bytes]] = {}
        self._entries: dict[Sense, _Entry] = {}

    def senses(self, phrase: str, parts: str = "nvar") -> list[Sense]:
        """Return the senses of a phrase, the most common of each part of speech first."""
        lemma = phrase.lower().replace(" ", "_")
        return [sense for part in parts for sense in self._senses_of(lemma, part)]

    def _senses_of(self, lemma: str, part: str) -> list[Sense]:
        found = self._listed(lemma, part)
        if not found and part == "n":
            found = self._listed(singular_of(lemma), part)
        return found

    def _listed(self, lemma: str, part: str) -> list[Sense]:
        """Return an entry of the index: lemma, part, senses, pointers, their symbols, two counts, offsets."""
        name = f"index.{_PARTS[part]}"
        if name not in self._lines:
            self._lines[name] = self._index_lines(name)
        lines, key = self._lines[name], lemma.encode() + b" "
        place = bisect_left(lines, key)
        if place == len(lines) or not lines[place].startswith(key):
            return []
        fields = lines[place].split()
        try:
            return [Sense(part, int(offset)) for offset in fields[-int(fields[2]) :]]
        except (ValueError, IndexError):
            raise self._damaged(name, place + 1) from None

    def _index_lines(self, name: str) -> list[bytes]:
        """Return the lines of an index; fail if it is cut off or unsorted, since words would be missed."""
        data = self._bytes(name)
        lines = data.splitlines()
        words = [line for line in lines if not line.startswith(b"  ")]  # below the license, which is indented
        if not words or not data.endswith(b"\n") or any(a > b for a, b in pairwise(words)):
            raise self._damaged(name)
        return lines

    def entry(self, sense: Sense) -> _Entry:
        """Return what is known about a sense."""
        if sense not in self._entries:
            name = f"data.{_PARTS[sense.part]}"
            data = self._bytes(name)
            line = data[sense.offset : data.find(b"\n", sense.offset)].decode("utf-8", errors="replace")
            try:
                self._entries[sense] = _read_entry(line, sense)
            except (ValueError, IndexError, KeyError):
                raise self._damaged(name, data.count(b"\n", 0, sense.offset) + 1) from None
        return self._entries[sense]

    def _bytes(self, name: str) -> bytes:
        if name not in self._files:
            try:
                if self.folder.suffix == ".zip":
                    with zipfile.ZipFile(self.folder) as archive:
                        self._files[name] = archive.read(f"{self.folder.stem}/{name}")
                else:
                    self._files[name] = (self.folder / name).read_bytes()
            except (OSError, KeyError, zipfile.BadZipFile, EOFError, ValueError):
                raise self._damaged(name) from None
        return self._files[name]

    def _damaged(self, name: str, line: int | None = None) -> AssessError:
        place = Place(str(self.folder / name), line)
        return InputError("the WordNet data cannot be read", place=place, hint=f"reinstall it: {INSTALL}")

    def related(self, sense: Sense, symbols: Collection[str]) -> list[Sense]:
        """Return the senses that certain kinds of pointers lead to."""
        return [target for symbol, target in self.entry(sense).pointers if symbol in symbols]

    def closure(self, sense: Sense, symbols: Collection[str]) -> Iterator[Sense]:
        """Yield a sense and all that its pointers lead to, level by level."""
        seen, level = {sense}, [sense]
        while level:
            yield from level
            found = dict.fromkeys(target for each in level for target in self.related(each, symbols))
            level = [target for target in found if target not in seen]
            seen.update(level)

    def find(self, name: str) -> Sense:
        """Return a sense by its usual name, food.n.01; for a noun with one sense, the noun is enough."""
        match = re.fullmatch(r"(?s)(.*?)(?:\.([nvasr])\.(\d+))?", name)
        assert match is not None
        lemma, part = match[1].replace(" ", "_"), match[2] or "n"
        senses = self.senses(lemma.replace("_", " "), part.replace("s", "a")) if lemma else []
        number = int(match[3]) if match[3] else len(senses) == 1
        if not 1 <= number <= len(senses):
            listed = "; ".join(
                f"{lemma}.{part}.{n:02}: {_shortened(_definition(self.entry(each).gloss))}"
                for n, each in enumerate(senses[:_SENSES], start=1)
            )
            example = "WordNet does not contain it; use a noun or a sense, for example food.n.01"
            what = "has several senses" if senses and not match[3] else "is not a WordNet sense"
            raise UsageError(f"`{visible(name)}` {what}", hint=listed or example)
        return senses[number - 1]

    def features_of(self, phrase: str, *, levels: int = _HYPERNYMS) -> Features:
        """Return a phrase's meanings as features, weaker at each level up; none if unknown."""
        features: dict[str, float] = {}
        for sense in self.senses(phrase)[:_SENSES]:
            for name, weight in self._features(sense, levels):
                features[name] = max(weight, features.get(name, 0.0))
        return features

    def _features(self, sense: Sense, levels: int) -> Iterator[tuple[str, float]]:
        yield _named(sense), 1.0
        yield f"field {self.entry(sense).field}", 1.0
        for near in self.related(sense, _NEAR):
            yield _named(near), 0.7
        level, weight = [sense], 1.0
        for _ in range(levels):
            level = [broader for narrow in level for broader in self.related(narrow, _BROADER)]
            weight *= 0.8
            for broader in level:
                yield _named(broader), weight

    def kinds_of(self, word: str) -> list[tuple[float, frozenset[Sense]]]:
        """Return the senses of a noun: how common each one is, and everything broader."""
        senses = self.senses(word, "n")[:_SENSES]
        weights = [1 / rank**2 for rank in range(1, len(senses) + 1)]
        return [
            (weight / sum(weights), frozenset(self.closure(sense, _BROADER)))
            for weight, sense in zip(weights, senses, strict=True)
        ]


def _definition(gloss: str) -> str:
    """Return the first part of a definition, without its examples."""
    return gloss.partition(";")[0].partition('"')[0].strip()


def _shortened(text: str) -> str:
    return text if len(text) <= _GLOSS else text[:_GLOSS].rpartition(" ")[0] + " …"


def _named(sense: Sense) -> str:
    return f"sense {sense.part}{sense.offset}"


def _read_entry(line: str, sense: Sense) -> _Entry:
    """Read `offset field part words (word id)... pointers (symbol offset part words)... | gloss`."""
    data, _, gloss = line.partition("|")
    fields = data.split()
    if int(fields[0]) != sense.offset:
        raise ValueError(line)
    end = 4 + 2 * int(fields[3], 16)
    lemmas = tuple(re.sub(r"\(\w+\)$", "", word) for word in fields[4:end:2])
    number = int(fields[end])
    pointers = tuple(
        (symbol, Sense("a" if part == "s" else part, int(offset)))
        for symbol, offset, part in (fields[at : at + 3] for at in range(end + 1, end + 1 + 4 * number, 4))
        if part in _PARTS
    )
    if len(pointers) < number or not lemmas:
        raise ValueError(line)
    return _Entry(int(fields[1]), lemmas, pointers, gloss.strip())


def wordnet_folder() -> Path | None:
    """Return where WordNet's files are: where its own tools, Debian's package or NLTK put them.

    If WNSEARCHDIR is set, only that folder is searched.
    """
    if search := os.environ.get("WNSEARCHDIR"):
        return Path(search) if Path(search, "index.noun").exists() else None
    home = os.environ.get("WNHOME")
    places = [*([Path(home) / "dict"] if home else []), DEBIAN]
    roots = [*filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep)), str(with_home("~/nltk_data"))]
    roots += [f"{top}/nltk_data" for top in (sys.prefix, "/usr/share", "/usr/local/share", "/usr/lib")]
    places += [Path(root) / "corpora" / name for root in roots for name in ("wordnet", "wordnet.zip")]
    there = (place for place in places if place.suffix == ".zip" or (place / "index.noun").exists())
    return next((place for place in there if place.exists()), None)


def find_wordnet() -> WordNet | None:
    """Return WordNet if it is installed."""
    folder = wordnet_folder()
    return None if folder is None else WordNet(folder)


class KindsOfHeads:
    """The probability that a noun is a head, judged by its meaning: learnt from the heads among all nouns.

    Below some senses, many nouns are known heads. These are a sample of all heads (Elkan and Noto 2008), so
    their share below a sense is compared with the largest share that several heads support.
    """

    _FEWEST = 3  # heads needed below a sense to estimate how many of its nouns are listed

    def __init__(self, wordnet: WordNet, heads: Iterable[str], nouns: Iterable[str]) -> None:
        self._wordnet = wordnet
        self._heads = self._counts(heads)
        self._nouns = self._counts(nouns)
        shares = [self._share(sense) for sense, number in self._heads.items() if number >= self._FEWEST]
        self._listed = max(shares, default=0.0)
        # Some share of all nouns are known heads, whatever they mean, which is no evidence.
        most = max(self._heads.values(), default=0.0)
        broadest = [self._share(sense) for sense, number in self._heads.items() if number == most]
        self._usual = min(broadest) if shares else 0.0

    def _counts(self, words: Iterable[str]) -> Mapping[Sense, float]:
        counts: dict[Sense, float] = {}
        for word in sorted(set(words)):
            for weight, kinds in self._wordnet.kinds_of(word):
                for kind in kinds:
                    counts[kind] = counts.get(kind, 0.0) + weight
        return counts

    def _share(self, sense: Sense, less: float = 0.0) -> float:
        own, others = self._heads.get(sense, 0.0) - less, self._nouns.get(sense, 0.0)
        return max(own - 0.5, 0.0) / (own + others + 0.5)

    def chance(self, word: str, *, known: bool = False) -> float | None:
        """Return the probability that a noun is a head; None if WordNet does not have it.

        A noun that is `known` to be a head is judged as if it were not.
        """
        kinds = self._wordnet.kinds_of(word)
        if not kinds or self._listed <= self._usual:
            return None
        shares = [(weight, max(self._share(kind, weight * known) for kind in own)) for weight, own in kinds]
        range_ = self._listed - self._usual
        return sum(weight * min(1.0, max(0.0, share - self._usual) / range_) for weight, share in shares)


# A first draft of a taxonomy: the nouns below a sense, in a few categories.

MOST_CATEGORIES = 10
FEWEST_WORDS = 4


@dataclass(frozen=True)
class Draft:
    """Head categories with their descriptions and words."""

    sense: str
    categories: Mapping[str, tuple[str, tuple[str, ...]]]


class _Drafter:
    def __init__(self, wordnet: WordNet, occurs: Callable[[str], bool] | None) -> None:
        self._wordnet, self._occurs = wordnet, occurs

    def words(self, root: Sense) -> dict[str, None]:
        """Return the nouns of captions whose most common sense is below the given one."""
        below = list(self._wordnet.closure(root, _NARROWER))
        inside = set(below)
        lemmas = dict.fromkeys(lemma for sense in below for lemma in self._wordnet.entry(sense).lemmas)
        return dict.fromkeys(word for word in map(_word, lemmas) if word and self._wanted(word, inside))

    def _wanted(self, word: str, inside: Collection[Sense]) -> bool:
        senses = self._wordnet.senses(word, "n")
        return bool(senses) and senses[0] in inside and (self._occurs is None or self._occurs(word))

    def cut(self, root: Sense) -> dict[Sense, dict[str, None]]:
        """Return senses below the root that divide its nouns among them; the largest is split repeatedly."""
        parts = {root: self.words(root)}
        whole: set[Sense] = set()
        while len(parts) < MOST_CATEGORIES and len(whole) < len(parts):
            largest = max(
                (sense for sense in parts if sense not in whole), key=lambda sense: len(parts[sense])
            )
            split = {
                sense: words
                for sense in self._wordnet.related(largest, _NARROWER)
                if sense not in parts
                and len(words := self.words(sense)) >= max(FEWEST_WORDS, len(parts[largest]) // 12)
            }
            most = sorted(split, key=lambda sense: -len(split[sense]))[: MOST_CATEGORIES - len(parts)]
            whole.add(largest)
            for sense in most:
                own = {word: None for word in split[sense] if word in parts[largest]}
                parts[largest] = {word: None for word in parts[largest] if word not in own}
                parts[sense] = own
        return {sense: words for sense, words in parts.items() if words}


def _word(lemma: str) -> str:
    """Return a lemma as a taxonomy's word; nothing for names, numbers and long terms."""
    word = lemma.replace("_", " ").replace("-", " ")
    return word if re.fullmatch(r"[a-z]+( [a-z]+)?", word) else ""


def draft(wordnet: WordNet | None, name: str, occurs: Callable[[str], bool] | None = None) -> Draft:
    """Return a first draft of a domain's heads from a sense; `occurs` limits its words."""
    if wordnet is None:
        raise MissingPartError("a draft needs WordNet, which is not installed", hint=INSTALL)
    parts = _Drafter(wordnet, occurs).cut(wordnet.find(name))
    categories: dict[str, tuple[str, tuple[str, ...]]] = {}
    for sense, words in parts.items():
        entry = wordnet.entry(sense)
        key = re.sub(r"[^a-z0-9]+", "-", entry.lemmas[0].lower()).strip("-")
        while key in categories:
            key += "-2"
        gloss = _definition(entry.gloss).rstrip(".") or entry.lemmas[0]
        categories[key] = (f"{gloss[0].upper()}{gloss[1:]}.", tuple(sorted(words)))
    return Draft(name, categories)
