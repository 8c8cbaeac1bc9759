"""The check run: its conclusion and its title are true, and only what is critical is annotated."""

from dataclasses import replace
from typing import Any

import pytest

from reknit.core.fix_pr.output.check_run import CONCLUSIONS, mark_superseded, render_check_report
from reknit.core.fix_pr.output.documents import to_course_document
from reknit.core.fix_pr.state import PullRunState
from reknit.core.forge.values import Annotation, CheckReport
from reknit.core.runs.ending import EXIT_CODES, Ending, EndingWord
from reknit.core.runs.spending import Spending
from tests.tools.pull_samples import BETTER, GREEN, NEW, RED, STUCK, TARGET, stored

STALLED = Ending("STALLED", "3 fixes in a row left the same failures (loop.stall_after)", left=("C-1 lint", "R-1 x"))
CONFLICT = Ending("BLOCKED", "#412 conflicts; `git merge main`, push, then `reknit fix pr 412`", "conflict")


def checked(state: dict[str, Any], ending: Ending | None) -> CheckReport:
    return render_check_report("r-7f3a", TARGET, state, ending, money=Spending(0.72, 5.0))


def state(made: PullRunState, checks: Any = None) -> dict[str, Any]:
    return stored(to_course_document(made, checks))


@pytest.mark.parametrize("word", sorted(EXIT_CODES))
def test_every_ending_has_a_conclusion_and_none_passes_that_is_not_clean(word: EndingWord) -> None:
    report = checked({}, Ending(word, "why"))
    assert report.conclusion == CONCLUSIONS[word]
    assert (report.conclusion == "success") == (word in ("CLEAN", "FIXED"))


@pytest.mark.parametrize(
    ("made", "ending", "conclusion", "title"),
    [
        pytest.param(RED, None, "", "in progress, iteration 1", id="in progress"),
        pytest.param(GREEN, Ending("CLEAN", ""), "success", "PR CLEAN", id="clean"),
        pytest.param(None, Ending("FIXED", ""), "success", "fixed", id="fixed"),
        pytest.param(RED, STALLED, "failure", "3 critical, 1 important left", id="work is left"),
        pytest.param(None, Ending("CHURN", ""), "failure", "CHURN", id="nothing left to count"),
        pytest.param(
            RED, Ending("FAILED", ""), "failure", "internal error in reknit, not in your code", id="a bug of ours"
        ),
        pytest.param(BETTER, CONFLICT, "action_required", "needs you, 2 critical left", id="blocked"),
        pytest.param(GREEN, Ending("UNVERIFIED", ""), "action_required", "some checks gave no result", id="not seen"),
        pytest.param(None, Ending("CANCELLED", ""), "cancelled", "cancelled", id="cancelled"),
    ],
)
def test_a_check_run_says_the_truth_in_its_title(made: Any, ending: Ending | None, conclusion: str, title: str) -> None:
    report = checked(state(NEW, made), ending)
    assert (report.name, report.key) == ("reknit", "pr-412")
    assert (report.conclusion, report.title) == (conclusion, title)


def test_annotations_are_of_what_is_critical_at_a_place_when_the_run_is_over() -> None:
    assert checked(state(NEW, RED), STALLED).annotations == (
        Annotation("src/token.py", 42, "R-1 critical", "refresh race"),
    )
    assert checked(state(NEW, RED), None).annotations == ()


def test_what_was_said_of_an_older_commit_does_not_stay_open() -> None:
    report = render_check_report("r-1", TARGET, {}, None, money=Spending(0.0, 5.0))
    old = mark_superseded(report, "c" * 40)
    assert (old.key, old.conclusion, old.title) == (report.key, "cancelled", "superseded by cccccccccccc")


def test_a_run_that_pushed_and_did_not_look_again_counts_nothing_as_left() -> None:
    pushed = state(replace(NEW, turns=(STUCK.turns[0],)), RED)
    assert checked(pushed, CONFLICT).title == "needs you"
