"""The folders of one run: what has to be there before it goes on."""

import dataclasses
from pathlib import Path

import pytest

from reknit.adapters.git.workspace import RunWorkspace
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import UsageProblem
from reknit.core.forge.values import ForgePlace
from reknit.core.runs.spec import PullTarget, RunSpec, WorkspaceSettings
from reknit.core.testing.command import TestCommand
from tests.adapters.git.forge_scene import BRANCH, ForgeScene
from tests.adapters.git.users_git import head, repository

ELSEWHERE = "is not on this machine"


def spec_of(user: Path, base: str) -> RunSpec:
    agent = AgentSettings("scripted", "scripted")
    return RunSpec("r1", "fix tests", str(user), base, TestCommand("pytest", ("pytest",), "exit code"), (), agent)


def test_the_base_comes_from_the_users_repository(user: Path, tmp_path: Path) -> None:
    workspace = RunWorkspace(spec_of(user, head(user)), tmp_path / "run")
    workspace.ready()
    assert workspace.repository.resolve(head(user)) == head(user)
    with pytest.raises(UsageProblem, match=ELSEWHERE):
        workspace.ready("1" * 40)


def test_the_head_of_a_pull_request_need_not_be_in_the_users_repository(forge: ForgeScene, tmp_path: Path) -> None:
    theirs = forge.push(**{"app.py": "theirs\n"})
    place = ForgePlace("github", forge.server.url, "acme/shop")
    pull = PullTarget(place, 1, "", "", None)
    spec = dataclasses.replace(spec_of(tmp_path / "nowhere", theirs), kind="fix pr", pull=pull)
    workspace = RunWorkspace(spec, tmp_path / "run")
    workspace.ready()
    with pytest.raises(UsageProblem, match=ELSEWHERE):
        workspace.ready(theirs)
    workspace.repository.fetch_from(forge.remote, [BRANCH])
    workspace.ready(theirs)


def test_small_ignored_entries_are_copied_and_the_folder_of_the_report_is_not_carried(
    user: Path, tmp_path: Path
) -> None:
    for name in ("logs/old.log", "reports/old.xml", "test.db"):
        (user / name).parent.mkdir(exist_ok=True)
        (user / name).write_text("of the user")
    tests = TestCommand("command", ("run",), "junit", report="reports/*.xml")
    carry = WorkspaceSettings(("logs", "reports", "test.db"))
    workspace = RunWorkspace(
        dataclasses.replace(spec_of(user, head(user)), tests=tests, workspace=carry), tmp_path / "r"
    )
    workspace.ready()
    view = workspace.open_tree("tests", head(user))
    assert (view.carry, set(view.copied)) == (("logs", "test.db"), {"logs", "test.db"})
    assert Path(view.tree, "logs/old.log").read_text() == Path(view.tree, "test.db").read_text() == "of the user"
    assert not Path(view.tree, "reports").exists()


def test_the_box_also_gets_the_programs_that_the_projects_files_ask_for(tmp_path: Path) -> None:
    user = repository(tmp_path / "user", {"Makefile": "test:\n", "api/go.mod": "module x\n", "web/package.json": "{}"})
    spec = spec_of(user, head(user))
    workspace = RunWorkspace(
        dataclasses.replace(spec, tests=TestCommand("make", ("make",), "exit code", folder="api")), tmp_path / "run"
    )
    workspace.ready()
    assert workspace.open_tree("tests", head(user)).programs == ("make", "go")
