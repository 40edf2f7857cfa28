"""What people call from Python: audit captions, and read a phrase."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from assess.api.audits import Audit
from assess.api.captions import Captions, File, sources_of
from assess.api.request import GroupRequest, Request, chosen_groups
from assess.api.running import Bars, Sources, no_bars, run_audit
from assess.engine.measures_run import MeasureRequest
from assess.grammar import Parser
from assess.records import Analysis
from assess.report.audit_files import write_results
from assess.report.html_input import read_input
from assess.taxonomy import Taxonomy, load_taxonomy


def audit(
    captions: Captions,
    *,
    domain: File = "people",
    references: Captions | None = None,
    train: Captions | None = None,
    by: str | Sequence[str] | None = None,
    groups: File | Sequence[File] = (),
    partial: bool = False,
    contrasts: Sequence[tuple[str, str]] = (),
    measures: bool = True,
    margin: float = 0.01,
    odds_margin: float = 1.5,
    alpha: float = 0.05,
    samples: int = 2000,
    seed: int = 0,
    model: str | None = None,
    paper_chunks: bool = False,
    after: bool = True,
    processes: int | None = 1,
    cache: bool = True,
    progress: Bars = no_bars,
) -> Audit:
    """Audit captions: everything that the inputs allow, with the numbers of `assess audit`.

    `captions`, `references` and `train` are files, or captions in memory: pairs of an image id and a
    caption, or {"name": path or {image id: caption}}. Without `by`, the domain's first group is
    contrasted; `by=()` contrasts none. `processes` is the number of annotating processes, None for one a
    core; a script that asks for several needs `if __name__ == "__main__":` around its work.
    """
    files = [os.fspath(file) for file in ([groups] if isinstance(groups, str | os.PathLike) else groups)]
    told = GroupRequest(
        tuple(files),
        partial,
        tuple(",".join(pair) for pair in contrasts),
        margin,
        odds_margin,
        alpha,
        samples,
        seed,
    )
    with tempfile.TemporaryDirectory(prefix="assess-captions-") as given:
        systems, humans, training = (
            sources_of(each, Path(given), name=name)
            for each, name in ((captions, "captions"), (references, "references"), (train, "train"))
        )
        request = Request(
            domain=os.fspath(domain),
            model=model,
            paper_chunks=paper_chunks,
            no_after=not after,
            by=_by(by, files),
            processes=processes,
            no_cache=not cache,
            groups=told,
            measures=MeasureRequest(tuple(training), model) if measures else None,
        )
        return _saved((systems, humans), request, progress)


def _by(by: str | Sequence[str] | None, files: list[str]) -> tuple[str, ...] | None:
    if by is not None and not by:
        return ()  # none was asked for, which is not the same as not asking
    return chosen_groups([by] if isinstance(by, str) else list(by or ()), files)


def _saved(sources: Sources, request: Request, progress: Bars) -> Audit:
    """Run an audit into a folder of its own, which goes when the audit does."""
    folder = Path(tempfile.mkdtemp(prefix="assess-audit-"))
    try:
        with write_results(folder) as files:
            files.finish(run_audit(sources, request, mentions=files.add_mention, bars=progress))
        return Audit(read_input(folder), temporary=True)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def parse(text: str, *, domain: File = "people") -> Analysis:
    """Return all readings of a phrase: its heads, modifiers, spans, and what is not known."""
    return _parser(load_taxonomy(os.fspath(domain))).analyse(text)


_parsers: dict[str, Parser] = {}


def _parser(taxonomy: Taxonomy) -> Parser:
    """Return a parser; making one takes a while, so that of each domain is kept until its file changes."""
    if taxonomy.identity not in _parsers:
        _parsers[taxonomy.identity] = Parser(taxonomy)
    return _parsers[taxonomy.identity]
