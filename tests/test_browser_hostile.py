"""Captions that contain code, and a content policy that keeps all of it from running."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import NEEDS_BROWSER, Opened, opened
from tests.html_audits import HOSTILE, made_once, save_hostile

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.model, *NEEDS_BROWSER]


@pytest.fixture(scope="module")
def page_file(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "hostile", save_hostile) / "audit" / "report.html"


@pytest.fixture
def report(window: Opened) -> Iterator[Opened]:
    """Yield the page with all captions open; opening them again undoes the filters of a test."""
    window.close_captions()
    window.page.evaluate("location.hash = 'captions?'")
    window.page.locator("#captions-panel[open]").wait_for()
    assert window.count
    yield window
    window.check()


def caption_with(report: Opened, words: str) -> str:
    found = report.page.locator("#captions-list .caption", has_text=words).first
    return str(found.evaluate("element => element.textContent"))


def test_markup_in_captions_stays_text(report: Opened) -> None:
    for text in HOSTILE[:3]:
        assert caption_with(report, text[:14]) == text
    assert report.page.evaluate("window.hacked") is None
    assert "hacked" not in report.page.title()
    assert report.page.locator("script").count() <= 3
    assert report.page.locator("#captions-list :is(img, script, style, b, i)").count() == 0
    assert report.page.locator("main :is(img, i)").count() == 0


def test_a_hostile_name_of_a_system_stays_text_wherever_it_is(report: Opened) -> None:
    name = '<i>"evil" & co</i>'
    assert report.page.locator("#systems table tbody th").first.inner_text() == name
    choice = report.page.locator("#filter-system")
    choice.select_option(name)
    assert choice.input_value() == name
    assert report.page.locator("#captions-list .place .system").first.inner_text() == name
    assert "<b>0</b>" in report.page.locator("#captions-list .place").first.inner_text()


def test_words_are_marked_where_they_are_in_spite_of_emoji_spaces_and_capitals(report: Opened) -> None:
    def marks(words: str) -> list[str]:
        rows = report.page.locator("#captions-list > li", has_text=words)
        return [str(row.locator("mark").evaluate("mark => mark.textContent")) for row in rows.all()]

    assert marks("with a kite") == ["a happy boy", "a tall girl"]
    assert marks("many") == ["an   old    man"]
    assert marks("BEAUTIFUL") == ["A BEAUTIFUL WOMAN"]
    row = report.page.locator("#captions-list > li", has_text="with a kite").nth(1)
    assert row.locator(".modifier").first.inner_text() == "tall"
    spaced = report.page.locator("#captions-list > li", has_text="many")
    assert spaced.locator(".modifier").first.inner_text() == "old"


def test_other_scripts_keep_their_direction_and_marks_cannot_reorder_the_page(report: Opened) -> None:
    row = report.page.locator("#captions-list .caption", has_text="رجل").first
    assert row.get_attribute("dir") == "auto"
    assert row.evaluate("element => getComputedStyle(element).direction") == "rtl"
    assert "\u202e" not in caption_with(report, "reversed")
    assert "\N{REPLACEMENT CHARACTER}" in caption_with(report, "reversed")


def test_control_characters_are_shown_and_not_sent(report: Opened) -> None:
    text = caption_with(report, "with a NUL")
    assert text == "a young girl\ufffd with a NUL\ufffd and \ufffd[31mred\ufffd[0m"


def test_the_policy_lets_no_other_script_style_or_request_pass(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file) as found:
        refused = found.page.evaluate(
            """async () => {
              const script = document.createElement("script");
              let trusted = true;
              try { script.textContent = "window.hacked = true"; } catch { trusted = false; }
              document.body.append(script);
              let fetched = true;
              try { await fetch("https://example.org/"); } catch { fetched = false; }
              let inserted = true;
              try { document.body.innerHTML += "<b>x</b>"; } catch { inserted = false; }
              return { hacked: window.hacked ?? false, trusted, fetched, inserted };
            }"""
        )
        assert refused == {"hacked": False, "trusted": False, "fetched": False, "inserted": False}
        assert [url for url in found.requests if not url.startswith("file:")] == []
