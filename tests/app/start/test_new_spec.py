"""What every command freezes in the same way."""

from dataclasses import replace
from pathlib import Path

from reknit.adapters.git.user_repository import UserRepository
from reknit.app.config.load import load
from reknit.app.start.new_spec import new_spec, with_projects
from reknit.app.start.projects import ProjectsToTest
from reknit.core.agents.call import AgentSettings
from reknit.core.setup.values import Setup
from reknit.core.testing.command import TestCommand
from tests.adapters.git.users_git import git, head

CLAUDE, CODEX = AgentSettings("claude", "claude"), AgentSettings("codex", "codex")
TESTS = TestCommand("pytest", ("pytest",), "junit")


def test_the_first_agent_works_and_the_others_take_over(shop: Path) -> None:
    (shop / ".gitignore").write_text("generated\n")
    (shop / "generated").write_text("x")
    repository = UserRepository.find(str(shop))
    flags = {
        "box": "host",
        "loop": {"budget_usd": 2.0},
        "workspace": {"setup": "make", "carry": ["generated"]},
    }
    config = load(None, flags, {})
    spec, left_out = new_spec("fix tests", repository, config, "b" * 40, [TESTS], [CLAUDE, CODEX])
    assert (spec.kind, spec.base, spec.tests, spec.agents) == ("fix tests", "b" * 40, TESTS, (CLAUDE, CODEX))
    assert (spec.box, spec.limits.budget_usd, spec.workspace.setup) == ("host", 2.0, "make")
    assert (spec.workspace.carry, left_out) == (("generated",), ())
    again, _ = new_spec("fix tests", repository, config, "b" * 40, [TESTS], [CLAUDE])
    assert again.run_id != spec.run_id
    assert again.fallback == ()


def test_where_the_set_ups_commit_left_the_default_branch(shop: Path) -> None:
    repository, start = UserRepository.find(str(shop)), head(shop)
    git(shop, "update-ref", "refs/remotes/origin/main", start)
    git(shop, "commit", "--quiet", "--allow-empty", "--message=mine")
    config, install = load(None, {}, {}), ProjectsToTest((TESTS,), setups=(Setup("", "npm ci"),))
    spec, _ = new_spec("fix tests", repository, config, head(shop), [TESTS], [CLAUDE])
    assert with_projects(spec, repository, install).setup_fork == start
    assert with_projects(replace(spec, base="b" * 40, on_top_of=start), repository, install).setup_fork == start
    assert with_projects(replace(spec, setup_base=start), repository, install).setup_fork == start
    assert with_projects(replace(spec, base="b" * 40), repository, install).setup_fork == ""
    assert with_projects(spec, repository, replace(install, setups=())).setup_fork == ""
    assert with_projects(spec, repository, install).setup_remote == ""
    git(shop, "remote", "add", "origin", "https://me:word@forge.example/me/shop")
    assert with_projects(spec, repository, install).setup_remote not in ("", "https://me:word@forge.example/me/shop")
