"""A taxonomy's own phrase structure: the optional `syntax:` section, and imported NLTK grammars.

Most taxonomies use the built-in structure of English noun phrases. Imported grammars keep their own rules
here. A symbol is `head.NAME`, `modifier.NAME`, the name of a kind of function words, or the name of another
rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assess.errors import InputError, Place, Problem, UsageError
from assess.taxonomy.model import ID, Taxonomy
from assess.taxonomy.phrases import closest
from assess.taxonomy.strict_yaml import Document
from assess.taxonomy.words import FUNCTION_WORDS


def category_symbols(taxonomy: Taxonomy) -> set[str]:
    """Return the symbols that stand for categories."""
    return {f"{role}.{name}" for role, name, _ in taxonomy.categories()}


def reachable_symbols(taxonomy: Taxonomy) -> set[str]:
    """Return all symbols that can be reached from the start rule."""
    rules = taxonomy.syntax or {}
    # The taxonomy's own rules, or the built-in rules that it extends.
    starts = list(rules)[:1] if taxonomy.own_structure else [rule for rule in rules if rule in BUILT_IN]
    symbols = {rule: {part for text in body for part in text.split()} for rule, body in rules.items()}
    return {*starts, *_led_to(symbols, starts)}


def _led_to(symbols: Mapping[str, set[str]], starts: Iterable[str]) -> set[str]:
    """Return all symbols that can be reached from some symbols, given the symbols in each rule."""
    reached: set[str] = set()
    waiting = list(starts)
    while waiting:
        found = symbols.get(waiting.pop(), set()) - reached
        reached |= found
        waiting += found
    return reached


MORE = "..."
"""Stands for the existing alternatives of a built-in rule."""
BUILT_IN: dict[str, list[list[str]]] = {
    "label": [["noun-phrase"]],
    "list": [["noun-phrase"]],
    "joiner": [["conjunction"], ["comma"]],
    "opening": [["predeterminer"], ["determiner"], ["possessor"]],
    "possessor": [],
    "noun-phrase": [["body"]],
    "body": [],
}
"""The built-in rules that can be extended, each with the alternatives that can stand alone."""


def endless_rules(taxonomy: Taxonomy) -> list[str]:
    """Return the rules that match no phrase because they never end."""
    rules = taxonomy.syntax or {}
    endless = set(rules) if taxonomy.own_structure else rules.keys() - BUILT_IN.keys()
    while ending := {rule for rule in endless if any(endless.isdisjoint(a.split()) for a in rules[rule])}:
        endless -= ending
    return [rule for rule in rules if rule in endless]


def unit_cycles(rules: Mapping[str, Sequence[Sequence[str]]]) -> list[str]:
    """Return the rules that can expand to themselves without another symbol: such parses never end."""
    alone = {rule: {body[0] for body in bodies if len(body) == 1} for rule, bodies in rules.items()}
    return [rule for rule in rules if rule in _led_to(alone, [rule])]


def check_syntax(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    """Yield the mistakes in a `syntax:` section."""
    if taxonomy.syntax is None:
        return
    if not taxonomy.syntax:
        yield document.problem(
            "`syntax` has no rules", ("syntax",), hint="remove it to use the built-in structure"
        )
        return
    for rule in taxonomy.syntax:
        yield from _check_rule(taxonomy, rule, document)
    rules = {rule: [a.split() for a in body if a != MORE] for rule, body in taxonomy.syntax.items()}
    if taxonomy.own_structure:
        yield from _check_unconstrained(taxonomy, document)
        if not any(symbol.startswith("head.") for symbol in reachable_symbols(taxonomy)):
            yield document.problem("the first rule leads to no head category", ("syntax",))
    else:
        rules = {rule: body + BUILT_IN.get(rule, []) for rule, body in rules.items()}
        rules = {**{name: body for name, body in BUILT_IN.items() if name not in rules}, **rules}
    for rule in unit_cycles(rules):
        message = f"the rule `{rule}` can derive itself"
        yield document.problem(message, ("syntax", rule), key=True, hint="break the cycle of rules")


def _check_rule(taxonomy: Taxonomy, rule: str, document: Document) -> Iterator[Problem]:
    assert taxonomy.syntax is not None
    alternatives = taxonomy.syntax[rule]
    if rule in taxonomy.function_words:
        message = f"`{rule}` is both a rule and a kind of function words"
        yield document.problem(message, ("syntax", rule), key=True, hint="rename the rule")
    if not alternatives or not all(map(str.split, alternatives)):
        message = f"the rule `{rule}` is empty, or has an empty alternative"
        yield document.problem(message, ("syntax", rule), key=True, hint="a rule must match something")
    known = {*taxonomy.syntax, *taxonomy.function_words, *category_symbols(taxonomy)}
    if not taxonomy.own_structure:
        known |= {*BUILT_IN, *FUNCTION_WORDS} - {"preposition"}
        if (rule in BUILT_IN) != (MORE in alternatives):
            what = "is built in, and begins with" if rule in BUILT_IN else "is no built-in rule, and has no"
            message = f"the rule `{rule}` {what} `{MORE}`"
            hint = f"built in: {', '.join(BUILT_IN)}"
            yield document.problem(message, ("syntax", rule), key=True, hint=hint)
    for index, alternative in enumerate(alternatives):
        for symbol in alternative.split() if alternative != MORE else ():
            if symbol not in known:
                hint = "symbols are rules, kinds of function words, head.NAME and modifier.NAME"
                message = f"the rule `{rule}` uses `{symbol}`, which is not defined"
                yield document.problem(message, ("syntax", rule, index), hint=hint)


def _check_unconstrained(taxonomy: Taxonomy, document: Document) -> Iterator[Problem]:
    for name, category in taxonomy.modifiers.items():
        if category.not_with or category.only_with or any(w.not_with or w.only_with for w in category.words):
            yield document.problem(
                f"`{name}` has constraints, which work only with the built-in phrase structure",
                ("modifiers", name),
                key=True,
                hint="remove `syntax:` or the constraints",
            )


# Classes of function words; the papers' own analysis ignores the same ones.
_FUNCTION_CLASSES = re.compile(r"(?i)^(det|conj|prep|consist|contrast|degree|particle|poss)")
_WORD = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_PIECE = re.compile(r"'[^']*'|\"[^\"]*\"|\||[^|'\"]+")


@dataclass(slots=True)
class CfgGrammar:
    """The productions in a file."""

    # rule -> alternatives, each a list of symbols
    rules: dict[str, list[list[str]]] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)  # symbol -> phrases
    places: dict[str, Place] = field(default_factory=dict)  # symbol -> place of its first production
    # the symbol that `%start` names; otherwise the first rule is the start
    start: tuple[str, Place] | None = None

    def begin_with_start(self) -> None:
        """Move the rule that `%start` names to the beginning."""
        if self.start is None:
            return
        symbol, place = self.start
        if symbol not in self.rules:
            what = "has only words and no rule that can apply" if symbol in self.words else "is not defined"
            raise InputError(
                f"the start symbol `{symbol}` {what}", place=place, hint=closest(symbol, self.rules)
            )
        self.rules = {symbol: self.rules.pop(symbol), **self.rules}


@dataclass(frozen=True, slots=True)
class ImportedGrammar:
    """A taxonomy made from a `.cfg` file, and notes about what could not be imported."""

    taxonomy: Taxonomy
    notes: tuple[str, ...]


def import_cfg(text: str, *, file: str, name: str) -> ImportedGrammar:
    """Return the taxonomy that a `.cfg` file describes: same rules, same words, same analyses."""
    if not re.fullmatch(ID, name):
        raise UsageError(
            f"{name!r} is not a valid id", hint="use lowercase letters, digits and single hyphens"
        )
    grammar = _parse(text, file)
    notes = _drop_dead_alternatives(grammar)
    grammar.begin_with_start()
    _refuse_unusable(grammar, file)
    kinds = {symbol: _kind(symbol) for symbol in grammar.words}
    symbols = {symbol: _symbol(symbol, kind) for symbol, kind in kinds.items()}
    values: dict[str, Any] = {
        "taxonomy": name,
        "version": "1.0.0",
        "description": f"Imported from {file.rpartition('/')[2]}.",
        "hyphens": "exact",
        "heads": {},
        "modifiers": {},
        "function_words": {},
        "syntax": {
            category_id(rule): [
                " ".join(symbols.get(s, category_id(s)) for s in alternative) for alternative in body
            ]
            for rule, body in grammar.rules.items()
        },
    }
    for symbol, phrases in grammar.words.items():
        _add_words(values, symbol, kinds[symbol], list(dict.fromkeys(phrases)))
    return ImportedGrammar(Taxonomy.model_validate(values), tuple(notes))


def category_id(name: str) -> str:
    """Turn a foreign name into an id: `OccupationSocGroup` becomes `occupation-soc-group`."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    identifier = "-".join(parts).lower()
    return identifier if identifier[:1].isalpha() else f"category-{identifier}".strip("-")


def _kind(symbol: str) -> str:
    if symbol.endswith("Noun"):
        return "head"
    return "function" if _FUNCTION_CLASSES.match(symbol) else "modifier"


def _category(symbol: str, kind: str) -> str:
    return category_id((symbol.removesuffix("Noun") or symbol) if kind == "head" else symbol)


def _symbol(symbol: str, kind: str) -> str:
    name = _category(symbol, kind)
    return name if kind == "function" else f"{kind}.{name}"


def _add_words(values: dict[str, Any], symbol: str, kind: str, phrases: list[str]) -> None:
    name = _category(symbol, kind)
    if kind == "function":
        values["function_words"][name] = phrases
    elif kind == "head":
        # All forms are listed in the file, so none are generated.
        words = [{"word": phrase, "plural": None} for phrase in phrases]
        values["heads"][name] = {"description": f"Imported: {symbol}.", "words": words}
    else:
        values["modifiers"][name] = {
            "description": f"Imported: {symbol}.",
            "evidence": "visible",
            "sensitivity": "none",
            "words": phrases,
        }


def _parse(text: str, file: str) -> CfgGrammar:
    grammar = CfgGrammar()
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        left, arrow, right = stripped.partition("->")
        place = Place(file, line=number, column=line.index(stripped) + 1, source=line)
        if stripped.startswith("%"):
            problems += _add_directive(grammar, stripped, place)
        elif not arrow or not left.strip():
            hint = "for example: NounPhrase -> Det HeadNoun | HeadNoun"
            problems.append(Problem("not a production", place, hint))
        else:
            grammar.places.setdefault(left.strip(), place)
            problems += _add_production(grammar, left.strip(), right, place)
    if not problems and not grammar.rules:
        problems.append(Problem("there is no production with symbols on the right", Place(file)))
    if problems:
        raise InputError(problems)
    return grammar


def _add_directive(grammar: CfgGrammar, line: str, place: Place) -> list[Problem]:
    """Record `%start SYMBOL`; the last one counts, as in NLTK."""
    parts = line.removeprefix("%").split()
    if len(parts) != 2 or parts[0] != "start":
        return [
            Problem("not a directive", place, "the only directive names the start symbol: %start NounPhrase")
        ]
    grammar.start = (parts[1], place)
    return []


def _add_production(grammar: CfgGrammar, left: str, right: str, place: Place) -> list[Problem]:
    if re.search("['\"]", _WORD.sub("", right)):
        return [Problem("a quote is not closed", place, "put words with an apostrophe in double quotes")]
    for alternative in _alternatives(right):
        words = [single or double for single, double in _WORD.findall(alternative)]
        symbols = _WORD.sub(" ", alternative).split()
        if words and symbols:
            return [Problem(f"`{left}` mixes words and symbols", place, "give the words a separate symbol")]
        if "".join(words).strip():
            grammar.words.setdefault(left, []).append(" ".join(words))
        elif symbols:
            grammar.rules.setdefault(left, []).append(symbols)
        else:
            return [Problem(f"`{left}` has an empty alternative", place, "empty rules are not supported")]
    return []


def _alternatives(right: str) -> list[str]:
    """Split at bars outside quotes."""
    alternatives = [""]
    for piece in _PIECE.findall(right):
        if piece == "|":
            alternatives.append("")
        else:
            alternatives[-1] += piece
    return alternatives


def _drop_dead_alternatives(grammar: CfgGrammar) -> list[str]:
    """Remove alternatives with an undefined symbol: NLTK keeps them, but they can never apply."""
    notes: list[str] = []
    while True:
        defined = {*grammar.rules, *grammar.words}
        for rule, body in list(grammar.rules.items()):
            for alternative in body:
                for symbol in sorted(set(alternative) - defined):
                    notes.append(
                        f"`{rule} -> {' '.join(alternative)}` can never apply: `{symbol}` is not defined"
                    )
            grammar.rules[rule] = [alternative for alternative in body if set(alternative) <= defined]
        empty = [rule for rule, body in grammar.rules.items() if not body]
        if not empty:
            return notes
        # A rule that lost all of its alternatives is itself undefined.
        for rule in empty:
            del grammar.rules[rule]


def _refuse_unusable(grammar: CfgGrammar, file: str) -> None:
    """Raise errors that only the whole grammar shows."""
    problems = [
        Problem(
            f"`{symbol}` has both words and symbols",
            grammar.places[symbol],
            "give the words a separate symbol",
        )
        for symbol in grammar.words
        if symbol in grammar.rules
    ]
    problems += [
        Problem(f"`{symbol}` can derive itself", grammar.places[symbol], "break the cycle of rules")
        for symbol in unit_cycles(grammar.rules)
    ]
    problems += _name_clashes(grammar)
    if not grammar.rules:
        problems.append(Problem("there is no rule left that can apply", Place(file)))
    if not any(_kind(symbol) == "head" for symbol in grammar.words):
        hint = "symbols of head words must end in Noun, as in AgeNoun -> 'toddler'"
        problems.append(Problem("there are no head words", Place(file), hint))
    if problems:
        raise InputError(problems)


def _name_clashes(grammar: CfgGrammar) -> list[Problem]:
    """Find symbols that would have the same id, so that one would silently replace the other."""
    owners: dict[str, str] = {}
    problems: list[Problem] = []
    for symbol in (*grammar.words, *(rule for rule in grammar.rules if rule not in grammar.words)):
        kind = _kind(symbol) if symbol in grammar.words else "function"
        identifier = _symbol(symbol, kind)
        if owners.setdefault(identifier, symbol) != symbol:
            message = f"`{symbol}` and `{owners[identifier]}` both become `{identifier}`"
            problems.append(Problem(message, grammar.places[symbol], "rename one"))
    return problems
