"""A page of a hundred thousand mentions: its size, and how soon it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assess.report import html_page
from assess.report.html_input import read_input
from tests.browser import chromium, opened
from tests.html_audits import save_made_up

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MENTIONS = 100_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_made_up(tmp_path_factory.mktemp("large"), mentions=MENTIONS)
    html_page.write_html(read_input(folder), folder / "report.html")
    return folder / "report.html"


def test_a_hundred_thousand_mentions_stay_within_15_megabytes(large: Path) -> None:
    assert large.stat().st_size < 15_000_000


def test_a_large_page_answers(
    browser: Browser,
    large: Path,
    record_property: Callable[[str, Any], None],
) -> None:
    """The times are told, not judged: the machine may be busy with other things."""
    start = time.perf_counter()
    with opened(browser, large) as found:
        found.page.locator("#theme").click()
        record_property("seconds to first interaction", round(time.perf_counter() - start, 2))
        found.page.locator("#systems-table a.n").first.click()
        assert found.count == "20,000 labels"
        record_property("seconds to first captions", round(time.perf_counter() - start, 2))
        assert found.page.locator("#captions-list > li").count() == 50
        found.page.get_by_role("combobox", name="System").select_option("")
        assert found.count == "100,000 labels"
        found.check()


def test_of_too_many_mentions_a_sample_is_shown_and_the_totals_are_told(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_page, "_LARGEST", 60_000)
    folder = save_made_up(tmp_path, mentions=20_000, labels=200)
    html_page.write_html(read_input(folder), folder / "report.html")
    assert (folder / "report.html").stat().st_size < 400_000
    with opened(browser, folder / "report.html", address="#captions?") as found:
        assert found.count.startswith("20,000 labels; ")
        assert "of each label of a system are in this file" in found.count
        found.page.get_by_role("combobox", name="System").select_option("system-0")
        assert found.count.startswith("4,000 labels; ")
        found.check()
