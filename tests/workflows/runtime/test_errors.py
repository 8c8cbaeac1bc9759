"""An error becomes a value at one place; what must stop the engine is not caught there."""

import asyncio

import pytest
from dbos import error as dbos_error

from reknit.workflows.runtime.errors import result_or_error


async def fails(problem: BaseException) -> str:
    raise problem


async def works() -> str:
    return "done"


def test_a_result_is_passed_on() -> None:
    assert asyncio.run(result_or_error(works())) == "done"


def test_an_error_is_a_value() -> None:
    problem = ValueError("x")
    assert asyncio.run(result_or_error(fails(problem))) is problem


@pytest.mark.parametrize("stop", [dbos_error.DBOSWorkflowCancelledError("stopped"), asyncio.CancelledError()])
def test_a_cancelled_run_is_not_a_failed_one(stop: BaseException) -> None:
    with pytest.raises(type(stop)):
        asyncio.run(result_or_error(fails(stop)))
