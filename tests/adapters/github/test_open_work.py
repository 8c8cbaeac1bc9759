"""What is open in a repository on GitHub, and how few requests tell it."""

import json
from typing import Any

import httpx
import pytest

from reknit.adapters.github.api import client
from reknit.adapters.github.api.graphql_models import Contexts, Data, OpenPage, RepositoryAnswer
from reknit.adapters.github.api.rest_models import parse_answer
from reknit.adapters.github.forge import GitHubForge, open_forge
from reknit.adapters.github.open_work import _MAX_NAMED_PULLS, _list_red_names
from reknit.core.forge.values import UNNAMED_CHECK, CheckReport, ForgeError, ForgePlace, OpenIssue, OpenPull, OpenWork
from tests.adapters.github.conftest import SLUG, Opened
from tests.tools.github import GitHub


def red(work: OpenWork) -> dict[int, tuple[str, ...]]:
    return {pull.number: pull.red_checks for pull in work.pulls if pull.red_checks}


def test_a_pull_request_and_an_issue(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.label(SLUG, pull.number, "ready")
    hub.label(SLUG, pull.number, "big")
    issue = hub.open_issue(SLUG, "it is slow", labels=["perf", "ai-welcome"])
    hub.calls.clear()

    assert forge.open_work() == OpenWork(
        (
            OpenPull(
                pull.number,
                "a feature",
                "feat",
                draft=False,
                merge_state="clean",
                files=1,
                lines=3,
                labels=("big", "ready"),
            ),
        ),
        (OpenIssue(issue, "it is slow", ("ai-welcome", "perf")),),
    )
    assert len(hub.calls) == 1


def test_nothing_is_open(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.close_pull(SLUG, pull.number)
    hub.close_issue(SLUG, hub.open_issue(SLUG, "done"))
    hub.calls.clear()

    assert forge.open_work() == OpenWork()
    assert len(hub.calls) == 1


def test_a_pull_request_is_no_issue_and_all_are_by_number(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    first = hub.open_issue(SLUG, "one")
    hub.commit(SLUG, "two", {"b.py": ""}, message="two")
    second = hub.open_pull(SLUG, head="two", draft=True)
    third = hub.open_issue(SLUG, "three")

    work = forge.open_work()

    assert [found.number for found in work.issues] == [first, third]
    assert [(found.number, found.draft) for found in work.pulls] == [(pull.number, False), (second, True)]
    assert work.pulls[1].merge_state == "draft"


def test_a_conflict_and_a_fork_that_is_gone(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    fork = hub.fork(SLUG, "eve")
    hub.commit(fork, "theirs", {"c.py": ""}, message="theirs", author="eve")
    theirs = hub.open_pull(SLUG, head="theirs", head_slug=fork, author="eve")
    hub.delete_repository(fork)
    hub.commit(SLUG, "main", {"a.py": "x = 7\ny = 7\n"}, message="other")

    assert [(found.number, found.merge_state) for found in forge.open_work().pulls] == [
        (pull.number, "dirty"),
        (theirs, "clean"),
    ]


@pytest.mark.parametrize(
    ("conclusion", "is_red"),
    [
        *((word, True) for word in ("failure", "timed_out", "startup_failure", "action_required")),
        *((word, False) for word in ("success", "cancelled", "skipped", "neutral", "stale", None)),
    ],
)
def test_which_runs_are_red(
    hub: GitHub, forge: GitHubForge, pull: Opened, conclusion: str | None, is_red: bool
) -> None:
    hub.check(SLUG, pull.sha, "ci", conclusion)

    assert red(forge.open_work()) == ({pull.number: ("ci",)} if is_red else {})


@pytest.mark.parametrize(
    ("state", "is_red"), [("failure", True), ("error", True), ("pending", False), ("success", False)]
)
def test_which_statuses_are_red(hub: GitHub, forge: GitHubForge, pull: Opened, state: str, is_red: bool) -> None:
    hub.status(SLUG, pull.sha, "legacy", state)

    assert red(forge.open_work()) == ({pull.number: ("legacy",)} if is_red else {})


def test_only_red_ones_are_named_sorted_and_in_one_more_request(
    hub: GitHub, forge: GitHubForge, app: GitHubForge, pull: Opened
) -> None:
    hub.check(SLUG, pull.sha, "unit", "failure")
    hub.check(SLUG, pull.sha, "lint", "success")
    hub.check(SLUG, pull.sha, "scan", "timed_out", job=False)
    hub.status(SLUG, pull.sha, "deploy", "error")
    app.set_check(pull.sha, CheckReport("reknit", "run-1", "failure", "t", "s"))
    hub.commit(SLUG, "two", {"b.py": ""}, message="two")
    hub.open_pull(SLUG, head="two")
    hub.calls.clear()

    assert red(forge.open_work()) == {pull.number: ("deploy", "scan", "unit")}
    assert len(hub.calls) == 2


def test_checks_are_those_of_the_head(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "unit", "failure")
    hub.commit(SLUG, "feat", {"b.py": ""}, message="mended")

    assert red(forge.open_work()) == {}


def run(name: str, number: int, conclusion: str | None, **more: Any) -> dict[str, Any]:
    workflow = {"event": "push", "workflow": {"databaseId": more.pop("workflow", 1)}}
    suite = {"app": {"slug": "github-actions"}, "workflowRun": workflow}
    ended = {"status": "COMPLETED" if conclusion else "IN_PROGRESS", "conclusion": conclusion}
    return {"__typename": "CheckRun", "databaseId": number, "name": name, "checkSuite": suite, **ended, **more}


def contexts(*nodes: dict[str, Any] | None, more: bool = False) -> Contexts:
    page = {"pageInfo": {"hasNextPage": more, "endCursor": None}, "nodes": nodes}
    return parse_answer(Contexts, json.dumps({"contexts": page}).encode(), "contexts")


@pytest.mark.parametrize(
    ("nodes", "names"),
    [
        pytest.param([run("a", 1, "FAILURE"), run("a", 2, "SUCCESS")], (), id="replaced by a green one"),
        pytest.param([run("a", 2, "SUCCESS"), run("a", 1, "FAILURE")], (), id="in any order"),
        pytest.param([run("a", 1, "SUCCESS"), run("a", 2, "FAILURE")], ("a",), id="replaced by a red one"),
        pytest.param([run("a", 1, "FAILURE"), run("a", 2, None)], (), id="running again"),
        pytest.param([run("a", 1, "FAILURE"), run("a", 2, "SUCCESS", workflow=2)], ("a",), id="of another workflow"),
        pytest.param([run("a", 1, "NEWLY_INVENTED")], ("a",), id="an unknown word is not green"),
        pytest.param([run("a", 1, "FAILURE", externalId="reknit:run")], (), id="our own"),
        pytest.param([run("a", 1, "FAILURE", checkSuite={"app": None, "workflowRun": None})], ("a",), id="of nobody"),
        pytest.param([{"__typename": "StatusContext", "context": "s", "state": "EXPECTED"}, None], (), id="expected"),
    ],
)
def test_a_newer_run_replaces_an_older_one_of_its_workflow(
    nodes: list[dict[str, Any] | None], names: tuple[str, ...]
) -> None:
    assert _list_red_names(contexts(*nodes)) == names


def test_red_by_its_summary_and_not_among_the_checks_that_were_read() -> None:
    assert _list_red_names(contexts(run("a", 1, "SUCCESS"), more=True)) == (UNNAMED_CHECK,)
    assert _list_red_names(contexts(run("a", 1, "FAILURE"), more=True)) == ("a",)
    assert _list_red_names(None) == (UNNAMED_CHECK,)


@pytest.mark.parametrize("fault", ["contexts_forbidden", "server_error", "secondary_limit", "dropped"])
def test_what_is_red_stays_red_without_its_names(hub: GitHub, forge: GitHubForge, pull: Opened, fault: str) -> None:
    hub.check(SLUG, pull.sha, "unit", "failure")
    setattr(hub.faults, fault, 1)
    hub.faults.skips[fault] = 0 if fault == "contexts_forbidden" else 1

    assert red(forge.open_work()) == {pull.number: (UNNAMED_CHECK,)}


def test_of_very_many_red_ones_the_newest_have_names(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    hub.check(SLUG, pull.sha, "unit", "failure")
    newer = [hub.open_pull(SLUG, head="feat", title=str(number)) for number in range(_MAX_NAMED_PULLS)]

    assert red(forge.open_work()) == {pull.number: (UNNAMED_CHECK,), **dict.fromkeys(newer, ("unit",))}


def test_many_pages(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    """The newest 200 issues of 203, and all 103 pull requests, in three requests with the names of red checks."""
    hub.check(SLUG, pull.sha, "unit", "failure")
    numbers = [pull.number, *(hub.open_pull(SLUG, head="feat") for _ in range(102))]
    issues = [hub.open_issue(SLUG, f"i{number}") for number in range(203)]
    hub.calls.clear()

    work = forge.open_work()

    assert [found.number for found in work.pulls] == numbers
    assert [found.number for found in work.issues] == issues[3:]
    assert work.unlisted_count == 3
    assert len(red(work)) == 103
    assert len(hub.calls) == 3


def test_a_list_that_ends_first_is_not_read_twice(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    for number in range(101):
        hub.open_issue(SLUG, f"i{number}")
    hub.calls.clear()

    work = forge.open_work()

    assert (len(work.pulls), len(work.issues), work.unlisted_count, len(hub.calls)) == (1, 101, 0, 2)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param("secondary_limit", "limited", id="a limit"),
        pytest.param("primary_limit", "limited", id="another limit"),
        pytest.param("server_error", "unreachable", id="a server error"),
        pytest.param("dropped", "unreachable", id="a dropped connection"),
        pytest.param("revoke_next", "login", id="a revoked token"),
        pytest.param("issues_forbidden", "forbidden", id="a token that may not read issues"),
    ],
)
@pytest.mark.parametrize("pages_before", [0, 1])
def test_a_refusal_is_never_nothing_open(
    hub: GitHub, forge: GitHubForge, pull: Opened, fault: str, kind: str, pages_before: int
) -> None:
    for number in range(101 if pages_before else 1):
        hub.open_issue(SLUG, f"i{number}")
    setattr(hub.faults, fault, 1)
    hub.faults.skips[fault] = pages_before

    with pytest.raises(ForgeError) as raised:
        forge.open_work()

    assert raised.value.failure.kind == kind


def test_a_forge_that_hangs(hub: GitHub, forge: GitHubForge, pull: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_TIMEOUT", httpx.Timeout(0.2))
    hub.faults.slow, hub.faults.slow_s = 1, 600.0

    with pytest.raises(ForgeError) as raised:
        forge.open_work()

    assert (raised.value.failure.kind, "Timeout" in raised.value.failure.detail) == ("unreachable", True)


@pytest.mark.parametrize("slug", ["dev/secret", "dev/gone"])
def test_a_repository_that_this_login_may_not_see(hub: GitHub, slug: str) -> None:
    hub.make_repository("dev/secret", {"a.py": ""}, private=True)
    place, stranger = ForgePlace("github", hub.url, slug), {"GH_TOKEN": hub.give_token("eve")}

    with open_forge(place, stranger) as forge, pytest.raises(ForgeError) as raised:
        forge.open_work()

    assert raised.value.failure.kind == "missing"


def test_text_is_bounded_and_on_one_line(hub: GitHub, forge: GitHubForge, pull: Opened) -> None:
    odd = "a\u202eb\x1b[31m\n" + "x" * 5_000
    hub.open_issue(SLUG, odd, labels=[odd])
    hub.label(SLUG, pull.number, odd)
    hub.check(SLUG, pull.sha, odd, "failure")

    work = forge.open_work()

    (found,) = work.pulls
    for text in (*found.labels, *found.red_checks, work.issues[0].title, *work.issues[0].labels):
        assert len(text) <= 240
        assert text.isprintable()
        assert text.startswith("ab")


PULL: dict[str, Any] = {
    "id": "PR_1",
    "number": 1,
    "title": "t",
    "headRefName": "b",
    "isDraft": False,
    "mergeStateStatus": "CLEAN",
    "additions": 1,
    "deletions": 2,
    "changedFiles": 1,
    "labels": None,
    "commits": {"nodes": [None]},
}


@pytest.mark.parametrize(
    ("change", "is_read"),
    [
        pytest.param({}, True, id="as it should be"),
        pytest.param({"commits": {"nodes": []}}, True, id="no commit"),
        pytest.param({"labels": {"nodes": [None]}}, True, id="a label that is not shown"),
        pytest.param({"number": "1"}, False, id="a number in words"),
        pytest.param({"number": -1}, False, id="below nothing"),
        pytest.param({"additions": 1.5}, False, id="half a line"),
        pytest.param({"title": None}, False, id="no title"),
        pytest.param({"commits": None}, False, id="no commits"),
    ],
)
def test_an_answer_that_is_not_githubs_is_no_answer(change: dict[str, Any], is_read: bool) -> None:
    ended = {"totalCount": 0, "pageInfo": {"hasNextPage": False, "endCursor": None}}
    pulls, issues = {**ended, "nodes": [PULL | change, None]}, {**ended, "nodes": []}
    body = json.dumps({"data": {"repository": {"pullRequests": pulls, "issues": issues}}}).encode()

    if is_read:
        answer = parse_answer(Data[RepositoryAnswer[OpenPage]], body, "graphql").data.repository
        assert answer
        assert answer.pulls.nodes[0]
        assert answer.pulls.nodes[0].rollup is None
    else:
        with pytest.raises(ForgeError, match="unreadable"):
            parse_answer(Data[RepositoryAnswer[OpenPage]], body, "graphql")
