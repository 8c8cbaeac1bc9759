"""What every loop does around an agent call: the wait for a rate limit, or another agent instead."""

import asyncio

import pytest

from reknit.core.agents.call import RateLimited
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.store.runs.reader import RunReader
from reknit.workflows.shared.attempt_cycle import plan_wait
from tests.workflows.shared.conftest import Scene


@pytest.mark.parametrize(
    ("agents", "wait_s", "planned", "event"),
    [
        pytest.param(("first",), 600.0, 600.0, "waiting", id="alone it waits"),
        pytest.param(("first", "second"), 600.0, 0.0, "fall_over", id="a long wait is not waited out"),
        pytest.param(("first", "second"), 5.0, 5.0, "waiting", id="a short one is"),
    ],
)
def test_a_limit_is_waited_out_or_another_agent_takes_over(
    scene: Scene, agents: tuple[str, ...], wait_s: float, planned: float, event: str
) -> None:
    services, spec = scene
    limited = RateLimited("rate_limited", services.clock() + wait_s)
    rotation = AgentRotation(agents).limited(limited)
    found = asyncio.run(plan_wait(services, spec, "attempt-1", "first", limited, rotation))
    assert planned - 1 <= found <= 1.1 * planned, "a spread, so that waiting runs do not all return at once"
    assert [seen.event.kind for seen in RunReader(services.ledger.engine).events(spec.run_id)] == [event]  # type: ignore[attr-defined]
