"""What a run records, and what the pull request shows of it while it works, waits and ends."""

from pathlib import Path

import pytest

from reknit.app.runs.stop import cancel_run
from reknit.core.runs.view import EventView
from tests.tools.github import GitHub
from tests.tools.pull_play import place_of, plan, play, play_spec
from tests.tools.pull_scene import PASSED, SLUG, PullScene, changed

GREEN = changed(test=False, lint=False)


def test_a_cancelled_run_does_not_stay_at_work_on_the_pull_request(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, reviews=[PASSED])
    spec = plan(scene)

    def stop(seen: EventView) -> None:
        if seen.event.kind == "iteration":
            cancel_run(place_of(scene), spec.run_id)

    assert play_spec(scene, spec, tell=stop).ending == "CANCELLED"
    (comment,) = hub.comments(SLUG, scene.number)
    assert "### reknit: CANCELLED" in comment["body"]


@pytest.mark.parametrize("fault", ["server_error", "git_unavailable"])
def test_a_forge_that_is_away_for_a_moment_is_asked_again(hub: GitHub, tmp_path: Path, fault: str) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])
    played = play(scene, at={"look 1": lambda: hub.faults.switch(fault)})
    assert (played.ending, hub.faults.is_armed(fault)) == ("CLEAN", False)
    assert [event.data["why"] for event in played.told("waiting")][:1] == ["forge unreachable"]


def test_a_forge_that_stays_away_ends_the_run_unverified(hub: GitHub, tmp_path: Path) -> None:
    scene = PullScene(tmp_path, hub, changes=GREEN, reviews=[PASSED])

    def away() -> None:
        hub.faults.server_error = 1000

    played = play(scene, at={"look 1": away}, flags={"loop": {"waits": 2}})
    assert (played.ending, played.cause, played.exit_code) == ("UNVERIFIED", "forge", 5)
    assert played.steps.count("look") == 3
