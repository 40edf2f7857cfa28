"""The documentation is executed: files, edits and commands, with their exit codes and outputs.

`make outputs` regenerates the outputs; review the diff.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from assess.annotate.vectors import vectors_package
from docs_tools.blocks import INLINE, Block, blocks, commands, keeps, patched, prose, replaced
from docs_tools.cli_page import commands as all_commands
from docs_tools.pages import (
    BEFORE,
    NEEDS_RESEARCH,
    NOT_RUN,
    PAGES,
    RESEARCH_DATA,
    between,
    page_name,
    prepare,
)
from docs_tools.session import Session


def lines_of(page: Path) -> list[str]:
    found = blocks(page.read_text(encoding="utf-8"))
    return [command.line for block in found if block.is_session for command in commands(block)]


@pytest.mark.model
@pytest.mark.parametrize(
    "page", [page for page in PAGES if set(lines_of(page)) - set(NOT_RUN)], ids=page_name
)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    if page.name == "writing-a-domain.md" and vectors_package():
        pytest.skip("needs an environment without word vectors, like that of the tutorial")
    if page.name in NEEDS_RESEARCH and not RESEARCH_DATA.is_dir():
        pytest.skip("needs the research data beside this checkout (../shared/data)")
    prepare(page, tmp_path)
    session = Session(tmp_path)
    for block in blocks(page.read_text(encoding="utf-8")):
        if not block.is_session:
            list(session.follow(block))
            continue
        for command in commands(block):
            if command.line in NOT_RUN:
                continue
            between(page, command.line, session.folder)
            done = session.type(command)
            assert done.code == command.code, f"$ {command.line}\n{done.output}"
            if command.promised is not None and not keeps(command.promised, done.output):
                assert done.output == command.promised, f"$ {command.line}: not the output of the page"


def test_what_is_not_run_is_still_on_a_page() -> None:
    typed = {line for page in PAGES for line in lines_of(page)}
    assert not set(NOT_RUN) - typed
    assert all(NOT_RUN.values())
    assert {line for _, line in BEFORE} <= typed


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_no_command_or_output_hides_from_the_test(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for block in blocks(text):
        starts = {line.removeprefix("$ ").partition(" ")[0] for line in block.text.splitlines()}
        if not block.is_session and block.title is None:
            assert "assess" not in starts, "a command in a block that is neither bash nor console"
    assert not [line for line in prose(text).splitlines() if line.startswith(("    assess ", "    $ "))]


COMMANDS = all_commands()


def known(words: list[str]) -> bool:
    """Return whether a command line has a command and options that there are."""
    command = COMMANDS.get(" ".join(words[:3])) or COMMANDS.get(" ".join(words[:2]))
    if command is None:
        return False
    options = {name for option in command.params for name in option.opts} | {"--help"}
    return {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_in_running_text_exist(page: Path) -> None:
    for line in INLINE.findall(prose(page.read_text(encoding="utf-8"))):
        words = shlex.split(line.replace("...", "").replace("…", ""))
        assert known(words) or words == ["assess", "domain"], line


def test_an_unknown_command_or_option_is_noticed() -> None:
    assert known(["assess", "domain", "lint", "x.yaml", "--strict"])
    assert not known(["assess", "adit", "x.json"])
    assert not known(["assess", "audit", "x.json", "--colour"])


def test_parts_are_replaced_and_the_rest_is_left() -> None:
    text = "a: 1\n\n# about b\nb:\n  - x\n# about c\nc: 3\n"
    assert replaced(text, "b:\n  - y\n") == "a: 1\n\n# about b\nb:\n  - y\n# about c\nc: 3\n"
    assert replaced(text, "d: 4\n").endswith("c: 3\n\nd: 4\n")
    assert patched(text, "-  - x\n+  - y\n+  - z\n") == text.replace("  - x\n", "  - y\n  - z\n")
    with pytest.raises(ValueError, match="0 times"):
        patched(text, "-nothing\n+something\n")


def test_the_reader_of_sessions_sees_commands_outputs_and_exit_codes() -> None:
    page = 'text\n```console\n$ one\nout\n\n$ two  # exit code 1\n```\n```text title="a.txt"\nhello\n```\n'
    session, file = blocks(page)
    assert (session.is_session, file.is_session, file.title) == (True, False, "a.txt")
    found = [(command.line, command.promised, command.code) for command in commands(session)]
    assert found == [("one", "out\n\n", 0), ("two  # exit code 1", "", 1)]
    typed = commands(Block("bash", None, "one --two \\\n  three\n# a comment\n\nfour\n"))
    assert [(command.line, command.promised) for command in typed] == [
        ("one --two   three", None),
        ("four", None),
    ]


@pytest.mark.parametrize(
    ("promised", "came", "kept"),
    [
        ("a\nb\n", "a  \nb\n\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n...\n", "a\nb\nc\n", True),
        ("a\n...\nc\n", "a\nc\n", True),
        ("...\nc\n", "a\nb\nd\n", False),
        ("a\n...\nb\n", "a\nx\nb\ny\n", False),
        ("a.\n", "ab\n", False),
    ],
)
def test_an_output_is_kept_word_for_word_but_where_lines_are_cut(
    promised: str, came: str, kept: bool
) -> None:
    assert keeps(promised, came) is kept


@pytest.mark.model
def test_a_session_goes_on_in_its_folder_and_tells_failure(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    text = "```bash\ncd in\nassess parse 'a tall man' --json > out.json\nassess parse\n```\n"
    moved, written, failed = Session(tmp_path).follow(blocks(text)[0])
    assert (moved.code, written.code, failed.code) == (0, 0, 2)
    assert '"height"' in (tmp_path / "in" / "out.json").read_text(encoding="utf-8")
