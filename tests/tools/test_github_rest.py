"""The stand-in's REST side, through githubkit as the transport: facts from git, checks, jobs, talk, ETags."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from githubkit import GitHub as Client
from githubkit.exception import RequestFailed

from tests.tools.github import GitHub
from tests.tools.github.description import answer_problems

APP = "dev/app"
R = ("dev", "app")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, {"a.py": "x = 1\n"})
        hub.commit(APP, "feat", {"a.py": "x = 1\ny = 2\n", "b.py": "z = 3\n"}, message="feat")
        hub.open_pull(APP, head="feat", title="A feature")
        yield hub
        assert hub.violations == []


@pytest.fixture
def gh(hub: GitHub) -> Iterator[Any]:
    with Client(hub.token, base_url=hub.url, auto_retry=False, http_cache=False, ssl_verify=False) as client:
        yield client


def test_a_pull_requests_facts_come_from_git(hub: GitHub, gh: Any) -> None:
    hub.label(APP, 1, "urgent")
    pull = gh.rest.pulls.get(*R, 1).json()
    assert pull["head"]["sha"] == hub.head(APP, "feat")
    assert pull["base"]["sha"] == hub.head(APP, "main")
    assert (pull["changed_files"], pull["additions"], pull["deletions"], pull["commits"]) == (2, 2, 0, 1)
    assert (pull["mergeable"], pull["mergeable_state"], pull["state"], pull["merged"]) == (True, "clean", "open", False)
    assert pull["head"]["repo"]["clone_url"] == f"{hub.url}/{APP}.git"
    assert [label["name"] for label in pull["labels"]] == ["urgent"]
    assert (pull["user"]["login"], pull["author_association"]) == ("dev", "MEMBER")
    files = gh.rest.pulls.list_files(*R, 1).json()
    assert [(file["filename"], file["status"]) for file in files] == [("a.py", "modified"), ("b.py", "added")]
    assert files[0]["patch"] == "@@ -1 +1,2 @@\n x = 1\n+y = 2"
    diff = gh.request("GET", f"/repos/{APP}/pulls/1", headers={"Accept": "application/vnd.github.diff"}).text
    assert "+z = 3" in diff


def test_a_conflict_makes_it_dirty(hub: GitHub, gh: Any) -> None:
    hub.commit(APP, "main", {"a.py": "x = 1\ny = 0\n"})
    pull = gh.rest.pulls.get(*R, 1).json()
    assert (pull["mergeable"], pull["mergeable_state"]) == (False, "dirty")
    assert pull["base"]["sha"] != hub.head(APP, "main"), "the base is where it was at the last push to the head"


def test_a_fork_that_is_deleted(hub: GitHub, gh: Any) -> None:
    fork = hub.fork(APP, "eve")
    hub.commit(fork, "fix", {"a.py": "x = 9\n"}, author="eve")
    number = hub.open_pull(APP, head="fix", head_slug=fork, author="eve", association="FIRST_TIME_CONTRIBUTOR")
    pull = gh.rest.pulls.get(*R, number).json()
    assert (pull["head"]["repo"]["full_name"], pull["maintainer_can_modify"]) == (fork, True)
    assert not gh.rest.repos.get("eve", "app").json()["permissions"]["push"]
    hub.delete_repository(fork)
    pull = gh.rest.pulls.get(*R, number).json()
    assert pull["head"]["repo"] is None
    assert pull["head"]["sha"]


def test_lists_are_filtered_by_head_and_state(hub: GitHub, gh: Any) -> None:
    hub.commit(APP, "other", {"c.py": "1\n"})
    hub.open_pull(APP, head="other")
    hub.close_pull(APP, 1)

    def listed(**asked: str) -> list[int]:
        return [pull["number"] for pull in gh.rest.pulls.list(*R, **asked).json()]

    assert listed() == [2]
    assert listed(state="all") == [2, 1]
    assert listed(state="all", head="dev:feat") == [1]
    assert listed(state="all", head="eve:feat") == []


def test_a_re_run_replaces_the_older_check_of_its_name(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")
    old = hub.check(APP, sha, "ci", "failure", log="boom\n", summary="1 failed")
    hub.check(APP, sha, "lint", "success")
    hub.check(APP, sha, "scan", "success", job=False)
    gh.rest.actions.re_run_job_for_workflow_run(*R, old)
    runs = gh.rest.checks.list_for_ref(*R, sha).json()["check_runs"]
    assert {(run["name"], run["status"], run["conclusion"], run["app"]["slug"]) for run in runs} == {
        ("ci", "queued", None, "github-actions"),
        ("lint", "completed", "success", "github-actions"),
        ("scan", "completed", "success", "some-ci"),
    }
    every = gh.rest.checks.list_for_ref(*R, sha, filter_="all").json()
    assert every["total_count"] == 4
    ended = hub.check(APP, sha, "ci", "success")
    assert [run["id"] for run in runs if run["name"] == "ci"] == [ended], "what still runs is ended in place"


def test_a_job_can_not_be_run_again_before_its_suite_has_ended(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")
    hub.check(APP, sha, "scan", job=False)  # another App's

    def refused(job: int) -> bool:
        with pytest.raises(RequestFailed) as raised:
            gh.rest.actions.re_run_job_for_workflow_run(*R, job)
        return raised.value.response.status_code == 403 and "already running" in raised.value.response.text

    assert refused(hub.check(APP, sha, "ci"))
    job = hub.check(APP, sha, "ci", "failure")
    hub.check(APP, sha, "lint")
    assert refused(job)
    hub.check(APP, sha, "lint", "success")
    hub.more_jobs(APP, sha)
    assert refused(job)
    hub.more_jobs(APP, sha, coming=False)
    assert gh.rest.actions.re_run_job_for_workflow_run(*R, job).status_code == 201


def test_a_suite_goes_on_for_as_long_as_its_runs_do_and_more_are_to_come(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")

    def suites() -> list[tuple[str, str, str | None]]:
        listed = gh.rest.checks.list_suites_for_ref(*R, sha).json()
        assert listed["total_count"] == len(listed["check_suites"])
        return [(each["app"]["slug"], each["status"], each["conclusion"]) for each in listed["check_suites"]]

    assert suites() == []
    hub.more_jobs(APP, sha)
    assert suites() == [("github-actions", "queued", None)]
    hub.check(APP, sha, "ci", "failure")
    hub.check(APP, sha, "scan", job=False)
    assert suites() == [("github-actions", "in_progress", None), ("some-ci", "in_progress", None)]
    hub.check(APP, sha, "scan", "success", job=False)
    hub.more_jobs(APP, sha, coming=False)
    assert suites() == [("github-actions", "completed", "failure"), ("some-ci", "completed", "success")]
    runs = gh.rest.checks.list_for_ref(*R, sha).json()["check_runs"]
    listed = gh.rest.checks.list_suites_for_ref(*R, sha).json()["check_suites"]
    assert [run["check_suite"]["id"] for run in runs] == [suite["id"] for suite in listed]


def test_the_robot_hears_of_a_re_run(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")
    old = hub.check(APP, sha, "ci", "failure")

    def robot(slug: str, commit: str, name: str, _: int) -> None:
        hub.check(slug, commit, name, "success")

    hub.on_rerun = robot
    gh.rest.checks.rerequest_run(*R, old)
    assert [(run["name"], run["conclusion"]) for run in hub.check_runs(APP, sha)] == [
        ("ci", "failure"),
        ("ci", "success"),
    ]


def test_a_log_is_behind_a_redirect_that_takes_no_token(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")
    job = hub.check(APP, sha, "ci", "failure", log="boom\n")
    assert gh.rest.actions.download_job_logs_for_workflow_run(*R, job).text == "boom\n"
    redirect = httpx.get(
        f"{hub.url}/repos/{APP}/actions/jobs/{job}/logs", headers={"Authorization": f"token {hub.token}"}
    )
    assert redirect.status_code == 302
    with_token = httpx.get(redirect.headers["location"], headers={"Authorization": "token x"})
    assert with_token.status_code == 400
    for check in (hub.check(APP, sha, "lint"), hub.check(APP, sha, "scan", "failure", job=False)):
        with pytest.raises(RequestFailed) as refused:
            gh.rest.actions.download_job_logs_for_workflow_run(*R, check)
        assert refused.value.response.status_code == 404


def test_pages(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")
    for number in range(130):
        hub.check(APP, sha, f"job {number}", "success")
    first = gh.rest.checks.list_for_ref(*R, sha, per_page=100)
    assert (first.json()["total_count"], len(first.json()["check_runs"])) == (130, 100)
    assert 'rel="next"' in first.headers["link"]
    assert len(gh.rest.checks.list_for_ref(*R, sha, per_page=100, page=2).json()["check_runs"]) == 30
    paged = gh.rest.paginate(
        gh.rest.checks.list_for_ref,
        lambda answer: answer.json()["check_runs"],
        owner="dev",
        repo="app",
        ref=sha,
        per_page=50,
    )
    assert len({run["id"] for run in paged}) == 130


def test_statuses_are_a_list_of_their_own(hub: GitHub, gh: Any) -> None:
    sha = hub.head(APP, "feat")

    def combined() -> Any:
        return gh.rest.repos.get_combined_status_for_ref(*R, sha).json()

    assert (combined()["state"], combined()["total_count"]) == ("pending", 0)
    hub.status(APP, sha, "legacy", "pending")
    hub.status(APP, sha, "legacy", "success")
    assert (combined()["state"], [one["context"] for one in combined()["statuses"]]) == ("success", ["legacy"])
    hub.status(APP, sha, "other", "error")
    assert combined()["state"] == "failure"


def test_required_checks_by_protection_and_by_ruleset(hub: GitHub, gh: Any) -> None:
    hub.require(APP, "main", ["ci"])
    hub.require(APP, "main", ["scan"], ruleset=True)
    branch = gh.rest.repos.get_branch(*R, "main").json()
    assert branch["protection"]["required_status_checks"]["contexts"] == ["ci"]
    rules = gh.rest.repos.get_branch_rules(*R, "main").json()
    assert [check["context"] for check in rules[0]["parameters"]["required_status_checks"]] == ["scan"]
    assert gh.rest.pulls.get(*R, 1).json()["mergeable_state"] == "blocked"
    for name in ("ci", "scan"):
        hub.check(APP, hub.head(APP, "feat"), name, "success")
    assert gh.rest.pulls.get(*R, 1).json()["mergeable_state"] == "clean"


def test_comments_are_written_and_edited(hub: GitHub, gh: Any) -> None:
    made = gh.rest.issues.create_comment(*R, 1, body="hello").json()
    assert made["user"]["login"] == "dev"
    gh.rest.issues.update_comment(*R, made["id"], body="hello again")
    hub.say(APP, 1, author="robo", text="beep", bot=True)
    assert [(comment["user"]["login"], comment["body"]) for comment in hub.comments(APP, 1)] == [
        ("dev", "hello again"),
        ("robo[bot]", "beep"),
    ]
    assert gh.rest.issues.list_comments(*R, 1).json() == hub.comments(APP, 1)


def test_a_comment_on_a_line_is_also_a_review_that_says_nothing(hub: GitHub, gh: Any) -> None:
    hub.review(APP, 1, author="ann", text="not like this")
    hub.thread(APP, 1, author="ann", file="a.py", line=2, text="why?")
    first = gh.rest.pulls.list_review_comments(*R, 1).json()[0]
    gh.rest.pulls.create_reply_for_review_comment(*R, 1, first["id"], body="because")
    reviews = gh.rest.pulls.list_reviews(*R, 1).json()
    assert [(review["state"], review["body"]) for review in reviews] == [
        ("CHANGES_REQUESTED", "not like this"),
        ("COMMENTED", ""),
        ("COMMENTED", ""),
    ]
    reply = gh.rest.pulls.list_review_comments(*R, 1).json()[1]
    assert (reply["in_reply_to_id"], reply["path"], reply["line"]) == (first["id"], "a.py", 2)


def test_an_unchanged_answer_is_a_304_that_costs_nothing(hub: GitHub, gh: Any) -> None:
    def read(etag: str = "") -> Any:
        headers = {"If-None-Match": etag} if etag else {}
        return gh.request("GET", f"/repos/{APP}/pulls/1", headers=headers)

    first = read()
    again = read(first.headers["etag"])
    assert (first.status_code, again.status_code) == (200, 304)
    assert again.headers["x-ratelimit-remaining"] == first.headers["x-ratelimit-remaining"]
    assert "Authorization" in first.headers["vary"]
    hub.commit(APP, "feat", {"a.py": "x = 5\n"})
    changed = read(first.headers["etag"])
    assert changed.status_code == 200
    assert int(changed.headers["x-ratelimit-remaining"]) == int(first.headers["x-ratelimit-remaining"]) - 1
    assert [(call.method, call.status, call.token) for call in hub.calls] == [
        ("GET", 200, hub.token),
        ("GET", 304, hub.token),
        ("GET", 200, hub.token),
    ]


def test_merging_asks_for_the_head_it_was_told(hub: GitHub, gh: Any) -> None:
    with pytest.raises(RequestFailed) as refused:
        gh.rest.pulls.merge(*R, 1, sha="1" * 40)
    assert refused.value.response.status_code == 409
    merged = gh.rest.pulls.merge(*R, 1, sha=hub.head(APP, "feat")).json()
    assert hub.head(APP, "main") == merged["sha"]
    pull = gh.rest.pulls.get(*R, 1).json()
    assert (pull["state"], pull["merged"]) == ("closed", True)
    assert hub.read(APP, "main", "b.py") == "z = 3\n"


def test_a_second_pull_request_for_a_head_is_refused(hub: GitHub, gh: Any) -> None:
    with pytest.raises(RequestFailed) as refused:
        gh.rest.pulls.create(*R, title="again", head="feat", base="main")
    assert refused.value.response.status_code == 422
    hub.close_pull(APP, 1)
    assert gh.rest.pulls.create(*R, title="again", head="feat", base="main").json()["number"] == 2


@pytest.mark.parametrize(
    ("token", "status"),
    [
        pytest.param("", 401, id="no token"),
        pytest.param("ghp_wrong", 401, id="an unknown token"),
    ],
)
def test_a_write_needs_somebody(hub: GitHub, token: str, status: int) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = httpx.post(f"{hub.url}/repos/{APP}/issues/1/comments", json={"body": "x"}, headers=headers)
    assert answer.status_code == status
    assert hub.comments(APP, 1) == []


def test_a_request_that_github_would_not_take(hub: GitHub, gh: Any) -> None:
    with pytest.raises(RequestFailed) as refused:
        gh.request("POST", f"/repos/{APP}/issues/1/comments", json={"text": "no body"})
    assert refused.value.response.status_code == 422


def test_what_is_not_served_is_a_violation(hub: GitHub) -> None:
    assert httpx.get(f"{hub.url}/repos/{APP}/stargazers").status_code == 404
    assert hub.violations == [f"GET /repos/{APP}/stargazers: not served here"]
    hub.violations.clear()


def test_an_answer_against_githubs_description_is_told() -> None:
    wrong = answer_problems("GET /repos/{owner}/{repo}/pulls/{pull_number}", 200, {"number": "one"}, b"wrong")
    assert "number: 'one' is not of type 'integer'" in " ".join(wrong)
    assert answer_problems("GET /app", 299, {}, b"odd") == ["GET /app 299: not described"]
