"""Accessibility of the page: keyboard, names for screen readers, contrast, small screens, printing."""

from __future__ import annotations

from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.browser import NEEDS_BROWSER, Opened, opened
from tests.html_audits import made_once, save_small

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.model, *NEEDS_BROWSER]

# Every visible piece of text and its ground; `fill` for drawings. Returns what is below the WCAG AA limits.
CONTRASTS = """
() => {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = colour;
    probe.fillRect(0, 0, 1, 1);
    return [...probe.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [red, green, blue] = rgba(colour).slice(0, 3).map((value) => channel(value / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return "white";
  };
  const poor = [];
  let checked = 0;
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest("script, title, style")) continue;
    const style = getComputedStyle(element);
    const drawn = element instanceof SVGElement;
    let under = ground(element);
    const inside = element.classList.contains("inside");
    if (inside) under = getComputedStyle(element.previousElementSibling).fill;
    const [one, other] = [light(drawn ? style.fill : style.color), light(under)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    checked += 1;
    if (ratio < (large ? 3 : 4.5)) poor.push(`${element.outerHTML.slice(0, 80)} ${ratio.toFixed(2)}`);
  }
  return [checked, poor];
}
"""


@pytest.fixture(scope="module")
def page_file(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "small", save_small) / "audit" / "report.html"


def focus(report: Opened) -> str:
    return str(
        report.page.evaluate("(document.activeElement.id || document.activeElement.textContent).trim()")
    )


def test_everything_can_be_done_with_the_keyboard(report: Opened) -> None:
    page = report.page
    page.keyboard.press("Tab")
    assert focus(report) == "Skip to the report"
    page.locator("#systems table a.n").first.focus()
    number = focus(report)
    page.keyboard.press("Enter")
    assert report.count == f"{number} labels"
    assert focus(report) == "captions-title"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focus(report) == "filter-q"
    page.keyboard.type("dog")
    page.wait_for_function("() => document.getElementById('captions-count').textContent === '8 labels'")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.locator("#captions-panel:not([open])").wait_for(state="attached")
    page.wait_for_function("() => !location.hash")
    assert focus(report) == number
    page.locator("#systems table").get_by_role("button", name="modifiers per label").focus()
    page.keyboard.press("Space")
    assert page.locator("#systems table tbody th").first.inner_text() == "fine"


def test_the_open_panel_keeps_the_focus(report: Opened) -> None:
    page = report.page
    page.locator("#systems table a.n").first.click()
    assert report.count
    # Every step is noted in the page. Beyond the last place comes the browser itself, then the first again.
    page.evaluate(
        """() => {
          window.places = [];
          document.addEventListener("focusin", (event) => {
            window.places.push(event.target.closest("dialog") ? event.target.id || "inside" : "outside");
          });
        }"""
    )
    for _ in range(30):
        page.keyboard.press("Tab")
    places = page.evaluate("window.places")
    assert "outside" not in places
    assert len(places) > 20
    assert {"filter-q", "filter-system", "filter-category", "captions-close"} <= set(places)


def test_everything_that_acts_or_draws_has_a_name(report: Opened) -> None:
    page = report.page
    page.locator("#systems table a.n").first.click()
    assert report.count
    named = ("button", "link", "combobox", "searchbox", "checkbox", "img", "region", "dialog")
    for line in page.locator("body").aria_snapshot().splitlines():
        kind, _, name = line.strip().removeprefix("- ").partition(" ")
        assert kind.rstrip(":") not in named or name, line
    drawings = page.locator("svg").evaluate_all(
        "all => all.filter(svg => !(svg.getAttribute('aria-hidden') === 'true'"
        " || (svg.getAttribute('role') === 'img' && svg.querySelector('title')?.textContent))).length"
    )
    assert drawings == 0
    assert page.locator("html").get_attribute("lang") == "en"
    levels = page.locator("h1, h2, h3, h4").evaluate_all("all => all.map(head => Number(head.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.locator("th:not([scope])").count() == 0
    identifiers = page.locator("[id]").evaluate_all("all => all.map(element => element.id)")
    assert len(identifiers) == len(set(identifiers))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_keep_the_contrast_of_wcag_aa(report: Opened, scheme: Literal["light", "dark"]) -> None:
    page = report.page
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("scheme => matchMedia(`(prefers-color-scheme: ${scheme})`).matches", scheme)
    page.get_by_label("include categories that are never mentioned").check()
    for box in page.locator('[name="verdict"]').all():
        box.check()
    page.locator(".opener").first.click()
    checked, poor = page.evaluate(CONTRASTS)
    assert checked > 200
    assert poor == []
    page.evaluate("location.hash = 'captions?system=fine&category=modifier.age'")
    assert report.count
    page.locator("#captions-list summary").first.click()
    _, poor = page.evaluate(CONTRASTS)
    assert poor == []


def test_axe_finds_no_serious_problem(browser: Browser, page_file: Path) -> None:
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    # The page's content policy would block a foreign script.
    with opened(browser, page_file, bypass_csp=True) as found:
        found.page.evaluate("location.hash = 'words'")
        found.page.locator(".word-dot").first.wait_for()
        found.page.evaluate(axe)
        problems = """async () => (await axe.run()).violations
          .filter((one) => ["serious", "critical"].includes(one.impact))
          .map((one) => [one.id, one.nodes[0].html])"""
        assert found.page.evaluate(problems) == []
        found.page.evaluate("location.hash = 'captions?system=fine'")
        assert found.count
        assert found.page.evaluate(problems) == []


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 2400])
def test_no_screen_has_to_scroll_sideways(report: Opened, width: int) -> None:
    page = report.page
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_function("width => innerWidth === width", arg=width)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("location.hash = 'captions?system=fine'")
    assert report.count
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # As wide as the screen lets it be, and nothing in it is wider.
    assert page.evaluate("document.getElementById('captions-panel').scrollWidth") in range(300, width + 1)


def test_on_paper_there_are_no_controls_and_the_ground_is_white(report: Opened) -> None:
    page = report.page
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("header.top").is_visible()
    assert not page.locator(".controls").first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(29, 32, 37)"
    assert len(page.pdf()) > 10_000


def test_without_scripts_all_tables_and_charts_are_there(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, java_script_enabled=False) as found:
        page = found.page
        assert page.locator("#contrasts-by-gender .facts-of").first.is_visible()
        assert page.locator("#contrasts-by-gender .of-verdict .verdict:visible").count() > 0
        assert page.locator('#categories-table tr[data-never="yes"]').first.is_visible()
        assert not page.locator(".needs-script").first.is_visible()
        assert not page.locator("#captions-panel").is_visible()
