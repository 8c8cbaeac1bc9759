"""The error for a run that needs what another run has claimed."""

from dataclasses import replace

import pytest

from reknit.core.runs.claim_text import TakenByRunError
from reknit.core.runs.spec import RunState
from tests.tools import vote_samples
from tests.tools.pull_samples import RUN


@pytest.mark.parametrize(
    ("state", "step"),
    [
        pytest.param("queued", "`reknit worker` takes it", id="in the queue"),
        pytest.param("left", "`reknit resume r-7f3a` continues it", id="of a dead worker"),
        pytest.param("waiting", "`reknit watch r-7f3a` follows it", id="at work"),
    ],
)
def test_a_pull_request_that_a_run_has_is_taken(state: RunState, step: str) -> None:
    problem = TakenByRunError(replace(RUN, state=state))
    assert (problem.name, problem.message) == ("taken", f"r-7f3a is open on #412 ({state})")
    assert step in problem.help
    assert "`reknit cancel r-7f3a` ends it" in problem.help


def test_a_vote_that_goes_on_keeps_others_from_the_pull_request() -> None:
    assert TakenByRunError(vote_samples.RUN).message == "r-7f3a is open on #12 (running)"


def test_a_run_on_issues_has_no_pull_request_to_name() -> None:
    run = replace(RUN, kind="fix issues", state="interrupted", spec={})
    assert TakenByRunError(run).message == "r-7f3a is open on the issues of this repository (interrupted)"
    assert TakenByRunError(run).help.startswith("`reknit resume r-7f3a` continues it")
