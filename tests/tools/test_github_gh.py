"""The real `gh` binary, pointed at the stand-in's socket, sees the same pull request, checks and comments."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reknit.adapters.process import Completed, run
from tests.tools.github import GitHub

APP = "dev/app"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "hub") as hub:
        hub.make_repository(APP, {"a.py": "x = 1\n"})
        sha = hub.commit(APP, "feat", {"a.py": "x = 2\n"})
        hub.open_pull(APP, head="feat", title="A feature")
        hub.check(APP, sha, "ci", "failure")
        hub.check(APP, sha, "lint")
        hub.status(APP, sha, "legacy", "success")
        yield hub
        assert hub.violations == []


class Cli:
    def __init__(self, hub: GitHub, home: Path) -> None:
        home.mkdir()
        self._environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "GH_HOST": "github.localhost"}
        self._environment |= {"GH_TOKEN": hub.token, "GH_PROMPT_DISABLED": "1"}
        self._home = home
        assert self("config", "set", "http_unix_socket", hub.socket).exit_code == 0

    def __call__(self, *arguments: str) -> Completed:
        return run(["gh", *arguments], env=self._environment, cwd=str(self._home))


@pytest.fixture
def gh(hub: GitHub, tmp_path: Path) -> Cli:
    return Cli(hub, tmp_path / "home")


def test_gh_pr_view(hub: GitHub, gh: Cli) -> None:
    hub.say(APP, 1, author="ann", text="hello")
    fields = "number,title,state,headRefOid,statusCheckRollup,comments,reviews,mergeable,files,author"
    seen = json.loads(gh("pr", "view", "1", "-R", APP, "--json", fields).stdout)
    assert (seen["number"], seen["title"], seen["state"]) == (1, "A feature", "OPEN")
    assert seen["headRefOid"] == hub.head(APP, "feat")
    rollup = [
        (one.get("name") or one["context"], one.get("conclusion") or one.get("state"))
        for one in seen["statusCheckRollup"]
    ]
    assert rollup == [("ci", "FAILURE"), ("lint", None), ("legacy", "SUCCESS")]
    assert [(one["author"]["login"], one["body"]) for one in seen["comments"]] == [("ann", "hello")]
    assert b"A feature" in gh("pr", "view", "1", "-R", APP).stdout


def test_gh_pr_checks(hub: GitHub, gh: Cli) -> None:
    shown = gh("pr", "checks", "1", "-R", APP)
    assert shown.exit_code == 1, "a check failed"
    rows = [line.split("\t")[:2] for line in shown.stdout.decode().splitlines()]
    assert rows == [["ci", "fail"], ["lint", "pending"], ["legacy", "pass"]]


def test_gh_pr_list_and_login(hub: GitHub, gh: Cli) -> None:
    listed = json.loads(gh("pr", "list", "-R", APP, "--json", "number,headRefName").stdout)
    assert listed == [{"number": 1, "headRefName": "feat"}]
    assert gh("auth", "status").exit_code == 0
    assert gh("auth", "token", "--hostname", "github.localhost").stdout.decode().strip() == hub.token


def test_gh_pr_comment(hub: GitHub, gh: Cli) -> None:
    assert gh("pr", "comment", "1", "-R", APP, "-b", "from gh").exit_code == 0
    assert [(one["user"]["login"], one["body"]) for one in hub.comments(APP, 1)] == [("dev", "from gh")]
