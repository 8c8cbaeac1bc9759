"""Stalls: the same failures, look after look."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reknit.core.finding import Finding
from reknit.core.fix_pr.stall import is_stalled, signature

TEST = Finding("T-1", "tests", "test-failed", "tests/test_a.py::test_x", "tests/test_a.py", 3, "assert 1 == 2")
LINT = Finding("C-1", "ci", "lint", "lint", message="a.py:1: F401")
REVIEW = Finding("R-1", "review", "correctness", "", "src/a.py", 12, "a race", weight="important")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param(
            [TEST], [replace(TEST, id="T-9", line=40, message="KeyError")], True, id="lines and messages move"
        ),
        pytest.param([TEST, LINT], [LINT, TEST], True, id="the order does not matter"),
        pytest.param([TEST], [replace(TEST, subject="tests/test_a.py::test_y")], False, id="another test"),
        pytest.param([TEST], [replace(TEST, file="elsewhere.py")], True, id="a test is known by its name"),
        pytest.param([REVIEW], [replace(REVIEW, file="src/b.py")], False, id="another file"),
        pytest.param([REVIEW], [replace(REVIEW, rule="style")], False, id="another rule"),
        pytest.param([REVIEW], [replace(REVIEW, source="tool")], False, id="another source"),
        pytest.param([REVIEW], [REVIEW, REVIEW], False, id="one finding of a file became two"),
        pytest.param([TEST, REVIEW], [TEST], False, id="one of two is gone"),
        pytest.param([TEST, replace(REVIEW, weight="minor")], [TEST], True, id="minor findings come and go"),
    ],
)
def test_a_signature_names_what_fails(one: list[Finding], other: list[Finding], same: bool) -> None:
    assert (signature(one) == signature(other)) is same


def test_nothing_that_fails_has_no_signature() -> None:
    assert signature([]) == ""
    assert signature([replace(REVIEW, weight="minor")]) == ""


def test_a_signature_survives_any_name() -> None:
    assert signature([replace(TEST, subject="\udcff")]) != signature([replace(TEST, subject="x\0y")])


def test_a_signature_is_the_same_on_every_machine() -> None:
    assert signature([TEST, LINT]) == "0b3b2cbfd7ab255f4253"


@pytest.mark.parametrize(
    ("signatures", "after", "stalled"),
    [
        pytest.param(["a", "a", "a"], 3, True, id="three times the same"),
        pytest.param(["b", "a", "a", "a"], 3, True, id="only the last ones count"),
        pytest.param(["a", "a"], 3, False, id="too few looks"),
        pytest.param(["a", "b", "a"], 3, False, id="something changed in between"),
        pytest.param(["a", "a", "a", "b"], 3, False, id="the last look saw something else"),
        pytest.param(["", "", ""], 3, False, id="nothing failed"),
        pytest.param(["a"], 1, True, id="at the first sight, when asked to"),
        pytest.param([], 1, False, id="no look at all"),
        pytest.param(["a", "a"], 0, False, id="zero is never reached"),
    ],
)
def test_a_stall_is_the_same_failure_in_a_row(signatures: list[str], after: int, stalled: bool) -> None:
    assert is_stalled(signatures, after) is stalled


@given(st.lists(st.sampled_from(["", "a", "b"]), max_size=8), st.integers(1, 4))
def test_a_stall_ends_with_the_first_other_failure(signatures: list[str], after: int) -> None:
    assert not is_stalled([*signatures, "c"], max(after, 2))
    assert is_stalled([*signatures, *["c"] * after], after)
