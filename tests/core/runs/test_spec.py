"""Where a run lands and where its attempts are kept."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.errors import InternalError
from reknit.core.forge.values import ForgePlace
from reknit.core.runs.spec import Batch, IssuesTarget, PullTarget, RunSpec, attempt_ref, uncommitted_ref
from reknit.core.services.service import Service
from reknit.core.testing.command import TestCommand


def test_a_run_knows_its_agents_by_name() -> None:
    first, second = AgentSettings("a", "claude"), AgentSettings("b", "gemini")
    spec = RunSpec(
        "r-1", "fix tests", "/r", "base", TestCommand("pytest", ("pytest",), "junit"), (), first, fallback=(second,)
    )
    assert (spec.agents, spec.agent_named("b")) == ((first, second), second)


def test_a_run_lands_on_a_branch_of_its_own() -> None:
    tests = TestCommand("pytest", ("pytest",), "junit")
    assert RunSpec("r-1", "fix tests", "/r", "base", tests, (), AgentSettings("a", "claude")).branch == "reknit/r-1"


def test_attempts_are_kept_under_private_refs() -> None:
    assert attempt_ref("r-1", 2, "after") == "refs/reknit/r-1/attempt-2/after"
    assert uncommitted_ref("r-1") == "refs/reknit/r-1/uncommitted"


def test_a_run_claims_the_pull_request_or_the_issues_it_works_on() -> None:
    tests = TestCommand("pytest", ("pytest",), "junit")
    spec = RunSpec("r-1", "fix tests", "/r", "base", tests, (), AgentSettings("a", "claude"))
    pull = PullTarget(ForgePlace("github", "https://API.github.com/", "Ada/Shop"), 7, "url", "title", None)
    issues = IssuesTarget("/r", (Batch(1, "backend", (3, 4), 2), Batch(2, "frontend", (5,), 1)), None)
    assert spec.claims == ""
    assert replace(spec, pull=pull).claims == "https://api.github.com ada/shop#7", "however it was spelled"
    assert replace(spec, issues=issues).claims == "issues /r"
    assert issues.issues == (3, 4, 5)


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("pull_target", "fix pr"),
        ("issues_target", "fix issues"),
        ("vote_target", "vote"),
        ("hook_target", "hook check"),
    ],
)
def test_a_run_of_another_kind_has_no_such_target(target: str, kind: str) -> None:
    tests = TestCommand("pytest", ("pytest",), "junit")
    spec = RunSpec("r-1", "fix tests", "/r", "base", tests, (), AgentSettings("a", "claude"))
    with pytest.raises(InternalError, match=f"r-1 is not a `{kind}` run"):
        getattr(spec, target)


def test_a_run_knows_the_tests_of_all_its_projects() -> None:
    make, pytest_ = TestCommand("make", ("make", "test"), "exit code"), TestCommand("pytest", ("pytest",), "junit")
    spec = RunSpec("r-1", "fix tests", "/r", "base", make, (), AgentSettings("a", "claude"))
    both = replace(spec, other_projects=(pytest_,))
    assert (spec.projects, spec.evidence, spec.test_commands) == ((make,), "exit code", "make test")
    assert (both.projects, both.evidence, both.test_commands) == ((make, pytest_), "junit", "(make test); (pytest)")


def test_a_service_of_two_projects_is_one_service() -> None:
    redis, server = Service("redis-server"), Service("npm start", 3000)
    first = TestCommand("pytest", ("pytest",), "junit", services=(redis,))
    second = TestCommand("npm", ("npm", "test"), "exit code", services=(redis, server), folder="web")
    spec = RunSpec("r-1", "fix tests", "/r", "base", first, (), AgentSettings("a", "claude"), other_projects=(second,))
    assert spec.services == (redis, replace(server, folder="web"))


def test_the_set_up_of_a_strangers_pull_request_is_that_of_its_base() -> None:
    tests = TestCommand("pytest", ("pytest",), "junit")
    own = RunSpec("r-1", "fix pr", "/r", "head", tests, (), AgentSettings("a", "claude"))
    assert (own.setup_commit, replace(own, setup_base="base").setup_commit) == ("head", "base")
