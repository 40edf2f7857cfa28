"""Properties use the same examples in every run."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import FUZZING


@pytest.mark.skipif(FUZZING in os.environ, reason="needs the usual examples, not those of make fuzz")
def test_examples_do_not_depend_on_the_run_or_on_what_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tried() -> list[tuple[int, str]]:
        found = []

        @given(st.integers(), st.text())
        def property_of_anything(number: int, text: str) -> None:
            found.append((number, text))

        property_of_anything()
        return found

    before = tried()
    constants = [f"constant number {number}" for number in range(500)]
    (tmp_path / "a_module_of_ours.py").write_text(
        f"NAMES = {constants}\nNUMBERS = {[*range(7_000, 7_500)]}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("a_module_of_ours")
    assert len(before) == 100
    assert tried() == before
