"""The commands that help after an ending: the first one is complete and does what the reason asks for."""

from dataclasses import replace
from typing import Any

import pytest

from reknit.core.capability import StoredRun
from reknit.core.next_steps import Step, get_command, list_next_steps
from reknit.core.runs.view import RunView
from tests.core.test_run_text import ATTEMPT, RECEIPT, REFUSED, RUN
from tests.tools import pull_samples

TYPED = "reknit fix tests tests/test_a.py --agent codex"
TESTS = replace(RUN, spec={**RUN.spec, "command": TYPED, "limits": {"timeout_s": 2700.0}})
ISSUES = replace(RUN, kind="fix issues", spec={})
REVIEW = replace(RUN, kind="review", spec={"task": {"report_only": True, "progress": "PROGRESS.txt"}})
PULL = pull_samples.RUN
ALLOW = {"cause": "waiver", "allow": "--allow protected-config:uv.lock"}
TRIED = (ATTEMPT, REFUSED)


def ended(run: RunView, ending: str, reason: str = "", **detail: Any) -> RunView:
    return replace(run, state="ended", ending=ending, reason=reason, detail=detail)


@pytest.mark.parametrize(
    ("run", "attempts", "receipts", "first"),
    [
        pytest.param(RUN, 1, 1, "git merge reknit/r-1", id="a fix is merged"),
        pytest.param(
            replace(RUN, spec={"uncommitted": {"on_top_of": "b" * 40}}), 1, 1, "reknit apply r-1",
            id="a fix of uncommitted work is applied",
        ),
        pytest.param(ended(TESTS, "PARTIAL"), 1, 1, "git merge reknit/r-1", id="what is proven is merged"),
        pytest.param(ended(ISSUES, "UNVERIFIED"), 1, 1, "reknit show r-1 --diff", id="what nobody judged"),
        pytest.param(ended(TESTS, "BLOCKED", **ALLOW), 2, 0, f"{TYPED} --allow protected-config:uv.lock", id="allow"),
        pytest.param(
            ended(TESTS, "BLOCKED", cause="waiver", allow=""), 2, 0, "reknit show r-1 --attempt 2", id="what may cheat"
        ),
        pytest.param(ended(TESTS, "BLOCKED", cause="login"), 0, 0, "reknit doctor --agent claude", id="a login"),
        pytest.param(ended(TESTS, "BLOCKED", cause="agent"), 0, 0, "reknit doctor --agent claude", id="no start"),
        pytest.param(
            ended(TESTS, "BLOCKED", cause="environment"), 0, 0, "reknit doctor --compare", id="the environment"
        ),
        pytest.param(ended(TESTS, "BLOCKED", cause="disk"), 0, 0, "reknit show r-1 --why", id="another obstacle"),
        pytest.param(ended(TESTS, "DEFERRED", cause="remembered"), 0, 0, f"{TYPED} --again", id="given up before"),
        pytest.param(ended(TESTS, "DEFERRED", cause="tried"), 2, 0, "reknit show r-1 --attempt 2", id="given up now"),
        pytest.param(ended(TESTS, "DEFERRED"), 0, 0, "reknit show r-1 --why", id="nothing was tried"),
        pytest.param(ended(REVIEW, "DEFERRED"), 0, 0, "reknit review --resume r-1", id="a report"),
        pytest.param(ended(TESTS, "UNVERIFIED", "x"), 0, 0, "reknit doctor --compare", id="tests without a result"),
        pytest.param(ended(TESTS, "UNVERIFIED", "no test 'x'"), 0, 0, "reknit show r-1 --why", id="no such test"),
        pytest.param(ended(ISSUES, "UNVERIFIED"), 0, 0, "reknit show r-1 --why", id="no score"),
        pytest.param(ended(TESTS, "OVER_BUDGET"), 1, 0, f"{TYPED} --budget 10", id="money"),
        pytest.param(ended(TESTS, "EXHAUSTED"), 1, 0, f"REKNIT_LOOP__TIMEOUT_S=5400 {TYPED}", id="time"),
        pytest.param(
            ended(ISSUES, "EXHAUSTED"), 1, 0, "REKNIT_LOOP__TIMEOUT_S=7200 reknit fix issues", id="time, unknown limit"
        ),
        pytest.param(ended(TESTS, "CANCELLED"), 1, 0, TYPED, id="cancelled"),
        pytest.param(ended(TESTS, "FAILED"), 1, 0, "reknit show r-1 --why", id="our bug"),
        pytest.param(ended(TESTS, "CLEAN"), 0, 0, "reknit show r-1", id="nothing to repair"),
        pytest.param(replace(RUN, undone_at=1.0), 1, 1, "reknit show r-1 --why", id="undone"),
        pytest.param(ended(PULL, "CLEAN", fixed=["a"]), 1, 1, "git pull", id="a pull request that was repaired"),
        pytest.param(ended(PULL, "CLEAN"), 0, 0, "reknit show r-7f3a", id="a pull request that needed nothing"),
        pytest.param(
            ended(PULL, "EXHAUSTED", "7 iterations (loop.max_iterations)"), 1, 0,
            "reknit fix pr 412 --max-iterations 14", id="iterations",
        ),
        pytest.param(
            ended(PULL, "EXHAUSTED", "9 s of 9 s worked (loop.timeout_s)"), 1, 0,
            "REKNIT_LOOP__TIMEOUT_S=7200 reknit fix pr 412", id="time on a pull request",
        ),
        pytest.param(ended(PULL, "UNVERIFIED", cause="ci"), 1, 0, "reknit fix pr 412", id="CI gave no answer"),
        pytest.param(
            ended(PULL, "BLOCKED", cause="protected"), 2, 0, "reknit show r-7f3a --attempt 2 | git apply",
            id="a protected branch",
        ),
        pytest.param(ended(PULL, "STALLED"), 0, 0, "reknit show r-7f3a --why", id="stalled"),
    ],
)  # fmt: skip
def test_the_first_step(run: RunView, attempts: int, receipts: int, first: str) -> None:
    steps = list_next_steps(StoredRun(run, TRIED[:attempts], [RECEIPT] * receipts))
    assert steps[0] == Step("next", first)
    assert [step.command for step in steps].count(first) == 1


@pytest.mark.parametrize(
    ("plan", "first"),
    [
        pytest.param({"status": "current", "command": "reknit fix plan x"}, "reknit fix plan x", id="current"),
        pytest.param({"status": "provisional", "file": "x.md"}, "reknit plan accept x.md", id="provisional"),
        pytest.param({"status": "fallback", "file": "x.md"}, "reknit show r-1 --why", id="fallback"),
        pytest.param({}, "reknit show r-1 --why", id="none"),
    ],
)
def test_the_first_step_after_a_plan(plan: dict[str, Any], first: str) -> None:
    run = ended(replace(RUN, kind="plan"), "DEFERRED")
    assert list_next_steps(StoredRun(run, documents={"plan": plan}))[0].command == first


def test_after_a_fix_the_change_can_be_read_and_undone_and_open_issues_are_listed() -> None:
    steps = list_next_steps(StoredRun(ended(ISSUES, "PARTIAL", left=["I-2"]), [ATTEMPT], [RECEIPT]))
    assert [label for label, _ in steps] == ["next", "look", "undo", "left"]
    assert steps[-1].command == "reknit issues list --run r-1"


def test_a_run_of_a_program_has_the_command_of_its_kind() -> None:
    assert get_command(ISSUES) == "reknit fix issues"
    assert get_command(PULL) == "reknit fix pr 412"
