"""The text of a `.lark` file as rules and terminals that know their places, and the words of terminals."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from assess.errors import GrammarError, Place, Problem
from assess.taxonomy.phrases import closest

Node = Any  # a tree of Lark's: its children are trees, tokens and None

JOINT = "\x1f"
"""In a phrase: a place where a space or a hyphen may stand."""
EDGES = {"LEFT", "RIGHT"}
"""Terminals that hold for the boundaries of tokens, and match no text."""

_PLAIN_REGEX = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^\w\s]|\\ |\[- \])+")
_REGEX_PIECE = re.compile(r"\[- \]|\\(.)|(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule or a terminal: its name as a token, which has a place, and what it stands for."""

    name: Token
    parameters: tuple[str, ...]
    body: Node
    source: str  # as it is written


@dataclass(frozen=True, slots=True)
class LarkText:
    """A file's text and its definitions."""

    text: str
    file: str
    rules: dict[str, Definition]
    terminals: dict[str, Definition]

    def problem(self, message: str, at: Token | int, *, hint: str | None = None) -> Problem:
        """Return a problem at a token, or at the beginning of a line."""
        line, column = (at, 1) if isinstance(at, int) else (at.line or 1, at.column or 1)
        lines = self.text.split("\n")
        return Problem(message, Place(self.file, line, column, source=lines[line - 1]), hint)


@cache
def _lark_of_lark() -> Lark:
    """Return the grammar of grammars, which comes with Lark."""
    return Lark.open_from_package("lark", "lark.lark", ("grammars",), parser="lalr")


def read_definitions(text: str, file: str) -> LarkText:
    """Return the definitions of a text, or raise all mistakes of form with their places."""
    found = LarkText(text, file, {}, {})
    problems: list[Problem] = []
    parsed = _parsed(found).children
    for item, following in itertools.zip_longest(parsed, parsed[1:]):
        if item.data == "ignore":
            continue
        if item.data not in {"rule", "token"}:
            at = next(item.scan_values(lambda value: isinstance(value, Token)))
            message = f"%{item.data.replace('_', ' ')} is not read: the file is the whole grammar"
            problems.append(found.problem(message, at))
            continue
        definition = _definition(item, text[: _start(following)])
        kind = found.rules if item.data == "rule" else found.terminals
        name = definition.name.lstrip("!?")
        if name in kind:
            problems.append(found.problem(f"`{name}` is defined twice", definition.name))
        kind[name] = definition
    problems += _undefined(found)
    if problems:
        raise GrammarError(problems)
    return found


def _parsed(found: LarkText) -> Node:
    try:
        return _lark_of_lark().parse(found.text)
    except UnexpectedInput as error:
        lines = found.text.split("\n")
        line = error.line if 0 < error.line <= len(lines) else len(lines)
        column = error.column if error.column > 0 else len(lines[line - 1]) + 1
        place = Place(found.file, line, column, source=lines[line - 1])
        raise GrammarError(
            _unexpected(error), place=place, hint="a .lark file holds rules, TERMINALS and // comments"
        ) from error


def _unexpected(error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        return f"this is no Lark grammar: `{str(error.token).strip() or 'the end of a line'}` is not expected"
    if isinstance(error, UnexpectedCharacters):
        return f"this is no Lark grammar: `{error.char}` is not expected"
    return "this is no Lark grammar: it ends too early"


def _definition(item: Node, text: str) -> Definition:
    name, parameters, *_, body = item.children
    return Definition(name, tuple(map(str, filter(None, parameters.children))), body, text[name.start_pos :])


def _start(item: Node | None) -> int | None:
    """Return where a definition begins; nothing where it has no words of its own."""
    first = next(item.scan_values(lambda value: isinstance(value, Token)), None) if item else None
    return (
        first.start_pos if first is not None and item is not None and item.data in {"rule", "token"} else None
    )


def _undefined(found: LarkText) -> Iterator[Problem]:
    for definition in (*found.rules.values(), *found.terminals.values()):
        for name in names_in(definition.body):
            known = found.terminals if name.type == "TOKEN" else found.rules
            if name not in known and name not in definition.parameters:
                yield found.problem(f"`{name}` is not defined", name, hint=closest(name, known))


def names_in(body: Node) -> Iterator[Token]:
    """Yield the rules and terminals that a body names."""
    for node in body.iter_subtrees():
        if node.data == "name":
            yield node.children[0]


def literals_in(body: Node) -> Iterator[Token]:
    """Yield the words and regular expressions that a body holds itself."""
    for node in body.iter_subtrees():
        if node.data == "literal":
            yield node.children[0]


def alternatives(body: Node) -> list[Node]:
    """Return the alternatives of a body; the edges around a group of them are passed over."""
    node = body
    while True:
        if node.data == "expansions":
            return [part for child in node.children for part in alternatives(child)]
        inner = [child for child in items(node) if named(child) not in EDGES]
        if len(inner) == 1 and inner[0] is not node and inner[0].data in {"expansions", "alias", "expansion"}:
            node = inner[0]
        else:
            return [node]


def items(node: Node) -> list[Node]:
    """Return the parts of one alternative, one after the other."""
    if node.data in {"alias", "expr"} and all(child is None for child in node.children[1:]):
        return items(node.children[0])
    return [part for child in node.children for part in items(child)] if node.data == "expansion" else [node]


def named(node: Node) -> str | None:
    """Return the rule or terminal that a node names, if that is all that it is."""
    return str(node.children[0]) if node.data == "name" else None


class Vocabulary:
    """The words of terminals: phrases where these can be listed, and regular expressions for the rest."""

    def __init__(self, terminals: dict[str, Definition]) -> None:
        self._terminals = terminals
        self._known: dict[str, list[str] | None] = {}

    def of(self, name: str) -> list[str] | None:
        """Return the phrases of a terminal; None where they are endless."""
        if name not in self._known:
            self._known[name] = None  # what leads back to itself is not listed
            self._known[name] = self.phrases(self._terminals[name].body)
        return self._known[name]

    def phrases(self, node: Node) -> list[str] | None:
        """Return the phrases that a node stands for, with `JOINT` in them; None where they are endless."""
        parts = items(node)
        if parts != [node]:
            return self._product(parts)
        if node.data == "literal":
            return _literal_phrases(node.children[0])
        if node.data == "name":
            return [""] if node.children[0] in EDGES else self.of(str(node.children[0]))
        if node.data == "expansions":
            return self._all(node.children)
        return None

    def _all(self, nodes: Iterable[Node]) -> list[str] | None:
        found: list[str] = []
        for node in nodes:
            phrases = self.phrases(node)
            if phrases is None:
                return None
            found += phrases
        return found

    def _product(self, parts: Sequence[Node]) -> list[str] | None:
        choices = []
        for part in parts:
            phrases = self.phrases(part)
            if phrases is None:
                return None
            choices.append(phrases)
        if sum(len(choice) > 1 for choice in choices) > 2:
            return None  # three lists or more multiply: they are matched as a pattern
        return ["".join(choice) for choice in itertools.product(*choices)]

    def regex(self, node: Node) -> str:
        """Return a node as a regular expression."""
        parts = items(node)
        if parts != [node]:
            return "".join(map(self.regex, parts))
        if node.data == "literal":
            return _literal_regex(node.children[0])
        if node.data == "name":
            name = str(node.children[0])
            return "" if name in EDGES else self.regex(self._terminals[name].body)
        inner = (
            "(?:" + "|".join(self.regex(child) for child in node.children if isinstance(child, Tree)) + ")"
        )
        return inner + _repeated(node)


def _repeated(node: Node) -> str:
    if node.data == "maybe":
        return "?"
    how = [str(child) for child in node.children if isinstance(child, Token)]
    return how[0] if how and not how[0].isdigit() else "{" + ",".join(how) + "}" if how else ""


def _literal_phrases(literal: Token) -> list[str] | None:
    if literal.type == "STRING":
        return [_string(literal)]
    regex, flags = _regex(literal)
    if flags or not _PLAIN_REGEX.fullmatch(regex):
        return None
    return [_REGEX_PIECE.sub(lambda match: match[1] or match[2] or JOINT, regex)]


def _literal_regex(literal: Token) -> str:
    if literal.type == "STRING":
        return re.escape(_string(literal))
    regex, flags = _regex(literal)
    return f"(?{flags}:{regex})" if flags else f"(?:{regex})"


def _string(literal: str) -> str:
    ignores_case = literal.endswith("i")
    text = str(ast.literal_eval(literal.removesuffix("i")))
    return text.lower() if ignores_case else text


def _regex(literal: str) -> tuple[str, str]:
    regex, _, flags = literal[1:].rpartition("/")
    return regex.replace(r"\/", "/"), flags


def spelled(phrase: str) -> Iterator[str]:
    """Yield the spellings of a phrase: every joint is a space or a hyphen."""
    first, *rest = phrase.split(JOINT)
    for choice in itertools.product(" -", repeat=len(rest)):
        yield first + "".join(joint + piece for joint, piece in zip(choice, rest, strict=True))


def spoken(phrase: str) -> str:
    """Return a phrase with spaces."""
    return phrase.replace(JOINT, " ")
