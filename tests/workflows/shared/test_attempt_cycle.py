"""What every loop does around an agent call: the wait for a rate limit, or another agent instead."""

import asyncio
import time
from pathlib import Path

import pytest

from reknit.core.agents.call import RateLimited
from reknit.core.errors import UnavailableError
from reknit.core.repository.change import REGULAR, Change, FileChange
from reknit.core.runs.agent_rotation import AgentRotation
from reknit.store.runs.reader import RunReader
from reknit.workflows.shared.attempt_cycle import announce_wait, land_commit
from tests.tools.github import GitHub
from tests.tools.plot import git
from tests.tools.pull_play import play
from tests.tools.pull_scene import PASSED, SLUG, PullScene, changed
from tests.workflows.shared.conftest import Scene


@pytest.mark.parametrize(
    ("agents", "wait_s", "planned", "event"),
    [
        pytest.param(("first",), 600.0, 600.0, "waiting", id="alone it waits"),
        pytest.param(("first", "second"), 600.0, 0.0, "fall_over", id="a long wait is not waited out"),
        pytest.param(("first", "second"), 5.0, 5.0, "waiting", id="a short one is"),
    ],
)
def test_a_limit_is_waited_out_or_another_agent_takes_over(
    scene: Scene, agents: tuple[str, ...], wait_s: float, planned: float, event: str
) -> None:
    services, spec = scene
    limited = RateLimited("rate_limited", services.clock() + wait_s)
    rotation = AgentRotation(agents).after_limit(limited)
    found = asyncio.run(announce_wait(services, spec, "attempt-1", "first", limited, rotation))
    assert planned - 1 <= found <= 1.1 * planned, "a spread, so that waiting runs do not all return at once"
    assert [seen.event.kind for seen in RunReader(services.ledger.engine).events(spec.run_id)] == [event]  # type: ignore[attr-defined]


GREEN = changed(test=False, lint=False)


@pytest.mark.parametrize(("step", "next_step"), [("check_ci 1", "look 2"), ("report 1", "report 2")])
def test_a_forge_that_says_not_now_is_left_alone_until_its_time(
    hub: GitHub, tmp_path: Path, step: str, next_step: str
) -> None:
    scene, again = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED]), []

    def limit() -> None:
        hub.faults.secondary_limit = 1

    played = play(scene, at={step: limit, next_step: lambda: again.append(time.time())})
    assert (played.ending, len(hub.comments(SLUG, scene.number)), len(played.reviews)) == ("CLEAN", 1, 1)
    (limited,) = (call for call in hub.calls if call.status == 403)
    assert again[0] - limited.at >= hub.faults.retry_after


def commit_of(scene: Scene) -> str:
    services, spec = scene
    change = Change((FileChange("new.py", None, b"x = 1\n", 0, REGULAR),))
    return services.workspace(spec).repository.commit(spec.base, change, "fix: it\n", at=1_700_000_000.0)


def test_it_lands_on_the_runs_branch_and_a_second_time_changes_nothing(scene: Scene, shop: Path) -> None:
    services, spec = scene
    commit = commit_of(scene)
    for _ in range(2):
        asyncio.run(land_commit(services, spec, commit))
        assert git(shop, "rev-parse", spec.branch) == commit
    assert git(shop, "branch", "--show-current") == "main"


def test_a_branch_that_is_taken_parks_the_run_and_offers_the_fix(scene: Scene, shop: Path) -> None:
    services, spec = scene
    git(shop, "commit", "-q", "--allow-empty", "-m", "mine")
    git(shop, "branch", spec.branch)
    with pytest.raises(UnavailableError, match="`git apply ") as parked:
        asyncio.run(land_commit(services, spec, commit_of(scene)))
    patch = parked.value.message.partition("`git apply ")[2].partition("`")[0]
    assert "+x = 1\n" in Path(patch).read_text()
    assert git(shop, "log", "-1", "--format=%s", spec.branch) == "mine"
