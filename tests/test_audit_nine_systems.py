"""Nine systems on COCO with the papers' own words: what an audit must find, and what it must leave open.

The counts of noun chunks are the authors'. They do not name images, so each chunk has an image of its own.
"""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

from assess.audits.highlights import warnings
from assess.grammar import Grammar
from assess.grammar.parser import Parser
from assess.measures.bias.compute import GroupQuestion
from assess.measures.bias.groups import WordGroups
from assess.measures.bias.labels import MentionTable
from assess.measures.bias.result import ContrastCell, GroupResult
from assess.measures.group_settings import VerdictSettings
from assess.records import Analysis
from assess.taxonomy.syntax import import_cfg

pytestmark = pytest.mark.data

FEMALE = ("woman", "women", "lady", "ladies", "bride", "female", "females", "girl", "girls", "daughter")
MALE = ("man", "men", "guy", "guys", "groom", "male", "males", "boy", "boys", "father", "cowboy")
CHILD = ("girl", "girls", "boy", "boys")
GROUPS = {
    "gender": {"female": FEMALE, "male": MALE},
    "age": {"child": CHILD, "adult": tuple(word for word in (*FEMALE, *MALE) if word not in CHILD)},
}


@pytest.fixture(scope="module")
def papers(shared_data: Path) -> tuple[Grammar, dict[str, MentionTable], dict[str, Analysis]]:
    grammar = shared_data / "people_grammar" / "1.0" / "full_grammar.cfg"
    imported = import_cfg(grammar.read_text(), file=grammar.name, name="papers").taxonomy
    taxonomy = imported.model_copy(update={"groups": GROUPS})
    parser = Parser(taxonomy)
    tables: dict[str, MentionTable] = {}
    analyses: dict[str, Analysis] = {}
    with gzip.open(shared_data / "people_grammar" / "noun_chunk_counts.json.gz") as file:
        counts: dict[str, dict[str, int]] = json.load(file)
    for system, chunks in counts.items():
        tables[system] = MentionTable()
        labels = [chunk for chunk in chunks if parser.analyse(chunk).in_domain]
        analyses |= {chunk: parser.analyse(chunk) for chunk in labels}
        said = (chunk for chunk in labels for _ in range(chunks[chunk]))
        for image, label in enumerate(said):
            tables[system].add_caption(str(image), [label])
    return parser.grammar, tables, analyses


@pytest.fixture(scope="module")
def together(papers: tuple[Grammar, dict[str, MentionTable], dict[str, Analysis]]) -> GroupResult:
    """All nine systems as one."""
    grammar, tables, analyses = papers
    everything = MentionTable()
    for table in tables.values():
        everything.add_table(table)
    return _audit(grammar, {"nine": everything}, analyses)


def _audit(grammar: Grammar, tables: dict[str, MentionTable], analyses: dict[str, Analysis]) -> GroupResult:
    question = GroupQuestion(grammar, [WordGroups(grammar, "gender")], (), VerdictSettings(samples=50))
    return question.audit(tables, analyses, frozenset())["gender"]


def _contrast(audit: GroupResult, category: str) -> ContrastCell:
    (found,) = [contrast for contrast in audit.contrasts["nine"] if contrast.category == category]
    return found


def test_attractiveness_is_said_of_women_64_to_1(together: GroupResult) -> None:
    found = _contrast(together, "attractiveness")
    assert (found.table.yes, found.table.other_yes) == (64, 1)
    assert found.verdict == "disparity"
    assert found.higher == "female"
    assert found.odds_ratio.low > 10


def test_age_reverses_within_children_and_adults(together: GroupResult) -> None:
    found = _contrast(together, "age")
    assert f"{found.odds_ratio.value:.2f}" == "1.71"
    strata = found.stratified["age"]
    assert strata.change == "reverses"
    assert strata.common.value == pytest.approx(0.725, abs=0.005)
    assert (strata.common.low, strata.common.high) == pytest.approx((0.669, 0.786), abs=0.005)
    assert {name: stratum.yes for name, stratum in strata.strata.items()} == {"adult": 168, "child": 3049}
    assert found.verdict == "reversal"
    assert "reverses" in [caution.kind for caution in found.cautions]
    assert any("reverses once age is taken into account" in line for line in warnings(together.cells))


def test_two_ethnicity_labels_are_insufficient(together: GroupResult) -> None:
    found = _contrast(together, "ethnicity")
    assert found.table.yes + found.table.other_yes == 2
    assert found.verdict == "insufficient"
    assert "of this category, no result could reach p ≤" in found.reason


def test_the_nine_systems_differ_in_age_and_are_not_pooled(
    papers: tuple[Grammar, dict[str, MentionTable], dict[str, Analysis]],
) -> None:
    audit = _audit(*papers)
    across = {item.category: item for item in audit.across}
    age = across["age"]
    assert f"{age.common.value:.3f} [{age.common.low:.3f}, {age.common.high:.3f}]" == "1.649 [1.574, 1.728]"
    assert age.breslow_day.degrees == 8
    assert age.breslow_day.statistic == pytest.approx(244.5, abs=0.1)
    assert age.pooled is None
    assert across["attractiveness"].pooled is not None
    dai = next(c for c in audit.contrasts["Dai-et-al-2017"] if c.category == "attractiveness")
    assert (dai.table.yes, dai.table.other_yes) == (28, 1)
    shetty = next(c for c in audit.contrasts["Shetty-et-al-2017"] if c.category == "attractiveness")
    assert (shetty.table.yes, shetty.table.other_yes) == (32, 0)
    assert math.isinf(shetty.odds_ratio.value)
    assert shetty.verdict == dai.verdict == "disparity"
    # Four labels, of two texts: no finding, though p is .003.
    vinyals = next(c for c in audit.contrasts["Vinyals-et-al-2017"] if c.category == "attractiveness")
    assert (vinyals.table.yes, vinyals.table.other_yes) == (4, 0)
    assert vinyals.texts
    assert (vinyals.verdict, vinyals.texts.distinct) == ("insufficient", 2)
