"""Declares steps with a stable name, services and a trace, and turns the errors of steps and runs into values."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Concatenate, ParamSpec, TypeVar

from dbos import DBOS
from dbos import error as dbos_error

from reknit.core.errors import DiskFullError, UnavailableError
from reknit.core.runs.attempt_events import end_broken_run
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import Services, current_services

T = TypeVar("T")


async def result_or_error(work: Awaitable[T]) -> T | Exception:
    """Return the result, or the exception as a value."""
    try:
        return await work
    except Exception as problem:  # noqa: BLE001 - the workflow boundary: a run always ends in a typed ending
        return problem


def ending_from_result(result: Ending | Exception) -> Ending:
    """Return the ending of a run, also of a failed one.

    An outage does not end a run: the process exits, and the run can be resumed.
    """
    if isinstance(result, Ending):
        return result
    current_services().outage(result)
    return end_broken_run(result)


async def run_together(steps: Iterable[Awaitable[T]]) -> list[T]:
    """Run steps at once, started in this order so that a replay matches. If one raises, the others are cancelled.

    Steps that follow one another in each of several parallel loops would interleave in an order that no replay repeats.
    """
    tasks = [asyncio.ensure_future(step) for step in steps]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)  # no call outlives the run


P = ParamSpec("P")
R = TypeVar("R")


def step(
    name: str, *, preemptible: bool = False
) -> Callable[
    [Callable[Concatenate[Services, RunSpec, P], Coroutine[Any, Any, R]]],
    Callable[Concatenate[RunSpec, P], Coroutine[Any, Any, R]],
]:
    """Declare a step.

    `preemptible`: cancelling the run cancels the running step, which must then leave no process behind.
    """

    def declare(
        body: Callable[Concatenate[Services, RunSpec, P], Coroutine[Any, Any, R]],
    ) -> Callable[Concatenate[RunSpec, P], Coroutine[Any, Any, R]]:
        @functools.wraps(body)
        async def traced(spec: RunSpec, /, *args: P.args, **kwargs: P.kwargs) -> R:
            services = current_services()

            async def act() -> R:
                services.trace(spec.run_id, name, "before")
                services.ledger.set_phase(spec.run_id, name.partition(".")[0])
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
    if isinstance(cause, UnavailableError):
        await _park(services, spec, cause)


def _behind(services: Services, spec: RunSpec, problem: Exception) -> Exception:
    """Return the actual cause: the step may have failed because the disk is full or the repository is gone."""
    if isinstance(problem, UnavailableError):
        return problem
    try:
        services.check_surroundings(spec)
    except (DiskFullError, UnavailableError) as cause:
        return cause
    return problem


async def _park(services: Services, spec: RunSpec, away: UnavailableError) -> None:
    """Park the run like Ctrl-C does. The engine keeps no result of a cancelled step: `resume` runs it again."""
    services.ledger.set_interrupted(spec.run_id, away.message)
    await asyncio.to_thread(DBOS.cancel_workflow, spec.run_id)
    raise dbos_error.DBOSWorkflowCancelledError(away.message) from away
