"""Taxonomies that consist of several files, and features beyond lists of words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assess.errors import TaxonomyError
from assess.grammar import Parser
from assess.grammar.labels import LabelFinder
from assess.grammar.parser import Engine
from assess.records import Role
from assess.taxonomy import load_taxonomy, parse_taxonomy, read_taxonomy
from assess.taxonomy.compose import sources_of
from assess.taxonomy.edit import Addition, add_word
from assess.taxonomy.lint import lint
from assess.taxonomy.model import Entry
from assess.taxonomy.strict_yaml import taxonomy_text
from assess.taxonomy.word_table import read_word_table, taxonomy_values
from assess.taxonomy.words import grades_of
from tests.commands import assess

BASE = """\
taxonomy: food
version: 1.0.0
description: Food.
sets:
  spice: [salt, pepper]
heads:
  fruit:
    description: Fruit.
    words: [apple, pear]
  dish:
    description: Dishes.
    words: [pie, {word: roll, not_with: [paper, tape]}]
modifiers:
  size:
    description: How big.
    evidence: visible
    sensitivity: none
    grades: true
    words: [big, tiny, elegant, {word: whole, grades: false}]
  serving:
    description: What it is served in.
    evidence: visible
    sensitivity: none
    words: [served]
    of: [bowl, loaf]
  flavour:
    description: What it tastes of.
    evidence: inferred
    sensitivity: none
    patterns: ["{fruit}", "{spice}"]
excluded: [hot roll]
examples:
  - {text: an apple pie, heads: [dish], modifiers: [flavour]}
"""
OWN = "taxonomy: mine\nversion: 1.0.0\ndescription: Mine.\nextends: base.yaml\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "nuts.yaml").write_text(
        "list: nuts\ndescription: Nuts.\nwords: [almond, {word: hazel, not_with: [fruit]}, walnut]\n",
        encoding="utf-8",
    )
    return tmp_path


def best(parser: Parser, text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    analysis = parser.analyse(text)
    return analysis.best.heads, analysis.best.modifiers, analysis.unknown


@pytest.mark.parametrize(
    ("text", "heads", "modifiers"),
    [
        ("an apple pie", ["dish"], ["flavour"]),  # a head category in a pattern, as a modifier
        ("a pepper pie", ["dish"], ["flavour"]),
        ("a bigger pear", ["fruit"], ["size"]),
        ("the tiniest pear", ["fruit"], ["size"]),
        ("a more elegant pie", ["dish"], ["size"]),
        ("two bowls of pears", ["fruit"], ["serving"]),
        ("loaves of pie", ["dish"], ["serving"]),
        ("a big roll", ["dish"], ["size"]),
    ],
)
def test_what_follows_from_the_words_is_read(text: str, heads: list[str], modifiers: list[str]) -> None:
    found = best(Parser(parse_taxonomy(BASE, "base.yaml")[0]), text)
    assert (list(found[0]), list(found[1])) == (heads, modifiers)


@pytest.mark.parametrize("text", ["a paper roll", "a roll of paper", "some tape rolls", "a hot roll"])
def test_a_head_is_something_else_beside_some_words(text: str) -> None:
    assert not Parser(parse_taxonomy(BASE, "base.yaml")[0]).analyse(text).in_domain


def test_a_roll_of_paper_in_a_caption_is_no_food(folder: Path) -> None:
    found = assess(
        "parse", "--domain", str(folder / "base.yaml"), "a man holds a roll of toilet paper"
    ).stdout
    assert "dish" not in found
    assert (
        "dish" in assess("parse", "--domain", str(folder / "base.yaml"), "a man eats a roll with ham").stdout
    )


@pytest.mark.parametrize(
    ("adjective", "forms"),
    [
        ("tall", "taller tallest"), ("big", "bigger biggest"), ("large", "larger largest"),
        ("muddy", "muddier muddiest"), ("gray", "grayer grayest"), ("narrow", "narrower narrowest"),
        ("simple", "simpler simplest"), ("good", "better best"), ("red", "redder reddest"),
        ("low", "lower lowest"), ("thick", "thicker thickest"),
    ],
)  # fmt: skip
def test_adjectives_are_compared(adjective: str, forms: str) -> None:
    assert " ".join(grades_of(adjective)) == forms
    assert grades_of("well-worn") == ("more well-worn", "most well-worn")


def test_a_file_extends_another_one(folder: Path) -> None:
    own = folder / "own.yaml"
    own.write_text(
        OWN + "heads:\n  dish: {words: [stew, {word: pie, plural: pies}], remove: [roll]}\n  fruit:\n"
        "    description: Sweet things.\nmodifiers:\n  size: null\n  nut:\n    description: Nuts.\n"
        "    evidence: visible\n    sensitivity: none\n    use: [nuts]\n    words: [peanut]\n"
        "    remove: [almond]\n"
        "sets:\n  spice: {use: [nuts], words: [thyme], remove: [salt]}\nremove: [hot roll]\n",
        encoding="utf-8",
    )
    taxonomy, document = read_taxonomy(str(own))
    assert [entry.word for entry in taxonomy.heads["dish"].words] == ["pie", "stew"]
    assert taxonomy.heads["fruit"].description == "Sweet things."
    assert [entry.word for entry in taxonomy.heads["fruit"].words] == ["apple", "pear"]
    assert [entry.word for entry in taxonomy.modifiers["nut"].words] == ["hazel", "peanut", "walnut"]
    assert taxonomy.set_words("spice") == ["pepper", "almond", "hazel", "thyme", "walnut"]
    assert list(taxonomy.modifiers) == ["serving", "flavour", "nut"]
    assert (taxonomy.excluded, taxonomy.examples) == ((), ())
    # Everything is still found where it stands.
    assert document.place(("heads", "fruit", "words", 1)).file.endswith("base.yaml")
    place = document.place(("heads", "dish", "words", 1))
    assert (place.file, place.line, place.column) == (str(own), 6, 18)
    assert all(problem.place and problem.place.file == str(own) for problem in lint(taxonomy, document))


def test_a_changed_list_changes_the_taxonomy(folder: Path) -> None:
    own = folder / "own.yaml"
    own.write_text(OWN + "sets: {spice: {use: [nuts]}}\n", encoding="utf-8")
    before = load_taxonomy(str(own))
    nuts = folder / "lists" / "nuts.yaml"
    nuts.write_text("list: nuts\ndescription: Nuts.\nwords: [cashew]\n", encoding="utf-8")
    assert load_taxonomy(str(own)).set_words("spice") == ["salt", "pepper", "cashew"]
    assert before.set_words("spice") != ["salt", "pepper", "cashew"]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        (
            OWN.replace("base.yaml", "nowhere.yaml"),
            4,
            10,
            "cannot extend `nowhere.yaml`: the file does not exist",
        ),
        (OWN.replace("base.yaml", "peeple"), 4, 10, "cannot extend `peeple`"),
        (OWN.replace("base.yaml", "own.yaml"), 4, 10, "`own.yaml` extends this file in turn"),
        (OWN.replace("base.yaml", "[a]"), 4, 10, "`extends` is a list, not text"),
        (OWN + "heads:\n  soup: null\n", 6, 3, "there is no `soup` to remove"),
        (OWN + "heads:\n  dish:\n    remove: [stew]\n", 7, 14, "there is no `stew` to remove"),
        (OWN + "remove: [stew]\n", 5, 10, "there is no `stew` to remove"),
        (OWN + "heads:\n  dish:\n    use: [colours]\n", 7, 11, "there is no word list `colours`"),
        (OWN + "heads:\n  dish:\n    use: colors\n", 7, 10, "`use` is a text, not a list"),
        (OWN + "heads:\n  dish:\n    remove: roll\n", 7, 13, "`remove` is not a list of words"),
        (OWN + "sets:\n  spice: {wrods: [x]}\n", 6, 11, "unknown key `wrods`"),
        (OWN + "heads:\n  dish: {parent: soup}\n", 6, 18, "there is no head category `soup`"),
        (OWN + "heads:\n  dish: {parent: fruit}\n  fruit: {parent: dish}\n", 6, 18, "` is its own ancestor"),
        (OWN + "heads:\n  dish:\n    words: [{word: x, also: [soup]}]\n", 7, 30, "no such category"),
    ],
)
def test_mistakes_of_several_files_have_their_place(
    folder: Path, text: str, line: int, column: int, message: str
) -> None:
    own = folder / "own.yaml"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(TaxonomyError) as raised:
        read_taxonomy(str(own))
    found = {(str(problem.place), problem.message.partition(":")[0]) for problem in raised.value.problems}
    assert any(place == f"{own}:{line}:{column}" for place, _ in found), raised.value
    assert message in str(raised.value)


def test_a_mistake_in_a_list_or_an_extended_file_is_reported_there(folder: Path) -> None:
    own = folder / "own.yaml"
    own.write_text(OWN + "sets: {spice: {use: [nuts]}}\n", encoding="utf-8")
    (folder / "lists" / "nuts.yaml").write_text("list: nuts\nwrods: [cashew]\n", encoding="utf-8")
    with pytest.raises(TaxonomyError, match=r"nuts\.yaml:2:1: unknown key `wrods`"):
        load_taxonomy(str(own))
    (folder / "lists" / "nuts.yaml").write_text("list: nuts\nwords: [cashew]\n", encoding="utf-8")
    (folder / "base.yaml").write_text(BASE.replace("evidence: inferred", "evidence: seen"), encoding="utf-8")
    with pytest.raises(TaxonomyError, match=r"base\.yaml:28:15: 'seen' is not one of"):
        load_taxonomy(str(own))


@pytest.mark.parametrize(
    ("own", "category", "word", "added"),
    [
        ("", "dish", "stew", "heads:\n  dish:\n    words: [stew]\n"),
        ("heads:\n  fruit: {words: [fig]}\n", "dish", "stew", "\n  dish:\n    words: [stew]"),
        ("heads: {fruit: {words: [fig]}}\n", "dish", "stew", ", dish: {words: [stew]}"),
        ("modifiers:\n  size:\n    use: [nuts]\n", "size", "huge", "\n    words: [huge]"),
        ("", "serving", "jar of", "modifiers:\n  serving:\n    of: [jar]\n"),
        ("examples: []\n", "dish", "stew", "heads:\n  dish:\n    words: [stew]\n\n"),
        ("modifiers:\n  size: null\n", "serving", "jar of", "\n  serving:\n    of: [jar]"),
    ],
)
def test_words_are_added_to_the_file_that_extends(
    folder: Path, own: str, category: str, word: str, added: str
) -> None:
    role: Role = "head" if category == "dish" else "modifier"
    text = OWN + own
    edited = add_word(text, Addition(role, category, Entry(word=word)), file=str(folder / "own.yaml"))
    assert added in edited
    assert len(edited) == len(text) + len(added)


SYNTAX = (
    BASE + "syntax:\n  label: ['...', 'list comma noun-phrase']\n"
    "  noun-phrase: ['...', 'opener noun-phrase']\n  opener: ['modifier.size comma']\n"
)


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_a_syntax_adds_to_the_built_in_one(engine: Engine) -> None:
    taxonomy, document = parse_taxonomy(SYNTAX, "base.yaml")
    assert not [problem for problem in lint(taxonomy, document) if "rule" in problem.message]
    parser = Parser(taxonomy, engine=engine)
    assert best(parser, "an apple, a big pie") == (("dish", "fruit"), ("size",), ())
    assert best(parser, "tiny, the apple pie") == (("dish",), ("flavour", "size"), ())
    assert not Parser(parse_taxonomy(BASE, "base.yaml")[0]).analyse("an apple, a pie").heads


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("  opener: ['...']\n", "the rule `opener` is no built-in rule, and has no `...`"),
        ("  body: [head.dish]\n", "the rule `body` is built in, and begins with `...`"),
        ("  body: ['...', label]\n", "the rule `body` can derive itself"),
        ("  body: ['...', 'modifer.size head.dish']\n", "uses `modifer.size`, which is not defined"),
    ],
)
def test_mistakes_of_additions_to_the_syntax(rule: str, message: str) -> None:
    text = BASE + "syntax:\n  label: ['...', 'list comma noun-phrase']\n" + rule
    with pytest.raises(TaxonomyError, match=re.escape(message)) as raised:
        parse_taxonomy(text, "base.yaml")
    assert 36 in {problem.place.line for problem in raised.value.problems if problem.place}


NESTED = BASE.replace("  dish:\n", "  dish:\n    parent: eaten\n").replace(
    "  fruit:\n", "  eaten:\n    description: What is eaten.\n  fruit:\n    parent: eaten\n"
)


@pytest.mark.parametrize(
    ("levels", "heads"),
    [("both", ("dish", "eaten")), ("lowest", ("dish",)), ("highest", ("eaten",))],
)
def test_nested_categories_are_read_at_the_level_that_is_asked_for(
    folder: Path, levels: str, heads: tuple[str, ...]
) -> None:
    (folder / "base.yaml").write_text(NESTED, encoding="utf-8")
    own = folder / "own.yaml"
    own.write_text(OWN + f"levels: {levels}\n", encoding="utf-8")
    assert best(Parser(load_taxonomy(str(own))), "an apple pie") == (heads, ("flavour",), ())


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_a_parent_stands_for_its_children_in_patterns_constraints_and_groups(engine: Engine) -> None:
    taxonomy = parse_taxonomy(FEELINGS, "feelings.yaml")[0]
    parser = Parser(taxonomy, engine=engine)
    assert best(parser, "a happy looking man") == (("being", "person"), ("look",), ())
    assert best(parser, "a joyful-looking dog") == (("animal", "being"), ("look",), ())
    assert best(parser, "a big dog") == (("animal", "being"), (), ())
    assert best(parser, "a big smile") == (("face",), ("size",), ())
    assert {"men", "dogs"} <= set(parser.grammar.facts.groups["alive"]["yes"].nouns)
    finder = LabelFinder(parser)
    assert finder.analyse("a smile … near a man").modifiers == ("nearby",)


FEELINGS = """\
taxonomy: feelings
version: 1.0.0
description: Feelings.
heads:
  being: {description: What feels.}
  person: {description: Somebody., parent: being, words: [man: men]}
  animal: {description: An animal., parent: being, words: [dog]}
  face: {description: A look., words: [smile]}
modifiers:
  feeling: {description: Any., evidence: inferred, sensitivity: none}
  positive: {description: Good., evidence: inferred, sensitivity: none, parent: feeling, words: [happy]}
  joy: {description: Joy., evidence: inferred, sensitivity: none, parent: positive, words: [joyful]}
  look: {description: Looks., evidence: inferred, sensitivity: none, patterns: ["{feeling} looking"]}
  nearby: {description: Near., evidence: visible, sensitivity: none, after: ["near {being}"]}
  size: {description: Size., evidence: visible, sensitivity: none, not_with: [being], words: [big]}
groups:
  alive: {"yes": [being], "no": [face]}
kinds: [alive]
"""


def test_no_example_is_missed_for_a_parent_without_words(folder: Path) -> None:
    (folder / "base.yaml").write_text(NESTED, encoding="utf-8")
    told = assess("domain", "lint", folder / "base.yaml").stderr
    assert "no example has the category" in told
    assert "`eaten`" not in told


def test_a_parent_counts_the_union_of_its_children(folder: Path) -> None:
    (folder / "base.yaml").write_text(NESTED, encoding="utf-8")
    captions = folder / "captions.txt"
    captions.write_text("a pie\nan apple and a pie\na pear\n", encoding="utf-8")
    found = assess("coverage", str(captions), "--domain", str(folder / "base.yaml"), "--json").json
    (system,) = found["systems"].values()
    categories = system["categories"]
    assert {name: categories[f"head.{name}"]["labels"] for name in ("dish", "fruit", "eaten")} == {
        "dish": 2, "fruit": 2, "eaten": 4,
    }  # fmt: skip
    assert assess("domain", "test", str(folder / "base.yaml")).stdout.strip() == "1 of 1 example passed"


def test_one_file_or_table_says_the_same(folder: Path) -> None:
    own = folder / "own.yaml"
    own.write_text(
        OWN + "modifiers:\n  serving: {of: [{word: box, plural: null}], parent: size}\n"
        "sets:\n  spice: {words: [{word: dill, plural: dill}]}\n",
        encoding="utf-8",
    )
    taxonomy = load_taxonomy(str(own))
    assert parse_taxonomy(taxonomy_text(taxonomy), "whole.yaml")[0] == taxonomy
    table = assess("domain", "export", str(own), "--to", "csv").stdout
    values = taxonomy_values(read_word_table(table, file="t.csv"), name="mine", source="t.csv")
    again = parse_taxonomy(taxonomy_text(type(taxonomy).model_validate(values)), "again.yaml")[0]
    assert (again.heads, again.modifiers, again.sets) == (taxonomy.heads, taxonomy.modifiers, taxonomy.sets)
    whole = assess("domain", "export", str(own), "--to", "yaml").stdout
    assert len(sources_of(whole, "whole.yaml")) == 1
    assert parse_taxonomy(whole, "whole.yaml")[0] == taxonomy
