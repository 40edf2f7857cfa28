"""The `.lark` file determines analyses: edits change them, mistakes have places, no taxonomy is needed."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pytest

from assess.errors import GrammarError
from assess.grammar import Parser, load_grammar
from assess.grammar import load as loading
from assess.grammar.load import grammar_of
from assess.grammar.parser import Engine
from tests.commands import assess

TINY = (Path(__file__).parent / "golden" / "tiny.lark").read_text(encoding="utf-8")
ENGINES: tuple[Engine, ...] = ("fast", "reference")


Seen = tuple[tuple[str, ...], tuple[str, ...], str | None]


def read(text: str, phrase: str, engine: Engine) -> Seen:
    """Return heads, modifiers, and why a phrase is not read in full."""
    analysis = Parser(grammar_of(text, "tiny.lark"), engine=engine).analyse(phrase)
    return analysis.heads, analysis.modifiers, analysis.why


OUT: Seen = ((), (), "no-head")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("old", "new", "phrase", "before", "after"),
    [
        # A word; a rule (crowds may be young); what is excluded; what no rule uses; what a noun says besides.
        ("(cooks?|", "(cooks?|bakers?|", "a big baker", OUT, (("person",), ("size",), None)),
        (
            "modifiers_gathering: modifiers_with_any",
            "modifiers_gathering: modifiers_with_any | modifiers_not_with_gathering",
            "a young crowd",
            (("many",), (), None),
            (("many",), ("age",), None),
        ),
        (
            "EXCLUDED: /(snow[- ]woman|",
            "EXCLUDED: /(ice[- ]woman|",
            "a snow woman",
            OUT,
            (("person",), (), "unknown-word"),
        ),
        (
            'PREPOSITION: "of" | "in"',
            'PREPOSITION: "of"',
            "a hat in women",
            OUT,
            (("many", "person"), (), "unknown-word"),
        ),
        ("__saying_look", "__more", "a beauty", (("person",), ("look",), None), (("person",), (), None)),
    ],
)
def test_an_edit_of_the_file_changes_what_is_read(
    engine: Engine, old: str, new: str, phrase: str, before: Seen, after: Seen
) -> None:
    assert old in TINY
    assert read(TINY, phrase, engine) == before
    assert read(TINY.replace(old, new), phrase, engine) == after


START = "start: label\n"


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        (START, "start: lable\n", "lable", "`lable` is not defined"),
        (START, "start: label NOUN\n", "NOUN", "`NOUN` is not defined"),
        (START, "begin: label\n", "", "there is no rule `start`"),
        (START, f"{START}label: list\n", "label: noun", "`label` is defined twice"),
        (START, f"{START}spare: list\n", "spare", "the rule `spare` cannot be reached from `start`"),
        (START, f'{START}SPARE: "x"\n', "SPARE", "the terminal `SPARE` is not used"),
        (START, 'start: label | "x"\n', '"x"', "words must be in terminals, not in the rule `"),
        (START, "start: label | start\n", "start: label", "the rule `start` can derive itself"),
        (START, "start: label?\n", "start: label", "the rule `start` can be empty"),
        (START, "start: label )\n", ")\n// Noun", "this is not a Lark grammar: unexpected `)`"),
        (START, f"%import common.WORD\n{START}", "common", "%import is not supported"),
        (
            "domain tiny 1.0.0",
            "domain tiny 1",
            "",
            "the line `//: domain`, which names the domain, is missing",
        ),
        ("domain tiny 1.0.0", "domain tiny 1", "//: domain", "`//: domain tiny 1: A small"),
        (
            "plurals are many",
            "plurals are plenty",
            "//: plurals",
            "there is no head category `plenty`",
        ),
        ("plurals are many", "plural many", "//: plural", "`//: plural many` is not understood"),
        ("head many: ", "head more: ", "head_many__woman: H", "there is no head category `many`"),
        ("ALSO__SIZE__LOOK", "ALSO__SIZE__LOOKS", "ALSO__", "there is no modifier category `looks`"),
        ("EXCLUDED: ", "EXCLUDED: /.+/ | ", "EXCLUDED", "`EXCLUDED` must list words"),
    ],
)
def test_a_broken_file_is_an_error_with_its_place(old: str, new: str, at: str, message: str) -> None:
    edited = TINY.replace(old, new, 1)
    with pytest.raises(GrammarError) as caught:
        grammar_of(edited, "tiny.lark")
    before = edited[: edited.index(at)]
    place = (before.count("\n") + 1, len(before) - before.rfind("\n"))
    found = [
        (p.place.line, p.place.column) for p in caught.value.problems if p.place and message in p.message
    ]
    assert found[:1] == [place], str(caught.value)


def test_a_file_without_a_grammar_is_refused_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "people.lark"
    path.write_text("This is no grammar.\n", encoding="utf-8")
    done = assess("parse", "--grammar", str(path), "a cook")
    assert done.code == 2
    assert "people.lark:1:2: this is not a Lark grammar" in done.stderr


def test_commands_need_no_taxonomy(tmp_path: Path) -> None:
    path = tmp_path / "my.lark"
    path.write_text(TINY, encoding="utf-8")
    done = assess("parse", "--grammar", str(path), "a big cook", "--json")
    found = json.loads(done.stdout)
    assert found["phrases"][0]["modifiers"] == ["size"]
    assert found["signature"]["taxonomy"] == load_grammar(str(path)).identity
    other = assess("parse", "--grammar", str(path), "a big cook", "--json", "--parser", "reference")
    assert json.loads(other.stdout)["phrases"] == found["phrases"]


@pytest.mark.model
@pytest.mark.parametrize("command", ["audit", "coverage", "bias"])
def test_audits_need_no_taxonomy(command: str, tmp_path: Path) -> None:
    grammar, captions = tmp_path / "my.lark", tmp_path / "system.json"
    told = '\n//: group sex: woman, man\nGROUP__SEX__WOMAN__NOUNS: "woman" | "women"\n'
    grammar.write_text(TINY + told, encoding="utf-8")
    rows = [{"image_id": 1, "caption": "a big cook and a woman"}, {"image_id": 2, "caption": "two women"}]
    captions.write_text(json.dumps(rows), encoding="utf-8")
    done = assess(command, str(captions), "--grammar", str(grammar), "--json")
    assert done.code == 0, done.stderr
    assert load_grammar(str(grammar)).identity in done.stdout


def test_the_hash_is_that_of_the_text() -> None:
    one, other = (grammar_of(text, "x.lark") for text in (TINY, TINY.replace("(big|", "(large|")))
    assert one.identity.startswith("tiny@1.0.0#")
    assert one.identity != other.identity
    # Which file it was compiled from changes no number.
    assert (
        grammar_of(TINY.replace("\n\n", "\n//: compiled from 0123\n\n", 1), "x.lark").identity == one.identity
    )


def test_a_stale_grammar_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "//: domain people 1.0.0: People.\n//: compiled from 0123456789abcdef\n"
    (tmp_path / "people.lark").write_text(text, encoding="utf-8")
    monkeypatch.setattr(loading, "shipped_folder", lambda _: tmp_path)
    with pytest.raises(GrammarError, match=r"people\.lark:2:1: the grammar is out of date"):
        load_grammar("people")


def test_the_page_about_grammars_quotes_the_file() -> None:
    page = (Path(__file__).parents[1] / "docs" / "grammar.md").read_text(encoding="utf-8")
    lines = load_grammar("people").text.split("\n")
    quoted = [
        line for block in re.findall("```lark\n(.*?)```", page, re.DOTALL) for line in block.splitlines()
    ]
    missing = [
        line for line in quoted if not any(each.startswith(line.removesuffix("...")) for each in lines)
    ]
    assert len(quoted) > 10
    assert missing == []


def test_a_grammar_travels_as_its_text() -> None:
    grammar = grammar_of(TINY, "tiny.lark")
    data = pickle.dumps(grammar)
    assert len(data) < len(TINY.encode()) + 200
    assert pickle.loads(data) == grammar
