"""A step that failed: what is behind it, and which ending that makes."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.errors import DiskFull, InternalError, ToolMissing, Unavailable
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.services import install
from reknit.workflows.runtime.step import _behind, ending_of
from tests.tools.step_services import step_services


@pytest.mark.parametrize(
    "surroundings", [DiskFull("/state"), Unavailable("gone", "the repository is gone")], ids=["disk", "repository"]
)
def test_a_failure_is_explained_by_its_surroundings(
    tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch, surroundings: Exception
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def check(spec: RunSpec, *, ran_out_of_space: bool = False) -> None:
        raise surroundings

    failed, parked = ValueError("a cut file"), Unavailable("gate-unfinished", "it could not finish")
    with step_services(tmp_path, shop) as (services, spec):
        assert _behind(services, spec, failed) is failed, "all is well around it"
        troubled = replace(services, check_surroundings=check)
        assert _behind(troubled, spec, failed) is surroundings
        assert _behind(troubled, spec, parked) is parked, "it says itself what is away"


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
    assert seen == [missing, missing, bug]
