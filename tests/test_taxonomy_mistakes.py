"""Every possible mistake in a taxonomy file: a table of (bad file, line, column, message), and fuzzing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from assess.errors import AssessError, InputError, Place, Problem, TaxonomyError, UsageError
from assess.grammar import Parser
from assess.grammar.parser import Engine
from assess.taxonomy import load_taxonomy, parse_taxonomy, read_taxonomy, shipped_taxonomies, strict_yaml
from assess.taxonomy.load import FILLER
from assess.taxonomy.phrases import LONGEST_PHRASE
from tests.problems import the_problem
from tests.properties import examples

# Line numbers below count from here: the parts that an example adds begin at line 4 or 14.
TOP = "taxonomy: cooks\nversion: 1.0.0\ndescription: Cooks.\n"
BODY = """\
heads:
  person:
    description: Any cook.
    words: [cook, woman: women]
modifiers:
  height:
    description: How tall.
    evidence: visible
    sensitivity: none
    words: [tall, short]
"""
GOOD = TOP + BODY


@dataclass(frozen=True)
class Mistake:
    """A bad file and the expected message about it."""

    text: str
    line: int | None
    column: int | None
    message: str
    hint: str | None = None


def changed(old: str, new: str) -> str:
    """Return the good file with one thing changed."""
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def with_modifier(rest: str) -> str:
    """Return the good file with one more modifier category, whose fourth key stands at line 18."""
    frame = "  mood:\n    description: Mood.\n    evidence: inferred\n    sensitivity: none\n"
    return GOOD + frame + rest


def with_groups(word: str = "sad", rest: str = "", *, more: str = "") -> str:
    """Return a file whose cooks are women, men or neither; the words stand at line 18."""
    text = with_modifier(f"    words: [{word}]\n{rest}")
    text = text.replace("woman: women]", "woman: women, man: men, bride, king]")
    text += "sets: {she: [woman, bride], he: [man, king], crowned: [king, cook]}\n"
    return text + "groups: {gender: {female: [she], male: [he]}}\n" + more


LONG = " ".join(["very"] * LONGEST_PHRASE + ["tall"])
# Two of these make more phrases than one pattern may stand for.
MANY = "[" + ", ".join(f"w{number}" for number in range(400)) + "]"

FORM = [
    Mistake("", None, None, "the file is empty", "assess domain show"),
    Mistake("# nothing\n", None, None, "the file is empty"),
    Mistake("~\n", None, None, "the file is empty"),
    Mistake("hello\n", 1, 1, "expected a mapping, found a text"),
    Mistake("- a\n- b\n", 1, 1, "expected a mapping, found a list"),
    Mistake(GOOD + "---\n" + GOOD, 14, 1, "not valid YAML"),
    Mistake(changed("[tall, short]", "[tall, short"), 13, 12, "this bracket is not closed", "close"),
    Mistake(changed("[tall, short]", "[[tall, short}]"), 13, 13, "this bracket is not closed", "close"),
    Mistake(changed("[tall, short]", '[tall, "short]'), 13, 19, "this quote is not closed"),
    Mistake(changed("How tall.", "How: tall."), 10, 21, "not valid YAML", '": "'),
    Mistake(GOOD + "groups:\n\tgender: {}\n", 15, 1, "a tab in the indentation", "with spaces"),
    Mistake(GOOD + "excluded: &x [a cook]\nsets: {y: *x}\n", 15, 11, "aliases (*x)", "sets:"),
    Mistake(GOOD + "sets: {<<: {a: [b]}}\n", 14, 8, "YAML reads the key << as merge"),
    Mistake(GOOD + "version: 2.0.0\n", 14, 1, "the key `version` appears twice; first at line 2"),
    Mistake(GOOD + "  height: {}\n", 14, 3, "the key `height` appears twice; first at line 9"),
    Mistake(GOOD + "? [a]\n: b\n", 14, 3, "a key must be a plain word"),
    Mistake(GOOD + "# caf\N{LATIN SMALL LETTER E WITH ACUTE} \x1b[1m\n", 14, 8, "#001b"),
    Mistake(changed("How tall.", "How\x00tall."), 10, 21, "character #0000 is not allowed", "remove it"),
    Mistake(changed("How tall.", "How\ud800"), 10, 21, "character #d800 is not allowed"),
    Mistake(TOP + "heads: " + "[" * 900 + "]" * 900, 4, 37, "nested too deeply"),
    Mistake(TOP + "heads: " + "{a: " * 400 + "}" * 400, 4, 124, "nested too deeply"),
]  # fmt: skip
ACCIDENTS = [
    Mistake(changed("tall, short", "tall, no"), 13, 19, "YAML reads no as true/false", 'quotes: "no"'),
    Mistake(changed("tall, short", "on, short"), 13, 13, "YAML reads on as true/false", '"on"'),
    Mistake(changed("tall, short", "True"), 13, 13, "YAML reads True as true/false", '"True"'),
    Mistake(changed("tall, short", "tall, 20"), 13, 19, "YAML reads 20 as a number", '"20"'),
    Mistake(changed("tall, short", "12:30"), 13, 13, "YAML reads 12:30 as a number", '"12:30"'),
    Mistake(changed("tall, short", "2020-01-31"), 13, 13, "YAML reads 2020-01-31 as a date"),
    Mistake(changed("1.0.0", "1.0"), 2, 10, "YAML reads 1.0 as a number", "use three numbers, such as 1.0.0"),
    Mistake(changed("  height:", "  no:"), 9, 3, "YAML reads the key no as true/false", '"no"'),
    Mistake(changed("  height:", "  1:"), 9, 3, "YAML reads the key 1 as a number"),
    Mistake(changed("woman: women", "woman: no"), 7, 19, "YAML reads no as true/false"),
    Mistake(changed("How tall.", "!x How"), 10, 18, "YAML reads How as !x"),
    Mistake(changed("visible", "yes"), 11, 15, "YAML reads yes as true/false"),
    Mistake(changed("Any cook.", "~"), 6, 18, "expected a text, found nothing (null)"),
    Mistake(changed("tall, short", "tall, ~"), 13, 19, "expected a word, found nothing (null)"),
]  # fmt: skip
SHAPE = [
    Mistake(GOOD + "colour: red\n", 14, 1, "unknown key `colour`", "known here: "),
    Mistake(GOOD + "group: {}\n", 14, 1, "unknown key `group`", "did you mean `groups`?"),
    Mistake(with_modifier("    wrods: [sad]\n"), 18, 5, "unknown key `wrods`", "`words`"),
    Mistake(changed("    words: [cook", "    word: [cook"), 7, 5, "unknown key", "`words`?"),
    Mistake(changed("short]", "{word: short, not_wth: [cook]}]"), 13, 33,
            "unknown key `not_wth`", "`not_with`?"),
    Mistake(GOOD + "examples: [{txt: a}]\n", 14, 13, "unknown key `txt`", "`text`?"),
    Mistake(changed("version: 1.0.0\n", ""), 1, 1, "`version` is missing", "version: 1.0.0"),
    Mistake(TOP, 1, 1, "`heads` is missing", "at least one head category"),
    Mistake(changed("taxonomy: cooks\n", ""), 1, 1, "`taxonomy` is missing"),
    Mistake(changed("    evidence: visible\n", ""), 9, 3, "`evidence` is missing", "inferred"),
    Mistake(changed("    sensitivity: none\n", ""), 9, 3, "`sensitivity` is missing", "none"),
    Mistake(changed("    description: How tall.\n", ""), 9, 3, "`description` is missing"),
    Mistake(changed("short]", "{plural: x}]"), 13, 19, "`word` is missing"),
    Mistake(GOOD + "examples: [{heads: [person]}]\n", 14, 12, "`text` is missing"),
    Mistake(changed("  height:", "  Height:"), 9, 3, "'Height' is not a valid id", "lowercase"),
    Mistake(changed("  height:", "  hei--ght:"), 9, 3, "'hei--ght' is not a valid id"),
    Mistake(changed("  height:", "  body_height:"), 9, 3, "'body_height' is not a valid id"),
    Mistake(changed("taxonomy: cooks", "taxonomy: My Cooks"), 1, 11, "'My Cooks' is not a valid id"),
    Mistake(changed("1.0.0", "one"), 2, 10, "'one' is not a valid version", "three numbers, such as 1.0.0"),
    Mistake(GOOD + "language: de\n", 14, 11, "'de' is not one of 'en'"),
    Mistake(changed("visible", "seen"), 11, 15, "'seen' is not one of 'visible', 'inferred'"),
    Mistake(changed(": none", ": low"), 12, 18, "'low' is not one of 'none', 'personal'"),
    Mistake(changed("[tall, short]", "tall"), 13, 12, "expected a list, found a text", "[tall]"),
    Mistake(GOOD.replace("  person:\n", "  person: [cook]\n  other:\n"), 5, 11, "expected a mapping, found"),
    Mistake(TOP + "heads: [cook]\n", 4, 8, "expected a mapping, found a list"),
    Mistake(TOP + "heads: {}\n", 4, 8, "this is empty", "add a value, or remove the key"),
    Mistake(changed("tall, short", 'tall, ""'), 13, 19, "this is empty"),
    Mistake(changed("tall, short", "tall, [short]"), 13, 19, "expected a word, found a list"),
    Mistake(GOOD + "examples: [{text: a, in_domain: none}]\n", 14, 33, "expected true or false"),
]  # fmt: skip
MEANING = [
    Mistake(changed("tall, short", 'tall, "..."'), 13, 19, "'...' has nothing to match"),
    Mistake(changed("woman: women", 'woman: "-"'), 7, 19, "'-' has nothing to match"),
    Mistake(changed("tall, short", '"{word} tall"'), 13, 13, "looks like a pattern", "patterns:"),
    Mistake(changed("tall, short", "tall, short, Tall"), 13, 26, "`Tall` appears twice in modifier `height`"),
    Mistake(changed("tall, short", "very tall, very-tall"), 13, 24, "first at line 13"),
    Mistake(GOOD + "sets: {tools: [pan, pan]}\n", 14, 21, "`pan` appears twice in set `tools`"),
    Mistake(changed("short]", "{word: short, note: rude}]"), 13, 39, "not one of 'dated' or 'offensive'"),
    Mistake(GOOD + "excluded: [a cook, a cook]\n", 14, 20, "appears twice in `excluded`"),
    Mistake(changed("tall, short", LONG), 13, 13,
            f"a phrase of {LONGEST_PHRASE + 1} words", f"at most {LONGEST_PHRASE} words"),
    Mistake(changed("woman: women", f"woman: {LONG}"), 7, 19, "a phrase of 9 words"),
    Mistake(GOOD + f"function_words: {{degree: [{LONG}]}}\n", 14, 27, "a phrase of 9"),
    Mistake(changed("short]", "short: shorts]"), 13, 19, "the modifier `short` has a plural"),
    Mistake(changed("short]", "{word: short, says: [height]}]"), 13, 39,
            "the modifier `short` has `says`", "`also`"),
    Mistake(changed("[cook,", "[{word: cook, says: [person]},"), 7, 33,
            "no such category: `person`", "known here: height"),
    Mistake(changed("[cook,", "[{word: cook, only_with: [woman]},"), 7, 13,
            "the head `cook` has `only_with`", "list the intended phrases"),
    Mistake(changed("[cook,", "[{word: cook, not_with: [height]},"), 7, 37,
            "the `not_with` of the head `cook` must list words and sets", "not_with: [paper, tape]"),
    Mistake(with_modifier(""), 14, 3, "the category `mood` has no words", "add `words:`"),
    Mistake(TOP + "plurals_are: many\nheads: {many: {description: Many.}}\n", 5, 9,
            "the category `many` has no words"),
    Mistake(with_modifier("    patterns: [sad]\n"), 18, 16, "no placeholder in the pattern 'sad'"),
    Mistake(with_modifier("    patterns: ['{number sad']\n"), 18, 16, "no placeholder"),
    Mistake(with_modifier("    patterns: ['{number}} sad']\n"), 18, 16, "no placeholder"),
    Mistake(with_modifier("    patterns: ['{heigth} sad']\n"), 18, 16,
            "{heigth} is neither a set nor a category", "did you mean `height`?"),
    Mistake(with_modifier("    patterns: ['{persons} sad']\n"), 18, 16,
            "{persons} is neither a set nor a category", "did you mean"),
    Mistake(with_modifier("    patterns: ['{mood} sad', '{number} sad']\n"), 18, 16,
            "{mood} has no words", "a placeholder matches the words of a set or category, not its patterns"),
    Mistake(with_modifier("    patterns: ['{number} a b c d e f g']\n"), 18, 16,
            "matches phrases of 9 words", "at most 8 words"),
    Mistake(with_modifier("    patterns: ['{number}, sad']\n"), 18, 16, "no text can match"),
    Mistake(with_modifier("    patterns: ['{number}–sad']\n"), 18, 16, "no text can match"),
    Mistake(with_modifier('    patterns: ["{word}\'s"]\n'), 18, 16, "no text can match"),
    Mistake(with_modifier("    patterns: ['{w} {w} sad']\n") + f"sets: {{w: {MANY}}}\n", 18, 16,
            "matches 160,000 phrases", "fewer placeholders"),
    Mistake(GOOD + "sets: {tools: []}\n", 14, 8, "the set `tools` has no words"),
    Mistake(GOOD + "sets: {height: [a]}\n", 14, 8, "` is already in use"),
    Mistake(GOOD + "sets: {number: [a]}\n", 14, 8, "` is already in use"),
    Mistake(GOOD + "function_words: {determiners: [a]}\n", 14, 18,
            "no function words of the kind `determiners`", "did you mean `determiner`?"),
    Mistake(GOOD + "plurals_are: people\n", 14, 14, "does not name a head category: `people`", "known here"),
    Mistake(changed("short]", "{word: short, also: [heigt]}]"), 13, 40,
            "no such category: `heigt`", "`height`?"),
    Mistake(GOOD + "examples: [{text: a cook, heads: [height]}]\n", 14, 35,
            "no such category: `height`", "known here: person"),
    Mistake(GOOD + "examples: [{text: a cook, modifiers: [person]}]\n", 14, 39,
            "no such category: `person`", "known here: height"),
    Mistake(GOOD + "examples: [{text: a cook, not: [mood]}]\n", 14, 33, "no such category: `mood`"),
    Mistake(GOOD + 'examples: [{text: "?!"}]\n', 14, 19, "'?!' contains nothing to analyse"),
    Mistake(with_modifier("    words: [sad]\n    not_with: [wman]\n"), 19, 16,
            "`wman` is not a head category", "did you mean `woman`?"),
    Mistake(with_modifier("    words: [sad]\n    only_with: [tall]\n"), 19, 17,
            "`tall` is not a head category"),
    Mistake(changed("short]", "{word: short, not_with: [cok]}]"), 13, 44,
            "`cok` is not", "did you mean `cook`?"),
    Mistake(GOOD + "groups: {g: {a: [cook], b: [ladle]}}\n", 14, 29, "`ladle` is not"),
    Mistake(GOOD + "groups: {g: {a: [cook]}}\n", 14, 10, "fewer than two values"),
    Mistake(GOOD + "groups: {g: {a: [cook], b: [Cook]}}\n", 14, 29,
            "`Cook` is in two values of `g`: a and b", "keep one"),
    Mistake(GOOD + "groups: {g: {a: [cook], b: []}}\n", 14, 25, "has no members"),
    Mistake(GOOD + "groups: {g: {a: [cook], neutral: [woman]}}\n", 14, 25,
            "the value `neutral` of the group `g` has a name that reports use"),
    Mistake(with_groups("{word: sad, only_with: [he]}"), 18, 36,
            "`only_with` of `sad` lists heads of gender male, but none of female", "every value or of none"),
    Mistake(with_groups("{word: sad, not_with: [woman]}"), 18, 35,
            "`not_with` of `sad` lists heads of gender female, but none of male"),
    # A set that no group names, but that holds one of its nouns.
    Mistake(with_groups("{word: sad, not_with: [crowned]}"), 18, 35, "lists heads of gender male"),
    Mistake(with_groups(rest="    only_with: [bride]\n"), 19, 16,
            "`only_with` of `mood` lists heads of gender female"),
    # A word of the group's own category would be one thing, but `mood` is not called `gender`.
    Mistake(with_groups(rest="    patterns: ['{he}-like']\n"), 19, 16,
            "the pattern '{he}-like' uses one value of gender, and there is none like it for female",
            "the same pattern for the other values"),
    Mistake(with_groups(rest="    after: ['with {she}']\n"), 19, 13,
            "the pattern 'with {she}' uses one value of gender, and there is none like it for male"),
    Mistake(GOOD + "kinds: [gender]\n", 14, 9, "`kinds` lists something that is not a group: `gender`"),
    Mistake(with_modifier("    words: [sad]\n    after: ['seen {blorp}']\n"), 19, 13, "attribute's {blorp}"),
    Mistake(GOOD + "says_nothing: ['with {blorp}']\n", 14, 16, "attribute's {blorp}"),
    Mistake(GOOD + "pronouns: {noun: blorp, words: {she: []}}\n", 14, 18, "`blorp` is not a head word"),
    Mistake(GOOD + "pronouns: {noun: cook, words: {she: [blorp]}}\n", 14, 38, "no group has the value"),
    Mistake(with_modifier("    words: [sad]\n    after: [In black]\n"), 19, 13, "'In'", "for example"),
    Mistake(with_modifier("    words: [sad]\n    after: [in ...]\n"), 19, 13, "no text can match"),
    Mistake(with_modifier("    words: [sad]\n    after: ['in {hue}']\n"), 19, 13, "attribute's {hue}"),
]  # fmt: skip
SYNTAX = [
    Mistake(GOOD + "syntax: {}\n", 14, 9, "`syntax` has no rules", "remove it to use the built-in structure"),
    Mistake(GOOD + "syntax:\n  np: [head.person, det head.person]\n", 15, 21,
            "the rule `np` uses `det`, which is not defined", "kinds of function words"),
    Mistake(GOOD + "syntax: {np: [person]}\n", 14, 15, "uses `person`"),
    Mistake(GOOD + "function_words: {np: [a]}\nsyntax: {np: [head.person]}\n", 15, 10,
            "`np` is both a rule and a kind of function words", "rename"),
    Mistake(GOOD + "syntax: {np: [modifier.height]}\n", 14, 9, "leads to no head category"),
    Mistake(GOOD + "syntax: {np: [head.person], x: []}\n", 14, 29, "the rule `x` is empty"),
    Mistake(GOOD + 'syntax: {np: [head.person, " "]}\n', 14, 10, "has an empty alternative"),
    Mistake(GOOD + "syntax: {np: [head.person, np]}\n", 14, 10, "`np` can derive itself", "cycle"),
    Mistake(GOOD + "syntax: {np: [head.person, x], x: [np]}\n", 14, 32, "`x` can derive itself"),
    Mistake(with_modifier("    words: [{word: sad, not_with: [cook]}]\nsyntax: {np: [head.person]}\n"), 14, 3,
            "`mood` has constraints, which work only with the built-in phrase structure"),
]  # fmt: skip
ALL = [*FORM, *ACCIDENTS, *SHAPE, *MEANING, *SYNTAX]


def problems_of(text: str) -> tuple[Problem, ...]:
    with pytest.raises(TaxonomyError) as caught:
        parse_taxonomy(text, "cooks.yaml")
    return caught.value.problems


def matches(problem: Problem, mistake: Mistake) -> bool:
    place = problem.place
    assert place is not None
    here = (place.line, place.column) == (mistake.line, mistake.column)
    return here and mistake.message in problem.message and (mistake.hint or "") in (problem.hint or "")


@pytest.mark.parametrize("loader", ["libyaml", "python"])
@pytest.mark.parametrize("mistake", ALL, ids=lambda mistake: mistake.message)
def test_a_mistake_is_reported_at_its_place(
    mistake: Mistake, loader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if loader == "python":
        monkeypatch.setattr(strict_yaml, "LOADER", yaml.SafeLoader)
    problems = problems_of(mistake.text)
    assert any(matches(problem, mistake) for problem in problems), AssessError(problems)


def test_the_good_file_behind_the_table_is_good() -> None:
    assert parse_taxonomy(GOOD, "cooks.yaml")[0].taxonomy == "cooks"


# One mistake must not cause messages about others that the author did not make.
TWOFOLD = {"YAML reads the key 1 as a number", "unknown key `txt`"}  # no id either; and a key too few
LONE = [mistake for mistake in (*ACCIDENTS, *SHAPE, *MEANING) if mistake.message not in TWOFOLD]


@pytest.mark.parametrize("mistake", LONE, ids=lambda mistake: mistake.message)
def test_a_mistake_is_reported_alone(mistake: Mistake) -> None:
    assert len(problems_of(mistake.text)) == 1, AssessError(problems_of(mistake.text))


FIVE = """\
taxonomy: cooks
version: 1.0
description: Cooks.
heads:
  person:
    description: Any cook.
    words: [cook, no, cook]
modifiers:
  height:
    description: How tall.
    evidence: seen
    words: [tall, {word: short, not_with: [cok]}]
    patterns: ["{inch} tall"]
"""


def test_a_file_with_many_mistakes_is_reported_once_with_all_of_them_by_line() -> None:
    problems = problems_of(FIVE)
    found = [(p.place.line, p.place.column, p.message) for p in problems if p.place]
    assert found == [
        (2, 10, "YAML reads 1.0 as a number"),
        (7, 19, "YAML reads no as true/false"),
        (7, 23, "`cook` appears twice in head `person`; first at line 7"),
        (9, 3, "`sensitivity` is missing"),
        (11, 15, "'seen' is not one of 'visible', 'inferred' or 'invisible'"),
        (13, 16, "the pattern's {inch} is neither a set nor a category"),
    ]


def test_a_name_that_points_nowhere_is_found_beside_mistakes_of_form() -> None:
    places = [
        (p.place.line, p.place.column) for p in problems_of(FIVE.replace("{inch}", "{number}")) if p.place
    ]
    assert (12, 44) in places


def test_the_text_of_an_error_shows_the_line_a_caret_and_a_hint() -> None:
    (problem,) = problems_of(changed("tall, short", "tall, no"))
    assert str(problem) == (
        "cooks.yaml:13:19: YAML reads no as true/false\n"
        "  |     words: [tall, no]\n"
        "  |                   ^\n"
        '  hint: put it in quotes: "no"'
    )


def test_a_billion_laughs_are_refused_without_being_expanded() -> None:
    laughs = "a0: &a0 [lol]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
    )
    assert len(problems_of(laughs)) == 81


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_other_line_endings_give_the_same_places(ending: str) -> None:
    (problem,) = problems_of(changed("tall, short", "tall, no").replace("\n", ending))
    assert problem.place == Place("cooks.yaml", 13, 19, source="    words: [tall, no]")


def test_a_missing_part_is_no_reason_to_doubt_the_names_of_others() -> None:
    text = changed("heads:", "head:") + "examples: [{text: a cook, heads: [person], modifiers: [height]}]\n"
    assert [problem.message for problem in problems_of(text)] == ["`heads` is missing", "unknown key `head`"]


ENGINES: tuple[Engine, ...] = ("fast", "reference")
FUZZED = """\
taxonomy: cooks
version: 1.0.0
description: Cooks.
heads:
  person:
    description: Any cook.
    words: [cook, woman: women]
modifiers:
  height:
    description: How tall.
    evidence: visible
    sensitivity: none
    not_with: [cook]
    words: [tall, short]
    patterns: ["{number} feet"]
groups: {gender: {female: [woman], other: [cook]}}
kinds: [gender]
examples:
  - {text: a tall woman, heads: [person], modifiers: [height]}
"""

SCALARS = st.one_of(
    st.text(max_size=5),
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.sampled_from(
        ["", " ", "-", "cook", "{word}", "{height} tall", "no", "a of", "head.person", "2020-01-01"]
    ),
)
KEYS = st.sampled_from(["word", "plural", "words", "text", "x", "A", "not_with", "height", "patterns"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=5,
)
TOP_LEVEL = ("taxonomy", "version", "sets", "syntax", "excluded", "function_words", "plurals_are", "hyphens")
PLACES = st.sampled_from(
    [
        *((name,) for name in TOP_LEVEL),
        ("heads",),
        ("heads", "person"),
        ("heads", "person", "words"),
        ("heads", "person", "words", 0),
        ("heads", "person", "words", 1, "woman"),
        ("modifiers",),
        ("modifiers", "height"),
        ("modifiers", "height", "words", 0),
        ("modifiers", "height", "evidence"),
        ("modifiers", "height", "not_with"),
        ("modifiers", "height", "not_with", 0),
        ("modifiers", "height", "patterns"),
        ("modifiers", "height", "patterns", 0),
        ("groups", "gender", "female"),
        ("examples", 0),
        ("examples", 0, "heads"),
        ("examples", 0, "modifiers", 0),
        ("unknown",),
    ]
)


def reported(text: str) -> tuple[Problem, ...] | None:
    """Return a file's problems, or None where it has none and works. Any other exception is a defect."""
    try:
        taxonomy, _ = parse_taxonomy(text, "cooks.yaml")
    except TaxonomyError as error:
        return error.problems
    for engine in ENGINES:
        Parser(taxonomy, engine=engine).analyse("the very tall woman's cook")
    return None


def put(value: Any, place: tuple[str | int, ...], new: Any) -> None:
    """Change a nested value, where it still has the place."""
    for part in place[:-1]:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return
    last: Any = place[-1]
    if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(last, int)):
        value[last] = new


@pytest.mark.parametrize(
    "text",
    [
        with_groups("{word: sad, only_with: [she, he]}"),
        with_groups("{word: sad, not_with: [bride, king]}"),
        with_groups("{word: sad, only_with: [cook]}"),  # of no value
        with_groups(rest="    patterns: ['{he}-like', '{she}-like']\n"),
        with_groups("{word: sad, only_with: [he]}", more="kinds: [gender]\n"),
        # "Short" tells the group's own attribute of some heads, and height of the others.
        with_groups("{word: short, only_with: [he]}").replace("  mood:", "  gender:"),
        with_groups("{word: short, only_with: [he]}")
        .replace("  mood:", "  gender:")
        .replace("[tall, short]", "[tall, {word: short, not_with: [he]}]"),
    ],
)
def test_a_constraint_that_treats_the_values_of_a_group_alike_is_accepted(text: str) -> None:
    assert reported(text) is None


def test_the_file_that_is_changed_here_is_good() -> None:
    assert reported(FUZZED) is None


@example([(("modifiers", "height", "words", 0), {"word": None, "plural": None})])
@examples(150)
@given(st.lists(st.tuples(PLACES, VALUES), min_size=1, max_size=4))
def test_other_values_anywhere_are_accepted_or_reported(
    changes: list[tuple[tuple[str | int, ...], Any]],
) -> None:
    value = yaml.safe_load(FUZZED)
    for place, new in changes:
        put(value, place, new)
    problems = reported(yaml.safe_dump(value, sort_keys=False))
    assert problems is None or problems
    # Fillers that were inserted to continue checking are never shown.
    assert not any(FILLER in f"{problem.message} {problem.hint}" for problem in problems or ())


@examples(150)
@given(st.integers(0, len(FUZZED) - 1), st.integers(0, 12), st.text(max_size=4))
def test_a_file_cut_or_changed_anywhere_is_accepted_or_reported(start: int, length: int, new: str) -> None:
    problems = reported(FUZZED[:start] + new + FUZZED[start + length :])
    assert problems is None or problems


@examples(100)
@given(st.text())
def test_any_text_is_accepted_or_reported(text: str) -> None:
    assert reported(text)


CAFE = "taxonomy: x\nversion: 1.0.0\ndescription: X.\nheads: {h: {description: H., words: [café]}}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_path_is_read_with_and_without_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CAFE, encoding=encoding)
    taxonomy, document = read_taxonomy(str(path))
    assert taxonomy.heads["h"].words[0].word == "café"
    assert document.place(("heads", "h", "words", 0)).column == 38


def test_a_file_that_is_not_utf8_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(CAFE.encode("latin-1"))
    told = f"{path}:4: byte {CAFE.index('é') + 1} is not UTF-8\n  hint: save the file as UTF-8"
    assert str(the_problem(load_taxonomy, str(path))) == told


def test_a_missing_file_and_a_folder_are_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.yaml: the file does not exist"):
        load_taxonomy(str(tmp_path / "gone.yaml"))
    (tmp_path / "x.yaml").mkdir()
    with pytest.raises(InputError, match="this is a folder, not a file"):
        load_taxonomy(str(tmp_path / "x.yaml"))


def test_a_file_that_may_not_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        load_taxonomy(str(tmp_path / "x.yaml"))


def test_a_file_of_absurd_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_yaml, "_LARGEST", len(CAFE) - 1)
    with pytest.raises(AssessError, match="the file is too large for a hand-written file"):
        parse_taxonomy(CAFE, "x.yaml")


@pytest.mark.parametrize("domain", ["x" * 5000, "a\x00b", "-", "\x1b[1m"])
def test_a_domain_that_no_file_could_have_is_reported(domain: str) -> None:
    with pytest.raises(UsageError, match="there is no domain"):
        load_taxonomy(domain)


def test_a_shipped_name_comes_before_a_folder_and_a_file_needs_no_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("mine").write_text(CAFE, encoding="utf-8")
    assert (load_taxonomy("people").taxonomy, load_taxonomy("mine").taxonomy) == ("people", "x")


def test_every_shipped_taxonomy_is_named_after_its_file() -> None:
    shipped = shipped_taxonomies()
    assert "people" in shipped
    assert {name: load_taxonomy(name).taxonomy for name in shipped} == {name: name for name in shipped}
