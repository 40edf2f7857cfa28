"""The files that make up a taxonomy: its own, the one that it `extends:`, and word lists that it `use:`s.

The result is a document like that of a single file, in which every value still has its original file, line
and column. Code that reads taxonomies sees no difference.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from assess.disk_cache import shipped_files, with_home
from assess.errors import AssessError, TaxonomyError, UsageError
from assess.taxonomy.model import Trail
from assess.taxonomy.phrases import closest, spaced
from assess.taxonomy.strict_yaml import Document, describe, parse_document, read_text

# Domains by name: those that come with assess, and those that other installed packages offer.
#
# A package offers a domain through the entry-point group `assess.domains`. The name of the entry point is the
# name of the domain. Its value is `module:attribute`, where the attribute is a path or a function that
# returns one, or `module` alone for the file `NAME.yaml` next to that module.

GROUP = "assess.domains"
OURS = "assess"


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain with a name. The code of another package only runs when its file is requested."""

    name: str
    package: str  # the package that provides it
    source: Path | EntryPoint

    def path(self) -> Path:
        """Return the taxonomy's file; raises an error if the entry point is broken."""
        if isinstance(self.source, Path):
            return self.source
        try:
            found = self.source.load()
            if isinstance(found, ModuleType):
                found = Path(str(found.__file__)).with_name(f"{self.name}.yaml")
            elif callable(found):
                found = found()
        except Exception as error:  # code of other packages can fail in any way
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise self._broken(f"cannot be loaded: {reason}") from error
        if not isinstance(found, str | Path):
            raise self._broken(f"is not a path but a value of type {type(found).__name__}")
        if not Path(found).is_file():
            raise self._broken(f"names a file that does not exist: {found}")
        return Path(found)

    def _broken(self, what: str) -> UsageError:
        # Not `isinstance`: if the backport of importlib.metadata is installed, its class may be used instead.
        assert not isinstance(self.source, Path)
        message = f"the domain `{self.name}` of {self.package} is broken: `{self.source.value}` {what}"
        return UsageError(message, hint=f"reinstall {self.package}, or tell its authors")


def shipped_taxonomies() -> dict[str, Path]:
    """Return the files of the domains that come with assess, by name."""
    return {path.stem: path for path in shipped_files("taxonomies", "*.yaml")}


def known_domains() -> list[Domain]:
    """Return all named domains: ours first, then those of other packages, by name and package."""
    ours = [Domain(name, OURS, path) for name, path in shipped_taxonomies().items()]
    others = [
        Domain(entry.name, f"{entry.dist.name} {entry.dist.version}" if entry.dist else "a package", entry)
        for entry in entry_points(group=GROUP)
    ]
    return ours + sorted(others, key=lambda domain: (domain.name, domain.package))


def find_taxonomy(domain: str) -> Path:
    """Return the file of a domain. A known name takes precedence over a file or folder of the same name."""
    path = Path(domain)
    if path.suffix in {".lark", ".yaml", ".yml"} or "/" in domain:
        return path
    known = known_domains()
    named = [each for each in known if each.name == domain]
    if len(named) > 1:
        # The choice must not depend on the order of installation.
        raise UsageError(
            f"{len(named)} domains are called `{domain}`: in {' and '.join(d.package for d in named)}",
            hint="give the path of the file, or uninstall one of the packages",
        )
    if named:
        return named[0].path()
    with suppress(OSError):  # the name may be too long for a file
        if path.is_file():
            return path
    nearest = closest(domain, (each.name for each in known))
    raise UsageError(
        f"there is no domain {domain!r}", hint=f"you can also give the path of a .yaml file; {nearest}"
    )


# Files that a taxonomy extends, and word lists that it uses.

LISTS = "lists"
"""The folder of word lists next to a taxonomy, and next to those that come with assess."""
OWN_KEYS = frozenset({"taxonomy", "version", "description", "examples"})
"""Keys that are not inherited: a name belongs to one file, and examples test the file that contains them."""
_BUILDS = re.compile(r"^extends:[ \t]*[\"']?([^\s\"'#]*)|\buse[\"']?[ \t]*:|^remove:", re.MULTILINE)
_IN_CATEGORIES = ("words", "of", "patterns", "after", "not_with", "only_with")
_PLAIN_LISTS = ("excluded", "says_nothing", "kinds")
_LIST_KEYS = {"list", "description", "words"}


class Item(NamedTuple):
    """A member of a list, with its location."""

    value: Any
    document: Document
    trail: Trail

    @property
    def word(self) -> str:
        """The listed word as written; empty if it is not a word."""
        value = self.value
        if isinstance(value, dict):
            value = value.get("word", next(iter(value), ""))
        return value if isinstance(value, str) else ""


def sources_of(text: str, file: str) -> tuple[str, ...]:
    """Return the texts of all files that may be part of a taxonomy, its own first; missing files are skipped.

    They are found without parsing, for caches and for the hash in a grammar, so there may be more than
    needed.
    """
    found: dict[str, None] = {}
    waiting = [(text, file)]
    while waiting:
        text, file = waiting.pop()
        if text in found:
            continue
        found[text] = None
        for match in _BUILDS.finditer(text):
            try:
                if match[1]:
                    path = _base_path(match[1], file)
                    waiting.append((read_text(path), str(path)))
                else:
                    found.update(dict.fromkeys(map(read_text, known_lists(file).values())))
            except AssessError:
                continue
    return tuple(found)


def known_lists(file: str) -> dict[str, Path]:
    """Return the word lists that a taxonomy may use. Those next to its file take precedence over ours."""
    beside = Path(file).parent / LISTS
    return _shipped_lists() | {path.stem: path for path in sorted(beside.glob("*.yaml"))}


def _shipped_lists() -> dict[str, Path]:
    return {path.stem: path for path in shipped_files(f"taxonomies/{LISTS}", "*.yaml")}


@cache
def shared_words() -> list[set[str]]:
    """Return the words of each list that comes with assess."""
    return [words_of_list(path) for path in _shipped_lists().values()]


def words_of_list(path: Path) -> set[str]:
    """Return the words of a list, separated by spaces; empty if the file is not a list."""
    document = parse_document(read_text(path), str(path))
    words = document.value.get("words") if isinstance(document.value, dict) else None
    return {spaced(item.word) for item in _items(document, (), words)} if isinstance(words, list) else set()


def composed(document: Document, chain: tuple[str, ...] = ()) -> Document:
    """Return a document with everything that it extends and uses; mistakes are added to its problems."""
    if not isinstance(document.value, dict) or not _BUILDS.search(document.text):
        return document
    return _Composer(document, (*chain, str(Path(document.file).resolve()))).run()


def _base_path(name: str, file: str) -> Path:
    """Return the file that `extends` names: a domain, or a path relative to the extending file."""
    path = Path(name)
    if path.suffix in {".yaml", ".yml"} or "/" in name:
        return Path(file).parent / with_home(name)
    return find_taxonomy(name)


class _Composer:
    """Builds a complete taxonomy from a file that extends or uses others."""

    def __init__(self, document: Document, chain: tuple[str, ...]) -> None:
        self._own = document
        self._chain = chain
        self._problems = list(document.problems)
        self._sources: dict[Trail, tuple[Document, Trail]] = {}
        self._base: Document | None = None

    def run(self) -> Document:
        own: dict[str, Any] = dict(self._own.value)
        if "extends" in own:
            self._base = self._extended(own.pop("extends"))
        base = self._base.value if self._base is not None and isinstance(self._base.value, dict) else {}
        base = {key: value for key, value in base.items() if key not in OWN_KEYS}
        removed = self._removed((), own)
        value: dict[str, Any] = {}
        for key in dict.fromkeys((*base, *own)):
            trail: Trail = (key,)
            if key in {"heads", "modifiers"}:
                value[key] = self._mapping(trail, base.get(key), own.get(key), self._category)
            elif key in {"sets", "function_words"}:
                value[key] = self._mapping(trail, base.get(key), own.get(key), self._words)
            elif key == "groups":
                value[key] = self._mapping(trail, base.get(key), own.get(key), self._group)
            elif key in _PLAIN_LISTS and isinstance(own.get(key, []), list):
                items = self._both(trail, base.get(key), own.get(key))
                value[key] = self._laid_out(trail, self._without(items, removed))
            else:
                value[key] = self._either(trail, base, own, key)
        self._report_unused(removed)
        whole = Document(self._own.file, self._own.text, value, problems=self._problems)
        whole.keys, whole.values, whole.sources = self._own.keys, self._own.values, self._sources
        return whole

    def _wrong(self, message: str, trail: Trail, *, hint: str | None = None, key: bool = False) -> None:
        self._problems.append(self._own.problem(message, trail, hint=hint, key=key))

    # Other files.

    def _extended(self, name: Any) -> Document | None:
        trail = ("extends",)
        if not isinstance(name, str) or not name.isprintable():
            hint = "give the name of a domain, or the path of a .yaml file"
            what = (
                "contains characters that no name has"
                if isinstance(name, str)
                else f"is {describe(name)}, not text"
            )
            self._wrong(f"`extends` {what}", trail, hint=hint)
            return None
        try:
            path = _base_path(name, self._own.file)
            if str(path.resolve()) in self._chain:
                self._wrong(f"`{name}` extends this file in turn", trail, hint="break the cycle")
                return None
            document = parse_document(read_text(path), str(path))
            if not isinstance(document.value, dict) and not document.problems:
                raise TaxonomyError("this is not a taxonomy")
        except AssessError as error:
            problem = error.problems[0]
            self._wrong(f"cannot extend `{name}`: {problem.message}", trail, hint=problem.hint)
            return None
        found = composed(document, self._chain)
        self._problems += found.problems
        return found

    def _used(self, trail: Trail, owner: dict[str, Any]) -> list[Item]:
        """Return the words of the lists that a category or set uses, without repetitions."""
        names = owner.get("use", [])
        if not isinstance(names, list):
            self._wrong(f"`use` is {describe(names)}, not a list", (*trail, "use"), hint="use: [colors]")
            return []
        found: dict[str, Item] = {}
        known = known_lists(self._own.file) if names else {}
        for index, name in enumerate(names):
            if not isinstance(name, str) or name not in known:
                hint = closest(str(name), known)
                self._wrong(f"there is no word list `{name}`", (*trail, "use", index), hint=hint)
                continue
            for item in self._list_items(known[name]):
                found.setdefault(spaced(item.word), item)
        return sorted(found.values(), key=lambda item: item.word.lower())

    def _list_items(self, path: Path) -> Iterator[Item]:
        document = parse_document(read_text(path), str(path))
        self._problems += document.problems
        value = document.value if isinstance(document.value, dict) else {}
        for key in value.keys() - _LIST_KEYS:
            hint = closest(key, _LIST_KEYS)
            self._problems.append(document.problem(f"unknown key `{key}`", (key,), key=True, hint=hint))
        words = value.get("words")
        if not isinstance(words, list) or not words:
            hint = "a word list has the keys list, description and words"
            self._problems.append(document.problem("the list has no `words`", (), hint=hint))
            return
        yield from _items(document, ("words",), words)

    # Parts of a file.

    def _either(self, trail: Trail, base: dict[str, Any], own: dict[str, Any], key: str) -> Any:
        """Return the file's own value, or the inherited one."""
        if key in own:
            return own[key]
        assert self._base is not None
        self._sources[trail] = (self._base, trail)
        return base[key]

    def _mapping(self, trail: Trail, base: Any, own: Any, merge: Any) -> Any:
        """Return named parts, merged if both files have them; null removes an inherited part."""
        if not isinstance(base, dict):
            base = {}
        if not isinstance(own, dict):
            if own is not None or not base:
                return own
            own = {}
        found: dict[str, Any] = {}
        for name in dict.fromkeys((*base, *own)):
            here = (*trail, name)
            if name not in own:
                found[name] = self._either(here, base, own, name)
            elif own[name] is None and self._base is not None:
                if name not in base:
                    self._wrong(f"there is no `{name}` to remove", here, key=True, hint=closest(name, base))
            else:
                found[name] = merge(here, base.get(name), own[name])
        return found

    def _category(self, trail: Trail, base: Any, own: Any) -> Any:
        if not isinstance(own, dict):
            return own
        base = base if isinstance(base, dict) else {}
        used, removed = self._used(trail, own), self._removed(trail, own)
        found: dict[str, Any] = {}
        for key in dict.fromkeys((*base, *own, *(["words"] if used else []))):
            here = (*trail, key)
            if key in {"use", "remove"}:
                continue
            if key in _IN_CATEGORIES and isinstance(own.get(key, []), list):
                lists = used if key == "words" else []
                items = self._both(here, base.get(key), own.get(key), lists)
                found[key] = self._laid_out(here, self._without(items, removed))
            else:
                found[key] = self._either(here, base, own, key)
        self._report_unused(removed)
        return found

    def _words(self, trail: Trail, base: Any, own: Any) -> Any:
        """Return a set: a list, or a mapping with `use`, `words` and `remove`."""
        place, used, removed = trail, [], dict[str, Trail]()
        if isinstance(own, dict):
            for key in own.keys() - {"use", "words", "remove"}:
                self._wrong(f"unknown key `{key}`", (*trail, key), key=True, hint="use, words or remove")
            used, removed = self._used(trail, own), self._removed(trail, own)
            place, own = (*trail, "words"), own.get("words", [])
        if not isinstance(own, list):
            return own
        inherited = self._from_base(trail, base)
        items = _joined(inherited, _sorted_in(_items(self._own, place, own), used))
        value = self._laid_out(trail, self._without(items, removed))
        self._report_unused(removed)
        return value

    def _group(self, trail: Trail, base: Any, own: Any) -> Any:
        return self._mapping(trail, base, own, self._words) if isinstance(own, dict) else own

    # Lists.

    def _from_base(self, trail: Trail, base: Any) -> list[Item]:
        return _items(self._base, trail, base) if self._base is not None and isinstance(base, list) else []

    def _both(self, trail: Trail, base: Any, own: Any, used: list[Item] | None = None) -> list[Item]:
        mine = _items(self._own, trail, own) if isinstance(own, list) else []
        return _joined(self._from_base(trail, base), _sorted_in(mine, used or []))

    def _laid_out(self, trail: Trail, items: list[Item]) -> list[Any]:
        for index, item in enumerate(items):
            self._sources[*trail, index] = (item.document, item.trail)
        return [item.value for item in items]

    def _removed(self, trail: Trail, owner: dict[str, Any]) -> dict[str, Trail]:
        """Return what `remove` lists, with locations."""
        listed = owner.pop("remove", []) if not trail else owner.get("remove", [])
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            self._wrong("`remove` is not a list of words", (*trail, "remove"), hint="remove: [gold, silver]")
            return {}
        return {each: (*trail, "remove", index) for index, each in enumerate(listed)}

    def _without(self, items: list[Item], removed: dict[str, Trail]) -> list[Item]:
        """Return the items that are not removed. Entries of `remove` that were found are recorded."""
        kept = []
        names = {spaced(name): name for name in removed}
        for item in items:
            name = item.word if item.word in removed else names.get(spaced(item.word)) if item.word else None
            if name is None or item.document is self._own:
                kept.append(item)
            else:
                removed[name] = ()
        return kept

    def _report_unused(self, removed: dict[str, Trail]) -> None:
        for name, trail in removed.items():
            if trail:
                hint = "`remove` removes entries of an extended taxonomy or a used list"
                self._wrong(f"there is no `{name}` to remove", trail, hint=hint)


def _items(document: Document, trail: Trail, values: list[Any]) -> list[Item]:
    return [Item(value, document, (*trail, index)) for index, value in enumerate(values)]


def _joined(base: list[Item], own: list[Item]) -> list[Item]:
    """Return inherited and own items; an own item replaces the same inherited one."""
    mine = {spaced(item.word): item for item in own if item.word}
    inherited = [mine.pop(spaced(item.word), item) if item.word else item for item in base]
    replaced = {id(item) for item in inherited}
    return inherited + [item for item in own if id(item) not in replaced]


def _sorted_in(own: list[Item], used: Iterable[Item]) -> list[Item]:
    """Return own words merged with words of lists, alphabetically if the own words are sorted."""
    written = {spaced(item.word) for item in own}
    found = list(own)
    end = next(
        (i for i in range(1, len(own)) if own[i].word.lower() < own[i - 1].word.lower()),
        len(own),
    )
    for item in used:
        if spaced(item.word) not in written:
            place = bisect_left(found, item.word.lower(), hi=end, key=lambda other: other.word.lower())
            found.insert(place, item)
            end += 1
    return found
