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
OURS = "assess"


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain that is known by its name. A package's code is not run before its file is asked for."""

    name: str
    package: str  # that it comes with
    source: Path | EntryPoint

    def path(self) -> Path:
        """Return the taxonomy's file, or raise what is wrong with the entry point."""
        if isinstance(self.source, Path):
            return self.source
        try:
            found = self.source.load()
            if isinstance(found, ModuleType):
                found = Path(str(found.__file__)).with_name(f"{self.name}.yaml")
            elif callable(found):
                found = found()
        except Exception as error:  # code of others can fail in any way
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise self._broken(f"does not load: {reason}") from error
        if not isinstance(found, str | Path):
            raise self._broken(f"gives no path but a value of type {type(found).__name__}")
        if not Path(found).is_file():
            raise self._broken(f"names a file that is not there: {found}")
        return Path(found)

    def _broken(self, what: str) -> UsageError:
        # Not `isinstance`: where the backport of importlib.metadata is installed, its class may come instead.
        assert not isinstance(self.source, Path)
        message = f"the domain `{self.name}` of {self.package} is broken: `{self.source.value}` {what}"
        return UsageError(message, hint=f"install {self.package} again, or let its authors know")


def shipped_taxonomies() -> dict[str, Path]:
    """Return the domains that come with assess, by name."""
    return {path.stem: path for path in shipped_files("taxonomies", "*.yaml")}


def known_domains() -> list[Domain]:
    """Return all domains that have a name: ours, then those of other packages, by name and package."""
    ours = [Domain(name, OURS, path) for name, path in shipped_taxonomies().items()]
    others = [
        Domain(entry.name, f"{entry.dist.name} {entry.dist.version}" if entry.dist else "a package", entry)
        for entry in entry_points(group=GROUP)
    ]
    return ours + sorted(others, key=lambda domain: (domain.name, domain.package))


def find_taxonomy(domain: str) -> Path:
    """Return the file of a domain. A known name is taken before a file or folder of the same name."""
    path = Path(domain)
    if path.suffix in {".lark", ".yaml", ".yml"} or "/" in domain:
        return path
    known = known_domains()
    named = [each for each in known if each.name == domain]
    if len(named) > 1:
        # Which one is meant must not depend on luck.
        raise UsageError(
            f"{len(named)} domains are called `{domain}`: those of {' and '.join(d.package for d in named)}",
            hint="give the path of its file, or uninstall a package",
        )
    if named:
        return named[0].path()
    with suppress(OSError):  # a name too long for a file
        if path.is_file():
            return path
    nearest = closest(domain, (each.name for each in known))
    raise UsageError(f"no domain is called {domain!r}", hint=f"a path to a .yaml file also works; {nearest}")
