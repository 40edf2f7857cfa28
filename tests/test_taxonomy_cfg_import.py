"""Importing grammars in NLTK's notation."""

from __future__ import annotations

import pytest
from nltk import CFG
from nltk.parse import ChartParser

from assess.errors import InputError, UsageError
from assess.grammar import Parser
from assess.taxonomy.cfg_import import category_id, import_cfg

GOOD = """\
# A comment, and an empty line.

Label -> Det Mods AgeNoun | Mods AgeNoun | Det RoleNoun | AgeNoun
Mods -> Mods Mod | Mod
Mod -> Height | Mood Conj Mood | Mood
Det -> 'a' | 'the'
Conj -> 'and'
Height -> 'tall' | 'six' 'feet' 'tall'
Mood -> 'happy' | 'sad' | 'tall'
AgeNoun -> 'toddler' | "old-timer"
RoleNoun -> 'cook' | 'toddler'
"""


def problems_of(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(InputError) as caught:
        import_cfg(text, file="some/cooks.cfg", name="cooks")
    return [(problem.place.line, problem.message) for problem in caught.value.problems if problem.place]


def test_symbols_become_heads_modifiers_function_words_and_rules() -> None:
    taxonomy = import_cfg(GOOD, file="some/cooks.cfg", name="cooks").taxonomy
    assert list(taxonomy.heads) == ["age", "role"]
    assert list(taxonomy.modifiers) == ["height", "mood"]
    assert taxonomy.function_words == {"det": ("a", "the"), "conj": ("and",)}
    assert taxonomy.syntax is not None
    assert taxonomy.syntax["mod"] == ("modifier.height", "modifier.mood conj modifier.mood", "modifier.mood")
    assert taxonomy.description == "Imported from cooks.cfg."


@pytest.mark.parametrize(
    "text",
    [
        "a tall toddler",
        "tall toddler",
        "the six feet tall happy old-timer",
        "a cook",
        "a tall cook",
        "happy and tall toddler",
        "a happy sad tall tall toddler",
        "the toddler",
        "old timer",
        "six feet toddler",
    ],
)
def test_an_imported_grammar_reads_what_nltk_reads(text: str) -> None:
    parser = Parser(import_cfg(GOOD, file="cooks.cfg", name="cooks").taxonomy)
    oracle = ChartParser(CFG.fromstring(GOOD))
    try:
        trees = list(oracle.parse(text.split()))
    except ValueError:  # a word that the grammar does not have
        trees = []
    lexical = {tree.label() for whole in trees for tree in whole.subtrees(lambda t: t.height() == 2)}
    analysis = parser.analyse(text)
    assert set(analysis.heads) == {category_id(name[:-4]) for name in lexical if name.endswith("Noun")}
    assert set(analysis.modifiers) == {category_id(name) for name in lexical & {"Height", "Mood"}}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Age", "age"),
        ("OccupationSocGroup", "occupation-soc-group"),
        ("hair_color", "hair-color"),
        ("SOCGroup", "soc-group"),
        ("Mod2", "mod-2"),
        ("2Mod", "category-2-mod"),
        ("***", "category"),
    ],
)
def test_a_foreign_name_becomes_an_id(name: str, expected: str) -> None:
    assert category_id(name) == expected


def test_a_noun_without_more_of_a_name_keeps_it() -> None:
    taxonomy = import_cfg("L -> Noun\nNoun -> 'cook'\n", file="x.cfg", name="x").taxonomy
    assert list(taxonomy.heads) == ["noun"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("L -> ANoun\nhello\nANoun -> 'a'\n", 2, "not a production"),
        ("L -> ANoun\n-> 'x'\nANoun -> 'a'\n", 2, "not a production"),
        ("L -> ANoun |\nANoun -> 'a'\n", 1, "`L` has an empty alternative"),
        ("L -> ANoun\nANoun -> ''\n", 2, "`ANoun` has an empty alternative"),
        ("L -> ANoun\nANoun -> 'a' L\n", 2, "`ANoun` mixes words and symbols"),
        ("L -> ANoun\nANoun -> 'a | 'b'\n", 2, "a quote is not closed"),
        ("L -> ANoun\nANoun -> 'women's'\n", 2, "a quote is not closed"),
        ("L -> ANoun\nL -> 'he'\nANoun -> 'a'\n", 1, "`L` has both words and symbols"),
        ("L -> L | ANoun\nANoun -> 'a'\n", 1, "`L` can stand for itself alone"),
        ("L -> ANoun | X\nX -> L\nANoun -> 'a'\n", 2, "`X` can stand for itself alone"),
        ("L -> Hair ANoun | hair ANoun\nHair -> 'a'\nhair -> 'b'\nANoun -> 'a'\n", 3,
         "`hair` and `Hair` both become `modifier.hair`"),
        ("L -> Det Mod\nDet -> 'a'\nMod -> 'b'\n", None, "no head words"),
        ("", None, "no production with symbols on the right"),
        ("ANoun -> 'a'\n", None, "no production with symbols on the right"),
        ("L -> Gone\nANoun -> 'a'\n", None, "no rule is left that can apply"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_at_their_lines(text: str, line: int | None, message: str) -> None:
    assert (line, message) in problems_of(text)


def test_all_mistakes_of_a_file_are_reported_at_once() -> None:
    assert [line for line, _ in problems_of("L -> A |\nhello\nA -> 'x\n")] == [1, 2, 3]


def test_a_bar_or_an_apostrophe_inside_quotes_belongs_to_the_word() -> None:
    taxonomy = import_cfg(
        "L -> Det ANoun\nDet -> \"o'\" | 'a|b'\nANoun -> 'a'\n", file="x.cfg", name="x"
    ).taxonomy
    assert taxonomy.function_words["det"] == ("o'", "a|b")


def test_alternatives_that_can_never_apply_are_left_out_with_a_note() -> None:
    text = "L -> Gone ANoun | Far ANoun | ANoun\nFar -> Gone\nANoun -> 'cook'\n"
    imported = import_cfg(text, file="x.cfg", name="x")
    assert imported.notes == (
        "`L -> Gone ANoun` can never apply: `Gone` is not defined",
        "`Far -> Gone` can never apply: `Gone` is not defined",
        "`L -> Far ANoun` can never apply: `Far` is not defined",
    )
    assert Parser(imported.taxonomy).analyse("cook").heads == ("a",)


def test_a_name_that_is_no_id_is_refused() -> None:
    with pytest.raises(UsageError, match="'My Cooks' is not an id"):
        import_cfg(GOOD, file="x.cfg", name="My Cooks")


@pytest.mark.parametrize("word", ["a/b", "a//b", "c\\/", "x\\", '"', "?", "(", "[a", "a|b", "#1", "%"])
def test_any_word_survives_the_way_into_lark(word: str) -> None:
    quote = "'" if "'" not in word else '"'
    text = f"L -> ANoun\nANoun -> {quote}{word}{quote} | {quote}{word} b{quote} | 'cook'\n"
    taxonomy = import_cfg(text, file="x.cfg", name="x").taxonomy
    assert Parser(taxonomy, engine="reference").analyse("cook").heads == ("a",)


STARTED = GOOD.replace("\n\n", "\n%start Mods\n\n%start Phrase\n", 1) + "Phrase -> Det RoleNoun\n"


@pytest.mark.parametrize("text", ["a cook", "the toddler", "a tall toddler", "toddler", "cook"])
def test_the_start_is_what_the_directive_names(text: str) -> None:
    taxonomy = import_cfg(STARTED, file="cooks.cfg", name="cooks").taxonomy
    assert taxonomy.syntax is not None
    assert next(iter(taxonomy.syntax)) == "phrase"
    read = Parser(taxonomy).analyse(text)
    trees = list(ChartParser(CFG.fromstring(STARTED)).parse(text.split()))
    assert bool(read.heads) == bool(trees)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%start Phrases", "the start symbol `Phrases` is not defined"),
        ("%start Mood", "the start symbol `Mood` has no rule that can apply, only words"),
        ("%start", "not a directive"),
        ("%start Mods Mod", "not a directive"),
        ("%", "not a directive"),
        ("%kimmo on", "not a directive"),
    ],
)
def test_a_bad_directive_is_told_at_its_line(line: str, message: str) -> None:
    assert problems_of(f"# A comment.\n{line}\n{GOOD}") == [(2, message)]
