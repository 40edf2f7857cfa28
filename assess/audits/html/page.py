"""The report as a single page that needs no other file and no network, and runs only our own scripts.

Images next to captions are loaded only on request, and only from the source given with `--images`.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from assess.audits.bias_sections import beside_table, crossed_tables, file_name
from assess.audits.highlights import caption_counts, different_images, error_highlights, warnings
from assess.audits.html.bias import bias_parts
from assess.audits.html.captions import Captions, CaptionSource, pack, unpack
from assess.audits.html.cards import GAP_LEGEND, beside_people, cards, cards_heading
from assess.audits.html.systems import LEGEND, categories_part, gaps_part, systems_section
from assess.audits.result import AuditResult
from assess.audits.saved import (
    AUDITS,
    LABELS,
    MENTIONS,
    RESULTS,
    AuditFiles,
    SavedAudit,
    read_audit,
    write_results,
)
from assess.audits.sections import delicate_table, further_sections
from assess.disk_cache import Codec, code_digest
from assess.errors import UsageError, some, visible
from assess.measures.bias.result import ALWAYS
from assess.measures.bias.verdict import VERDICTS
from assess.records import Analysis
from assess.report.html.parts import breakable, figures, sentence
from assess.report.section import Section
from assess.report.text import listed, shown
from assess.whole_files import whole_folder, write_whole

# The head of the page: what was audited, and how to read the report.


@dataclass(frozen=True, slots=True)
class Legend:
    """A label of this audit, split into its parts."""

    label: str
    head: str
    modifier: str
    category: str


@dataclass(frozen=True, slots=True)
class Overview:
    """What was audited."""

    title: str
    audited: str
    facts: tuple[str, ...]
    legend: Legend | None
    alerts: tuple[str, ...]  # warnings about comparisons
    care: tuple[str, ...]  # findings that must be quoted with care
    errors: tuple[str, ...]  # how often systems name the wrong group
    notes: tuple[str, ...]  # notes about the input


def overview(audit: AuditResult, captions: PageCaptions) -> Overview:
    """Return the head of the page."""
    machines = audit.machines
    humans = [name for name in audit.systems if name not in machines]
    beside = f", beside {listed(humans)}" if humans else ""
    return Overview(
        title=f"What captions say about {audit.domain}",
        audited=f"{listed(list(machines))}{beside}",
        facts=tuple(_facts(audit)),
        legend=_legend(audit, captions),
        alerts=tuple(sentence(text) for text in different_images(audit)),
        care=tuple(_to_quote_with_care(audit)),
        errors=tuple(sentence(text) for text in error_highlights(audit)),
        notes=audit.notes,
    )


def _to_quote_with_care(audit: AuditResult) -> Iterator[str]:
    """Yield the disparities of systems that must be quoted with care."""
    for group in audit.groups.values():
        yield from warnings([cell for cell in group.cells if cell.system in audit.machines])


def _facts(audit: AuditResult) -> Iterator[str]:
    yield from caption_counts(audit)
    yield some(sum(system.labels for system in audit.systems.values()), "label")
    yield f"domain {(audit.signature.taxonomy or '–').partition('#')[0].replace('@', ' ')}"
    if audit.groups:
        yield f"contrasted by {listed(list(audit.groups))}"


def _legend(audit: AuditResult, captions: PageCaptions) -> Legend | None:
    """Return a common label like "a tall man" to explain terms with, preferably one with a disparity."""
    counts = sum(captions.behind.labels.values(), start=Counter[str]())
    uneven = {
        cell.category for part in audit.groups.values() for cell in part.cells if cell.verdict == "disparity"
    }
    return min(
        captions.legends,
        key=lambda legend: (legend.category not in uneven, -counts[legend.label], legend.label),
        default=None,
    )


def _as_legend(analysis: Analysis) -> Legend | None:
    spans = analysis.best.spans
    modifiers = [span for span in spans if span.role == "modifier"]
    heads = [span for span in spans if span.role == "head"]
    plain = len(analysis.text.split()) == 3 and analysis.text.isascii()
    if len(modifiers) != 1 or not heads or not plain or modifiers[0].end > heads[0].start:
        return None
    return Legend(analysis.text, heads[0].text, modifiers[0].text, modifiers[0].category)


# The page, and the files next to it.

PAGE = "report.html"
_NAMES = (RESULTS, MENTIONS, LABELS, PAGE)
_FOLDER = Path(__file__).resolve().parents[2] / "report" / "html"
_STYLES = ("base.css", "parts.css", "tables.css", "captions.css")
_LARGEST = 5_200_000  # characters of captions; with its tables, a page stays below 6 MB
_SCRIPTS = (
    *("dom.js", "data.js", "filters.js", "spans.js", "row.js", "captions.js", "tables.js"),
    *("scatter.js", "words.js", "tools.js", "start.js"),
)


def write_html(
    audit: SavedAudit, file: Path, *, images: ImageSource | None = None, keep: bool = False
) -> None:
    """Write a saved audit as a page."""
    write_whole(file, html_page(audit, images=images, keep=keep))


@contextmanager
def write_audit(
    folder: Path, *, images: ImageSource | None = None, keep: bool = False
) -> Iterator[AuditFiles]:
    """Provide the files to write. They appear together, or not at all if the audit fails."""
    with whole_folder(folder, _NAMES) as unfinished:
        with write_results(unfinished) as files:
            yield files
        saved = read_audit(unfinished, beside=folder, written=files)
        write_html(saved, unfinished / PAGE, images=images, keep=keep)


def copy_audit(audit: SavedAudit, folder: Path) -> Path:
    """Write the files of a saved audit, and its page, to another folder."""
    source = audit.file.parent
    with whole_folder(folder, _NAMES) as unfinished:
        for name in (RESULTS, *audit.results.files):
            shutil.copyfile(source / name, unfinished / name)
        write_html(audit, unfinished / PAGE)
    return folder


def html_page(saved: SavedAudit, *, images: ImageSource | None = None, keep: bool = False) -> str:
    """Return a saved audit as a page. If it has an image source, readers can view images next to captions.

    If `keep` is set, the slowest parts are cached for later calls with the same audit.
    """
    found = _kept_captions(saved) if keep and images is None else _page_captions(saved, images)
    captions, audit = found.behind, saved.with_others()
    shown = cards(audit, captions)
    styles, early, script = "\n".join(map(_read, _STYLES)), _read("early.js"), _script()
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            policy=content_policy(styles=[styles], scripts=[early, script], images=images),
            styles=Markup(styles),  # noqa: S704 - our own file
            early_script=Markup(early),  # noqa: S704
            script=Markup(script),  # noqa: S704
            signature=audit.signature,
            overview=overview(audit, found),
            beside=beside_people(audit, captions),
            gap_legend=GAP_LEGEND,
            gap_systems=[name for name, system in audit.machines.items() if system.labels],
            cards=shown,
            cards_heading=cards_heading(audit, shown),
            systems=systems_section(audit),
            groups=bias_parts(audit),
            verdict_meanings=VERDICTS,
            cautions=ALWAYS,
            categories=categories_part(audit, captions),
            heat_legend=LEGEND,
            group_parts={name: list(_group_sections(audit, name)) for name in audit.groups},
            measures=[*_measured(audit), *further_sections(audit)],
            delicate=_delicate(audit),
            gaps=gaps_part(audit),
            data=Markup(found.packed),  # noqa: S704 - letters, digits and spaces
        )
    )


def _group_sections(audit: AuditResult, group: str) -> Iterator[Section]:
    """Yield the sections for one group: gaps versus references, crossed effects, and its measures."""
    made = (beside_table(audit, group), *crossed_tables(audit, group, everything=False))
    if tables := tuple(table for table in made if table.rows):
        yield Section(f"{file_name(group)}_more", f"More by {group}", tables)
    for result in audit.measures.values():
        if getattr(result, "group", None) == group:
            yield from result.sections()


def _delicate(audit: AuditResult) -> Section | None:
    table = delicate_table(audit)
    told = (
        "Categories that are protected or offensive, or that cannot be judged from an image"
        " alone, and that captions mention nevertheless."
    )
    return Section("marked", "Delicate categories", (table,), told) if table.rows else None


def _measured(audit: AuditResult) -> Iterator[Section]:
    """Yield the measures that do not belong to a group of the audit."""
    for result in audit.measures.values():
        if getattr(result, "group", None) not in audit.groups:
            yield from result.sections()


# The captions of a page, which are shown when a number is opened.


@dataclass(frozen=True, slots=True)
class PageCaptions:
    """The packed captions that fit into a page, and labels for explaining terms."""

    behind: Captions
    packed: str
    legends: list[Legend]


@dataclass(frozen=True, slots=True)
class CaptionsData:
    """The captions of a page as cached on disk."""

    packed: str
    labels: dict[str, dict[str, int]]
    legends: list[Legend]


def _to_data(captions: PageCaptions) -> CaptionsData:
    return CaptionsData(captions.packed, {**captions.behind.labels}, captions.legends)


def _from_data(data: CaptionsData) -> PageCaptions:
    labels = {name: Counter(counts) for name, counts in data.labels.items()}
    return PageCaptions(Captions(unpack(data.packed), labels), data.packed, data.legends)


_CODEC: Codec[PageCaptions, CaptionsData] = Codec(CaptionsData, _to_data, _from_data)


def _kept_captions(audit: SavedAudit) -> PageCaptions:
    """Return the captions of a page, from the cache if possible.

    They depend on the audit, which has the hashes of its mentions and labels, and on our code.
    """
    key = ("captions", hashlib.sha256(audit.file.read_bytes()).hexdigest(), code_digest("**/*.py"))
    captions = AUDITS.take(key, _CODEC)
    if captions is None:
        captions = _page_captions(audit)
        AUDITS.put(key, captions, _CODEC)
    return captions


def _page_captions(audit: SavedAudit, images: ImageSource | None = None) -> PageCaptions:
    """Return the captions of a page, with fewer for each label if it would be too large."""
    source = CaptionSource(audit)
    captions = source.captions()
    packed = _packed(captions, images)
    while len(packed) > _LARGEST and captions.columns["quota"] != 1:
        most = len(captions.columns["mentions"]["label"]) * _LARGEST * 9 // len(packed) // 10
        captions = source.captions(most=most)
        packed = _packed(captions, images)
    texts = dict.fromkeys(text for counts in captions.labels.values() for text in counts)
    found = (_as_legend(audit.analyses[text]) for text in texts)
    return PageCaptions(captions, packed, [legend for legend in found if legend is not None])


def _packed(captions: Captions, images: ImageSource | None) -> str:
    found = captions.columns
    return pack(found if images is None else {**found, "pictures": images.columns(found["images"])})


def content_policy(*, styles: list[str], scripts: list[str], images: ImageSource | None = None) -> str:
    """Return a Content-Security-Policy that only allows what is contained in the page.

    Images can only be loaded from the requested source, if there is one.
    """
    return "; ".join(
        (
            *((f"img-src {images.policy}",) if images else ()),
            "default-src 'none'",
            f"style-src {' '.join(map(_digest, styles))}",
            f"script-src {' '.join(map(_digest, scripts))}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


def _templates() -> Environment:
    found = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )
    found.filters |= {"breakable": breakable, "figures": figures}
    return found


def _printable(value: Any) -> Any:
    """Return untrusted text without control characters, which HTML forbids, for all templates."""
    return shown(value) if type(value) is str else value


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _script() -> str:
    inside = "\n".join(map(_read, _SCRIPTS))
    return f'(() => {{\n"use strict";\n{inside}}})();\n'


# Image sources.

_FIELD = re.compile(r"\{image_id(?::0?([1-9]\d?))?\}")
_WEB = re.compile(r"(https?://[A-Za-z0-9.-]+(?::\d+)?)/")
_LOCAL = "'self' file:"  # a page on a server next to its images, or on disk
_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".avif")
_HINT = "give a folder of images, or a URL with {image_id} in it, such as photos/{image_id:012}.jpg"


@dataclass(frozen=True, slots=True)
class ImageSource:
    """Where the page finds images."""

    policy: str  # the only source from which the page may load images
    prefix: str
    suffix: str = ""
    digits: int = 0  # minimum digits of numbers, which are padded with zeros
    files: Mapping[str, str] | None = None  # file names by image id, for a folder

    def columns(self, images: Iterable[str]) -> dict[str, Any]:
        """Return the data that the page's script needs for these images."""
        names = None if self.files is None else [self._name(image) for image in images]
        return {"prefix": self.prefix, "suffix": self.suffix, "digits": self.digits, "names": names}

    def _name(self, image: str) -> str | None:
        files = self.files or {}
        found = files.get(image) or files.get(_number(image))
        return None if found is None else quote(found)


def image_source(given: str, page: Path) -> ImageSource:
    """Return the source of images: a folder, or a URL template; `page` is the folder of the page."""
    fields = list(_FIELD.finditer(given))
    web = _WEB.match(given)
    if web is None and "://" in given:
        raise UsageError(f"--images: not a web address: {visible(given, 200)}", hint=_HINT)
    if len(fields) == 1:
        return _template(given, fields[0], web, page)
    if fields or web:
        raise UsageError(f"--images needs exactly one {{image_id}}: {visible(given, 200)}", hint=_HINT)
    folder = Path(given)
    if not folder.is_dir():
        raise UsageError(f"--images: the folder does not exist: {visible(given, 200)}", hint=_HINT)
    files = _by_id(folder)
    if not files:
        raise UsageError(f"--images: the folder contains no images: {visible(given, 200)}", hint=_HINT)
    return ImageSource(_LOCAL, f"{_relative(given, page)}/", files=files)


def _template(given: str, field: re.Match[str], web: re.Match[str] | None, page: Path) -> ImageSource:
    before, after, digits = given[: field.start()], given[field.end() :], int(field[1] or 0)
    if web is not None:
        return ImageSource(web[1], before, after, digits)
    folder, name = os.path.split(before)
    return ImageSource(_LOCAL, f"{_relative(folder, page)}/{quote(name)}", quote(after), digits)


def _relative(folder: str, page: Path) -> str:
    """Return a folder relative to the page, so that both can be moved together."""
    return quote(os.path.relpath(folder or ".", page).replace(os.sep, "/"))


def _by_id(folder: Path) -> dict[str, str]:
    """Return the images of a folder by name, stem, and final number if only one stem ends in it."""
    names = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES)
    numbers: dict[str, list[str]] = {}
    for name in names:
        numbers.setdefault(_number(Path(name).stem), []).append(name)
    found = {number: same[0] for number, same in numbers.items() if number and len(same) == 1}
    return found | {Path(name).stem: name for name in names} | {name: name for name in names}


def _number(text: str) -> str:
    digits = re.search(r"\d+$", text)
    return str(int(digits[0])) if digits else ""
