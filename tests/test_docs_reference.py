"""The generated pages are up to date and complete."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assess.measures.bias.statistics import BESIDE, CELL
from assess.measures.coverage.compute import BestReading, CategoryUse, SystemCoverage
from assess.measures.metric import COVERAGE
from assess.measures.pregen.tiers import CAPTION_TIER, IMAGE_TIER, PAPER_FILTER, WORD_TIER
from assess.measures.pregen.view import TIERS
from assess.report.quantity import Quantity
from docs_tools.cli_page import cli_page, commands
from docs_tools.hosts import fetched_elsewhere
from docs_tools.json_page import page_of, shapes
from docs_tools.made_files import ROOT
from docs_tools.metrics_page import bibliography, families, metrics_page
from docs_tools.reference import FOLDER, WRITERS


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "json.md"])
def test_a_generated_page_is_fresh(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == WRITERS[name](), "run: make reference"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the shapes of all commands; a minute's work, so once."""
    return shapes(tmp_path_factory.mktemp("shapes"))


@pytest.mark.model
def test_the_page_of_shapes_is_fresh(found: dict[str, Any]) -> None:
    assert (FOLDER / "json.md").read_text(encoding="utf-8") == page_of(found), "run: make reference"


def test_every_command_has_an_example_and_every_option_a_line_of_help() -> None:
    page = cli_page()
    for name, command in commands().items():
        assert f"## {name}\n" in page
        assert "Example: assess" in (command.help or ""), name
        for option in command.params:
            assert option.help, f"{name} {option.name}"


def names(definitions: Sequence[Quantity[Any]]) -> set[str]:
    return {name.strip() for one in definitions for name in one.key.partition(" (")[0].split(",")}


def numbers(kind: Any) -> set[str]:
    """Return the fields of a result that are numbers."""
    types = kind.__annotations__  # of a dataclass or of a model, as texts
    return {name for name, type_ in types.items() if type_.partition(" ")[0] in ("int", "float", "Number")}


@pytest.mark.parametrize("kind", [SystemCoverage, BestReading, CategoryUse])
def test_every_number_of_coverage_is_defined(kind: Any) -> None:
    assert numbers(kind)
    assert numbers(kind) <= names(COVERAGE)


def test_every_part_of_a_pregen_name_is_defined() -> None:
    described = {part.strip() for tier in TIERS for part in tier.key.split(",")}
    assert described == {*WORD_TIER, PAPER_FILTER, *CAPTION_TIER, *IMAGE_TIER}


@pytest.mark.model
def test_every_number_of_a_contrast_is_defined_and_shapes_hold_no_data(found: dict[str, Any]) -> None:
    cell = found["bias"]["cells"][0]
    told = names(CELL) | {f"other_{name}" for name in names(CELL)}
    plain = {key for key, shape in cell.items() if "number" in str(shape) and not isinstance(shape, dict)}
    assert plain <= told
    assert names(CELL) <= set(cell)
    assert {"common", "breslow_day"} <= set(cell["stratified"]["GROUP"]) & names(BESIDE)
    assert not {"bland", "skewed", "references.json"} & set(str(found).split("'"))


def test_every_source_is_in_the_bibliography_and_every_family_on_the_page() -> None:
    page = metrics_page()
    known = bibliography()
    assert len(known) == (ROOT / "docs" / "references.bib").read_text(encoding="utf-8").count("\n@")
    for title, (_, found) in families().items():
        assert f"## {title}\n" in page
        assert found
        for one in found:
            assert f"`{one.key}`" in page
            assert not one.reference or one.reference in known


def test_what_is_fetched_elsewhere_is_found_and_links_are_not() -> None:
    assert fetched_elsewhere('<a href="https://a.example/">a</a><img src="images/a.png">', ".html") == []
    page = '<script src="https://a.example/x.js"></script><link rel="stylesheet" href="//b.example/y.css">'
    assert fetched_elsewhere(page, ".html") == ["https://a.example/x.js", "//b.example/y.css"]
    style = "@font-face { src: url('https://c.example/f.woff2') } body { background: url(a.png) }"
    assert fetched_elsewhere(style, ".css") == ["https://c.example/f.woff2"]


@pytest.mark.parametrize("file", sorted((ROOT / "docs").rglob("*.svg")), ids=lambda file: str(file.name))
def test_pictures_ask_no_host(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert fetched_elsewhere(text, ".svg") == []
    assert "https://" not in text


def test_pages_and_settings_ask_no_host() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert not [address for address in fetched_elsewhere(text, ".html") if address], page
        assert "](http" not in "".join(line for line in text.splitlines() if line.startswith("!"))
    assert "font: false" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_the_citation_names_this_version() -> None:
    from assess import __version__

    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
