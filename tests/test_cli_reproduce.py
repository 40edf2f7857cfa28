"""`assess reproduce`: the papers' tables, samples, missing data."""

from __future__ import annotations

import gzip
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from assess.report.section import tables_of
from assess.reproduce.parts import ComparedCell, LeftOut, Outcome, Part, Reproduced, ResearchData
from assess.reproduce.run import Reproduction
from assess.signature import Signature
from tests.commands import assess

pytestmark = pytest.mark.model


def cells(part: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(cell["row"], cell["column"]): cell for cell in part["cells"]}


@pytest.mark.data
def test_both_tables_of_the_people_paper_are_reproduced_exactly(shared_data: Path) -> None:
    found = assess("reproduce", shared_data, "--only", "people", "--only", "people-categories", "--json").json
    assert found["parts"]["people"]["equal"] == len(found["parts"]["people"]["cells"]) == 45
    categories = found["parts"]["people-categories"]
    assert categories["equal"] == len(categories["cells"]) == 20


@pytest.mark.data
def test_the_first_table_of_a_few_systems_is_reproduced_exactly(shared_data: Path) -> None:
    from assess.engine.annotating import AnnotationService
    from assess.reproduce import measuring as diversity_parts

    data = ResearchData(shared_data, annotations=AnnotationService(processes=1, cache=False))
    names = ("Dai-et-al-2017", "Vinyals-et-al-2017")
    found = diversity_parts.table_1(data, systems=names).cells
    assert len(found) == 10
    assert all(cell.equal for cell in found)


IMAGES = 60


@pytest.fixture(scope="module")
def few_images(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder like the real one with captions of a few images: whole files take a minute to read."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(shared_data / "people_grammar", folder / "people_grammar")
    systems = folder / "coco_val2014" / "systems"
    systems.mkdir(parents=True)
    kept: set[int] = set()
    for path in sorted((shared_data / "coco_val2014" / "systems").iterdir()):
        rows = load(path)
        kept = kept or set(sorted(row["image_id"] for row in rows)[:: len(rows) // IMAGES][:IMAGES])
        chosen = [row for row in rows if row["image_id"] in kept]
        (systems / path.name.removesuffix(".gz")).write_text(json.dumps(chosen), encoding="utf-8")
    references = load(shared_data / "coco_val2014" / "references.json.gz")
    rows = [row for row in references["annotations"] if row["image_id"] in kept]
    with gzip.open(folder / "coco_val2014" / "references.json.gz", "wt", encoding="utf-8") as file:
        json.dump({"annotations": rows}, file)
    return folder


def load(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


# The cells of each part.
SIZES = {
    "validation": 5 + 2 * 6,
    "bleu": 8,
    "meteor": 0,
    "local-recall": 9,
    "figure-4": 0,
    "figure-5": 45,
    "coverage": 9,
    "omitted": 80,
    "syntax": 120,
    "correlations": 15 + 13,
    "people-captions": 46,
}


@pytest.mark.data
def test_every_part_runs_on_captions_of_a_few_images(
    few_images: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)  # no Java, whatever this machine has
    only = [argument for name in SIZES for argument in ("--only", name)]
    found = assess("reproduce", few_images, *only, "--json").json
    assert found["sample"] is None
    assert {name: len(part["cells"]) for name, part in found["parts"].items()} == SIZES
    assert list(found["parts"]) == list(SIZES)
    drawn = found["parts"]["figure-4"]["drawn"]["lines"]
    assert all(len(values) == 10 and values[0] > values[-1] for _, values in drawn.values())
    assert "Java" in found["parts"]["meteor"]["left_out"][0]["why"]
    # Whatever differs is explained, and every printed cell is accounted for.
    for part in found["parts"].values():
        assert part["because"] or part["equal"] == len(part["cells"])
    for paper in found["papers"].values():
        assert paper["printed"] == paper["attempted"] + paper["left out"]
        assert paper["attempted"] == paper["equal"] + paper["explained"]
    validation = cells(found["parts"]["validation"])
    assert validation["ASL", "Validation"]["computed"] == pytest.approx(11.3, abs=1.0)
    # Five files share an order; with that of ids there are six.
    orders = {row for row, column in validation if column == "TTR1"}
    assert {"order of ids", "order of Dai-et-al-2017 + 4", "order of Mun-et-al-2017"} < orders
    for name in ("Zhou-et-al-2017", "Dai-et-al-2017"):
        ratio = cells(found["parts"]["syntax"])[name, "PP ratio"]
        # Three standard errors of a mean of so many counts.
        assert ratio["computed"] == pytest.approx(ratio["published"], abs=3 * 0.75 / IMAGES**0.5)
        recall = cells(found["parts"]["local-recall"])[name, "Loc5"]
        assert recall["computed"] == pytest.approx(recall["published"], abs=0.2)


@pytest.mark.data
def test_a_sample_has_as_many_images_as_asked_and_is_recorded(few_images: Path) -> None:
    found = assess("reproduce", few_images, "--only", "people-captions", "--sample", 20, "--json").json
    whole = assess("reproduce", few_images, "--only", "people-captions", "--json").json
    assert (found["sample"], found["signature"]["settings"]["sample"]) == (20, 20)
    labels = [
        cells(run["parts"]["people-captions"])["Liu-et-al-2017", "#Labels"]["computed"]
        for run in (found, whole)
    ]
    assert 0 < labels[0] < labels[1]


def test_samples_are_labelled_and_their_counts_are_not_compared() -> None:
    part = Part("part", "Table 9", "tanti2018pregen", (), lambda data: Reproduced(()))
    result = Reproduced(
        (
            ComparedCell("a", "count", 1000, 10),
            ComparedCell("a", "ratio", 0.5, 0.504, 2),
            ComparedCell("b", "ratio", 0.5, math.nan, 2),
        ),
        ("A note",),
        "the tagger changed",
        (LeftOut("the rest", 2, "it is lost"),),
    )
    found = Reproduction(signature=Signature(), sample=10, outcomes={"part": Outcome(part, result)})
    table, papers = tables_of(found.sections(), "terminal")
    assert [cell.text for cell in papers.rows[0]] == ["Tanti et al. 2018", "5", "3", "1", "2", "2"]
    assert table.title == "SAMPLE of 10 images. Table 9"
    assert [cell.text for cell in table.rows[0]] == ["a", "1,000", "10", "", "0.50", "0.504", "="]
    assert [cell.text for cell in table.rows[1]] == ["b", "", "", "", "0.50", "–", "–"]
    assert table.notes == (
        "paper: as published; 1 of 3 cells are equal after rounding (=)",
        "Why some differ: the tagger changed",
        "Left out: the rest (2 cells): it is lost",
        "A note",
    )
    assert found.papers() == {
        "tanti2018pregen": {"printed": 5, "attempted": 3, "equal": 1, "explained": 2, "left out": 2}
    }
    whole, _ = tables_of(found.model_copy(update={"sample": None}).sections(), "terminal")
    assert whole.rows[0][3].text == "-990"


@pytest.mark.data
def test_the_report_fits_and_marks_equal_cells(shared_data: Path) -> None:
    done = assess("reproduce", shared_data, "--only", "people", "--sample", 10)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "45 of 45 cells are equal after rounding (=)" in done.stdout
    # The authors' counts are of all images, so that this part is no sample.
    assert done.stdout.startswith("People, Table 2: labels and modifiers\n")


@pytest.mark.data
def test_parts_without_their_data_say_what_is_missing(shared_data: Path, tmp_path: Path) -> None:
    shutil.copytree(shared_data / "people_grammar", tmp_path / "people_grammar")
    found = assess("reproduce", tmp_path, "--only", "people", "--only", "syntax", "--json").json["parts"]
    assert found["people"]["equal"] == 45
    assert found["syntax"]["missing"] == ["coco_val2014/systems", "coco_val2014/references.json.gz"]
    shown = assess("reproduce", tmp_path, "--only", "people", "--only", "syntax").stdout
    assert "not computed, as the data have no coco_val2014/systems" in " ".join(shown.split())


def test_an_unknown_part_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    assert "did you mean 'people'?" in assess("reproduce", tmp_path, "--only", "peple").stderr


CELLS = {
    "selection-example": 42,
    "people-numbers": 6,
    "pregen-small": 5,
    "pregen-correlations": 9,
    "pregen-best": 41,
}


@pytest.fixture(scope="module")
def parts(shared_data: Path) -> dict[str, dict[str, object]]:
    only = [argument for name in CELLS for argument in ("--only", name)]
    found: dict[str, dict[str, object]] = assess("reproduce", shared_data, *only, "--json").json["parts"]
    return found


@pytest.mark.parametrize("name", CELLS)
def test_every_published_cell_is_reproduced(parts: dict[str, dict[str, object]], name: str) -> None:
    assert parts[name]["equal"] == CELLS[name]
    cells = parts[name]["cells"]
    assert isinstance(cells, list)
    assert len(cells) == CELLS[name]


@pytest.mark.data
def test_findings_about_baselines_stand_beside_the_published_ones(shared_data: Path) -> None:
    part = assess("reproduce", shared_data, "--only", "selection-baselines", "--json").json["parts"]
    found = part["selection-baselines"]
    assert sum(line.startswith("k=") for line in found["notes"]) == 3 * 15
    assert any("people 0.612" in line for line in found["notes"])
    findings = {row: cell for (row, _), cell in cells(found).items()}
    assert findings["F of size is highest"]["published"] == "k = 4"
    assert findings["P: bigram beats unigram"]["equal"]
    assert not findings["F: all beat position"]["equal"]
    assert "not the paper's images" in found["because"]


@pytest.mark.data
def test_a_second_run_takes_the_same_cells_from_the_cache(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSESS_CACHE", str(tmp_path / "own" / "annotations.sqlite"))
    command = ("reproduce", shared_data, "--only", "people", "--only", "errors", "--json")
    first = assess(*command)
    ran = []
    monkeypatch.setattr(ResearchData, "run", lambda self, part: ran.append(part.name))
    assert assess(*command).stdout == first.stdout
    assert ran == []
