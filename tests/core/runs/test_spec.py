"""Where a run lands and where its attempts are kept."""

from reknit.core.agents.call import AgentSettings
from reknit.core.runs.spec import RunSpec, attempt_ref
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
