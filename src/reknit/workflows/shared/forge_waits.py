"""Waits for a forge that is rate limited or unreachable, for every loop that works on a pull request."""

from collections.abc import Awaitable, Callable

from reknit.core.fix_pr.output import events
from reknit.core.forge.values import ForgeFailure
from reknit.core.runs.backoff import wait_seconds
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services
from reknit.workflows.runtime.step import step
from reknit.workflows.shared.attempt_cycle import sleep_as_planned

LAST_TRIES = 3
"""After these tries to write to the pull request, the run continues without it."""


@step("wait_forge.v1")
async def wait_forge(services: Services, spec: RunSpec, failure: ForgeFailure, waits: int, number: int = 1) -> float:
    """`waits`: how often in a row the run has waited; `number`: of the iteration."""
    now = services.clock()
    wait_s = wait_seconds(failure.until, waits, spec.limits, now, spec.run_id)
    event = events.hindered(failure, now + wait_s, wait_s)
    services.ledger.event(spec.run_id, f"forge-{number}-{waits}-{failure.kind}", event)
    services.ledger.waiting(spec.run_id, event.text, now + wait_s)
    return wait_s


async def with_forge_retries(spec: RunSpec, tell: Callable[[], Awaitable[ForgeFailure | None]]) -> None:
    for waits in range(LAST_TRIES):
        failure = await tell()
        if not isinstance(failure, ForgeFailure) or failure.kind not in ("limited", "unreachable"):
            return
        if waits + 1 < LAST_TRIES:
            await sleep_as_planned(wait_forge(spec, failure, waits))
