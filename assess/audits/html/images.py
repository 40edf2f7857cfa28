"""Images beside captions: where they are, and what a page may load. Nothing is loaded until a reader asks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assess.errors import UsageError, visible

_FIELD = re.compile(r"\{image_id(?::0?([1-9]\d?))?\}")
_WEB = re.compile(r"(https?://[A-Za-z0-9.-]+(?::\d+)?)/")
_LOCAL = "'self' file:"  # a page from a server beside its images, or from disk
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".avif")
_HINT = "name a folder of images, or an address with {image_id} in it, such as photos/{image_id:012}.jpg"


@dataclass(frozen=True, slots=True)
class ImageSource:
    """Where the page finds images."""

    policy: str  # the only source that the page may load images from
    prefix: str
    suffix: str = ""
    digits: int = 0  # that numbers are filled up to
    files: Mapping[str, str] | None = None  # the names of files by image id, where a folder has them

    def columns(self, images: Iterable[str]) -> dict[str, Any]:
        """Return what the page's script needs for these images."""
        names = None if self.files is None else [self._name(image) for image in images]
        return {"prefix": self.prefix, "suffix": self.suffix, "digits": self.digits, "names": names}

    def _name(self, image: str) -> str | None:
        files = self.files or {}
        found = files.get(image) or files.get(_number(image))
        return None if found is None else quote(found)


def image_source(given: str, page: Path) -> ImageSource:
    """Return where images are: a folder, or a template of addresses; `page` is the folder of the page."""
    fields = list(_FIELD.finditer(given))
    web = _WEB.match(given)
    if web is None and "://" in given:
        raise UsageError(f"--images: not an address of the web: {visible(given, 200)}", hint=_HINT)
    if len(fields) == 1:
        return _template(given, fields[0], web, page)
    if fields or web:
        raise UsageError(f"--images needs one {{image_id}}: {visible(given, 200)}", hint=_HINT)
    folder = Path(given)
    if not folder.is_dir():
        raise UsageError(f"--images: there is no folder {visible(given, 200)}", hint=_HINT)
    files = _by_id(folder)
    if not files:
        raise UsageError(f"--images: no image in the folder {visible(given, 200)}", hint=_HINT)
    return ImageSource(_LOCAL, f"{_relative(given, page)}/", files=files)


def _template(given: str, field: re.Match[str], web: re.Match[str] | None, page: Path) -> ImageSource:
    before, after, digits = given[: field.start()], given[field.end() :], int(field[1] or 0)
    if web is not None:
        return ImageSource(web[1], before, after, digits)
    folder, name = os.path.split(before)
    return ImageSource(_LOCAL, f"{_relative(folder, page)}/{quote(name)}", quote(after), digits)


def _relative(folder: str, page: Path) -> str:
    """Return a folder as an address that holds from the page: they may be moved together."""
    return quote(os.path.relpath(folder or ".", page).replace(os.sep, "/"))


def _by_id(folder: Path) -> dict[str, str]:
    """Return the images of a folder by name, by stem, and by the number that ends one stem only."""
    names = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
    numbers: dict[str, list[str]] = {}
    for name in names:
        numbers.setdefault(_number(Path(name).stem), []).append(name)
    found = {number: same[0] for number, same in numbers.items() if number and len(same) == 1}
    return found | {Path(name).stem: name for name in names} | {name: name for name in names}


def _number(text: str) -> str:
    digits = re.search(r"\d+$", text)
    return str(int(digits[0])) if digits else ""
