"""Which domains there are: those that come with assess, and those that other installed packages offer.

A package offers a domain through the entry-point group `assess.domains`. The entry point's name is the
domain's; its value is `module:attribute`, where the attribute is a path or a function that returns one, or
`module` alone for the file `NAME.yaml` beside that module.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from assess.errors import UsageError
from assess.resources import shipped_files
from assess.taxonomy.phrases import closest

GROUP = "assess.domains"


@dataclass(frozen=True, slots=True)
class InstalledDomain:
    """A domain of another installed package. The package's code is not run before its file is asked for."""

    entry: EntryPoint

    @property
    def name(self) -> str:
        """The domain's name."""
        return self.entry.name

    @property
    def package(self) -> str:
        """The name and version of the package that offers it."""
        package = self.entry.dist
        return f"{package.name} {package.version}" if package else "an unknown package"

    def path(self) -> Path:
        """Return the taxonomy's file, or raise what is wrong with the entry point."""
        try:
            found = self.entry.load()
            if isinstance(found, ModuleType):
                found = Path(str(found.__file__)).with_name(f"{self.name}.yaml")
            elif callable(found):
                found = found()
        except Exception as error:  # code of others can fail in any way
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise self._broken(f"does not load: {reason}") from error
        if not isinstance(found, str | Path):
            raise self._broken(f"gives no path, but {type(found).__name__}")
        if not Path(found).is_file():
            raise self._broken(f"names a file that is not there: {found}")
        return Path(found)

    def _broken(self, what: str) -> UsageError:
        message = f"the domain `{self.name}` of {self.package} is broken: `{self.entry.value}` {what}"
        return UsageError(message, hint="install the package again, or tell its authors")


def shipped_taxonomies() -> dict[str, Path]:
    """Return the domains that come with assess, by name."""
    return {path.stem: path for path in shipped_files("taxonomies", "*.yaml")}


def installed_domains() -> list[InstalledDomain]:
    """Return the domains of other installed packages, by name and package."""
    found = [InstalledDomain(entry) for entry in entry_points(group=GROUP)]
    return sorted(found, key=lambda domain: (domain.name, domain.package))


def find_taxonomy(domain: str) -> Path:
    """Return the file of a domain. A known name is taken before a file or folder of the same name."""
    path = Path(domain)
    if path.suffix in {".yaml", ".yml"} or "/" in domain:
        return path
    shipped, installed = shipped_taxonomies(), installed_domains()
    offered = [offer for offer in installed if offer.name == domain]
    refuse_clash(domain, offered)
    if domain in shipped:
        return shipped[domain]
    if offered:
        return offered[0].path()
    with suppress(OSError):  # a name too long for a file
        if path.is_file():
            return path
    known = {*shipped, *(offer.name for offer in installed)}
    raise UsageError(
        f"no domain is called {domain!r}", hint=f"a path to a .yaml file also works; {closest(domain, known)}"
    )


def refuse_clash(name: str, offered: list[InstalledDomain]) -> None:
    """Raise an error where a name means two domains: which of them is meant must not depend on luck."""
    owners = ["assess"] * (name in shipped_taxonomies()) + [domain.package for domain in offered]
    if len(owners) > 1:
        raise UsageError(
            f"{len(owners)} domains are called `{name}`: those of {' and '.join(owners)}",
            hint="give the path of its .yaml file, or uninstall a package",
        )
