"""A page with very many mentions: its size, and how little of it is drawn at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assess.audits.html import page as html_page
from assess.audits.saved import read_audit
from tests.browser import opened
from tests.html_audits import made_once, save_made_up

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MENTIONS = 20_000
MEGABYTES = 0.2 + 8 * MENTIONS / 125_000
"""All captions are distinct random words, so that size grows with their number; real ones pack better. A page
that would have more than six megabytes has a sample of its captions, as another test shows."""
SECONDS = 2
"""Of the processor, until a page answers: it takes about a tenth of that."""


def make_large(folder: Path) -> None:
    save_made_up(folder, mentions=MENTIONS, labels=12_000 * MENTIONS // 100_000)
    html_page.write_html(read_audit(folder), folder / "report.html")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "large", make_large) / "report.html"


def test_a_page_of_many_mentions_stays_small(large: Path) -> None:
    assert large.stat().st_size < MEGABYTES * 1_000_000


def test_a_large_page_answers_and_draws_no_more_than_a_small_one(browser: Browser, large: Path) -> None:
    """How fast it answers depends on the machine; how much it has to draw does not."""
    with opened(browser, large) as found:
        elements = "document.querySelectorAll('*').length"
        before = found.page.evaluate(elements)
        assert before < 1_000
        found.page.locator("#theme").click()
        found.page.locator("#systems table a.n").first.click()
        assert found.count == "4,000 labels"
        assert found.page.locator("#captions-list > li").count() == 50
        found.page.get_by_role("combobox", name="System").select_option("")
        assert found.count == "20,000 labels"
        assert found.page.locator("#captions-list > li").count() == 50
        # Fifty captions with their marks and readings, and the choices of the filters.
        assert found.page.evaluate(elements) < before + 50 * 40
        found.check()


def test_a_large_page_takes_little_of_the_processor(browser: Browser, large: Path) -> None:
    with opened(browser, large) as found:
        session = found.page.context.new_cdp_session(found.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        found.load()
        found.page.evaluate("location.hash = 'words'")
        found.page.locator(".word-dot").first.wait_for()
        spent = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        assert 0 < spent["TaskDuration"] < SECONDS


def test_of_too_many_mentions_a_sample_is_shown_and_the_totals_are_told(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert html_page._LARGEST < 5_500_000
    monkeypatch.setattr(html_page, "_LARGEST", 30_000)
    folder = save_made_up(tmp_path, mentions=5_000, labels=100)
    html_page.write_html(read_audit(folder), folder / "report.html")
    assert (folder / "report.html").stat().st_size < 200_000
    with opened(browser, folder / "report.html", address="#captions?") as found:
        assert found.count.startswith("5,000 labels; ")
        assert "of each label of a system are in this file" in found.count
        found.page.get_by_role("combobox", name="System").select_option("system-0")
        assert found.count.startswith("1,000 labels; ")
        found.check()
