"""Domains: the JSON Schema of their files, their identity, warnings, and domains of other packages."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given

from assess.grammar import Parser
from assess.taxonomy import Taxonomy, load_taxonomy, parse_taxonomy, schema, shipped_taxonomies
from assess.taxonomy.lint import clashing_senses, lint
from assess.taxonomy.phrases import FREE, phrases_of
from tests.commands import assess
from tests.conftest import Install
from tests.properties import examples
from tests.strategies import taxonomies, taxonomy_of

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str, "object": dict, "array": list, "boolean": bool, "null": type(None),
}  # fmt: skip
_KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "default", "type", "properties", "required",
    "additionalProperties", "patternProperties", "items", "anyOf", "enum", "const", "pattern", "minLength",
    "minProperties", "if", "then", "else",
}  # fmt: skip


def faults(value: Any, part: dict[str, Any], whole: dict[str, Any], at: str = "") -> list[str]:
    """Return where a value breaks a schema: a validator for the keywords that ours uses, and no others."""
    assert set(part) <= _KNOWN, f"unexpected keywords: {set(part) - _KNOWN}"
    if "$ref" in part:
        return faults(value, whole["$defs"][part["$ref"].removeprefix("#/$defs/")], whole, at)
    if "anyOf" in part and all(faults(value, choice, whole, at) for choice in part["anyOf"]):
        return [f"{at}: none of the choices"]
    if "if" in part:
        branch = part["else"] if faults(value, part["if"], whole, at) else part["then"]
        rest = {key: inner for key, inner in part.items() if key not in {"if", "then", "else"}}
        return faults(value, branch, whole, at) + faults(value, rest, whole, at)
    found = []
    kinds = [part["type"]] if isinstance(part.get("type"), str) else part.get("type", [])
    if kinds and not any(isinstance(value, _TYPES[kind]) for kind in kinds):
        return [f"{at}: not {kinds}"]
    if value not in part.get("enum", [value]) or value != part.get("const", value):
        found.append(f"{at}: not allowed")
    if isinstance(value, str):
        found += [f"{at}: too short"] * (len(value) < part.get("minLength", 0))
        found += [f"{at}: pattern"] * (not re.search(part.get("pattern", ""), value))
    if isinstance(value, list):
        for index, item in enumerate(value):
            found += faults(item, part.get("items", {}), whole, f"{at}/{index}")
    return found + (object_faults(value, part, whole, at) if isinstance(value, dict) else [])


def object_faults(value: dict[str, Any], part: dict[str, Any], whole: dict[str, Any], at: str) -> list[str]:
    found = [f"{at}: `{key}` is missing" for key in part.get("required", ()) if key not in value]
    found += [f"{at}: empty"] * (len(value) < part.get("minProperties", 0))
    for key, inner in value.items():
        choices = [part["properties"][key]] if key in part.get("properties", {}) else []
        patterns = part.get("patternProperties", {}).items()
        choices += [choice for pattern, choice in patterns if re.search(pattern, key)]
        other = part.get("additionalProperties", True)
        if not choices and other is False:
            found.append(f"{at}: unknown key `{key}`")
        elif not choices and isinstance(other, dict):
            choices = [other]
        for choice in choices:
            found += faults(inner, choice, whole, f"{at}/{key}")
    return found


def values_of(name: str) -> dict[str, Any]:
    values = yaml.safe_load(shipped_taxonomies()[name].read_text(encoding="utf-8"))
    assert isinstance(values, dict)
    return values


def test_every_key_of_the_schema_explains_itself_or_has_a_telling_name() -> None:
    silent = {name for name, part in schema()["properties"].items() if "description" not in part}
    assert silent <= {"language", "description", "heads", "modifiers", "examples"}


@pytest.mark.parametrize("name", shipped_taxonomies())
def test_shipped_taxonomies_follow_the_schema(name: str) -> None:
    assert faults(values_of(name), schema(), schema()) == []


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("heds",), {}),
        (("version",), "1.0"),
        (("heads",), {}),
        (("taxonomy",), "People"),
        (("language",), "de"),
        (("modifiers", "Age"), {"description": "A.", "evidence": "visible", "sensitivity": "none"}),
        (("modifiers", "age", "evidence"), "seen"),
        (("modifiers", "age", "words"), "old"),
        (("modifiers", "age", "wrods"), ["old"]),
        (("modifiers", "age", "words"), [20]),
        (("modifiers", "age", "words"), [{"word": "old", "not_with": "man"}]),
        (("examples",), [{"heads": ["age"]}]),
    ],
)
def test_the_schema_refuses_what_we_refuse(place: tuple[str, ...], value: Any) -> None:
    values = values_of("people")
    part = values
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    assert faults(values, schema(), schema())


@pytest.mark.parametrize("name", shipped_taxonomies())
def test_the_schema_file_that_a_shipped_taxonomy_names_is_there_and_fresh(name: str) -> None:
    path = shipped_taxonomies()[name]
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    named = path.parent / Path(first.partition("=")[2])
    assert named.is_file(), f"run: assess schema > taxonomies/{named.name}"
    assert json.loads(named.read_text(encoding="utf-8")) == schema()


BASE: dict[str, Any] = {
    "heads": {
        "a": {"description": "A.", "words": ["police", "man"]},
        "b": {"description": "B.", "words": ["boy"]},
    },
    "groups": {"g": {"x": ["man"], "y": ["boy"]}},
}


def variant(**changes: Any) -> Taxonomy:
    return taxonomy_of({**BASE, **changes})


def test_the_identity_names_version_and_content() -> None:
    assert re.fullmatch(r"generated@1\.0\.0#[0-9a-f]{12}", variant().identity)
    assert variant().identity == variant().identity
    assert load_taxonomy("people").identity == load_taxonomy("people").identity


@pytest.mark.parametrize(
    "changes",
    [
        {"heads": {**BASE["heads"], "a": {"description": "A.", "words": [{"police": None}, "man"]}}},
        {"heads": {**BASE["heads"], "a": {"description": "A.", "words": ["police", "man", "cook"]}}},
        {"heads": dict(reversed(BASE["heads"].items()))},
        {"groups": {"g": {"y": ["boy"], "x": ["man"]}}},
        {"excluded": ["snow man"]},
        {"hyphens": "exact"},
        {"plurals_are": "a"},
    ],
)
def test_what_can_change_a_number_changes_the_digest(changes: dict[str, Any]) -> None:
    assert variant(**changes).digest != variant().digest


@pytest.mark.parametrize(
    "changes",
    [{"description": "Other."}, {"examples": [{"text": "a man"}]}, {"groups": dict(BASE["groups"])}],
)
def test_what_changes_no_number_leaves_the_digest(changes: dict[str, Any]) -> None:
    assert variant(**changes).digest == variant().digest


GOOD = """\
taxonomy: cooks
version: 1.0.0
description: Cooks.
heads:
  person:
    description: Any cook.
    words: [cook, baker]
modifiers:
  height:
    description: How tall.
    evidence: visible
    sensitivity: none
    words: [tall, short]
  size:
    description: How big.
    evidence: visible
    sensitivity: none
    words: [big]
examples:
  - {text: a tall big cook, heads: [person], modifiers: [height, size]}
"""
MOOD = """\
  mood:
    description: How they feel.
    evidence: inferred
    sensitivity: none
    words: [{word: wee, only_with: [baker]}]
"""
SYNTAX = "syntax:\n  phrase: [head.person, modifier.height head.person]\n  spare: [head.person]\n"


def warnings_of(text: str) -> list[tuple[int | None, int | None, str]]:
    taxonomy, document = parse_taxonomy(text, "cooks.yaml")
    places = [(problem.place, problem.message) for problem in lint(taxonomy, document)]
    return [(place.line, place.column, message) for place, message in places if place]


def changed(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_a_good_taxonomy_has_no_warnings() -> None:
    assert warnings_of(GOOD) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            changed("[big]", "[big, short]"),
            "18:18 `short` is in height, size, and no constraint separates them",
        ),
        (changed("[big]", "[big]\n    patterns: ['{height}']"), "19:15 `tall` is in height, size"),
        (changed("[big]", "[big, some]"), "18:18 `some` is also a determiner, so it is not counted"),
        (changed("[big]", "[big, both]"), "18:18 `both` is also a determiner"),
        (GOOD + SYNTAX, "14:3 no rule uses the modifier category `size`"),
        (GOOD + SYNTAX, "23:3 no rule uses `spare`"),
        (GOOD + "excluded: [pan cake]\n", "21:12 `pan cake` does not end in a head, so it excludes nothing"),
        (
            changed("[big]", "[{word: pile of, not_with: [cook]}]"),
            "18:13 the constraints of `pile of` have no effect",
        ),
        (changed("[big]", "[big, {word: wee, not_with: [person]}]"), "18:18 no head allows `wee`"),
        (
            changed("[big]", "[big]\n    patterns: ['{number}-foot']\n    not_with: [person]"),
            "18:13 no head allows `big`, `{number}-foot`",
        ),
        (GOOD + "excluded: [pan cook, cook]\n", "21:22 `cook` is both a head and excluded"),
        (
            GOOD + "syntax:\n  phrase: [head.person, loop head.person]\n  loop: [loop modifier.size]\n",
            "23:3 the rule `loop` matches no phrase",
        ),
        (
            changed("[big]", "[big, {word: short, only_with: [cook]}]"),
            "18:18 `short` is in height, size, and no constraint separates them before `cook`",
        ),
        (
            changed("[tall, short]", "[{word: short, not_with: [cook]}]").replace("[big]", "[big, short]"),
            "18:18 no constraint separates them before `baker`",
        ),
        (
            changed("[tall, short]", "[tall, short, two foot]").replace(
                "[big]", "[big]\n    patterns: ['{number}-foot']"
            ),
            "19:15 `two foot` is in height, size, and no constraint separates them",
        ),
        (
            changed("[tall, short]", "[tall, heap of]").replace("[big]", "[big, heap of]"),
            "18:18 `heap of` is in height, size, and no constraint separates them",
        ),
        (changed("[big]", "[big, colou?r]"), "18:18 `colou?r` contains the character `?`"),
        (changed("[big]", "[big, with]"), "18:18 the modifier `with` is a preposition"),
        (changed("[big]", "[big]\n    patterns: ['{word} {word}']"), "19:16 matches any word"),
        (changed("[big]", "[big, huge tiny]"), "18:18 `huge tiny` is one entry, but neither of its words"),
        (
            changed("[tall, short]", "[tall, short]\n    patterns: ['{size}-tall']").replace(
                "[big]", "[big]\n    patterns: ['{height}-big']"
            ),
            "14:15 the patterns of `height` and `size` refer to each other",
        ),
        (
            GOOD + "sets: {fruit: [fig], tool: [pan]}\nexcluded: [pan cook]\n",
            "21:8 the set `fruit` is not used",
        ),
        (
            GOOD.replace("  size:", "  person:").replace("size]", "person]")
            + "groups: {kind: {one: [person], two: [cook]}}\n",
            "21:23 `person` is the id of a head category and of a modifier category",
        ),
        (GOOD[: GOOD.index("examples")], "1:1 the taxonomy has no examples"),
        (changed(", modifiers: [height, size]", ""), "9:3 no example has the category `height`"),
        (changed("heads: [person], ", ""), "5:3 no example has the category `person`"),
    ],
)
def test_a_doubtful_thing_is_warned_of_at_its_place(text: str, expected: str) -> None:
    place, message = expected.split(" ", 1)
    assert any(f"{line}:{column}" == place and message in said for line, column, said in warnings_of(text))


@pytest.mark.parametrize(
    "text",
    [
        changed("[tall, short]", "[tall, {word: short, not_with: [cook]}]").replace(
            "[big]", "[big, {word: short, only_with: [cook]}]"
        ),
        changed("[big]", "[big, {word: short, also: [height]}]"),
        changed("[tall, short]", "[tall, {word: short, also: [size]}]").replace("[big]", "[big, short]"),
        changed("[big]", "[big, some]") + "function_words: {determiner: [a, the]}\n",
        GOOD + "excluded: [pan cook]\n",
        changed("[cook, baker]", "[cook]\n    patterns: ['{word} maker']") + "excluded: [coffee maker]\n",
    ],
)
def test_what_is_told_apart_or_meant_is_not_warned_of(text: str) -> None:
    assert warnings_of(text) == []


def test_a_warning_says_what_the_best_reading_does() -> None:
    taxonomy, document = parse_taxonomy(changed("[big]", "[big, short]"), "cooks.yaml")
    (problem,) = lint(taxonomy, document)
    assert problem.hint == "the best reading uses `height`; add not_with, only_with or `also`"


def test_every_word_with_two_senses_is_named_once_with_just_the_senses_that_meet() -> None:
    text = changed("[tall, short]", "[tall, short, {word: wee, only_with: [baker]}]")
    text = text.replace("[big]", "[big, short, tall, {word: wee, only_with: [cook]}]")
    text = text.replace("examples:", MOOD + "examples:")
    assert [message for *_, message in warnings_of(text) if "is in" in message] == [
        "`tall` is in height, size, and no constraint separates them",
        "`short` is in height, size, and no constraint separates them",
        "`wee` is in height, mood, and no constraint separates them before `baker`",
    ]


def senses_read(taxonomy: Taxonomy, parser: Parser, word: str) -> set[frozenset[str]]:
    """Return the pairs of categories that a word has before one and the same head, as phrases are parsed.

    With hyphens a head or of-phrase of several words is one token, which is read as a whole or not at all:
    "di ba-da" is about a `ba da`, and "di ba da" may also be about a `da`.
    """
    heads = [phrase.text.replace(" ", "-") for phrase in phrases_of(taxonomy) if phrase.role == "head"]
    heads += [f"{phrase.text.replace(' ', '-')} {heads[0]}" for phrase in phrases_of(taxonomy) if phrase.of]
    place = (0, len(word.split(" ")), "modifier")
    found: set[frozenset[str]] = set()
    for head in heads:
        spans = parser.analyse(f"{word} {head}").spans
        names = sorted({span.category for span in spans if (span.start, span.end, span.role) == place})
        found |= {frozenset(pair) for pair in combinations(names, 2)}
    return found


# "di ba da" is about a `ba da`, or about a `da` that is also `ba`: two heads, with one sense of `di` each.
HEAD_IN_HEAD = {
    "heads": {"kind": {"description": "K.", "words": ["da", "ba da"]}},
    "modifiers": {
        name: {"description": "M.", "evidence": "visible", "sensitivity": "none", "words": words}
        for name, words in {
            "size": [{"word": "di", "only_with": ["ba da"]}],
            "mood": ["ba", {"word": "di", "only_with": ["da"]}],
        }.items()
    },
}


@example(taxonomy_of(HEAD_IN_HEAD))
@examples(40)
@given(taxonomies(patterns=False, excluded=False))
def test_lint_names_just_the_words_that_parsing_gives_two_senses(taxonomy: Taxonomy) -> None:
    parser = Parser(taxonomy)
    named = {clash.text: {sense.category for sense in clash.senses} for clash in clashing_senses(taxonomy)}
    phrases = [phrase for phrase in phrases_of(taxonomy) if phrase.role == "modifier"]
    for word in {phrase.text for phrase in phrases}:
        same = [phrase for phrase in phrases if phrase.text == word]
        if any(phrase.also for phrase in same) and any(phrase.constraint != FREE for phrase in same):
            continue  # a category may then be read by way of `also` where its own constraint forbids it
        declared = [{phrase.category, *phrase.also} for phrase in same]
        senses = senses_read(taxonomy, parser, word)
        # What `also` adds is not listed under the other category, so no sense of it can clash.
        listed = {phrase.category for phrase in same}
        apart = {pair for pair in senses if pair <= listed and not any(pair <= each for each in declared)}
        assert named.get(word, set()) == set().union(*apart), word


TINY = Path(__file__).parent / "golden" / "tiny.yaml"
DOMAINS = "assess.domains"


@pytest.mark.parametrize("value", ["path", "text", "function"])
def test_another_package_may_offer_a_domain(install: Install, value: str) -> None:
    code = f"from pathlib import Path\ntext = {str(TINY)!r}\npath = Path(text)\nfunction = lambda: text\n"
    install(f"with_{value}", code, group=DOMAINS, tiny=f"with_{value}:{value}")
    assert load_taxonomy("tiny") == load_taxonomy(str(TINY))
    listed = assess("domain", "list", columns=120).stdout
    assert re.search(rf"tiny +1\.0\.0 .* with_{value} 1\.2 ", listed)
    assert re.search(r"people .* assess ", listed)
    refused = assess("domain", "assign", "captions.txt", "--domain", "tiny")
    assert (refused.code, f"is part of with_{value} 1.2" in refused.stderr) == (2, True)


def test_a_module_alone_stands_for_the_file_beside_it(install: Install, tmp_path: Path) -> None:
    install("beside", group=DOMAINS, tiny="beside")
    (tmp_path / "tiny.yaml").write_text(TINY.read_text(encoding="utf-8"), encoding="utf-8")
    assert load_taxonomy("tiny") == load_taxonomy(str(TINY))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("no_such_module", "cannot be loaded: No module named 'no_such_module'"),
        ("broken:nothing", "cannot be loaded: module 'broken' has no attribute 'nothing'"),
        ("broken:fails", "cannot be loaded: out of order"),
        ("broken:number", "is not a path but a value of type int"),
        ("broken:gone", "names a file that does not exist: gone.yaml"),
    ],
)
def test_a_broken_domain_is_an_error_only_when_it_is_asked_for(
    install: Install, value: str, message: str
) -> None:
    code = "number = 3\ngone = 'gone.yaml'\ndef fails(): raise RuntimeError('out of order')\n"
    install("broken", code, group=DOMAINS, odd=value)
    assert assess("parse", "a man").code == 0
    asked = assess("parse", "a man", "--domain", "odd")
    assert asked.code == 2
    assert f"the domain `odd` of broken 1.2 is broken: `{value}` {message}" in asked.stderr
    listed = assess("domain", "list", columns=200)
    assert listed.code == 0
    assert f"broken: the domain `odd` of broken 1.2 is broken: `{value}`" in " ".join(listed.stdout.split())


def test_a_name_that_means_two_domains_is_an_error_that_names_both(install: Install) -> None:
    code = f"path = {str(TINY)!r}"
    install("first", code, group=DOMAINS, people="first:path", tiny="first:path")
    install("second", code, group=DOMAINS, tiny="second:path")
    for name, owners in (("people", "assess and first 1.2"), ("tiny", "first 1.2 and second 1.2")):
        asked = assess("parse", "a man", "--domain", name)
        assert asked.code == 2
        assert f"2 domains are called `{name}`: in {owners}" in asked.stderr
    assert assess("parse", "a dog", "--domain", "animals").code == 0
