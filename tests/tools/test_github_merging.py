"""The stand-in's merges: real commits, a signed word about it, and the pull requests that a commit is in."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from githubkit import GitHub as Client
from githubkit.exception import RequestFailed

from tests.tools.github import GitHub

APP = "dev/app"
FILES = {"a.py": "x = 1\n", "b.py": "y = 1\n"}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    """A branch of two commits, and main one further."""
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, FILES)
        hub.commit(APP, "feat", {"a.py": "x = 2\n"}, message="one", author="ann")
        hub.commit(APP, "feat", {"c.py": "z = 1\n"}, message="two", author="bob")
        hub.open_pull(APP, head="feat", title="A feature")
        hub.commit(APP, "main", {"b.py": "y = 2\n"}, message="meanwhile")
        yield hub
        assert hub.violations == []


@pytest.fixture
def gh(hub: GitHub) -> Iterator[Any]:
    with Client(hub.token, base_url=hub.url, auto_retry=False, http_cache=False, ssl_verify=False) as client:
        yield client


def commits(hub: GitHub, branch: str) -> list[str]:
    return [sha for sha, _message, _author in hub.log(APP, branch)]


@pytest.mark.parametrize(
    ("how", "added"),
    [
        pytest.param("merge", [("Merge A feature", "dev"), ("two", "bob"), ("one", "ann")], id="merge"),
        pytest.param("squash", [("A feature (#1)", "dev")], id="squash"),
        pytest.param("rebase", [("two", "bob"), ("one", "ann")], id="rebase"),
    ],
)
def test_what_is_on_main_then(hub: GitHub, gh: Any, how: str, added: list[tuple[str, str]]) -> None:
    before, branch = set(commits(hub, "main")), set(commits(hub, "feat"))
    sha = hub.merge(APP, 1, how)
    log = [entry for entry in hub.log(APP, "main") if entry[0] not in before]
    assert sorted((message, author) for _sha, message, author in log) == sorted(added)
    assert hub.head(APP, "main") == sha
    assert (hub.read(APP, "main", "a.py"), hub.read(APP, "main", "b.py")) == ("x = 2\n", "y = 2\n")
    assert hub.read(APP, "main", "c.py") == "z = 1\n"
    is_kept = bool({entry[0] for entry in log} & branch)
    assert is_kept is (how == "merge"), "only a merge commit keeps the commits"
    pull = gh.rest.pulls.get("dev", "app", 1).json()
    assert (pull["state"], pull["merged"], bool(pull["merged_at"])) == ("closed", True, True)


def test_the_commits_are_in_the_pull_request(hub: GitHub, gh: Any) -> None:
    def numbers(sha: str) -> list[tuple[int, bool]]:
        found = gh.request("GET", f"/repos/{APP}/commits/{sha}/pulls").json()
        return [(pull["number"], bool(pull["merged_at"])) for pull in found]

    main, (two, one, first) = hub.head(APP, "main"), commits(hub, "feat")
    hub.commit(APP, "other", {"d.py": ""}, message="other")
    hub.open_pull(APP, head="other")
    assert [numbers(sha) for sha in (one, two, first, main)] == [[(1, False)], [(1, False)], [], []]
    made = hub.merge(APP, 1, "squash")
    assert [numbers(sha) for sha in (one, two, made, first, main)] == [[(1, True)], [(1, True)], [(1, True)], [], []]
    hub.close_pull(APP, 2)
    assert numbers(hub.head(APP, "other")) == [], "closed without being merged"


def test_a_commit_that_nobody_knows(gh: Any) -> None:
    with pytest.raises(RequestFailed) as raised:
        gh.request("GET", f"/repos/{APP}/commits/{'f' * 40}/pulls")
    response = raised.value.response
    assert (response.status_code, response.json()["message"]) == (422, f"No commit found for SHA: {'f' * 40}")


def test_over_rest_in_any_way(hub: GitHub, gh: Any) -> None:
    before = len(commits(hub, "main"))
    with pytest.raises(RequestFailed):
        gh.request("PUT", f"/repos/{APP}/pulls/1/merge", json={"merge_method": "magic"})
    answer = gh.request("PUT", f"/repos/{APP}/pulls/1/merge", json={"merge_method": "squash"}).json()
    assert (answer["merged"], answer["sha"], len(commits(hub, "main"))) == (True, hub.head(APP, "main"), before + 1)


def test_what_conflicts_cannot_be_merged(hub: GitHub) -> None:
    hub.commit(APP, "main", {"a.py": "x = 3\n"})
    with pytest.raises(ValueError, match="dev/app#1 cannot be merged by 'squash'"):
        hub.merge(APP, 1, "squash")
    assert hub.read(APP, "main", "a.py") == "x = 3\n"
