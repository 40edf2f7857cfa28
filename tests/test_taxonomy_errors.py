"""Every mistake that a taxonomy file can have: a table of (bad example, line, column, message)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import yaml

from assess.errors import AssessError, Problem, TaxonomyError
from assess.taxonomy import parse_taxonomy, strict_yaml
from assess.taxonomy.phrases import LONGEST_PHRASE

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
    """A bad file and what must be said about it."""

    name: str
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


LONG = " ".join(["very"] * LONGEST_PHRASE + ["tall"])
# Two of these make more phrases than one pattern may stand for.
MANY = "[" + ", ".join(f"w{number}" for number in range(400)) + "]"

FORM = [
    Mistake("empty file", "", None, None, "the file is empty", "assess domain show"),
    Mistake("only comments", "# nothing\n", None, None, "the file is empty"),
    Mistake("explicit null", "~\n", None, None, "the file is empty"),
    Mistake("a text", "hello\n", 1, 1, "expected a mapping, found a text"),
    Mistake("a list", "- a\n- b\n", 1, 1, "expected a mapping, found a list"),
    Mistake("two documents", GOOD + "---\n" + GOOD, 14, 1, "not valid YAML"),
    Mistake("unclosed bracket", changed("[tall, short]", "[tall, short"), 14, 1, "not valid YAML"),
    Mistake("colon in a text", changed("How tall.", "How: tall."), 10, 21, "not valid YAML", '": "'),
    Mistake("tab", GOOD + "groups:\n\tgender: {}\n", 15, 1, "a tab in the indentation", "with spaces"),
    Mistake("alias", GOOD + "excluded: &x [a cook]\nsets: {y: *x}\n", 15, 11, "aliases (*x)", "sets:"),
    Mistake("merge key", GOOD + "sets: {<<: {a: [b]}}\n", 14, 8, "YAML reads the key << as merge"),
    Mistake(
        "duplicate key", GOOD + "version: 2.0.0\n", 14, 1, "the key `version` stands twice; first at line 2"
    ),
    Mistake(
        "duplicate category", GOOD + "  height: {}\n", 14, 3, "the key `height` stands twice; first at line 9"
    ),
    Mistake("list as key", GOOD + "? [a]\n: b\n", 14, 3, "a key must be a plain word"),
    Mistake("control character", GOOD + "# caf\N{LATIN SMALL LETTER E WITH ACUTE} \x1b[1m\n", 14, 8, "#001b"),
    Mistake(
        "NUL", changed("How tall.", "How\x00tall."), 10, 21, "character #0000 is not allowed", "remove it"
    ),
    Mistake("lone surrogate", changed("How tall.", "How\ud800"), 10, 21, "character #d800 is not allowed"),
    Mistake("nested too deeply", TOP + "heads: " + "[" * 900 + "]" * 900, 4, 37, "nested too deeply"),
    Mistake("nested mappings", TOP + "heads: " + "{a: " * 400 + "}" * 400, 4, 124, "nested too deeply"),
]
ACCIDENTS = [
    Mistake("no", changed("tall, short", "tall, no"), 13, 19, "YAML reads no as true/false", 'quotes: "no"'),
    Mistake("on", changed("tall, short", "on, short"), 13, 13, "YAML reads on as true/false", '"on"'),
    Mistake("True", changed("tall, short", "True"), 13, 13, "YAML reads True as true/false", '"True"'),
    Mistake("integer", changed("tall, short", "tall, 20"), 13, 19, "YAML reads 20 as a number", '"20"'),
    Mistake(
        "sexagesimal", changed("tall, short", "12:30"), 13, 13, "YAML reads 12:30 as a number", '"12:30"'
    ),
    Mistake("date", changed("tall, short", "2020-01-31"), 13, 13, "YAML reads 2020-01-31 as a date"),
    Mistake("float version", changed("1.0.0", "1.0"), 2, 10, "YAML reads 1.0 as a number", "as in 1.0.0"),
    Mistake("key no", changed("  height:", "  no:"), 9, 3, "YAML reads the key no as true/false", '"no"'),
    Mistake("number key", changed("  height:", "  1:"), 9, 3, "YAML reads the key 1 as a number"),
    Mistake("plural no", changed("woman: women", "woman: no"), 7, 19, "YAML reads no as true/false"),
    Mistake("own tag", changed("How tall.", "!x How"), 10, 18, "YAML reads How as !x"),
    Mistake("evidence yes", changed("visible", "yes"), 11, 15, "YAML reads yes as true/false"),
    Mistake("description null", changed("Any cook.", "~"), 6, 18, "expected a text, found nothing (null)"),
    Mistake("word null", changed("tall, short", "tall, ~"), 13, 19, "expected a word, found nothing (null)"),
]
SHAPE = [
    Mistake("unknown key", GOOD + "colour: red\n", 14, 1, "unknown key `colour`", "known here: "),
    Mistake("misspelt key", GOOD + "group: {}\n", 14, 1, "unknown key `group`", "did you mean `groups`?"),
    Mistake(
        "misspelt in category", with_modifier("    wrods: [sad]\n"), 18, 5, "unknown key `wrods`", "`words`"
    ),
    Mistake(
        "misspelt in head", changed("    words: [cook", "    word: [cook"), 7, 5, "unknown key", "`words`?"
    ),
    Mistake(
        "misspelt in entry",
        changed("short]", "{word: short, not_wth: [cook]}]"),
        13,
        33,
        "unknown key `not_wth`",
        "`not_with`?",
    ),
    Mistake("misspelt in example", GOOD + "examples: [{txt: a}]\n", 14, 13, "unknown key `txt`", "`text`?"),
    Mistake("no version", changed("version: 1.0.0\n", ""), 1, 1, "`version` is missing", "version: 1.0.0"),
    Mistake("no heads", TOP, 1, 1, "`heads` is missing", "at least one head category"),
    Mistake("no taxonomy", changed("taxonomy: cooks\n", ""), 1, 1, "`taxonomy` is missing"),
    Mistake("no evidence", changed("    evidence: visible\n", ""), 9, 3, "`evidence` is missing", "inferred"),
    Mistake(
        "no sensitivity", changed("    sensitivity: none\n", ""), 9, 3, "`sensitivity` is missing", "none"
    ),
    Mistake("no description", changed("    description: How tall.\n", ""), 9, 3, "`description` is missing"),
    Mistake("no word", changed("short]", "{plural: x}]"), 13, 19, "`word` is missing"),
    Mistake("no example text", GOOD + "examples: [{heads: [person]}]\n", 14, 12, "`text` is missing"),
    Mistake("capital in id", changed("  height:", "  Height:"), 9, 3, "'Height' is not an id", "lowercase"),
    Mistake("two hyphens in id", changed("  height:", "  hei--ght:"), 9, 3, "'hei--ght' is not an id"),
    Mistake("underscore in id", changed("  height:", "  body_height:"), 9, 3, "'body_height' is not an id"),
    Mistake(
        "bad domain id", changed("taxonomy: cooks", "taxonomy: My Cooks"), 1, 11, "'My Cooks' is not an id"
    ),
    Mistake("bad version", changed("1.0.0", "one"), 2, 10, "'one' is not a version", "as in 1.0.0"),
    Mistake("other language", GOOD + "language: de\n", 14, 11, "'de' is not one of 'en'"),
    Mistake("bad evidence", changed("visible", "seen"), 11, 15, "'seen' is not one of 'visible', 'inferred'"),
    Mistake("bad sensitivity", changed(": none", ": low"), 12, 18, "'low' is not one of 'none', 'personal'"),
    Mistake(
        "words as text", changed("[tall, short]", "tall"), 13, 12, "expected a list, found a text", "[tall]"
    ),
    Mistake(
        "category as list",
        changed("  person:\n    description: Any cook.\n    words: [cook, woman: women]", "  person: [cook]"),
        5,
        11,
        "expected a mapping, found a list",
    ),
    Mistake("heads as list", TOP + "heads: [cook]\n", 4, 8, "expected a mapping, found a list"),
    Mistake("no head category", TOP + "heads: {}\n", 4, 8, "this is empty", "write something"),
    Mistake("empty word", changed("tall, short", 'tall, ""'), 13, 19, "this is empty"),
    Mistake("list as word", changed("tall, short", "tall, [short]"), 13, 19, "expected a word, found a list"),
    Mistake(
        "domain as text", GOOD + "examples: [{text: a, in_domain: none}]\n", 14, 33, "expected true or false"
    ),
]
MEANING = [
    Mistake("nothing to match", changed("tall, short", 'tall, "..."'), 13, 19, "nothing to match in '...'"),
    Mistake("empty plural", changed("woman: women", 'woman: "-"'), 7, 19, "nothing to match in '-'"),
    Mistake(
        "pattern as word",
        changed("tall, short", '"{word} tall"'),
        13,
        13,
        "looks like a pattern",
        "patterns:",
    ),
    Mistake(
        "twice",
        changed("tall, short", "tall, short, Tall"),
        13,
        26,
        "`Tall` stands twice in modifier `height`",
    ),
    Mistake("twice by hyphen", changed("tall, short", "very tall, very-tall"), 13, 24, "first at line 13"),
    Mistake(
        "twice in a set", GOOD + "sets: {tools: [pan, pan]}\n", 14, 21, "`pan` stands twice in set `tools`"
    ),
    Mistake("twice excluded", GOOD + "excluded: [a cook, a cook]\n", 14, 20, "stands twice in `excluded`"),
    Mistake(
        "phrase too long",
        changed("tall, short", LONG),
        13,
        13,
        f"a phrase of {LONGEST_PHRASE + 1} words",
        f"at most {LONGEST_PHRASE} words",
    ),
    Mistake("plural too long", changed("woman: women", f"woman: {LONG}"), 7, 19, "a phrase of 9 words"),
    Mistake(
        "function word too long", GOOD + f"function_words: {{degree: [{LONG}]}}\n", 14, 27, "a phrase of 9"
    ),
    Mistake(
        "plural of a modifier",
        changed("short]", "short: shorts]"),
        13,
        19,
        "the modifier `short` has a plural",
    ),
    Mistake(
        "says of a modifier",
        changed("short]", "{word: short, says: [height]}]"),
        13,
        39,
        "the modifier `short` has `says`",
        "`also`",
    ),
    Mistake(
        "says of no modifier",
        changed("[cook,", "[{word: cook, says: [person]},"),
        7,
        33,
        "no such category: `person`",
        "known here: height",
    ),
    Mistake(
        "constraint of a head",
        changed("[cook,", "[{word: cook, not_with: [woman]},"),
        7,
        13,
        "the head `cook` has a constraint",
        "constraints stand at modifiers",
    ),
    Mistake("empty category", with_modifier(""), 14, 3, "the category `mood` has no words", "add `words:`"),
    Mistake(
        "plurals of nothing",
        TOP + "plurals_are: many\nheads: {many: {description: Many.}}\n",
        5,
        9,
        "the category `many` has no words",
    ),
    Mistake(
        "plain pattern", with_modifier("    patterns: [sad]\n"), 18, 16, "no placeholder in the pattern 'sad'"
    ),
    Mistake("open brace", with_modifier("    patterns: ['{number sad']\n"), 18, 16, "no placeholder"),
    Mistake("stray brace", with_modifier("    patterns: ['{number}} sad']\n"), 18, 16, "no placeholder"),
    Mistake(
        "unknown placeholder",
        with_modifier("    patterns: ['{heigth} sad']\n"),
        18,
        16,
        "{heigth} is neither a set nor a category",
        "did you mean `height`?",
    ),
    Mistake(
        "head category in a pattern",
        with_modifier("    patterns: ['{person} sad']\n"),
        18,
        16,
        "{person} is neither a set nor a category",
        "known here: height, mood, number, word",
    ),
    Mistake(
        "placeholder for nothing",
        with_modifier("    patterns: ['{mood} sad', '{number} sad']\n"),
        18,
        16,
        "{mood} stands for no words",
        "not for its patterns",
    ),
    Mistake(
        "pattern too long",
        with_modifier("    patterns: ['{number} a b c d e f g']\n"),
        18,
        16,
        "stands for phrases of 9 words",
        "at most 8 words",
    ),
    Mistake(
        "comma in a pattern", with_modifier("    patterns: ['{number}, sad']\n"), 18, 16, "no text can match"
    ),
    Mistake(
        "dash in a pattern", with_modifier("    patterns: ['{number}–sad']\n"), 18, 16, "no text can match"
    ),
    Mistake(
        "possessive placeholder", with_modifier('    patterns: ["{word}\'s"]\n'), 18, 16, "no text can match"
    ),
    Mistake(
        "too many instances",
        GOOD.replace("modifiers:\n", f"sets: {{w: {MANY}}}\nmodifiers:\n").replace(
            "[tall, short]\n", "[tall]\n    patterns: ['{w} {w} sad']\n"
        ),
        15,
        16,
        "stands for 160,000 phrases",
        "fewer placeholders",
    ),
    Mistake("empty set", GOOD + "sets: {tools: []}\n", 14, 8, "the set `tools` has no words"),
    Mistake("set named like a category", GOOD + "sets: {height: [a]}\n", 14, 8, "the name of something else"),
    Mistake(
        "set named like a placeholder", GOOD + "sets: {number: [a]}\n", 14, 8, "the name of something else"
    ),
    Mistake(
        "kind of function words",
        GOOD + "function_words: {determiners: [a]}\n",
        14,
        18,
        "no function words of the kind `determiners`",
        "did you mean `determiner`?",
    ),
    Mistake(
        "plurals_are",
        GOOD + "plurals_are: people\n",
        14,
        14,
        "names no head category: `people`",
        "known here",
    ),
    Mistake(
        "also",
        changed("short]", "{word: short, also: [heigt]}]"),
        13,
        40,
        "no such category: `heigt`",
        "`height`?",
    ),
    Mistake(
        "example's head",
        GOOD + "examples: [{text: a cook, heads: [height]}]\n",
        14,
        35,
        "no such category: `height`",
        "known here: person",
    ),
    Mistake(
        "example's modifier",
        GOOD + "examples: [{text: a cook, modifiers: [person]}]\n",
        14,
        39,
        "no such category: `person`",
        "known here: height",
    ),
    Mistake(
        "example's not",
        GOOD + "examples: [{text: a cook, not: [mood]}]\n",
        14,
        33,
        "no such category: `mood`",
    ),
    Mistake("example without words", GOOD + 'examples: [{text: "?!"}]\n', 14, 19, "nothing to read in '?!'"),
    Mistake(
        "not_with",
        with_modifier("    words: [sad]\n    not_with: [wman]\n"),
        19,
        16,
        "`wman` is neither a head category",
        "did you mean `woman`?",
    ),
    Mistake(
        "only_with a modifier",
        with_modifier("    words: [sad]\n    only_with: [tall]\n"),
        19,
        17,
        "`tall` is neither a head category",
    ),
    Mistake(
        "word's not_with",
        changed("short]", "{word: short, not_with: [cok]}]"),
        13,
        44,
        "`cok` is neither",
        "did you mean `cook`?",
    ),
    Mistake("group of nobody", GOOD + "groups: {g: {a: [cook], b: [ladle]}}\n", 14, 29, "`ladle` is neither"),
    Mistake("group with one value", GOOD + "groups: {g: {a: [cook]}}\n", 14, 10, "fewer than two values"),
    Mistake(
        "group member twice",
        GOOD + "groups: {g: {a: [cook], b: [Cook]}}\n",
        14,
        29,
        "`Cook` is in two values of `g`: a and b",
        "keep one",
    ),
    Mistake(
        "group value without members", GOOD + "groups: {g: {a: [cook], b: []}}\n", 14, 25, "has no members"
    ),
    Mistake(
        "group value neutral",
        GOOD + "groups: {g: {a: [cook], neutral: [woman]}}\n",
        14,
        25,
        "the value `neutral` of the group `g` has a name that reports use",
    ),
    Mistake(
        "after without object", with_modifier("    words: [sad]\n    after: [beard]\n"), 19, 13, "no object"
    ),
    Mistake(
        "after with capital",
        with_modifier("    words: [sad]\n    after: [In black]\n"),
        19,
        13,
        "'In'",
        "as in",
    ),
    Mistake(
        "after with dots",
        with_modifier("    words: [sad]\n    after: [in ...]\n"),
        19,
        13,
        "no text can match",
    ),
    Mistake(
        "after a category",
        with_modifier("    words: [sad]\n    after: ['in {hue}']\n"),
        19,
        13,
        "attribute's {hue}",
    ),
]
SYNTAX = [
    Mistake("no rules", GOOD + "syntax: {}\n", 14, 9, "`syntax` has no rules", "leave it out"),
    Mistake(
        "unknown symbol",
        GOOD + "syntax:\n  np: [head.person, det head.person]\n",
        15,
        21,
        "the rule `np` uses `det`, which is not defined",
        "kinds of function words",
    ),
    Mistake("category without its role", GOOD + "syntax: {np: [person]}\n", 14, 15, "uses `person`"),
    Mistake(
        "rule and function words",
        GOOD + "function_words: {np: [a]}\nsyntax: {np: [head.person]}\n",
        15,
        10,
        "`np` is both a rule and a kind of function words",
        "rename",
    ),
    Mistake("no head", GOOD + "syntax: {np: [modifier.height]}\n", 14, 9, "no head category can be reached"),
    Mistake("no alternative", GOOD + "syntax: {np: [head.person], x: []}\n", 14, 29, "the rule `x` is empty"),
    Mistake(
        "empty alternative", GOOD + 'syntax: {np: [head.person, " "]}\n', 14, 10, "has an empty alternative"
    ),
    Mistake(
        "itself",
        GOOD + "syntax: {np: [head.person, np]}\n",
        14,
        10,
        "`np` can stand for itself alone",
        "circle",
    ),
    Mistake(
        "circle", GOOD + "syntax: {np: [head.person, x], x: [np]}\n", 14, 32, "`x` can stand for itself alone"
    ),
    Mistake(
        "constraints",
        with_modifier("    words: [{word: sad, not_with: [cook]}]\nsyntax: {np: [head.person]}\n"),
        14,
        3,
        "`mood` has constraints, which work with the built-in phrase structure only",
    ),
]
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
@pytest.mark.parametrize("mistake", ALL, ids=lambda mistake: mistake.name)
def test_a_mistake_is_reported_at_its_place(
    mistake: Mistake, loader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if loader == "python":
        monkeypatch.setattr(strict_yaml, "LOADER", yaml.SafeLoader)
    problems = problems_of(mistake.text)
    assert any(matches(problem, mistake) for problem in problems), AssessError(problems)


def test_the_good_file_behind_the_table_is_good() -> None:
    assert parse_taxonomy(GOOD, "cooks.yaml")[0].taxonomy == "cooks"


def test_names_in_the_table_are_unique() -> None:
    assert len({mistake.name for mistake in ALL}) == len(ALL)


# One mistake must not drag others along that the author did not make.
LONE = [
    mistake
    for mistake in (*ACCIDENTS, *SHAPE, *MEANING)
    if mistake.name
    not in {"number key", "misspelt in example"}  # two mistakes at one place, and a key too few
]


@pytest.mark.parametrize("mistake", LONE, ids=lambda mistake: mistake.name)
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
        (7, 23, "`cook` stands twice in head `person`; first at line 7"),
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
    with pytest.raises(TaxonomyError) as caught:
        parse_taxonomy(changed("tall, short", "tall, no"), "cooks.yaml")
    assert str(caught.value) == (
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
    assert problem.place is not None
    assert (problem.place.line, problem.place.column) == (13, 19)
    assert problem.place.source == "    words: [tall, no]"


def test_a_missing_part_is_no_reason_to_doubt_the_names_of_others() -> None:
    text = changed("heads:", "head:") + "examples: [{text: a cook, heads: [person], modifiers: [height]}]\n"
    assert [problem.message for problem in problems_of(text)] == ["`heads` is missing", "unknown key `head`"]
