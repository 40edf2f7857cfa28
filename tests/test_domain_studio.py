"""`assess domain studio` with Textual's pilot: keys, the file, and edits by other programs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from assess.taxonomy.edit import TaxonomyFile
from tests.commands import assess
from tests.test_domain_assign import candidate, session, words
from tests.test_taxonomy_edit import SMALL

pytest.importorskip("textual", reason="needs the extra `studio`")

from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from assess.domain.studio import Help, Question, Studio


def play(file: TaxonomyFile, *listed: str, steps: Callable[[Pilot[None], Studio], Awaitable[None]]) -> None:
    async def run() -> None:
        app = Studio(session(file, map(candidate, listed)))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await steps(pilot, app)

    asyncio.run(run())


@pytest.fixture
def file(tmp_path: Path) -> TaxonomyFile:
    path = tmp_path / "food.yaml"
    path.write_text(SMALL)
    return TaxonomyFile(path)


def test_keys_decide_and_undo(file: TaxonomyFile) -> None:
    async def steps(pilot: Pilot[None], app: Studio) -> None:
        assert "labels" in str(app.query_one("#top", Static).render())
        await pilot.press("1")
        assert "bittersweet" in words(file, "taste")
        await pilot.press("u")
        assert file.path.read_text() == SMALL
        await pilot.press("o", "down", "down", "enter")
        assert "bittersweet" in file.path.read_text()
        await pilot.press("n")
        assert isinstance(app.screen, Question)
        await pilot.press(*"texture", "enter")
        await pilot.pause()
        await pilot.press(*"Feel", "enter")
        await pilot.pause()
        assert words(file, "texture") == ["crisp"]
        await pilot.press("i", "question_mark")
        assert isinstance(app.screen, Help)
        await pilot.press("escape", "u")
        assert app.session.current is not None
        assert app.session.current.word == "salty"
        await pilot.resize_terminal(120, 40)
        await pilot.press("q")

    play(file, "bittersweet", "crisp", "salty", steps=steps)


def test_what_was_taken_back_does_not_wait_to_be_read(file: TaxonomyFile) -> None:
    async def steps(pilot: Pilot[None], app: Studio) -> None:
        await pilot.press("1", "1")
        assert app.session.changes == 2
        await pilot.press("u", "u")
        assert (app.session.changes, file.path.read_text()) == (0, SMALL)

    play(file, "bittersweet", "crisp", "salty", steps=steps)


def test_escape_makes_no_category(file: TaxonomyFile) -> None:
    async def steps(pilot: Pilot[None], app: Studio) -> None:
        await pilot.press("n", *"texture", "enter")
        await pilot.pause()
        assert isinstance(app.screen, Question)
        await pilot.press("escape")
        await pilot.pause()
        assert len(app.screen_stack) == 1
        assert file.path.read_text() == SMALL

    play(file, "crisp", steps=steps)


def test_what_is_passed_over_in_the_list_still_waits(file: TaxonomyFile) -> None:
    async def steps(pilot: Pilot[None], app: Studio) -> None:
        waiting = app.query_one("#waiting", OptionList)
        listed = [item.word for item in app.session.queue]
        await pilot.press("down", "1")
        assert waiting.option_count == 2
        assert waiting.highlighted == 1
        assert app.session.current is not None
        assert app.session.current.word == listed[2]
        await pilot.press("s")
        assert app.session.current.word == listed[0]
        await pilot.press("u", "u")
        assert [item.word for item in app.session.queue] == listed
        assert (app.session.start, app.session.position) == (0, 1)

    play(file, "bittersweet", "crisp", "salty", steps=steps)


def test_captions_keep_their_room_in_a_narrow_terminal(file: TaxonomyFile) -> None:
    async def steps(pilot: Pilot[None], app: Studio) -> None:
        for width in (60, 80, 120, 200):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert app.query_one("#captions").size.width >= width // 3

    play(file, "crisp", steps=steps)


def test_what_is_edited_elsewhere_is_noticed(file: TaxonomyFile) -> None:
    async def steps(pilot: Pilot[None], app: Studio) -> None:
        file.path.write_text(SMALL.replace("fresh]", "fresh, mouldy]"))
        app._look()
        assert "mouldy" in {entry.word for entry in app.session.taxonomy.modifiers["age"].words}
        await app.workers.wait_for_complete()
        file.path.write_text("heads: [")
        app._look()  # a file that is broken for the moment is told of, and not taken
        assert "mouldy" in {entry.word for entry in app.session.taxonomy.modifiers["age"].words}

    play(file, "salty", steps=steps)


def test_without_a_terminal_the_studio_says_what_to_use(file: TaxonomyFile) -> None:
    done = assess("domain", "studio", "captions.txt", "--domain", str(file.path))
    assert done.code == 2
    assert "needs a terminal" in done.stderr
