from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.capability import StoredRun
from reknit.core.fix_tests.capability import (
    FIX_TESTS,
    build_limits_document,
    build_state_document,
    describe_proof,
    render_ending,
    render_heading,
    render_limits,
    render_receipt,
)
from reknit.core.fix_tests.task import FixTests
from reknit.core.runs.limits import Limits
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from tests.core.test_run_text import ATTEMPT, LIVE, RECEIPT, REFUSED, RUN


def test_it_lands_on_a_branch_and_its_steps_are_shown_in_words() -> None:
    assert (FIX_TESTS.lands, FIX_TESTS.phases["attempt"], FIX_TESTS.runs_tests) == ("branch", "the agent works", True)


SPEC = RunSpec(
    "r-1",
    "/shop",
    "a" * 40,
    FixTests(),
    TestCommand("pytest", ("pytest",), "junit"),
    (AgentSettings("claude", "claude"), AgentSettings("codex", "codex")),
    limits=Limits(attempts=2, budget_usd=1.5),
)


def test_the_caps_are_told_before_anything_is_spent() -> None:
    assert render_heading(SPEC) == ["r-1  claude, then codex, at most 2 attempts per test and $1.50"]
    of_bug = replace(SPEC, task=replace(SPEC.task_as(FixTests), bug="BUG-001"))
    assert render_heading(of_bug)[0].startswith("r-1  BUG-001: claude, then codex")


def test_the_end_of_a_fixed_run_says_what_is_fixed_and_why_that_may_be_believed() -> None:
    fixed = StoredRun(RUN, [REFUSED, ATTEMPT], [RECEIPT])
    assert render_ending(fixed, 0) == (
        "FIXED  1 of 1   2 attempts, 42 s, $0.50 of $5.00\n"
        "  fixed   t::one, t::two in ccccccc\n"
        "  proof   the 2 tests failed before, passed every time after, and fail again without the change\n"
        "  tried   attempt 1 was refused [test-removed]: it removed t::one"
    )
    of_bug = StoredRun(replace(RUN, spec={"task": {"bug": "BUG-001"}}), [ATTEMPT], [RECEIPT])
    assert render_ending(of_bug, 0).startswith("FIXED  BUG-001  1 of 1   1 attempt")


def test_what_a_person_allowed_is_told_beside_the_proof_and_refusals_are_counted() -> None:
    allowed = {**RECEIPT, "allowed": ["secret-added:a.py allowed by a person (--allow)"]}
    lines = render_ending(StoredRun(RUN, [REFUSED] * 5, [allowed, allowed]), 0).splitlines()
    assert [line for line in lines if "allowed" in line] == [
        "  allowed  secret-added:a.py allowed by a person (--allow)"
    ]
    assert lines[-1] == "          and 2 more: reknit show r-1"


@pytest.mark.parametrize(
    ("more", "proof"),
    [
        pytest.param({"tests": ["t"]}, "it failed before, passed every time after, and fails again", id="one test"),
        pytest.param({"evidence": "exit code"}, "without the change, judged by the exit code alone", id="exit code"),
        pytest.param({"checks": ["twins held: x", "canaries held: y"]}, "; 2 tamper checks held", id="checks"),
        pytest.param({"checks": ["twins no verdict: x"]}, "fail again without the change", id="no verdict"),
    ],
)
def test_the_proof_is_one_sentence(more: dict[str, object], proof: str) -> None:
    assert proof in describe_proof([{**RECEIPT, **more}])


def test_the_end_of_another_run_says_why() -> None:
    run = replace(RUN, ending="CLEAN", reason="3 tests pass", detail={}, ended_at=None)
    assert render_ending(StoredRun(run), 0) == "CLEAN   0 attempts, 0.0 s, $0.50 of $5.00\n  why     3 tests pass"


def test_what_a_run_would_do_and_cost_at_most_is_told() -> None:
    lines = render_limits(SPEC, ["codex (no key)"], 0)
    assert lines == [
        "aaaaaaa: nothing was started and no model was called",
        "  tests     pytest",
        "  repairs   every red test",
        "  who       claude, then codex; cannot start: codex (no key)",
        "  cost      at most $1.50 in all; at most 2 attempts for each cause of red tests",
        "  time      at most 45m00s of work",
    ]
    named = replace(SPEC, task=FixTests(("t::one", "t::two")))
    assert render_limits(named, [], 0)[2:4] == ["  repairs   t::one, t::two", "  who       claude, then codex"]
    document = build_limits_document(named, [])
    assert (document["highest_cost_usd"], document["named_tests"]) == (1.5, ["t::one", "t::two"])


def test_a_receipt_says_how_the_tests_were_seen() -> None:
    assert render_receipt({**RECEIPT, "tests": "all"}) == [
        "tests        all, seen by junit",
        "red before   was red",
        "green after  is green",
        "red without  red again",
    ]


def test_a_receipt_says_what_a_hold_out_said() -> None:
    assert render_receipt({**RECEIPT, "holdout": "agreed:\n1"})[-1] == "hold-out     agreed: 1"
    assert not any("hold-out" in line for line in render_receipt({**RECEIPT, "holdout": ""}))


ASKED = {"task": {"bug": "BUG-001", "named_tests": ["tests/test_a.py"]}, "limits": {"attempts": 2}}
SECOND = replace(ATTEMPT, number=2, strategy="search")
THIRD = replace(ATTEMPT, number=3, strategy="deep", ended_at=None, proof=None, outcome=None)


def test_a_run_that_works_shows_the_attempt_under_way_and_what_the_last_one_ended_with() -> None:
    assert build_state_document(StoredRun(replace(LIVE, spec=ASKED), [REFUSED, replace(SECOND, ended_at=None)])) == {
        "bug_id": "BUG-001",
        "test_path": "tests/test_a.py",
        "attempt": 2,
        "max_attempts": 2,
        "status": "in_progress",
        "strategy": "web_search",
        "last_error": "refused [test-removed]: it removed t::one",
        "history": [{"attempt": 1, "strategy": "local", "result": "refused [test-removed]: it removed t::one"}],
    }


def test_the_last_error_is_what_the_test_said_at_the_last_attempt() -> None:
    red = replace(ATTEMPT, proof={"word": "still_red", "sentence": "1 is red", "output_tail": "x\nE   assert 1 == 2\n"})
    run = replace(RUN, ending="DEFERRED", reason="why", spec=ASKED)
    assert build_state_document(StoredRun(run, [red]))["last_error"] == "assert 1 == 2"
    assert build_state_document(StoredRun(run, [red, replace(REFUSED, number=2)]))["last_error"] == "why"


def test_a_run_that_has_not_begun_is_in_progress_with_the_first_strategy() -> None:
    state = build_state_document(StoredRun(replace(LIVE, spec={})))
    assert (state["bug_id"], state["test_path"], state["max_attempts"]) == ("r-1", "", 3)
    assert (state["attempt"], state["strategy"], state["last_error"], state["history"]) == (0, "local", "", [])


def test_a_third_attempt_under_way_is_not_in_the_history() -> None:
    state = build_state_document(StoredRun(replace(LIVE, spec=ASKED), [ATTEMPT, SECOND, THIRD]))
    assert (state["attempt"], state["strategy"], len(state["history"])) == (3, "deep_investigation", 2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ending", "status", "error"),
    [
        ("FIXED", "FIXED", ""),
        ("CLEAN", "FIXED", ""),
        ("DEFERRED", "DEFERRED", "why"),
        ("BLOCKED", "DEFERRED", "why"),
        ("UNVERIFIED", "DEFERRED", "why"),
        ("FAILED", "DEFERRED", "why"),
    ],
)
def test_only_a_test_that_was_seen_to_pass_is_fixed(ending: str, status: str, error: str) -> None:
    state = build_state_document(StoredRun(replace(RUN, ending=ending, reason="why", spec=ASKED), [ATTEMPT]))
    assert (state["status"], state["last_error"]) == (status, error)
