"""Before a run starts: who is not there or not signed in is told, with the option that names another."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reknit.app.installation import Installation, installation
from reknit.app.start.readiness import check_agents, unready
from reknit.core.agents.call import AgentSettings
from reknit.core.errors import LoginNeeded, ReknitError, ToolMissing
from reknit.core.runs.spec import IssuesTarget, RunSpec
from tests.tools.pull_samples import TARGET
from tests.tools.recorded_runs import spec as order
from tests.tools.vote_samples import TARGET as VOTE

READY = AgentSettings("scripted", "scripted", story="[{}]")
AWAY = AgentSettings("claude", "claude")
CODEX = AgentSettings("codex", "codex")
LOST = AgentSettings("mine", "any_command", command=("no-such-program",))


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    """codex is installed, but has no key."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/codex").write_text("#!/bin/sh\necho 1.2.3\n")
    (tmp_path / "bin/codex").chmod(0o755)
    return installation({"REKNIT_STATE": str(tmp_path / "state"), "PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)})


def spec(agent: AgentSettings = READY, **more: Any) -> RunSpec:
    return replace(order(box="host", **more), agent=agent)


@pytest.mark.parametrize(
    ("wanted", "problem", "option"),
    [
        pytest.param(spec(AWAY), ToolMissing, "--agent;", id="the fixer is not installed"),
        pytest.param(spec(CODEX), LoginNeeded, "--agent selects", id="the fixer has no key"),
        pytest.param(spec(fallback=(AWAY,)), ToolMissing, "--agent;", id="one that would take over"),
        pytest.param(
            spec(kind="fix issues", issues=IssuesTarget("key", (), CODEX)),
            LoginNeeded,
            "--challenger selects",
            id="the challenger",
        ),
        pytest.param(spec(kind="vote", vote=VOTE), ToolMissing, "--agents;", id="a voter"),
    ],
)
def test_who_cannot_work_is_named_with_the_way_out(
    place: Installation, wanted: RunSpec, problem: type[ReknitError], option: str
) -> None:
    with pytest.raises(problem) as caught:
        check_agents(place, wanted)
    assert option in caught.value.help
    assert not place.state.exists(), "nothing was recorded"


def test_a_reviewer_may_be_left_out(place: Installation) -> None:
    with pytest.raises(ToolMissing) as caught:
        check_agents(place, spec(kind="fix pr", pull=replace(TARGET, reviewer=AWAY)))
    assert "`--reviewer off` needs none" in caught.value.help
    check_agents(place, spec(kind="fix pr", pull=replace(TARGET, reviewer=READY)))


def test_a_forecast_only_says_who_is_missing(place: Installation) -> None:
    wanted = spec(AWAY, fallback=(LOST, READY), kind="fix issues", issues=IssuesTarget("key", (), CODEX))
    assert unready(place, wanted) == {"claude": "not found on PATH", "mine": "not found", "codex": "no key"}
    assert unready(place, spec()) == {}
