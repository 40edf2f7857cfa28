"""Check whether pages load anything from another host; the last step of `make docs`."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

_FETCHING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
    "image": "href",
    "use": "href",
}
_FETCHED_LINKS = frozenset(
    {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload"}
)
_IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)")
_ELSEWHERE = re.compile(r"(?:https?:)?//")


class _Fetched(HTMLParser):
    """Collects what a browser would load automatically, unlike plain hyperlinks."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Process one element."""
        values = dict(attrs)
        address = values.get(_FETCHING.get(tag, ""))
        if tag == "link" and _FETCHED_LINKS & set((values.get("rel") or "").split()):
            address = values.get("href")
        if address and _ELSEWHERE.match(address):
            self.found.append(address)
        self.found += _IN_STYLE.findall(values.get("style") or "")


def fetched_elsewhere(text: str, suffix: str) -> list[str]:
    """Return the addresses on other hosts that a page, picture or style sheet asks for when it is opened."""
    if suffix == ".css":
        return _IN_STYLE.findall(text)
    reader = _Fetched()
    reader.feed(text)
    return reader.found + _IN_STYLE.findall(text)


def main() -> None:
    """Check a folder; exit with 1 if something is loaded from another host."""
    folder = Path(sys.argv[1])
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in (".html", ".css", ".svg")]
    found = [
        f"{file}: {address}"
        for file in files
        for address in fetched_elsewhere(file.read_text(encoding="utf-8"), file.suffix)
    ]
    print("\n".join(found) or f"{len(files)} files ask no other host for anything")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
