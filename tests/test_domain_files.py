"""Taxonomies from nothing and from elsewhere: scaffold, YAML text, tables, word lists, JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from assess.domain.examples import run_examples
from assess.domain.trees import taxonomy_csv
from assess.errors import InputError, UsageError
from assess.grammar import Parser, compile_taxonomy
from assess.resources import shipped_files
from assess.taxonomy import Taxonomy, load_taxonomy, parse_taxonomy
from assess.taxonomy.imports import JUDGE, import_taxonomy, scaffold
from assess.taxonomy.lint import lint
from assess.taxonomy.phrases import open_patterns_of, phrases_of
from assess.taxonomy.words import singular_of
from assess.taxonomy.yaml_text import scalar, taxonomy_text
from tests.properties import examples
from tests.strategies import taxonomies

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
    with pytest.raises(UsageError, match="is not an id"):
        scaffold(name, file="new.yaml")


@pytest.mark.parametrize(
    ("plural", "singular"),
    [
        ("boxes", "box"),
        ("berries", "berry"),
        ("pies", "pie"),
        ("horses", "horse"),
        ("sandwiches", "sandwich"),
        ("glasses", "glass"),
        ("pizzas", "pizza"),
        ("glass", "glass"),
        ("bus", "bus"),
        ("tomatoes", "tomato"),
        ("loaves", "loaf"),
        ("olives", "olive"),
        ("shoes", "shoe"),
    ],
)
def test_the_singular_is_told_by_the_ending(plural: str, singular: str) -> None:
    assert singular_of(plural) == singular


def test_a_singular_that_was_seen_is_preferred() -> None:
    assert singular_of("cookies") == "cooky"
    assert singular_of("cookies", {"cookie"}) == "cookie"


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


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_taxonomy_comes_back_from_its_text(name: str) -> None:
    taxonomy = load_taxonomy(name)
    again, _ = parse_taxonomy(taxonomy_text(taxonomy, comments=["a comment: with a colon"]), "again.yaml")
    assert again == taxonomy
    assert again.digest == taxonomy.digest


@given(taxonomies())
def test_any_taxonomy_comes_back_from_its_text(taxonomy: Taxonomy) -> None:
    again, _ = parse_taxonomy(taxonomy_text(taxonomy), "again.yaml")
    assert again == taxonomy
    assert again.digest == taxonomy.digest


def words_of(taxonomy: Taxonomy) -> tuple[object, ...]:
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


def imported(folder: Path, name: str, text: str) -> Taxonomy:
    source = folder / name
    source.write_text(text, encoding="utf-8")
    return import_taxonomy(source, name="again").taxonomy


@pytest.mark.parametrize("name", SHIPPED)
def test_a_table_keeps_all_but_the_examples(name: str, tmp_path: Path) -> None:
    taxonomy = load_taxonomy(name)
    again = imported(tmp_path, "table.csv", taxonomy_csv(taxonomy))
    again = again.model_copy(update={"taxonomy": name, "examples": taxonomy.examples})
    assert again == taxonomy
    assert again.digest == taxonomy.digest


@given(taxonomies())
@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_table_gives_the_same_grammar(tmp_path: Path, taxonomy: Taxonomy) -> None:
    again = imported(tmp_path, "table.csv", taxonomy_csv(taxonomy)).model_copy(
        update={"taxonomy": taxonomy.taxonomy}
    )
    assert words_of(again) == words_of(taxonomy)
    assert compile_taxonomy(again).rules == compile_taxonomy(taxonomy).rules


def test_a_table_keeps_spellings_apart_where_hyphens_are_exact(tmp_path: Path) -> None:
    words = "[{word: t-bone, plural: null}, {word: t bone, plural: null}, {word: ribs, plural: null}, rib]"
    text = (
        "taxonomy: t\nversion: 1.0.0\ndescription: T.\nhyphens: exact\n"
        f"heads: {{thing: {{description: T., words: {words}}}}}\n"
    )
    taxonomy, _ = parse_taxonomy(text, "t.yaml")
    again = imported(tmp_path, "table.csv", taxonomy_csv(taxonomy))
    assert again.model_copy(update={"taxonomy": "t"}) == taxonomy


def test_export_says_what_a_table_has_no_place_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from assess.domain.command import export

    export("people", to="csv", out=tmp_path / "people.csv")
    said = " ".join(capsys.readouterr().err.split())
    assert said == "note: a table has no place for examples; json and yaml keep everything"
    source = tmp_path / "plain.yaml"
    source.write_text(scaffold("plain", file="plain.yaml").partition("examples:")[0])
    export(str(source), to="csv", out=tmp_path / "plain.csv")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", SHIPPED)
def test_json_keeps_everything(name: str, tmp_path: Path) -> None:
    from assess.domain.command import exported

    taxonomy = load_taxonomy(name)
    again = imported(tmp_path, "all.json", exported(taxonomy, "json"))
    assert again.model_copy(update={"taxonomy": name}) == taxonomy


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
    again = imported(tmp_path, "table.csv", table)
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
        ("category,word\na,b\n", "no column `role`"),
        ("role,category,word\nhaed,a,b\n", "bad.csv:2: `haed` is no role\n  hint: did you mean `head`"),
        ("role,category,word\nhead,,b\n", "bad.csv:2: the category is empty"),
        ("role,category,word\nmodifier,a,b\n", "no head category"),
        ("", "no column `role`"),
        ("role,category,word\nhead,dish\n", "bad.csv:2: the word is empty"),
        ("role,category,word\nhead,a," + "b" * 200_000 + "\n", "bad.csv:2: not a table"),
        ("role,category,word,evidence\nhead,a,b,\nmodifier,c,d,seen\n", "modifiers.c.evidence"),
        (
            "role,category,word\nsetting,plural_are,many\nhead,a,b\n",
            "bad.csv:2: no setting is called `plural_are`\n  hint: did you mean `plurals_are`",
        ),
        ("role,category,word\nhead,a,b\ngroup,gender,b\n", "bad.csv:3: `gender` is no value of a group"),
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


def test_a_grammar_without_heads_is_told_not_thrown(tmp_path: Path) -> None:
    source = tmp_path / "odd.cfg"
    source.write_text("S -> A\nA -> 'x'\n")
    with pytest.raises(InputError, match="no head"):
        import_taxonomy(source, name="odd")
