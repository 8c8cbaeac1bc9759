"""Retries a write to a pull request while the forge is rate limited or unreachable, a limited number of times."""

from collections.abc import Awaitable, Callable

from dbos import DBOS

from reknit.core.fix_pr.state import PullRunState
from reknit.core.forge.values import ForgeFailure
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_pr import record_steps

LAST_TRIES = 3
"""After these tries the run continues without it."""


async def with_forge_retries(spec: RunSpec, tell: Callable[[], Awaitable[ForgeFailure | None]]) -> None:
    for number in range(LAST_TRIES):
        failure = await tell()
        if not isinstance(failure, ForgeFailure) or failure.kind not in ("limited", "unreachable"):
            return
        if number + 1 < LAST_TRIES:
            state = PullRunState(AgentRotation(()), hindered=number)
            await DBOS.sleep_async(await record_steps.wait_forge(spec, state, failure))
