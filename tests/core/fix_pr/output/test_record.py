"""The record of a pull-request run: made, kept, read back."""

from dataclasses import asdict, replace

import pytest

from reknit.core.checks.status import ReviewResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.output.record import (
    MAX_REMAINING,
    IterationRecord,
    Record,
    RemainingFinding,
    fold_repeats,
    read_record,
    summarize_finding,
    to_record,
)
from tests.tools.pull_samples import (
    BETTER,
    COURSE,
    GREEN,
    LINT,
    NEW,
    PENDING,
    RACE,
    RED,
    SECOND,
    STUCK,
    TEST,
    stored,
)

TOKEN = "ghp_" + "a" * 36


@pytest.mark.parametrize("checks", [None, GREEN, RED], ids=["nothing seen", "all green", "all red"])
def test_a_record_is_read_back_as_it_was_kept(checks: ChecksSnapshot | None) -> None:
    record = to_record(COURSE, checks)
    assert read_record(stored(asdict(record))) == record


def test_a_run_that_has_seen_nothing_has_an_empty_record() -> None:
    assert read_record({}) == Record()
    assert (Record().under_way, Record().looks) == (1, ())


def test_the_heaviest_is_left_first_and_what_is_minor_is_not_left() -> None:
    record = to_record(NEW, RED)
    assert [left.id for left in record.left] == ["T-1", "C-1", "R-1", "R-2"]
    assert (record.critical, record.important) == (3, 1)
    assert record.left[3] == RemainingFinding(
        "R-2", "review", "important", "api.py", 9, "needs a limit", "octocat", "review x"
    )


def test_what_is_left_is_bounded_and_still_counted() -> None:
    many = tuple(replace(RACE, id=f"R-{number}") for number in range(80))
    record = to_record(NEW, replace(GREEN, review=ReviewResult("fail", many)))
    assert (len(record.left), record.critical) == (MAX_REMAINING, 80)


@pytest.mark.parametrize(
    ("left", "place"),
    [
        pytest.param(RemainingFinding("R-1", "review", "critical", "a.py", 3, "", ""), "a.py:3", id="file and line"),
        pytest.param(RemainingFinding("R-1", "review", "critical", "a.py", 0, "", ""), "a.py", id="only a file"),
        pytest.param(RemainingFinding("T-1", "tests", "critical", "", 0, "", ""), "", id="neither"),
    ],
)
def test_a_place(left: RemainingFinding, place: str) -> None:
    assert left.place == place


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        pytest.param(RACE, "refresh race", id="a review in its own words"),
        pytest.param(replace(RACE, message=" "), "src/token.py", id="a review without words by its subject"),
        pytest.param(TEST, "tests/test_auth.py::test_refresh: KeyError: 'exp'", id="a test with its first words"),
        pytest.param(LINT, "lint: a.py:1: E501", id="a check with its first words"),
        pytest.param(replace(LINT, message=""), "lint", id="a check that said nothing"),
        pytest.param(replace(TEST, message=f"x {TOKEN} " * 9), None, id="a secret that a cut would have hidden"),
    ],
)
def test_a_finding_in_one_line(finding: Finding, expected: str | None) -> None:
    line = summarize_finding(finding)
    assert line == expected if expected else "ghp_" not in line


def test_a_look_that_no_turn_was_made_of_is_open() -> None:
    record = to_record(COURSE, GREEN)
    assert record.open == IterationRecord(3, "c" * 40, "pass", "pass", "pass", ("passed", "212 passed", "2/2"))
    assert [look.number for look in record.looks] == [1, 2, 3]
    assert (record.under_way, record.commits) == (3, ("b" * 40, "c" * 40))


def test_the_picture_a_turn_was_made_of_is_not_open() -> None:
    assert to_record(COURSE, BETTER).open is None
    assert to_record(COURSE, replace(BETTER, ci=PENDING)).open is not None


def test_looks_that_repeat_become_one_row() -> None:
    rows = fold_repeats(to_record(STUCK, None).turns)
    assert [numbers for numbers, _ in rows] == ["1", "2-4"]
    assert rows[1][1].cost_usd == pytest.approx(0.3)


def test_a_look_that_pushed_is_never_folded() -> None:
    twice = replace(COURSE, turns=(SECOND, replace(SECOND, number=3)))
    assert [numbers for numbers, _ in fold_repeats(to_record(twice, None).turns)] == ["2", "3"]
    then_nothing = replace(COURSE, turns=(SECOND, replace(SECOND, number=3, commit="")))
    assert [numbers for numbers, _ in fold_repeats(to_record(then_nothing, None).turns)] == ["2", "3"]
