"""Tells a pull request something, with patience: a forge that does not answer is asked again, and not for ever."""

from collections.abc import Awaitable, Callable

from dbos import DBOS

from reknit.core.fix_pr.state import Course
from reknit.core.forge.values import Hindrance
from reknit.core.runs.agent_rotation import Crew
from reknit.core.runs.spec import RunSpec
from reknit.workflows.fix_pr import record_steps as notes

LAST_TRIES = 3
"""The run does not wait for it any longer."""


async def told_patiently(spec: RunSpec, tell: Callable[[], Awaitable[Hindrance | None]]) -> None:
    for number in range(LAST_TRIES):
        hindrance = await tell()
        if not isinstance(hindrance, Hindrance) or hindrance.kind not in ("limited", "unreachable"):
            return
        if number + 1 < LAST_TRIES:
            course = Course(Crew(()), hindered=number)
            await DBOS.sleep_async(await notes.wait_forge(spec, course, hindrance))
