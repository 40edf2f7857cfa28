"""Which caption file to read, under what name, and how: `[NAME=]PATH` and its options."""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict, Unpack

from assess.errors import InputError, Place, Problem, UsageError, some, visible
from assess.limits import SYSTEMS

STANDARD_INPUT = "-"
# A number alone, or after a separator or a word; not the end of a hash such as 3fa9b2.
_NUMBERED = re.compile(
    r"(?:^|[/\\])(?:[^/\\]*[^0-9A-Za-z/\\]|[A-Za-z]*)(\d{1,18})(?:\.[A-Za-z]{3,4})?$", re.ASCII
)


LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Source:
    """One or more caption files to read. Options that are None are detected from the file."""

    name: str  # the system's name in all results
    path: str  # "-" is standard input
    format: str | None = None
    id_field: str | None = None
    caption_field: str | None = None
    split: str | None = None
    join: str | None = None  # a file that maps question ids to images (LLaVA answers)
    gold: bool = False  # keep the spans that the file marks as entities
    wanted: str = "a caption or a list of captions"  # what the caption field holds, for messages
    number_ids: bool = False  # use the number in an image's file name as its id
    parts: tuple[str, ...] = ()  # the files in order, if the path is a folder or a pattern

    def __post_init__(self) -> None:
        """Replace what is no text in a name: it may be that of a file, whose bytes can be anything."""
        object.__setattr__(self, "name", LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", self.name))

    @property
    def file(self) -> str:
        """The path as shown in messages."""
        return shown_path(self.path)


class SourceOptions(TypedDict, total=False):
    """The options of `Source` as keyword arguments."""

    format: str | None
    id_field: str | None
    caption_field: str | None
    split: str | None
    join: str | None
    gold: bool


def image_number(image: str) -> str | None:
    """Return the number at the end of a file name: 42 for `val2014/COCO_val2014_000000000042.jpg`."""
    found = _NUMBERED.search(image)
    return str(int(found[1])) if found else None


def shown_path(path: str) -> str:
    """Return a path as shown in messages."""
    return "<stdin>" if path == STANDARD_INPUT else path


def parse_source(argument: str, **options: Unpack[SourceOptions]) -> Source:
    """Parse `[NAME=]PATH`. An existing file with `=` in its own name is a path.

    A folder, or a pattern such as `crawl/*.jsonl`, stands for its files, which are parts of one system.
    """
    name, equals, path = argument.partition("=")
    if argument and (not equals or Path(argument).exists()):
        name, path = _default_name(argument), argument
    elif not name or not path:
        raise UsageError(f"'{visible(argument)}' is not NAME=PATH", hint="write NAME=PATH or PATH")
    source = Source(name, path, parts=_parts_of(path), **options)
    if source.split is not None and source.parts:
        message = (
            f"--split cannot be used with {visible(path)}, which stands for {some(len(source.parts), 'file')}"
        )
        raise UsageError(message, hint="give the file that contains the splits")
    return source


def _default_name(path: str) -> str:
    """Return the file's stem: `Dai-2017` for `Dai-2017.json.gz`, while `blip2.7b` is kept whole.

    For a folder or a pattern, return the folder's name.
    """
    if path == STANDARD_INPUT:
        return "stdin"
    if _is_pattern(path) or Path(path).is_dir():
        folder = Path(path).parent if _is_pattern(path) else Path(path)
        return folder.resolve().name if not _is_pattern(str(folder)) else path
    whole = Path(path).name
    unzipped = re.sub(r"\.gz$", "", whole, flags=re.IGNORECASE)
    # A suffix that begins with a digit is part of a version or size, not a file type.
    return re.sub(r"(?<=.)\.[A-Za-z]\w*$", "", unzipped) or whole or path


def _is_pattern(path: str) -> bool:
    """Whether a path is a file name pattern. An existing file of exactly that name takes precedence."""
    return any(sign in path for sign in "*?[") and not Path(path).exists()


def _parts_of(path: str) -> tuple[str, ...]:
    """Return the files of a folder or of a pattern such as `crawl/*.jsonl`, sorted by name; empty for a file.

    Names that begin with a dot or an underscore are skipped: they are not data but markers such as
    `_SUCCESS`. Subfolders are not searched.
    """
    if _is_pattern(path):
        # Path.glob needs a folder and a relative pattern, but this pattern may be absolute.
        found, missing = [Path(name) for name in glob.glob(path)], "no file matches this pattern"  # noqa: PTH207
    elif Path(path).is_dir():
        found, missing = list(Path(path).iterdir()), "this folder contains no files"
    else:
        return ()
    files = sorted(str(each) for each in found if each.is_file() and each.name[0] not in "._")
    if not files:
        hint = "names that begin with a dot or an underscore are skipped"
        raise InputError(missing, place=Place(path), hint=hint)
    return tuple(files)


def check_names(sources: Iterable[Source]) -> None:
    """Raise `UsageError` if two sources have the same name, or both read standard input."""
    sources = tuple(sources)
    SYSTEMS.check(len(sources), f"{len(sources):,} caption files are too many")
    paths_of: dict[str, list[str]] = {}
    for source in sources:
        paths_of.setdefault(source.name, []).append(source.file)
    problems = [_same_name(name, paths) for name, paths in paths_of.items() if len(paths) > 1]
    if Counter(source.path for source in sources)[STANDARD_INPUT] > 1:
        problems.append(Problem("standard input can be read only once", hint="give '-' only once"))
    if problems:
        raise UsageError(problems)


def _same_name(name: str, paths: list[str]) -> Problem:
    listed = ", ".join(visible(path) for path in paths)
    return Problem(
        f"{len(paths)} inputs have the same name '{visible(name)}': {listed}",
        hint=f"give each a different name with NAME=PATH, such as '{visible(name)}-2={visible(paths[-1])}'",
    )
