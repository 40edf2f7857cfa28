"""A real browser for tests: the system's Chromium, without network access."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SCREEN = {"width": 1280, "height": 860}
_PATIENCE = 300_000
"""Milliseconds to wait for anything: a limit for what hangs, not a judgement about a machine's speed."""

_CLOSE = """
async () => {
  const panel = document.getElementById("captions-panel");
  if (panel.open) {
    // The event of closing comes a moment later and changes the address: whoever goes on must come after it.
    const closed = new Promise((done) => panel.addEventListener("close", done, { once: true }));
    panel.close();
    await closed;
  }
  history.replaceState(null, "", "#");
  // A link is followed a moment after the click; until then, the count before must not be read.
  document.getElementById("captions-count").textContent = "";
  scrollTo(0, 0);
}
"""

_VISIT = """
async (hrefs) => {
  const count = document.getElementById("captions-count");
  const follow = (href) => {
    history.replaceState(null, "", href);
    dispatchEvent(new HashChangeEvent("hashchange"));
  };
  follow("#captions?");
  while (!/label/.test(count.textContent)) await new Promise((done) => setTimeout(done, 5));
  // Only the count is read. Laying out captions and tables anew for every address would be most of the work.
  const unread = document.querySelectorAll("main, #captions-list");
  for (const element of unread) element.style.display = "none";
  const counts = [];
  for (const href of hrefs) {
    count.textContent = "";
    follow(href);
    counts.push(count.textContent);
  }
  for (const element of unread) element.style.display = "";
  return counts;
}
"""


def _program() -> str | None:
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def _missing() -> str | None:
    if _program() is None:
        return "needs a browser: no Chromium is installed (Debian: apt-get install chromium)"
    if find_spec("playwright") is None:
        return "needs playwright, which drives the browser: `make test` installs it"
    return None


NEEDS_BROWSER = [pytest.mark.skip(reason=reason)] if (reason := _missing()) else []
"""For test files about the browser: pytest then reports once, and not for each test, what is missing."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium, or skip with a message.

    Request it once per file, not once per session: while it runs, Playwright keeps an event loop running in
    this thread, and a later test in another file that starts its own loop would fail, depending on the order
    of files.
    """
    if reason := _missing():
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_program(), args=list(_FLAGS), timeout=_PATIENCE)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page, and everything it did that our pages must not do."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    pristine: bool = False
    """Whether tables, controls and screen are as they were when the page was loaded."""

    def load(self) -> None:
        """Reload the page on the usual screen, which undoes everything that was clicked, typed or set."""
        self.complaints.clear()
        self.requests.clear()
        self.page.set_viewport_size({"width": _SCREEN["width"], "height": _SCREEN["height"]})
        self.page.emulate_media(media="screen", color_scheme="light")
        # Navigation without a fragment also reloads a page that is already open.
        self.page.goto(self.url)
        self.pristine = True

    def fresh(self) -> Opened:
        """Return a freshly opened page; a test that leaves it unchanged may mark it as pristine."""
        if not self.pristine:
            self.load()
        self.pristine = False
        return self

    def close_captions(self) -> None:
        """Close the captions panel, scroll to the top, and remove the filters from the address."""
        self.page.evaluate(_CLOSE)

    def visit(self, hrefs: list[str]) -> list[int]:
        """Follow links to captions in turn, and return how many captions the panel counts for each."""
        return [int(text.split()[0].replace(",", "")) for text in self.page.evaluate(_VISIT, hrefs)]

    @property
    def count(self) -> str:
        """Return the number of captions that the panel shows, after they have been unpacked."""
        told = "() => /label/.test(document.getElementById('captions-count').textContent)"
        self.page.wait_for_function(told)
        return self.page.locator("#captions-count").inner_text()

    def check(self) -> None:
        """Check that there were no errors and that nothing but the page was requested."""
        assert self.complaints == []
        assert set(self.requests) == {self.url}


@contextmanager
def opened(browser: Browser, file: Path, *, address: str = "", **options: Any) -> Iterator[Opened]:
    """Open a page from disk; errors and requests are collected, and all requests but one are refused."""
    # Reduced motion, because a page that is still scrolling is in no defined state.
    usual = {"viewport": _SCREEN, "color_scheme": "light", "reduced_motion": "reduce"}
    context = browser.new_context(**{**usual, **options})
    context.set_default_timeout(_PATIENCE)
    context.set_default_navigation_timeout(_PATIENCE)
    url = file.resolve().as_uri()
    found = Opened(context.new_page(), url)
    context.route("**/*", lambda route: route.continue_() if route.request.url == url else route.abort())
    found.page.on("request", lambda request: found.requests.append(request.url.partition("#")[0]))
    found.page.on("console", lambda message: found.complaints.append(f"{message.type}: {message.text}"))
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.goto(url + address)
    found.pristine = not address
    yield found
    context.close()
