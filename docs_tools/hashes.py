"""`make hashes`: write `hashes/` anew, the SHA-256 of every file of the versions in `constraints.txt`.

Files for all platforms and the source archives, as the package index states them: whoever installs with
`--require-hashes` gets one of these files, or none. The index is asked as pip asks it, with pip's own parts.
Which packages a step of the installation needs is read from what is installed here, for all platforms.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, requires
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS, FOLDER = ROOT / "constraints.txt", ROOT / "hashes"
STEPS = {"tool": (), "dev": ("dev", "plots", "tables", "dask"), "docs": ("docs",)}
"""What `make` installs after each other: a file for each, and the extras that it needs."""
_PLATFORMS = (("linux", "Linux", "posix"), ("darwin", "Darwin", "posix"), ("win32", "Windows", "nt"))
_PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Of Pythons that cannot run this project.
_OTHER_PYTHONS = re.compile(r"-(?:cp2\d|cp3\d|cp310|pp\d+|py2|graalpy\d+)-(?!abi3)")


def pinned(text: str) -> dict[str, str]:
    """Return the version of each package that a file pins, by its canonical name."""
    found = re.findall(r"^([\w.-]+)==([^\s\\]+)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


def main() -> None:
    """Query the index and write the files; exits if the index or the constraints lack a package."""
    versions, before = pinned(CONSTRAINTS.read_text()), set[str]()
    FOLDER.mkdir(exist_ok=True)
    with _Index() as index:
        for step, extras in STEPS.items():
            names = _needed(_wanted(extras)) - before
            before |= names
            if unknown := sorted(names - versions.keys()):
                sys.exit(f"constraints.txt lacks {', '.join(unknown)}")
            listed = [_entry(index, name, versions[name]) for name in sorted(names)]
            (FOLDER / f"{step}.txt").write_text("".join(listed))
            print(f"{step}: {len(listed)} packages, {''.join(listed).count('--hash')} files")
    if unused := sorted(versions.keys() - before):
        print("nothing needs", ", ".join(unused))


def _entry(index: _Index, name: str, version: str) -> str:
    hashes = index.hashes(name, version)
    if not hashes:
        sys.exit(f"the index has no hashes of {name} {version}")
    return " \\\n    ".join([f"{name}=={version}", *(f"--hash=sha256:{each}" for each in hashes)]) + "\n"


def _wanted(extras: Iterable[str]) -> list[str]:
    """Return what the project asks for itself; what builds it belongs to the tool.

    `editables` is what hatchling asks for where a checkout is installed to be edited.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    if not extras:
        return ["editables", *project["build-system"]["requires"], *project["project"]["dependencies"]]
    return [each for extra in extras for each in project["project"]["optional-dependencies"][extra]]


def _needed(wanted: Iterable[str]) -> set[str]:
    """Return the packages that some packages depend on, on any platform."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: set[tuple[str, str]] = set()
    waiting = [Requirement(each) for each in wanted]
    while waiting:
        requirement = waiting.pop()
        for extra in ("", *requirement.extras):
            name = str(canonicalize_name(requirement.name))
            if (name, extra) not in found:
                found.add((name, extra))
                waiting += [each for each in map(Requirement, _requires(name)) if _holds(each.marker, extra)]
    return {name for name, _ in found}


def _requires(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # of another platform; these need nothing else
        return []


def _holds(marker: Any, extra: str) -> bool:
    """Whether a condition holds on any platform."""
    return marker is None or any(marker.evaluate(each) for each in _environments(extra))


def _environments(extra: str) -> Iterator[dict[str, str]]:
    for (sys_platform, system, os_name), python in product(_PLATFORMS, _PYTHONS):
        yield {
            "sys_platform": sys_platform,
            "platform_system": system,
            "os_name": os_name,
            "python_version": python,
            "python_full_version": f"{python}.1",
            "platform_machine": "x86_64",
            "extra": extra,
        }


class _Index:
    """The package index that pip is set up to use."""

    def __enter__(self) -> _Index:
        from pip._internal.commands.download import DownloadCommand
        from pip._internal.index.collector import LinkCollector

        command: Any = DownloadCommand("download", "")
        options, _ = command.parse_args([])
        self._context = command.main_context()
        self._context.__enter__()
        self._collector: Any = LinkCollector.create(command.get_default_session(options), options)
        return self

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(*error)

    def hashes(self, name: str, version: str) -> list[str]:
        """Return the SHA-256 of all files of a version that this project could use."""
        from pip._internal.index.collector import parse_links
        from pip._vendor.packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
        from pip._vendor.packaging.version import Version

        found = set[str]()
        sources = self._collector.collect_sources(canonicalize_name(name), candidates_from_page=lambda _: [])
        for source in sources.index_urls:
            page = self._collector.fetch_response(source.link) if source and source.link else None
            for link in parse_links(page) if page else ():
                read = parse_wheel_filename if link.is_wheel else parse_sdist_filename
                try:
                    if read(link.filename)[:2] != (canonicalize_name(name), Version(version)):
                        continue
                except ValueError:
                    continue
                if link.hash_name == "sha256" and not _OTHER_PYTHONS.search(link.filename):
                    found.add(str(link.hash))
        return sorted(found)


if __name__ == "__main__":
    main()
