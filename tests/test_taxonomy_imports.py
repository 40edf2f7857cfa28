"""New, imported and exported taxonomies: template, YAML, tables, word lists, NLTK, spaCy."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from nltk import CFG
from nltk.parse import ChartParser

from assess.disk_cache import shipped_files
from assess.domain.command import exported
from assess.domain.overview import run_examples, taxonomy_csv
from assess.errors import InputError, UsageError
from assess.grammar import Parser, compile_taxonomy
from assess.grammar.export import named_productions, spacy_patterns
from assess.taxonomy import Taxonomy, load_taxonomy, parse_taxonomy
from assess.taxonomy.imports import JUDGE, import_taxonomy, scaffold
from assess.taxonomy.lint import lint
from assess.taxonomy.phrases import open_patterns_of, phrases_of
from assess.taxonomy.strict_yaml import scalar, taxonomy_text
from assess.taxonomy.syntax import category_id, import_cfg
from assess.taxonomy.words import singular_of
from tests.commands import assess
from tests.properties import examples
from tests.strategies import taxonomies, taxonomy_of

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
        ("L -> L | ANoun\nANoun -> 'a'\n", 1, "`L` can derive itself"),
        ("L -> ANoun | X\nX -> L\nANoun -> 'a'\n", 2, "`X` can derive itself"),
        ("L -> Hair ANoun | hair ANoun\nHair -> 'a'\nhair -> 'b'\nANoun -> 'a'\n", 3,
         "`hair` and `Hair` both become `modifier.hair`"),
        ("L -> Det Mod\nDet -> 'a'\nMod -> 'b'\n", None, "there are no head words"),
        ("", None, "there is no production with symbols on the right"),
        ("ANoun -> 'a'\n", None, "there is no production with symbols on the right"),
        ("L -> Gone\nANoun -> 'a'\n", None, "there is no rule left that can apply"),
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
        ("%start Mood", "the start symbol `Mood` has only words and no rule that can apply"),
        ("%start", "not a directive"),
        ("%start Mods Mod", "not a directive"),
        ("%", "not a directive"),
        ("%kimmo on", "not a directive"),
    ],
)
def test_a_bad_directive_is_told_at_its_line(line: str, message: str) -> None:
    assert problems_of(f"# A comment.\n{line}\n{GOOD}") == [(2, message)]


SHIPPED = [path.stem for path in shipped_files("taxonomies", "*.yaml")]
IDS = st.from_regex(r"\A[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,8}){0,2}\Z")


@example("on")
@example("off")
@example("yes")
@example("no")
@example("true")
@example("null")
@example("size")  # a category of the new taxonomy already
@given(IDS)
def test_a_new_taxonomy_has_no_mistakes_no_warnings_and_examples_that_hold(name: str) -> None:
    taxonomy, document = parse_taxonomy(scaffold(name, file="new.yaml"), "new.yaml")
    assert taxonomy.taxonomy == name
    assert lint(taxonomy, document) == []
    results = run_examples(taxonomy, Parser(taxonomy))
    assert len(results) == 4
    assert [result.failures for result in results if result.failures] == []


@pytest.mark.parametrize("name", ["Food", "my food", "9lives", "12", "1e5", "2026-11-16", "", "a--b"])
def test_a_name_that_is_no_id_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is not a valid id"):
        scaffold(name, file="new.yaml")
    with pytest.raises(UsageError, match="is not a valid id"):
        import_cfg(GOOD, file="x.cfg", name=name)


SINGULARS = (
    "boxes box, berries berry, pies pie, horses horse, sandwiches sandwich, glasses glass, pizzas pizza,"
    " glass glass, bus bus, tomatoes tomato, loaves loaf, olives olive, shoes shoe"
)


@pytest.mark.parametrize(("plural", "singular"), [pair.split() for pair in SINGULARS.split(",")])
def test_the_singular_is_told_by_the_ending(plural: str, singular: str) -> None:
    assert singular_of(plural) == singular


def test_a_singular_that_was_seen_is_preferred() -> None:
    assert singular_of("cookies") == "cooky"
    assert singular_of("cookies", {"cookie"}) == "cookie"
    assert singular_of("asparagus") == "asparagus"
    assert singular_of("scissors") == "scissors"
    assert singular_of("menus", {"menu"}) == "menu"


@given(st.text(min_size=1).filter(lambda text: "\ufffe" not in text and "\uffff" not in text))
def test_yaml_reads_back_what_was_written(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return  # a lone surrogate is no text
    written = scalar(text)
    assert yaml.safe_load(f"[{written}, end]") == [text, "end"]
    assert yaml.safe_load(f"key: {written}") == {"key": text}
    assert yaml.safe_load(f"- {written}") == [text]


@given(taxonomies())
def test_any_taxonomy_comes_back_from_its_text(taxonomy: Taxonomy) -> None:
    again, _ = parse_taxonomy(taxonomy_text(taxonomy), "again.yaml")
    assert again == taxonomy
    assert again.digest == taxonomy.digest


def test_a_parent_that_yaml_would_read_otherwise_comes_back() -> None:
    heads = {"on": {"description": "O.", "words": ["a"]}, "b": {"description": "B.", "parent": "on"}}
    taxonomy = taxonomy_of({"heads": heads | {"c": {"description": "C.", "parent": "b", "words": ["c"]}}})
    assert parse_taxonomy(taxonomy_text(taxonomy), "again.yaml")[0] == taxonomy


def decisive_words(taxonomy: Taxonomy) -> tuple[object, ...]:
    """Return what decides readings: phrases, patterns, sets, function words and exclusions."""
    phrases = sorted(
        (
            p.role,
            p.category,
            p.text,
            p.base,
            p.constraint.not_with,
            p.constraint.only_with,
            sorted(p.also),
            p.says,
        )
        for p in phrases_of(taxonomy)
    )
    patterns = sorted((p.role, p.category, p.text, p.constraint.not_with) for p in open_patterns_of(taxonomy))
    return phrases, patterns, taxonomy.sets, taxonomy.function_words, taxonomy.excluded


def imported_file(folder: Path, name: str, text: str) -> Taxonomy:
    source = folder / name
    source.write_text(text, encoding="utf-8")
    return import_taxonomy(source, name="again").taxonomy


OUT_AND_BACK: dict[str, Callable[[Taxonomy, Path], Taxonomy]] = {
    "yaml": lambda taxonomy, _: parse_taxonomy(taxonomy_text(taxonomy, comments=["a: b"]), "again.yaml")[0],
    "csv": lambda taxonomy, folder: imported_file(folder, "table.csv", taxonomy_csv(taxonomy)),
    "json": lambda taxonomy, folder: imported_file(folder, "all.json", exported(taxonomy, "json")),
}


@pytest.mark.parametrize("kind", OUT_AND_BACK)
@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_taxonomy_comes_back_from_every_form(name: str, kind: str, tmp_path: Path) -> None:
    taxonomy = load_taxonomy(name)
    again = OUT_AND_BACK[kind](taxonomy, tmp_path).model_copy(update={"taxonomy": name})
    if kind == "csv":  # examples have no place in rows
        again = again.model_copy(update={"examples": taxonomy.examples})
    differing = [key for key in type(taxonomy).model_fields if getattr(again, key) != getattr(taxonomy, key)]
    assert differing == []  # of the whole, a failing run would write a difference for a quarter of an hour
    assert again.digest == taxonomy.digest


@given(taxonomies())
@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_table_gives_the_same_grammar(tmp_path: Path, taxonomy: Taxonomy) -> None:
    again = imported_file(tmp_path, "table.csv", taxonomy_csv(taxonomy)).model_copy(
        update={"taxonomy": taxonomy.taxonomy}
    )
    assert decisive_words(again) == decisive_words(taxonomy)
    assert compile_taxonomy(again).rules == compile_taxonomy(taxonomy).rules


def test_a_table_keeps_spellings_apart_where_hyphens_are_exact(tmp_path: Path) -> None:
    words = "[{word: t-bone, plural: null}, {word: t bone, plural: null}, {word: ribs, plural: null}, rib]"
    text = (
        "taxonomy: t\nversion: 1.0.0\ndescription: T.\nhyphens: exact\n"
        f"heads: {{thing: {{description: T., words: {words}}}}}\n"
    )
    taxonomy, _ = parse_taxonomy(text, "t.yaml")
    again = imported_file(tmp_path, "table.csv", taxonomy_csv(taxonomy))
    assert again.model_copy(update={"taxonomy": "t"}) == taxonomy


def test_no_cell_of_a_table_runs_as_a_formula(tmp_path: Path) -> None:
    words = ["=1+1", "+cmd", "@sum", "-x", "plain"]
    text = (
        "taxonomy: t\nversion: 1.0.0\ndescription: T.\nheads: {thing: {description: '=T', words: [thing]}}\n"
        "modifiers: {m: {description: M., evidence: visible, sensitivity: none,"
        f" words: {json.dumps(words)}}}}}\n"
    )
    taxonomy, _ = parse_taxonomy(text, "t.yaml")
    table = taxonomy_csv(taxonomy)
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    again = imported_file(tmp_path, "table.csv", table)
    assert [entry.word for entry in again.modifiers["m"].words] == words
    assert again.heads["thing"].description == "=T"


def test_a_table_needs_three_columns_only(tmp_path: Path) -> None:
    source = tmp_path / "food.csv"
    source.write_text(
        "Role;Category;Word\nhead;Dish;pie\nhead;Dish;pies\nmodifier;TasteOfIt;sweet\n;;\n"
        "modifier;TasteOfIt;SWEET\nmodifier;TasteOfIt;{number}-star\nexcluded;;mud pie\n"
    )
    found = import_taxonomy(source, name="food")
    assert [entry.word for entry in found.taxonomy.heads["dish"].words] == ["pie"]
    taste = found.taxonomy.modifiers["taste-of-it"]
    assert ([entry.word for entry in taste.words], taste.patterns) == (["sweet"], ("{number}-star",))
    assert found.taxonomy.excluded == ("mud pie",)
    assert found.notes == (JUDGE,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("category,word\na,b\n", "there is no column `role`"),
        ("role,category,word\nhaed,a,b\n", "bad.csv:2: `haed` is not a role\n  hint: did you mean `head`"),
        ("role,category,word\nhead,,b\n", "bad.csv:2: the category is empty"),
        ("role,category,word\nmodifier,a,b\n", "no head category"),
        ("", "there is no column `role`"),
        ("role,category,word\nhead,dish\n", "bad.csv:2: the word is empty"),
        ("role,category,word\nhead,a," + "b" * 200_000 + "\n", "bad.csv:2: not a table"),
        ("role,category,word,evidence\nhead,a,b,\nmodifier,c,d,seen\n", "modifiers.c.evidence"),
        (
            "role,category,word\nsetting,plural_are,many\nhead,a,b\n",
            "bad.csv:2: there is no setting `plural_are`\n  hint: did you mean `plurals_are`",
        ),
        ("role,category,word\nhead,a,b\ngroup,gender,b\n", "bad.csv:3: `gender` is not a value of a group"),
    ],
)
def test_a_bad_table_is_told_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    source = tmp_path / "bad.csv"
    source.write_text(text)
    with pytest.raises(InputError) as caught:
        import_taxonomy(source, name="bad")
    assert message in str(caught.value)
    assert "bad.csv" in str(caught.value)


def test_a_folder_of_word_lists_tells_roles_by_folder_or_name(tmp_path: Path) -> None:
    for name, words in {
        "heads/animal.txt": "dog\n\n# not this\ncat # nor this\n",
        "modifiers/coatColor.txt": "black\nbrown\n",
        "AgeNoun.txt": "puppy\n",
        "size.txt": "big\n",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(words)
    taxonomy = import_taxonomy(tmp_path, name="pets").taxonomy
    assert {name: [entry.word for entry in head.words] for name, head in taxonomy.heads.items()} == {
        "age": ["puppy"],
        "animal": ["dog", "cat"],
    }
    assert set(taxonomy.modifiers) == {"coat-color", "size"}
    assert Parser(taxonomy).analyse("a big black dog").modifiers == ("coat-color", "size")


@pytest.mark.parametrize("name", ["empty-folder", "words.docx"])
def test_what_cannot_be_imported_is_told(name: str, tmp_path: Path) -> None:
    source = tmp_path / name
    if "." in name:
        source.write_text("x")
    else:
        source.mkdir()
    with pytest.raises(InputError) as caught:
        import_taxonomy(source, name="x")
    assert name in str(caught.value)
    assert "hint" in str(caught.value)


PEOPLE = {
    "sets": {"hue": ["red", "dark blue"]},
    "heads": {"human": {"description": "H.", "words": [{"man": "men"}, "t-shirt model"]}},
    "modifiers": {
        "age": {
            "description": "A.",
            "evidence": "visible",
            "sensitivity": "none",
            "words": ["middle aged", {"word": "old", "also": ["look"]}, "men's"],
            "patterns": ["{number}-year-old", "{number}ish", "{hue} {number}"],
        },
        "look": {
            "description": "L.",
            "evidence": "visible",
            "sensitivity": "none",
            "patterns": ["{hue}-clad", "{word}-faced"],
        },
    },
}
SMALL_CFG = """\
Label -> NounPhrase | NounPhrase Conj NounPhrase
NounPhrase -> HeadNoun | Det HeadNoun | Det Mod HeadNoun
HeadNoun -> AgeNoun | GenderedNoun
Mod -> Age | HairColor
Det -> 'a' | 'the'
Conj -> 'and'
Age -> 'young' | 'middle' '-' 'aged'
HairColor -> 'blond' | "red" "haired"
AgeNoun -> 'kid' | 'boy'
GenderedNoun -> 'boy' | 'woman'
"""
SPACY = pytest.mark.model  # a blank pipeline has no model, but spaCy itself is slow to import


def test_every_phrase_in_every_spelling_is_a_pattern() -> None:
    taxonomy = taxonomy_of(PEOPLE)
    lines = [json.loads(line) for line in spacy_patterns(taxonomy).splitlines()]
    found = {
        (line["label"], line["pattern"], line["id"]) for line in lines if isinstance(line["pattern"], str)
    }
    assert {
        ("age", "middle aged", "modifier"),
        ("age", "middle-aged", "modifier"),
        ("age", "old", "modifier"),
        ("look", "old", "modifier"),
        ("age", "men's", "modifier"),
        ("human", "men", "head"),
        ("human", "t-shirt-models", "head"),
        ("look", "dark-blue-clad", "modifier"),
    } <= found
    assert len({json.dumps(line) for line in lines}) == len(lines)


def test_a_head_that_says_more_is_a_pattern_of_both_categories() -> None:
    heads = {"human": {"description": "H.", "words": [{"word": "senior", "says": ["age"]}]}}
    lines = spacy_patterns(taxonomy_of({**PEOPLE, "heads": heads})).splitlines()
    found = [json.loads(line) for line in lines if '"seniors"' in line]
    assert [(line["label"], line["id"]) for line in found] == [("human", "head"), ("age", "modifier")]


@SPACY
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a Middle-Aged man", [("Middle-Aged", "age"), ("man", "human")]),
        ("two 5-year-old t-shirt models", [("5-year-old", "age"), ("t-shirt models", "human")]),
        ("a five year old man", [("five year old", "age"), ("man", "human")]),
        ("a dark blue clad man", [("dark blue clad", "look"), ("man", "human")]),
        ("a red-faced man", [("red-faced", "look"), ("man", "human")]),
        ("a twentyish man", [("twentyish", "age"), ("man", "human")]),
        ("a men's choir", [("men's", "age")]),
        ("a manly woman", []),
    ],
)
def test_an_entity_ruler_finds_the_words(text: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    import spacy

    file = tmp_path / "patterns.jsonl"
    file.write_text(spacy_patterns(taxonomy_of(PEOPLE)), encoding="utf-8")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.from_disk(file)
    assert [(entity.text, entity.label_) for entity in pipeline(text).ents] == expected


@SPACY
def test_the_patterns_of_people_load_and_find_every_word() -> None:
    import spacy

    taxonomy = load_taxonomy("people")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.add_patterns([json.loads(line) for line in spacy_patterns(taxonomy).splitlines()])
    words = [p.text.replace(" 's", "'s") for p in phrases_of(taxonomy)][::60]
    missed = [word for word in words if [entity.text for entity in pipeline(word).ents] != [word]]
    assert missed == []


def test_an_imported_grammar_goes_back_under_its_own_names() -> None:
    taxonomy = import_cfg(SMALL_CFG, file="small.cfg", name="small").taxonomy
    text = named_productions(compile_taxonomy(taxonomy))
    lines = set(text.splitlines())
    assert {"Det -> 'a'", "AgeNoun -> 'kid'", "HairColor -> 'red' 'haired'", "Age -> 'young'"} <= lines
    assert text.startswith("start -> ")


def test_import_of_an_export_reads_alike() -> None:
    first = import_cfg(SMALL_CFG, file="small.cfg", name="small").taxonomy
    second = import_cfg(exported(first, "cfg"), file="again.cfg", name="small").taxonomy
    before, after = Parser(first), Parser(second)
    for text in (
        "a young boy",
        "the blond woman",
        "a red haired kid and a boy",
        "young boy",
        "a",
        "a blond",
        "a woman woman",
        "the kid",
    ):
        left, right = before.analyse(text), after.analyse(text)
        assert (left.heads, left.modifiers, left.in_domain) == (right.heads, right.modifiers, right.in_domain)


def test_nouns_that_say_more_stay_heads_of_their_category_in_nltk() -> None:
    first = import_cfg(SMALL_CFG, file="small.cfg", name="small").taxonomy
    values = first.model_dump(by_alias=True, exclude_unset=True)
    values["heads"]["age"]["words"][0]["says"] = ["hair-color"]
    saying = Taxonomy.model_validate(values)
    text = exported(saying, "cfg")
    assert {"AgeNoun -> 'kid'", "AgeNoun -> 'boy'"} <= set(text.splitlines())
    again = Parser(import_cfg(text, file="again.cfg", name="small").taxonomy)
    assert Parser(saying).analyse("a kid").modifiers == ("hair-color",)
    assert (again.analyse("a kid").heads, again.analyse("a kid").modifiers) == (("age",), ())
    assert again.analyse("a young boy").heads == ("age", "gendered")


@given(taxonomies(patterns=False))
def test_any_export_is_a_grammar_for_nltk(taxonomy: Taxonomy) -> None:
    from nltk import CFG

    grammar = CFG.fromstring(exported(taxonomy, "cfg"))
    assert str(grammar.start()) == "start"
    symbols = {production.lhs() for production in grammar.productions()}
    words = {p.text for p in phrases_of(taxonomy)}
    listed = {" ".join(production.rhs()) for production in grammar.productions() if production.is_lexical()}
    assert words <= listed
    assert len(symbols) > 5


QUANTEDA = """\
Kin: [aunt, uncle*]
Feeling:
  Joy: [happy, cheer*, no]
  Gloom: [sad, h?ppy]
Looks: [happy, tall]
"""
LIWC = "%\n1\tKin (Family)\n2\tFeeling\n3\tGloom\n%\naunt\t1\nsad\t2\t3\ncry*\t2\n:)\t2\n"


@pytest.mark.parametrize(
    ("file", "text", "phrase", "heads", "modifiers"),
    [
        ("d.yml", QUANTEDA, "a happy aunt", ["kin"], ["feeling", "joy", "looks"]),
        ("d.yml", QUANTEDA, "cheerful uncles", ["kin"], ["feeling", "joy"]),
        ("d.yaml", QUANTEDA, "a sad tall aunt", ["kin"], ["feeling", "gloom", "looks"]),
        ("d.dic", LIWC, "a sad aunt", ["kin"], ["feeling", "gloom"]),
        ("d.dic", LIWC, "the crying aunts", ["kin"], ["feeling"]),
        ("d.dic", LIWC.replace("\t", " "), "a sad aunt", ["kin"], ["feeling", "gloom"]),
        ("d.dic", LIWC + "kind\t(02 134)1/3 2\nmild\t<of>3/1\n", "a kind mild aunt", ["kin"], ["feeling"]),
        ("d.dic", LIWC + "great aunt 1\n:(\t2\n", "a great aunt", ["kin"], []),
    ],
)
def test_a_dictionary_becomes_a_taxonomy(
    tmp_path: Path, file: str, text: str, phrase: str, heads: list[str], modifiers: list[str]
) -> None:
    source, out = tmp_path / file, tmp_path / "out.yaml"
    source.write_text(text, encoding="utf-8")
    done = assess("domain", "import", source, "--out", out, "--heads", "Kin")
    assert done.code == 0, done.stderr
    assert "skipped" in done.stderr
    reading = Parser(load_taxonomy(str(out))).analyse(phrase).best
    assert (sorted(reading.heads), sorted(reading.modifiers)) == (heads, modifiers)


def test_what_is_nested_with_a_head_category_is_one_too(tmp_path: Path) -> None:
    source, out = tmp_path / "d.yml", tmp_path / "out.yaml"
    source.write_text("People:\n  Kin: [aunt]\n  Friends: [pal]\nLooks: [tall]\n", encoding="utf-8")
    done = assess("domain", "import", source, "--out", out, "--heads", "Kin")
    assert "taken as one too: friends, people" in " ".join(done.stderr.split())
    taxonomy = load_taxonomy(str(out))
    assert (sorted(taxonomy.heads), list(taxonomy.modifiers)) == (["friends", "kin", "people"], ["looks"])


@pytest.mark.parametrize(
    ("file", "text", "heads", "message"),
    [
        ("d.dic", "aunt\t1\n", "kin", "d.dic: this is not a LIWC dictionary"),
        ("d.dic", "%\n1\n%\naunt\t1\n", "kin", "d.dic:2:1: a category needs a number and a name"),
        ("d.dic", LIWC + "x\t9\n", "kin", "d.dic:10:1: no category has the number 9"),
        ("d.dic", LIWC + "x\n", "kin", "d.dic:10:1: a word without categories"),
        ("d.dic", LIWC, "", "the dictionary does not say which categories are heads"),
        ("d.dic", LIWC, "kim", "the dictionary has no category `kim`"),
        ("d.yml", "[a, b]\n", "kin", "d.yml: this is not a dictionary"),
        ("d.yml", "kin: [a\n", "kin", "not valid YAML"),
        ("d.yml", "kin: [[a]]\n", "kin", "d.yml:1:6: a list is not a word"),
        ("d.yml", "taxonomy: x\n", "kin", "this is already a taxonomy"),
    ],
)
def test_a_broken_dictionary_is_an_error_with_its_place(
    tmp_path: Path, file: str, text: str, heads: str, message: str
) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    done = assess("domain", "import", tmp_path / file, "--out", tmp_path / "o.yaml", "--heads", heads)
    assert (done.code, message in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "o.yaml").exists()


def test_label_studio_gets_a_configuration_and_tasks(tmp_path: Path) -> None:
    config = ElementTree.fromstring(assess("domain", "export", "vehicles", "--to", "label-studio").stdout)
    labels = {label.attrib["value"] for label in config.iter("Label")}
    captions = tmp_path / "c.txt"
    captions.write_text("A big red bus & two cars <on> a road\n", encoding="utf-8")
    out = tmp_path / "tasks.json"
    export = ("domain", "export", "vehicles", "--to", "label-studio", "--captions", captions, "--out", out)
    assert assess(*export).code == 0
    (task,) = json.loads(out.read_text(encoding="utf-8"))
    (prediction,) = task["predictions"]
    found = [result["value"] for result in prediction["result"]]
    assert {label for value in found for label in value["labels"]} <= labels
    assert all(value["text"] == task["data"]["text"][value["start"] : value["end"]] for value in found)
    assert ("red", ["modifier:color"]) in [(value["text"], value["labels"]) for value in found]
    names = {(result["from_name"], result["to_name"], result["type"]) for result in prediction["result"]}
    assert names == {(config[0].attrib["name"], config[1].attrib["name"], "labels")}
    assert assess("domain", "export", "vehicles", "--to", "csv", "--captions", captions).code == 2


def test_prodigy_gets_patterns_that_spacy_finds() -> None:
    import spacy

    taxonomy = parse_taxonomy(
        "taxonomy: t\nversion: 1.0.0\ndescription: T.\nheads:\n  a:\n    description: A.\n"
        "    words: [fire truck, men's hat]\n    patterns: ['{number}-wheeler']\n",
        "t.yaml",
    )[0]
    lines = [json.loads(line) for line in spacy_patterns(taxonomy, tokens=True).splitlines()]
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(lines)
    doc = nlp("Fire-trucks, a Men's hat and an 18-wheeler by a fire truck")
    assert [(span.text, span.label_) for span in doc.ents] == [
        ("Fire-trucks", "head:a"), ("Men's hat", "head:a"), ("18-wheeler", "head:a"),
        ("fire truck", "head:a"),
    ]  # fmt: skip
