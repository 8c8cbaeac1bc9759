from dataclasses import replace
from typing import Any

import pytest

from reknit.core.errors import UsageError
from reknit.core.github_action.request import EVENTS_ON_HEAD, ActionRequest, build_command, explain_missing_login

OURS = {"number": 7, "head": {"repo": {"full_name": "acme/shop"}}}
FORK = {"number": 7, "head": {"repo": {"full_name": "eve/shop"}}}
REVIEW = ActionRequest(
    "review", "acme/shop", event_name="pull_request", event={"pull_request": OURS}, token="ghs_1", job_token="ghs_1"
)
FIX = replace(REVIEW, command="fix-pr", event_name="workflow_run", token="github_pat_1")
URL = "https://github.com/acme/shop/pull/7"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        pytest.param(REVIEW, ["review", "--report-only", "--format=json", f"--pr={URL}"], id="review"),
        pytest.param(FIX, ["fix", "pr", "--format=json", URL], id="fix"),
        pytest.param(
            replace(REVIEW, command="vote", agent="claude,codex", budget="2", server="https://git.example.org/"),
            ["vote", "--agents=claude,codex", "--budget=2", "--format=json", "https://git.example.org/acme/shop/pull/7"],
            id="vote",
        ),
        pytest.param(
            replace(FIX, agent="--box=host"), ["fix", "pr", "--agent=--box=host", "--format=json", URL],
            id="a value stays a value",
        ),
        pytest.param(
            replace(FIX, pull="12"), ["fix", "pr", "--format=json", "https://github.com/acme/shop/pull/12"], id="named"
        ),
    ],
)  # fmt: skip
def test_the_command_of_a_request(request_: ActionRequest, words: list[str]) -> None:
    assert build_command(request_) == words


@pytest.mark.parametrize(
    ("event", "number"),
    [
        pytest.param({"pull_request": OURS}, 7, id="of the event"),
        pytest.param({"issue": {"number": 8, "pull_request": {"url": "x"}}}, 8, id="of a comment"),
        pytest.param({"workflow_run": {"pull_requests": [{"number": 9}]}}, 9, id="of a finished workflow"),
        pytest.param({"check_suite": {"pull_requests": [{"number": 9}]}}, 9, id="of a suite"),
    ],
)
def test_the_pull_request_of_an_event(event: dict[str, Any], number: int) -> None:
    assert build_command(replace(FIX, event=event))[-1].endswith(f"/pull/{number}")


@pytest.mark.parametrize(
    ("event", "about"),
    [
        pytest.param({}, "no pull request", id="none"),
        pytest.param({"issue": {"number": 8}}, "no pull request", id="an issue"),
        pytest.param({"issue": {"number": "8", "pull_request": {"url": "x"}}}, "no pull request", id="no number"),
        pytest.param({"pull_request": "7", "workflow_run": {"pull_requests": "x"}}, "no pull request", id="nonsense"),
        pytest.param({"workflow_run": {"pull_requests": []}}, "no pull request", id="of a fork"),
        pytest.param({"workflow_run": {"pull_requests": [{"number": 1}, {"number": 2}]}}, "2 pull", id="two"),
    ],
)
def test_an_event_without_one_pull_request_is_refused(event: dict[str, Any], about: str) -> None:
    with pytest.raises(UsageError, match=f"is about {about}") as refused:
        build_command(replace(FIX, event=event))
    assert refused.value.help == "name one: the input `pull-request`"


@pytest.mark.parametrize("pull", ["x", "-1", "0", "1.5", "٣", "1" * 12, "7\n"])
def test_what_is_no_number_is_refused(pull: str) -> None:
    with pytest.raises(UsageError, match="not the number of a pull request"):
        build_command(replace(FIX, pull=pull))


def test_an_unknown_command_is_refused() -> None:
    for command, hint in (("fixpr", "did you mean `fix-pr`?"), ("zzz", "the commands are fix-pr, review, vote")):
        with pytest.raises(UsageError, match="no command") as refused:
            build_command(replace(FIX, command=command))
        assert refused.value.help == hint


def test_a_push_with_the_token_of_the_workflow_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match="its commits start no CI, so the run could never see it pass") as refused:
        build_command(replace(FIX, token=FIX.job_token))
    assert "personal token or the token of a GitHub App" in refused.value.help
    assert "ghs_1" not in f"{refused.value.message} {refused.value.help} {FIX!r}"


@pytest.mark.parametrize("event_name", sorted(EVENTS_ON_HEAD))
def test_a_job_that_would_wait_for_itself_is_refused(event_name: str) -> None:
    with pytest.raises(UsageError, match="the run would wait for itself"):
        build_command(replace(FIX, event_name=event_name))
    assert build_command(replace(REVIEW, event_name=event_name))


def test_without_a_token_a_fork_is_named() -> None:
    with pytest.raises(UsageError, match="`token` is empty") as refused:
        build_command(replace(REVIEW, token="", event={"pull_request": FORK}))
    assert "no secrets to workflows of pull requests from forks" in refused.value.help


@pytest.mark.parametrize(
    ("event", "is_fork"),
    [
        ({"pull_request": FORK}, True),
        ({"pull_request": OURS}, False),
        ({"pull_request": {"head": {"repo": None}}}, False),
        ({"pull_request": {"head": None}}, False),
        ({}, False),
    ],
)
def test_a_fork_is_known_from_the_event(event: dict[str, Any], is_fork: bool) -> None:
    assert bool(explain_missing_login(replace(REVIEW, event=event))) == is_fork
