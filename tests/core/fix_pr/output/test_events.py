"""What a pull-request run tells while it goes on."""

from dataclasses import replace

import pytest

from reknit.core.checks.status import CiResult, ReviewResult, TestsResult
from reknit.core.finding import Finding
from reknit.core.fix_pr.output import events
from reknit.core.fix_pr.push import NotPushed, Pushed
from reknit.core.fix_pr.state import Fix, Wait
from reknit.core.forge.permission import PullSnapshot
from reknit.core.forge.values import CiCheck, ForgeFailure, Pull
from reknit.core.runs.event import Event, Mark
from reknit.core.testing.proof import Proof
from tests.tools.pull_samples import (
    BETTER,
    FAILED,
    FIRST,
    GREEN,
    LINT,
    PASSED,
    PENDING,
    RACE,
    RED,
    TEST,
    THREAD,
    URL,
    turn,
)

PULL = Pull(
    412, URL, "Fix token refresh", "open", "dev", "MEMBER", "refresh", "a" * 40, "acme/shop", "https://h/acme/shop.git",
    "main", "b" * 40, "https://h/acme/shop.git", mergeable=True,
)  # fmt: skip
SIGHT = PullSnapshot("a" * 40, "b" * 40, 1)
FIX = Fix(3, ("tests", "ci"), (TEST, LINT), "local", "claude", "", only_critical=False)
MANY = tuple(replace(TEST, subject=f"t.py::t{number}") for number in range(4))


def test_a_document_is_one_line_of_json() -> None:
    assert events.to_json({"a": [1, "x y"]}) == '{"a":[1,"x y"]}'


def test_a_look_names_the_commit_and_what_bars_the_way() -> None:
    event = events.report_look(2, PULL, SIGHT)
    assert (event.label, event.text) == ("i2 look", "#412 Fix token refresh at aaaaaaa")
    assert event.data == {"iteration": 2, "head": "a" * 40, "base": "b" * 40, "pull": 412}
    barred = replace(SIGHT, barred=events.block_for_hops(PULL, 3))
    assert events.report_look(2, PULL, barred).text.startswith(
        "#412 Fix token refresh at aaaaaaa; 3 runs in a row have worked"
    )


@pytest.mark.parametrize(
    ("event", "mark", "text"),
    [
        pytest.param(events.report_tests(1, GREEN.tests), "ok", "212 passed", id="tests pass"),
        pytest.param(
            events.report_tests(1, BETTER.tests), "bad", "212 passed; 1 flaky", id="tests pass, one of them by luck"
        ),
        pytest.param(
            events.report_tests(1, TestsResult("fail", passed=3, left_out=((("t::a",), "no network", "ask for it"),))),
            "bad",
            "0 failed, 3 passed; left out: 1 test, not the code's fault (t::a): no network; ask for it",
            id="the environment broke one",
        ),
        pytest.param(
            events.report_tests(1, RED.tests), "bad", f"1 failed, 211 passed: {TEST.subject}", id="tests fail"
        ),
        pytest.param(
            events.report_tests(1, TestsResult("fail", MANY, 1, ("x",), seconds=61.0)),
            "bad",
            "4 failed, 1 passed; 1 flaky: t.py::t0, t.py::t1, t.py::t2 … 61 s",
            id="many tests fail, slowly",
        ),
        pytest.param(
            events.report_tests(1, TestsResult("error", why="no report")), "bad", "not seen: no report", id="no tests"
        ),
        pytest.param(events.report_ci(1, PASSED), "ok", "passed: 2/2", id="CI passes"),
        pytest.param(
            events.report_ci(1, CiResult("pass", why="this repository has no CI")),
            "note",
            "this repository has no CI",
            id="no CI",
        ),
        pytest.param(events.report_ci(1, FAILED), "bad", "red: lint", id="CI fails"),
        pytest.param(events.report_ci(1, PENDING), "wait", "not done: … 1/2", id="CI is on its way"),
        pytest.param(
            events.report_ci(1, CiResult("error", why="no check appeared")),
            "bad",
            "not seen: no check appeared",
            id="no checks",
        ),
        pytest.param(events.report_review(1, GREEN.review), "ok", "passed", id="the review passes"),
        pytest.param(
            events.report_review(1, RED.review),
            "bad",
            "2 finding(s): R-1 src/token.py:42 refresh race; R-2 api.py:9 needs a limit",
            id="the review finds something",
        ),
        pytest.param(
            events.report_review(1, ReviewResult("error", why="it crashed")),
            "bad",
            "not seen: it crashed",
            id="no review",
        ),
        pytest.param(events.report_review_start(1, "gemini"), "..", "gemini reviews", id="the review begins"),
        pytest.param(
            events.report_verification(1, TestsResult("pass", passed=9), ""),
            "ok",
            "9 passed with the fix",
            id="the fix holds",
        ),
        pytest.param(
            events.report_verification(1, RED.tests, "2 are red\nwhy"), "bad", "2 are red", id="the fix does not hold"
        ),
        pytest.param(
            events.report_push(3, "d" * 40, "refresh", "fix: it (iteration 3)"),
            "ok",
            "ddddddd to refresh fix: it (iteration 3)",
            id="pushed",
        ),
        pytest.param(
            events.report_rerun(CiCheck("e2e", "fail", "timed_out"), None),
            "wait",
            "e2e failed on CI infrastructure (timed_out); re-running",
            id="a check runs again",
        ),
        pytest.param(
            events.report_rerun(CiCheck("e2e", "fail", "timed_out"), ForgeFailure("forbidden", "403")),
            "bad",
            "e2e could not be re-run: 403",
            id="a check that may not run again",
        ),
        pytest.param(
            events.report_turn(FIRST),
            "ok",
            "review 1 critical, 1 important · tests 1 failed · ci lint › fixed tests (bbbbbbb) $0.31",
            id="a turn that landed",
        ),
        pytest.param(
            events.report_turn(turn(2, BETTER, "nothing landed")),
            "note",
            "review 1 critical · tests 212 passed, 1 flaky · ci lint › nothing landed $0.00",
            id="one that did not",
        ),
        pytest.param(
            events.report_turn(turn(3, GREEN, "PR CLEAN")),
            "ok",
            "review passed · tests 212 passed · ci 2/2 › PR CLEAN $0.00",
            id="the last",
        ),
        pytest.param(
            events.report_wait(Wait("ci", 30.0, 1), replace(GREEN, ci=PENDING), 9.0),
            "wait",
            "waiting for CI (1/2), looks again every 30 s",
            id="waiting for CI",
        ),
        pytest.param(
            events.report_wait(Wait("ci", 30.0, 1), replace(GREEN, ci=CiResult("pending")), 9.0),
            "wait",
            "waiting for CI (no check yet), looks again every 30 s",
            id="waiting for a first check",
        ),
        pytest.param(events.report_ci(1, CiResult("pending")), "wait", "not done: no check yet", id="CI has not begun"),
        pytest.param(
            events.report_review(1, ReviewResult("fail", (RACE,) * 4)),
            "bad",
            "4 finding(s): " + "; ".join(["R-1 src/token.py:42 refresh race"] * 3) + " …",
            id="a long review",
        ),
        pytest.param(
            events.report_wait(Wait("error", 30.0, 0), GREEN, 9.0),
            "wait",
            "some checks gave no result; looks again in 30 s",
            id="waiting for what was not seen",
        ),
        pytest.param(
            events.report_forge_wait(ForgeFailure("limited", "slow down"), 9.0, 60.0),
            "wait",
            "waiting for the forge's limit (slow down), retrying in 60 s",
            id="waiting for a limit",
        ),
        pytest.param(
            events.report_forge_wait(ForgeFailure("unreachable", "502"), 9.0, 5.0),
            "wait",
            "waiting for the forge (502), retrying in 5.0 s",
            id="waiting for the forge",
        ),
        pytest.param(
            events.report_failed_update(ForgeFailure("forbidden", "403")),
            "bad",
            "could not update the pull request: forbidden 403",
            id="untold",
        ),
    ],
)
def test_what_people_read(event: Event, mark: Mark, text: str) -> None:
    assert (event.mark, " ".join(event.text.split())) == (mark, " ".join(text.split()))


def test_what_programs_read_has_the_whole_of_it() -> None:
    assert events.report_tests(1, replace(RED.tests, output_tail="end")).data == {
        "iteration": 1, "check": "tests", "status": "fail", "passed": 211, "failed": [TEST.subject],
        "output_tail": "end",
    }  # fmt: skip
    checks = [{"name": "lint", "state": "pass", "url": ""}, {"name": "test", "state": "pass", "url": "https://ci/2"}]
    assert events.report_ci(1, PASSED).data["checks"] == checks
    found = events.report_review(1, ReviewResult("fail", (replace(RACE, message="x" * 600),))).data["findings"]
    assert found == [{"id": "R-1", "file": "src/token.py", "line": 42, "text": "x" * 500}]
    assert events.report_turn(FIRST).data == {
        "iteration": 1, "head": "a" * 40, "review": "fail", "tests": "fail", "ci": "fail", "did": "fixed tests",
        "commit": "b" * 40, "cost_usd": 0.31,
    }  # fmt: skip
    assert events.report_verification(3, GREEN.tests, "").data == {"attempt": 3, "holds": True}
    assert events.report_wait(Wait("ci", 30.0, 1), RED, 9.0).data == {"why": "ci", "until": 9.0}
    assert events.report_forge_wait(ForgeFailure("limited"), 9.0, 5.0).data == {"why": "forge limited", "until": 9.0}


def test_three_are_named_and_more_are_hinted_at() -> None:
    assert events.report_tests(1, TestsResult("fail", MANY[:3])).text.endswith(": t.py::t0, t.py::t1, t.py::t2")
    assert events.report_tests(1, TestsResult("fail", MANY)).text.endswith(": t.py::t0, t.py::t1, t.py::t2 …")


def test_of_a_long_review_only_the_first_are_listed() -> None:
    listed = events.report_review(1, ReviewResult("fail", (RACE,) * (events.LISTED + 1))).data["findings"]
    assert isinstance(listed, list)
    assert len(listed) == events.LISTED


def test_what_became_of_an_attempt() -> None:
    assert events.to_proof(None, ()) is None
    assert events.to_proof(Pushed("d" * 40), (TEST,)) == Proof("proven", "pushed as ddddddd", "junit")
    refused = NotPushed("the gate refused it", "tests may not go")
    still_red = Proof("still_red", "the gate refused it", "junit", output_tail="tests may not go")
    assert events.to_proof(refused, ()) == still_red
    tampering = NotPushed("tampering seen", "a copy passes too", refused=True)
    assert events.to_proof(tampering, ()) == Proof(
        "refused", "tampering seen", "junit", output_tail="a copy passes too"
    )
    by_luck = events.to_proof(NotPushed("UNPROVEN", "green without it", unproven=("t::a",)), (TEST,))
    assert by_luck is not None
    assert by_luck.word == "unproven"
    moved = NotPushed("the branch kept moving")
    assert events.to_proof(moved, ()) == Proof("unproven", "the branch kept moving", "junit")


def test_what_keeps_a_push_away_says_what_a_person_can_do() -> None:
    barred = events.block_for_protection("main", "GH006: protected " + "x" * 999)
    assert (barred.cause, barred.read_only) == ("protected", False)
    assert "GH006" in barred.sentence and "bypass" in barred.sentence and len(barred.sentence) < 600
    assert (
        "`reknit show r-1 --attempt 2 | git apply`" in events.block_for_protection("main", "GH006", "r-1", 2).sentence
    )
    hops = events.block_for_hops(PULL, 3)
    assert (hops.cause, hops.read_only) == ("hops", True)
    assert "(loop.hops)" in hops.sentence and "push a commit of your own" in hops.sentence


@pytest.mark.parametrize(
    ("findings", "text"),
    [
        pytest.param((TEST, LINT), "1 test, lint", id="a test and a check"),
        pytest.param((TEST, TEST, RACE, THREAD), "2 tests, 2 review findings", id="tests and a review"),
        pytest.param((), "tests that cannot run", id="nothing is named"),
    ],
)
def test_what_an_agent_works_on(findings: tuple[Finding, ...], text: str) -> None:
    assert events.describe_work(findings) == text


def test_a_finding_that_was_dealt_with_is_told_in_a_line() -> None:
    finding = Finding("R-1", "review", "crash", "a.py", "a.py", 3, "no prices:\ndivision by zero")
    assert events.format_finding_line(finding) == "a.py (a.py:3): no prices: division by zero"
