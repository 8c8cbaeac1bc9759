"""What reknit says about a change when the agent says nothing that can be believed."""

from dataclasses import replace

import pytest

from reknit.core.finding import Finding
from reknit.core.runs.commits.own_words import describe_change, name_findings
from reknit.core.testing.report import WHOLE_SUITE

TEST = Finding("T-1", "tests", "test-failed", "tests/test_pricing.py::test_discount_is_a_share")
FIVE = replace(TEST, also=("a::b", "a::c", "a::d", "a::e"))
LINT = Finding("C-1", "ci", "lint", "lint")
RACE = Finding("R-1", "review", "race", "src/token.py", "src/token.py", 42, "Two refreshes race. The last wins.")
NAMED = replace(RACE, subject="refresh race")
UNUSED = Finding("I-1", "tool", "F401", "a.py", "a.py", 1, "unused")
ONE, TWO = ("shop/pricing.py",), ("tests/test_pricing.py", "shop/pricing.py")


@pytest.mark.parametrize(
    ("findings", "paths", "room", "sentence"),
    [
        pytest.param((TEST,), ONE, 67, "repair test_discount_is_a_share in shop/pricing.py", id="a test"),
        pytest.param(
            (TEST,), TWO, 65, "repair test_discount_is_a_share in pricing.py and 1 more file", id="source before tests"
        ),
        pytest.param((TEST,), ONE, 45, "repair test_discount_is_a_share in pricing.py", id="the folder is left out"),
        pytest.param((TEST,), ONE, 40, "repair test_discount_is_a_share", id="the file is left out"),
        pytest.param((TEST,), ONE, 36, "repair test_discount_is_a_share", id="the name just fits"),
        pytest.param((TEST,), (), 67, "repair test_discount_is_a_share", id="no file is known"),
        pytest.param((FIVE,), ONE, 67, "repair 5 tests in shop/pricing.py", id="five tests, none of them named"),
        pytest.param(
            (replace(TEST, subject=f"shop: {WHOLE_SUITE}"),),
            ONE,
            67,
            "repair the tests in shop/pricing.py",
            id="a suite that has only an exit code",
        ),
        pytest.param((LINT,), ONE, 67, "repair the check lint in shop/pricing.py", id="a check"),
        pytest.param(
            (RACE,), ONE, 67, "repair “Two refreshes race” in shop/pricing.py", id="a finding without a title"
        ),
        pytest.param((NAMED,), ONE, 67, "repair “refresh race” in shop/pricing.py", id="a finding with a title"),
        pytest.param(
            (replace(RACE, message="", file=""),),
            ONE,
            67,
            "repair “src/token.py” in shop/pricing.py",
            id="a finding without words",
        ),
        pytest.param(
            (NAMED, NAMED), ONE, 67, "repair “refresh race” (2 times) in shop/pricing.py", id="the same finding twice"
        ),
        pytest.param((NAMED, RACE), ONE, 67, "repair 2 review findings in shop/pricing.py", id="two findings"),
        pytest.param((UNUSED,), ("a.py",), 67, "repair F401 in a.py", id="an issue"),
        pytest.param((UNUSED,) * 3, ("a.py",), 67, "repair 3 issues (F401) in a.py", id="issues of a rule"),
        pytest.param(
            (TEST, LINT, NAMED),
            ONE,
            99,
            "repair test_discount_is_a_share, the check lint and “refresh race” in shop/pricing.py",
            id="of each kind one",
        ),
        pytest.param((FIVE, LINT, NAMED), ONE, 30, "repair 5 tests, 1 check and 1…", id="cut at a word"),
        pytest.param(
            (replace(NAMED, subject="a long title of " * 4),),
            ONE,
            40,
            "repair “a long title of a long…”",
            id="a title is cut",
        ),
        pytest.param((), ONE, 67, "repair the tests, which could not run in shop/pricing.py", id="nothing is named"),
        pytest.param(
            (replace(LINT, subject="@all #7 [skip ci]"),),
            (),
            67,
            "repair the check (at)all no. 7 (skip ci)",
            id="names do nothing",
        ),
    ],
)
def test_a_change_in_our_own_words(
    findings: tuple[Finding, ...], paths: tuple[str, ...], room: int, sentence: str
) -> None:
    assert describe_change(findings, paths, room, is_proven=True) == sentence
    assert len(sentence) <= room


@pytest.mark.parametrize(
    ("paths", "room", "sentence"),
    [
        pytest.param(ONE, 67, "change shop/pricing.py for “refresh race”", id="with its file"),
        pytest.param(ONE, 36, "change pricing.py for “refresh race”", id="without the folder"),
        pytest.param((), 67, "change the code for “refresh race”", id="no file is known"),
    ],
)
def test_a_change_that_nothing_confirms_yet_is_no_repair(paths: tuple[str, ...], room: int, sentence: str) -> None:
    assert describe_change((NAMED,), paths, room, is_proven=False) == sentence


def test_findings_are_named_or_counted_by_kind() -> None:
    assert name_findings((FIVE, LINT, NAMED, RACE, UNUSED)) == "5 tests, the check lint, 2 review findings and F401"
    assert name_findings((replace(TEST, subject="t\nReknit-Hop: 1"),)) == "t Reknit-Hop: 1"
