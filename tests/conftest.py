"""Fixtures that several test files share."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docs_tools.in_process import WITHOUT_WORDNET
from tests.browser import Opened, chromium, opened
from tests.properties import load_profile

if TYPE_CHECKING:
    from playwright.sync_api import Browser

load_profile()

# Tests neither read nor fill the user's cache. All processes of a run share one cache, so that the captions
# of the example are annotated only once; tests of the cache itself create their own.
CACHE = Path(tempfile.mkdtemp(prefix="assess-tests-")) if "PYTEST_XDIST_WORKER" not in os.environ else None
if CACHE is not None:
    os.environ["ASSESS_CACHE"] = str(CACHE / "annotations.sqlite")
os.environ.update(WITHOUT_WORDNET)

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of research data, which is not part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("needs the research data beside this checkout (../shared/data)")
    return SHARED_DATA


Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that installs a package with a module and entry points, and returns its file."""

    def make(package: str, code: str = "", *, group: str = "", version: str = "1.2", **offers: str) -> Path:
        about = tmp_path / f"{package}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        lines = [f"[{group}]", *(f"{name} = {value}" for name, value in offers.items())] if group else []
        (about / "entry_points.txt").write_text("\n".join([*lines, ""]))
        module = tmp_path / f"{package.replace('-', '_')}.py"
        module.write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, module.stem, raising=False)
        importlib.invalidate_caches()
        return module

    return make


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield a browser for the tests of one file."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def window(browser: Browser, page_file: Path) -> Iterator[Opened]:
    """Yield the one window with a file's page: most of a test's time would be spent on loading it."""
    with opened(browser, page_file) as found:
        yield found


@pytest.fixture
def report(window: Opened) -> Iterator[Opened]:
    """Yield a freshly opened page, for tests that change tables or controls."""
    yield window.fresh()
    window.check()


def pytest_unconfigure() -> None:
    """Remove the cache of this run when all workers have ended."""
    if CACHE is not None:
        shutil.rmtree(CACHE, ignore_errors=True)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """State what skipped tests would need, with one line for each need."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.getreports("skipped"))
    for reason, tests in reasons.most_common():
        terminalreporter.write_line(f"skipped {tests}: {reason.removeprefix('Skipped: ')}")
