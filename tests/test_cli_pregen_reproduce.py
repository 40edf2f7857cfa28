"""The parts of `assess reproduce` on content selection and pre-gen metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import assess

pytestmark = [pytest.mark.data, pytest.mark.model]

CELLS = {
    "selection-example": 42,
    "selection-baselines": 2,
    "pregen-small": 5,
    "pregen-correlations": 9,
    "pregen-best": 40,
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


def test_the_table_of_baselines_is_printed(parts: dict[str, dict[str, object]]) -> None:
    why = parts["selection-baselines"]["why"]
    assert isinstance(why, list)
    assert sum(line.startswith("k=") for line in why) == 3 * 15
    assert any("people 0.612" in line for line in why)
