"""`assess gate`: a policy applied to an audit, for CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assess.cli import options
from assess.cli.explain import AuditFolder

PolicyFile = Annotated[str, typer.Argument(metavar="POLICY", help="A YAML file with rules.")]
Junit = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Also write the outcomes as JUnit XML.")
]
Everything = Annotated[bool, typer.Option("--all", help="Also show what passed.")]


def gate(
    policy: PolicyFile,
    audit: AuditFolder,
    junit: Junit = None,
    everything: Everything = False,
    as_json: options.AsJson = False,
) -> None:
    """Check an audit against a policy; exit code 1 where it fails.

    A rule passes or fails only with its whole interval; everything else is `insufficient`, which fails the
    gate too, unless the policy has `allow_insufficient: true`.

    Example: assess gate policy.yaml results --junit gate.xml
    """
    from assess.audit.gate import evaluate, passes
    from assess.audit.gate_cells import gate_cells
    from assess.audit.junit import junit as junit_xml
    from assess.audit.policy_file import baseline_path, load_policy
    from assess.audit.saved import read_audit
    from assess.cli.console import output
    from assess.report.files import write_whole
    from assess.report.gate_terminal import gate_report, gate_shape
    from assess.report.json_text import dump

    rules, saved = load_policy(policy), read_audit(audit)
    earlier = baseline_path(rules, policy)
    baseline = gate_cells(read_audit(earlier)) if earlier else None
    outcomes = evaluate(rules, gate_cells(saved), baseline=baseline)
    passed = passes(rules, outcomes)
    if junit is not None:
        write_whole(junit, junit_xml(outcomes, allow_insufficient=rules.allow_insufficient))
    console = output()
    if as_json:
        console.file.write(dump(gate_shape(saved, outcomes, passed=passed)) + "\n")
    else:
        for line in gate_report(outcomes, passed=passed, everything=everything):
            console.print(line, soft_wrap=True)
    raise typer.Exit(0 if passed else 1)
