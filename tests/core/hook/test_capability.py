from reknit.core.hook.capability import HOOK_CHECK
from reknit.core.hook.task import HookCheck
from tests.tools.recorded_runs import spec


def test_it_calls_no_agent_and_lands_nothing() -> None:
    order = spec("r-1", HookCheck(("tests/test_a.py",), "BUG-001", "m-1", 1, "a" * 40))
    assert HOOK_CHECK.agents(order) == []
    assert HOOK_CHECK.lands == "nothing"
    assert HOOK_CHECK.heading(order) == ["r-1  checks BUG-001"]
