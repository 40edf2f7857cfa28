"""`assess coverage`, `bias`, `audit` and `demo`: caption files in, a report out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assess.cli import options
from assess.cli.help import OUTPUT
from assess.cli.options import (
    ANNOTATED_HERE,
    AS_FOUND,
    NO_FILES,
    AnnotationOptions,
    CaptionFields,
    ResultFiles,
    bundled,
)
from assess.errors import UsageError
from assess.measures.group_settings import USUAL_READING, USUAL_RULES, ReadingSettings, VerdictSettings

if TYPE_CHECKING:
    from assess.audits.html.page import ImageSource
    from assess.audits.request import Request, Sources
    from assess.audits.result import AuditResult
    from assess.measures.coverage.run import MentionSink


@dataclass(frozen=True)
class AuditOptions:
    """The options shared by `coverage`, `bias` and `audit`: how to annotate and read, and what to write."""

    reading: ReadingSettings = USUAL_READING
    annotation: AnnotationOptions = ANNOTATED_HERE
    fields: CaptionFields = AS_FOUND
    as_json: options.AsJson = False
    papers: ResultFiles = NO_FILES
    out: options.Out = None
    images: options.Images = None

    def request(self, domain: str, **asked: Any) -> Request:
        """Return the request for an audit; `asked` are additional fields of it."""
        from assess.audits.request import Request

        return Request(domain, self.reading, engine=self.annotation.request(), **asked)

    def saved_audit(self, sources: Sources, request: Request) -> AuditResult:
        """Run an audit with progress bars, and write the requested files."""
        from assess.audits.html.page import write_audit

        images = self._images()
        self.papers.check()
        if self.out is None:
            result = _run(sources, request)
        else:
            with write_audit(self.out, images=images, keep=request.engine.cache) as files:
                result = _run(sources, request, mentions=files.add_lines)
                files.finish(result)
        self.papers.write(result)
        return result

    def _images(self) -> ImageSource | None:
        """Return the source of images, validated before any work; images need a page."""
        from assess.audits.html.page import image_source

        if self.images is None:
            return None
        if self.out is None:
            raise UsageError("--images needs a page", hint="add --out DIR to write one")
        return image_source(self.images, self.out)

    def print_page_path(self) -> None:
        """Print where the page is, if one was written."""
        from assess.audits.html.page import PAGE
        from assess.audits.saved_commands import print_page_path

        if self.out is not None:
            print_page_path(self.out / PAGE, as_json=self.as_json)


AS_USUAL = AuditOptions()


def _run(sources: Sources, request: Request, *, mentions: MentionSink | None = None) -> AuditResult:
    from functools import partial

    from assess.audits.request import run_audit
    from assess.cli.console import progress_bars

    # On a cluster, this process does not read all files just to know the total for a progress bar.
    bars = partial(progress_bars, totals=request.engine.reads_here)
    return run_audit(sources, request, mentions=mentions, bars=bars)


@bundled
def coverage(
    files: options.Files,
    domain: options.Domain = "people",
    references: options.References = None,
    common: AuditOptions = AS_USUAL,
) -> None:
    """Count which categories captions use, and which they never use.

    Reports labels, modifiers and categories per system, categories by system with examples, categories that
    are never used, and words that the taxonomy does not cover.

    Example: assess coverage bland.json rich=model2.jsonl --domain people
    """
    sources = common.fields.sources(files, references)
    report(sources, common.request(domain), common)


NoMeasures = Annotated[
    bool,
    typer.Option("--no-measures", help="Skip diversity and recall, for a faster or very large audit."),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="MEASURE|FILE",
        help="Also measure syntax, postgen, leakage or amplification, or add a saved result, such as"
        " pregen.json; may be repeated.",
    ),
]
Full = Annotated[
    bool,
    typer.Option("--full", help="Print the whole report instead of the summary.", rich_help_panel=OUTPUT),
]


@bundled
def audit(
    files: options.Files,
    domain: options.Domain = "people",
    references: options.References = None,
    train: options.Train = None,
    by: options.By = None,
    groups: options.GroupFiles = None,
    partial: options.Partial = False,
    no_measures: NoMeasures = False,
    also: Also = None,
    full: Full = False,
    common: AuditOptions = AS_USUAL,
) -> None:
    """Audit captions: run all analyses that the inputs allow, in one report.

    The report combines coverage, bias between groups (by default, the first group of the domain) and
    diversity. With --references it includes recall of the references' words, and with --train novelty. The
    terminal shows a summary; --full prints the whole report.

    Example: assess audit model1.json model2.json --references val2014.json --by gender --out results
    """
    from assess.audits.request import GroupRequest, chosen_groups
    from assess.corpus import parse_source
    from assess.measures.run import MeasureRequest

    sources = common.fields.sources(files, references)
    training = tuple(parse_source(argument) for argument in train or ())
    request = common.request(
        domain,
        by=chosen_groups(by, groups),
        groups=GroupRequest(tuple(groups or ()), partial),
        measures=None if no_measures else MeasureRequest(training, common.reading.model),
        also=tuple(also or ()),
    )
    report(sources, request, common, full=full)


def report(sources: Sources, request: Request, common: AuditOptions, *, full: bool = True) -> None:
    """Run an audit, print its summary or full report, and write its files."""
    from assess.audits.full_report import audit_report
    from assess.audits.summary import audit_screen, summary_line
    from assess.cli.console import output, print_json_text, print_parts

    result = common.saved_audit(sources, request)
    console = output()
    if common.as_json:
        print_json_text(result.to_json())
    else:
        print_parts(console, (audit_report if full else audit_screen)(result, width=console.width))
    common.print_page_path()
    if not (full or common.as_json):
        console.print(summary_line(result))


Contrasts = Annotated[
    list[str] | None,
    typer.Option("--contrast", metavar="VALUE,VALUE", help="Compare only this pair of values."),
]
Everything = Annotated[
    bool,
    typer.Option(
        "--all",
        help="Show every contrast, including those with insufficient evidence.",
        rich_help_panel=OUTPUT,
    ),
]


@bundled
def bias(
    files: options.Files,
    by: options.By = None,
    groups: options.GroupFiles = None,
    references: options.References = None,
    domain: options.Domain = "people",
    contrast: Contrasts = None,
    partial: options.Partial = False,
    rules: VerdictSettings = USUAL_RULES,
    everything: Everything = False,
    common: AuditOptions = AS_USUAL,
) -> None:
    """Compare how captions describe groups, with intervals and a verdict for each category.

    Groups come from the words of the captions (--by gender) or from a file with the group of each image
    (--groups attributes.csv). With --references, gaps are compared with those in human captions.

    Example: assess bias model.json --by gender --references val2014.json --out results
    """
    from assess.audits.request import GroupRequest, chosen_groups

    if not (by or groups):
        _check_groups(domain)
    sources = common.fields.sources(files, references)
    told = GroupRequest(tuple(groups or ()), partial, tuple(contrast or ()), rules)
    request = common.request(domain, by=chosen_groups(by, groups), groups=told)
    result = common.saved_audit(sources, request)
    _print_result(result, as_json=common.as_json, everything=everything)
    common.print_page_path()


def _check_groups(domain: str) -> None:
    """Raise an error for a domain without groups, before any work is done."""
    from assess.grammar import load_grammar

    if not load_grammar(domain).groups:
        hint = "add `groups:` to the taxonomy, or give --groups FILE"
        raise UsageError(f"the domain `{domain}` has no groups to contrast", hint=hint)


def _print_result(result: AuditResult, *, as_json: bool, everything: bool) -> None:
    from assess.audits.full_report import bias_page
    from assess.audits.sections import bias_json
    from assess.cli.console import output, print_json, print_parts

    console = output()
    if as_json:
        print_json(bias_json(result))
    else:
        print_parts(console, bias_page(result, width=console.width, everything=everything))


# `assess demo`: an audit of the bundled example.

_FOLDER = Path("assess-demo")


def demo(out: options.Out = None, full: Full = False, as_json: options.AsJson = False) -> None:
    """Audit the bundled example: three invented systems, and references.

    `bland` says little, `rich` says a lot, and `skewed` mentions women's looks and men's jobs. The results
    are written to ./assess-demo or to --out; open report.html in a browser.

    Example: assess demo
    """
    from assess.audits.request import Request
    from assess.corpus import parse_source
    from assess.disk_cache import shipped_folder
    from assess.measures.run import MeasureRequest

    folder = shipped_folder("examples") / "captions"
    names = ("bland.json", "rich.jsonl", "skewed.csv")
    files = [f"{name.partition('.')[0]}={folder / name}" for name in names]
    references = [f"references={folder / 'references.json'}"]
    sources = AS_FOUND.sources(files, references)
    measures = MeasureRequest((parse_source(f"train={folder / 'train.txt'}"),))
    request = Request(by=("gender",), measures=measures)
    report(sources, request, AuditOptions(as_json=as_json, out=_folder(out, as_json)), full=full)


def _folder(out: Path | None, as_json: bool) -> Path | None:
    """Return the output folder: the demo writes its page unless a program reads the output."""
    from assess.cli.console import notes

    if out is not None or as_json:
        return out
    if os.access(_FOLDER if _FOLDER.exists() else _FOLDER.parent, os.W_OK):
        return _FOLDER
    notes().print(f"note: no files are written, because {Path.cwd()} is not writable; choose --out")
    return None
