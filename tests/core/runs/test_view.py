"""What a stored run says of itself: its pull request, and what a clean one did not look at."""

from dataclasses import replace

import pytest

from reknit.core.errors import InternalError
from reknit.core.runs.spec import RunState
from reknit.core.runs.view import TakenByRunError, get_pull, warn_beside_clean
from tests.tools import vote_samples
from tests.tools.pull_samples import RUN, TARGET, URL


def test_the_pull_request_of_a_run() -> None:
    assert (get_pull(RUN)["number"], get_pull(RUN)["url"]) == (TARGET.number, URL)
    with pytest.raises(InternalError, match="r-7f3a has no pull request"):
        get_pull(replace(RUN, spec={"task": None}))


def test_a_vote_has_a_pull_request_too() -> None:
    assert get_pull(vote_samples.RUN)["url"] == vote_samples.URL


@pytest.mark.parametrize(
    ("ending", "uncommitted"),
    [
        pytest.param("FIXED", {"uncommitted": {"paths": ["a.py"], "count": 1}}, id="another ending claims nothing"),
        pytest.param("CLEAN", {"uncommitted": {"paths": "a.py", "count": 1}}, id="names that are no list"),
        pytest.param("CLEAN", {"uncommitted": {"paths": ["a.py"], "count": "1"}}, id="a count that is no number"),
        pytest.param("CLEAN", {"uncommitted": {"paths": ["a.py"]}}, id="no count"),
    ],
)
def test_no_note_is_made_of_what_is_not_stored_in_full(ending: str, uncommitted: dict[str, object]) -> None:
    assert warn_beside_clean(replace(RUN, ending=ending, spec={**RUN.spec, **uncommitted})) == ""


def test_only_a_run_on_a_pull_request_needs_a_push() -> None:
    unseen = {"uncommitted": {"paths": ("a.py",), "count": 3}}
    seen = replace(RUN, ending="CLEAN", spec={"task": RUN.spec["task"], **unseen})
    assert "commit and push them" in warn_beside_clean(seen)
    assert "; commit them" in warn_beside_clean(replace(seen, spec=unseen))


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
    assert "`reknit stop r-7f3a --for-good` ends it" in problem.help


def test_a_vote_that_goes_on_keeps_others_from_the_pull_request() -> None:
    assert TakenByRunError(vote_samples.RUN).message == "r-7f3a is open on #12 (running)"


def test_a_run_on_issues_has_no_pull_request_to_name() -> None:
    run = replace(RUN, kind="fix issues", state="interrupted", spec={})
    assert TakenByRunError(run).message == "r-7f3a is open on the issues of this repository (interrupted)"
    assert TakenByRunError(run).help.startswith("`reknit resume r-7f3a` continues it")
