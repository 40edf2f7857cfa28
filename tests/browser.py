"""A real browser for tests: the system's Chromium, with nothing to reach."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium, or skip with a message."""
    program = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra dev)")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page, and what it did that no page of ours may do."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def count(self) -> str:
        """What the panel of captions says about how many there are, once they are unpacked."""
        told = "() => /label/.test(document.getElementById('captions-count').textContent)"
        self.page.wait_for_function(told)
        return self.page.locator("#captions-count").inner_text()

    def check(self) -> None:
        """Check that nothing went wrong, and that nothing but the page was asked for."""
        assert self.complaints == []
        assert len(set(self.requests)) == 1


@contextmanager
def opened(browser: Browser, file: Path, *, address: str = "", **options: Any) -> Iterator[Opened]:
    """Open a page from disk; complaints and requests are collected, and every request but one is refused."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 860}, **options})
    found = Opened(context.new_page())
    url = file.resolve().as_uri()
    context.route("**/*", lambda route: route.continue_() if route.request.url == url else route.abort())
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.on("console", lambda message: found.complaints.append(f"{message.type}: {message.text}"))
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.set_default_timeout(15_000)
    found.page.goto(url + address)
    yield found
    context.close()
