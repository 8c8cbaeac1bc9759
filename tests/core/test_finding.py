"""Fingerprints survive moved lines, other numbers, addresses and folders; weights say what is worth fixing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.finding import Finding, Weight, select_worth_fixing, sort_by_weight

FINDING = Finding("T-1", "tests", "test-failed", "tests/test_a.py::test_x", "tests/test_a.py", 7, "boom")
MESSAGE = "AssertionError: {number} != {other:.3f} in <Shop at 0x{address:x}>\n  /{folder}/shop.py:{line}: in total"
FOLDERS = st.text("abcdef-_.", min_size=1).map(lambda name: name + "/x")


@st.composite
def messages(draw: st.DrawFn) -> str:
    whole = st.integers(min_value=0)
    share = st.floats(min_value=0, max_value=1e6)
    return MESSAGE.format(
        number=draw(whole), other=draw(share), address=draw(whole), folder=draw(FOLDERS), line=draw(whole)
    )


@given(messages(), messages())
def test_the_fingerprint_survives_moved_lines_numbers_addresses_and_folders(before: str, after: str) -> None:
    assert replace(FINDING, message=before).fingerprint == replace(FINDING, message=after, line=99).fingerprint


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(FINDING, subject="tests/test_a.py::test_y"), id="another test"),
        pytest.param(replace(FINDING, rule="lint"), id="another rule"),
        pytest.param(replace(FINDING, source="ci"), id="another source"),
        pytest.param(replace(FINDING, file="tests/test_b.py"), id="another file"),
        pytest.param(replace(FINDING, message="another reason"), id="another reason"),
    ],
)
def test_another_finding_has_another_fingerprint(other: Finding) -> None:
    assert other.fingerprint != FINDING.fingerprint


@pytest.mark.parametrize(
    "same",
    [
        pytest.param(replace(FINDING, id="T-9"), id="another name inside the run"),
        pytest.param(replace(FINDING, line=70), id="another line"),
        pytest.param(replace(FINDING, suggestion="try this", effort_1_5=5), id="another suggestion"),
    ],
)
def test_what_is_not_the_failure_does_not_change_the_fingerprint(same: Finding) -> None:
    assert same.fingerprint == FINDING.fingerprint


def test_a_fingerprint_is_twenty_hex_digits() -> None:
    assert len(FINDING.fingerprint) == 20
    assert int(FINDING.fingerprint, 16) >= 0


@pytest.mark.parametrize(
    ("only_critical", "ids"),
    [
        pytest.param(False, ["R-2", "R-3", "R-4"], id="in their order, without the minor ones"),
        pytest.param(True, ["R-3"], id="critical only"),
    ],
)
def test_worth_fixing(*, only_critical: bool, ids: list[str]) -> None:
    assert [finding.id for finding in select_worth_fixing(weighted(), only_critical=only_critical)] == ids


def test_the_heaviest_come_first_and_equals_keep_their_order() -> None:
    assert [finding.id for finding in sort_by_weight(weighted())] == ["R-3", "R-2", "R-4", "R-1"]


def weighted() -> list[Finding]:
    weights: tuple[Weight, ...] = ("minor", "important", "critical", "important")
    return [replace(FINDING, id=f"R-{number}", weight=weight) for number, weight in enumerate(weights, 1)]
