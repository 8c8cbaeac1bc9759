"""What became of each finding is said only as far as the last checks know it."""

from dataclasses import asdict, replace

import pytest

from reknit.core.checks.status import ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.checks import ChecksSnapshot
from reknit.core.fix_pr.output.fixes import (
    MAX_FILES,
    FixRecord,
    describe_tries,
    read_fixes,
    to_fix_record,
    trace_findings,
)
from reknit.core.fix_pr.output.record import MAX_REMAINING, Record, to_record
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix
from tests.tools.pull_samples import BETTER, FIRST, GREEN, LINT, NEW, PENDING, RACE, RED, TEST, THREAD, stored, turn

MOVE = Fix(1, ("tests",), (TEST, LINT), "local", "claude", "", only_critical=False)
AFTER = replace(NEW, turns=(FIRST,), head="b" * 40)


def pushed(*findings: Finding, number: int = 1, proven: tuple[str, ...] = ()) -> FixRecord:
    move = replace(MOVE, number=number, findings=findings)
    return to_fix_record(move, Pushed("b" * 40), "fix: x (iteration 1)", ["a.py"], proven)


def test_a_record_has_the_words_of_the_commit_and_its_files() -> None:
    files = [f"{number}.py" for number in range(MAX_FILES + 2)]
    fix = to_fix_record(MOVE, Pushed("b" * 40), "fix: read the expiry (iteration 1)", files, [TEST.subject, "lint"])
    assert (fix.commit, fix.brief, fix.why, fix.count) == ("b" * 40, "read the expiry", "", 2)
    assert fix.files[-2:] == (f"{MAX_FILES - 1}.py", "and 2 more")
    assert fix.proven == (f"tests {TEST.subject}",)
    assert read_fixes(stored({"fixes": [asdict(fix)]})) == (fix,)
    assert read_fixes({}) == ()


def test_a_fix_that_did_not_land_has_its_reason() -> None:
    fix = to_fix_record(MOVE, NotPushed("the gate\nrefused it"))
    assert (fix.commit, fix.files, fix.why) == ("", (), "the gate refused it")


def record_of(checks: ChecksSnapshot) -> Record:
    return to_record(AFTER, replace(checks, head="b" * 40))


NO_REVIEW = replace(GREEN, review=ReviewResult("error", why="it crashed"))
REWORDED = replace(GREEN, review=ReviewResult("fail", (replace(RACE, message="the same in other words"),)))
MANY = tuple(replace(TEST, subject=f"t::{number}") for number in range(MAX_REMAINING + 1))


@pytest.mark.parametrize(
    ("finding", "proven", "checks", "proof", "doubt"),
    [
        pytest.param(TEST, (), GREEN, "the test passes now", "", id="a test passes"),
        pytest.param(TEST, (TEST.subject,), GREEN, "the test fails without the change", "", id="a test is proven"),
        pytest.param(
            TEST, (TEST.subject,), BETTER, "the test fails without the change", "", id="proven, and another is flaky"
        ),
        pytest.param(TEST, (TEST.subject,), RED, "", "still reported", id="proven, and red again"),
        pytest.param(TEST, (), BETTER, "", "its check gave no result", id="the tests give no result"),
        pytest.param(LINT, (), GREEN, "the check passes now", "", id="a check passes"),
        pytest.param(LINT, (), BETTER, "", "still reported", id="a check is red again"),
        pytest.param(
            LINT, (), replace(GREEN, ci=PENDING), "", "its check has no result yet", id="a check is not done"
        ),
        pytest.param(RACE, (), GREEN, "the review no longer reports it", "", id="the review is content"),
        pytest.param(RACE, (), NO_REVIEW, "", "its check gave no result", id="the review gives no answer"),
        pytest.param(
            RACE, (), REWORDED, "", "not reported in these words any more", id="the review may say it in other words"
        ),
        pytest.param(THREAD, (), REWORDED, "the change answers it; its author decides", "", id="a remark of a person"),
        pytest.param(
            replace(LINT, source="tool"), (), GREEN, "", "not checked", id="a source that is not checked"
        ),
        pytest.param(
            TEST, (), replace(GREEN, tests=TestsResult("fail", MANY)), "",
            "not reported in these words any more", id="the list of what remains is cut",
        ),
    ],
)  # fmt: skip
def test_a_finding_after_the_checks_of_its_commit(
    finding: Finding, proven: tuple[str, ...], checks: ChecksSnapshot, proof: str, doubt: str
) -> None:
    (entry,) = trace_findings(record_of(checks), [pushed(finding, proven=proven)])
    assert (entry.proof, entry.doubt) == (proof, doubt)


def test_before_the_next_checks_only_a_proof_counts() -> None:
    record = to_record(replace(NEW, turns=(FIRST,), head=RED.head), RED)
    entries = trace_findings(record, [pushed(TEST, LINT, proven=(TEST.subject,))])
    assert [(entry.proof, entry.doubt) for entry in entries] == [
        ("the test fails without the change", ""), ("", "not checked since"),
    ]  # fmt: skip
    assert trace_findings(Record(), [pushed(LINT)])[0].doubt == "not checked since"


def test_a_finding_of_several_fixes_is_one_with_all_its_commits() -> None:
    second = turn(2, RED, "fix CI", "c" * 40)
    record = to_record(replace(NEW, turns=(FIRST, second), head="d" * 40), replace(GREEN, head="d" * 40))
    refused = to_fix_record(replace(MOVE, number=2, findings=(LINT,)), NotPushed("refused"))
    (entry,) = trace_findings(record, [pushed(LINT), refused, pushed(LINT, number=3)])
    assert [fix.number for fix in entry.fixes] == [1, 2, 3]
    assert [fix.number for fix in entry.commits] == [1, 3]


def test_tries_are_named_and_the_earlier_ones_counted() -> None:
    refused = to_fix_record(replace(MOVE, number=2), NotPushed("the gate refused it"))
    silent = to_fix_record(replace(MOVE, number=3), NotPushed(""))
    assert describe_tries([]) == ""
    assert describe_tries([pushed(LINT), refused, silent]) == (
        "tried in iteration 1 (bbbbbbb), 2 (the gate refused it), 3 (nothing landed)"
    )
    assert describe_tries([pushed(LINT), refused, silent], most=1).endswith("3 (nothing landed) after 2 more")


def test_a_fix_that_did_not_land_leaves_what_the_last_checks_reported() -> None:
    refused = to_fix_record(replace(MOVE, number=2, findings=(LINT,)), NotPushed("refused"))
    record = to_record(replace(NEW, turns=(FIRST, turn(2, BETTER, "nothing landed")), head=BETTER.head), BETTER)
    assert trace_findings(record, [refused])[0].doubt == "still reported"
