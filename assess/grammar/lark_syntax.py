"""The text of a `.lark` file as rules and terminals with their locations, and the words of terminals."""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from re import _parser  # the parser that Python uses for regular expressions
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from assess.errors import GrammarError, Place, Problem
from assess.limits import PATTERN_COST
from assess.taxonomy.phrases import closest

Node = Any  # a tree of Lark, whose children are trees, tokens and None

JOINT = "\x1f"
"""In a phrase: a place for a space or a hyphen."""
EDGES = {"LEFT", "RIGHT"}
"""Terminals that match the boundaries of tokens but no text."""

_PLAIN = r"(?:[^\\.^$*+?{}\[\]|()]|\\[^\w\s]|\\ |\[- \])+"
_PLAIN_REGEX = re.compile(rf"{_PLAIN}|\({_PLAIN}(?:(?<=s)\?)?(?:\|{_PLAIN}(?:(?<=s)\?)?)*\)")
"""A phrase, or a list of phrases: (dogs?|hot[- ]dogs?|cattle)."""
_MOST_ENDS = 1_000  # for finding patterns by their ends; if a pattern has more ends, they are not used
_LONGEST_REGEX = 2_000_000  # characters
_REGEX_PIECE = re.compile(r"\[- \]|\\(.)|(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule or a terminal: its name as a token with a location, and its definition."""

    name: Token
    parameters: tuple[str, ...]
    body: Node
    source: str  # as written


@dataclass(frozen=True, slots=True)
class LarkText:
    """The text of a file and its definitions."""

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
    """Return Lark's own grammar of grammars."""
    return Lark.open_from_package("lark", "lark.lark", ("grammars",), parser="lalr")


def read_definitions(text: str, file: str) -> LarkText:
    """Return the definitions in a text; raises one error with all syntax mistakes and their locations."""
    found = LarkText(text, file, {}, {})
    problems: list[Problem] = []
    parsed = _parsed(found).children
    for item, following in itertools.zip_longest(parsed, parsed[1:]):
        if item.data == "ignore":
            continue
        if item.data not in {"rule", "token"}:
            at = next(item.scan_values(lambda value: isinstance(value, Token)))
            message = f"%{item.data.replace('_', ' ')} is not supported: the grammar must be a single file"
            problems.append(found.problem(message, at))
            continue
        definition = _definition(item, text[: _start(following)])
        kind = found.rules if item.data == "rule" else found.terminals
        name = definition.name.lstrip("!?")
        if name in kind:
            problems.append(found.problem(f"`{name}` is defined twice", definition.name))
        kind[name] = definition
    if problems := [*problems, *_undefined(found), *_bad_literals(found)]:
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
            _unexpected(error), place=place, hint="a .lark file contains rules, TERMINALS and // comments"
        ) from error


def _unexpected(error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedToken) and error.token.type != "$END":
        return f"this is not a Lark grammar: unexpected `{str(error.token).strip() or 'the end of a line'}`"
    if isinstance(error, UnexpectedCharacters):
        return f"this is not a Lark grammar: unexpected `{error.char}`"
    return "this is not a Lark grammar: unexpected end of file"


def _definition(item: Node, text: str) -> Definition:
    name, parameters, *_, body = item.children
    return Definition(name, tuple(map(str, filter(None, parameters.children))), body, text[name.start_pos :])


def _start(item: Node | None) -> int | None:
    """Return where a definition begins; None if it has no words of its own."""
    if item is None or item.data not in {"rule", "token"}:
        return None
    return next((token.start_pos for token in item.scan_values(lambda one: isinstance(one, Token))), None)


def _undefined(found: LarkText) -> Iterator[Problem]:
    for definition in (*found.rules.values(), *found.terminals.values()):
        for name in names_in(definition.body):
            known = found.terminals if name.type == "TOKEN" else found.rules
            if name not in known and name not in definition.parameters:
                yield found.problem(f"`{name}` is not defined", name, hint=closest(name, known))
            elif known is found.rules and definition.name.type == "TOKEN":
                yield found.problem(f"a terminal cannot contain the rule `{name}`", name)


def _bad_literals(found: LarkText) -> Iterator[Problem]:
    """Yield strings and regular expressions that Python cannot read, or would take forever to match."""
    for definition in (*found.rules.values(), *found.terminals.values()):
        for literal in literals_in(definition.body):
            try:
                explodes = _literal_phrases(literal) is None and may_explode(literal)
            except (ValueError, SyntaxError, OverflowError, RecursionError, re.error) as error:
                yield found.problem(f"this cannot be read: {error}", literal)
            else:
                if explodes:
                    hint = (
                        "a repeated part must not contain or follow a part that repeats the same characters"
                    )
                    yield found.problem("this can match in too many ways", literal, hint=hint)


def names_in(body: Node) -> Iterator[Token]:
    """Yield the rules and terminals that a body names, in any order."""
    return _tokens_of("name", body)


def literals_in(body: Node) -> Iterator[Token]:
    """Yield the strings and regular expressions in a body, in any order."""
    return _tokens_of("literal", body)


def _tokens_of(kind: str, body: Node) -> Iterator[Token]:
    waiting = [body]
    for node in waiting:  # Lark's own iterator first sorts all nodes, which takes several times as long
        if node.data == kind:
            yield node.children[0]
        waiting += [child for child in node.children if isinstance(child, Tree)]


def alternatives(body: Node) -> list[Node]:
    """Return the alternatives of a body, without the boundaries around a group of them."""
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
    """Return the consecutive parts of one alternative."""
    if node.data in {"alias", "expr"} and all(child is None for child in node.children[1:]):
        return items(node.children[0])
    return [part for child in node.children for part in items(child)] if node.data == "expansion" else [node]


def named(node: Node) -> str | None:
    """Return the rule or terminal that a node consists of; None if there is more."""
    return str(node.children[0]) if node.data == "name" else None


class Vocabulary:
    """The words of terminals: phrases if they can be listed, otherwise regular expressions."""

    def __init__(self, terminals: dict[str, Definition]) -> None:
        self._terminals = terminals
        self._known: dict[str, list[str] | None] = {}
        self._regexes: dict[str, str] = {}

    def of(self, name: str) -> list[str] | None:
        """Return the phrases of a terminal; None if they are infinitely many."""
        if name not in self._known:
            self._known[name] = None  # recursive terminals cannot be listed
            self._known[name] = self.phrases(self._terminals[name].body)
        return self._known[name]

    def phrases(self, node: Node) -> list[str] | None:
        """Return the phrases that a node matches, with `JOINT` in them; None if they are infinitely many."""
        parts = items(node)
        if parts != [node]:
            return self._product(parts)
        if node.data == "literal":
            return _literal_phrases(node.children[0])
        if node.data == "name":
            return [""] if node.children[0] in EDGES else self.of(str(node.children[0]))
        if node.data == "expansions":
            return self._all(node.children)
        if node.data == "expr" and node.children[1] == "?":
            optional = self.phrases(node.children[0])
            return None if optional is None else ["", *optional]
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
            return None  # three or more lists multiply, so they are matched as a pattern
        if math.prod(map(len, choices)) > PATTERN_COST.most:
            raise PATTERN_COST.exceeded("the words of a terminal combine into too many phrases")
        return ["".join(choice) for choice in itertools.product(*choices)]

    def ends(self, node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the possible beginnings and ends of what a node matches, if they can be listed."""
        parts = [self.phrases(part) for part in items(node)]
        first = next((i for i, phrases in enumerate(parts) if phrases is None), len(parts))
        last = next((i for i in reversed(range(len(parts))) if parts[i] is None), -1)
        return _spelled_product(parts[:first]), _spelled_product(parts[last + 1 :])

    def regex(self, node: Node) -> str:
        """Return a node as a regular expression."""
        parts = items(node)
        if parts != [node]:
            return "".join(map(self.regex, parts))
        if node.data == "literal":
            return _literal_regex(node.children[0])
        if node.data == "name":
            return self._regex_of(str(node.children[0]))
        inner = (
            "(?:" + "|".join(self.regex(child) for child in node.children if isinstance(child, Tree)) + ")"
        )
        return inner + _repeated(node)

    def _regex_of(self, name: str) -> str:
        if name in EDGES:
            return ""
        if name not in self._regexes:
            found = self.regex(self._terminals[name].body)
            if len(found) > _LONGEST_REGEX:  # terminals that name others twice grow with every step
                raise PATTERN_COST.exceeded(f"the terminal `{name}` matches too much")
            self._regexes[name] = found
        return self._regexes[name]


def _spelled_product(parts: Sequence[list[str] | None]) -> tuple[str, ...]:
    """Return the spellings of consecutive listed parts; empty if there are too many or they may be empty."""
    listed = [part or [] for part in parts]
    if math.prod(map(len, listed)) > _MOST_ENDS:
        return ()
    texts = ["".join(choice) for choice in itertools.product(*listed)]
    return tuple(spelling for text in texts for spelling in spelled(text)) if all(texts) else ()


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
    listed = regex[1:-1].split("|") if regex.startswith("(") else [regex]
    forms = ([item[:-2], item[:-1]] if item.endswith("s?") else [item] for item in listed)
    return [_plain(form) for both in forms for form in both]


def _plain(regex: str) -> str:
    return regex if regex.isalnum() else _REGEX_PIECE.sub(lambda match: match[1] or match[2] or JOINT, regex)


def _literal_regex(literal: Token) -> str:
    if literal.type == "STRING":
        return re.escape(_string(literal))
    regex, flags = _regex(literal)
    return f"(?{flags}:{regex})" if flags else f"(?:{regex})"


def _string(literal: str) -> str:
    if "\\" not in literal and literal.endswith('"'):
        return literal[1:-1]  # nearly all of them
    ignores_case = literal.endswith("i")
    text = str(ast.literal_eval(literal.removesuffix("i")))
    return text.lower() if ignores_case else text


def _regex(literal: str) -> tuple[str, str]:
    regex, _, flags = literal[1:].rpartition("/")
    return regex.replace(r"\/", "/"), flags


def spelled(phrase: str) -> Sequence[str]:
    """Return the spellings of a phrase: every joint is a space or a hyphen."""
    if JOINT not in phrase:
        return (phrase,)
    first, *rest = phrase.split(JOINT)
    if len(rest) == 1:
        return f"{first} {rest[0]}", f"{first}-{rest[0]}"
    PATTERN_COST.check(2 ** len(rest), "a phrase has too many positions for a space or a hyphen")
    return [
        first + "".join([joint + piece for joint, piece in zip(choice, rest, strict=True)])
        for choice in itertools.product(" -", repeat=len(rest))
    ]


def spoken(phrase: str) -> str:
    """Return a phrase with spaces."""
    return phrase.replace(JOINT, " ")


# Regular expressions that take forever.
#
# Python's search tries all ways to divide a text among repeated parts. If a repeated part contains another,
# or several follow each other, the number of ways multiplies, unless they are separated by a letter that the
# others cannot match.

_SAMPLE = frozenset(map(chr, range(32, 127))) | frozenset("é²٣–‹›\n")
_KINDS = {"CATEGORY_DIGIT": r"\d", "CATEGORY_SPACE": r"\s", "CATEGORY_WORD": r"\w"}
_REPEATED = {"MAX_REPEAT", "MIN_REPEAT"}
_MOST_NEIGHBOURS = 3  # consecutive repeated parts that match the same letters
_Parsed = Sequence[tuple[Any, Any]]


def may_explode(literal: str) -> bool:
    """Whether the time that a regular expression takes may grow exponentially with the text."""
    regex, flags = _regex(literal)
    if _PLAIN_REGEX.fullmatch(regex) and not flags:
        return False
    re.compile(f"(?{flags}:{regex})" if flags else regex)
    parse: Callable[[str], Iterable[tuple[Any, Any]]] = _parser.parse
    return _explodes(list(parse(regex)))


def _explodes(parts: _Parsed) -> bool:
    neighbours, before = 0, frozenset[str]()
    for name, value in parts:
        if any(_explodes(list(inner)) for inner in _inner(str(name), value)):
            return True
        if not _repeats(str(name), value):
            if not _letters([(name, value)]) & before:
                neighbours, before = 0, frozenset()
            continue
        body = list(value[2])
        letters = _letters(body)
        neighbours = neighbours + 1 if letters & before else 1
        before = letters if neighbours == 1 else before | letters
        if neighbours > _MOST_NEIGHBOURS or _is_ambiguous(body):
            return True
    return False


def _is_ambiguous(body: _Parsed) -> bool:
    """Whether a repeated part can be divided in several ways: it contains others, or equal alternatives."""
    while len(body) == 1 and str(body[0][0]) == "SUBPATTERN":
        body = list(body[0][1][3])
    within = list(_everything(body))
    for _, (_, branches) in (part for part in within if str(part[0]) == "BRANCH"):
        firsts = [_letters(list(branch)[:1]) for branch in branches]
        if any(one & other or not one | other for one, other in itertools.combinations(firsts, 2)):
            return True
    inner = [part for part in within if str(part[0]) in _REPEATED]
    # For example "(?: [^ ]+)*": each repetition begins with a space, which nothing else in it matches.
    return bool(inner) and (str(body[0][0]) in _REPEATED or bool(_letters(body[:1]) & _letters(inner)))


def _everything(parts: _Parsed) -> Iterator[tuple[Any, Any]]:
    for name, value in parts:
        yield name, value
        for inner in _inner(str(name), value):
            yield from _everything(list(inner))


def _repeats(name: str, value: Any) -> bool:
    return name in _REPEATED and int(value[1]) > 10


def _inner(name: str, value: Any) -> list[Any]:
    """Return the parts within a part of a regular expression."""
    if name == "BRANCH":
        return list(value[1])
    if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        return [value[2]]
    if name in {"SUBPATTERN", "ATOMIC_GROUP"}:
        return [value[3] if name == "SUBPATTERN" else value]
    return []


def _letters(parts: _Parsed) -> frozenset[str]:
    """Return which letters of a sample a part can match."""
    found = frozenset[str]()
    for name, value in parts:
        kind = str(name)
        inner = _inner(kind, value)
        if inner:
            found = found.union(*(_letters(list(each)) for each in inner))
        elif kind == "IN":
            chosen = frozenset[str]().union(*(_letters([each]) for each in value if str(each[0]) != "NEGATE"))
            found |= _SAMPLE - chosen if str(value[0][0]) == "NEGATE" else chosen
        elif kind == "RANGE":
            found |= {letter for letter in _SAMPLE if value[0] <= ord(letter) <= value[1]}
        elif kind == "CATEGORY":
            of_kind = set(re.findall(_KINDS[str(value).replace("_NOT_", "_")], "".join(_SAMPLE)))
            found |= _SAMPLE - of_kind if "_NOT_" in str(value) else of_kind
        elif kind == "LITERAL":
            found |= {chr(value)}
        elif kind == "NOT_LITERAL":
            found |= _SAMPLE - {chr(value)}
        elif kind not in {"AT", "ASSERT", "ASSERT_NOT"}:
            found |= _SAMPLE
    return found
