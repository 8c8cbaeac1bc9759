from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.capability import StoredRun
from reknit.core.fix_tests.run_text import ending_text, heading, receipt_lines
from reknit.core.runs.ending import NO_SUCH_TEST
from reknit.core.runs.limits import Limits
from reknit.core.runs.spec import RunSpec
from reknit.core.runs.view import AttemptView
from reknit.core.testing.command import TestCommand
from tests.core.test_run_text import ATTEMPT, RECEIPT, RUN

SPEC = RunSpec(
    "r-1", "fix tests", "/shop", "a" * 40, TestCommand("pytest", ("pytest",), "junit"), (),
    AgentSettings("claude", "claude"), limits=Limits(attempts=2, budget_usd=1.5),
    fallback=(AgentSettings("codex", "codex"),),
)  # fmt: skip


def test_the_caps_are_told_before_anything_is_spent() -> None:
    assert heading(SPEC) == ["r-1  claude, then codex, at most 2 attempts per test and $1.50"]


def test_the_end_of_a_fixed_run_names_commit_merge_and_undo() -> None:
    assert ending_text(StoredRun(RUN, [ATTEMPT], [RECEIPT]), 0) == (
        "FIXED  1 of 1   1 attempt(s), 42 s, $0.50 of $5.00\n"
        "  commit  ccccccc on reknit/r-1   t::one, t::two   (junit)\n"
        "  next    reknit show r-1\n          git merge reknit/r-1\n          reknit undo r-1"
    )
    by_exit_code = StoredRun(RUN, [ATTEMPT], [{**RECEIPT, "evidence": "exit code"}])
    assert "t::one, t::two   (by exit code)\n" in ending_text(by_exit_code, 0)


def test_the_end_of_another_run_says_why_and_what_explains_it() -> None:
    run = replace(RUN, ending="CLEAN", reason="3 tests pass", detail={}, ended_at=None)
    assert ending_text(StoredRun(run), 0) == (
        "CLEAN   0 attempt(s), 0.0 s, $0.50 of $5.00\n  why     3 tests pass\n  next    reknit explain r-1"
    )


@pytest.mark.parametrize(
    ("ending", "cause", "attempts", "step"),
    [
        pytest.param("BLOCKED", "environment", [], "reknit fix tests    after you have fixed that", id="BLOCKED"),
        pytest.param("UNVERIFIED", "", [ATTEMPT], "reknit doctor --compare    shows whether", id="UNVERIFIED"),
        pytest.param("DEFERRED", "", [ATTEMPT, ATTEMPT], "reknit show r-1 --attempt 2    shows the", id="DEFERRED"),
    ],
)
def test_the_end_of_a_run_without_a_fix_says_what_to_do(
    ending: str, cause: str, attempts: list[AttemptView], step: str
) -> None:
    run = replace(RUN, ending=ending, reason="no", detail={"cause": cause})
    *_, explain, last = ending_text(StoredRun(run, attempts), 0).splitlines()
    assert (explain, last.startswith(f"          {step}")) == ("  next    reknit explain r-1", True)


def test_a_name_that_was_not_found_needs_no_comparison() -> None:
    run = replace(RUN, ending="UNVERIFIED", reason=f"{NO_SUCH_TEST} 'x' ran every time on base", detail={})
    assert ending_text(StoredRun(run), 0).splitlines()[-1] == "  next    reknit explain r-1"


def test_a_fix_that_a_hold_out_lowered_is_shown() -> None:
    run = replace(RUN, ending="UNVERIFIED", reason="UNPROVEN by hold-out: of 1 further case by codex", detail={})
    last = ending_text(StoredRun(run, [ATTEMPT]), 0).splitlines()[-1]
    assert last.strip() == "reknit show r-1 --attempt 1    shows the last change"


def test_a_receipt_says_how_the_tests_were_seen() -> None:
    assert receipt_lines({**RECEIPT, "tests": "all"}) == [
        "tests        all, seen by junit",
        "red before   was red",
        "green after  is green",
        "red without  red again",
    ]


def test_a_receipt_says_what_a_hold_out_said() -> None:
    assert receipt_lines({**RECEIPT, "holdout": "agreed:\n1"})[-1] == "hold-out     agreed: 1"
    assert not any("hold-out" in line for line in receipt_lines({**RECEIPT, "holdout": ""}))
