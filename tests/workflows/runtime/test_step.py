"""A step that failed: what is behind it."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from dbos import error as dbos_error

from reknit.core.errors import DiskFullError, InternalError, ToolMissingError, UnavailableError
from reknit.core.runs.ending import Ending
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import install
from reknit.workflows.runtime.step import _behind, ending_from_result, result_or_error
from tests.tools.step_services import step_services


@pytest.mark.parametrize(
    "surroundings",
    [DiskFullError("/state"), UnavailableError("gone", "the repository is gone")],
    ids=["disk", "repository"],
)
def test_a_failure_is_explained_by_its_surroundings(
    tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch, surroundings: Exception
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def check(spec: RunSpec, *, ran_out_of_space: bool = False) -> None:
        raise surroundings

    failed, parked = ValueError("a cut file"), UnavailableError("gate-unfinished", "it could not finish")
    with step_services(tmp_path, shop) as (services, spec):
        assert _behind(services, spec, failed) is failed, "all is well around it"
        troubled = replace(services, check_surroundings=check)
        assert _behind(troubled, spec, failed) is surroundings
        assert _behind(troubled, spec, parked) is parked, "it says itself what is away"


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
        missing, bug = ToolMissingError("box", "no box", help="install it"), InternalError("bug", "ours")
        assert (ending_from_result(missing).word, ending_from_result(missing).cause) == ("BLOCKED", "box")
        assert ending_from_result(bug).word == "FAILED"
        assert ending_from_result(Ending("FIXED", "all")) == Ending("FIXED", "all")
    assert seen == [missing, missing, bug]
