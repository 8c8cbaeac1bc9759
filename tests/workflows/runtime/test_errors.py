"""An error becomes a value at one place; what must stop the engine is not caught there."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from dbos import error as dbos_error

from reknit.core.errors import InternalError, ToolMissing
from reknit.core.runs.ending import Ending
from reknit.workflows.runtime.errors import ending_of, result_or_error
from reknit.workflows.runtime.services import install
from tests.tools.step_services import step_services


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


def test_an_ending_is_made_of_what_no_outage_explains(
    tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    seen: list[BaseException] = []
    with step_services(tmp_path, shop) as (services, _):
        install(replace(services, outage=seen.append))
        missing, bug = ToolMissing("box", "no box", help="install it"), InternalError("bug", "ours")
        assert (ending_of(missing).word, ending_of(missing).cause) == ("BLOCKED", "box")
        assert ending_of(bug).word == "FAILED"
        assert ending_of(Ending("FIXED", "all")) == Ending("FIXED", "all")
    assert seen == [missing, missing, bug]
