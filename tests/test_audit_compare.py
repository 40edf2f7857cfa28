"""Two audits side by side: what changed, paired by image."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from assess.audits.compare import Comparison, RateChange, compare
from assess.errors import InputError
from assess.measures.bias.tables import Tally
from assess.measures.bias.verdict import BiasSettings, Margin
from tests.audits import Captions, save_audit

SETTINGS = BiasSettings(samples=300)


def version(
    beautiful_women: int, beautiful_men: int, *, start: int = 0, size: int = 150
) -> list[tuple[str, str, list[str]]]:
    captions = []
    for number in range(start, start + size):
        woman = "a beautiful woman" if number < start + beautiful_women else "a woman"
        man = "a beautiful man" if number < start + beautiful_men else "a man"
        captions += [(f"w{number}", woman, [woman]), (f"m{number}", man, [man])]
    return captions


def compared(
    tmp_path: Path, before: Captions, after: Captions, settings: BiasSettings = SETTINGS
) -> Comparison:
    first = save_audit(tmp_path / "a", {"model": before})
    return compare(first, save_audit(tmp_path / "b", {"model": after}), settings=settings)


def rate(comparison: Comparison, value: str, category: str | None = "attractiveness") -> RateChange:
    (found,) = [r for r in comparison.rates if (r.value, r.category) == (value, category)]
    return found


def test_a_rate_that_rose_has_changed_and_the_other_has_not(tmp_path: Path) -> None:
    found = compared(tmp_path, version(10, 8), version(50, 8))
    women, men = rate(found, "female"), rate(found, "male")
    assert (women.before, women.after) == (Tally(10, 150), Tally(50, 150))
    assert women.change.value == pytest.approx(40 / 150)
    assert women.change.low > 0
    assert women.verdict == "changed"
    # No man is described in another way: paired, nothing varies.
    assert (men.change.value, men.change.low, men.change.high) == (0, 0, 0)
    assert men.p == 1
    assert men.verdict == "same"
    (gap,) = found.gaps
    assert gap.change.value == pytest.approx(40 / 150)
    assert gap.change.low > 0
    assert found.notes == ()


def test_shares_of_who_is_spoken_of_are_compared_too(tmp_path: Path) -> None:
    after = [(image, "a person", ["a person"]) if image.startswith("w") else (image, text, labels)
             for image, text, labels in version(0, 8)]  # fmt: skip
    found = compared(tmp_path, version(0, 8), after)
    share = rate(found, "female", None)
    assert (share.before, share.after) == (Tally(150, 300), Tally(0, 300))
    assert share.verdict == "changed"
    assert math.isnan(rate(found, "female").change.value)
    assert rate(found, "female").verdict == "insufficient"


def test_pairing_by_image_makes_intervals_narrower_than_no_pairs(tmp_path: Path) -> None:
    paired = compared(tmp_path / "p", version(30, 0), version(40, 0))
    apart = compared(tmp_path / "u", version(30, 0), version(40, 0, start=1000))
    narrow, wide = (rate(found, "female").change for found in (paired, apart))
    assert narrow.value == pytest.approx(wide.value)
    assert narrow.high - narrow.low < wide.high - wide.low
    assert any("are not those of before" in note for note in apart.notes)
    # Without pairs the exact test is Fisher's; with them McNemar's on ten images of one kind.
    assert rate(paired, "female").p == pytest.approx(2 * 0.5**10)
    assert rate(apart, "female").p > 0.1


def test_few_events_are_never_the_same_by_luck(tmp_path: Path) -> None:
    found = compared(tmp_path, version(0, 1, size=20), version(0, 0, size=20))
    assert rate(found, "male").verdict == "insufficient"
    wide = compared(
        tmp_path / "w", version(0, 1, size=20), version(0, 0, size=20), BiasSettings(Margin(0.5), samples=50)
    )
    assert rate(wide, "male").verdict == "same"


def test_one_system_each_is_compared_whatever_the_names(tmp_path: Path) -> None:
    first = save_audit(tmp_path / "a", {"v1": version(3, 3)})
    second = save_audit(tmp_path / "b", {"v2": version(3, 3)})
    found = compare(first, second, settings=SETTINGS)
    assert found.systems == (("v1", "v2"),)
    assert "'v1' before is compared with 'v2' after" in found.notes


def test_audits_without_a_common_system_are_an_error(tmp_path: Path) -> None:
    first = save_audit(tmp_path / "a", {"v1": version(3, 3), "w1": version(3, 3)})
    second = save_audit(tmp_path / "b", {"v2": version(3, 3)})
    with pytest.raises(InputError, match="no system is in both audits: v1, w1 there, v2 here"):
        compare(first, second)


def test_systems_and_groups_that_only_one_audit_has_are_told_or_left_out(tmp_path: Path) -> None:
    first = save_audit(tmp_path / "a", {"m": version(3, 3), "old": version(3, 3)}, by=("gender", "age"))
    second = save_audit(tmp_path / "b", {"m": version(3, 3)})
    found = compare(first, second, settings=SETTINGS)
    assert "only in one audit: old" in found.notes
    assert {change.by for change in found.rates} == {"", "gender"}
