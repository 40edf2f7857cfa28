"""The outcomes of a gate as JUnit XML, which CI services show beside their tests."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from assess.audit.gate import Outcome
from assess.errors import visible


def junit(outcomes: Sequence[Outcome], *, name: str = "assess gate", allow_insufficient: bool = False) -> str:
    """Return a test suite with one case an outcome.

    A failure is a failure. Insufficient evidence is an error, because most services count a skipped test as
    passed; only where the policy allows it is it shown as skipped.
    """
    undecided = "skipped" if allow_insufficient else "error"
    tags = {"fail": "failure", "insufficient": undecided}
    suite = ElementTree.Element("testsuite", _counts(outcomes, name, undecided))
    for outcome in outcomes:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _text(outcome.rule), "name": _text(outcome.subject)}
        )
        if outcome.kind in tags:
            message = ElementTree.SubElement(case, tags[outcome.kind], {"message": _text(outcome.reason)})
            message.text = _text(str(outcome))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'


def _counts(outcomes: Sequence[Outcome], name: str, undecided: str) -> dict[str, str]:
    insufficient = sum(outcome.kind == "insufficient" for outcome in outcomes)
    return {
        "name": _text(name),
        "tests": str(len(outcomes)),
        "failures": str(sum(outcome.kind == "fail" for outcome in outcomes)),
        "errors": str(insufficient if undecided == "error" else 0),
        "skipped": str(insufficient if undecided == "skipped" else 0),
    }


def _text(text: str) -> str:
    """Return text that XML can hold: names come from files of strangers."""
    return visible(text, 500).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
