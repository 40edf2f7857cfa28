"""Building the text of a grammar: sections, rules, terminals, and word lists without repetitions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from assess.grammar.lexicon import joints
from assess.grammar.model import MARK

WIDTH = 110
NO_WORDS = "/(?!)./ // no words: it matches nothing"
_FEWEST = 10
"""The number of words that lists must share for these to become a list of their own."""


class _Words(NamedTuple):
    """A terminal that lists words; with `edges`, it only matches at token boundaries."""

    name: str
    phrases: tuple[str, ...]
    edges: bool


class GrammarText:
    """The text of a grammar while it is built."""

    def __init__(self, *, exact: bool) -> None:
        self.exact = exact  # whether phrases only match as written
        self._lines: list[str | _Words] = []
        self._names: set[str] = set()

    def __str__(self) -> str:
        lists = _SharedLists([line for line in self._lines if isinstance(line, _Words)], self)
        lines = (
            text for line in self._lines for text in ([line] if isinstance(line, str) else lists.lines(line))
        )
        return "\n".join(lines) + "\n"

    def section(self, title: str, explanation: str = "") -> None:
        """Start a section."""
        self._lines += ["", f"// ---- {title} {'-' * max(0, WIDTH - 9 - len(title))}", ""]
        self.comment(explanation)

    def comment(self, text: str) -> None:
        """Add a comment."""
        if text:
            self._lines += ["// " + line for line in _wrapped(text.split(), WIDTH - 3, " ")]

    def state(self, what: str) -> None:
        """Add a statement that cannot be expressed in a grammar."""
        self._lines.append(f"{MARK} {what}")

    def add(self, *lines: str) -> None:
        """Add lines unchanged."""
        self._lines += lines

    def rule(self, name: str, alternatives: Sequence[str]) -> None:
        """Add a rule."""
        self._lines += _definition(name, list(alternatives))

    def terminal(self, name: str, alternatives: Sequence[str], *, edges: bool = True) -> None:
        """Add a terminal; with `edges`, it only matches at token boundaries."""
        self._lines += _terminal(name, list(alternatives), edges=edges)

    def words(self, name: str, phrases: Iterable[str], *, edges: bool = False) -> None:
        """Add a terminal that lists words."""
        self._lines.append(_Words(name, tuple(dict.fromkeys(phrases)), edges))

    def leaf(self, name: str, phrases: Iterable[str]) -> list[str]:
        """Add a rule over words. Return its terminals.

        If one phrase in a list is the beginning of another, Lark would only see the shorter one. Longer
        phrases therefore have a terminal of their own, for which Lark tries the longest first.
        """
        listed = dict.fromkeys(phrases)
        longer = {phrase for phrase in listed if any(each in listed for each in beginnings(phrase))}
        terminals = [name.upper()] + ([self.unique(f"{name.upper()}__LONGER")] if longer else [])
        self.rule(name, terminals)
        self.words(terminals[0], (phrase for phrase in listed if phrase not in longer), edges=True)
        if longer:
            self.terminal(terminals[1], self.phrases(phrase for phrase in listed if phrase in longer))
        return terminals

    def unique(self, name: str) -> str:
        """Return a name that is not in use: this one, or this one with a number."""
        found, number = name, 2
        while found in self._names:
            found, number = f"{name}_{number}", number + 1
        self._names.add(found)
        return found

    def phrases(self, phrases: Iterable[str]) -> list[str]:
        """Return phrases in Lark's syntax, in the same order: Lark tries the longest first by itself."""
        return [self.phrase(phrase) for phrase in dict.fromkeys(phrases)]

    def phrase(self, phrase: str) -> str:
        """Return a phrase in Lark's syntax."""
        words = phrase.split(" ")
        if not any("-" in joint for joint in joints(words, exact=self.exact)):
            return quoted(phrase)
        return f"/{self._regex(phrase)}/"

    def _regex(self, phrase: str) -> str:
        words = phrase.split(" ")
        regex = re.escape(words[0])
        for joint, word in zip(joints(words, exact=self.exact), words[1:], strict=True):
            regex += ("[- ]" if "-" in joint else " ") + re.escape(word)
        return regex.replace("/", r"\/")

    def lists(self, phrases: Iterable[str]) -> list[str]:
        """Return words as regular expressions that list them, one per line; `dogs?` stands for two words."""
        listed = dict.fromkeys(phrases)
        plurals = {f"{phrase}s" for phrase in listed} & listed.keys()
        plurals -= {f"{plural}s" for plural in plurals}
        items = [
            self._regex(phrase) + ("s?" if f"{phrase}s" in plurals else "")
            for phrase in listed
            if phrase not in plurals
        ]
        if len(listed) == 1:
            return self.phrases(listed)
        return [f"/({line})/" for line in _wrapped(items, WIDTH - 10, "|")]

    def group(self, phrases: Iterable[str]) -> str:
        """Return words as a part of a sequence."""
        lines = self.lists(phrases)
        return lines[0] if len(lines) == 1 else "( " + "\n        | ".join(lines) + " )"


class _SharedLists:
    """Word lists that share words: these are listed once, and regular plurals with their singulars."""

    def __init__(self, uses: Sequence[_Words], text: GrammarText) -> None:
        self._text = text
        places: dict[str, list[str]] = {}
        for use in uses:
            for phrase in use.phrases:
                places.setdefault(phrase, []).append(use.name)
        groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
        plurals: set[str] = set()
        for phrase in sorted(places, key=len):
            if phrase not in plurals:
                plural = tuple(places.get(f"{phrase}s", ()))
                plurals.update([f"{phrase}s"] if plural else [])
                groups.setdefault((tuple(places[phrase]), plural), []).append(phrase)
        order = {phrase: number for number, phrase in enumerate(places)}
        numbers = {use.name: number for number, use in enumerate(uses)}
        self._shared: dict[str, set[str]] = {}  # list -> its words that are in shared lists
        self._parts: dict[str, list[str]] = {}  # list -> the names of those shared lists
        # shared lists, by the first list that uses them
        self._new: dict[str, list[tuple[str, list[str]]]] = {}
        for (singular, plural), words in groups.items():
            uses_of = dict.fromkeys((*singular, *plural))
            if len(words) >= _FEWEST and len(uses_of) > 1:
                name = text.unique(_shared_name(singular, plural))
                first = min(uses_of, key=numbers.__getitem__)
                self._new.setdefault(first, []).append((name, sorted(words, key=order.__getitem__)))
                for place in uses_of:
                    ending = ' "s"' if place in plural else ""
                    ending += "?" if ending and place in singular else ""
                    self._parts.setdefault(place, []).append(name + ending)
                    has = self._shared.setdefault(place, set())
                    has.update(words, (f"{word}s" for word in words if plural))

    def lines(self, use: _Words) -> Iterator[str]:
        shared = self._shared.get(use.name, set())
        own = [phrase for phrase in use.phrases if phrase not in shared]
        parts = [*self._parts.get(use.name, ()), *(self._text.lists(own) if own else ())]
        yield from _terminal(use.name, parts, edges=use.edges)
        for name, words in self._new.get(use.name, ()):
            yield from _terminal(name, self._text.lists(words), edges=False)


_USE = re.compile(r"(HEAD|MODIFIER|OF|SET|GROUP|DATED|OFFENSIVE)_+(.+?)(?:__(?:SAYING_)?(.+?)(?:__.+)?)?")
_PLURALS = "PLURAL_OR_MASS"


def _shared_name(singular: Sequence[str], plural: Sequence[str]) -> str:
    """Return a name for the words that some lists share, composed of the lists' names without repetitions."""
    found = [match for name in (*singular, *plural) if (match := _USE.fullmatch(name))]
    kinds = [match[1] for match in found]
    about = dict.fromkeys(
        match[3] if match[3] and (match[1] == "GROUP" or "__SAYING_" in match[0]) else match[2]
        for match in found
        if match[1] not in {"DATED", "OFFENSIVE"} and match[2] != _PLURALS
    )
    first = []
    if "HEAD" in kinds:
        first.append("PLURALS" if any(_PLURALS in name for name in singular) else "NOUNS")
    if "MODIFIER" in kinds:
        first.append("MODIFIERS")
    noted = [kind for kind in ("DATED", "OFFENSIVE") if kind in kinds]
    return "_".join([*noted, "_AND_".join(first) or "WORDS", joined_name(about or [_PLURALS])]).upper()


def _terminal(name: str, parts: list[str], *, edges: bool) -> list[str]:
    if not parts:
        return [f"{name}: {NO_WORDS}"]
    if not edges:
        return _definition(name, parts)
    if len(parts) == 1:
        return _definition(name, [f"LEFT {parts[0]} RIGHT"])
    return _definition(name, parts, before="LEFT ( ", after=" ) RIGHT")


def _definition(name: str, alternatives: list[str], *, before: str = "", after: str = "") -> list[str]:
    lines = _wrapped(alternatives, WIDTH - 8, " | ")
    lines[0] = f"{name}: {before}{lines[0]}"
    lines[-1] += after
    return [lines[0], *(f"    | {line}" for line in lines[1:])]


def beginnings(phrase: str) -> Iterator[str]:
    """Yield the shorter phrases with which a phrase begins."""
    words = phrase.split(" ")
    return (" ".join(words[:end]) for end in range(1, len(words)))


def quoted(text: str) -> str:
    """Return a text as a string in Lark's syntax."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def plain_name(text: str) -> str:
    """Return a part of a rule's name for any text: "group of" becomes group_of."""
    return re.sub("[^a-z0-9]+", "_", text.lower()).strip("_") or "other"


def joined_name(texts: Collection[str], *, most: int = 3) -> str:
    """Return a part of a rule's name for several texts; if there are many, for some and their number."""
    names = [plain_name(text) for text in texts]
    more = [f"and_{len(names) - most + 1}_more"] if len(names) > most else []
    return "_".join([*names[: most - 1 if more else most], *more])


def _wrapped(parts: Sequence[str], width: int, joint: str) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(joint) + len(part) <= width:
            lines[-1] += joint + part
        else:
            lines.append(part)
    return lines
