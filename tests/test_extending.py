"""The promise of docs/extending.md: what is added once, in under 20 lines, appears in every output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assess as package
from assess.audits.sections import SECTIONS
from assess.corpus import FORMATS
from assess.measures import registry
from assess.measures.bias.statistics import STATISTICS
from assess.measures.diversity.quantities import QUANTITIES
from docs_tools.metrics_page import metrics_page
from tests.commands import EXAMPLE, assess
from tests.conftest import Install

PAGE = Path(__file__).resolve().parents[1] / "docs" / "extending.md"
BLOCK = re.compile(r"^## (.+?)\n.*?^```(?:python|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))
FEW = 20  # lines

pytestmark = pytest.mark.model


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Take back what an example added."""
    quantities, formats, sections, statistics = (
        list(QUANTITIES),
        dict(FORMATS),
        list(SECTIONS),
        dict(STATISTICS),
    )
    yield
    QUANTITIES[:], SECTIONS[:] = quantities, sections
    for kept, found in ((formats, FORMATS), (statistics, STATISTICS)):
        found.clear()
        found.update(kept)  # type: ignore[arg-type]
    registry.unregister_measure("questions")


def added(title: str) -> None:
    """Run an example of the page."""
    exec(compile(EXAMPLES[title], title, "exec"), {})


def test_the_page_has_all_six_in_few_lines() -> None:
    assert list(EXAMPLES) == [
        "A diversity metric",
        "A new measure",
        "An input format",
        "A report section",
        "A bias statistic",
        "A domain",
    ]
    assert {
        title: len(code.splitlines()) for title, code in EXAMPLES.items() if len(code.splitlines()) >= FEW
    } == {}


def everywhere(folder: Path, *options: str) -> dict[str, str]:
    """Return all that an audit of the example prints and writes, by the kind of output."""
    files = (EXAMPLE / "rich.jsonl", EXAMPLE / "skewed.csv")
    shown = assess("audit", *files, *options, "--full", "--out", folder, columns=120)
    assert shown.code == 0, shown.stderr
    tables = folder / "tables"
    written = assess(
        "report", folder, "--csv", tables, "--latex", folder / "a.tex", "--markdown", folder / "a.md"
    )
    assert written.code == 0, written.stderr
    return {
        "terminal": shown.stdout,
        "JSON": (folder / "audit.json").read_text(encoding="utf-8"),
        "CSV": "".join(file.read_text(encoding="utf-8") for file in sorted(tables.glob("*.csv"))),
        "LaTeX": (folder / "a.tex").read_text(encoding="utf-8"),
        "Markdown": (folder / "a.md").read_text(encoding="utf-8"),
        "page": (folder / "report.html").read_text(encoding="utf-8"),
    }


def missing(outputs: dict[str, str], text: str) -> list[str]:
    """Return the outputs that do not have a text."""
    return [kind for kind, found in outputs.items() if text not in found]


def test_a_metric_is_in_every_output_and_on_the_reference_page(tmp_path: Path) -> None:
    added("A diversity metric")
    assert missing(everywhere(tmp_path), "longest") == []
    assert "tokens of the longest caption" in metrics_page()
    assert "longest" in assess("diversity", EXAMPLE / "rich.jsonl").stdout


def test_a_measure_is_a_command_a_function_and_a_part_of_audits(tmp_path: Path) -> None:
    added("A new measure")
    assert missing(everywhere(tmp_path), "uestions") == []
    assert "captions with a question mark" in metrics_page()
    alone = assess("questions", EXAMPLE / "rich.jsonl", "--json").json
    assert alone["systems"]["rich"]["questions"] == 0
    in_python: Any = package.measure("questions", {"a": {"1": "who is she?", "2": "a man"}})
    assert in_python["a"]["questions"] == 1
    assert "questions" in assess("--help").stdout


def test_a_format_is_read_by_its_name_and_by_itself(tmp_path: Path) -> None:
    added("An input format")
    file = tmp_path / "captions.txt"
    file.write_text("1|a tall man\n2|a woman\n")
    for options in ((), ("--format", "pipes")):
        assert assess("coverage", file, *options, "--json").json["systems"]["captions"]["labels"] == 2


def test_a_section_is_in_the_terminal_in_files_and_on_the_page(tmp_path: Path) -> None:
    added("A report section")
    outputs = everywhere(tmp_path)
    del outputs["JSON"]  # a section shows numbers that are there already
    assert missing(outputs, "silent") == []


def test_a_statistic_is_in_every_contrast_and_on_the_reference_page(tmp_path: Path) -> None:
    added("A bias statistic")
    outputs = everywhere(tmp_path, "--by", "gender")
    assert "relative_risk" in outputs["JSON"]
    assert "relative_risk" in outputs["CSV"]
    assert missing({kind: outputs[kind] for kind in ("LaTeX", "Markdown", "page")}, "relative risk") == []
    assert "relative risk" in assess("bias", EXAMPLE / "skewed.csv", "--by", "gender", columns=120).stdout
    assert "rate / other_rate" in metrics_page()


def test_a_domain_is_a_file(tmp_path: Path) -> None:
    domain = tmp_path / "food.yaml"
    domain.write_text(EXAMPLES["A domain"])
    assert assess("parse", "a hot soup", "--domain", domain, "--json").json["phrases"][0]["heads"] == ["dish"]
    captions = tmp_path / "captions.csv"
    captions.write_text("image_id,caption\n1,a hot soup on a table\n")
    assert (
        assess("coverage", captions, "--domain", domain, "--json").json["systems"]["captions"]["labels"] == 1
    )


def test_an_installed_package_offers_a_measure_and_doctor_lists_it(install: Install) -> None:
    code = EXAMPLES["A new measure"].replace("register_measure(measure", "MEASURE = (measure")
    offers = {"questions": "caption_questions:MEASURE", "broken": "caption_questions:NOTHING"}
    install("caption-questions", code, group="assess.measures", version="1.0", **offers)
    registry.forget_offers()
    try:
        alone = assess("questions", EXAMPLE / "rich.jsonl", "--json").json
        assert alone["systems"]["rich"]["questions"] == 0
        listed = assess("doctor", "--json").json["other_packages"]["measures"]
        assert listed == {"questions": "caption-questions", "broken": "caption-questions"}
        broken = assess("broken", EXAMPLE / "rich.jsonl")
        assert broken.code == 2
        assert "caption-questions" in broken.stderr
    finally:
        registry.forget_offers()
