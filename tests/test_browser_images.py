"""Images next to captions: found in a folder or at a URL, loaded only on request."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assess.audits.html.page import image_source
from assess.errors import UsageError
from tests.browser import chromium, opened
from tests.commands import assess
from tests.html_audits import made_once, save_small

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.model


def dot() -> bytes:
    """Return a picture of one red pixel."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "small", save_small) / "audit"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (
            "https://images.example/{image_id}.jpg",
            ("https://images.example", "https://images.example/", ".jpg", 0),
        ),
        (
            "http://localhost:8000/a_{image_id:012}.png",
            ("http://localhost:8000", "http://localhost:8000/a_", ".png", 12),
        ),
        ("photos of us/{image_id:6}.png", ("'self' file:", "../photos%20of%20us/", ".png", 6)),
    ],
)
def test_a_template_says_what_may_be_loaded(
    given: str, wanted: tuple[str, str, str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = image_source(given, Path("results"))
    assert (found.policy, found.prefix, found.suffix, found.digits) == wanted


def test_files_of_a_folder_are_found_by_name_stem_or_the_number_at_the_end(tmp_path: Path) -> None:
    for name in ("COCO_000000000042.jpg", "7.png", "a 7.png", "cat.webp", "notes.txt"):
        (tmp_path / name).touch()
    source = image_source(str(tmp_path), tmp_path / "out")
    images = ["42", "000042", "7", "cat", "a 7.png", "8", "notes"]
    assert source.columns(images)["names"] == [
        "COCO_000000000042.jpg",
        "COCO_000000000042.jpg",
        "7.png",
        "cat.webp",
        "a%207.png",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("https://images.example/", "--images needs exactly one"),
        ("https://{image_id}.example/a.jpg", "--images: not a web address:"),
        ("https://a.example; script-src */{image_id}", "--images: not a web address:"),
        ("ftp://a.example/{image_id}", "--images: not a web address:"),
        ("{image_id}/{image_id}.jpg", "--images needs exactly one"),
        ("nowhere", "the folder does not exist: nowhere"),
        (".", "--images: the folder contains no images:"),
    ],
)
def test_a_place_without_images_is_an_error(
    given: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=re.escape(message)):
        image_source(given, tmp_path)


def test_an_image_is_loaded_when_a_reader_asks_and_not_before(
    browser: Browser, audit: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "img_002.png").write_bytes(dot())
    page = tmp_path / "page.html"
    assert assess("report", audit, "--html", page, "--images", folder).code == 0
    with opened(browser, page, address="#captions?system=fine") as found:
        wanted = (folder / "img_002.png").as_uri()
        found.page.context.route(wanted, lambda route: route.continue_())
        assert found.count
        buttons = found.page.locator(".picture button")
        assert buttons.count() == 1  # of forty captions, one has an image
        found.check()
        buttons.click()
        picture = found.page.get_by_role("img", name="Image 2")
        found.page.wait_for_function("() => document.querySelector('.picture img')?.naturalWidth === 1")
        assert picture.is_visible()
        assert set(found.requests) == {found.url, wanted}
        assert found.complaints == []


def test_without_images_the_policy_allows_none(audit: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    for given, wanted in (
        ([], set()),
        (["--images", "https://images.example/{image_id}.jpg"], {"img-src https://images.example"}),
    ):
        assert assess("report", audit, "--html", page, *given).code == 0
        text = page.read_text(encoding="utf-8")
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
        assert policy
        assert {part for part in policy[1].split("; ") if part.startswith("img-src")} == wanted
