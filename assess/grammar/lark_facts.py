"""What a `.lark` file states about its domain: in comments, and in lists that no rule uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, get_args

from assess.errors import GrammarError, Problem, in_order
from assess.grammar.lark_syntax import LarkText, Node, Vocabulary, alternatives, items, named, spelled, spoken
from assess.grammar.model import MARK, AfterPattern, Facts, HeadFacts, Levels, ModifierFacts, ToldWords
from assess.records import Role
from assess.taxonomy.model import ID, Evidence, Note, Sensitivity
from assess.taxonomy.phrases import closest

BETWEEN, VERB = "BETWEEN", "VERB"
"""In patterns after a noun: words that may stand between others, and any verb."""
GAP = "(?:(?: [^ ]+)*? )"
"""BETWEEN as in compiled grammars: any words, or none."""

_ID = ID.strip("^$")
STATEMENTS = {
    "domain": re.compile(rf"domain (?P<name>{_ID}) (?P<version>\d+\.\d+\.\d+): (?P<text>.+)"),
    "compiled": re.compile(r"compiled from (?P<digest>\S+)"),
    "plurals": re.compile(rf"plurals are (?P<name>{_ID})"),
    "levels": re.compile(r"levels (?P<level>lowest|highest)"),
    "head": re.compile(rf"head (?P<name>{_ID})(?: \(within (?P<parent>{_ID})\))?: (?P<text>.+)"),
    "modifier": re.compile(
        rf"modifier (?P<name>{_ID}) \((?P<evidence>{'|'.join(get_args(Evidence))}),"
        rf" (?P<sensitivity>{'|'.join(get_args(Sensitivity))})(?:, within (?P<parent>{_ID}))?"
        r"(?P<apart>, stands apart)?\): (?P<text>.+)"
    ),
    "group": re.compile(rf"group (?P<name>{_ID}): (?P<values>{_ID}(?:, {_ID})*)"),
}


def identifier(name: str) -> str:
    """Return the id for a part of a name."""
    return name.lower().replace("_", "-")


class FactsReader:
    """Reads what a file states about its domain besides rules and words, and collects mistakes."""

    def __init__(self, source: LarkText) -> None:
        self._source = source
        self._words = Vocabulary(source.terminals)
        self._problems: list[Problem] = []
        self._stated: dict[str, dict[str, re.Match[str]]] = {kind: {} for kind in STATEMENTS}
        self._lines: dict[str, int] = {}

    def _stop_at_problems(self) -> None:
        if self._problems:
            raise GrammarError(in_order(self._problems))

    def _wrong(self, message: str, at: Any, *, hint: str | None = None) -> None:
        self._problems.append(self._source.problem(message, at, hint=hint))

    # Statements in comments.

    def _read_statements(self) -> None:
        for number, line in enumerate(self._source.text.split("\n"), start=1):
            if line.startswith(MARK):
                self._read_statement(line.removeprefix(MARK).strip(), number)
        if not self._stated["domain"]:
            hint = f"{MARK} domain NAME 1.0.0: What it is about."
            self._wrong(f"the line `{MARK} domain`, which names the domain, is missing", 1, hint=hint)

    def _read_statement(self, line: str, number: int) -> None:
        kind = line.split(" ", 1)[0]
        found = STATEMENTS[kind].fullmatch(line) if kind in STATEMENTS else None
        if found is None:
            hint = "such lines declare " + ", ".join(STATEMENTS)
            self._wrong(f"`{MARK} {line}` is not understood", number, hint=hint)
            return
        name = found.groupdict().get("name") or kind
        if name in self._stated[kind] or (kind in {"domain", "plurals"} and self._stated[kind]):
            self._wrong(f"`{line}` is declared twice", number)
        self._stated[kind][name] = found
        self._lines[f"{kind} {name}"] = number

    def _category(self, role: str, name: str, at: Any) -> str:
        category = identifier(name)
        if category not in self._stated[role]:
            hint = f"declare it: {MARK} {role} {category}...; {closest(category, self._stated[role])}"
            self._wrong(f"there is no {role} category `{category}`", at, hint=hint)
        return category

    def _listed(self, terminal: str) -> list[str]:
        """Return the phrases of a terminal that lists words; empty if there is no such terminal."""
        if terminal not in self._source.terminals:
            return []
        phrases = self._words.of(terminal)
        if phrases is None:
            self._wrong(f"`{terminal}` must list words", self._source.terminals[terminal].name)
        return list(map(spoken, phrases or ()))

    # Facts about the domain.

    def _facts(self) -> Facts:
        (domain,) = self._stated["domain"].values()
        (plurals,) = self._stated["plurals"] or (None,)
        if plurals is not None:
            self._category("head", plurals, self._lines[f"plurals {plurals}"])
        return Facts(
            name=domain["name"],
            version=domain["version"],
            description=domain["text"],
            heads={
                name: HeadFacts(found["text"], self._parent("head", name, found))
                for name, found in self._stated["head"].items()
            },
            modifiers={
                name: _modifier(found, self._parent("modifier", name, found))
                for name, found in self._stated["modifier"].items()
            },
            levels=self._levels(),
            plurals_are=plurals,
            groups=self._groups(),
            pronouns=self._pronouns(),
            pronoun_noun=next(iter(self._listed("PRONOUN_NOUN")), ""),
            rivals=tuple(self._listed("RIVALS")),
            after=tuple(self._after()),
            notes=list(self._notes()),
            also=list(self._also()),
        )

    def _parent(self, role: str, name: str, found: re.Match[str]) -> str | None:
        parent: str | None = found["parent"]
        return self._category(role, parent, self._lines[f"{role} {name}"]) if parent else None

    def _levels(self) -> Levels:
        stated = next(iter(self._stated["levels"].values()), None)
        return "both" if stated is None else "lowest" if stated["level"] == "lowest" else "highest"

    def _named(self, prefix: str) -> Iterator[tuple[str, list[str]]]:
        """Yield the terminals with a prefix, and the ids in the rest of their names."""
        for name in self._source.terminals:
            if name == prefix or name.startswith(prefix + "__"):
                yield name, list(map(identifier, name.removeprefix(prefix).split("__")[1:]))

    def _groups(self) -> dict[str, dict[str, ToldWords]]:
        groups = {
            name: {value: (set[str](), set[str]()) for value in found["values"].split(", ")}
            for name, found in self._stated["group"].items()
        }
        for terminal, parts in self._named("GROUP"):
            group, value, kind = parts if len(parts) == 3 else ("", "", "")
            if value not in groups.get(group, {}):
                hint = f"declare it: {MARK} group {group or 'NAME'}: {value or 'VALUE'}, ..."
                self._wrong(
                    "this group or value is not declared", self._source.terminals[terminal].name, hint=hint
                )
                continue
            groups[group][value][kind == "modifiers"].update(self._listed(terminal))
        return {
            group: {
                value: ToldWords(*(tuple(sorted(each)) for each in words)) for value, words in values.items()
            }
            for group, values in groups.items()
        }

    def _pronouns(self) -> dict[str, tuple[str, ...]]:
        return {word: tuple(values) for name, values in self._named("PRONOUN") for word in self._listed(name)}

    def _notes(self) -> Iterator[tuple[tuple[Role, str, str], Note]]:
        for note in get_args(Note):
            for terminal, (place,) in self._named(note.upper()):
                role, _, category = place.partition("-")
                self._category(role, category, self._source.terminals[terminal].name)
                for phrase in self._listed(terminal):
                    yield ("head" if role == "head" else "modifier", category, phrase), note

    def _also(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for terminal, categories in self._named("ALSO"):
            for category in categories:
                self._category("modifier", category, self._source.terminals[terminal].name)
            self._listed(terminal)
            for phrase in self._words.of(terminal) or ():
                for spelling in spelled(phrase):
                    yield spelling, tuple(categories)

    def _after(self) -> Iterator[AfterPattern]:
        for terminal, categories in (*self._named("AFTER"), *self._named("SAYS_NOTHING")):
            at = self._source.terminals[terminal].name
            for category in categories:
                self._category("modifier", category, at)
            for part in alternatives(self._source.terminals[terminal].body):
                found = self._after_pattern("".join(categories), items(part))
                if found is None:
                    self._wrong(f"a pattern of `{terminal}` must begin with words", at)
                else:
                    yield found

    def _after_pattern(self, category: str, parts: list[Node]) -> AfterPattern | None:
        first, *rest = parts
        if named(first) == VERB and not rest:
            return AfterPattern(category, ("{verb}",), regex="(?!)", open=True, any_verb=True)
        openings = self._words.phrases(first)
        if openings is None:
            return None
        found = AfterPattern(category, tuple(map(spoken, openings)))
        listed = [self._words.phrases(part) for part in rest[1::2]]
        if len(rest) == 2 * len(listed) and all(listed) and set(map(self._words.regex, rest[::2])) <= {GAP}:
            return found._replace(parts=tuple(_spellings(part) for part in listed if part))
        regex, is_open = "(?:" + "|".join(map(re.escape, found.openings)) + ")", False
        for part in rest:
            inner = self._words.regex(part)
            if named(part) != BETWEEN:
                is_open |= not self._words.phrases(part)
                if part is rest[-1] and self._words.phrases(part):
                    inner = f"(?P<named>{inner})"
            regex += inner
        return found._replace(regex=regex, open=is_open)


def _spellings(phrases: Iterable[str]) -> tuple[str, ...]:
    return tuple(spelling for phrase in phrases for spelling in spelled(phrase))


def _modifier(found: re.Match[str], parent: str | None) -> ModifierFacts:
    evidence: Any = found["evidence"]
    sensitivity: Any = found["sensitivity"]
    return ModifierFacts(found["text"], evidence, sensitivity, bool(found["apart"]), parent)
