"""`assess bias`: of whom captions say what, with intervals and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assess.audits.command import AS_USUAL, AuditOptions
from assess.cli import options
from assess.cli.options import bundled
from assess.measures.group_settings import USUAL_RULES, VerdictSettings

if TYPE_CHECKING:
    from assess.audits.result import AuditResult

Contrasts = Annotated[
    list[str] | None,
    typer.Option("--contrast", metavar="VALUE,VALUE", help="Compare only this pair of values."),
]
Everything = Annotated[
    bool, typer.Option("--all", help="Show every contrast, including those with insufficient evidence.")
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
    """Compare how groups are described: each category, with intervals and verdicts.

    Groups come from the domain's nouns (--by gender) or from a file that says whom each image shows
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
    _show(result, as_json=common.as_json, everything=everything)
    common.tell_page()


def _check_groups(domain: str) -> None:
    """Refuse a domain without groups before any work."""
    from assess.errors import UsageError
    from assess.grammar import load_grammar

    if not load_grammar(domain).groups:
        hint = "add `groups:` to the taxonomy, or give --groups FILE"
        raise UsageError(f"the domain `{domain}` has no groups to contrast", hint=hint)


def _show(result: AuditResult, *, as_json: bool, everything: bool) -> None:
    from assess.audits.bias_view import bias_page
    from assess.audits.sections import bias_json
    from assess.cli.console import output, print_json, print_parts

    console = output()
    if as_json:
        print_json(bias_json(result))
    else:
        print_parts(console, bias_page(result, width=console.width, everything=everything))
