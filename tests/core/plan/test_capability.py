from reknit.core.capabilities import find_capability
from reknit.core.plan.capability import PLAN
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.command import TestCommand
from tests.tools.plan_samples import AGENT, BASE, TARGET


def test_it_needs_only_the_agent_that_proposes() -> None:
    tests = TestCommand("command", ("true",), "exit code")
    spec = RunSpec("r-1", "/shop", BASE, TARGET, tests, (AGENT,))
    assert [choice.agent for choice in PLAN.agents(spec)] == [AGENT]
    assert find_capability("plan") is PLAN
    assert PLAN.lands == "nothing"
