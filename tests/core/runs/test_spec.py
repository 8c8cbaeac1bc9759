"""Where a run lands and where its attempts are kept."""

from dataclasses import replace

import pytest

from reknit.core.agents.call import AgentSettings
from reknit.core.errors import InternalError
from reknit.core.fix_issues.task import FixIssues
from reknit.core.fix_pr.task import FixPullRequest
from reknit.core.fix_tests.task import FixTests
from reknit.core.hook.task import HookCheck
from reknit.core.plan.task import WritePlan
from reknit.core.review.task import ReviewChange
from reknit.core.runs.spec import ProjectSetups, RunSpec, Task, name_attempt_ref, name_uncommitted_ref
from reknit.core.services.service import Service
from reknit.core.testing.command import TestCommand
from reknit.core.vote.task import VoteOnPullRequest
from tests.tools.sample_tasks import FIX_PULL_REQUEST


def test_a_run_knows_its_agents_by_name() -> None:
    first, second = AgentSettings("a", "claude"), AgentSettings("b", "gemini")
    spec = RunSpec("r-1", "/r", "base", FixTests(), TestCommand("pytest", ("pytest",), "junit"), (first, *(second,)))
    assert (spec.agents, spec.find_agent("b")) == ((first, second), second)


def test_a_run_lands_on_a_branch_of_its_own() -> None:
    tests = TestCommand("pytest", ("pytest",), "junit")
    assert RunSpec("r-1", "/r", "base", FixTests(), tests, (AgentSettings("a", "claude"),)).branch == "reknit/r-1"


def test_attempts_are_kept_under_private_refs() -> None:
    assert name_attempt_ref("r-1", 2, "after") == "refs/reknit/r-1/attempt-2/after"
    assert name_uncommitted_ref("r-1") == "refs/reknit/r-1/uncommitted"


def test_a_task_claims_nothing_and_works_on_the_users_clone_unless_it_says_so() -> None:
    assert (FixTests().claim, FixTests().is_on_forge) == ("", False)


@pytest.mark.parametrize(
    "task_class", [FixPullRequest, FixIssues, ReviewChange, VoteOnPullRequest, HookCheck, WritePlan]
)
def test_a_run_of_another_kind_has_no_such_task(task_class: type[Task]) -> None:
    tests = TestCommand("pytest", ("pytest",), "junit")
    spec = RunSpec("r-1", "/r", "base", FixTests(), tests, (AgentSettings("a", "claude"),))
    assert spec.task_as(FixTests) == FixTests()
    with pytest.raises(InternalError, match=f"r-1 is not a `{task_class.kind}` run"):
        spec.task_as(task_class)


def test_a_run_knows_the_tests_of_all_its_projects() -> None:
    make, pytest_ = TestCommand("make", ("make", "test"), "exit code"), TestCommand("pytest", ("pytest",), "junit")
    spec = RunSpec("r-1", "/r", "base", FixTests(), make, (AgentSettings("a", "claude"),))
    both = replace(spec, other_projects=(pytest_,))
    assert (spec.projects, spec.evidence, spec.test_commands) == ((make,), "exit code", "make test")
    assert (both.projects, both.evidence, both.test_commands) == ((make, pytest_), "junit", "(make test); (pytest)")


def test_a_service_of_two_projects_is_one_service() -> None:
    redis, server = Service("redis-server"), Service("npm start", 3000)
    first = TestCommand("pytest", ("pytest",), "junit", services=(redis,))
    second = TestCommand("npm", ("npm", "test"), "exit code", services=(redis, server), folder="web")
    spec = RunSpec("r-1", "/r", "base", FixTests(), first, (AgentSettings("a", "claude"),), other_projects=(second,))
    assert spec.services == (redis, replace(server, folder="web"))


def test_the_set_up_of_a_strangers_pull_request_is_that_of_its_base() -> None:
    tests = TestCommand("pytest", ("pytest",), "junit")
    own = RunSpec("r-1", "/r", "head", FIX_PULL_REQUEST, tests, (AgentSettings("a", "claude"),))
    assert (own.setup_commit, replace(own, setups=ProjectSetups(base="base")).setup_commit) == ("head", "base")
