"""Every metric says where its definition comes from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assess.measures.diversity.compute import METRICS
from assess.measures.diversity.within_images import set_metrics
from assess.measures.recall.compute import local_metrics
from assess.measures.syntax.compute import MEASURES

BIBLIOGRAPHY = Path(__file__).resolve().parents[1] / "docs" / "references.bib"
CITED = {
    name: metric.reference
    for metrics in (METRICS, set_metrics(captions_per_image=2), local_metrics(classes=5), MEASURES)
    for name, metric in metrics.items()
}


@pytest.mark.parametrize("name", sorted(CITED))
def test_a_metric_cites_an_entry_of_the_bibliography(name: str) -> None:
    keys = re.findall(r"^@\w+\{(\w+),", BIBLIOGRAPHY.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert CITED[name] in keys
    assert len(keys) == len(set(keys))
