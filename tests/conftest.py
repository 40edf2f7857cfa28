"""Fixtures that several test files share."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Tests share their machine with others; a property is not false because it took a moment longer.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

# Tests neither read nor fill the user's own cache.
os.environ["ASSESS_CACHE"] = str(Path(tempfile.mkdtemp(prefix="assess-tests-")) / "annotations.sqlite")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of research data, which is never part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the research data (../shared/data) is not beside this checkout")
    return SHARED_DATA
