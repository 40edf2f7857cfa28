"""The page of the bundled example in a real browser: what a reader sees, clicks and types."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assess.report.html_input import read_input
from assess.report.html_page import write_html
from tests.browser import Opened, chromium, opened
from tests.html_audits import save_example

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def example(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the example's page. It is made only where there is a browser to open it."""
    return save_example(tmp_path_factory.mktemp("example"), by=("gender", "age")) / "report.html"


@pytest.fixture
def report(browser: Browser, example: Path) -> Iterator[Opened]:
    with opened(browser, example) as found:
        yield found
        found.check()


def number_in(text: str) -> int:
    found = re.search(r"[\d,]+", text)
    assert found, text
    return int(found.group().replace(",", ""))


VISITS = """
async (hrefs) => {
  const counts = [];
  for (const href of ["#captions?", ...hrefs]) {
    const followed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = href.slice(1);
    await followed;
    const count = document.getElementById("captions-count");
    while (!/label/.test(count.textContent)) await new Promise((done) => setTimeout(done, 5));
    counts.push(Number(count.textContent.split(" ")[0].replaceAll(",", "")));
  }
  return counts.slice(1);
}
"""


def visits(page: Page, hrefs: list[str]) -> list[int]:
    """Follow addresses to captions, one after another, and return how many the panel counts for each."""
    counts: list[int] = page.evaluate(VISITS, hrefs)
    return counts


def test_the_first_screen_tells_who_is_bland_and_who_is_biased(
    browser: Browser, example: Path, tmp_path: Path
) -> None:
    shutil.copy(example.parent / "mentions.jsonl", tmp_path)
    results = json.loads((example.parent / "audit.json").read_text(encoding="utf-8"))
    del results["bias"]["age"]  # as `assess demo` has it
    (tmp_path / "audit.json").write_text(json.dumps(results), encoding="utf-8")
    write_html(read_input(tmp_path), tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as found:
        cards = found.page.locator(".card h3")
        assert cards.all_inner_texts() == [
            "skewed speaks differently of female and male",
            "bland says least about people",
            "rich says most about people",
        ]
        for place in (*cards.all(), found.page.locator(".signature")):
            box = place.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < 860
        found.check()


def test_what_was_audited_stands_at_the_top(report: Opened) -> None:
    top = report.page.locator("#overview").inner_text()
    for part in (
        "bland, rich and skewed, beside references",
        "3,200 captions",
        "domain people",
        "gender and age",
    ):
        assert part in top


def test_a_number_of_the_heat_map_opens_exactly_its_captions(report: Opened) -> None:
    page = report.page
    cells = page.locator("#categories-table td.heat:has(> a.n)").evaluate_all(
        "cells => cells.map(cell => [cell.querySelector('a').getAttribute('href'),"
        " cell.querySelector('small').textContent])"
    )
    assert len(cells) > 60
    assert visits(page, [href for href, _ in cells]) == [number_in(text) for _, text in cells]


def test_counts_by_group_and_by_system_open_exactly_their_captions(report: Opened) -> None:
    page = report.page
    links = page.locator("#by-gender .who-is td a.n, #systems-table td:nth-child(3) a.n, #marked-table a.n")
    found = links.evaluate_all("all => all.map(link => [link.getAttribute('href'), link.textContent])")
    assert len(found) > 20
    assert visits(page, [href for href, _ in found]) == [number_in(text) for _, text in found]


def test_rates_of_a_contrast_open_as_many_captions_as_the_row_tells(report: Opened) -> None:
    page = report.page
    row = page.locator('#contrasts-by-gender tbody[data-category="attractiveness"][data-system="skewed"]')
    told = [text for text in row.locator(".facts-of dd").all_text_contents() if "labels" in text][:2]
    hrefs = row.locator(".rate a").evaluate_all("all => all.map(link => link.getAttribute('href'))")
    assert visits(page, hrefs) == [number_in(text) for text in told]


def test_every_link_to_captions_finds_some(report: Opened) -> None:
    page = report.page
    hrefs = page.locator('main a[href^="#captions?"]').evaluate_all(
        "all => [...new Set(all.map(link => link.getAttribute('href')))]"
    )
    # Examples are many and alike; some of them are enough.
    hrefs = [href for href in hrefs if "label=" not in href] + [h for h in hrefs if "label=" in h][:30]
    assert len(hrefs) > 200
    counts = visits(page, hrefs)
    # Of labels that were not read, a number may well be 0.
    empty = [href for href, count in zip(hrefs, counts, strict=True) if not count and "read=" not in href]
    assert empty == []


def test_captions_show_label_words_and_readings(report: Opened) -> None:
    page = report.page
    page.locator(".card.disparity .block").first.locator("a").first.click()
    assert report.count == "51 labels"
    rows = page.locator("#captions-list > li")
    assert rows.count() == 50
    first = rows.first
    assert first.locator("mark").inner_text().lower() == "a beautiful red-haired woman"
    assert first.locator(".wanted").inner_text() == "beautiful"
    assert first.locator(".modifier").first.get_attribute("title") == "modifier: attractiveness"
    first.locator("summary").click()
    assert "beautiful modifier: attractiveness" in first.locator("details li").first.inner_text()
    assert "skewed image" in first.locator(".place").inner_text()


def test_long_lists_come_a_page_at_a_time(report: Opened) -> None:
    page = report.page
    page.locator('nav a[href="#captions?"]').click()
    rows, more = page.locator("#captions-list > li"), page.locator("#captions-more")
    assert number_in(report.count) > 100  # waits until the captions are unpacked
    assert rows.count() == 50
    more.click()
    assert rows.count() == 100
    assert page.evaluate(
        "document.activeElement.closest('li') === document.querySelectorAll('#captions-list > li')[50]"
    )


def test_searching_and_filtering_narrow_each_other(report: Opened) -> None:
    page = report.page
    page.locator('nav a[href="#captions?"]').click()
    everything = number_in(report.count)
    page.get_by_role("dialog").get_by_role("combobox", name="System").select_option("rich")
    of_rich = number_in(report.count)
    page.get_by_role("searchbox", name="Search").fill("CURLY")
    page.wait_for_function(
        "before => document.getElementById('captions-count').textContent !== before", arg=f"{of_rich} labels"
    )
    curly = number_in(report.count)
    page.get_by_role("combobox", name="Gender").select_option("female")
    female = number_in(report.count)
    assert everything > of_rich > curly > female > 0
    texts = page.locator("#captions-list .caption").all_inner_texts()
    assert len(texts) == female
    assert all("curly" in text.lower() for text in texts)
    assert "q=CURLY" in page.url
    assert "by.gender=female" in page.url


def test_a_common_label_filters_and_the_filter_can_be_taken_back(report: Opened) -> None:
    page = report.page
    page.locator("#systems-table tbody tr").first.locator("td a").first.click()
    before = report.count
    chip = page.locator("#captions-labels button").first
    wanted = number_in(chip.inner_text().rsplit(" ", 1)[1])
    chip.click()
    assert number_in(report.count) == wanted
    page.locator("#captions-chips button").click()
    assert report.count == before


def test_the_reading_can_be_any_reading(report: Opened, example: Path) -> None:
    results = json.loads((example.parent / "audit.json").read_text(encoding="utf-8"))
    found = [
        (f"#captions?system={name}&category={key}", counts["best_labels"], counts["labels"])
        for name, system in results["systems"].items()
        for key, counts in system["categories"].items()
        if counts["best_labels"] < counts["labels"]
    ]
    assert found
    assert visits(report.page, [href for href, _, _ in found]) == [best for _, best, _ in found]
    assert visits(report.page, [f"{href}&reading=any" for href, _, _ in found]) == [n for _, _, n in found]


def test_the_address_opens_captions_and_the_back_button_closes_them(browser: Browser, example: Path) -> None:
    address = "#captions?system=bland&category=modifier.age"
    with opened(browser, example, address=address) as found:
        found.page.locator("#captions-list > li").first.wait_for()
        assert found.count == "20 labels"
        assert found.page.locator("#filter-system").input_value() == "bland"
        found.page.locator("#captions-close").click()
        found.page.locator("#systems-table a.n").first.click()
        found.page.locator("#captions-panel[open]").wait_for()
        found.page.go_back()
        found.page.locator("#captions-panel:not([open])").wait_for(state="attached")
        found.check()


def test_tables_sort_by_a_column_and_back(report: Opened) -> None:
    page = report.page
    names = page.locator("#systems-table tbody th")
    page.locator("#systems-table").get_by_role("button", name="modifiers a label").click()
    assert names.all_inner_texts()[0] == "rich"
    assert (
        page.locator('#systems-table th[aria-sort="descending"]').inner_text().startswith("modifiers a label")
    )
    page.locator("#systems-table").get_by_role("button", name="modifiers a label").click()
    assert names.all_inner_texts()[0] == "bland"
    page.locator("#systems-table").get_by_role("button", name="system").click()
    assert [text.split()[0] for text in names.all_inner_texts()] == ["bland", "references", "rich", "skewed"]
    assert page.locator('#systems-table th[aria-sort="ascending"]').count() == 1


def test_contrasts_filter_by_verdict_open_and_show_strata(report: Opened) -> None:
    page = report.page
    controls = page.locator('.controls[data-for="contrasts-by-gender"]')
    rows = page.locator("#contrasts-by-gender > tbody:visible")
    assert rows.count() == 4
    controls.get_by_label("insufficient").check()
    assert rows.count() > 40
    controls.locator("select").first.select_option("bland")
    assert set(rows.evaluate_all("all => all.map(body => body.dataset.system)")) == {"bland"}
    controls.get_by_label("Category").fill("pos")
    assert controls.locator("output").inner_text().startswith(f"{rows.count()} of ")
    opener = rows.first.get_by_role("button")
    opener.click()
    assert opener.get_attribute("aria-expanded") == "true"
    assert rows.first.locator(".facts-of").is_visible()
    opener.click()
    assert not rows.first.locator(".facts-of").is_visible()
    controls.get_by_label("within strata").check()
    assert rows.first.locator(".strata").first.is_visible()
    assert not rows.first.locator(".facts-of").is_visible()


def test_contrasts_sort_with_all_that_belongs_to_them(report: Opened) -> None:
    page = report.page
    page.locator("#contrasts-by-gender").get_by_role("button", name="difference").click()
    shown = page.locator("#contrasts-by-gender > tbody").evaluate_all(
        "all => all.map(body => [Number(body.querySelector('.of-difference').dataset.value),"
        " body.dataset.category, body.querySelector('.extra strong').textContent])"
    )
    values = [value for value, _, _ in shown]
    assert values == sorted(values, reverse=True)
    assert all(category == detail for _, category, detail in shown)


def test_one_group_is_shown_at_a_time_and_links_lead_to_the_right_one(report: Opened) -> None:
    page = report.page
    gender, age = page.locator("#by-gender"), page.locator("#by-age")
    assert not gender.is_visible() or not age.is_visible()
    page.locator("#group-switch").get_by_role("button", name="By gender").click()
    assert gender.is_visible()
    page.locator('nav a[href="#by-age"]').click()
    age.wait_for()
    assert not gender.is_visible()
    assert page.locator('#group-switch [aria-pressed="true"]').inner_text() == "By age"


def test_categories_that_are_never_said_can_be_shown(report: Opened) -> None:
    page = report.page
    rows = page.locator("#categories-table tbody tr[data-category]:visible")
    before = rows.count()
    page.get_by_label("also those that are never said").check()
    assert rows.count() == page.locator("#categories-table tbody tr[data-category]").count() > before
    page.locator('.controls[data-for="categories-table"] [name="category"]').fill("hair")
    assert set(rows.evaluate_all("all => all.map(row => row.dataset.category)")) == {
        "facial-hair",
        "hair-color",
        "hair-length",
        "hair-style",
    }


def test_measures_have_charts_with_intervals_and_the_numbers_behind_them(report: Opened) -> None:
    page = report.page
    for part, charts in (("diversity", 4), ("recall", 4)):
        drawings = page.locator(f"#{part} svg[role=img]")
        assert drawings.count() == charts
        assert all(drawings.evaluate_all("all => all.map(one => one.querySelector('title').textContent)"))
        assert page.locator(f"#{part} svg .interval").count() >= 6
    folded = page.locator("#recall details.numbers").last
    assert not folded.locator("table").is_visible()
    folded.locator("summary").press("Enter")
    folded.locator("table").wait_for()
    loc5 = folded.locator("tbody tr").first.locator("td").last
    assert re.fullmatch(r"\d+\.\d% *\(\d+\.\d% to \d+\.\d%\)", " ".join(loc5.inner_text().split()))
    names = page.locator("#diversity table").first.locator("tbody th")
    page.locator("#diversity table").first.get_by_role("button", name="TTR1").click()
    assert names.all_inner_texts() == ["rich", "references", "skewed", "bland"]


def test_the_theme_follows_the_system_until_the_reader_chooses(browser: Browser, example: Path) -> None:
    def background(page: Page) -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    with opened(browser, example, color_scheme="dark") as found:
        dark = background(found.page)
        found.page.get_by_role("button", name="Use the light theme").click()
        light = background(found.page)
        assert light != dark
        found.page.reload()
        assert background(found.page) == light
        found.page.get_by_role("button", name="Use the dark theme").click()
        assert background(found.page) == dark
        found.check()
    with opened(browser, example, color_scheme="light") as found:
        assert background(found.page) == light
