"""Compiling: readable, deterministic and always valid Lark; and compiled grammars on disk."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark

from assess.disk_cache import shipped_folder
from assess.domain.overview import run_examples
from assess.errors import TaxonomyError
from assess.grammar import Parser, compile_taxonomy
from assess.grammar import load as kept
from assess.grammar.earley import make_lark
from assess.grammar.lark_file import productions_of
from assess.grammar.load import GRAMMARS, load_grammar, text_of_taxonomy
from assess.grammar.parser import Engine
from assess.taxonomy import Taxonomy, load_taxonomy, shipped_taxonomies
from tests.properties import examples
from tests.strategies import taxonomies, taxonomy_of

GOLDEN = Path(__file__).parent / "golden"
ENGINES: tuple[Engine, ...] = ("fast", "reference")


def tiny() -> Taxonomy:
    return load_taxonomy(str(GOLDEN / "tiny.yaml"))


def test_the_grammar_of_a_tiny_taxonomy_is_this_text() -> None:
    assert compile_taxonomy(tiny()).text == (GOLDEN / "tiny.lark").read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_tiny_taxonomy_does_what_it_says(engine: Engine) -> None:
    results = run_examples(tiny(), Parser(tiny(), engine=engine))
    assert [result.failures for result in results] == [()] * 6


def test_the_golden_text_alone_parses_with_stock_lark() -> None:
    lark = Lark((GOLDEN / "tiny.lark").read_text(encoding="utf-8"), parser="earley", lexer="dynamic_complete")
    assert lark.parse("a very big pan-seller").data == "start"
    assert lark.parse("the ‹zu› group of middle aged women and a little woman").data == "start"


@pytest.mark.parametrize("name", shipped_taxonomies())
def test_the_committed_grammar_is_not_stale(name: str) -> None:
    path = shipped_folder("grammars") / f"{name}.lark"
    assert path.is_file(), f"run: assess domain compile {name} --out grammars/{name}.lark"
    assert path.read_text(encoding="utf-8") == text_of_taxonomy(name), (
        f"run: assess domain compile {name} --out grammars/{name}.lark"
    )
    # Whether it comes from the file or from the taxonomy, it is the same grammar.
    assert load_grammar(name).identity == compile_taxonomy(load_taxonomy(name)).identity


def test_every_committed_grammar_has_its_taxonomy() -> None:
    committed = {path.stem for path in shipped_folder("grammars").glob("*.lark")}
    assert committed <= set(shipped_taxonomies())


@examples(25)
@given(taxonomies())
def test_compiling_twice_gives_the_same_text(taxonomy: Taxonomy) -> None:
    again = Taxonomy.model_validate(taxonomy.model_dump(by_alias=True, exclude_unset=True))
    assert compile_taxonomy(taxonomy).text == compile_taxonomy(again).text


def test_the_text_does_not_depend_on_the_order_of_hashes() -> None:
    program = """if True:
        import hashlib, sys
        from assess.grammar import compile_taxonomy
        from assess.taxonomy import load_taxonomy
        for name in sys.argv[1:]:
            text = compile_taxonomy(load_taxonomy(name)).text
            print(hashlib.sha256(text.encode()).hexdigest())
    """
    names = [str(GOLDEN / "tiny.yaml"), "people"]
    here = [hashlib.sha256(compile_taxonomy(load_taxonomy(name)).text.encode()).hexdigest() for name in names]
    for seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(GOLDEN.parents[1])}
        done = subprocess.run(
            [sys.executable, "-c", program, *names],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == here


@examples(20)
@given(taxonomies())
def test_lark_accepts_every_grammar_and_knows_just_its_terminals(taxonomy: Taxonomy) -> None:
    grammar = compile_taxonomy(taxonomy)
    lark = make_lark(grammar.text)
    kept = {terminal.name for terminal in lark.terminals} - {"LEFT", "RIGHT", "__IGNORE_0"}
    rules = productions_of(grammar)
    assert {name for _, body in rules for name in body if name.isupper()} == kept
    # A sense that no head admits is the only thing that Lark may drop.
    reached = {name for rule in rules for name in (rule[0], *rule[1])}
    assert {name for name, leaf in grammar.leaves.items() if leaf.kind != "modifier"} <= reached


WORDS = st.one_of(
    st.text(min_size=1, max_size=6),
    st.text(st.sampled_from("aSs'’.-_/\\\"()[]{}|*+?^$#@!%&,;:<>‹› 5İßé😀"), min_size=1, max_size=8),
)


@examples(40)
@given(WORDS)
def test_whatever_word_a_taxonomy_lists_both_engines_read(word: str) -> None:
    modifier = {"description": "M.", "evidence": "visible", "sensitivity": "none", "words": [word]}
    try:
        taxonomy = taxonomy_of(
            {"heads": {"h": {"description": "H.", "words": ["man"]}}, "modifiers": {"m": modifier}}
        )
    except TaxonomyError:
        return  # nothing to match in it, or a placeholder
    for engine in ENGINES:
        analysis = Parser(taxonomy, engine=engine).analyse(f"{word} man")
        assert (analysis.modifiers, analysis.unknown) == (("m",), ())


@pytest.mark.parametrize("engine", ENGINES)
def test_a_kind_of_function_words_may_be_empty(engine: Engine) -> None:
    values = {
        "heads": {"h": {"description": "H.", "words": ["man"]}},
        "function_words": {"degree": [], "conjunction": []},
    }
    parser = Parser(taxonomy_of(values), engine=engine)
    assert parser.analyse("a man").heads == ("h",)
    assert parser.analyse("a very man").unknown == ("very",)
    assert parser.analyse("a man and a man").why == "unknown-word"


TINY = str(Path(__file__).parent / "golden" / "tiny.yaml")
PHRASES = ("the pretty women", "a middle-aged woman", "a group of big cooks", "a big zzz woman", "a chair")


@pytest.fixture
def taxonomy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Taxonomy:
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "annotations.sqlite"))
    return load_taxonomy(TINY)


def file() -> Path:
    (path,) = GRAMMARS.folder.glob("*.kept")
    return path


def forbid_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("it is compiled again")

    monkeypatch.setattr(kept, "grammar_text", fail)
    monkeypatch.setattr(kept, "read_grammar", fail)


def test_a_kept_grammar_reads_like_a_new_one(taxonomy: Taxonomy, monkeypatch: pytest.MonkeyPatch) -> None:
    new = Parser(taxonomy)
    forbid_compiling(monkeypatch)
    again = Parser(taxonomy)
    assert again.grammar == new.grammar
    assert [again.analyse(text) for text in PHRASES] == [new.analyse(text) for text in PHRASES]


def test_another_taxonomy_or_other_code_is_not_confused_with_it(
    taxonomy: Taxonomy, monkeypatch: pytest.MonkeyPatch
) -> None:
    Parser(taxonomy)
    Parser(taxonomy.model_copy(update={"version": "9.0.0"}))
    monkeypatch.setattr(kept, "code_digest", lambda *_: "other code")
    Parser(taxonomy)
    assert len(list(GRAMMARS.folder.iterdir())) == 3


def test_no_plural_is_not_confused_with_a_regular_one(taxonomy: Taxonomy) -> None:
    values = taxonomy.model_dump(by_alias=True, exclude_unset=True)
    (name, head), *_ = values["heads"].items()
    for plural, read in (({}, True), ({"plural": None}, False)):
        words = (*head["words"], {"word": "zebu", **plural})
        heads = {**values["heads"], name: {**head, "words": words}}
        one = Taxonomy.model_validate({**values, "heads": heads})
        assert Parser(one).analyse("two zebus").in_domain is read


@pytest.mark.parametrize("damage", [b"", b"x", b"x" * 5000], ids=["empty", "one byte", "many bytes"])
def test_a_broken_file_is_written_anew(taxonomy: Taxonomy, damage: bytes) -> None:
    expected = Parser(taxonomy).analyse("the pretty women")
    good = file().read_bytes()
    file().write_bytes(damage)
    assert Parser(taxonomy).analyse("the pretty women") == expected
    assert file().read_bytes()[:32] == good[:32]


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(
    taxonomy: Taxonomy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "file" / "annotations.sqlite"))
    assert Parser(taxonomy).analyse("the pretty women").in_domain


def test_old_files_make_room_for_new_ones(taxonomy: Taxonomy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GRAMMARS, "_most", 2)
    for number in range(4):
        Parser(taxonomy.model_copy(update={"version": f"{number}.0.0"}))
    assert len(list(GRAMMARS.folder.iterdir())) == 2
    GRAMMARS.clear()
    assert list(GRAMMARS.folder.iterdir()) == []
