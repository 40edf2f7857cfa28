"""The report as one page: no other file, no network, and nothing runs that is not ours."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from assess.audit.cautions import ALWAYS
from assess.report.files import write_whole
from assess.report.html_bias import VERDICTS, bias_parts
from assess.report.html_captions import Captions, caption_columns
from assess.report.html_cards import cards
from assess.report.html_categories import LEGEND, categories_part
from assess.report.html_gaps import gaps_part
from assess.report.html_input import ReportInput
from assess.report.html_labels import shown
from assess.report.html_marked import marked_part
from assess.report.html_overview import overview
from assess.report.html_pack import pack
from assess.report.html_parts import measure_parts
from assess.report.html_systems import systems_part

_FOLDER = Path(__file__).resolve().parent / "html"
_STYLES = ("base.css", "parts.css", "tables.css", "captions.css")
_LARGEST = 13_000_000  # characters of captions: a page of 15 MB can still be sent by mail
_SCRIPTS = ("dom.js", "data.js", "filters.js", "spans.js", "row.js", "captions.js", "tables.js", "start.js")


def write_html(audit: ReportInput, file: Path) -> None:
    """Write a saved audit as a page."""
    write_whole(file, html_page(audit))


def html_page(audit: ReportInput) -> str:
    """Return a saved audit as a page."""
    captions, data = _fitting(audit)
    styles, early, script = _styles(), _read("early.js"), _script()
    return (
        _templates()
        .get_template("report.html.j2")
        .render(
            policy=content_policy(styles=[styles], scripts=[early, script]),
            styles=Markup(styles),  # noqa: S704 - our own file
            early_script=Markup(early),  # noqa: S704
            script=Markup(script),  # noqa: S704
            signature=audit.signature,
            overview=overview(audit, captions),
            cards=cards(audit, captions),
            systems=systems_part(audit),
            groups=bias_parts(audit),
            verdict_meanings=VERDICTS,
            cautions=ALWAYS,
            categories=categories_part(audit),
            heat_legend=LEGEND,
            measures=measure_parts(audit),
            marked=marked_part(audit),
            gaps=gaps_part(audit),
            data=data,
        )
    )


def _fitting(audit: ReportInput) -> tuple[Captions, str]:
    """Return the captions, packed; fewer of each label where the page would grow too large."""
    captions = caption_columns(audit.saved)
    data = pack(captions.columns)
    while len(data) > _LARGEST and captions.columns["quota"] != 1:
        most = len(captions.columns["mentions"]["label"]) * _LARGEST * 9 // len(data) // 10
        captions = caption_columns(audit.saved, most=most)
        data = pack(captions.columns)
    return captions, data


def content_policy(*, styles: list[str], scripts: list[str]) -> str:
    """Return a Content-Security-Policy that lets run what is written here, and nothing else at all."""
    return "; ".join(
        (
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
    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )


def _printable(value: Any) -> Any:
    """Return foreign text without control characters, which HTML forbids, wherever a template puts it."""
    return shown(value) if type(value) is str else value


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _styles() -> str:
    return "\n".join(_read(name) for name in _STYLES)


def _script() -> str:
    inside = "\n".join(_read(name) for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{inside}}})();\n'
