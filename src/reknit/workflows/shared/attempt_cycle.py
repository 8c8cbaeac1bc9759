"""What every loop does around an agent call. Steps have another name in each loop, so each loop declares its own."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from dbos import DBOS

from reknit.core.agents.call import RateLimited
from reknit.core.gate.verdict import GateVerdict
from reknit.core.runs import attempt_events
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.attempt import AttemptResult, RunProgress
from reknit.core.runs.backoff import wait_for_first
from reknit.core.runs.spec import RunSpec
from reknit.core.testing.proof import Proof
from reknit.workflows.runtime.services import Services

P = TypeVar("P", bound=RunProgress)


async def plan_wait(
    services: Services, spec: RunSpec, key: str, agent: str, limited: RateLimited, rotation: AgentRotation
) -> float:
    """The body of a step. Returns 0 if another agent takes over instead."""
    now = services.clock()
    times = [limited.until, *(until for _, until in rotation.tired)]
    wait_s = wait_for_first(times, rotation.unnamed_waits - 1, spec.limits, now, spec.run_id)
    key = f"{key}-wait-{rotation.waits - 1}"
    if rotation.falls_over(agent, wait_s, spec.limits):
        after = next(name for name in rotation.ready if name != agent)
        services.ledger.event(spec.run_id, key, attempt_events.falling_over(limited, agent, after, wait_s))
        return 0.0
    told = attempt_events.waiting(limited, agent, now + wait_s, wait_s)
    services.ledger.event(spec.run_id, key, told)
    services.ledger.waiting(spec.run_id, told.text, now + wait_s)
    return wait_s


async def record(
    services: Services, spec: RunSpec, number: int, made: AttemptResult,
    gate: GateVerdict | None = None, proof: Proof | None = None,
) -> None:  # fmt: skip
    """The body of a step. Without a verdict: the agent could not work, or did not finish."""
    services.ledger.attempt_ended(spec.run_id, number, made.call, gate, proof)


async def sleep_as_planned(plan: Awaitable[float]) -> float:
    """`plan`: a step that announced the wait and returns its length."""
    wait_s = await plan
    await DBOS.sleep_async(wait_s)
    return wait_s


async def wait_or_record(
    after: P, agent: str, made: AttemptResult, *, continues: bool,
    plan: Callable[[RateLimited, AgentRotation], Awaitable[float]], note: Callable[[], Awaitable[None]],
) -> P:  # fmt: skip
    """After an agent that could not work: wait for a rate limit, or record the attempt.

    `continues`: False if the run ends anyway, so that there is no point in waiting first.
    """
    limited = made.call.outcome
    if not continues or not isinstance(limited, RateLimited):
        await note()
        return after
    wait_s = await sleep_as_planned(plan(limited, after.rotation))
    return after.rested(agent, limited, wait_s)
