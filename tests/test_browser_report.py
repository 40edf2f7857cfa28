"""The page of the bundled example in a real browser: what readers see, click and type."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tests.browser import NEEDS_BROWSER, Opened, opened
from tests.html_audits import made_once, save_example, save_small

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.model, *NEEDS_BROWSER]


@pytest.fixture(scope="module")
def page_file(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page that `assess demo` shows. It is made only where there is a browser to open it."""
    return made_once(tmp_path_factory, "example", save_example) / "report.html"


@pytest.fixture(scope="module")
def two_groups(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of few captions, contrasted by two groups."""

    def make(folder: Path) -> None:
        save_small(folder, by=("gender", "age"))

    return made_once(tmp_path_factory, "two-groups", make) / "audit" / "report.html"


@pytest.fixture
def unchanged(window: Opened) -> Iterator[Opened]:
    """Yield the example for tests that read it, or that open captions and change nothing else."""
    yield window.fresh()
    window.check()
    window.close_captions()
    window.pristine = True


@pytest.fixture(scope="module")
def second_window(browser: Browser, two_groups: Path) -> Iterator[Opened]:
    with opened(browser, two_groups) as found:
        yield found


@pytest.fixture
def by_two(second_window: Opened) -> Iterator[Opened]:
    """Yield the page of two groups as it is when it is opened."""
    yield second_window.fresh()
    second_window.check()


def number_in(text: str) -> int:
    found = re.search(r"[\d,]+", text)
    assert found, text
    return int(found.group().replace(",", ""))


def told(page: Page, links: str) -> tuple[list[str], list[int]]:
    """Return the targets of links, and the number that each of them shows."""
    found = page.locator(links).evaluate_all(
        "all => all.map(one => [one.getAttribute('href'), one.innerText])"
    )
    return [href for href, _ in found], [number_in(text) for _, text in found]


def links_to_captions(page: Page) -> list[str]:
    """Return all links to captions in the page, but only some of the many similar example links."""
    hrefs: list[str] = page.locator('main a[href^="#captions?"]').evaluate_all(
        "all => [...new Set(all.map(link => link.getAttribute('href')))]"
    )
    return [href for href in hrefs if "label=" not in href] + [h for h in hrefs if "label=" in h][:30]


def empty(report: Opened, hrefs: list[str]) -> list[str]:
    """Return the links without captions; there may be no labels that were not read."""
    counts = zip(hrefs, report.visit(hrefs), strict=True)
    return [href for href, count in counts if not count and "read=" not in href]


def test_the_first_screen_tells_who_is_bland_rich_or_skewed(unchanged: Opened) -> None:
    page = unchanged.page
    assert [" ".join(text.split()) for text in page.locator(".beside-row h3").all_inner_texts()] == [
        "bland says less than people",
        "skewed says about as much as people",
        "rich says more than people",
    ]
    assert page.locator(".card h3").all_inner_texts() == ["skewed describes women and men differently"]
    bottoms = page.locator(".beside-row, .card .block").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().bottom)"
    )
    assert len(bottoms) == 6
    assert max(bottoms) < 860


def test_what_a_system_leaves_out_opens_what_people_say(unchanged: Opened) -> None:
    rows = unchanged.page.locator(".beside-row")
    left_out = [row.locator(".left-out").inner_text() for row in rows.all()]
    assert left_out[0].startswith("Never mentions clothing-color 26% kind-of-clothing 25%")
    assert left_out[2] == "Mentions everything that people mention often."
    hrefs = rows.locator(".gap-chip").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert len(hrefs) == 7
    assert all("system=references" in href for href in hrefs)
    assert all(unchanged.visit(hrefs))


def test_gaps_are_shares_less_those_of_people_and_open_their_captions(
    report: Opened, page_file: Path
) -> None:
    page = report.page
    systems = json.loads((page_file.parent / "audit.json").read_text(encoding="utf-8"))["systems"]
    page.get_by_label("include categories below 1% everywhere").check()
    heads = page.locator("#people-table thead th").all_inner_texts()
    assert [head.split()[0] for head in heads] == ["category", "people", "bland", "rich", "skewed"]
    for row in page.locator("#people-table tbody tr").all():
        key = f"modifier.{row.get_attribute('data-category')}"
        shares = {
            name: found["categories"][key]["best_labels"] / found["labels"] for name, found in systems.items()
        }
        told = [float(cell.get_attribute("data-value") or "") for cell in row.locator("td.gap").all()]
        wanted = [(shares[name] - shares["references"]) * 100 for name in ("bland", "rich", "skewed")]
        assert told == pytest.approx(wanted)
        silent = [*shares.values()][:3].count(0) if shares["references"] else 0
        assert row.locator(".gap").all_inner_texts().count("never") == silent
    hrefs = page.locator("#people-table a.n").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert empty(report, hrefs) == []


def test_bars_of_shares_fill_their_share_of_the_track(unchanged: Opened) -> None:
    drawn = unchanged.page.locator(".card .block li").evaluate_all(
        """all => all.map((line) => [
          parseFloat(line.querySelector(".num").innerText),
          ...[".bar", ".track"].map((part) => line.querySelector(part).getBoundingClientRect().width),
        ])"""
    )
    assert len(drawn) == 6
    for percent, bar, track in drawn:
        assert 100 * bar / track == pytest.approx(percent, abs=0.6)


def test_people_are_set_apart_and_fill_no_table_of_findings(report: Opened) -> None:
    page = report.page
    assert page.locator("#systems table tr.apart th").inner_text().split()[0] == "references"
    assert page.locator("#by-gender .who-is tr.apart th").inner_text().split()[0] == "references"
    controls = page.locator('.controls[data-for="contrasts-by-gender"]')
    controls.get_by_label("insufficient").check()
    shown = page.locator("#contrasts-by-gender > tbody:visible")
    of = "all => [...new Set(all.map(body => body.dataset.system))].sort()"
    assert shown.evaluate_all(of) == ["bland", "rich", "skewed"]
    controls.get_by_label("also people’s").check()
    assert shown.evaluate_all(of) == ["bland", "references", "rich", "skewed"]


def test_words_of_the_references_are_parts_that_add_up(unchanged: Opened, page_file: Path) -> None:
    recall = json.loads((page_file.parent / "audit.json").read_text(encoding="utf-8"))["recall"]["systems"]
    title = unchanged.page.locator("#recall .stack title").text_content() or ""
    for name, row in recall.items():
        parts = re.search(
            rf"{name}: used ([\d,]+), (?:learnable, but )?not used ([\d,]+)(?:, not learnable ([\d,]+))?",
            title,
        )
        assert parts, title
        numbers = [number_in(part) for part in parts.groups() if part]
        assert numbers[0] == row["recalled"]
        assert sum(numbers) == row["evaluation"]


def test_a_number_of_the_heat_map_opens_exactly_its_captions(unchanged: Opened) -> None:
    cells = unchanged.page.locator("#categories-table td.heat:has(> a.n)").evaluate_all(
        "cells => cells.map(cell => [cell.querySelector('a').getAttribute('href'),"
        " cell.querySelector('small').textContent])"
    )
    assert len(cells) > 60
    assert unchanged.visit([href for href, _ in cells]) == [number_in(text) for _, text in cells]


def test_the_most_frequent_words_of_a_category_open_as_many_captions(unchanged: Opened) -> None:
    told = unchanged.page.locator("#categories-table tr[data-never=no] td.examples").evaluate_all(
        "cells => cells.flatMap(cell => [...cell.querySelectorAll('a')].map(one => [one.getAttribute('href'),"
        " one.nextSibling.textContent]))"
    )
    assert len(told) > 40
    assert unchanged.visit([href for href, _ in told]) == [number_in(text) for _, text in told]


def test_words_that_differ_open_their_captions_from_the_table_and_the_drawing(report: Opened) -> None:
    page = report.page
    page.locator('nav a[href="#words"]').click()
    rows = page.locator("#words-table tbody tr")
    rows.first.wait_for()
    assert page.locator("#words-table thead th").all_inner_texts() == ["word", "women", "men"]
    everything = number_in(page.locator("#words-count").inner_text())
    assert page.locator(".word-dot").count() == everything
    hrefs, numbers = told(page, "#words-table td a.n")
    assert report.visit(hrefs) == numbers
    report.close_captions()
    controls = page.locator("#words-controls")
    controls.locator('[name="q"]').fill("beauti")
    assert rows.locator("th").all_inner_texts() == ["beautiful"]
    assert page.locator(".word-dot:not(.faint)").count() == 1
    dot = page.locator(".word-dot.first:not(.faint)")
    assert dot.locator("title").text_content() == "beautiful: 16 against 0 labels"
    dot.dispatch_event("click")
    assert report.count == "16 labels"
    assert page.locator("#captions-chips").inner_text().split(" ×")[0] == "word: beautiful"
    report.close_captions()
    page.evaluate("location.hash = 'words?system=skewed&category=modifier.hair-length'")
    page.wait_for_function("() => document.querySelector('#words-controls [name=system]').value === 'skewed'")
    controls.locator('[name="q"]').fill("")
    controls.locator('[name="q"]').dispatch_event("input")
    assert set(rows.locator("th").all_inner_texts()) <= {"long-haired", "short-haired", "bald"}


def test_counts_by_group_and_by_system_open_exactly_their_captions(unchanged: Opened) -> None:
    links = "#by-gender .who-is td a.n, #systems table td:nth-child(3) a.n, #marked a.n"
    hrefs, numbers = told(unchanged.page, links)
    assert len(hrefs) > 20
    assert unchanged.visit(hrefs) == numbers


def test_rates_of_a_contrast_open_as_many_captions_as_the_row_tells(unchanged: Opened) -> None:
    row = unchanged.page.locator(
        '#contrasts-by-gender tbody[data-category="attractiveness"][data-system="skewed"]'
    )
    facts = [text for text in row.locator(".facts-of dd").all_text_contents() if "labels" in text][:2]
    hrefs = row.locator(".rate a").evaluate_all("all => all.map(link => link.getAttribute('href'))")
    assert len(hrefs) == 2
    assert unchanged.visit(hrefs) == [number_in(text) for text in facts]


def test_every_link_to_captions_finds_some(unchanged: Opened) -> None:
    hrefs = links_to_captions(unchanged.page)
    assert len(hrefs) > 200
    assert empty(unchanged, hrefs) == []


def test_also_by_a_second_group_every_link_finds_its_captions(by_two: Opened) -> None:
    page = by_two.page
    assert "gender and age" in page.locator("#overview").inner_text()
    page.locator("#group-switch").get_by_role("button", name="By age").click()
    hrefs, numbers = told(page, "#by-age .who-is td a.n")
    assert hrefs
    assert all("by.age=" in href for href in hrefs)
    assert by_two.visit(hrefs) == numbers
    everything = links_to_captions(page)
    assert sum("by.age=" in href for href in everything) > len(hrefs)
    assert empty(by_two, everything) == []


def test_captions_show_label_words_and_readings(unchanged: Opened) -> None:
    page = unchanged.page
    page.locator(".card.disparity .block").first.locator("a").first.click()
    assert unchanged.count == "51 labels"
    rows = page.locator("#captions-list > li")
    assert rows.count() == 50
    first = rows.first
    assert first.locator("mark").inner_text().lower() == "a beautiful red-haired woman"
    assert first.locator(".wanted").inner_text() == "beautiful"
    assert first.locator(".modifier").first.get_attribute("title") == "modifier: attractiveness"
    first.locator("summary").click()
    assert "beautiful modifier: attractiveness" in first.locator("details li").first.inner_text()
    assert "skewed image" in first.locator(".place").inner_text()


def test_what_is_said_about_a_woman_is_not_marked_for_the_man_beside_her(by_two: Opened) -> None:
    assert by_two.visit(["#captions?q=suit&by.gender=male"]) == [1]
    marked = by_two.page.locator("#captions-list > li").first.locator(".caption > span.modifier")
    assert marked.all_inner_texts() == ["stands", "wearing a suit"]
    assert by_two.visit(["#captions?q=suit&by.gender=female"]) == [1]
    assert "wearing a red dress" in "".join(marked.all_inner_texts())


def test_long_lists_come_a_page_at_a_time(unchanged: Opened) -> None:
    page = unchanged.page
    page.locator('nav a[href="#captions?"]').click()
    rows, more = page.locator("#captions-list > li"), page.locator("#captions-more")
    assert number_in(unchanged.count) > 100  # waits until the captions are unpacked
    assert rows.count() == 50
    more.click()
    assert rows.count() == 100
    assert page.evaluate(
        "document.activeElement.closest('li') === document.querySelectorAll('#captions-list > li')[50]"
    )


def test_searching_and_filtering_narrow_each_other(unchanged: Opened) -> None:
    page = unchanged.page
    page.locator('nav a[href="#captions?"]').click()
    everything = number_in(unchanged.count)
    page.get_by_role("dialog").get_by_role("combobox", name="System").select_option("rich")
    of_rich = number_in(unchanged.count)
    page.get_by_role("searchbox", name="Search").fill("CURLY")
    # The page reacts to typing after a moment, and then changes the address.
    page.wait_for_function("() => location.hash.includes('q=CURLY')")
    curly = number_in(unchanged.count)
    page.get_by_role("combobox", name="Gender").select_option("female")
    female = number_in(unchanged.count)
    assert everything > of_rich > curly > female > 0
    texts = page.locator("#captions-list .caption").all_inner_texts()
    assert len(texts) == female
    assert all("curly" in text.lower() for text in texts)
    assert "q=CURLY" in page.url
    assert "by.gender=female" in page.url


def test_a_common_label_filters_and_the_filter_can_be_taken_back(unchanged: Opened) -> None:
    page = unchanged.page
    page.locator("#systems table tbody tr").first.locator("td a").first.click()
    before = unchanged.count
    chip = page.locator("#captions-labels button").first
    wanted = number_in(chip.inner_text().rsplit(" ", 1)[1])
    chip.click()
    assert number_in(unchanged.count) == wanted
    page.locator("#captions-chips button").click()
    assert unchanged.count == before


def test_what_is_typed_is_neither_lost_nor_followed_too_late(unchanged: Opened) -> None:
    """Done by a script, faster than the delay after which the page reacts to typing."""
    unchanged.visit(["#captions?"])
    together, late = unchanged.page.evaluate(
        """async () => {
          const [search, system] = ["filter-q", "filter-system"].map((id) => document.getElementById(id));
          const waits = [];
          const [later, never] = [window.setTimeout, window.clearTimeout];
          window.setTimeout = (work) => waits.push(work);
          window.clearTimeout = (number) => { if (number) waits[number - 1] = null; };
          const type = (text) => { search.value = text; search.dispatchEvent(new Event("input")); };
          const pass = () => { for (const work of waits.splice(0)) work?.(); };
          type("curly");
          system.value = "rich";
          system.dispatchEvent(new Event("change"));
          pass();
          const together = [search.value, location.hash];
          type("cur");
          const panel = document.getElementById("captions-panel");
          const closed = new Promise((done) => panel.addEventListener("close", done, { once: true }));
          panel.close();
          await closed;
          pass();
          Object.assign(window, { setTimeout: later, clearTimeout: never });
          return [together, location.hash];
        }"""
    )
    assert together == ["curly", "#captions?system=rich&q=curly"]
    assert late == ""  # an address of captions would open them again when the page is loaded again


def test_filters_may_be_chosen_while_the_captions_are_still_unpacked(by_two: Opened) -> None:
    # In one go: unpacking can end only when this has ended.
    choices = by_two.page.evaluate(
        """() => {
          for (const href of ["#captions?system=fine", "#captions?system=plain"]) {
            history.replaceState(null, "", href);
            dispatchEvent(new HashChangeEvent("hashchange"));
          }
          const [search, read] = ["filter-q", "filter-read"].map((id) => document.getElementById(id));
          search.value = "blorpy";
          search.dispatchEvent(new Event("input"));
          read.value = "none";
          read.dispatchEvent(new Event("change"));
          search.value = "man";
          return document.getElementById("filter-system").options.length;
        }"""
    )
    assert choices == 0
    assert by_two.count.endswith("labels")
    texts = by_two.page.locator("#filter-system option").all_text_contents()
    assert texts == ["all systems", "plain", "fine"]
    shown = {key: by_two.page.locator(f"#filter-{key}").input_value() for key in ("q", "system", "read")}
    assert shown == {"q": "man", "system": "plain", "read": "none"}


def test_the_reading_can_be_any_reading(unchanged: Opened, page_file: Path) -> None:
    results = json.loads((page_file.parent / "audit.json").read_text(encoding="utf-8"))
    found = [
        (f"#captions?system={name}&category={key}", counts["best_labels"], counts["labels"])
        for name, system in results["systems"].items()
        for key, counts in system["categories"].items()
        if counts["best_labels"] < counts["labels"]
    ]
    assert found
    assert unchanged.visit([href for href, _, _ in found]) == [best for _, best, _ in found]
    assert unchanged.visit([f"{href}&reading=any" for href, _, _ in found]) == [n for _, _, n in found]


def test_the_address_opens_captions_and_the_back_button_closes_them(
    browser: Browser, page_file: Path
) -> None:
    address = "#captions?system=bland&category=modifier.age"
    with opened(browser, page_file, address=address) as found:
        found.page.locator("#captions-list > li").first.wait_for()
        assert found.count == "20 labels"
        assert found.page.locator("#filter-system").input_value() == "bland"
        found.page.locator("#captions-close").click()
        found.page.wait_for_function("() => !location.hash")
        found.page.locator("#systems table a.n").first.click()
        found.page.locator("#captions-panel[open]").wait_for()
        found.page.go_back()
        found.page.locator("#captions-panel:not([open])").wait_for(state="attached")
        found.check()


def test_tables_sort_by_a_column_and_back(report: Opened) -> None:
    page = report.page
    names = page.locator("#systems table tbody th")
    page.locator("#systems table").get_by_role("button", name="modifiers per label").click()
    assert names.all_inner_texts()[0] == "rich"
    assert (
        page.locator('#systems table th[aria-sort="descending"]')
        .inner_text()
        .startswith("modifiers per label")
    )
    page.locator("#systems table").get_by_role("button", name="modifiers per label").click()
    assert names.all_inner_texts()[0] == "bland"
    page.locator("#systems table").get_by_role("button", name="system").click()
    assert [text.split()[0] for text in names.all_inner_texts()] == ["bland", "references", "rich", "skewed"]
    assert page.locator('#systems table th[aria-sort="ascending"]').count() == 1


def test_contrasts_filter_by_verdict_open_and_show_strata(report: Opened) -> None:
    page = report.page
    controls = page.locator('.controls[data-for="contrasts-by-gender"]')
    rows = page.locator("#contrasts-by-gender > tbody:visible")
    assert rows.count() == 4
    controls.get_by_label("insufficient").check()
    assert rows.count() > 30
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


def test_every_table_and_chart_can_be_linked_and_links_lead_to_what_is_hidden(by_two: Opened) -> None:
    page = by_two.page
    links = page.locator(".tools a").evaluate_all("all => all.map(one => one.getAttribute('href').slice(1))")
    parts = page.locator("main .scroll > table, main figure").evaluate_all("all => all.map(one => one.id)")
    assert sorted(links) == sorted(parts)
    assert len(links) == len(set(links)) > 10
    page.evaluate("location.hash = 'contrasts-by-age'")
    page.locator("#contrasts-by-age").wait_for()
    assert not page.locator("#by-gender").is_visible()
    folded = page.locator("details.numbers table").first.get_attribute("id")
    page.evaluate("id => { location.hash = id; }", folded)
    page.locator(f"#{folded}").wait_for()


def test_tables_and_charts_are_saved_as_they_are_shown(report: Opened, tmp_path: Path) -> None:
    page = report.page

    def saved(part: str, name: str) -> bytes:
        with page.expect_download() as found:
            page.locator(part).get_by_role("button", name=name).first.click()
        found.value.save_as(tmp_path / found.value.suggested_filename)
        return (tmp_path / found.value.suggested_filename).read_bytes()

    page.locator('.controls[data-for="contrasts-by-gender"] [name="category"]').fill("hair")
    rows = list(csv.reader(saved("#by-gender", "CSV: contrasts by gender").decode("utf-8-sig").splitlines()))
    assert rows[0] == ["system", "category", "women", "men", "difference", "q", "verdict"]
    assert [row[:2] for row in rows[1:]] == [["skewed", "hair-color"], ["skewed", "hair-length"]]
    assert float(rows[1][2]) == 0.2
    drawing = ElementTree.fromstring(saved("#systems", "SVG: modifiers per label"))
    shapes = [element for element in drawing.iter() if element.tag.endswith("rect")]
    assert {element.get("fill", "") for element in shapes} > {"rgb(255, 255, 255)"}
    assert not any("var(" in value for element in drawing.iter() for value in element.attrib.values())
    picture = saved("#systems", "PNG: modifiers per label")
    assert picture.startswith(b"\x89PNG")
    width, height = (int.from_bytes(picture[at : at + 4]) for at in (16, 20))
    assert width == 840
    assert height > 100
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#people").get_by_role("button", name="Copy").click()
    page.get_by_text("Copied").wait_for()
    copied = str(page.evaluate("navigator.clipboard.readText()")).splitlines()
    assert copied[0].split("\t") == ["category", "people", "bland", "rich", "skewed"]
    assert len(copied) == 1 + page.locator("#people-table tbody tr:visible").count()


def test_one_group_is_shown_at_a_time_and_links_lead_to_the_right_one(by_two: Opened) -> None:
    page = by_two.page
    gender, age = page.locator("#by-gender"), page.locator("#by-age")
    assert [gender.is_visible(), age.is_visible()] == [True, False]
    page.locator('nav a[href="#by-age"]').click()
    age.wait_for()
    assert not gender.is_visible()
    assert page.locator('#group-switch [aria-pressed="true"]').inner_text() == "By age"
    page.locator("#group-switch").get_by_role("button", name="By gender").click()
    assert [gender.is_visible(), age.is_visible()] == [True, False]


def test_categories_that_are_never_said_can_be_shown(report: Opened) -> None:
    page = report.page
    rows = page.locator("#categories-table tbody tr[data-category]:visible")
    before = rows.count()
    page.get_by_label("include categories that are never mentioned").check()
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
    folded = page.locator("#recall details.numbers").first
    assert not folded.locator("table").is_visible()
    folded.locator("summary").press("Enter")
    folded.locator("table").wait_for()
    precision = folded.locator("tbody tr").first.locator("td").last
    assert re.fullmatch(r"\d\.\d\d *\(\d\.\d\d to \d\.\d\d\)", " ".join(precision.inner_text().split()))
    names = page.locator("#diversity table").first.locator("tbody th")
    page.locator("#diversity table").first.get_by_role("button", name="TTR1").click()
    assert names.all_inner_texts() == ["rich", "references", "skewed", "bland"]


def test_the_theme_follows_the_system_until_the_reader_chooses(browser: Browser, two_groups: Path) -> None:
    def background(page: Page) -> str:
        return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

    # A window of its own: what the reader chose is kept for the next time.
    with opened(browser, two_groups, color_scheme="light") as found:
        light = background(found.page)
        found.page.emulate_media(color_scheme="dark")
        dark = background(found.page)
        assert light != dark
        found.page.reload()
        assert background(found.page) == dark
        found.page.get_by_role("button", name="Use the light theme").click()
        assert background(found.page) == light
        kept = found.page.evaluate("JSON.stringify(Object.entries(localStorage))")
        assert kept == '[["assess-theme","light"]]'
        # A busy Chromium may write this down only after the next page has asked for it. So the next page is
        # given what ours has stored: that it is stored, and that it is followed, is ours; the rest is not.
        found.page.add_init_script(f"for (const [key, value] of {kept}) localStorage.setItem(key, value);")
        found.page.reload()
        assert background(found.page) == light
        found.page.get_by_role("button", name="Use the dark theme").click()
        assert background(found.page) == dark
        found.page.emulate_media(color_scheme="light")
        assert background(found.page) == dark
        found.check()
