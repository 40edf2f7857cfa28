"""The text of a grammar, piece by piece: readable and deterministic Lark, in sections."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from assess.grammar.lexicon import joints
from assess.grammar.model import MARK

WIDTH = 110
NO_WORDS = "/(?!)./ // no words: it matches nothing"


class GrammarText:
    """A grammar under construction."""

    def __init__(self, *, exact: bool) -> None:
        self.exact = exact  # whether a phrase is spelt just as it is written
        self._lines: list[str] = []
        self._names: set[str] = set()

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"

    def section(self, title: str, explanation: str = "") -> None:
        """Begin a section."""
        self._lines += ["", f"// ---- {title} {'-' * max(0, WIDTH - 9 - len(title))}", ""]
        self.comment(explanation)

    def comment(self, text: str) -> None:
        """Add a comment."""
        if text:
            self._lines += ["// " + line for line in _wrapped(text.split(), WIDTH - 3, " ")]

    def state(self, what: str) -> None:
        """Add what cannot be grammar."""
        self._lines.append(f"{MARK} {what}")

    def add(self, *lines: str) -> None:
        """Add lines as they are."""
        self._lines += lines

    def rule(self, name: str, alternatives: Sequence[str]) -> None:
        """Add a rule."""
        self._define(name, list(alternatives))

    def terminal(self, name: str, alternatives: Sequence[str], *, edges: bool = True) -> None:
        """Add a terminal; with `edges` it stands at token boundaries."""
        if not alternatives:
            self._lines.append(f"{name}: {NO_WORDS}")
        elif not edges or len(alternatives) == 1:
            parts = list(alternatives)
            self._define(name, [f"LEFT {parts[0]} RIGHT"] if edges else parts)
        else:
            self._define(name, list(alternatives), before="LEFT ( ", after=" ) RIGHT")

    def unique(self, name: str) -> str:
        """Return a name that was not given before: this one, or one with a number."""
        found, number = name, 2
        while found in self._names:
            found, number = f"{name}_{number}", number + 1
        self._names.add(found)
        return found

    def phrases(self, phrases: Iterable[str]) -> list[str]:
        """Return phrases as Lark writes them, in their order: Lark tries the longest first by itself."""
        return [self.phrase(phrase) for phrase in dict.fromkeys(phrases)]

    def phrase(self, phrase: str) -> str:
        """Return a phrase as Lark writes it."""
        words = phrase.split(" ")
        between = joints(words, exact=self.exact)
        if not any("-" in joint for joint in between):
            return quoted(phrase)
        regex = re.escape(words[0])
        for joint, word in zip(between, words[1:], strict=True):
            regex += ("[- ]" if "-" in joint else " ") + re.escape(word)
        return "/" + regex.replace("/", r"\/") + "/"

    def _define(self, name: str, alternatives: list[str], *, before: str = "", after: str = "") -> None:
        lines = _wrapped(alternatives, WIDTH - 8, " | ")
        lines[0] = f"{name}: {before}{lines[0]}"
        lines[-1] += after
        self._lines += [lines[0], *(f"    | {line}" for line in lines[1:])]


def quoted(text: str) -> str:
    """Return a text as a string of Lark's."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def plain_name(text: str) -> str:
    """Return a part of a rule's name for any text: "group of" is group_of."""
    return re.sub("[^a-z0-9]+", "_", text.lower()).strip("_") or "other"


def joined_name(texts: Collection[str], *, most: int = 3) -> str:
    """Return a part of a rule's name for several texts; where they are many, for some and their number."""
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
