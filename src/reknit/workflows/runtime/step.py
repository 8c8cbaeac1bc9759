"""The only way to declare a step: a stable name, services looked up when it runs, a trace of where the run is."""

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from dbos import DBOS
from dbos import error as dbos_error

from reknit.core.errors import DiskFull, Unavailable
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.errors import result_or_error
from reknit.workflows.runtime.services import Services, current

P = ParamSpec("P")
R = TypeVar("R")


def step(
    name: str, *, preemptible: bool = False
) -> Callable[
    [Callable[Concatenate[Services, RunSpec, P], Coroutine[Any, Any, R]]],
    Callable[Concatenate[RunSpec, P], Coroutine[Any, Any, R]],
]:
    """`preemptible`: cancelling the run cancels the running step, which must then leave no process behind."""

    def declare(
        body: Callable[Concatenate[Services, RunSpec, P], Coroutine[Any, Any, R]],
    ) -> Callable[Concatenate[RunSpec, P], Coroutine[Any, Any, R]]:
        @functools.wraps(body)
        async def traced(spec: RunSpec, /, *args: P.args, **kwargs: P.kwargs) -> R:
            services = current()

            async def act() -> R:
                services.trace(spec.run_id, name, "before")
                services.ledger.phase(spec.run_id, name.partition(".")[0])
                answer = await body(services, spec, *args, **kwargs)
                services.trace(spec.run_id, name, "after")
                return answer

            result = await result_or_error(act())
            if isinstance(result, Exception):
                await _stop_for_outage(services, spec, name, result)
                raise result
            return result

        return DBOS.step(name=name, preemptible=preemptible)(traced)

    return declare


async def _stop_for_outage(services: Services, spec: RunSpec, name: str, problem: Exception) -> None:
    cause = _behind(services, spec, problem)
    services.outage(cause)
    services.trace(spec.run_id, name, "failed")
    if isinstance(cause, Unavailable):
        await _park(services, spec, cause)


def _behind(services: Services, spec: RunSpec, problem: Exception) -> Exception:
    """The actual cause: the step may have failed because the disk is full or the repository is gone."""
    if isinstance(problem, Unavailable):
        return problem
    try:
        services.check_surroundings(spec)
    except (DiskFull, Unavailable) as cause:
        return cause
    return problem


async def _park(services: Services, spec: RunSpec, away: Unavailable) -> None:
    """Park the run like Ctrl-C does. The engine keeps no result of a cancelled step: `resume` runs it again."""
    services.ledger.interrupted(spec.run_id, away.what)
    await asyncio.to_thread(DBOS.cancel_workflow, spec.run_id)
    raise dbos_error.DBOSWorkflowCancelledError(away.what) from away
