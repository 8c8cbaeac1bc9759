"""A step that failed: what is behind it."""

from dataclasses import replace
from pathlib import Path

import pytest

from reknit.core.errors import DiskFull, Unavailable
from reknit.core.runs.spec import RunSpec
from reknit.workflows.runtime.step import _behind
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
