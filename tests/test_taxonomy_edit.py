"""Adding a word to a taxonomy's text: only the necessary lines change, and the file stays complete."""

from __future__ import annotations

import difflib
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.disk_cache import shipped_files
from assess.errors import AssessError, TaxonomyError, UsageError
from assess.records import Role
from assess.taxonomy import parse_taxonomy
from assess.taxonomy.edit import Addition, TaxonomyFile, add_word
from assess.taxonomy.model import Entry
from assess.taxonomy.strict_yaml import WIDTH

HEADER = "taxonomy: food\nversion: 1.0.0\ndescription: Food.\n"
SMALL = (
    HEADER
    + """\
heads:
  dish:   # cooked
    description: A dish.
    words:
      # a comment about pie
      - pie     # the best
      - loaf: loaves
      - {word: stew, plural: stews}
modifiers:
  taste:
    description: How it tastes.
    evidence: inferred
    sensitivity: none
    words: [bitter, sour, sweet]   # sorted
  heat: {description: How hot it is., evidence: inferred, sensitivity: none, patterns: ["{taste}-hot"]}
  look:
    description: How it looks.
    evidence: visible
    sensitivity: none
    patterns: ["{taste}-looking"]

  # about the next one
  age: {description: How old., evidence: visible, sensitivity: none, words: [stale, fresh]}
examples: []
"""
)


def added(role: Role, category: str, word: str, text: str = SMALL) -> str:
    return add_word(text, Addition(role, category, Entry(word=word)), file="food.yaml")


def changes(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


AGE = "  age: {description: How old., evidence: visible, sensitivity: none, words: "
HEAT = "  heat: {description: How hot it is., evidence: inferred, sensitivity: none, "


@pytest.mark.parametrize(
    ("role", "category", "entry", "line"),
    [
        ("head", "dish", Entry(word="soup"), "      - soup"),
        ("head", "dish", Entry(word="calf", plural="calves"), "      - calf: calves"),
        ("modifier", "taste", Entry(word="salty"), "    words: [bitter, salty, sour, sweet]   # sorted"),
        ("modifier", "taste", Entry(word="tart"), "    words: [bitter, sour, sweet, tart]   # sorted"),
        ("modifier", "look", Entry(word="shiny"), "    words: [shiny]"),
        ("modifier", "age", Entry(word="no"), f'{AGE}[stale, fresh, "no"]}}'),
        ("modifier", "heat", Entry(word="hot"), HEAT + 'patterns: ["{taste}-hot"], words: [hot]}'),
    ],
)
def test_only_the_line_of_the_word_changes(role: Role, category: str, entry: Entry, line: str) -> None:
    *removed, new = changes(SMALL, add_word(SMALL, Addition(role, category, entry), file="food.yaml"))
    assert new == f"+{line}"
    assert len(removed) <= 1


def test_an_empty_list_takes_the_first_word() -> None:
    text = SMALL.replace("\n    patterns", "\n    words: []\n    patterns")
    assert "words: [shiny]" in added("modifier", "look", "shiny", text)


@pytest.mark.parametrize(("role", "category"), [("head", "taste"), ("modifier", "dish"), ("head", "dishes")])
def test_an_unknown_category_is_told_with_the_nearest(role: Role, category: str) -> None:
    with pytest.raises(UsageError, match=r"there is no .* category"):
        added(role, category, "soup")


@pytest.mark.parametrize("word", ["pie", "PIE", "...", "{taste} pie"])
def test_a_word_that_would_make_the_file_invalid_is_refused(word: str) -> None:
    with pytest.raises(TaxonomyError):
        added("head", "dish", word)


def test_a_full_line_is_broken_once() -> None:
    words = ", ".join(f"w{number:02d}" for number in range(17))
    text = SMALL.replace("[bitter, sour, sweet]   # sorted", f"[{words}]")
    after = added("modifier", "taste", "w05x", text)
    removed, *new = changes(text, after)
    assert removed.startswith("-")
    assert [line[0] for line in new] == ["+", "+"]
    assert new[1].strip("+ ").startswith("w05x, w06")
    assert all(len(line) <= WIDTH + 1 for line in new)


@pytest.mark.parametrize("path", shipped_files("taxonomies", "*.yaml"), ids=lambda path: path.stem)
def test_the_shipped_files_change_in_one_place(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    taxonomy = parse_taxonomy(text, str(path))[0]
    found = changes(text, added("head", list(taxonomy.heads)[-1], "zyzzyva moth", text))
    assert len([line for line in found if line.startswith("-")]) <= 1
    assert len([line for line in found if line.startswith("+")]) <= 2
    assert "zyzzyva moth" in "".join(found)


WORDS = st.lists(
    st.text(st.sampled_from("abcdé 'ß-😀"), min_size=1, max_size=9)
    .map(lambda text: " ".join(text.split()).strip("-' "))
    .filter(lambda text: bool(text) and text[0].isalpha()),
    min_size=1,
    max_size=12,
    unique_by=lambda text: "".join(text.lower().replace("-", " ").split()),
)


@st.composite
def layouts(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw a file whose list of words is written in one of many ways."""
    words = draw(WORDS)
    if draw(st.booleans()):
        words = sorted(words)
    quoted = [f'"{word}"' for word in words]
    style = draw(st.sampled_from(("brackets", "wrapped", "dashes", "flush dashes", "braces", "commented")))
    newline = draw(st.sampled_from(("\n", "\r\n")))
    lists = {
        "brackets": f"    words: [{', '.join(quoted)}]",
        "wrapped": "    words: [\n      " + ",\n      ".join(quoted) + ",\n    ]  # end",
        "dashes": "    words:\n" + "\n".join(f"      - {word}  # said" for word in quoted),
        "flush dashes": "    words:\n" + "\n".join(f"    - {word}" for word in quoted),
        "commented": "    words: [ # first\n      " + ", # then\n      ".join(quoted) + " # last\n    ]",
        "braces": "    words: [" + ", ".join(f"{{word: {word}}}" for word in quoted) + "]",
    }
    head = "heads:\n  thing:\n    description: A thing.\n" + lists[style]
    end = draw(st.sampled_from(("", "\n", "\n# the end\n", "\nexamples: []\n")))
    return (HEADER + head + end).replace("\n", newline), words


@given(layouts(), st.sampled_from(["zzz", "aaa", "mmm nnn", "no", "12", "Ünique", "a'b"]))
def test_every_layout_takes_a_word_and_nothing_else_moves(layout: tuple[str, list[str]], word: str) -> None:
    text, words = layout
    entry = Entry(word=word)
    try:
        parse_taxonomy(text, "drawn.yaml")
        after = add_word(text, Addition("head", "thing", entry), file="drawn.yaml")
    except TaxonomyError:
        return  # the drawn words are no valid list, or hold this word already
    taxonomy, _ = parse_taxonomy(after, "drawn.yaml")
    found = [item.word for item in taxonomy.heads["thing"].words]
    assert sorted(found) == sorted([*words, word])
    assert [item for item in found if item != word] == words
    lines = changes(text, after)
    assert len([line for line in lines if line.startswith("-")]) <= 1
    assert len([line for line in lines if line.startswith("+")]) <= 2
    assert after.count("\r\n") == after.count("\n") or "\r\n" not in text
    assert after.count("#") == text.count("#")


@pytest.fixture
def file(tmp_path: Path) -> TaxonomyFile:
    path = tmp_path / "food.yaml"
    path.write_bytes(SMALL.encode())
    return TaxonomyFile(path)


SOUP = Addition("head", "dish", Entry(word="soup"))


def test_undo_restores_every_byte(file: TaxonomyFile) -> None:
    first = file.add(SOUP)
    second = file.add(Addition("modifier", "taste", Entry(word="salty")))
    assert (len(first.heads["dish"].words), len(second.modifiers["taste"].words)) == (4, 4)
    assert file.undo()
    assert file.undo()
    assert file.path.read_bytes() == SMALL.encode()
    assert not file.undo()


def test_undo_refuses_when_somebody_else_changed_the_file(file: TaxonomyFile) -> None:
    file.add(SOUP)
    theirs = file.path.read_text() + "# mine\n"
    file.path.write_text(theirs)
    with pytest.raises(
        UsageError, match="the file was changed by another program since the last edit, so the"
    ):
        file.undo()
    assert file.path.read_text() == theirs


def test_an_edit_goes_on_from_what_an_editor_saved_meanwhile(file: TaxonomyFile) -> None:
    file.add(SOUP)
    file.path.write_text(file.path.read_text() + "# mine\n")
    file.add(Addition("head", "dish", Entry(word="curry")))
    text = file.path.read_text()
    assert "# mine" in text
    assert "- soup" in text
    assert "- curry" in text


def test_a_refused_word_leaves_the_file_as_it_was(file: TaxonomyFile) -> None:
    with pytest.raises(AssessError):
        file.add(Addition("head", "dish", Entry(word="pie")))
    assert file.path.read_bytes() == SMALL.encode()
    assert os.listdir(file.path.parent) == ["food.yaml"]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_an_interrupted_edit_leaves_the_old_file_whole(
    file: TaxonomyFile, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        file.add(SOUP)
    monkeypatch.undo()
    assert file.path.read_bytes() == SMALL.encode()
    assert os.listdir(file.path.parent) == ["food.yaml"]
    assert not file.undo()


def test_mode_link_and_byte_order_mark_survive(tmp_path: Path) -> None:
    real = tmp_path / "real.yaml"
    real.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    real.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    TaxonomyFile(link).add(SOUP)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert real.read_bytes().startswith(b"\xef\xbb\xbftaxonomy")
    assert b"- soup" in real.read_bytes()
