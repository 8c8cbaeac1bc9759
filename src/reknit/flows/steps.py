"""The one way to declare a step: a stable name, the services looked up when it runs, a trace of where the run is."""

import functools
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, TypeVar

from dbos import DBOS

from reknit.core.run import RunSpec
from reknit.flows.services import Services, current

P = ParamSpec("P")
R = TypeVar("R")


def step(
    name: str, *, preemptible: bool = False
) -> Callable[
    [Callable[Concatenate[Services, RunSpec, P], Coroutine[Any, Any, R]]],
    Callable[Concatenate[RunSpec, P], Coroutine[Any, Any, R]],
]:
    """`preemptible`: cancelling the run cancels the step while it works; it must leave no process behind then."""

    def declare(
        body: Callable[Concatenate[Services, RunSpec, P], Coroutine[Any, Any, R]],
    ) -> Callable[Concatenate[RunSpec, P], Coroutine[Any, Any, R]]:
        @functools.wraps(body)
        async def traced(spec: RunSpec, /, *args: P.args, **kwargs: P.kwargs) -> R:
            services = current()
            services.trace(spec.run_id, name, "before")
            services.ledger.phase(spec.run_id, name.partition(".")[0])
            answer = await body(services, spec, *args, **kwargs)
            services.trace(spec.run_id, name, "after")
            return answer

        return DBOS.step(name=name, preemptible=preemptible)(traced)

    return declare
